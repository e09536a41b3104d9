"""Hulls of classes of records: what a class publishes, what it costs, and what two classes cost together."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.table._kernels.cheapest import make_heap, offer
from sfumato.kinds.table._kernels.prices import SET, Space, price_pair

__all__ = [
    "ClassBounds",
    "bound_classes",
    "find_partners",
    "merge_bounds",
    "price_cell",
    "price_class",
    "price_joined",
    "price_labels",
    "price_with",
    "take_up",
]

_WORD = 64


class ClassBounds(NamedTuple):
    """The values of every class.

    Attributes
    ----------
    low, high
        By class and attribute: the lowest and highest number of a value; `low` is above `high` where all are missing.
    missing
        By class and attribute: whether a value is missing.
    word, bits
        By attribute the first word of its labels, and by class the labels it has: a bit each, where sets are published.
    labels
        By class and attribute: how many labels it has, where sets are published.
    records
        By class: how many records it has; 0 once it has joined another.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import RANGE, build_space
    >>> space = build_space(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> bounds = bound_classes(space, np.array([0, 0, 1]), 2)
    >>> bounds.low.ravel().tolist(), bounds.high.ravel().tolist(), bounds.records.tolist()
    ([0, 2], [1, 2], [2, 1])
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    missing: NDArray[np.bool_]
    word: NDArray[np.int64]
    bits: NDArray[np.uint64]
    labels: NDArray[np.int64]
    records: NDArray[np.int64]


def bound_classes(space: Space, group: NDArray[np.int64], classes: int) -> ClassBounds:
    """Form the hulls of classes; records of group -1 are in none.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import build_space
    >>> space = build_space(np.array([[0], [2], [-1]]), [SET], [np.array([0.5, 0.5, 0.5])], [1.0])
    >>> bounds = bound_classes(space, np.array([0, 0, 1]), 2)
    >>> price_class(space, bounds, 0), price_class(space, bounds, 1), price_joined(space, bounds, 0, 1)
    (0.5, 0.0, 1.0)
    """
    attributes = space.codes.shape[1]
    words = np.where(space.form == SET, -(-space.size // _WORD), 0)
    word = np.concatenate([np.zeros(1, np.int64), np.cumsum(words)])
    bounds = ClassBounds(
        np.full((classes, attributes), np.iinfo(np.int32).max, np.int32),
        np.full((classes, attributes), -1, np.int32),
        np.zeros((classes, attributes), np.bool_),
        word,
        np.zeros((classes, int(word[-1])), np.uint64),
        np.zeros((classes, attributes), np.int64),
        np.zeros(classes, np.int64),
    )
    _fill_bounds(space, np.asarray(group, np.int64), bounds)
    return bounds


@njit(cache=True, nogil=True)
def _fill_bounds(space: Space, group: NDArray[np.int64], bounds: ClassBounds) -> None:
    for row in range(group.size):
        if group[row] >= 0:
            take_up(space, bounds, group[row], row)


@njit(cache=True, nogil=True)
def take_up(space: Space, bounds: ClassBounds, c: int, row: int) -> None:
    """Let a class take up a record.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import build_space
    >>> space = build_space(np.array([[0], [2], [2]]), [SET], [np.array([0.5, 0.5, 0.5])], [1.0])
    >>> bounds = bound_classes(space, np.array([0, 0, -1]), 1)
    >>> take_up(space, bounds, 0, 2)
    >>> bounds.labels.tolist(), bounds.records.tolist()
    ([[2]], [3])
    """
    bounds.records[c] += 1
    for d in range(space.form.size):
        code = space.codes[row, d]
        if code < 0:
            bounds.missing[c, d] = True
            continue
        bounds.low[c, d] = min(bounds.low[c, d], code)
        bounds.high[c, d] = max(bounds.high[c, d], code)
        if space.form[d] == SET and not _has_label(bounds, d, c, code, code):
            bounds.bits[c, bounds.word[d] + code // _WORD] |= np.uint64(1) << np.uint64(code % _WORD)
            bounds.labels[c, d] += 1


@njit(cache=True, nogil=True)
def _has_label(bounds: ClassBounds, d: int, c: int, low: int, high: int) -> bool:
    """Tell whether a class has one of the labels from a lowest to a highest one."""
    for at in range(low // _WORD, high // _WORD + 1):
        word = bounds.bits[c, bounds.word[d] + at]
        if at == high // _WORD and high % _WORD < _WORD - 1:
            word &= (np.uint64(1) << np.uint64(high % _WORD + 1)) - np.uint64(1)
        if at == low // _WORD:
            word = word >> np.uint64(low % _WORD)
        if word != np.uint64(0):
            return True
    return False


@njit(cache=True, nogil=True)
def price_labels(space: Space, bounds: ClassBounds, d: int, c: int, low: int, high: int) -> float:
    """Price the labels of a class with a further one from a lowest to a highest; the cheapest of these counts.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import build_space
    >>> space = build_space(np.array([[0], [3]]), [SET], [np.full(3, 0.5)], [1.0])
    >>> bounds = bound_classes(space, np.zeros(2, np.int64), 1)
    >>> price_labels(space, bounds, 0, 0, 1, 2), price_labels(space, bounds, 0, 0, 1, 3)
    (0.75, 0.5)
    """
    labels = bounds.labels[c, d] + (0 if _has_label(bounds, d, c, low, high) else 1)
    return float(space.weight[d] * (labels / space.size[d])) if labels > 1 else 0.0


@njit(cache=True, nogil=True)
def price_with(space: Space, bounds: ClassBounds, c: int, codes: NDArray[np.int32]) -> float:
    """Price what a class would publish, had it a further record with these values.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import RANGE, build_space
    >>> space = build_space(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> bounds = bound_classes(space, np.array([0, 0, -1]), 1)
    >>> [price_with(space, bounds, 0, np.array([code])) for code in (1, 2, -1)]
    [0.25, 1.0, 1.0]
    """
    total = 0.0
    for d in range(space.form.size):
        code = codes[d]
        least, most = bounds.low[c, d], bounds.high[c, d]
        if least > most:
            total += 0.0 if code < 0 else space.weight[d]
        elif code < 0 or bounds.missing[c, d]:
            total += space.weight[d]
        elif space.form[d] != SET:
            total += price_pair(space, d, min(least, code), max(most, code))
        else:
            total += price_labels(space, bounds, d, c, code, code)
    return total


@njit(cache=True, nogil=True)
def _count_bits(word: int) -> int:
    """Count the bits of a word that are set; classes have few labels of an attribute."""
    left, count = np.uint64(word), 0
    while left != np.uint64(0):
        left &= left - np.uint64(1)
        count += 1
    return count


@njit(cache=True, nogil=True)
def _price_cells(space: Space, bounds: ClassBounds, d: int, a: int, b: int) -> float:
    """Price the cell of an attribute when two classes, or one given twice, are published alike."""
    low, high = min(bounds.low[a, d], bounds.low[b, d]), max(bounds.high[a, d], bounds.high[b, d])
    if low >= high and not (bounds.missing[a, d] or bounds.missing[b, d]):
        return 0.0
    if bounds.missing[a, d] or bounds.missing[b, d]:
        return float(space.weight[d]) if low <= high else 0.0
    if space.form[d] != SET:
        return float(price_pair(space, d, low, high))
    labels = 0
    for at in range(bounds.word[d], bounds.word[d + 1]):
        labels += _count_bits(bounds.bits[a, at] | bounds.bits[b, at])
    return float(space.weight[d] * (labels / space.size[d]))


@njit(cache=True, nogil=True)
def price_cell(space: Space, bounds: ClassBounds, d: int, c: int) -> float:
    """Price what a class publishes of an attribute.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import RANGE, build_space
    >>> space = build_space(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> price_cell(space, bound_classes(space, np.array([0, 0, 1]), 2), 0, 0)
    0.25
    """
    return float(_price_cells(space, bounds, d, c, c))


@njit(cache=True, nogil=True)
def price_class(space: Space, bounds: ClassBounds, c: int) -> float:
    """Price what a class publishes of one record: the sum over the attributes.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import build_space
    >>> space = build_space(np.array([[0], [2], [-1]]), [SET], [np.array([0.5, 0.5, 0.5])], [1.0])
    >>> price_class(space, bound_classes(space, np.array([0, 0, 1]), 2), 0)
    0.5
    """
    total = 0.0
    for d in range(space.form.size):
        total += _price_cells(space, bounds, d, c, c)
    return total


@njit(cache=True, nogil=True)
def price_joined(space: Space, bounds: ClassBounds, a: int, b: int) -> float:
    """Price what two classes publish of one record when they have become one.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import build_space
    >>> space = build_space(np.array([[0], [2], [-1]]), [SET], [np.array([0.5, 0.5, 0.5])], [1.0])
    >>> price_joined(space, bound_classes(space, np.array([0, 1, 2]), 3), 0, 1)
    0.5
    """
    total = 0.0
    for d in range(space.form.size):
        total += _price_cells(space, bounds, d, a, b)
    return total


@njit(cache=True, nogil=True)
def merge_bounds(bounds: ClassBounds, into: int, gone: int) -> None:
    """Let a class take up another one.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import RANGE, build_space
    >>> space = build_space(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> bounds = bound_classes(space, np.array([0, 0, 1]), 2)
    >>> merge_bounds(bounds, 0, 1)
    >>> bounds.records.tolist(), price_class(space, bounds, 0)
    ([3, 0], 1.0)
    """
    for d in range(bounds.low.shape[1]):
        bounds.low[into, d] = min(bounds.low[into, d], bounds.low[gone, d])
        bounds.high[into, d] = max(bounds.high[into, d], bounds.high[gone, d])
        bounds.missing[into, d] |= bounds.missing[gone, d]
        bounds.labels[into, d] = 0
        for at in range(bounds.word[d], bounds.word[d + 1]):
            bounds.bits[into, at] |= bounds.bits[gone, at]
            bounds.labels[into, d] += _count_bits(bounds.bits[into, at])
    bounds.records[into] += bounds.records[gone]
    bounds.records[gone] = 0


@njit(cache=True, nogil=True)
def find_partners(
    space: Space, bounds: ClassBounds, price: NDArray[np.float64], live: NDArray[np.int64], c: int, most: int
) -> NDArray[np.int64]:
    """Find the classes that a class can join at the least loss for all records of both, the best first.

    Parameters
    ----------
    space, bounds
        Records and classes.
    price
        What each class costs by itself, for one record.
    live
        The classes that there still are.
    c
        The class that looks for others.
    most
        How many are wanted; fewer are found if there are fewer.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import RANGE, build_space
    >>> space = build_space(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> find_partners(space, bound_classes(space, np.arange(3), 3), np.zeros(3), np.arange(3), 2, 2).tolist()
    [1, 0]
    """
    heap = make_heap(most)
    for other in live:
        if other == c:
            continue
        both = bounds.records[c] + bounds.records[other]
        alone = bounds.records[c] * price[c] + bounds.records[other] * price[other]
        total = 0.0
        for d in range(space.form.size):
            low, high = min(bounds.low[c, d], bounds.low[other, d]), max(bounds.high[c, d], bounds.high[other, d])
            if bounds.missing[c, d] or bounds.missing[other, d]:
                total += space.weight[d] if low <= high else 0.0
            elif space.form[d] != SET:
                total += price_pair(space, d, low, high)
            else:
                total += _price_cells(space, bounds, d, c, other)
            # What further attributes add only makes it worse.
            if heap.filled[0] == most and both * total - alone > heap.price[0]:
                break
        offer(heap, both * total - alone, other, 0)
    # Equally good ones by their numbers: sort by number first, then by price, keeping that order.
    order = np.argsort(heap.number[: heap.filled[0]])
    order = order[np.argsort(heap.price[order], kind="mergesort")]
    partners: NDArray[np.int64] = heap.number[order]
    return partners
