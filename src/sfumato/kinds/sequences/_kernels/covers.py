"""CP: the least loss at which one set of intervals covers the monitored events of a group.

Every interval must hold an event of every member, and every event must lie in an interval. A group is its profile, and
a dynamic programme over its times finds the intervals: see :mod:`sfumato.kinds.sequences._kernels.profiles`.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.category_covers import Runs, fill_by_category, new_runs
from sfumato.kinds.sequences._kernels.prices import LARGEST_LOSS, Prices, join_nodes
from sfumato.kinds.sequences._kernels.profiles import (
    BEFORE,
    BEST,
    CHOICE,
    EVENTS,
    NEVER,
    NODE,
    QUEUE,
    REACH,
    SINCE,
    TIME,
    new_table,
)

__all__ = ["Intervals", "Monitored", "find_intervals", "find_loss", "locate_events"]

NO_CODES: NDArray[np.int32] = np.empty(0, np.int32)


class Monitored(NamedTuple):
    """The monitored events of every person.

    Attributes
    ----------
    offsets, times
        The times of person p are ``times[offsets[p] : offsets[p + 1]]``, in any order, repeats allowed.
    leaf
        The node of the hierarchy every event is, for losses that count categories; else empty.

    Examples
    --------
    >>> two = Monitored(np.array([0, 2, 3]), np.array([1, 10, 3]))
    >>> two.times[two.offsets[0] : two.offsets[1]].tolist(), two.leaf.size
    ([1, 10], 0)
    """

    offsets: NDArray[np.int64]
    times: NDArray[np.int64]
    leaf: NDArray[np.int32] = NO_CODES


@njit(cache=True, nogil=True)
def find_loss(profile: NDArray[np.int64], prices: Prices, table: NDArray[np.int64], runs: Runs) -> int:
    """Find the least loss of a group; the table then has the choices that lead to it, the later left end of equals."""
    table[0, BEFORE] = table[0, BEST] = 0
    for i in range(profile.shape[0]):
        table[i + 1, BEFORE] = table[i, BEFORE] + profile[i, EVENTS]
    if prices.leaf > 0:
        fill_by_category(profile, prices, table, runs)
    else:  # A unit of length then costs 1.
        _fill_by_time(profile, table)
    return int(table[profile.shape[0], BEST])


@njit(cache=True, nogil=True)
def _lose(i: int, j: int, profile: NDArray[np.int64], table: NDArray[np.int64]) -> int:
    """Loss by time when the last interval is from time i to time j."""
    covered = table[j + 1, BEFORE] - table[i, BEFORE]
    return int(table[i, BEST] + covered * (profile[j, TIME] - profile[i, TIME]))


@njit(cache=True, nogil=True)
def _fill_by_time(profile: NDArray[np.int64], table: NDArray[np.int64]) -> None:
    """Fill the table when only lengths cost.

    Of two left ends the later one is the better from some right end on (length times events satisfies the
    quadrangle inequality), so a queue of the left ends that will ever be the best replaces the search among all.
    Equals go to the later left end: intervals are the shortest possible, from the right.
    """
    n = profile.shape[0]
    head, tail, entering = 0, 0, 0
    for j in range(n):
        while entering <= j and profile[entering, TIME] <= profile[j, REACH]:
            i = entering
            entering += 1
            if table[i, BEST] == LARGEST_LOSS:
                continue
            while tail > head:
                at = max(table[tail - 1, SINCE], j)
                if _lose(i, at, profile, table) > _lose(table[tail - 1, QUEUE], at, profile, table):
                    break
                tail -= 1
            first = j if tail == head else _find_takeover(i, j, tail, profile, table)
            if first < n:
                table[tail, QUEUE], table[tail, SINCE] = i, first
                tail += 1
        while tail - head > 1 and table[head + 1, SINCE] <= j:
            head += 1
        table[j + 1, BEST], table[j + 1, CHOICE] = LARGEST_LOSS, -1
        if tail > head:
            table[j + 1, BEST] = _lose(table[head, QUEUE], j, profile, table)
            table[j + 1, CHOICE] = table[head, QUEUE]


@njit(cache=True, nogil=True)
def _find_takeover(i: int, j: int, tail: int, profile: NDArray[np.int64], table: NDArray[np.int64]) -> int:
    """Find the first right end from which on left end i is as good as the last of the queue, or the number of times."""
    rival = table[tail - 1, QUEUE]
    low, high = max(table[tail - 1, SINCE], j) + 1, profile.shape[0]
    while low < high:
        middle = (low + high) // 2
        if _lose(i, middle, profile, table) <= _lose(rival, middle, profile, table):
            high = middle
        else:
            low = middle + 1
    return int(low)


class Intervals(NamedTuple):
    """The intervals of every group, from left to right, and what they cost.

    Attributes
    ----------
    offsets
        The intervals of group g are at ``offsets[g]`` up to ``offsets[g + 1]`` of the columns below.
    start, end
        First and last time of each interval.
    node
        The category of each interval; all zero when categories do not count.
    loss
        By group: the least loss, in the unit of the prices; the loss per event is ``loss / events / prices.whole``.
    events, people
        By group: monitored events, and people who have any.

    Examples
    --------
    >>> from sfumato.kinds.sequences._kernels.prices import set_prices
    >>> three = Monitored(np.array([0, 1, 2, 3]), np.array([1, 4, 9]))
    >>> prices = set_prices(1, 0, span=8, events=3)
    >>> found = find_intervals(three, np.array([0, 0, 1]), prices)
    >>> (found.end - found.start).tolist(), (found.loss / found.events / prices.whole).tolist()
    ([3, 0], [0.375, 0.0])
    """

    offsets: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    node: NDArray[np.int32]
    loss: NDArray[np.int64]
    events: NDArray[np.int64]
    people: NDArray[np.int64]


def find_intervals(monitored: Monitored, group: NDArray[np.int64], prices: Prices) -> Intervals:
    """Find for every group the intervals of least loss that cover it.

    Parameters
    ----------
    monitored
        The monitored events of every person.
    group
        By person: the number of the group, counted from 0; people with a negative one are left out.
    prices
        What intervals cost.

    Examples
    --------
    >>> from sfumato.kinds.sequences._kernels.prices import set_prices
    >>> two = Monitored(np.array([0, 2, 4]), np.array([1, 10, 3, 11]))
    >>> found = find_intervals(two, np.array([0, 0]), set_prices(1, 0, span=10, events=4))
    >>> found.start.tolist(), found.end.tolist(), found.loss.tolist()
    ([1, 10], [3, 11], [6])

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Section 3.1.
    """
    groups = int(group.max(initial=-1)) + 1
    owner = np.repeat(np.arange(group.size), np.diff(monitored.offsets))
    order = np.lexsort((monitored.times, group[owner]))
    order = order[np.searchsorted(group[owner][order], 0) :]
    ends = np.searchsorted(group[owner[order]], np.arange(groups + 1))
    people = np.bincount(group[(group >= 0) & (np.diff(monitored.offsets) > 0)], minlength=groups)
    intervals = Intervals(
        offsets=np.zeros(groups + 1, np.int64),
        start=np.empty(order.size, np.int64),
        end=np.empty(order.size, np.int64),
        node=np.zeros(order.size, np.int32),
        loss=np.zeros(groups, np.int64),
        events=np.diff(ends),
        people=people,
    )
    events = Events(
        time=monitored.times[order],
        owner=owner[order],
        leaf=monitored.leaf[order] if prices.leaf else np.zeros(order.size, np.int32),
        chain=np.zeros((group.size + 1, 3), np.int64),
    )
    largest = int(intervals.events.max(initial=0))
    profile, table, runs = np.empty((largest, NODE + 1), np.int64), new_table(largest), new_runs(largest, prices)
    _cover_groups(ends, events, prices, intervals, profile, table, runs)
    used = intervals.offsets[-1]
    return intervals._replace(start=intervals.start[:used], end=intervals.end[:used], node=intervals.node[:used])


class Events(NamedTuple):
    """Events of many groups, sorted by group and time.

    Attributes
    ----------
    time, owner, leaf
        When, by whom, and what.
    chain
        Room to keep people in the order of their latest event, by person and one row more: the one before, the one
        after, and the time of that event.
    """

    time: NDArray[np.int64]
    owner: NDArray[np.int64]
    leaf: NDArray[np.int32]
    chain: NDArray[np.int64]


@njit(cache=True, nogil=True)
def _cover_groups(
    ends: NDArray[np.int64],
    events: Events,
    prices: Prices,
    output: Intervals,
    profile: NDArray[np.int64],
    table: NDArray[np.int64],
    runs: Runs,
) -> None:
    """Cover group after group, whose events end at `ends`."""
    for group in range(output.loss.size):
        n = _profile_group(events, ends[group], ends[group + 1], output.people[group], prices, profile)
        output.loss[group] = find_loss(profile[:n], prices, table, runs)
        output.offsets[group + 1] = _write_intervals(profile[:n], prices, table, output, output.offsets[group])


@njit(cache=True, nogil=True)
def _profile_group(events: Events, begin: int, end: int, people: int, prices: Prices, into: NDArray[np.int64]) -> int:
    """Write the profile of the people behind a run of events, and return its length.

    Who has gone longest without an event is the one an interval has to reach back to: people are kept in a ring
    in the order of their latest event.
    """
    before, after, last = events.chain[:, 0], events.chain[:, 1], events.chain[:, 2]
    ring = last.size - 1
    before[ring] = after[ring] = ring
    for at in range(begin, end):
        last[events.owner[at]] = NEVER
    n, seen = 0, 0
    for at in range(begin, end):
        person, time = events.owner[at], events.time[at]
        if last[person] == NEVER:
            seen += 1
        else:
            after[before[person]] = after[person]
            before[after[person]] = before[person]
        last[person] = time
        newest = before[ring]
        before[person], after[person] = newest, ring
        after[newest] = before[ring] = person
        if at == begin or events.time[at - 1] != time:
            into[n, TIME], into[n, EVENTS], into[n, NODE] = time, 0, events.leaf[at]
            n += 1
        into[n - 1, EVENTS] += 1
        into[n - 1, REACH] = last[after[ring]] if seen == people else NEVER
        if prices.leaf > 0:
            into[n - 1, NODE] = join_nodes(into[n - 1, NODE], events.leaf[at], prices)
    return n


@njit(cache=True, nogil=True)
def _write_intervals(
    profile: NDArray[np.int64], prices: Prices, table: NDArray[np.int64], output: Intervals, begin: int
) -> int:
    """Write the intervals chosen in the table from `begin` on, and return where they end."""
    intervals, end = 0, profile.shape[0]
    while end > 0:
        intervals += 1
        end = table[end, CHOICE]
    at, end = begin + intervals, profile.shape[0]
    while end > 0:
        at -= 1
        start = table[end, CHOICE]
        output.start[at], output.end[at] = profile[start, TIME], profile[end - 1, TIME]
        if prices.leaf > 0:
            node = profile[start, NODE]
            for i in range(start + 1, end):
                node = join_nodes(node, profile[i, NODE], prices)
            output.node[at] = node
        end = start
    return begin + intervals


def locate_events(monitored: Monitored, group: NDArray[np.int64], intervals: Intervals) -> NDArray[np.int64]:
    """Say for every event which interval of its group holds its time, -1 where none does.

    Examples
    --------
    >>> from sfumato.kinds.sequences._kernels.prices import set_prices
    >>> two = Monitored(np.array([0, 2, 4]), np.array([1, 10, 3, 11]))
    >>> together = np.array([0, 0])
    >>> found = find_intervals(two, together, set_prices(1, 0, span=10, events=4))
    >>> locate_events(two, together, found).tolist()
    [0, 1, 0, 1]
    """
    located: NDArray[np.int64] = _locate(monitored.offsets, monitored.times, group, intervals)
    return located


@njit(cache=True, nogil=True)
def _locate(
    offsets: NDArray[np.int64], times: NDArray[np.int64], group: NDArray[np.int64], intervals: Intervals
) -> NDArray[np.int64]:
    located = np.full(times.size, -1, np.int64)
    for person in range(group.size):
        if group[person] < 0:
            continue
        begin, end = intervals.offsets[group[person]], intervals.offsets[group[person] + 1]
        for at in range(offsets[person], offsets[person + 1]):
            interval = begin + np.searchsorted(intervals.end[begin:end], times[at])
            if interval < end and intervals.start[interval] <= times[at]:
                located[at] = interval
    return located
