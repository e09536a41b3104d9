"""Times and errors of the methods for timelines, against the dynamic program and at the sizes of the paper."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

import numpy as np

import sfumato as sf
from benchmarks.measure import generated, run, run_parts, table
from sfumato.base.method import Method
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.kinds.timeline.methods._base.timeline_counts import TimelineCounts
from sfumato.kinds.timeline.metrics.ghost_events import GhostEvents
from sfumato.metrics.comparison import Comparison

SHAPES = {
    "ADL": (443, 10, 3.26, 5),
    "ENT": (50_364, 5_005, 4.76, 200),
    "SYN": (97_280, 909, 18.35, 200),
    "10 x SYN": (972_800, 909, 18.35, 200),
}
"""Time points, events, occurrences per time point and sensitive events, as in the paper's Table 1."""


def shaped(folder: Path, name: str) -> tuple[Path, Path]:
    """Return a generated file of a shape, and one with sensitive events drawn among those that reach 0.1 %."""
    points, events, mean, sensitive = SHAPES[name]
    path = generated(folder, points, "segments", f"events={events}", f"mean_events={mean}", "skew=0.6", kind="timeline")
    chosen = folder / f"{name}.txt"
    if not chosen.exists():
        timeline = Timeline.of(sf.read(path, kind="timeline"))
        totals = np.bincount(timeline.codes, timeline.counts, minlength=len(timeline.labels))
        frequent = np.flatnonzero(totals >= 0.001 * totals.sum())
        drawn = np.random.default_rng(1).choice(frequent, min(sensitive, len(frequent)), replace=False)
        chosen.write_text("\n".join(timeline.labels[code] for code in drawn))
    return path, chosen


def taken(data: sf.Dataset, method: Method) -> tuple[float, float, sf.Result]:
    """Return seconds on the clock and of the processor, and the second of two results: compiling does not count."""
    sf.anonymize(data, method)
    start, worked = time.perf_counter(), time.process_time()
    result = sf.anonymize(data, method)
    return time.perf_counter() - start, time.process_time() - worked, result


def error(data: sf.Dataset, result: sf.Result) -> float:
    """Return the sanitisation error."""
    from sfumato.kinds.timeline.metrics.sanitisation_error import SanitisationError

    return SanitisationError().measure(Comparison(data, result.release, result.owner_record.rows)).value


