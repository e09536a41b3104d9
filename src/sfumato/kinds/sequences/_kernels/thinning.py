"""Whom to leave out so that no window holds too large a share of those who stay.

A window holds the people who do one event within it. Leaving people out makes windows emptier, and the share that is
allowed smaller too. To leave out the fewest is hard where people do several things, so two ways are tried, and the
better one counts:

- windows are swept in time; where one is too full, one of those who came last goes, among them the one with most
  events in windows that are too full. Where everybody does one thing, that leaves out the fewest;
- whoever is in most windows that are too full goes, one after the other.

Both are repeated with the share of those who are left, until no window is too full; then everybody who can come
back does. How many must go at least is found beside it: where the numbers are equal, nobody could do better.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.windows import Keyed

__all__ = ["Thinned", "thin_windows"]

_Way = Callable[[NDArray[np.int64], NDArray[np.int64], int, int, NDArray[np.bool_]], bool]

_SEARCH_DEPTH = 64
_EFFORT = 200_000_000
_LARGEST_SEARCH = 500_000_000


class Thinned(NamedTuple):
    """Who stays, and how few could have been left out.

    Attributes
    ----------
    stays
        By person.
    at_least
        So many had to be left out, whoever they are.

    Examples
    --------
    >>> found = Thinned(np.array([True, False, False]), at_least=1)
    >>> int((~found.stays).sum()) - found.at_least
    1
    """

    stays: NDArray[np.bool_]
    at_least: int


def thin_windows(keyed: Keyed, l: int) -> Thinned:
    """Leave people out until no more than one in l of the others do an event within one window.

    Parameters
    ----------
    keyed
        Pairs of event and time of every person.
    l
        One over the largest share.

    Examples
    --------
    >>> from sfumato.kinds.sequences._kernels.windows import Unmonitored, key_pairs
    >>> event, time = np.array([0, 0, 0, 1], np.int32), np.array([1, 2, 3, 9])
    >>> found = thin_windows(key_pairs(Unmonitored(np.array([0, 1, 2, 3, 4, 4]), event, time), g=5), l=2)
    >>> found.stays.tolist(), found.at_least
    ([True, True, False, True, True], 1)
    """
    people = keyed.offsets.size - 1
    at_least = _bound(keyed, l)
    best = _thin_by(_sweep_out, keyed, l)
    if people - best.sum() > at_least and keyed.key.size * people <= _LARGEST_SEARCH:
        other = _thin_by(_pick_out, keyed, l)
        best = other if other.sum() > best.sum() else best
    return Thinned(best, at_least)


def _thin_by(way: _Way, keyed: Keyed, l: int) -> NDArray[np.bool_]:
    """Leave people out in one way, for the share of those who are left, and let people come back."""
    people = keyed.offsets.size - 1
    person, key = _in_time_order(keyed)
    alive = np.ones(people, np.bool_)
    while way(key, person, keyed.gap, int(alive.sum()) // l, alive):
        pass
    gone = np.flatnonzero(~alive)
    _bring_back(gone[np.argsort(np.diff(keyed.offsets)[gone], kind="stable")], keyed, key, person, alive, l)
    return alive


def _in_time_order(keyed: Keyed) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return whose the pairs are, and the pairs, sorted by event and time."""
    person = np.repeat(np.arange(keyed.offsets.size - 1, dtype=np.int64), np.diff(keyed.offsets))
    order = np.lexsort((person, keyed.key))
    return person[order], keyed.key[order]


@njit(cache=True, nogil=True, inline="always")  # called for every pair: a call would take as long as the work
def _slide(
    key: NDArray[np.int64],
    person: NDArray[np.int64],
    gap: int,
    alive: NDArray[np.bool_],
    person_counts: NDArray[np.int64],
    left: int,
    right: int,
    present: int,
) -> tuple[int, int]:
    """Move the right end of a window to the next pair; return its left end, and how many are in it then."""
    while key[right] - key[left] > gap:
        if alive[person[left]]:
            person_counts[person[left]] -= 1
            present -= person_counts[person[left]] == 0
        left += 1
    if alive[person[right]]:
        person_counts[person[right]] += 1
        present += person_counts[person[right]] == 1
    return left, present


@njit(cache=True, nogil=True)
def _sweep_out(key: NDArray[np.int64], person: NDArray[np.int64], gap: int, cap: int, alive: NDArray[np.bool_]) -> bool:
    """Leave people out until no window holds more than the cap; tell whether anybody was."""
    score = _count_memberships(key, person, gap, cap, alive)
    person_counts = np.zeros(alive.size, np.int64)
    present, left, changed = 0, 0, False
    for right in range(key.size):
        left, present = _slide(key, person, gap, alive, person_counts, left, right, present)
        if alive[person[right]] and present > cap:
            worst, most = person[right], score[person[right]]
            for at in range(right - 1, max(left, right - _SEARCH_DEPTH) - 1, -1):
                if alive[person[at]] and score[person[at]] > most:
                    worst, most = person[at], score[person[at]]
            alive[worst] = False
            person_counts[worst] = 0
            present -= 1
            changed = True
    return changed


