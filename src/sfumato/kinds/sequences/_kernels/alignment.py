"""Alignment of a person's events with the intervals of a group: each interval takes exactly one event of everyone.

What cannot be matched is suppressed. A match may widen an interval in time and raise its category; intervals stay
disjoint.

References
----------
R. Sherkat, J. Li, N. Mamoulis, "Efficient timestamped event sequence anonymization", Section 2, on
M. E. Nergiz, M. Atzori, Y. Saygin, B. Güç, "Towards trajectory anonymization: a generalization-based approach".
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.covers import Monitored
from sfumato.kinds.sequences._kernels.prices import Prices, is_less, join_nodes

__all__ = ["Buffers", "Progress", "Slots", "find_host", "grow_group", "join_group"]

# How the best gain of a cell comes about: without the slot, without the point, or by their match.
_UP, _LEFT, _MATCH = range(3)


class Slots(NamedTuple):
    """The intervals of a group under way, disjoint and rising.

    Attributes
    ----------
    start, end, node
        First and last time and category of each interval; there may be room for more.
    counts
        How many intervals there are, how many people and how many events the group has.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    node: NDArray[np.int32]
    counts: NDArray[np.int64]


class Buffers(NamedTuple):
    """Room for one alignment.

    Attributes
    ----------
    above, row
        The best gain with the slots before the present one, and up to it, by the number of points.
    saved
        By point: the best gain with the slots and points that end before it.
    choices
        By slot and point: how the gain came about; empty when only the gain is wanted.
    marked
        By node: the number of the last round in which a slot lay below it.
    """

    above: NDArray[np.int64]
    row: NDArray[np.int64]
    saved: NDArray[np.int64]
    choices: NDArray[np.uint8]
    marked: NDArray[np.int64]


class Progress(NamedTuple):
    """What has been settled, and what is known of the rest.

    Attributes
    ----------
    interval
        By event: the number of its interval within the group, or -1.
    bound
        By person: a gain that no alignment with the group under way exceeds.
    counts
        Alignments made and skipped, and rounds.
    """

    interval: NDArray[np.int64]
    bound: NDArray[np.int64]
    counts: NDArray[np.int64]


@njit(cache=True, nogil=True)
def align_person(slots: Slots, points: Monitored, person: int, prices: Prices, buffers: Buffers) -> int:
    """Match points of a person with slots, both in order, so that the events of a slot gain the most.

    Slots stay disjoint. A slot that has to reach back to a point builds on the slots and points that end before that
    point; any other builds on the points before its start. Among equal gains a match comes first, then the alignment
    without the slot: so at least one slot is matched.
    """
    # This is the innermost loop: arrays are taken out of their tuples once.
    own = slice(points.offsets[person], points.offsets[person + 1])
    times, leaf = points.times[own], points.leaf[own]
    above, row, saved, choices = buffers.above, buffers.row, buffers.saved, buffers.choices
    whole, unit = prices.whole - prices.leaf, prices.time
    above[: times.size + 1] = 0
    passed, same, before = 0, 0, 0
    for slot in range(slots.counts[0]):
        start, end, node = slots.start[slot], slots.end[slot], slots.node[slot]
        while passed < times.size and times[passed] <= end:
            if passed > 0 and times[passed - 1] < times[passed]:
                same = passed
            saved[passed] = above[same]
            passed += 1
        while before < times.size and times[before] < start:
            before += 1
        row[0] = 0
        for at in range(times.size):
            most = max(above[at + 1], row[at])
            base = saved[at] if at < before else above[before]
            gain = base + max(0, whole - unit * (max(end, times[at]) - min(start, times[at])))
            if leaf.size > 0 and gain >= most:
                category = join_nodes(node, leaf[at], prices)
                gain = max(base, gain - prices.leaf * (prices.leaves[category] - 1))
            row[at + 1] = max(most, gain)
            if choices.size > 0:
                choices[slot, at] = _MATCH if gain >= most else (_UP if above[at + 1] == most else _LEFT)
        above, row = row, above
    return int(above[times.size])


