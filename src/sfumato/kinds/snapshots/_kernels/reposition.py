"""Reposition of records within a window of snapshots, on counts: which value is published where, and from when.

Records of one value and one snapshot cost the same wherever they go, so numbers are enough. For a value, the numbers of
records published in every snapshot of the window and the numbers of records chosen of every home snapshot say
everything: the earliest record goes to the earliest place. That is the order by timestamps, which no other assignment
beats when the cost is convex.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Window", "admit_newest", "relay_gain"]

Ints = NDArray[np.int64]


class Window(NamedTuple):
    """How many records of each value are where, for the last w snapshots.

    Attributes
    ----------
    slots
        ``slots[v, j]``: records of value v published in snapshot j of the window, 0 the oldest, w-1 the newest.
    chosen
        ``chosen[v, c]``: records of value v that are published in the window and come from snapshot ``c - (w - 1)`` of
        it: the first w-1 columns are snapshots that have left.
    held
        ``held[v, i]``: records of value v and snapshot i that are suppressed so far.
    """

    slots: Ints
    chosen: Ints
    held: Ints


@njit(cache=True, nogil=True)
def relay_gain(window: Window, value: int, mu: Ints, beta: int) -> tuple[int, int]:
    """Return the gain of publishing one more record of a value in the newest snapshot, and its home.

    The latest suppressed record is the cheapest. It takes the place of a later record, which takes the place of a still
    later one, and so on: the last of them goes to the newest snapshot. The home is -1 where nothing is suppressed.
    """
    newest = window.slots.shape[1] - 1
    origin = newest
    while origin >= 0 and window.held[value, origin] == 0:
        origin -= 1
    if origin < 0:
        return 0, -1
    cost = 0
    carried, at = origin, origin
    top, counted, filled = -newest - 1, 0, 0
    for j in range(newest):
        if window.slots[value, j] == 0:
            continue
        filled += window.slots[value, j]
        while counted < filled:
            top += 1
            counted += window.chosen[value, top + newest]
        # A record that is not later than the one carried stays; so do all records before it.
        if j > origin and top > carried:
            cost += mu[j - carried] - mu[at - carried]
            carried, at = top, j
    cost += mu[newest - carried] - mu[at - carried]
    return beta - cost, origin


@njit(cache=True, nogil=True)
def _eligible_level(arrived: Ints, l: int) -> int:
    """Return the largest number of records per value that leaves nobody above 1/l when the rest is cut off."""
    level = 0
    for count in arrived:
        level = max(level, count)
    while level > 0:
        total = 0
        for count in arrived:
            total += min(count, level)
        if total >= l * level:
            return level
        # With this total no higher level is possible, and the total only falls.
        level = min(level - 1, total // l)
    return 0


@njit(cache=True, nogil=True)
def _best(window: Window, gains: Ints, sources: Ints, active: Ints, cap: int) -> int:
    """Return the position in ``active`` of the largest gain among values with fewer than ``cap`` records, or -1."""
    newest = window.slots.shape[1] - 1
    best = -1
    for k in range(len(active)):
        if sources[k] < 0 or window.slots[active[k], newest] >= cap:
            continue
        if best < 0 or gains[k] > gains[best]:
            best = k
    return best


@njit(cache=True, nogil=True)
def _relay(window: Window, value: int, origin: int, records: int) -> None:
    newest = window.slots.shape[1] - 1
    window.held[value, origin] -= records
    window.chosen[value, origin + newest] += records
    window.slots[value, newest] += records


@njit(cache=True, nogil=True)
def admit_newest(window: Window, arrived: Ints, l: int, mu: Ints, beta: Ints) -> int:
    """Admit a snapshot as the newest of a window whose last column is free, at the least cost; return the gain.

    First the fewest records are suppressed that make the snapshot l-eligible. Then suppressed records of the window are
    relayed into it: those with a gain that keep its level (LP-Reposition), and sets of records that together lift the
    level by one and gain (LL-Reposition), until no lift gains. What is published elsewhere in the window keeps its
    numbers per value. The gain is what the relays save of the cost of suppression.

    Parameters
    ----------
    window
        Changed in place. The last columns are zero.
    arrived
        Records of the newest snapshot by value.
    l
        No value may be above 1/l of a snapshot.
    mu
        Cost of publishing a record d snapshots late, by d.
    beta
        Cost of suppressing a record, by value.
    """
    newest = window.slots.shape[1] - 1
    level = _eligible_level(arrived, l)
    total = 0
    for value in range(len(arrived)):
        admitted = min(arrived[value], level)
        window.slots[value, newest] = admitted
        window.chosen[value, 2 * newest] = admitted
        window.held[value, newest] = arrived[value] - admitted
        total += admitted
    active = np.flatnonzero(window.held.sum(axis=1) > 0)
    gains, sources = np.zeros(len(active), np.int64), np.empty(len(active), np.int64)
    for k in range(len(active)):
        gains[k], sources[k] = relay_gain(window, active[k], mu, beta[active[k]])
    saved = 0
    while True:
        gain, moved = _preserve_level(window, gains, sources, active, level, mu, beta)
        saved += gain
        total += moved
        gain, moved = _lift_level(window, gains, sources, active, level, max(0, (level + 1) * l - total), mu, beta)
        if moved == 0:
            return int(saved)
        saved += gain
        total += moved
        level += 1


@njit(cache=True, nogil=True)
def _preserve_level(
    window: Window, gains: Ints, sources: Ints, active: Ints, level: int, mu: Ints, beta: Ints
) -> tuple[int, int]:
    """Relay every record that gains and does not lift the level; return the gain and how many."""
    saved, moved = 0, 0
    while True:
        k = _best(window, gains, sources, active, level)
        if k < 0 or gains[k] <= 0:
            return saved, moved
        saved += gains[k]
        moved += 1
        _relay(window, active[k], sources[k], 1)
        gains[k], sources[k] = relay_gain(window, active[k], mu, beta[active[k]])


@njit(cache=True, nogil=True)
def _lift_level(
    window: Window, gains: Ints, sources: Ints, active: Ints, level: int, need: int, mu: Ints, beta: Ints
) -> tuple[int, int]:
    """Relay the records that lift the level by one, if together they gain; return the gain and how many.

    Where the snapshot is large enough for the next level already, ``need`` is 0 and one record with a gain will do.
    """
    wanted = max(need, 1)
    values, origins = np.empty(wanted, np.int64), np.empty(wanted, np.int64)
    saved, moved = 0, 0
    while moved < wanted:
        k = _best(window, gains, sources, active, level + 1)
        if k < 0:
            break
        saved += gains[k]
        values[moved], origins[moved] = active[k], sources[k]
        moved += 1
        _relay(window, active[k], sources[k], 1)
        gains[k], sources[k] = relay_gain(window, active[k], mu, beta[active[k]])
    if moved == wanted and saved > 0:
        return saved, moved
    for k in range(moved - 1, -1, -1):
        _relay(window, values[k], origins[k], -1)
    return 0, 0
