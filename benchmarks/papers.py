"""The tables and curves of the papers' evaluations, remade on the data at hand, beside the numbers that are printed.

``python -m benchmarks.papers`` measures everything, keeps it in ``benchmarks/results`` and writes ``docs/papers.md``;
with names of parts only those are measured anew, and ``--page`` writes the page from what is kept.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import sfumato as sf
from benchmarks import activity, rt, sequences, sets, timeline
from benchmarks.measure import DATA, generated
from benchmarks.papers_page import write_page
from sfumato.api import calls
from sfumato.kinds.rt.methods.bounded import RumBound
from sfumato.kinds.snapshots.metrics.publication_delay import PublicationDelay
from sfumato.kinds.snapshots.metrics.window_queries import WindowQueries
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.kinds.timeline.metrics.deleted_share import DeletedShare
from sfumato.kinds.timeline.metrics.ghost_events import GhostEvents
from sfumato.metrics.comparison import Comparison
from sfumato.plugins import all_methods

SECRET = bytes([1] * 32)
Rows = list[list[object]]


def trajectories(folder: Path) -> Rows:
    """SEQANON, ZGA and SGA on moving objects in Oldenburg: what is published how, by k and by m."""
    roads = DATA / "oldenburg"
    files = [f"nodes={roads / 'OL.cnode.txt.xz'}", f"edges={roads / 'OL.cedge.txt.xz'}"]
    graph = files if (roads / "OL.cnode.txt.xz").exists() else []
    dataset = sf.read(generated(folder, 18_143, "roads", *graph), kind="trajectories")
    asked = [("seqanon", k, 2) for k in (2, 5, 10, 25, 50, 100)] + [("seqanon", 5, m) for m in (1, 3)]
    asked += [(name, k, 2) for name in ("zga", "sga") for k in (2, 5, 25, 100)]
    rows: Rows = [
        ["method", "k", "m", "exact places", "generalised", "average size", "distance in groups, %", "ARE", "seconds"]
    ]
    for name, k, m in asked:
        more = {} if name == "seqanon" else {"clusters": 5}
        start = time.process_time()
        method = all_methods()[name](k=k, m=m, infeasible="suppress", **more)
        result = sf.anonymize(dataset, method, secret=SECRET, max_suppressed_records=1)
        seconds = time.process_time() - start
        scores = {score.name: score for score in calls.measure_release(_compare(dataset, result))}
        places = scores["place-counts"].details
        inside = scores["place-distance"].value if "place-distance" in scores else 0.0
        counts = [places["exact"], places["generalised"], places["average_size"]]
        rows.append([name, k, m, *counts, 100 * inside, scores["average-relative-error"].value, seconds])
    return rows


def _compare(dataset: sf.Dataset, result: sf.Result) -> Comparison:
    return Comparison(dataset, result.release, result.owner_record.rows, seed=1)


def baskets(folder: Path) -> Rows:
    """Disassociation and apriori on the click streams of the paper, k=5, m=2; generated baskets where they are not."""
    found = sets.at_hand(folder)
    found = {name: path for name, path in found.items() if name != "POS"}
    if not found:
        found = {"generated": generated(folder, 50_000, "baskets", "items=1500", "mean_length=5", kind="sets")}
    names = ("top-itemsets", "top-itemsets-certain", "pair-support", "pair-support-certain", "separated-items")
    rows: Rows = [["data", "records", "items", "mean length", "method", "k", "tKd", "tKd-a", "re", "re-a", "tlost"]]
    for name, path in found.items():
        dataset = sets.read(path)
        lengths = dataset.history().lengths
        about = [name, len(dataset), len(dataset.history().labels), float(lengths.mean())]
        methods = [sf.methods.Disassociation(k=k, m=2) for k in (5, 10, 20)] + [sf.methods.Apriori(k=5, m=2)]
        for method in methods:
            result = sf.anonymize(dataset, method, secret=SECRET)
            scores = {s.name: s.value for s in calls.measure_release(_compare(dataset, result))}
            rows.append([*about, method.name, method.k, *(scores.get(each, "") for each in names)])
    return rows


def tables_with_sets(folder: Path) -> Rows:
    """Bounded loss of attributes and what items pay for it: 9,000 generated patients, k=25, m=2."""
    data = rt.data_of(folder, "patients", 9_000)
    rows: Rows = [["merge", "delta", "clusters", "NCP", "UL", "seconds"]]
    for merge in rt.RULES:
        for delta in (0.35, 0.65, 0.95):
            method = RumBound(k=25, m=2, delta=delta, merge=merge)
            result, seconds = rt.anonymize(data, method)
            comparison = _compare(data, result)
            clusters = result.owner_record.counters["clusters"]
            losses = [rt.Ncp().measure(comparison).value, rt.UtilityLoss().measure(comparison).value]
            rows.append([merge, delta, clusters, *losses, seconds])
    return rows


def event_queries(folder: Path) -> Rows:
    """Table 4 of the paper on event sequences."""
    return [["k", "method", "s", "suppressed", "f_p", "f_n", "NCP"], *sequences.comparators(folder)]


def event_context(folder: Path) -> Rows:
    """Table 5 of the paper on event sequences."""
    return [["method", "1 minute", "1 hour", "1 day", "1 week", "1 month"], *sequences.context(folder)]


def event_categories(folder: Path) -> Rows:
    """Table 6 of the paper on event sequences."""
    return [["k", "method", "s", "CP evaluations", "groups", "NCP"], *sequences.colluding(folder)]


def activities(folder: Path) -> Rows:
    """Table 4 of the paper on activities: relative difference, people left out and seconds, by the number of people."""
    data = {size: activity.people(folder, size, "long-weekend") for size in (100, 200, 300)}
    activity.anonymized(data[100], "mc-l-mdav-wd", **activity.ASKED)
    head = [f"{what} {size}" for size in data for what in ("rel", "ns", "s")]
    return [
        ["method", *head],
        *(
            [name, *(cell for size in data for cell in activity.measure(data[size], name, **activity.ASKED))]
            for name in (*activity.PROPOSED, *activity.BASELINES)
        ),
    ]


def durations(folder: Path) -> Rows:
    """Table 8 of the paper on activities."""
    return [["method", "sleep, h", "conversation, min", "phone, min", "correlation", "p"], *activity.meanings(folder)]


def deletions(folder: Path) -> Rows:
    """ESSA on timelines of the paper's shapes: share deleted and ghost events, medians over thresholds."""
    thresholds = {
        "ADL": ("0.002", "0.005", "0.01", "0.025"),
        "ENT": ("0.001", "0.002", "0.005", "0.01"),
        "SYN": ("0.002", "0.005", "0.01", "0.025"),
    }
    rows: Rows = [["shape", "occurrences", "sensitive events", "delta", "deleted, %", "ghosts, %", "seconds"]]
    for name, deltas in thresholds.items():
        path, _ = timeline.shaped(folder, name)
        found = Timeline.of(sf.read(path, kind="timeline"))
        totals = np.bincount(found.codes, found.counts, minlength=len(found.labels))
        measured = []
        for delta in deltas:
            least = float(delta) * totals.sum()
            reaching = [int(code) for code in np.argsort(totals, kind="stable") if totals[code] >= least]
            rarest = [found.labels[code] for code in reaching[: 5 if name == "ADL" else 20]]
            if not rarest:
                continue
            data = sf.read(path, kind="timeline", sensitive=rarest)
            start = time.process_time()
            result = sf.anonymize(data, sf.methods.Essa(delta=delta), secret=SECRET, max_suppressed_records=1)
            seconds = time.process_time() - start
            comparison = _compare(data, result)
            deleted, ghosts = (100 * metric.measure(comparison).value for metric in (DeletedShare(), GhostEvents()))
            measured.append((deleted, ghosts, seconds))
            rows.append([name, int(totals.sum()), len(rarest), delta, deleted, ghosts, seconds])
        medians = [statistics.median(column) for column in zip(*measured, strict=True)]
        rows.append([name, "", "", "median", *medians])
    return rows


