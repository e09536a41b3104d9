"""Counts of non-negative 64-bit keys: a plain array when keys are few, else an open-addressing hash table."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "ANY_COUNT",
    "LARGEST_KEY",
    "Counter",
    "add_keys",
    "list_entries",
    "new_counter",
    "read_all",
    "read_key",
]

LARGEST_KEY = 2**62 - 1
"""Keys run from 0 to this value; one bit stays free so that mixing a key never overflows."""

ANY_COUNT = 2**62
"""A bound that no count reaches."""

_LARGEST_DENSE = 2**26
_SMALLEST_TABLE = 2**10
_FREE = -1


class Counter(NamedTuple):
    """Counts by key; one of the two arrays is empty.

    Attributes
    ----------
    dense
        The count of every key, by key; empty when the counter is a hash table.
    slots
        Key, count, key, count and so on (a key and its count share a cache line); a key of -1
        marks a free slot. Empty when the counter is dense.
    used
        One number: how many slots hold a key, keys whose count fell to zero included.

    Examples
    --------
    >>> counter = new_counter(space=1000, expected=10)
    >>> counter = add_keys(counter, np.array([7, 7, 3]), 3, 1)
    >>> read_key(counter, 7), read_key(counter, 4)
    (2, 0)
    """

    dense: NDArray[np.int32]
    slots: NDArray[np.int64]
    used: NDArray[np.int64]


def new_counter(space: int, expected: float) -> Counter:
    """Make an empty counter for keys below `space`, of which about `expected` will be added.

    Examples
    --------
    >>> new_counter(space=100, expected=50).dense.size
    100
    >>> new_counter(space=10**15, expected=50).dense.size
    0
    """
    used = np.zeros(1, np.int64)
    if space <= _LARGEST_DENSE and space <= 4096 + 16 * expected:
        return Counter(np.zeros(space, np.int32), np.empty(0, np.int64), used)
    return Counter(np.empty(0, np.int32), np.full(2 * _SMALLEST_TABLE, _FREE, np.int64), used)


@njit(cache=True, nogil=True)
def find_slot(slots: NDArray[np.int64], key: int) -> int:
    """Find where `key` is, or where it would go: an even index into `slots`."""
    # Two halves of 31 bits times odd constants below 2^31: well mixed and without overflow,
    # so that the same line works in plain Python.
    mixed = (key & 0x7FFFFFFF) * 0x61C88647 + (key >> 31) * 0x45D9F3B5
    mixed = ((mixed ^ (mixed >> 31)) & 0x7FFFFFFF) * 0x5851F42D
    last = (slots.size >> 1) - 1
    place = (mixed >> 15 ^ mixed >> 35) & last
    while slots[2 * place] != key and slots[2 * place] != _FREE:
        place = (place + 1) & last
    return 2 * place


@njit(cache=True, nogil=True)
def reserve(counter: Counter, extra: int) -> Counter:
    """Return a counter with the same counts in which `extra` new keys find room."""
    capacity = counter.slots.size >> 1
    if 5 * (counter.used[0] + extra) <= 3 * capacity:
        return counter
    alive = 0
    for slot in range(0, counter.slots.size, 2):
        if counter.slots[slot] != _FREE and counter.slots[slot + 1] != 0:
            alive += 1
    # Keys that fell to zero are left behind here; that alone may make the room.
    while 2 * (alive + extra) > capacity:
        capacity *= 2
    slots = np.full(2 * capacity, _FREE, np.int64)
    for slot in range(0, counter.slots.size, 2):
        if counter.slots[slot] != _FREE and counter.slots[slot + 1] != 0:
            target = find_slot(slots, counter.slots[slot])
            slots[target] = counter.slots[slot]
            slots[target + 1] = counter.slots[slot + 1]
    used = np.empty(1, np.int64)
    used[0] = alive
    return Counter(counter.dense, slots, used)


@njit(cache=True, nogil=True)
def add_keys(counter: Counter, keys: NDArray[np.int64], number: int, step: int) -> Counter:
    """Add `step` to the counts of the first `number` keys; go on with the counter returned.

    Examples
    --------
    >>> counter = add_keys(new_counter(8, 8), np.array([5, 2, 5]), 3, 1)
    >>> counter.dense.tolist()
    [0, 0, 1, 0, 0, 2, 0, 0]
    """
    if counter.dense.size > 0:
        for i in range(number):
            counter.dense[keys[i]] += step
        return counter
    counter = reserve(counter, number)
    slots = counter.slots
    taken = 0
    for i in range(number):
        slot = find_slot(slots, keys[i])
        if slots[slot] == _FREE:
            slots[slot] = keys[i]
            slots[slot + 1] = step
            taken += 1
        else:
            slots[slot + 1] += step
    counter.used[0] += taken
    return counter


@njit(cache=True, nogil=True)
def read_key(counter: Counter, key: int) -> int:
    """Read the count of one key.

    Examples
    --------
    >>> read_key(new_counter(10**15, 8), 5)
    0
    """
    if counter.dense.size > 0:
        return int(counter.dense[key])
    slot = find_slot(counter.slots, key)
    return int(counter.slots[slot + 1]) if counter.slots[slot] != _FREE else 0


@njit(cache=True, nogil=True)
def read_all(counter: Counter, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Read the counts of many keys.

    Examples
    --------
    >>> counter = add_keys(new_counter(10**15, 8), np.array([5, 2, 5]), 3, 1)
    >>> read_all(counter, np.array([2, 5, 9])).tolist()
    [1, 2, 0]
    """
    counts = np.empty(keys.size, np.int64)
    for i in range(keys.size):
        counts[i] = read_key(counter, keys[i])
    return counts


@njit(cache=True, nogil=True)
def list_entries(counter: Counter, bound: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List the keys whose count is positive and below `bound`, in no particular order, and their counts.

    Examples
    --------
    >>> counter = add_keys(new_counter(10**15, 8), np.array([5, 2, 5]), 3, 1)
    >>> keys, counts = list_entries(counter, 2)
    >>> keys.tolist(), counts.tolist()
    ([2], [1])
    """
    dense, slots = counter.dense, counter.slots
    number = 0
    for key in range(dense.size):
        number += 0 < dense[key] < bound
    # A free slot holds a count of -1 too.
    for slot in range(1, slots.size, 2):
        number += 0 < slots[slot] < bound
    keys, counts = np.empty(number, np.int64), np.empty(number, np.int64)
    number = 0
    for key in range(dense.size):
        if 0 < dense[key] < bound:
            keys[number], counts[number] = key, dense[key]
            number += 1
    for slot in range(1, slots.size, 2):
        if 0 < slots[slot] < bound:
            keys[number], counts[number] = slots[slot - 1], slots[slot]
            number += 1
    return keys, counts
