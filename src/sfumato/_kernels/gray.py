"""Gray order of bit keys: neighbours in the order differ in few bits.

Read as a Gray code, a key stands for the number whose every bit is the parity of the key's ones up to
there. Keys are turned into 64-bit words that compare, word by word, as these numbers do; the rows are then
sorted by their first words, those that agree by their second words, and so on.

References
----------
G. Poulis, S. Skiadopoulos, G. Loukides, A. Gkoulalas-Divanis, "Select-Organize-Anonymize: a framework for
trajectory data anonymization", Section III (the Organize step).
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["gray_order", "gray_order_sparse"]

_SMALL = 24  # groups up to this size are sorted by insertion
_LARGE = 4096  # groups from this size on are sorted by digits
_DIGIT = 11
_DIGIT_COUNT = 6  # digits of 11 bits that cover a word


def gray_order(keys: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Order rows by their keys read as Gray codes.

    Parameters
    ----------
    keys
        One row of zeros and ones per record; column 0 is the most significant bit.

    Returns
    -------
    NDArray[np.int64]
        Row numbers, smallest rank first; equal keys keep the order of their rows.

    Examples
    --------
    >>> gray_order(np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=np.uint8)).tolist()
    [3, 2, 1, 0]
    """
    row_count, bits = keys.shape
    word_count = -(-bits // 64)
    packed = np.zeros((row_count, word_count * 8), dtype=np.uint8)
    packed[:, : -(-bits // 8)] = np.packbits(keys, axis=1)
    words = packed.view(">u8").astype(np.uint64)
    for shift in (1, 2, 4, 8, 16, 32):
        words ^= words >> np.uint64(shift)
    # The last bit of a word is now its parity; an odd number of ones before a word flips all its bits.
    parity = np.bitwise_xor.accumulate(words & np.uint64(1), axis=1)[:, :-1]
    words[:, 1:] ^= np.uint64(0) - parity
    offsets = np.arange(row_count + 1, dtype=np.int64) * word_count
    return _order(offsets, words.ravel())


def gray_order_sparse(offsets: NDArray[np.int64], columns: NDArray[np.int32], bits: int) -> NDArray[np.int64]:
    """Order rows by their keys read as Gray codes, given only the positions of the ones.

    Parameters
    ----------
    offsets
        The ones of row r stand at ``columns[offsets[r]:offsets[r + 1]]``.
    columns
        Positions from 0 (most significant) to ``bits - 1``, distinct in each row, in any order.
    bits
        Length of the keys.

    Returns
    -------
    NDArray[np.int64]
        Row numbers, smallest rank first; equal keys keep the order of their rows.

    Notes
    -----
    Where two keys first differ, the ones before are the same in both. If their number is even, the row
    without the one comes first, and that is the row whose next one stands further right, or that has no
    more; if it is odd, it is the other way round. So the sorted positions, turned about at every second
    place and closed by a mark for "no more", compare like words of letters.

    Examples
    --------
    >>> gray_order_sparse(np.array([0, 1, 3, 4, 4]), np.array([0, 1, 0, 1]), bits=2).tolist()
    [3, 2, 1, 0]
    """
    offsets = np.ascontiguousarray(offsets, dtype=np.int64)
    ascending = np.array(columns, dtype=np.int32)
    _sort_rows(offsets, ascending)
    width = max(int(bits).bit_length(), 1)
    word_counts = np.diff(offsets) // (64 // width) + 1
    word_offsets = np.concatenate(([0], np.cumsum(word_counts)))
    return _order(word_offsets, _encode(offsets, ascending, bits, width, word_offsets))


def _order(offsets: NDArray[np.int64], words: NDArray[np.uint64]) -> NDArray[np.int64]:
    order: NDArray[np.int64] = _order_words(offsets, words)
    return order


@njit(cache=True, nogil=True)
def _sort_rows(offsets: Any, columns: Any) -> None:
    """Sort every row in place."""
    for row in range(offsets.size - 1):
        start, end = offsets[row], offsets[row + 1]
        if end - start > _SMALL:
            columns[start:end] = np.sort(columns[start:end])
            continue
        for at in range(start + 1, end):
            column = columns[at]
            while at > start and columns[at - 1] > column:
                columns[at] = columns[at - 1]
                at -= 1
            columns[at] = column


@njit(cache=True, nogil=True)
def _encode(offsets: Any, columns: Any, bits: Any, width: Any, word_offsets: Any) -> Any:
    """Write the ones of each row as letters of `width` bits, as many as fit into a word."""
    words = np.zeros(word_offsets[-1], dtype=np.uint64)
    per_word = 64 // width
    for row in range(offsets.size - 1):
        ones = offsets[row + 1] - offsets[row]
        for i in range(ones + 1):
            column = columns[offsets[row] + i] if i < ones else bits
            letter = bits - column if i % 2 == 0 else column
            shift = 64 - width * (i % per_word + 1)
            words[word_offsets[row] + i // per_word] |= np.uint64(letter) << np.uint64(shift)
    return words


@njit(cache=True, nogil=True)
def _order_words(offsets: Any, words: Any) -> Any:
    """Sort rows of words lexicographically and stably; of two rows none is the beginning of the other."""
    row_count = offsets.size - 1
    order = np.arange(row_count)
    keys = np.empty(row_count, dtype=np.uint64)
    spare_order = np.empty(row_count, dtype=np.int64)
    spare_keys = np.empty(row_count, dtype=np.uint64)
    # Groups of at least two rows that agree so far: first, end, words that agree.
    groups = np.zeros((row_count // 2 + 1, 3), dtype=np.int64)
    groups[0, 1] = row_count
    group_count = 1 if words.size else 0
    while group_count > 0:
        group_count -= 1
        low, high, depth = groups[group_count]
        for at in range(low, high):
            keys[at] = words[offsets[order[at]] + depth]
        _sort_group(keys[low:high], order[low:high], spare_keys[low:high], spare_order[low:high])
        start = low
        for at in range(low + 1, high + 1):
            if at < high and keys[at] == keys[start]:
                continue
            row = order[start]
            if at - start > 1 and offsets[row + 1] - offsets[row] > depth + 1:
                groups[group_count, 0] = start
                groups[group_count, 1] = at
                groups[group_count, 2] = depth + 1
                group_count += 1
            start = at
    return order


@njit(cache=True, nogil=True)
def _sort_group(keys: Any, order: Any, spare_keys: Any, spare_order: Any) -> None:
    """Sort keys, and the row numbers with them, stably and in place."""
    if keys.size >= _LARGE:
        _sort_by_digits(keys, order, spare_keys, spare_order)
        return
    for start in range(0, keys.size, _SMALL):
        _sort_by_insertion(keys, order, start, min(start + _SMALL, keys.size))
    width = _SMALL
    while width < keys.size:
        for low in range(0, keys.size - width, 2 * width):
            high = min(low + 2 * width, keys.size)
            _merge(keys[low:high], order[low:high], spare_keys, spare_order, width)
        width *= 2


@njit(cache=True, nogil=True)
def _sort_by_insertion(keys: Any, order: Any, start: Any, end: Any) -> None:
    for at in range(start + 1, end):
        key, row = keys[at], order[at]
        while at > start and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            order[at] = order[at - 1]
            at -= 1
        keys[at] = key
        order[at] = row


@njit(cache=True, nogil=True)
def _merge(keys: Any, order: Any, spare_keys: Any, spare_order: Any, middle: Any) -> None:
    """Merge the sorted parts before and from `middle` on; only the first is copied aside."""
    spare_keys[:middle] = keys[:middle]
    spare_order[:middle] = order[:middle]
    left, right, at = 0, middle, 0
    while left < middle:
        if right < keys.size and keys[right] < spare_keys[left]:
            keys[at] = keys[right]
            order[at] = order[right]
            right += 1
        else:
            keys[at] = spare_keys[left]
            order[at] = spare_order[left]
            left += 1
        at += 1


@njit(cache=True, nogil=True)
def _sort_by_digits(keys: Any, order: Any, spare_keys: Any, spare_order: Any) -> None:
    """Sort from the last digit to the first, leaving out digits that all keys share."""
    all_counts = np.zeros((_DIGIT_COUNT, 1 << _DIGIT), dtype=np.int64)
    mask = np.uint64((1 << _DIGIT) - 1)
    for key in keys:
        for digit in range(_DIGIT_COUNT):
            all_counts[digit, np.int64((key >> np.uint64(digit * _DIGIT)) & mask)] += 1
    for digit in range(_DIGIT_COUNT):
        shift = np.uint64(digit * _DIGIT)
        counts = all_counts[digit]
        if counts[np.int64((keys[0] >> shift) & mask)] == keys.size:
            continue
        counts[1:] = np.cumsum(counts)[:-1]
        counts[0] = 0
        for at in range(keys.size):
            value = np.int64((keys[at] >> shift) & mask)
            spare_keys[counts[value]] = keys[at]
            spare_order[counts[value]] = order[at]
            counts[value] += 1
        keys[:] = spare_keys
        order[:] = spare_order
