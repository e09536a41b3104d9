"""Local recoding beside one recoding for all, on public check-ins and taxi trips; times and growth."""

from __future__ import annotations

import csv
import functools
import io
import itertools
import lzma
import os
import random
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import DATA, generated, run_parts, table

if TYPE_CHECKING:
    from sfumato.data.dataset import Dataset

METHODS: dict[str, tuple[str, dict[str, object]]] = {
    "seqanon": ("SeqAnon", {}),
    "refined": ("SeqAnon", {"refine": True}),
    "local-km": ("LocalKm", {}),
}
PLACES = {"new-york": "grid:2km", "new-york-weeks": "grid:2km", "gowalla": "quadtree:1000", "cabs": "grid:1km"}
DEMANDS = [(5, 2), (10, 2), (5, 3)]
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def convert(name: str, folder: Path) -> Path:
    """Return a file of visits (person, time, lon, lat) made from a public data set, made once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / f"{name}.parquet"
    if not path.exists():
        person, when, lon, lat = zip(*READERS[name](), strict=True)
        pq.write_table(pa.table({"person": person, "time": when, "lon": lon, "lat": lat}), path)
    return path


def _open(path: str) -> io.BufferedIOBase:
    return lzma.open(DATA / path)


def _rows(path: str) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(io.TextIOWrapper(_open(path), encoding="utf-8", newline=""))


def read_new_york() -> Iterator[tuple[str, str, float, float]]:
    """3,079 weekly trajectories of 193 people."""
    for row in _rows("foursquare-nyc/Foursquare_Sample.csv.xz"):
        lat, lon = map(float, row["lat_lon"].split())
        yield row["tid"], row["date_time"], lon, lat


def read_new_york_weeks() -> Iterator[tuple[str, str, float, float]]:
    """26,971 weeks of 1,083 people."""
    visits = np.load(io.BytesIO(_open("foursquare-nyc/NYC.npy.xz").read()))
    venues = np.load(io.BytesIO(_open("foursquare-nyc/NYC_POI.npy.xz").read()))
    where = {int(venue): (lon, lat) for venue, lat, lon in venues.tolist()}
    for user, venue, minute in visits.tolist():
        yield f"{user}-{minute // 10080}", _after(datetime(2012, 4, 1), minutes=minute), *where[venue]


def read_gowalla() -> Iterator[tuple[str, str, float, float]]:
    """5,329 weekly trajectories of 300 people, all over the world."""
    for row in itertools.chain(_rows("gowalla/train.csv.xz"), _rows("gowalla/test.csv.xz")):
        when = _after(datetime(2010, 1, 4), days=DAYS.index(row["day"]), hours=int(row["hour"]))
        yield row["tid"], when, float(row["lon"]), float(row["lat"])


def read_cabs() -> Iterator[tuple[str, str, float, float]]:
    """23,830 taxi trips of one day in San Francisco."""
    import pyarrow.parquet as pq

    for row in pq.read_table(DATA / "sf-cabs/cabs_dataset_20080608.parquet").to_pylist():
        yield str(row["trajectory_id"]), row["timestamp"].replace("/", "-"), row["lon"], row["lat"]


def _after(start: datetime, **more: float) -> str:
    return f"{start + timedelta(**more):%Y-%m-%d %H:%M:%S}"


READERS = {
    "new-york": read_new_york,
    "new-york-weeks": read_new_york_weeks,
    "gowalla": read_gowalla,
    "cabs": read_cabs,
}


def loss(folder: Path) -> list[list[object]]:
    """Distance, exact visits and errors of counts of releases that were written and verified, and processor seconds.

    Of seqanon, of seqanon with refine=true and of local-km; one data set if the environment names it in ``ONLY``.
    """
    import sfumato as sf

    rows: list[list[object]] = []
    names = [os.environ["ONLY"]] if "ONLY" in os.environ else list(READERS)
    for name in names:
        data = sf.read(convert(name, folder), kind="trajectories", places=PLACES[name])
        for k, m in DEMANDS:
            found = [_lose(data, method, k, m, folder) for method in METHODS]
            shares = [cells[0] / found[0][0] for cells in found[1:]]  # type: ignore[operator]
            rows.append([name, f"{k},{m}", *itertools.chain(*found), *shares])
            print(rows[-1], file=sys.stderr, flush=True)
    columns = [f"{method} {what}" for method in METHODS for what in ("D", "exact", "ARE", "s")]
    table("Loss", ["data", "k,m", *columns, "D refined/seqanon", "D local-km/seqanon"], rows)
    return rows


def _lose(data: Dataset, name: str, k: int, m: int, folder: Path) -> list[object]:
    """Anonymise, write, verify and measure."""
    import sfumato as sf
    from sfumato.kinds.trajectories.metrics.average_relative_error import AverageRelativeError
    from sfumato.kinds.trajectories.metrics.distance import Distance
    from sfumato.kinds.trajectories.metrics.place_counts import PlaceCounts
    from sfumato.metrics.comparison import Comparison

    method, asked = METHODS[name]
    start = time.process_time()
    chosen = getattr(sf.methods, method)(k=k, m=m, infeasible="suppress", **asked)
    result = sf.anonymize(data, chosen, secret=bytes([1] * 32), max_suppressed_records=0.2)
    seconds = time.process_time() - start
    sf.write(result, folder / "out", force=True, reports=False)
    comparison = Comparison(data, result.release, result.owner_record.rows)
    distance, error = (metric().measure(comparison).value for metric in (Distance, AverageRelativeError))
    return [distance, PlaceCounts().measure(comparison).details["exact_share"], error, seconds]


def speed(folder: Path) -> list[list[object]]:
    """Processor time of recoding and publishing, warm; both starts of local-km one after the other."""
    import sfumato as sf

    rows: list[list[object]] = []
    for name, (k, m) in itertools.product(READERS, [(5, 2), (5, 3)]):
        data = sf.read(convert(name, folder), kind="trajectories", places=PLACES[name])
        taken = []
        for method in (sf.methods.SeqAnon, sf.methods.LocalKm):
            chosen = method(k=k, m=m, infeasible="suppress")
            taken.append(min(_time(data, chosen) for _ in range(3)))
        rows.append([name, f"{k},{m}", *taken, taken[1] / taken[0]])
        print(rows[-1], file=sys.stderr, flush=True)
    table("Processor seconds, warm", ["data", "k,m", "seqanon", "local-km", "ratio"], rows)
    return rows


def _time(data: object, method: object) -> float:
    from sfumato.release.run import Run

    start = time.process_time()
    method.anonymize(data, Run(bytes(32)))  # type: ignore[attr-defined]
    return time.process_time() - start


def growth(folder: Path) -> list[list[object]]:
    """Processor time at 21, 43, 86 and 172 thousand generated records, and its exponent."""
    import sfumato as sf

    sizes, rows = [21_500, 43_000, 86_000, 172_000], []
    for m in (2, 3):
        chosen, times = sf.methods.LocalKm(k=5, m=m, infeasible="suppress"), []
        for size in sizes:
            data = sf.read(generated(folder, size, "checkins", "places=662"), kind="trajectories")
            if not times:
                _time(data, chosen)
            times.append(_time(data, chosen))
            print(m, size, times[-1], file=sys.stderr, flush=True)
        exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
        rows.append([m, *times, exponent])
        print(rows[-1], file=sys.stderr, flush=True)
    table("Growth of local-km", ["m", *[f"{size:,}" for size in sizes], "exponent"], rows)
    return rows


def minimality(folder: Path) -> list[list[object]]:
    """What somebody concludes who knows the method: which members of a coarse label would have been published finer.

    The reader knows the labels of all records. A member is ruled out where, with all others as they are, a visit to it
    would have had a finer label. Then the same data when a share of the visits, drawn at random, is never lowered: a
    coarse label then proves nothing, and what that costs is the distance beside it.
    """
    import sfumato as sf

    k, draw = 5, random.Random(1)
    data = sf.read(convert("new-york", folder), kind="trajectories", places=PLACES["new-york"])
    release = sf.anonymize(data, sf.methods.LocalKm(k=k, m=2, infeasible="suppress"), secret=bytes(32)).release
    members, rows = release.members(), [tuple(row) for row in release.history().lists()]
    inside = {value: frozenset(members.get(value, (value,))) for row in rows for value in row}
    finer = {
        value: sorted((other for other in inside if inside[other] < inside[value]), key=lambda v: len(inside[v]))
        for value in inside
    }
    held = [{*((v,) for v in row), *itertools.combinations(row, 2)} for row in rows]
    support: dict[tuple[str, ...], int] = {}
    holders: dict[tuple[str, ...], list[int]] = {}
    for r, sequences in enumerate(held):
        for sequence in sequences:
            support[sequence] = support.get(sequence, 0) + 1
            holders.setdefault(sequence, []).append(r)

    @functools.cache
    def could_be_finer(r: int, i: int, label: str) -> bool:
        row = (*rows[r][:i], label, *rows[r][i + 1 :])
        after = {*((v,) for v in row), *itertools.combinations(row, 2)}
        return all(support.get(s, 0) + 1 >= k for s in after - held[r]) and all(
            support[s] - 1 == 0 or support[s] - 1 >= k for s in held[r] - after
        )

    def stays(r: int, i: int, place: str) -> bool:
        return not any(could_be_finer(r, i, label) for label in finer[rows[r][i]] if place in inside[label])

    coarse = [(r, i) for r, row in enumerate(rows) for i, value in enumerate(row) if len(inside[value]) > 1]
    kept = [
        np.mean(
            [stays(r, i, place) for place in draw.sample(sorted(inside[rows[r][i]]), min(20, len(inside[rows[r][i]])))]
        )
        for r, i in draw.sample(coarse, 400)
    ]
    few, smallest, tried = 0, [], 0
    for r, i in draw.sample(coarse, 400):
        j = draw.randrange(len(rows[r]))
        if i == j:
            continue
        first, second = min(i, j), max(i, j)
        pair = rows[r][first], rows[r][second]
        known = [draw.choice(sorted(inside[value])) for value in pair]
        left = sum(
            any(
                stays(q, a, known[0]) and stays(q, b, known[1])
                for a, b in itertools.combinations(range(len(rows[q])), 2)
                if (rows[q][a], rows[q][b]) == pair
            )
            for q in holders[pair]
        )
        if left:  # otherwise nobody can have been there
            tried, few = tried + 1, few + (left < k)
            smallest.append(left)
    found: list[list[object]] = [
        ["members of a coarse label that stay possible", float(np.mean(kept))],
        ["known pairs with a coarse label for which fewer than k records with the same labels stay", few / tried],
        ["records that stay, median", float(np.median(smallest))],
    ]
    found += [[f"D when {share:.0%} of the visits are never lowered", _skip(data, share)] for share in (0.0, 0.1, 0.3)]
    table("Minimality, New York, k=5, m=2", ["what", "value"], found)
    return found


def _skip(data: object, share: float) -> float:
    """Return the distance after RAISE and two times LOWER in which a share of the visits takes no part."""
    from sfumato.kinds.trajectories._kernels.demand import Demand
    from sfumato.kinds.trajectories._kernels.labels import count_all, new_labels_counter
    from sfumato.kinds.trajectories._kernels.lowering import lower_labels, order_nodes
    from sfumato.kinds.trajectories._kernels.raising import mean_step, raise_labels
    from sfumato.kinds.trajectories.dataset.histories import Trajectories
    from sfumato.kinds.trajectories.methods.local_km import LocalKm, _list_visits

    rows = Trajectories.of(data)  # type: ignore[arg-type]
    places = np.unique(rows.ordinary.codes).astype(np.int64)
    tree = LocalKm(k=5, m=2)._grow_near(rows, places)
    visits = _list_visits(rows, places, tree, np.empty(0, np.int32))
    demand = Demand(5, 1, 2, len(tree.paths.depth) + 1, 1)
    counter = count_all(new_labels_counter(visits, demand), visits, tree.paths, demand)
    for t in range(2, 6):
        counter, _ = raise_labels(counter, visits, tree.paths, demand, t, mean_step(tree.paths))
    record = np.repeat(np.arange(len(visits.offsets) - 1), np.diff(visits.offsets))
    taking = np.flatnonzero(np.random.default_rng(1).random(len(visits.place)) >= share)
    taking = taking[np.argsort(visits.place[taking], kind="stable")]
    ends = np.searchsorted(visits.place[taking], np.arange(len(tree.paths.start)))
    for _ in range(2):
        nodes = order_nodes(visits, tree.paths)
        counter, _ = lower_labels(counter, visits, tree.paths, demand, nodes, record, taking, ends)
    cost = tree.paths.cost[tree.paths.start[visits.place] + visits.level] * tree.unit
    lengths = np.diff(visits.offsets)
    return float((np.bincount(record, cost) / lengths).mean())


if __name__ == "__main__":
    run_parts("local_trajectories", __doc__ or "", loss, speed, growth, minimality)
