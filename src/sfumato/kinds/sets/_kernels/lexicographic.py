"""Lists of numbers in the order of a dictionary: by their first number, then by their second, and so on."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["order_lists"]


@njit(cache=True, nogil=True)
def order_lists(offsets: NDArray[np.int64], values: NDArray[np.int32]) -> NDArray[np.int64]:
    """Order lists lexicographically; a list comes after its own beginnings, equal lists keep their order.

    Examples
    --------
    >>> order_lists(np.array([0, 2, 3, 3, 5]), np.array([1, 2, 1, 0, 9], np.int32)).tolist()
    [2, 3, 1, 0]
    """
    count = offsets.size - 1
    order, spare = np.arange(count), np.empty(count, np.int64)
    width = 1
    while width < count:
        for low in range(0, count, 2 * width):
            middle = min(low + width, count)
            high = min(low + 2 * width, count)
            left, right = low, middle
            for at in range(low, high):
                if right >= high or (left < middle and not _is_less(offsets, values, order[right], order[left])):
                    spare[at] = order[left]
                    left += 1
                else:
                    spare[at] = order[right]
                    right += 1
        order, spare = spare, order
        width *= 2
    return order


@njit(cache=True, nogil=True)
def _is_less(offsets: NDArray[np.int64], values: NDArray[np.int32], row: int, other: int) -> bool:
    a, b = offsets[row], offsets[other]
    while a < offsets[row + 1] and b < offsets[other + 1]:
        if values[a] != values[b]:
            return bool(values[a] < values[b])
        a += 1
        b += 1
    return bool(a == offsets[row + 1] and b < offsets[other + 1])
