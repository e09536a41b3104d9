"""Rows as sets of codes that are united or dropped step by step."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "Baskets",
    "drop_code",
    "fill_baskets",
    "find_code",
    "find_support",
    "map_rows",
    "read_image",
    "remove_at",
    "replace_at",
]


class Baskets(NamedTuple):
    """Rows of codes as they are now, and the way from each code to what became of it.

    Attributes
    ----------
    offsets, codes, lengths
        Row r holds the ascending ``codes[offsets[r] : offsets[r] + lengths[r]]``.
    holder_offsets, holders
        Rows that held each code in the beginning.
    forward
        The code each code is united under, -1 when it was dropped.
    next_member
        The next code united under the same one, -1 at the end.
    support
        Number of rows that hold each code.

    Examples
    --------
    >>> baskets = fill_baskets(np.array([0, 2, 4]), np.array([1, 0, 2, 1], np.int32), np.arange(3), 3)
    >>> baskets.codes.tolist(), baskets.support.tolist()
    ([0, 1, 1, 2], [1, 2, 1])
    """

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    lengths: NDArray[np.int64]
    holder_offsets: NDArray[np.int64]
    holders: NDArray[np.int64]
    forward: NDArray[np.int32]
    next_member: NDArray[np.int32]
    support: NDArray[np.int64]


def fill_baskets(offsets: NDArray[np.int64], codes: NDArray[np.int32], image: NDArray[np.int64], base: int) -> Baskets:
    """Make baskets of the rows with every code replaced by its image; an image of -1 is left out.

    Images run from 0 to ``base - 1``.
    """
    new_offsets, new_codes = map_rows(offsets, codes, np.asarray(image, np.int64))
    support = np.bincount(new_codes, minlength=base).astype(np.int64)
    holder_offsets = np.concatenate([[0], np.cumsum(support)]).astype(np.int64)
    holders = _list_holders(new_offsets, new_codes, holder_offsets)
    return Baskets(
        new_offsets,
        new_codes,
        np.diff(new_offsets),
        holder_offsets,
        holders,
        np.arange(base, dtype=np.int32),
        np.full(base, -1, np.int32),
        support,
    )


@njit(cache=True, nogil=True)
def map_rows(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], image: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Replace every code by its image, and return the rows as ascending sets; an image of -1 is left out.

    Examples
    --------
    >>> [part.tolist() for part in map_rows(np.array([0, 3, 4]), np.array([2, 0, 1, 1], np.int32), np.array([1, 1, 0]))]
    [[0, 2, 3], [0, 1, 1]]
    """
    new_offsets = np.zeros(offsets.size, np.int64)
    mapped = np.empty(codes.size, np.int32)
    write = 0
    for row in range(offsets.size - 1):
        start = write
        for at in range(offsets[row], offsets[row + 1]):
            code = image[codes[at]]
            if code >= 0:
                mapped[write] = code
                write += 1
        part = np.sort(mapped[start:write])
        write = start
        for at in range(part.size):
            if at == 0 or part[at] != part[at - 1]:
                mapped[write] = part[at]
                write += 1
        new_offsets[row + 1] = write
    return new_offsets, mapped[:write].copy()


@njit(cache=True, nogil=True)
def _list_holders(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], holder_offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    holders = np.empty(codes.size, np.int64)
    write = holder_offsets[:-1].copy()
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            holders[write[codes[at]]] = row
            write[codes[at]] += 1
    return holders


@njit(cache=True, nogil=True)
def find_code(baskets: Baskets, row: int, code: int) -> int:
    """Find where a row holds a code: an index into the codes, or -1."""
    low = baskets.offsets[row]
    high = low + baskets.lengths[row]
    end = high
    while low < high:
        middle = (low + high) >> 1
        if baskets.codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low if low < end and baskets.codes[low] == code else -1