@njit(cache=True, nogil=True)
def join_group(
    slots: Slots,
    members: NDArray[np.int64],
    person: int,
    points: Monitored,
    prices: Prices,
    buffers: Buffers,
    progress: Progress,
) -> None:
    """Take a person into a group: matched slots widen, the events of all other slots and points are suppressed."""
    begin = points.offsets[person]
    slot, at = slots.counts[0], points.offsets[person + 1] - begin
    choices = np.empty((slot, at), np.uint8)
    align_person(
        slots, points, person, prices, Buffers(buffers.above, buffers.row, buffers.saved, choices, buffers.marked)
    )
    renumbered = np.full(slot, -1, np.int64)
    while slot > 0 and at > 0:
        if choices[slot - 1, at - 1] == _UP:
            slot -= 1
        elif choices[slot - 1, at - 1] == _LEFT:
            at -= 1
        else:
            slot, at = slot - 1, at - 1
            renumbered[slot] = begin + at
            start = min(points.times[begin + at], slots.start[slot])
            while slot > 0 and slots.end[slot - 1] >= start:
                slot -= 1
            while at > 0 and points.times[begin + at - 1] >= start:
                at -= 1
    count = 0
    for slot in range(renumbered.size):
        point = renumbered[slot]
        if point >= 0:
            slots.start[count] = min(slots.start[slot], points.times[point])
            slots.end[count] = max(slots.end[slot], points.times[point])
            if prices.leaf > 0:
                slots.node[count] = join_nodes(slots.node[slot], points.leaf[point], prices)
            progress.interval[point] = renumbered[slot] = count
            count += 1
    for member in members:
        for point in range(points.offsets[member], points.offsets[member + 1]):
            if progress.interval[point] >= 0:
                progress.interval[point] = renumbered[progress.interval[point]]
    slots.counts[0] = count
    slots.counts[1] += 1
    slots.counts[2] += points.offsets[person + 1] - begin


@njit(cache=True, nogil=True)
def _open_group(slots: Slots, seed: int, points: Monitored, progress: Progress) -> None:
    """Begin a group with one person: a slot for each distinct time, with the first event at that time."""
    used = 0
    for point in range(points.offsets[seed], points.offsets[seed + 1]):
        if used == 0 or points.times[point] > slots.end[used - 1]:
            slots.start[used] = slots.end[used] = points.times[point]
            slots.node[used] = points.leaf[point] if points.leaf.size > 0 else 0
            progress.interval[point] = used
            used += 1
    slots.counts[0] = used
    slots.counts[1] = 1
    slots.counts[2] = points.offsets[seed + 1] - points.offsets[seed]


@njit(cache=True, nogil=True)
def _mark_slots(slots: Slots, prices: Prices, buffers: Buffers, mark: int) -> None:
    """Mark the categories of all slots and the nodes above."""
    if prices.leaf > 0:
        for slot in range(slots.counts[0]):
            node = slots.node[slot]
            while node >= 0 and buffers.marked[node] != mark:
                buffers.marked[node] = mark
                node = prices.parent[node]


@njit(cache=True, nogil=True)
def _bound_gain(slots: Slots, points: Monitored, person: int, prices: Prices, buffers: Buffers, mark: int) -> int:
    """Sum up what each point would gain with the nearest slot in time and the nearest category, for the best points."""
    begin, end = points.offsets[person], points.offsets[person + 1]
    slot = 0
    for point in range(begin, end):
        time = points.times[point]
        while slot < slots.counts[0] - 1 and slots.start[slot + 1] <= time:
            slot += 1
        away = max(0, slots.start[slot] - time, time - slots.end[slot])
        if slot < slots.counts[0] - 1:
            away = min(away, max(0, slots.start[slot + 1] - time))
        # A slot has its own length already; the shortest one is not worth looking for.
        gain = prices.whole - prices.time * away
        if prices.leaf > 0:
            node = points.leaf[point]
            while buffers.marked[node] != mark:
                node = prices.parent[node]
            gain -= prices.leaf * prices.leaves[node]
        buffers.row[point - begin] = max(0, gain)
    matches = min(slots.counts[0], end - begin)
    if matches < end - begin:
        buffers.row[: end - begin].sort()
    return int(buffers.row[end - begin - matches : end - begin].sum())


