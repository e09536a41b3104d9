"""Plain answers: all originals that could have been published so, one by one, and a question put to each.

An original record is a list of (value, time). An entry of a release stands for between ``least`` and ``most`` events,
each one of its members, each at some moment of its interval.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple


class Entry(NamedTuple):
    members: tuple[str, ...]
    lo: int
    hi: int
    least: int
    most: int


class Step(NamedTuple):
    wanted: frozenset[str]
    first: float = -float("inf")
    last: float = float("inf")
    within: float = float("inf")


def list_originals(entries):
    """All records that the entries may stand for; more than two events of an entry tell nothing more."""
    ways = []
    for entry in entries:
        events = [(member, time) for member in entry.members for time in range(entry.lo, entry.hi + 1)]
        counts = range(entry.least, min(entry.most, max(2, entry.least)) + 1)
        ways.append([list(way) for count in counts for way in itertools.combinations_with_replacement(events, count)])
    return [[event for way in ways_of_all for event in way] for ways_of_all in itertools.product(*ways)]


def follows(record, steps):
    """Whether the record has events as asked for, each later than the one before and soon enough after it."""

    def go_on(before, rest):
        if not rest:
            return True
        step = rest[0]
        return any(
            value in step.wanted
            and step.first <= time <= step.last
            and (before is None or 0 < time - before <= step.within)
            and go_on(time, rest[1:])
            for value, time in record
        )

    return go_on(None, steps)


def bound(entries, holds):
    """Whether something holds of all originals of a record, and whether it holds of some."""
    found = [holds(record) for record in list_originals(entries)]
    return all(found), any(found)


def count_events(record, step):
    return sum(value in step.wanted and step.first <= time <= step.last for value, time in record)


def find_first(record, step, *, last=False):
    """When a record first had an event, or last; None where it never had."""
    times = [time for value, time in record if value in step.wanted and step.first <= time <= step.last]
    return (max(times) if last else min(times)) if times else None
