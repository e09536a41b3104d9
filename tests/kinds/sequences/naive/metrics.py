"""Utility measures of timed event sequences, plain and slow; and small originals with releases to measure."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter, defaultdict
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

from sfumato.data.dataset import Dataset
from sfumato.data.time_units import UNITS, TimeUnit
from sfumato.kinds.sequences.dataset import Sequences
from sfumato.kinds.sequences.encode import Cover, Grouped, publish_groups
from sfumato.kinds.sequences.guarantees import GroupAnonymity
from sfumato.metrics.comparison import Comparison
from sfumato.release.run import Run

MONITORED = ("a", "b", "c")
CATEGORIES = {"{a|b}": ("a", "b"), "any": ("a", "b", "c", "x", "never")}
BY_HAND = SimpleNamespace(name="by-hand", parameters=dict, note=lambda guarantee: "")


def publish(data, groups, covers, *, guarantee=None, members=None, seed=1) -> Comparison:
    """Publish groups of rows, each with a cover: a list of (category, first, last). Other rows are withheld."""
    rows = [row for group in groups for row in group]
    number = [i for i, group in enumerate(groups) for _ in group]
    used = {category for cover in covers for category, _, _ in cover}
    grouped = Grouped(
        Sequences.of(data).take(np.array(rows, dtype=np.int64)),
        np.array(number, dtype=np.int64),
        [Cover(*(zip(*cover, strict=True) if cover else ((), (), ()))) for cover in covers],
        members={name: group for name, group in (members or CATEGORIES).items() if name in used},
        suppressed_records={"by hand": len(data) - len(rows)},
    )
    guarantee = guarantee or GroupAnonymity(k=2, monitored=data.schema.monitored)
    result = publish_groups(data, BY_HAND, guarantee, grouped, Run(bytes([seed] * 32)))
    return Comparison(data, result.release, result.owner_record.rows)


def publish_exactly(data) -> Comparison:
    """Publish everybody alone, every monitored event as itself at its time."""
    covers = [sorted({(t, e) for e, t in row if e in data.schema.monitored}) for row in read_original(data)]
    return publish(data, [[row] for row in range(len(data))], [[(e, t, t) for t, e in cover] for cover in covers])


@st.composite
def comparisons(draw):
    """Draw an original with a release: some rows withheld, intervals anywhere, also overlapping or beside the point."""
    unit = draw(st.sampled_from([None, None, "second", "minute", "hour", "day"]))
    stretch = draw(st.sampled_from([1, 7, 3600, 100_000]))
    time = st.integers(-5, 25).map(lambda t: t * stretch)
    entry = st.tuples(st.sampled_from("abcxyz"), time)
    people = draw(st.lists(st.lists(entry, max_size=7), min_size=1, max_size=7))
    data = Dataset.of("sequences", people, monitored=MONITORED, time_unit=TimeUnit(unit))
    order = draw(st.permutations(range(len(people))))
    kept = order[: draw(st.integers(0, len(order)))]
    number = [draw(st.integers(0, 2)) for _ in kept]
    groups = [[row for row, n in zip(kept, number, strict=True) if n == i] for i in range(3)]
    known = set(data.history().labels) & set(MONITORED)
    category = st.sampled_from(sorted({*CATEGORIES, *known}))
    interval = st.tuples(category, time, time).map(lambda i: (i[0], min(i[1:]), max(i[1:])))
    covers = [draw(st.lists(interval, max_size=4)) if group else [] for group in groups]
    return publish(data, groups, covers)


def read_original(data) -> list[list[tuple[str, int]]]:
    """Return (event, time) of everybody."""
    table = data.table.to_pydict()
    return [list(zip(*pair, strict=True)) for pair in zip(table["events"], table["times"], strict=True)]


@dataclasses.dataclass
class Record:
    """A published record: intervals as (events it may be, first, last), and (event, time)."""

    intervals: list[tuple[str, tuple[str, ...], int, int]]
    others: list[tuple[str, int]]


def read_release(comparison) -> list[Record]:
    """Return the published records."""
    members = comparison.release.members()
    unit = comparison.original.time_unit.unit

    def number(time):
        return time if unit is None else round(time.timestamp()) // UNITS[unit]

    records = []
    for row in comparison.release.table.to_pylist():
        intervals = [
            (category, members.get(category, (category,)), number(cell["lo"]), number(cell["hi"]))
            for category, cell in zip(row["monitored"], row["monitored_times"], strict=True)
        ]
        others = [(event, number(time)) for event, time in zip(row["events"], row["times"], strict=True)]
        records.append(Record(intervals, others))
    return records


def extent(comparison) -> tuple[int, int]:
    """Return the earliest and the latest time of the original."""
    times = [time for row in read_original(comparison.original) for _, time in row]
    return (min(times), max(times)) if times else (0, 0)


def interval_loss(comparison, wt=1.0, we=0.0) -> float:
    """Return NCP, events that nothing covers at a loss of 1."""
    first, last = extent(comparison)
    original, records = read_original(comparison.original), read_release(comparison)
    events = {e for row in original for e, _ in row}
    events |= {member for record in records for _, group, _, _ in record.intervals for member in group}
    groups = defaultdict(list)
    for row, record in zip(comparison.rows, records, strict=True):
        mine = [(e, t) for e, t in original[row] if e in MONITORED]
        if mine:
            losses = []
            for e, t in mine:
                covering = [(lo, hi, group) for _, group, lo, hi in record.intervals if lo <= t <= hi and e in group]
                own = [
                    (wt * (hi - lo) / max(last - first, 1) + we * len(group) / len(events)) / (wt + we)
                    for lo, hi, group in covering
                ]
                losses.append(min(own, default=1.0))
            groups[tuple(sorted(record.intervals, key=lambda i: (i[2], i[3], i[0])))].append(losses)
    people = sum(len(group) for group in groups.values())
    total = 0.0
    for group in groups.values():
        every = [loss for losses in group for loss in losses]
        total += len(group) * sum(every) / len(every)
    return total / people if people else 0.0


def count_queries(comparison, events, intervals) -> tuple[float, float]:
    """Return f_p and f_n."""
    first, last = extent(comparison)
    count = min(intervals, last - first + 1)
    edges = [first + i * (last - first + 1) // count for i in range(count)] + [last + 1]
    original, records = read_original(comparison.original), read_release(comparison)
    high = low = positive = queries = 0
    for event in events:
        for start, end in itertools.pairwise(edges):
            truth = sum(any(e == event and start <= t < end for e, t in row) for row in original)
            answer = 0
            for record in records:
                exact = any(e == event and start <= t < end for e, t in record.others)
                touched = any(
                    event in group and event in MONITORED and lo < end and hi >= start
                    for _, group, lo, hi in record.intervals
                )
                answer += exact or touched
            queries += 1
            high += answer > truth
            low += answer < truth
            positive += truth > 0
    return high / max(queries, 1), low / max(positive, 1)


def diverge(before: dict[str, int], after: dict[str, Fraction]) -> float:
    """Return the Kullback-Leibler divergence."""
    before = {e: n for e, n in before.items() if n}
    after = {e: n for e, n in after.items() if n}
    if not before:
        return 0.0
    least = min([Fraction(1, 2), *after.values()])
    after = {**{e: least for e in before if e not in after}, **after}
    p = {e: n / sum(before.values()) for e, n in before.items()}
    q = {e: float(n / sum(after.values())) for e, n in after.items()}
    return sum(p[e] * math.log(p[e] / q[e]) for e in p)


def event_context(comparison, window) -> float:
    """Return the divergence of the distributions of events around monitored ones."""
    before: Counter[str] = Counter()
    for row in read_original(comparison.original):
        monitored = [t for e, t in row if e in MONITORED]
        for e, t in row:
            if e not in MONITORED and any(abs(t - m) <= window for m in monitored):
                before[e] += 1
    after: dict[str, Fraction] = defaultdict(Fraction)
    for record in read_release(comparison):
        for e, t in record.others:
            apart = Fraction(1)
            for _, _, lo, hi in record.intervals:
                near = max(0, min(hi, t + window) - max(lo, t - window) + 1)
                apart *= 1 - Fraction(near, hi - lo + 1)
            after[e] += 1 - apart
    return diverge(before, after)


def event_counts(comparison, length, sanity=0.001) -> tuple[float, float]:
    """Return the mean relative error where events happen, and the total error."""
    original = read_original(comparison.original)
    truth = Counter((e, t // length) for row in original for e, t in row if e in MONITORED)
    happened = {e for e, _ in truth}
    estimate: dict[tuple[str, int], Fraction] = defaultdict(Fraction)
    for record in read_release(comparison):
        for _, group, lo, hi in record.intervals:
            readings = [e for e in group if e in MONITORED]
            for e in set(readings) & happened:
                for period in range(lo // length, hi // length + 1):
                    inside = min(hi, (period + 1) * length - 1) - max(lo, period * length) + 1
                    estimate[e, period] += Fraction(inside, (hi - lo + 1) * len(readings))
    bound = max(1.0, sanity * len(original))
    errors = [abs(float(estimate[cell]) - n) / max(n, bound) for cell, n in truth.items()]
    wrong = sum(abs(estimate[cell] - truth[cell]) for cell in {*truth, *estimate})
    return sum(errors) / max(len(errors), 1), float(wrong) / max(sum(truth.values()), 1)
