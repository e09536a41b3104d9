"""Times, evaluations and losses of the methods for timed event sequences, and the paper's tables remade."""

from __future__ import annotations

import lzma
import sys
import time
from pathlib import Path

import numpy as np

import sfumato as sf
from benchmarks.measure import DATA, generated, run, run_parts, table
from sfumato.generators.taxonomy import taxonomy
from sfumato.kinds.sequences._kernels.category_covers import fill_by_left_ends, fill_by_runs, new_runs
from sfumato.kinds.sequences._kernels.prices import set_prices
from sfumato.kinds.sequences._kernels.profiles import BEFORE, BEST, NODE, REACH, TIME, new_table
from sfumato.kinds.sequences._kernels.thinning import thin_windows
from sfumato.kinds.sequences._kernels.windows import Unmonitored, key_pairs
from sfumato.kinds.sequences.attacks.neighbours import attack as attack_neighbours
from sfumato.kinds.sequences.dataset import Sequences
from sfumato.kinds.sequences.metrics.count_queries import CountQueries
from sfumato.kinds.sequences.metrics.event_context import EventContext
from sfumato.kinds.sequences.metrics.interval_loss import IntervalLoss
from sfumato.metrics.comparison import Comparison

METHODS = {name: getattr(sf.methods, name.capitalize()) for name in ("hn", "hi", "hy", "hl", "et", "ta", "sa")}


def clicks(folder: Path, people: int, *options: str, monitored: list[str] | None = None) -> sf.Dataset:
    """Generate click streams and read them."""
    path = generated(folder, people, "clicks", *options, kind="sequences")
    return sf.read(path, kind="sequences", monitored=monitored or ["portal1"])


def measure(dataset: sf.Dataset, name: str, **asked: object) -> tuple[list[object], sf.Result]:
    """Anonymise once: seconds of a processor, evaluations, groups and NCP."""
    start = time.process_time()
    result = sf.anonymize(dataset, METHODS[name](**asked), secret=bytes([1] * 32))
    seconds = time.process_time() - start
    loss = IntervalLoss(wt=1.0, we=float(asked.get("we", 0.0))).measure(
        Comparison(dataset, result.release, result.owner_record.rows)
    )
    count = result.owner_record.counters
    return [name, seconds, count.get("cp_evaluations", 0), count["groups"], loss.value], result


def single_receiver(folder: Path) -> list[list[object]]:
    """HN, HI, HY and HL for k from 2 to 32 on 5,000 people, for k-anonymity and (g,l)-diversity."""
    data = clicks(folder, 5_000, "events=2000", "portals=1", "portal_share=0.05")
    for name in ("hn", "hi", "hy", "hl"):
        measure(data, name, k=2)
    rows = []
    for asked in [{"k": k} for k in (2, 4, 8, 16, 32)] + [{"g": 3600, "l": l} for l in (2, 4, 8)]:
        for name in ("hn", "hi", "hy", "hl"):
            try:
                rows.append([str(asked), *measure(data, name, **asked)[0]])
            except sf.InfeasibleError as error:
                rows.append([str(asked), name, "infeasible", "", "", str(error)[-60:]])
    table("5,000 people, one receiver", ["asked", "method", "s", "CP evaluations", "groups", "NCP"], rows)
    return rows


def hybrids(folder: Path) -> list[list[object]]:
    """What lies between HN and HL: loss and evaluations as shares of HN's, by the size of a block."""
    rows: list[list[object]] = []
    for people in (1_500, 3_000, 6_000):
        data = clicks(folder, people, "events=2000", "portals=1", "portal_share=0.05")
        for k in (4, 16, 32):
            start = time.process_time()
            _, _, most, _, least = measure(data, "hn", k=k)[0]
            rows.append([people, k, "hn", time.process_time() - start, most, 1.0, 1.0])
            ways = [
                {"along": "regions"},
                *({"along": "blocks", "block": block} for block in (100, 200, 400, 800, 1600)),
            ]
            for name, way in [("hi", {}), *(("hy", way) for way in ways), ("hl", {})]:
                start = time.process_time()
                _, _, count, _, loss = measure(data, name, k=k, **way)[0]
                label = " ".join([name, *(f"{key}={value}" for key, value in way.items())])
                rows.append([people, k, label, time.process_time() - start, count, count / most, loss / least])
                print(rows[-1], file=sys.stderr, flush=True)
    head = ["people", "k", "way", "processor s", "CP evaluations", "of hn's", "NCP of hn's"]
    table("Between HN and HL", head, rows)
    return rows


