"""Earlier ways of grouping timed events, for comparison: aligned groups (TA) and symmetric groups (SA).

Aligned groups: every interval holds exactly one event of every member, and what does not fit is suppressed. Symmetric
groups: neighbours along a space-filling curve, where all who hide one another end in the same group; nothing is
suppressed.

References
----------
R. Sherkat, J. Li, N. Mamoulis, "Efficient timestamped event sequence anonymization", Sections 2 and 6.4.1, on
M. E. Nergiz, M. Atzori, Y. Saygin, B. Güç, "Towards trajectory anonymization: a generalization-based approach", and
R. Yarovoy, F. Bonchi, L. V. S. Lakshmanan, W. H. Wang, "Anonymizing moving objects: how to hide a MOB in a crowd?".
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.alignment import Buffers, Progress, Slots, find_host, grow_group, join_group
from sfumato.kinds.sequences._kernels.covers import Intervals, Monitored, find_intervals, locate_events
from sfumato.kinds.sequences._kernels.prices import Prices

__all__ = ["Publication", "align_groups", "mirror_groups"]


class Publication(NamedTuple):
    """Groups, and what is published of each event.

    Attributes
    ----------
    feasible
        Whether there are groups: false when fewer than k people have a monitored event.
    group
        By person: the number of the group, -1 for people without monitored events.
    intervals
        The intervals of every group. The loss counts a suppressed event like one whose interval is as long as the
        data and whose category is the root.
    interval
        By monitored event: the interval that holds it, -1 when it is suppressed.
    evaluations, skipped
        How many pairs of a group and a person were aligned, and for how many a bound made that unnecessary.

    Examples
    --------
    >>> from sfumato.kinds.sequences._kernels.prices import set_prices
    >>> two = Monitored(np.array([0, 2, 3]), np.array([1, 10, 3]))
    >>> prices = set_prices(1, 0, span=9, events=3)
    >>> found = align_groups(two, prices, 2, np.array([0, 1]), lambda *_: None)
    >>> found.interval.tolist(), found.intervals.start.tolist(), found.intervals.end.tolist()
    ([0, -1, 0], [1], [3])
    """

    feasible: bool
    group: NDArray[np.int64]
    intervals: Intervals
    interval: NDArray[np.int64]
    evaluations: int
    skipped: int


def align_groups(
    monitored: Monitored,
    prices: Prices,
    k: int,
    permutation: NDArray[np.int64],
    report: Callable[[int, int], None],
) -> Publication:
    """Group people so that each interval holds exactly one event of every member (TA).

    A group begins with the first person left in the order given and takes in, k - 1 times, the one with whom its loss
    per event is the least; a suppressed event loses everything. The last people, fewer than k, join the groups they fit
    best.

    Parameters
    ----------
    monitored
        The monitored events of every person.
    prices
        What intervals cost.
    k
        The least number of people in a group.
    permutation
        All people, in a random order.
    report
        Called after every group with the number of people grouped and to be grouped.

    Examples
    --------
    >>> from sfumato.kinds.sequences._kernels.prices import set_prices
    >>> three = Monitored(np.array([0, 2, 4, 5]), np.array([1, 10, 3, 11, 10]))
    >>> found = align_groups(three, set_prices(1, 0, span=10, events=5), 2, np.array([0, 2, 1]), lambda *_: None)
    >>> found.group.tolist(), found.interval.tolist()
    ([0, 0, 0], [-1, 0, -1, 0, 0])
    """
    points, order = _sort_points(monitored, prices)
    lengths = np.diff(points.offsets)
    free = permutation[lengths[permutation] > 0]
    group = np.full(lengths.size, -1, np.int64)
    if free.size < max(k, 1):
        return _give_up(monitored)
    count = free.size // k
    total = points.times.size
    start, end = np.zeros((2, total), np.int64)
    slots = Slots(start, end, np.zeros(total, np.int32), np.zeros((count, 3), np.int64))
    progress = Progress(np.full(total, -1, np.int64), np.zeros(lengths.size, np.int64), np.zeros(3, np.int64))
    buffer = np.zeros((3, int(lengths.max()) + 1), np.int64)
    buffers = Buffers(
        buffer[0], buffer[1], buffer[2], np.empty((0, 0), np.uint8), np.zeros(prices.leaves.size, np.int64)
    )
    begin = np.zeros(count + 1, np.int64)
    people = free.size
    for number in range(count):
        begin[number + 1] = begin[number] + lengths[free[0]]
        view = _view_group(slots, begin, number)
        group[grow_group(view, free, k, points, prices, buffers, progress)] = number
        free = free[free >= 0]
        report(people - free.size, people)
    for left, person in enumerate(free, 1):
        host = find_host(slots, begin[:-1], person, points, prices, buffers, progress)
        members = np.flatnonzero(group == host)
        join_group(_view_group(slots, begin, host), members, person, points, prices, buffers, progress)
        group[person] = host
        report(people - free.size + left, people)
    return _publish_slots(slots, begin, points, order, group, prices, progress)


def _sort_points(monitored: Monitored, prices: Prices) -> tuple[Monitored, NDArray[np.int64]]:
    """Sort everyone's events by time, then leaf; also return where each stood."""
    owner = np.repeat(np.arange(monitored.offsets.size - 1), np.diff(monitored.offsets))
    leaf = monitored.leaf if prices.leaf else monitored.leaf[:0]
    order = np.lexsort((leaf, monitored.times, owner) if prices.leaf else (monitored.times, owner))
    return Monitored(monitored.offsets, monitored.times[order], leaf[order] if prices.leaf else leaf), order