def windows(folder: Path) -> Rows:
    """What a window of repositioning buys: late and suppressed records, and the error of window queries."""
    path = generated(folder, 50_000, "outbreaks", "snapshots=250", kind="snapshots")
    columns = {"quasi-identifier": "age,sex,area"}
    data = sf.read(path, kind="snapshots", columns=columns, sensitive=("condition",))
    rows: Rows = [["l", "window", "suppressed, %", "mean delay", "error", "suppression alone", "merged snapshots"]]
    for l in (2, 4):
        for window in (1, 3, 7, 14):
            method = sf.methods.Reposition(l=l, window=window)
            result = sf.anonymize(data, method, secret=SECRET, max_suppressed_records=1)
            delay = PublicationDelay().measure(_compare(data, result))
            score = WindowQueries().measure(_compare(data, result))
            late = [100 * delay.details["suppressed_share"], delay.value]
            rows.append([l, window, *late, score.value, score.details["suppression"], score.details["merging"]])
    return rows


PARTS: tuple[Callable[[Path], Rows], ...] = (
    trajectories, baskets, tables_with_sets, event_queries, event_context, event_categories, activities, durations,
    deletions, windows,
)  # fmt: skip


def main() -> None:
    """Measure the parts that are asked for, all by default, and write the page."""
    known = {part.__name__: part for part in PARTS}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=", ".join(known))
    parser.add_argument("--page", action="store_true", help="only write the page, from what was measured before")
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--out", type=Path, default=Path("docs/papers.md"))
    chosen = parser.parse_args()
    chosen.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name in [] if chosen.page else chosen.parts or known:
            start = time.process_time()
            rows = known[name](Path(scratch))
            print(f"{name}: {time.process_time() - start:.0f} s of this process", flush=True)
            with (chosen.results / f"papers-{name}.csv").open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([[_round(cell) for cell in row] for row in rows])
    chosen.out.write_text(write_page(chosen.results), encoding="utf-8")


def _round(cell: object) -> object:
    return f"{cell:.3g}" if isinstance(cell, float) else cell


if __name__ == "__main__":
    main()
