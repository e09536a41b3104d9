"""Small random timelines for the tests, and what a method deletes from them."""

import math
from fractions import Fraction

from hypothesis import strategies as st

import sfumato as sf
from sfumato.kinds.timeline.methods._base.covers import find_equal_events
from sfumato.release.run import Run

FRACTIONS = st.integers(1, 9).flatmap(lambda q: st.integers(1, q).map(lambda p: Fraction(p, q)))


@st.composite
def small_timelines(draw, events="abcd", most=4, points=6, sensitive=1):
    """Draw an alphabet, counts per time point, sensitive events and a threshold."""
    alphabet = events[: draw(st.integers(1, len(events)))]
    counts = st.fixed_dictionaries({event: st.integers(0, most) for event in alphabet})
    rows = draw(st.lists(counts, min_size=1, max_size=points))
    chosen = alphabet[: draw(st.integers(1, min(sensitive, len(alphabet))))]
    return alphabet, rows, chosen, draw(FRACTIONS)


def occurring(rows):
    """Return rows without counts of zero."""
    return [{event: count for event, count in row.items() if count} for row in rows]


def delete(method, rows, sensitive, alphabet, delta, **options):
    """Return deletions with their exact error, and the counters of the run."""
    data = sf.Dataset.of("timeline", rows, sensitive=tuple(sensitive), events=tuple(alphabet))
    chosen = method(delta=delta, **options)
    task, run = chosen.task(data), Run(bytes([1] * 32))
    if chosen.cover == 1:
        return task.deletions(chosen.delete(task, run)), run.counters
    groups = find_equal_events(task.timeline, task.events, chosen.cover - 1)
    return task.deletions(chosen.delete_to_covers(task, groups, run)), run.counters


def left(rows, deletions):
    """Return what is left of some rows."""
    timeline = deletions.counts.timeline
    after = [dict(row) for row in rows]
    for point, code, gone in zip(timeline.points, timeline.codes, deletions.removed, strict=True):
        after[point][timeline.labels[code]] -= int(gone)
    return occurring(after)


def number_of_ways(rows, sensitive):
    """Count the ways to delete occurrences of sensitive events."""
    return math.prod(row.get(event, 0) + 1 for row in rows for event in sensitive)
