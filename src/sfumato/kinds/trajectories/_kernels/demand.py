"""What sequences of labels have to keep, and which of them are broken."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import Counter, find_slot

__all__ = [
    "BORROWING",
    "Demand",
    "advance",
    "encode_key",
    "holds_broken",
    "holds_short_broken",
    "is_broken",
    "read_support",
]

BORROWING = {"cache": True, "nogil": True, "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""How functions are compiled that make no arrays and are called by compiled ones alone, for every pair of labels.

References to arrays are not counted: that would take longer than the work.
"""


class Demand(NamedTuple):
    """What every sequence of up to ``size`` labels has to keep.

    Attributes
    ----------
    k, l
        At least k records hold it, and at most one in l of them visits any one sensitive place (1: no rule).
    size
        Largest number of labels of a sequence.
    base
        One more than the number of nodes: sequences are numbers to that base, with digits from 1.
    kinds
        One more than the number of sensitive places. Key times ``kinds`` counts the records, and with the number of a
        sensitive place added its visitors among them.

    Examples
    --------
    >>> Demand(k=5, l=1, size=2, base=10, kinds=1).size
    2
    """

    k: int
    l: int
    size: int
    base: int
    kinds: int


@njit(**BORROWING)
def encode_key(
    labels: NDArray[np.int32], others: NDArray[np.int64], at: NDArray[np.int64], more: int, u: int, base: int
) -> int:
    """Write the labels at some positions and at u, in their order, as one number."""
    key = np.int64(0)  # labels are narrower
    placed = False
    for i in range(more):
        j = others[at[i]]
        if not placed and u < j:
            key = key * base + labels[u] + 1
            placed = True
        key = key * base + labels[j] + 1
    return int(key if placed else key * base + labels[u] + 1)


@njit(**BORROWING)
def advance(at: NDArray[np.int64], chosen: int, count: int) -> bool:
    """Go on to the next choice of positions; False after the last one."""
    i = chosen - 1
    while i >= 0 and at[i] == count - chosen + i:
        i -= 1
    if i < 0:
        return False
    at[i] += 1
    for j in range(i + 1, chosen):
        at[j] = at[j - 1] + 1
    return True


@njit(**BORROWING)
def read_support(dense: NDArray[np.int32], slots: NDArray[np.int64], key: int) -> int:
    """Read a count from the arrays of a counter: in a loop they cost less than the counter itself."""
    if dense.size > 0:
        support = np.int64(dense[key])
    else:
        slot = find_slot(slots, key)
        support = slots[slot + 1] if slots[slot] == key else np.int64(0)
    return int(support)


@njit(**BORROWING)
def is_broken(dense: NDArray[np.int32], slots: NDArray[np.int64], key: int, k: int, demand: Demand) -> bool:
    """Tell whether a sequence occurs, but in fewer than k records or with too many visitors of a sensitive place."""
    support = read_support(dense, slots, key * demand.kinds)
    broken = 0 < support < k
    if demand.kinds > 1 and support > 0:
        for place in range(1, demand.kinds):
            broken = broken or demand.l * read_support(dense, slots, key * demand.kinds + place) > support
    return bool(broken)


@njit(cache=True, nogil=True)
def holds_broken(counter: Counter, labels: NDArray[np.int32], u: int, demand: Demand) -> bool:
    """Tell whether a broken sequence goes through position u."""
    if holds_short_broken(counter.dense, counter.slots, labels, u, demand):
        return True
    return demand.size >= 4 and _holds_longer_broken(counter, labels, u, demand)


@njit(**BORROWING)
def holds_short_broken(
    dense: NDArray[np.int32], slots: NDArray[np.int64], labels: NDArray[np.int32], u: int, demand: Demand
) -> bool:
    """Tell whether a broken sequence of up to three labels goes through position u."""
    n, base, k = labels.size, demand.base, demand.k
    mine = np.int64(labels[u]) + 1
    if is_broken(dense, slots, mine, k, demand):
        return True
    if demand.size >= 2:
        for j in range(n):
            other = np.int64(labels[j]) + 1
            if j != u and is_broken(dense, slots, other * base + mine if j < u else mine * base + other, k, demand):
                return True
    if demand.size >= 3:
        for i in range(n):
            first_label = np.int64(labels[i]) + 1
            for j in range(i + 1, n):
                if u in (i, j):
                    continue
                two = np.int64(labels[j]) + 1
                if u < i:
                    key = (mine * base + first_label) * base + two
                elif u < j:
                    key = (first_label * base + mine) * base + two
                else:
                    key = (first_label * base + two) * base + mine
                if is_broken(dense, slots, key, k, demand):
                    return True
    return False


@njit(cache=True, nogil=True)
def _holds_longer_broken(counter: Counter, labels: NDArray[np.int32], u: int, demand: Demand) -> bool:
    """Tell the same of sequences of four labels and more."""
    dense, slots = counter.dense, counter.slots
    others = np.empty(labels.size, np.int64)
    count = 0
    for j in range(labels.size):
        if j != u:
            others[count] = j
            count += 1
    at = np.empty(demand.size, np.int64)
    for more in range(3, demand.size):
        if more > count:
            break
        for i in range(more):
            at[i] = i
        while True:
            if is_broken(dense, slots, encode_key(labels, others, at, more, u, demand.base), demand.k, demand):
                return True
            if not advance(at, more, count):
                break
    return False