def large(folder: Path) -> list[list[object]]:
    """HI and HY on 33,000 people with monitored events, HL on 240,000 people and 15 million events; whole runs."""
    cases = [
        (60_000, ["portals=1", "portal_share=0.035"], ["hi", "hy", "hl"], "portal1"),
        (240_000, ["events=200000"], ["hl"], "portal1,portal2,portal3,portal4,portal5,portal6"),
    ]
    rows = []
    for people, options, names, monitored in cases:
        path = generated(folder, people, "clicks", *options, kind="sequences")
        for name in names:
            words = ["anonymize", path, "--kind", "sequences", "--monitored", monitored, "--method", name, "-p", "k=16"]
            taken = run(*words, "--out", folder / "out", "--force", "--no-report")
            s = taken.result["seconds"]
            phases = "read {read:.1f}, group {group:.1f}, write {write:.1f}, verify {verify:.1f}".format(**s)
            rows.append([people, name, taken.seconds, phases, round(taken.megabytes), taken.result["withheld"]])
    table("Large sets, k=16, whole command", ["people", "method", "s", "phases s", "peak MB", "withheld"], rows)
    return rows


def colluding(folder: Path) -> list[list[object]]:
    """The paper's Table 6: time only against time and events, all events monitored."""
    data = weigh_events(clicks(folder, 500, "events=2000", "mean_events=20", "max_events=300", monitored=["*"]))
    rows = []
    for k in (2, 5, 10):
        for name in ("hi", "et"):
            rows.append([k, *measure(data, name, k=k, we=1.0)[0]])
    table("500 people, all events monitored, wt=we=1", ["k", "method", "s", "CP evaluations", "groups", "NCP"], rows)
    return rows


def weigh_events(data: sf.Dataset) -> sf.Dataset:
    """Give click streams a taxonomy of their events."""
    tree = taxonomy(list(data.history().labels), 6, 1)
    return type(data)(data.schema, data.table, None, {"event": tree}, {}, data.notes, data.read_options, data.time_unit)


def weighted(folder: Path) -> list[list[object]]:
    """HI with weighted events: processor time by events of a person, all of them monitored, and how it grows."""
    lengths, rows = (10, 20, 40, 80, 160), []
    for k in (2, 5):
        taken = []
        for length in lengths:
            options = ["events=2000", f"mean_events={length}", f"max_events={10 * length}"]
            data = weigh_events(clicks(folder, 200, *options, monitored=["*"]))
            if not taken:
                measure(data, "hi", k=k, we=1.0)
            taken.append(float(measure(data, "hi", k=k, we=1.0)[0][1]))
        rows.append([k, *taken, float(np.polyfit(np.log(lengths), np.log(taken), 1)[0])])
    head = ["k", *(f"{length} events cpu s" for length in lengths), "exponent"]
    table("HI of 200 people, all events monitored, wt=we=1", head, rows)
    return rows


