"""The curves of the trajectory papers' evaluations, remade on real check-ins where they are at hand."""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import lzma
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import sfumato as sf
from benchmarks.measure import DATA, generated, table
from sfumato import pipeline
from sfumato.core.measuring.comparison import Comparison
from sfumato.registry import all_methods

COLUMNS = [
    "method", "k", "m", "published", "withheld", "exact places", "generalised", "average size",
    "distance in groups %", "D %", "ARE", "KL places", "patterns kept", "spurious", "seconds",
]  # fmt: skip


def new_york(data: Path, folder: Path) -> Path | None:
    """Write the New York check-ins (user, venue, minute; venue, lat, lon) as one table."""
    source = data / "foursquare-nyc"
    if not (source / "NYC.npy.xz").exists():
        return None
    with lzma.open(source / "NYC.npy.xz") as file:
        visits = np.load(file)
    with lzma.open(source / "NYC_POI.npy.xz") as file:
        venues = np.load(file)
    where = {int(venue): (lat, lon) for venue, lat, lon in venues}
    visits = visits[[int(venue) in where for venue in visits[:, 1]]]
    start = dt.datetime(2012, 4, 2, tzinfo=dt.UTC)
    seconds = int(start.timestamp()) + 60 * visits[:, 2].astype(np.int64)
    lat, lon = np.array([where[int(venue)] for venue in visits[:, 1]]).T
    path = folder / "new-york.parquet"
    columns = {
        "person": pa.array(visits[:, 0].astype(str)),
        "time": pa.array(seconds).cast(pa.timestamp("s", tz="UTC")),
        "place": pa.array(visits[:, 1].astype(str)),
        "lat": lat.astype(float),
        "lon": lon.astype(float),
    }
    pq.write_table(pa.table(columns), path)
    return path


def measure(dataset: sf.Dataset, name: str, k: int, m: int, **more: object) -> list[object]:
    """Anonymise once and take the papers' measures."""
    start = time.perf_counter()
    try:
        result = sf.anonymize(
            dataset, all_methods()[name](k=k, m=m, infeasible="suppress", **more), secret=bytes([1] * 32)
        )
    except sf.InfeasibleError:
        return [name, k, m, "infeasible", *[""] * 11]
    seconds = time.perf_counter() - start
    comparison = Comparison(dataset, result.release, result.trace.rows)
    scores = {score.name: score for score in pipeline.measure_release(comparison)}
    places, distance = scores["place-counts"].details, scores["distance"].details
    patterns = scores["pattern-preservation"]
    inside = scores["place-distance"].value
    return [
        name, k, m, len(result.release), sum(result.release.withheld.values()),
        places["exact"], places["generalised"], float(places["average_size"]),
        100 * inside, 100 * float(distance["normalised"]), scores["average-relative-error"].value,
        scores["support-divergence"].value, patterns.value, patterns.details["spurious"], seconds,
    ]  # fmt: skip


def curves(title: str, dataset: sf.Dataset, results: Path) -> None:
    """Vary k for m=2, and m for k=5, for seqanon, zga and sga."""
    print(f"\n# {title}: {dataset!r}, mean length {dataset.history().lengths.mean():.2f}")
    by_k = [measure(dataset, "seqanon", k, 2) for k in (2, 5, 10, 25, 50, 100)]
    by_m = [measure(dataset, "seqanon", 5, m) for m in (1, 2, 3)]
    clustered = [measure(dataset, name, k, 2, clusters=5) for name in ("zga", "sga") for k in (2, 5, 25, 100)]
    table(f"{title}: k", COLUMNS, by_k)
    table(f"{title}: m", COLUMNS, by_m)
    table(f"{title}: clusters", COLUMNS, clustered)
    with (results / f"papers-{title.replace(' ', '-')}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *by_k, *by_m, *clustered])


def main() -> None:
    """Run on New York check-ins, if at hand, and on the generated Oldenburg-like set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results"))
    chosen = parser.parse_args()
    chosen.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        roads = DATA / "oldenburg"
        files = [f"nodes={roads / 'OL.cnode.txt.xz'}", f"edges={roads / 'OL.cedge.txt.xz'}"]
        graph = files if (roads / "OL.cnode.txt.xz").exists() else []
        path = generated(folder, 18_143, "roads", *graph)
        curves("Oldenburg", sf.read(path, kind="trajectories"), chosen.results)
        check_ins = new_york(DATA, folder)
        if check_ins is not None:
            for places in ("grid:5km", "quadtree:662"):
                dataset = sf.read(check_ins, kind="trajectories", places=places, split="week", drop=["place"])
                curves(f"New York {places.split(':')[0]}", dataset, chosen.results)


if __name__ == "__main__":
    main()