@njit(cache=True, nogil=True)
def _count_memberships(
    key: NDArray[np.int64], person: NDArray[np.int64], gap: int, cap: int, alive: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Count, by person, the events that lie in a window of more than the cap."""
    person_counts = np.zeros(alive.size, np.int64)
    steps = np.zeros(key.size + 1, np.int64)
    present, left = 0, 0
    for right in range(key.size):
        left, present = _slide(key, person, gap, alive, person_counts, left, right, present)
        if alive[person[right]] and present > cap:
            steps[left] += 1
            steps[right + 1] -= 1
    score = np.zeros(alive.size, np.int64)
    inside = 0
    for at in range(key.size):
        inside += steps[at]
        if inside > 0 and alive[person[at]]:
            score[person[at]] += 1
    return score


@njit(cache=True, nogil=True)
def _pick_out(key: NDArray[np.int64], person: NDArray[np.int64], gap: int, cap: int, alive: NDArray[np.bool_]) -> bool:
    """Leave out whoever is in most windows of more than the cap, until there are none; tell whether anybody was."""
    changed = False
    first = np.zeros(key.size, np.int64)
    full = np.zeros(key.size + 1, np.int64)
    latest = np.full(alive.size, -1, np.int64)
    while True:
        # Windows end with a pair of somebody; full counts those that are too full so far.
        person_counts = np.zeros(alive.size, np.int64)
        present, left = 0, 0
        for right in range(key.size):
            left, present = _slide(key, person, gap, alive, person_counts, left, right, present)
            first[right] = left
            full[right + 1] = full[right] + (alive[person[right]] and present > cap)
        if full[key.size] == 0:
            return changed
        # A window counts for a person by the last pair the person has in it.
        gain = np.zeros(alive.size, np.int64)
        latest[:] = -1
        reach = key.size - 1
        for at in range(key.size - 1, -1, -1):
            while first[reach] > at:
                reach -= 1
            end = reach + 1
            if latest[person[at]] >= 0:
                end = min(end, latest[person[at]])
            gain[person[at]] += full[end] - full[at]
            latest[person[at]] = at
        worst, most = -1, 0
        for who in range(alive.size):
            if alive[who] and gain[who] > most:
                worst, most = who, gain[who]
        alive[worst] = False
        changed = True


@njit(cache=True, nogil=True)
def _bring_back(
    gone: NDArray[np.int64],
    keyed: Keyed,
    key: NDArray[np.int64],
    person: NDArray[np.int64],
    alive: NDArray[np.bool_],
    l: int,
) -> None:
    """Let people come back one after the other, as long as no window gets too full."""
    person_counts = np.zeros(alive.size, np.int64)
    remaining = alive.sum()
    effort, again = 0, True
    while again and effort < _EFFORT:
        again = False
        for who in gone:
            if alive[who] or effort >= _EFFORT:
                continue
            alive[who] = True
            fits = True
            for at in range(keyed.offsets[who], keyed.offsets[who + 1]):
                begin = np.searchsorted(key, keyed.key[at] - keyed.gap)
                end = np.searchsorted(key, keyed.key[at] + keyed.gap, "right")
                effort += end - begin
                largest = _count_fullest(key, person, alive, person_counts, begin, end, keyed.key[at], keyed.gap)
                if largest > (remaining + 1) // l:
                    fits = False
                    break
            alive[who] = fits
            remaining += fits
            again |= fits


@njit(cache=True, nogil=True)
def _count_fullest(
    key: NDArray[np.int64],
    person: NDArray[np.int64],
    alive: NDArray[np.bool_],
    person_counts: NDArray[np.int64],
    begin: int,
    end: int,
    pair: int,
    gap: int,
) -> int:
    """Count the fullest window around a pair, whose neighbours are between begin and end; the tally is zero again."""
    largest, present, left = 0, 0, begin
    for right in range(begin, end):
        left, present = _slide(key, person, gap, alive, person_counts, left, right, present)
        if key[right] >= pair and present > largest:
            largest = present
    for at in range(left, end):
        person_counts[person[at]] = 0
    return largest


def _bound(keyed: Keyed, l: int) -> int:
    """Find how many must be left out at least, whoever they are.

    If x are left out, windows may hold (people - x) // l people. Looking at one event alone, and at the first time each
    person does it, the fewest people whose absence makes windows that empty are found in one sweep: whoever comes last
    into a window that is full must go, or somebody else who stays shorter. No solution leaves out fewer than that.
    """
    people = keyed.offsets.size - 1
    person = np.repeat(np.arange(people), np.diff(keyed.offsets))
    event = keyed.key // keyed.stride
    first = np.ones(event.size, np.bool_)
    first[1:] = (event[1:] != event[:-1]) | (person[1:] != person[:-1])
    order = np.argsort(keyed.key[first], kind="stable")
    key, event = keyed.key[first][order], event[first][order]
    x = 0
    while x < people:
        least = _count_removals(key, event, keyed.gap, (people - x) // l)
        if least <= x:
            break
        x = least
    return x


@njit(cache=True, nogil=True)
def _count_removals(key: NDArray[np.int64], event: NDArray[np.int64], gap: int, cap: int) -> int:
    """Count whom to leave out for the event that asks for most, where nobody does an event twice."""
    most, gone = 0, 0
    retained = np.zeros(key.size, np.int64)
    left, right = 0, 0
    for at in range(key.size):
        if at > 0 and event[at] != event[at - 1]:
            most, gone, left, right = max(most, gone), 0, 0, 0
        while left < right and key[at] - retained[left] > gap:
            left += 1
        if right - left >= cap:
            gone += 1
        else:
            retained[right] = key[at]
            right += 1
    return max(most, gone)