def covering(folder: Path) -> list[list[object]]:
    """CP with categories by the number of distinct times: trying all left ends against queues of them."""
    random, rows = np.random.default_rng(1), []
    data = weigh_events(clicks(folder, 200, "events=2000", "mean_events=40", monitored=["*"]))
    tree = data.hierarchies["event"]
    leaves = np.flatnonzero(np.asarray(tree.leaves) == 1)
    for times in (8, 16, 24, 32, 48, 64, 128, 256, 512):
        profile = np.ones((times, NODE + 1), np.int64)
        profile[:, TIME] = np.sort(random.choice(100 * times, times, replace=False))
        profile[:, REACH] = profile[:, TIME] - random.integers(0, 1000, times).cumsum() % 1000
        profile[:, REACH] = np.maximum.accumulate(profile[:, REACH])
        profile[:, NODE] = random.choice(leaves, times)
        parent, below = np.asarray(tree.parent, np.int32), np.asarray(tree.leaves, np.int64)
        prices = set_prices(1.0, 1.0, 100 * times, times, parent, below)
        filled, runs = new_table(times), new_runs(times, prices)
        filled[0, [BEFORE, BEST]] = 0
        filled[1:, BEFORE] = np.arange(1, times + 1)
        ways = {fill_by_left_ends: (), fill_by_runs: (runs,)}
        taken = []
        for way, more in ways.items():
            way(profile, prices, filled, *more)
            turns = max(1, 200_000 // times)
            start = time.process_time()
            for _ in range(turns):
                way(profile, prices, filled, *more)
            taken.append((time.process_time() - start) / turns * 1e6)
        rows.append([times, *taken, taken[0] / taken[1]])
    table("CP with categories", ["times", "all left ends µs", "queues µs", "ratio"], rows)
    return rows


def comparators(folder: Path) -> list[list[object]]:
    """The paper's Table 4: suppression, false negatives and false positives of TA, HN and SA on moving objects."""
    path = generated(folder, 6_000, "roads", "cells=32")
    cells = sf.read(path, kind="trajectories").history()
    top = [cells.labels[code] for code in np.argsort(-np.bincount(cells.codes))[:10]]
    data = sf.read(path, kind="sequences", columns={"event": "place"}, drop=["x", "y"], monitored=top)
    rows = []
    for k in (2, 5, 10, 20):
        for name in ("ta", "hn", "sa"):
            row, result = measure(data, name, k=k)
            score = CountQueries().measure(Comparison(data, result.release, result.owner_record.rows))
            lost = IntervalLoss().measure(Comparison(data, result.release, result.owner_record.rows)).details
            rows.append(
                [k, *row[:2], lost["suppressed_entries"], score.value, score.details["false_negatives"], row[-1]]
            )
    table("Moving objects, ten monitored cells", ["k", "method", "s", "suppressed", "f_p", "f_n", "NCP"], rows)
    return rows


def context(folder: Path) -> list[list[object]]:
    """The paper's Table 5: KL divergence of what happens around monitored events, by window."""
    data = clicks(folder, 5_000, "events=2000", "portals=1", "portal_share=0.05")
    rows = []
    for name in ("hi", "hl"):
        _, result = measure(data, name, g=3600, l=4)
        details = EventContext().measure(Comparison(data, result.release, result.owner_record.rows)).details
        windows = {key.removeprefix("within_"): value for key, value in details.items() if key.startswith("within_")}
        rows.append([name, *windows.values()])
    table("KL divergence around monitored events, g=1 hour, l=4", ["method", *windows], rows)
    return rows


LOGS = {
    "sepsis": (
        "sepsis/sepsis.csv.xz",
        {"person": "Case ID", "event": "Activity", "time": "Complete Timestamp"},
        "ER Registration",
    ),
    "hospital-billing": (
        "hospital-billing/hospital_billing.csv.xz",
        {"person": "case_id", "event": "activity", "time": "timestamp"},
        "FIN",
    ),
}


def read_log(folder: Path, name: str, monitored: str | None = None) -> sf.Dataset | None:
    """Read a real log, without the rows that have no case; None where it is not at hand."""
    where, columns, usual = LOGS[name]
    if not (DATA / where).exists():
        return None
    with lzma.open(DATA / where, "rt", encoding="utf-8") as file:
        lines = file.readlines()
    path = folder / f"{name}.csv"
    path.write_text("".join(line for line in lines if line[0] not in ",;"), encoding="utf-8")
    return sf.read(path, kind="sequences", columns=columns, drop=["*"], monitored=[monitored or usual])


def neighbours(folder: Path) -> list[list[object]]:
    """Who is found by the events next to monitored ones on real logs, and what the remedies cost; hi, k=5."""
    rows = []
    for name in LOGS:
        for remedy, monitored, asked in [
            ("none", None, {}),
            *((f"blur {label}", None, {"blur": s}) for label, s in (("0", 0), ("1 h", 3600), ("1 d", 86_400))),
            ("monitored *", "*", {}),
        ]:
            data = read_log(folder, name, monitored)
            if data is None:
                continue
            start = time.perf_counter()
            result = sf.anonymize(data, sf.methods.Hi(k=5, **asked), secret=bytes([1] * 32))
            seconds = time.perf_counter() - start
            start = time.perf_counter()
            found = attack_neighbours(result.release, data, result.owner_record.rows)
            attacked = time.perf_counter() - start
            comparison, count = Comparison(data, result.release, result.owner_record.rows), result.owner_record.counters
            queries, context = CountQueries().measure(comparison), EventContext().measure(comparison)
            kept = sum(map(len, result.release.table[data.schema.history].to_pylist()))
            rows.append(
                [name, remedy, seconds, attacked, found.identified, found.people, found.chance_level, kept]
                + [count.get(f"other_events_{what}", 0) for what in ("told_as_intervals", "left_out")]
                + [IntervalLoss().measure(comparison).value, queries.details["other_false_negatives"], context.value]
            )
    head = ["log", "remedy", "s", "attack s", "found", "of", "by guessing", "exact events", "as intervals", "left out"]
    table("Neighbours of monitored events, hi, k=5", [*head, "NCP", "f_n of other events", "KL, hour"], rows)
    return rows


def without_monitored(folder: Path) -> list[list[object]]:
    """How many people without monitored events (g,l)-diversity withholds on a real log, and how many it must."""
    rows = []
    for monitored in ("FIN", "CHANGE DIAGN"):
        data = read_log(folder, "hospital-billing", monitored)
        if data is None:
            continue
        everyone = Sequences.of(data)
        absent = everyone.take(np.flatnonzero(~everyone.people_with_monitored))
        for days, l in ((7, 4), (20, 6), (30, 4), (30, 5), (90, 2)):
            start = time.perf_counter()
            found = thin_windows(key_pairs(Unmonitored(*absent.part(monitored=False)), days * 86_400), l)
            seconds = time.perf_counter() - start
            rows.append([monitored, len(absent), days, l, int((~found.stays).sum()), found.at_least, seconds])
    table(
        "People without monitored events, hospital billing",
        ["monitored", "people", "g days", "l", "withheld", "at least", "s"],
        rows,
    )
    return rows


def growth(folder: Path) -> list[list[object]]:
    """Seconds at n, 2n, 4n, 8n with the exponent."""
    rows = []
    for name, sizes in [
        ("hn", (500, 1000, 2000, 4000)),
        *[(m, (4000, 8000, 16000, 32000)) for m in ("hi", "hy", "hl")],
    ]:
        times = []
        for people in sizes:
            data = clicks(folder, people, "events=2000", "portals=1", "portal_share=0.05")
            times.append(float(measure(data, name, k=8)[0][1]))
        rows.append([name, sizes[0], *times, float(np.polyfit(np.log([1, 2, 4, 8]), np.log(times), 1)[0])])
    table("Growth, k=8", ["method", "n", "n s", "2n s", "4n s", "8n s", "exponent"], rows)
    return rows


if __name__ == "__main__":
    run_parts(
        "sequences",
        __doc__,
        single_receiver,
        hybrids,
        large,
        colluding,
        weighted,
        covering,
        comparators,
        context,
        neighbours,
        without_monitored,
        growth,
    )