def _view_group(slots: Slots, begin: NDArray[np.int64], group: int) -> Slots:
    """Look at the slots of one group only."""
    place = slice(begin[group], begin[group + 1])
    return Slots(slots.start[place], slots.end[place], slots.node[place], slots.counts[group])


def _give_up(monitored: Monitored) -> Publication:
    """Publish nothing."""
    nobody = np.full(monitored.offsets.size - 1, -1, np.int64)
    nothing = np.zeros(0, np.int64)
    none = Intervals(np.zeros(1, np.int64), nothing, nothing, np.zeros(0, np.int32), nothing, nothing, nothing)
    return Publication(False, nobody, none, np.full(monitored.times.size, -1, np.int64), 0, 0)


def _publish_slots(
    slots: Slots,
    begin: NDArray[np.int64],
    points: Monitored,
    order: NDArray[np.int64],
    group: NDArray[np.int64],
    prices: Prices,
    progress: Progress,
) -> Publication:
    """Close the gaps between the slots of the groups, and say which holds each event."""
    used, people, events = (np.ascontiguousarray(column) for column in slots.counts.T)
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(used)))
    positions = np.repeat(begin[:-1] - offsets[:-1], used) + np.arange(offsets[-1])
    start, end, node = slots.start[positions], slots.end[positions], slots.node[positions]
    # Each slot holds one event of every member; all other events lose everything.
    price = prices.time * (end - start) + (prices.leaf * prices.leaves[node] if prices.leaf else 0)
    loss = events * prices.whole
    np.subtract.at(loss, np.repeat(np.arange(used.size), used), np.repeat(people, used) * (prices.whole - price))
    owner = np.repeat(group, np.diff(points.offsets))
    interval = np.empty(owner.size, np.int64)
    interval[order] = np.where(progress.interval >= 0, offsets[owner] + progress.interval, -1)
    made, skipped, _ = progress.counts.tolist()
    return Publication(True, group, Intervals(offsets, start, end, node, loss, events, people), interval, made, skipped)


def mirror_groups(
    monitored: Monitored, prices: Prices, k: int, key: NDArray[np.int64], permutation: NDArray[np.int64]
) -> Publication:
    """Group people so that whoever hides someone is hidden by them too (SA).

    One after the other in the order given, each person who is in no group yet hides among the k - 1 people nearest to
    them along a curve; groups that share a person become one. Each group is published with the intervals of least loss.

    Parameters
    ----------
    monitored
        The monitored events of every person.
    prices
        What intervals cost.
    k
        The least number of people in a group.
    key
        By person: the place on the curve, such as the rank along the Hilbert curve.
    permutation
        All people, in a random order.

    Examples
    --------
    >>> from sfumato.kinds.sequences._kernels.prices import set_prices
    >>> five = Monitored(np.arange(6), np.array([1, 2, 5, 6, 9]))
    >>> prices = set_prices(1, 0, span=8, events=5)
    >>> found = mirror_groups(five, prices, 2, np.array([1, 2, 5, 6, 9]), np.array([0, 2, 4, 1, 3]))
    >>> found.group.tolist(), found.intervals.end.tolist()
    ([0, 0, 1, 1, 1], [2, 9])
    """
    lengths = np.diff(monitored.offsets)
    order = np.lexsort((np.arange(key.size), key))
    order = order[lengths[order] > 0]
    if order.size < max(k, 1):
        return _give_up(monitored)
    place = np.full(key.size, -1, np.int64)
    place[order] = np.arange(order.size)
    turns = place[permutation]
    group = np.full(key.size, -1, np.int64)
    group[order] = _hide_among_nearest(key[order], turns[turns >= 0], k)
    intervals = find_intervals(monitored, group, prices)
    return Publication(True, group, intervals, locate_events(monitored, group, intervals), 0, 0)


@njit(cache=True, nogil=True)
def _hide_among_nearest(key: NDArray[np.int64], turns: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Number the groups along a curve; keys rise. Of two equally near neighbours the one before is taken."""
    hidden = np.zeros(key.size, np.bool_)
    tied = np.zeros(key.size, np.bool_)  # whether a place is in the group of the place before
    for place in turns:
        if hidden[place]:
            continue
        low, high = place, place
        while high - low < k - 1:
            if high == key.size - 1 or (low > 0 and key[place] - key[low - 1] <= key[high + 1] - key[place]):
                low -= 1
            else:
                high += 1
        hidden[low : high + 1] = True
        tied[low + 1 : high + 1] = True
    return np.cumsum(~tied) - 1