@njit(cache=True, nogil=True)
def remove_at(baskets: Baskets, row: int, at: int) -> None:
    """Take the code at `at` out of a row, and close the gap."""
    last = baskets.offsets[row] + baskets.lengths[row] - 1
    for i in range(at, last):
        baskets.codes[i] = baskets.codes[i + 1]
    baskets.lengths[row] -= 1


@njit(cache=True, nogil=True)
def replace_at(baskets: Baskets, row: int, at: int, code: int) -> None:
    """Put a code in place of the one at `at`, and move it to where it belongs."""
    first = baskets.offsets[row]
    last = first + baskets.lengths[row] - 1
    while at > first and baskets.codes[at - 1] > code:
        baskets.codes[at] = baskets.codes[at - 1]
        at -= 1
    while at < last and baskets.codes[at + 1] < code:
        baskets.codes[at] = baskets.codes[at + 1]
        at += 1
    baskets.codes[at] = code


@njit(cache=True, nogil=True)
def drop_code(baskets: Baskets, gone: int) -> None:
    """Remove a code, and what is united under it, from all rows.

    Examples
    --------
    >>> baskets = fill_baskets(np.array([0, 2, 4]), np.array([0, 1, 1, 2], np.int32), np.arange(3), 3)
    >>> drop_code(baskets, 1)
    >>> baskets.lengths.tolist(), baskets.forward.tolist()
    ([1, 1], [0, -1, 2])
    """
    member = gone
    while member >= 0:
        for i in range(baskets.holder_offsets[member], baskets.holder_offsets[member + 1]):
            row = baskets.holders[i]
            at = find_code(baskets, row, gone)
            if at >= 0:
                remove_at(baskets, row, at)
        baskets.forward[member] = -1
        member = baskets.next_member[member]
    baskets.support[gone] = 0


@njit(cache=True, nogil=True)
def read_image(baskets: Baskets, codes: NDArray[np.int64], image: NDArray[np.int64]) -> int:
    """Write the distinct codes an itemset has become, ascending, and return how many are left.

    Examples
    --------
    >>> baskets = fill_baskets(np.array([0, 2]), np.array([0, 1], np.int32), np.arange(2), 2)
    >>> image = np.empty(2, np.int64)
    >>> read_image(baskets, np.array([1, 0]), image), image.tolist()
    (2, [0, 1])
    """
    length = 0
    for i in range(codes.size):
        code = baskets.forward[codes[i]]
        at = length
        while at > 0 and image[at - 1] > code:
            at -= 1
        if code < 0 or (at > 0 and image[at - 1] == code):
            continue
        for j in range(length, at, -1):
            image[j] = image[j - 1]
        image[at] = code
        length += 1
    return length


@njit(cache=True, nogil=True)
def find_support(baskets: Baskets, itemset: NDArray[np.int64], length: int, enough: int) -> int:
    """Find how many rows hold the first `length` codes of an itemset, or `enough` when there are at least so many.

    Examples
    --------
    >>> baskets = fill_baskets(np.array([0, 2, 4]), np.array([0, 1, 1, 2], np.int32), np.arange(3), 3)
    >>> find_support(baskets, np.array([1, 2]), 2, 9), find_support(baskets, np.array([1]), 1, 1)
    (1, 1)
    """
    rarest = itemset[0]
    for i in range(1, length):
        if baskets.support[itemset[i]] < baskets.support[rarest]:
            rarest = itemset[i]
    if length == 1 or baskets.support[rarest] == 0:
        return int(min(baskets.support[rarest], enough))
    rows = np.empty(enough, np.int64)
    count = 0
    member = rarest
    while member >= 0 and count < enough:
        for i in range(baskets.holder_offsets[member], baskets.holder_offsets[member + 1]):
            row = baskets.holders[i]
            holds = True
            for j in range(length):
                if find_code(baskets, row, itemset[j]) < 0:
                    holds = False
                    break
            # Two members may bring the same row.
            for j in range(count):
                holds = holds and rows[j] != row
            if holds:
                rows[count] = row
                count += 1
                if count == enough:
                    break
        member = baskets.next_member[member]
    return count
