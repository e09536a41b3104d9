"""Visits with labels of their own: counting what sequences of labels records hold, and relabelling visits."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import Counter, add_keys, new_counter
from sfumato.kinds.trajectories._kernels.demand import BORROWING, Demand, advance, encode_key
from sfumato.kinds.trajectories._kernels.pairs import ENDS, list_changes, list_pairs

__all__ = [
    "SMALLEST",
    "Paths",
    "Scratch",
    "Visits",
    "add_dense",
    "count_all",
    "count_record",
    "fill_labels",
    "new_labels_counter",
    "new_scratch",
    "read_labels",
    "relabel",
]

SMALLEST = 2**12
"""Room of a set to begin with."""

_LARGEST_SIZE = 64


class Paths(NamedTuple):
    """The way from every place to the root of a tree, its labels and what they cost.

    Attributes
    ----------
    start
        The labels of place p are ``node[start[p] : start[p + 1]]``: itself first, the root last.
    node, cost
        Labels, and what a visit to the place costs when it is published as that label.
    depth
        By node: steps from the root.
    first, last
        By node: the places below it are those from ``first`` up to, not including, ``last``.

    Examples
    --------
    >>> two = Paths(np.array([0, 2, 4]), np.array([0, 2, 1, 2], np.int32), np.array([0, 5, 0, 5]),
    ...             np.array([1, 1, 0], np.int32), np.array([0, 1, 0]), np.array([1, 2, 2]))
    >>> two.node[two.start[1] : two.start[2]].tolist()
    [1, 2]
    """

    start: NDArray[np.int64]
    node: NDArray[np.int32]
    cost: NDArray[np.int64]
    depth: NDArray[np.int32]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


class Visits(NamedTuple):
    """Records of visits; ``level`` says how far up the path of its place a visit is published, and changes.

    Attributes
    ----------
    offsets, place
        Record r visits ``place[offsets[r] : offsets[r + 1]]``.
    level
        Of every visit: 0 for the place itself.
    secret_offsets, secret
        Numbers of the sensitive places that a record visits, from 1; both empty without any.

    Examples
    --------
    >>> Visits(np.array([0, 2]), np.array([0, 1], np.int32), np.zeros(2, np.int32), np.zeros(2, np.int64),
    ...        np.empty(0, np.int32)).place.tolist()
    [0, 1]
    """

    offsets: NDArray[np.int64]
    place: NDArray[np.int32]
    level: NDArray[np.int32]
    secret_offsets: NDArray[np.int64]
    secret: NDArray[np.int32]


class Scratch(NamedTuple):
    """A set of keys that is emptied often, each with a mark; go on with the one returned.

    Attributes
    ----------
    keys, marks
        A hash table; a key of -1 is a free slot.
    listed, used
        The slots that hold a key, and how many they are.
    others, at
        Positions in a record, and a choice of them: room for the walk over sequences.
    ends
        Ends of labels, as `list_changes` wants them.

    Examples
    --------
    >>> new_scratch(16, 3, 9).used.tolist()
    [0]
    """

    keys: NDArray[np.int64]
    marks: NDArray[np.int8]
    listed: NDArray[np.int64]
    used: NDArray[np.int64]
    others: NDArray[np.int64]
    at: NDArray[np.int64]
    ends: NDArray[np.int32]


@njit(cache=True, nogil=True)
def new_scratch(capacity: int, longest: int, base: int) -> Scratch:
    """Make an empty set for records of so many visits, and labels below a number."""
    keys, ends = np.empty(capacity, np.int64), np.empty((ENDS, base), np.int32)
    for i in range(capacity):
        keys[i] = -1
    for at in range(ENDS):
        for label in range(base):
            ends[at, label] = -1
    return Scratch(
        keys,
        np.zeros(capacity, np.int8),
        np.empty(capacity // 2, np.int64),
        np.zeros(1, np.int64),
        np.empty(longest, np.int64),
        np.empty(_LARGEST_SIZE, np.int64),
        ends,
    )


@njit(**BORROWING)
def _insert(
    keys: NDArray[np.int64], marks: NDArray[np.int8], listed: NDArray[np.int64], used: int, key: int, mark: int
) -> int:
    """Put a key into a set, or add a mark to it; return how many keys there are."""
    last = keys.size - 1
    mixed = (key & 0x7FFFFFFF) * 0x61C88647 + (key >> 31) * 0x45D9F3B5
    slot = (mixed ^ (mixed >> 29)) & last
    while keys[slot] != key and keys[slot] != -1:
        slot = (slot + 1) & last
    if keys[slot] == -1:
        keys[slot] = key
        listed[used] = slot
        used += 1
    marks[slot] |= mark
    return used


@njit(**BORROWING)
def _count(touched: NDArray[np.bool_]) -> int:
    number = 0
    for i in range(touched.size):
        number += touched[i]
    return number


@njit(**BORROWING)
def _find_capacity(scratch: Scratch, labels: NDArray[np.int32], touched: NDArray[np.bool_], size: int) -> int:
    """Return how many slots a set needs for all sequences through touched positions, twice."""
    n, u = labels.size, _count(touched)
    most, all_of, rest = 0.0, 1.0, 1.0
    for s in range(1, size + 1):
        all_of *= max(n - s + 1, 0) / s
        rest *= max(n - u - s + 1, 0) / s
        most += all_of - rest
    if 2 * most > scratch.listed.size and n > 64:
        # Long records repeat their labels.
        different = u
        for i in range(n):
            is_new = True
            for j in range(i):
                is_new = is_new and labels[j] != labels[i]
            different += is_new
        most = min(most, size * float(different) ** size)
    capacity = scratch.keys.size
    while capacity < 4 * most:
        capacity *= 2
    return capacity


@njit(cache=True, nogil=True)
def _grow_scratch(scratch: Scratch, labels: NDArray[np.int32], touched: NDArray[np.bool_], size: int) -> Scratch:
    """Return a set with room for all sequences through touched positions, twice."""
    capacity = _find_capacity(scratch, labels, touched, size)
    if capacity == scratch.keys.size and labels.size <= scratch.others.size:
        return scratch
    larger: Scratch = new_scratch(capacity, max(labels.size, scratch.others.size), scratch.ends.shape[1])
    return larger


@njit(**BORROWING)
def fill_labels(visits: Visits, paths: Paths, record: int, labels: NDArray[np.int32]) -> None:
    """Write down the labels of a record."""
    first = visits.offsets[record]
    for i in range(labels.size):
        labels[i] = paths.node[paths.start[visits.place[first + i]] + visits.level[first + i]]


@njit(cache=True, nogil=True)
def read_labels(visits: Visits, paths: Paths, record: int) -> NDArray[np.int32]:
    """Return the labels of a record."""
    labels = np.empty(visits.offsets[record + 1] - visits.offsets[record], np.int32)
    fill_labels(visits, paths, record, labels)
    return labels


@njit(**BORROWING)
def _note_touching(
    scratch: Scratch, labels: NDArray[np.int32], touched: NDArray[np.bool_], size: int, base: int, mark: int
) -> None:
    """Note the sequences of up to ``size`` labels that go through a touched position."""
    keys, marks, listed, used = scratch.keys, scratch.marks, scratch.listed, scratch.used[0]
    n, others, at = labels.size, scratch.others, scratch.at
    for u in range(n):
        if not touched[u]:
            continue
        mine = np.int64(labels[u]) + 1
        used = _insert(keys, marks, listed, used, mine, mark)
        count = 0
        before = 0
        for j in range(n):
            if j != u and (j > u or not touched[j]):
                others[count] = j
                count += 1
                before += j < u
        if size >= 2:
            for a in range(count):
                other = np.int64(labels[others[a]]) + 1
                key = other * base + mine if a < before else mine * base + other
                used = _insert(keys, marks, listed, used, key, mark)
        if size >= 3:
            for a in range(count):
                first_label = np.int64(labels[others[a]]) + 1
                for b in range(a + 1, count):
                    two = np.int64(labels[others[b]]) + 1
                    if a >= before:
                        key = (mine * base + first_label) * base + two
                    elif b >= before:
                        key = (first_label * base + mine) * base + two
                    else:
                        key = (first_label * base + two) * base + mine
                    used = _insert(keys, marks, listed, used, key, mark)
        for more in range(3, size):
            if more > count:
                break
            for i in range(more):
                at[i] = i
            while True:
                used = _insert(keys, marks, listed, used, encode_key(labels, others, at, more, u, base), mark)
                if not advance(at, more, count):
                    break
    scratch.used[0] = used


@njit(**BORROWING)
def _held_elsewhere(labels: NDArray[np.int32], touched: NDArray[np.bool_], key: int, base: int) -> bool:
    """Tell whether a sequence is held without any touched position."""
    j = labels.size - 1
    while key > 0:
        wanted = key % base - 1
        while j >= 0 and (touched[j] or labels[j] != wanted):
            j -= 1
        if j < 0:
            return False
        j -= 1
        key //= base
    return True


@njit(**BORROWING)
def add_dense(dense: NDArray[np.int32], keys: NDArray[np.int64], begin: int, end: int, step: int) -> None:
    """Count some of the keys in or out of an array with a place for every key."""
    for i in range(begin, end):
        dense[keys[i]] += step


@njit(cache=True, nogil=True)
def _add(counter: Counter, visits: Visits, record: int, keys: NDArray[np.int64], demand: Demand, step: int) -> Counter:
    """Count sequences of a record in or out, for all records and for the visitors of its sensitive places."""
    if demand.kinds == 1:
        counted: Counter = add_keys(counter, keys, keys.size, step)
        return counted
    shifted = np.empty(keys.size, np.int64)
    for i in range(visits.secret_offsets[record] - 1, visits.secret_offsets[record + 1]):
        kind = 0 if i < visits.secret_offsets[record] else visits.secret[i]
        for j in range(keys.size):
            shifted[j] = keys[j] * demand.kinds + kind
        counter = add_keys(counter, shifted, keys.size, step)
    return counter


@njit(cache=True, nogil=True)
def count_record(
    counter: Counter, scratch: Scratch, visits: Visits, paths: Paths, record: int, demand: Demand, step: int
) -> tuple[Counter, Scratch]:
    """Count all sequences of a record in or out."""
    labels = read_labels(visits, paths, record)
    if demand.size <= 2:
        keys = np.empty(labels.size * (labels.size + 1) // 2 + 1, np.int64)
        number = list_pairs(labels, demand.size, demand.base, scratch.ends, keys)
        if demand.kinds == 1 and counter.dense.size > 0:
            add_dense(counter.dense, keys, 0, number, step)
            return counter, scratch
        return _add(counter, visits, record, keys[:number], demand, step), scratch
    everywhere = np.ones(labels.size, np.bool_)
    scratch = _grow_scratch(scratch, labels, everywhere, demand.size)
    _note_touching(scratch, labels, everywhere, demand.size, demand.base, 1)
    keys = np.empty(scratch.used[0], np.int64)
    for i in range(keys.size):
        keys[i] = scratch.keys[scratch.listed[i]]
    _empty(scratch)
    return _add(counter, visits, record, keys, demand, step), scratch


@njit(**BORROWING)
def _empty(scratch: Scratch) -> None:
    for i in range(scratch.used[0]):
        scratch.keys[scratch.listed[i]] = -1
        scratch.marks[scratch.listed[i]] = 0
    scratch.used[0] = 0


@njit(cache=True, nogil=True)
def count_all(counter: Counter, visits: Visits, paths: Paths, demand: Demand) -> Counter:
    """Count the sequences of all records."""
    scratch = new_scratch(SMALLEST, 1, demand.base)
    for record in range(visits.offsets.size - 1):
        counter, scratch = count_record(counter, scratch, visits, paths, record, demand, 1)
    return counter


def new_labels_counter(visits: Visits, demand: Demand) -> Counter:
    """Make an empty counter for the sequences of labels that a demand is about."""
    lengths = np.diff(visits.offsets).astype(np.float64)
    expected = float((lengths**demand.size).sum())
    return new_counter(demand.base**demand.size * demand.kinds, expected)


@njit(cache=True, nogil=True)
def relabel(
    counter: Counter,
    scratch: Scratch,
    visits: Visits,
    paths: Paths,
    record: int,
    demand: Demand,
    level: NDArray[np.int32],
) -> tuple[Counter, Scratch, NDArray[np.int64]]:
    """Give the visits of a record other levels and update the counts; return too which sequences came or went."""
    first = visits.offsets[record]
    old = np.empty(visits.offsets[record + 1] - first, np.int32)
    fill_labels(visits, paths, record, old)
    touched = np.zeros(old.size, np.bool_)
    for i in range(old.size):
        touched[i] = visits.level[first + i] != level[i]
        visits.level[first + i] = level[i]
    new = np.empty(old.size, np.int32)
    fill_labels(visits, paths, record, new)
    if demand.size <= 2:
        different = np.empty(2 * _count(touched) * (2 * old.size + 1), np.int64)
        lost, number = list_changes(old, new, touched, demand.size, demand.base, scratch.ends, different)
        if demand.kinds == 1 and counter.dense.size > 0:
            add_dense(counter.dense, different, 0, lost, -1)
            add_dense(counter.dense, different, lost, number, 1)
            return counter, scratch, different[:number]
        counter = _add(counter, visits, record, different[:lost], demand, -1)
        counter = _add(counter, visits, record, different[lost:number], demand, 1)
        return counter, scratch, different[:number]
    scratch = _grow_scratch(scratch, old, touched, demand.size)
    _note_touching(scratch, old, touched, demand.size, demand.base, 1)
    _note_touching(scratch, new, touched, demand.size, demand.base, 2)
    different = np.empty(scratch.used[0], np.int64)
    lost, number = 0, 0
    for mark in range(1, 3):
        lost = number
        for i in range(scratch.used[0]):
            slot = scratch.listed[i]
            if scratch.marks[slot] == mark and not _held_elsewhere(old, touched, scratch.keys[slot], demand.base):
                different[number] = scratch.keys[slot]
                number += 1
    _empty(scratch)
    counter = _add(counter, visits, record, different[:lost], demand, -1)
    counter = _add(counter, visits, record, different[lost:number], demand, 1)
    return counter, scratch, different[:number]