def dynamic_program(timeline: Timeline, code: int, delta: Fraction) -> float:
    """Return the least error as the paper finds it, with numbers of deletions as array positions; no backtracking."""
    counts = np.zeros(len(timeline), dtype=np.int64)
    timeline_counts = TimelineCounts(timeline)
    places = timeline_counts.places([code])
    counts[places.points] = places.counts
    excess = delta.denominator * np.cumsum(counts) - delta.numerator * timeline_counts.lengths
    needs = np.where(excess < 0, 0, excess // (delta.denominator - delta.numerator) + 1)
    needs = np.minimum(needs, np.cumsum(counts))
    most = int(needs.max())
    n = 2.0 * timeline_counts.totals + len(timeline.labels)
    own = 2.0 * counts + 1
    weights = timeline_counts.squares - own**2 + (n - own) ** 2
    best = np.full(most + 1, np.inf)
    best[0] = 0.0
    for t in range(len(timeline)):
        step = best.copy()
        for k in range(1, min(int(counts[t]), most) + 1):
            cost = 4 * weights[t] * (k / (n[t] * (n[t] - 2 * k))) ** 2
            np.minimum(step[k:], best[: most + 1 - k] + cost, out=step[k:])
        step[: needs[t]] = np.inf
        best = step
    return float(best[most])


def one_event(folder: Path) -> list[list[object]]:
    """ODESA's deletions against the dynamic program (floating point, vectorised), for the most frequent event."""
    rows: list[list[object]] = []
    for name in ("ADL", "ENT", "SYN"):
        path, _ = shaped(folder, name)
        timeline = Timeline.of(sf.read(path, kind="timeline"))
        totals = np.bincount(timeline.codes, timeline.counts)
        code = int(totals.argmax())
        for part in (0.9, 0.5):
            delta = f"{part * totals[code] / totals.sum():.6f}"
            data = sf.read(path, kind="timeline", sensitive=[timeline.labels[code]])
            _, _, result = taken(data, sf.methods.Odesa(delta=delta))
            seconds = result.owner_record.seconds["delete"]
            start = time.perf_counter()
            least = dynamic_program(timeline, code, Fraction(delta))
            reference = time.perf_counter() - start
            deleted = result.owner_record.counters["occurrences_deleted"]
            found = error(data, result)
            rows.append([name, delta, deleted, seconds, reference, reference / seconds, found, abs(found / least - 1)])
    head = ["shape", "delta", "deleted", "odesa s", "dynamic program s", "times", "error", "relative difference"]
    table("One sensitive event, deletions only", head, rows)
    return rows


def several_events(folder: Path) -> list[list[object]]:
    """ESSA and ESSA-joint at the shapes of the paper: seconds, deletions, errors, ghosts, and the gap to the bound."""
    rows: list[list[object]] = []
    for name, deltas in (("ADL", ("0.05", "0.1")), ("ENT", ("0.001", "0.005")), ("SYN", ("0.001", "0.002"))):
        path, chosen = shaped(folder, name)
        data = sf.read(path, kind="timeline", sensitive=[f"@{chosen}"])
        for delta in deltas:
            for method in (sf.methods.Essa(delta=delta), sf.methods.EssaJoint(delta=delta)):
                seconds, worked, result = taken(data, method)
                count = result.owner_record.counters
                ghosts = GhostEvents().measure(Comparison(data, result.release, result.owner_record.rows)).value
                share = count["occurrences_deleted"] / int(Timeline.of(data).totals.sum())
                gap = count.get("gap_permille_at_most", "")
                rows.append([name, delta, method.name, seconds, worked, share, error(data, result), ghosts, gap])
    head = ["shape", "delta", "method", "s", "processor s", "share deleted", "error", "ghosts", "gap at most, 1/1000"]
    table("Several sensitive events", head, rows)
    return rows


def whole_commands(folder: Path) -> list[list[object]]:
    """Whole runs of the command at the paper's largest size and ten times it, with peak memory."""
    rows: list[list[object]] = []
    for name in ("SYN", "10 x SYN"):
        path, chosen = shaped(folder, name)
        words = ["anonymize", path, "--kind", "timeline", "--sensitive", f"@{chosen}", "--method", "essa"]
        done = run(*words, "-p", "delta=0.001", "--out", folder / "out", "--force", "--no-report")
        s = done.result["seconds"]
        phases = "read {read:.1f}, delete {delete:.1f}, write {write:.1f}, verify {verify:.1f}".format(**s)
        rows.append([name, done.seconds, phases, round(done.megabytes)])
    table("Whole command, essa, delta=0.1 %, 200 sensitive events", ["shape", "s", "phases s", "peak MB"], rows)
    return rows


def growth(folder: Path) -> list[list[object]]:
    """Seconds of the processor at n, 2n, 4n, 8n with the exponent."""
    rows: list[list[object]] = []
    for method in (sf.methods.Odesa, sf.methods.Essa, sf.methods.EssaJoint):
        times = []
        for points in (10_000, 20_000, 40_000, 80_000):
            path = generated(folder, points, "segments", "skew=0.6", kind="timeline")
            names = ["event001"] if method is sf.methods.Odesa else [f"event{i:03}" for i in range(1, 41)]
            data = sf.read(path, kind="timeline", sensitive=names)
            times.append(taken(data, method(delta="0.002"))[1])
        rows.append([method.name, *times, float(np.polyfit(np.log([1, 2, 4, 8]), np.log(times), 1)[0])])
    table("Growth from 10,000 time points", ["method", "n s", "2n s", "4n s", "8n s", "exponent"], rows)
    return rows


if __name__ == "__main__":
    run_parts("timeline", __doc__, one_event, several_events, whole_commands, growth)