@njit(cache=True, nogil=True)
def _beats(gain: int, events: int, at: int, best_gain: int, best_events: int, best: int) -> bool:
    """Whether a gain per event is larger than the best so far, or as large and earlier."""
    if is_less(best_gain, best_events, gain, events):
        return True
    return at < best and not is_less(gain, events, best_gain, best_events)


@njit(cache=True, nogil=True)
def _pick(
    slots: Slots, free: NDArray[np.int64], points: Monitored, prices: Prices, buffers: Buffers, progress: Progress
) -> int:
    """Find who fits a group best: with whom its loss per event is the least. Equals go to the first.

    The most promising by the bounds is tried first, so that most of the others need not be aligned.
    """
    sizes = slots.counts[2] + points.offsets[1:] - points.offsets[:-1]
    mark = progress.counts[2] = progress.counts[2] + 1
    _mark_slots(slots, prices, buffers, mark)
    best = -1
    for at in range(free.size):
        if free[at] >= 0 and (
            best < 0
            or is_less(progress.bound[free[best]], sizes[free[best]], progress.bound[free[at]], sizes[free[at]])
        ):
            best = at
    gain = progress.bound[free[best]] = align_person(slots, points, free[best], prices, buffers)
    progress.counts[0] += 1
    for at in range(free.size):
        person = free[at]
        if person < 0 or at == best:
            continue
        # First what is known, then a bound, then the alignment itself, as long as the person may still be the best.
        for stage in range(3):
            if not _beats(progress.bound[person], sizes[person], at, gain, sizes[free[best]], best):
                progress.counts[1] += stage < 2
                break
            if stage == 0:
                bound = _bound_gain(slots, points, person, prices, buffers, mark)
                progress.bound[person] = min(progress.bound[person], bound)
            elif stage == 1:
                progress.bound[person] = align_person(slots, points, person, prices, buffers)
                progress.counts[0] += 1
            else:
                best, gain = at, progress.bound[person]
    return best


@njit(cache=True, nogil=True)
def grow_group(
    slots: Slots,
    free: NDArray[np.int64],
    k: int,
    points: Monitored,
    prices: Prices,
    buffers: Buffers,
    progress: Progress,
) -> NDArray[np.int64]:
    """Make a group of the first of the free people and the k - 1 that fit best, one after the other.

    Returns
    -------
    NDArray[np.int64]
        The members, the first being the one it began with; in `free` they are replaced by -1.
    """
    members = np.empty(k, np.int64)
    members[0] = free[0]
    free[0] = -1
    _open_group(slots, members[0], points, progress)
    for person in free[1:]:
        matches = min(slots.counts[0], points.offsets[person + 1] - points.offsets[person])
        progress.bound[person] = matches * max(0, prices.whole - prices.leaf)
    for size in range(1, k):
        # Slots only widen and become fewer, so an earlier gain of a person bounds all later ones.
        at = _pick(slots, free, points, prices, buffers, progress)
        join_group(slots, members[:size], free[at], points, prices, buffers, progress)
        members[size] = free[at]
        free[at] = -1
    return members


@njit(cache=True, nogil=True)
def find_host(
    groups: Slots,
    begin: NDArray[np.int64],
    person: int,
    points: Monitored,
    prices: Prices,
    buffers: Buffers,
    progress: Progress,
) -> int:
    """Find the group whose loss per event is the least once it has taken in a person; equals go to the first.

    Parameters
    ----------
    groups, begin
        The slots of all groups, those of group g from ``begin[g]`` on; the tally has a row for each group.
    """
    host, best, best_events = -1, -1, 1
    for group in range(begin.size):
        low, high = begin[group], begin[group] + groups.counts[group, 0]
        slots = Slots(groups.start[low:high], groups.end[low:high], groups.node[low:high], groups.counts[group])
        gain = align_person(slots, points, person, prices, buffers) * (slots.counts[1] + 1)
        events = slots.counts[2] + points.offsets[person + 1] - points.offsets[person]
        progress.counts[0] += 1
        if host < 0 or is_less(best, best_events, gain, events):
            host, best, best_events = group, gain, events
    return host
