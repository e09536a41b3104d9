"""The cheapest of many, kept in a heap with the dearest on top; of equally cheap ones those with low numbers."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Cheapest", "is_cheaper", "make_heap", "offer"]


class Cheapest(NamedTuple):
    """The cheapest so far; make one with :func:`make_heap`.

    Attributes
    ----------
    price, number, mark
        What they cost, which they are, and what else is to be known of them.
    filled
        One number: how many there are.

    Examples
    --------
    >>> heap = make_heap(2)
    >>> [offer(heap, price, number, 0) for number, price in enumerate([3.0, 1.0, 3.0, 2.0])]
    [True, True, False, True]
    >>> sorted(heap.number.tolist())
    [1, 3]
    """

    price: NDArray[np.float64]
    number: NDArray[np.int64]
    mark: NDArray[np.int64]
    filled: NDArray[np.int64]


@njit(cache=True, nogil=True)
def make_heap(most: int) -> Cheapest:
    """Make room for so many.

    Examples
    --------
    >>> make_heap(3).price.size
    3
    """
    return Cheapest(np.empty(most), np.empty(most, np.int64), np.empty(most, np.int64), np.zeros(1, np.int64))


@njit(cache=True, nogil=True)
def is_cheaper(heap: Cheapest, price: float, number: int) -> bool:
    """Tell whether one would be among the cheapest.

    Examples
    --------
    >>> heap = make_heap(1)
    >>> is_cheaper(heap, 5.0, 7), offer(heap, 5.0, 7, 0), is_cheaper(heap, 5.0, 8), is_cheaper(heap, 5.0, 6)
    (True, True, False, True)
    """
    if heap.filled[0] < heap.price.size:
        return True
    return bool(price < heap.price[0] or (price == heap.price[0] and number < heap.number[0]))


@njit(cache=True, nogil=True)
def offer(heap: Cheapest, price: float, number: int, mark: int) -> bool:
    """Take one up if it is among the cheapest; tell whether it is.

    Examples
    --------
    >>> heap = make_heap(1)
    >>> offer(heap, 5.0, 7, 0), offer(heap, 6.0, 1, 0), heap.number.tolist()
    (True, False, [7])
    """
    if not is_cheaper(heap, price, number):
        return False
    if heap.filled[0] < heap.price.size:
        heap.filled[0] += 1
        at = _rise(heap, heap.filled[0] - 1, price, number)
    else:
        at = _sink(heap, price, number)
    heap.price[at], heap.number[at], heap.mark[at] = price, number, mark
    return True


@njit(cache=True, nogil=True)
def _rise(heap: Cheapest, at: int, price: float, number: int) -> int:
    """Move cheaper ones down, from the end of the heap; tell where a new one belongs."""
    while at > 0:
        above = (at - 1) // 2
        if heap.price[above] > price or (heap.price[above] == price and heap.number[above] > number):
            break
        _move(heap, above, at)
        at = above
    return at


@njit(cache=True, nogil=True)
def _sink(heap: Cheapest, price: float, number: int) -> int:
    """Move dearer ones up, from the top of the heap, which is given up; tell where a new one belongs."""
    at, size = 0, heap.filled[0]
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and (
            heap.price[below + 1] > heap.price[below]
            or (heap.price[below + 1] == heap.price[below] and heap.number[below + 1] > heap.number[below])
        ):
            below += 1
        if heap.price[below] < price or (heap.price[below] == price and heap.number[below] < number):
            break
        _move(heap, below, at)
        at = below
    return at


@njit(cache=True, nogil=True)
def _move(heap: Cheapest, here: int, there: int) -> None:
    heap.price[there], heap.number[there], heap.mark[there] = heap.price[here], heap.number[here], heap.mark[here]
