"""Hulls of classes of records: what a class publishes, what it costs, and what two classes cost together."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.table._kernels.cheapest import make_heap, offer
from sfumato.kinds.table._kernels.prices import SET, Space, price_pair

__all__ = [
    "Hulls",
    "find_partners",
    "form_hulls",
    "join_hulls",
    "price_cell",
    "price_hull",
    "price_joined",
    "price_labels",
    "price_with",
    "take_up",
]

_WORD = 64


class Hulls(NamedTuple):
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
    >>> from sfumato.kinds.table._kernels.prices import RANGE, lay_out
    >>> space = lay_out(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> hulls = form_hulls(space, np.array([0, 0, 1]), 2)
    >>> hulls.low.ravel().tolist(), hulls.high.ravel().tolist(), hulls.records.tolist()
    ([0, 2], [1, 2], [2, 1])
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    missing: NDArray[np.bool_]
    word: NDArray[np.int64]
    bits: NDArray[np.uint64]
    labels: NDArray[np.int64]
    records: NDArray[np.int64]


def form_hulls(space: Space, group: NDArray[np.int64], classes: int) -> Hulls:
    """Form the hulls of classes; records of group -1 are in none.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import lay_out
    >>> space = lay_out(np.array([[0], [2], [-1]]), [SET], [np.array([0.5, 0.5, 0.5])], [1.0])
    >>> hulls = form_hulls(space, np.array([0, 0, 1]), 2)
    >>> price_hull(space, hulls, 0), price_hull(space, hulls, 1), price_joined(space, hulls, 0, 1)
    (0.5, 0.0, 1.0)
    """
    attributes = space.codes.shape[1]
    words = np.where(space.form == SET, -(-space.size // _WORD), 0)
    word = np.concatenate([np.zeros(1, np.int64), np.cumsum(words)])
    hulls = Hulls(
        np.full((classes, attributes), np.iinfo(np.int32).max, np.int32),
        np.full((classes, attributes), -1, np.int32),
        np.zeros((classes, attributes), np.bool_),
        word,
        np.zeros((classes, int(word[-1])), np.uint64),
        np.zeros((classes, attributes), np.int64),
        np.zeros(classes, np.int64),
    )
    _fill_hulls(space, np.asarray(group, np.int64), hulls)
    return hulls


@njit(cache=True, nogil=True)
def _fill_hulls(space: Space, group: NDArray[np.int64], hulls: Hulls) -> None:
    for row in range(group.size):
        if group[row] >= 0:
            take_up(space, hulls, group[row], row)


@njit(cache=True, nogil=True)
def take_up(space: Space, hulls: Hulls, c: int, row: int) -> None:
    """Let a class take up a record.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import lay_out
    >>> space = lay_out(np.array([[0], [2], [2]]), [SET], [np.array([0.5, 0.5, 0.5])], [1.0])
    >>> hulls = form_hulls(space, np.array([0, 0, -1]), 1)
    >>> take_up(space, hulls, 0, 2)
    >>> hulls.labels.tolist(), hulls.records.tolist()
    ([[2]], [3])
    """
    hulls.records[c] += 1
    for d in range(space.form.size):
        code = space.codes[row, d]
        if code < 0:
            hulls.missing[c, d] = True
            continue
        hulls.low[c, d] = min(hulls.low[c, d], code)
        hulls.high[c, d] = max(hulls.high[c, d], code)
        if space.form[d] == SET and not _has_label(hulls, d, c, code, code):
            hulls.bits[c, hulls.word[d] + code // _WORD] |= np.uint64(1) << np.uint64(code % _WORD)
            hulls.labels[c, d] += 1


@njit(cache=True, nogil=True)
def _has_label(hulls: Hulls, d: int, c: int, low: int, high: int) -> bool:
    """Tell whether a class has one of the labels from a lowest to a highest one."""
    for at in range(low // _WORD, high // _WORD + 1):
        word = hulls.bits[c, hulls.word[d] + at]
        if at == high // _WORD and high % _WORD < _WORD - 1:
            word &= (np.uint64(1) << np.uint64(high % _WORD + 1)) - np.uint64(1)
        if at == low // _WORD:
            word = word >> np.uint64(low % _WORD)
        if word != np.uint64(0):
            return True
    return False


@njit(cache=True, nogil=True)
def price_labels(space: Space, hulls: Hulls, d: int, c: int, low: int, high: int) -> float:
    """Price the labels of a class with a further one from a lowest to a highest; the cheapest of these counts.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import lay_out
    >>> space = lay_out(np.array([[0], [3]]), [SET], [np.full(3, 0.5)], [1.0])
    >>> hulls = form_hulls(space, np.zeros(2, np.int64), 1)
    >>> price_labels(space, hulls, 0, 0, 1, 2), price_labels(space, hulls, 0, 0, 1, 3)
    (0.75, 0.5)
    """
    labels = hulls.labels[c, d] + (0 if _has_label(hulls, d, c, low, high) else 1)
    return float(space.weight[d] * (labels / space.size[d])) if labels > 1 else 0.0


@njit(cache=True, nogil=True)
def price_with(space: Space, hulls: Hulls, c: int, codes: NDArray[np.int32]) -> float:
    """Price what a class would publish, had it a further record with these values.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import RANGE, lay_out
    >>> space = lay_out(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> hulls = form_hulls(space, np.array([0, 0, -1]), 1)
    >>> [price_with(space, hulls, 0, np.array([code])) for code in (1, 2, -1)]
    [0.25, 1.0, 1.0]
    """
    total = 0.0
    for d in range(space.form.size):
        code = codes[d]
        least, most = hulls.low[c, d], hulls.high[c, d]
        if least > most:
            total += 0.0 if code < 0 else space.weight[d]
        elif code < 0 or hulls.missing[c, d]:
            total += space.weight[d]
        elif space.form[d] != SET:
            total += price_pair(space, d, min(least, code), max(most, code))
        else:
            total += price_labels(space, hulls, d, c, code, code)
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
def _price_cells(space: Space, hulls: Hulls, d: int, a: int, b: int) -> float:
    """Price the cell of an attribute when two classes, or one given twice, are published alike."""
    low, high = min(hulls.low[a, d], hulls.low[b, d]), max(hulls.high[a, d], hulls.high[b, d])
    if low >= high and not (hulls.missing[a, d] or hulls.missing[b, d]):
        return 0.0
    if hulls.missing[a, d] or hulls.missing[b, d]:
        return float(space.weight[d]) if low <= high else 0.0
    if space.form[d] != SET:
        return float(price_pair(space, d, low, high))
    labels = 0
    for at in range(hulls.word[d], hulls.word[d + 1]):
        labels += _count_bits(hulls.bits[a, at] | hulls.bits[b, at])
    return float(space.weight[d] * (labels / space.size[d]))


@njit(cache=True, nogil=True)
def price_cell(space: Space, hulls: Hulls, d: int, c: int) -> float:
    """Price what a class publishes of an attribute.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import RANGE, lay_out
    >>> space = lay_out(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> price_cell(space, form_hulls(space, np.array([0, 0, 1]), 2), 0, 0)
    0.25
    """
    return float(_price_cells(space, hulls, d, c, c))


@njit(cache=True, nogil=True)
def price_hull(space: Space, hulls: Hulls, c: int) -> float:
    """Price what a class publishes of one record: the sum over the attributes.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import lay_out
    >>> space = lay_out(np.array([[0], [2], [-1]]), [SET], [np.array([0.5, 0.5, 0.5])], [1.0])
    >>> price_hull(space, form_hulls(space, np.array([0, 0, 1]), 2), 0)
    0.5
    """
    total = 0.0
    for d in range(space.form.size):
        total += _price_cells(space, hulls, d, c, c)
    return total


@njit(cache=True, nogil=True)
def price_joined(space: Space, hulls: Hulls, a: int, b: int) -> float:
    """Price what two classes publish of one record when they have become one.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import lay_out
    >>> space = lay_out(np.array([[0], [2], [-1]]), [SET], [np.array([0.5, 0.5, 0.5])], [1.0])
    >>> price_joined(space, form_hulls(space, np.array([0, 1, 2]), 3), 0, 1)
    0.5
    """
    total = 0.0
    for d in range(space.form.size):
        total += _price_cells(space, hulls, d, a, b)
    return total


@njit(cache=True, nogil=True)
def join_hulls(hulls: Hulls, into: int, gone: int) -> None:
    """Let a class take up another one.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import RANGE, lay_out
    >>> space = lay_out(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> hulls = form_hulls(space, np.array([0, 0, 1]), 2)
    >>> join_hulls(hulls, 0, 1)
    >>> hulls.records.tolist(), price_hull(space, hulls, 0)
    ([3, 0], 1.0)
    """
    for d in range(hulls.low.shape[1]):
        hulls.low[into, d] = min(hulls.low[into, d], hulls.low[gone, d])
        hulls.high[into, d] = max(hulls.high[into, d], hulls.high[gone, d])
        hulls.missing[into, d] |= hulls.missing[gone, d]
        hulls.labels[into, d] = 0
        for at in range(hulls.word[d], hulls.word[d + 1]):
            hulls.bits[into, at] |= hulls.bits[gone, at]
            hulls.labels[into, d] += _count_bits(hulls.bits[into, at])
    hulls.records[into] += hulls.records[gone]
    hulls.records[gone] = 0


@njit(cache=True, nogil=True)
def find_partners(
    space: Space, hulls: Hulls, price: NDArray[np.float64], live: NDArray[np.int64], c: int, most: int
) -> NDArray[np.int64]:
    """Find the classes that a class can join at the least loss for all records of both, the best first.

    Parameters
    ----------
    space, hulls
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
    >>> from sfumato.kinds.table._kernels.prices import RANGE, lay_out
    >>> space = lay_out(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> find_partners(space, form_hulls(space, np.arange(3), 3), np.zeros(3), np.arange(3), 2, 2).tolist()
    [1, 0]
    """
    heap = make_heap(most)
    for other in live:
        if other == c:
            continue
        both = hulls.records[c] + hulls.records[other]
        alone = hulls.records[c] * price[c] + hulls.records[other] * price[other]
        total = 0.0
        for d in range(space.form.size):
            low, high = min(hulls.low[c, d], hulls.low[other, d]), max(hulls.high[c, d], hulls.high[other, d])
            if hulls.missing[c, d] or hulls.missing[other, d]:
                total += space.weight[d] if low <= high else 0.0
            elif space.form[d] != SET:
                total += price_pair(space, d, low, high)
            else:
                total += _price_cells(space, hulls, d, c, other)
            # What further attributes add only makes it worse.
            if heap.found[0] == most and both * total - alone > heap.price[0]:
                break
        offer(heap, both * total - alone, other, 0)
    # Equally good ones by their numbers: sort by number first, then by price, keeping that order.
    order = np.argsort(heap.number[: heap.found[0]])
    order = order[np.argsort(heap.price[order], kind="mergesort")]
    partners: NDArray[np.int64] = heap.number[order]
    return partners
