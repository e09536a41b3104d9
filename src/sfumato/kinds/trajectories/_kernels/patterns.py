"""Frequent sequential patterns of ragged rows of single items.

A pattern is an ordered list of items; a row contains it when deleting items from the row leaves the
pattern (gaps allowed, repeated items count). Its support is the number of rows that contain it.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.trajectories._kernels.prefixspan import (
    DEPTH,
    ITEM,
    PARENT,
    SUPPORT,
    count_items,
    index_suffixes,
    mine_depth_first,
    rank_best_first,
)

__all__ = ["Patterns", "contains", "frequent_patterns", "top_patterns"]


class Patterns(NamedTuple):
    """Patterns as ragged rows of item codes, with the number of rows that contain each.

    Examples
    --------
    >>> Patterns(np.array([0, 1, 3]), np.array([7, 7, 9]), np.array([5, 4])).supports.tolist()
    [5, 4]
    """

    offsets: NDArray[np.int64]
    values: NDArray[np.int32]
    supports: NDArray[np.int64]


def frequent_patterns(
    offsets: NDArray[np.int64], values: NDArray[np.int32], min_support: int, max_length: int = 0
) -> Patterns:
    """Find every pattern that at least `min_support` rows contain.

    Parameters
    ----------
    offsets
        Row r holds ``values[offsets[r]:offsets[r + 1]]``.
    values
        Item codes, 0 or more.
    min_support
        Smallest number of rows; below 1 means 1.
    max_length
        Longest pattern wanted; 0 sets no limit.

    Returns
    -------
    Patterns
        In lexicographic order of the codes, a prefix before its extensions.

    Examples
    --------
    >>> offsets, values = np.array([0, 3, 5, 7]), np.array([0, 1, 0, 0, 0, 1, 0])
    >>> found = frequent_patterns(offsets, values, min_support=2)
    >>> [p.tolist() for p in np.split(found.values, found.offsets[1:-1])], found.supports.tolist()
    ([[0], [0, 0], [1], [1, 0]], [3, 2, 2, 2])

    References
    ----------
    J. Pei et al., "PrefixSpan: mining sequential patterns efficiently by prefix-projected pattern
    growth", ICDE 2001, Section 3.
    """
    offsets, values = _as_list_column(offsets, values)
    supports = count_items(offsets, values, _count_codes(values))
    suffixes = index_suffixes(offsets, values, supports, min_support)
    nodes = mine_depth_first(suffixes, supports.size, min_support, max_length)
    ends = np.concatenate(([0], np.cumsum(nodes[:, 0])))
    return Patterns(ends, _unfold_prefixes(nodes[:, 1], ends), nodes[:, 2].copy())


def top_patterns(offsets: NDArray[np.int64], values: NDArray[np.int32], count: int, max_length: int = 0) -> Patterns:
    """Find the `count` patterns that most rows contain, without mining the others.

    At most `count` patterns are extended, best first, and those that can no longer enter the ranking are
    dropped at once. Memory: one number for each supporter of each ranked pattern not yet extended.

    Parameters
    ----------
    offsets, values
        Rows of item codes, as for `frequent_patterns`.
    count
        How many patterns; all of them when there are fewer.
    max_length
        Longest pattern wanted; 0 sets no limit.

    Returns
    -------
    Patterns
        By support, largest first; ties: shorter first, then lexicographic order of the codes.

    Examples
    --------
    >>> offsets, values = np.array([0, 3, 5, 7]), np.array([0, 1, 0, 0, 0, 1, 0])
    >>> found = top_patterns(offsets, values, count=3)
    >>> [p.tolist() for p in np.split(found.values, found.offsets[1:-1])], found.supports.tolist()
    ([[0], [1], [0, 0]], [3, 2, 2])

    References
    ----------
    G. Poulis, S. Skiadopoulos, G. Loukides, A. Gkoulalas-Divanis, "Select-Organize-Anonymize: a framework
    for trajectory data anonymization", Section III (the frequent subtrajectories of SGA).
    """
    if count < 1:
        return Patterns(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))
    offsets, values = _as_list_column(offsets, values)
    supports = count_items(offsets, values, _count_codes(values))
    floor = 1
    if count <= supports.size:
        # So many single items reach this support that nothing with a rarer item can be in the ranking.
        floor = max(1, int(np.partition(supports, supports.size - count)[supports.size - count]))
    suffixes = index_suffixes(offsets, values, supports, floor)
    nodes, ranking = rank_best_first(suffixes, supports.size, count, max_length)
    ends = np.concatenate(([0], np.cumsum(nodes[ranking, DEPTH])))
    return Patterns(ends, _build_paths(nodes, ranking, ends), nodes[ranking, SUPPORT])


def contains(offsets: NDArray[np.int64], values: NDArray[np.int32], patterns: Patterns) -> NDArray[np.uint8]:
    """Mark which row contains which pattern.

    Parameters
    ----------
    offsets, values
        Rows of item codes, as for `frequent_patterns`.
    patterns
        The patterns to look for; their supports are not read.

    Returns
    -------
    NDArray[np.uint8]
        One line per row and one column per pattern: 1 where the row contains the pattern.

    Examples
    --------
    >>> offsets, values = np.array([0, 3, 5]), np.array([0, 1, 0, 1, 0])
    >>> contains(offsets, values, Patterns(np.array([0, 2, 4]), np.array([0, 0, 1, 0]), np.array([1, 2])))
    array([[1, 1],
           [0, 1]], dtype=uint8)
    """
    offsets, values = _as_list_column(offsets, values)
    pattern_offsets, pattern_values = _as_list_column(patterns.offsets, patterns.values)
    code_count = max(_count_codes(values), _count_codes(pattern_values))
    marks: NDArray[np.uint8] = _match(offsets, values, pattern_offsets, pattern_values, code_count)
    return marks


def _as_list_column(
    offsets: NDArray[np.int64], values: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    return np.ascontiguousarray(offsets, dtype=np.int64), np.ascontiguousarray(values, dtype=np.int32)


def _count_codes(values: NDArray[np.int32]) -> int:
    return int(values.max()) + 1 if values.size else 0


@njit(cache=True, nogil=True)
def _unfold_prefixes(last_items: Any, offsets: Any) -> Any:
    """Write out a depth-first listing: all but the last item stand at the front of the pattern before."""
    values = np.empty(offsets[-1], dtype=np.int32)
    for i in range(last_items.size):
        start, end = offsets[i], offsets[i + 1]
        for at in range(start, end - 1):
            values[at] = values[offsets[i - 1] + at - start]
        values[end - 1] = last_items[i]
    return values


@njit(cache=True, nogil=True)
def _build_paths(nodes: Any, ranking: Any, offsets: Any) -> Any:
    """Write out ranked nodes, from their last item back to the root."""
    values = np.empty(offsets[-1], dtype=np.int32)
    for i in range(ranking.size):
        node = ranking[i]
        for at in range(offsets[i + 1] - 1, offsets[i] - 1, -1):
            values[at] = nodes[node, ITEM]
            node = nodes[node, PARENT]
    return values


@njit(cache=True, nogil=True)
def _chain_by_first_item(pattern_offsets: Any, pattern_values: Any, code_count: Any) -> Any:
    """Link the patterns that begin with the same item; empty patterns are in no chain."""
    heads = np.full(code_count, -1, dtype=np.int64)
    links = np.full(pattern_offsets.size - 1, -1, dtype=np.int64)
    for pattern in range(pattern_offsets.size - 1):
        if pattern_offsets[pattern] < pattern_offsets[pattern + 1]:
            item = pattern_values[pattern_offsets[pattern]]
            links[pattern] = heads[item]
            heads[item] = pattern
    return heads, links


@njit(cache=True, nogil=True)
def _match(offsets: Any, values: Any, pattern_offsets: Any, pattern_values: Any, code_count: Any) -> Any:
    """Read each row once; every pattern waits in the chain of the item it needs next."""
    first_heads, first_links = _chain_by_first_item(pattern_offsets, pattern_values, code_count)
    marks = np.zeros((offsets.size - 1, first_links.size), dtype=np.uint8)
    for pattern in range(first_links.size):
        if pattern_offsets[pattern] == pattern_offsets[pattern + 1]:
            marks[:, pattern] = 1
    heads = np.empty(code_count, dtype=np.int64)
    links = np.empty(first_links.size, dtype=np.int64)
    needed = np.empty(first_links.size, dtype=np.int64)
    # Rows in which the chain of an item was opened and in which the item was read last.
    opened = np.full(code_count, -1, dtype=np.int64)
    read = np.full(code_count, -1, dtype=np.int64)
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            item = values[at]
            pattern = heads[item] if opened[item] == row else -1
            # The chain starts anew: who needs the item once more waits for its next occurrence.
            heads[item] = -1
            opened[item] = row
            if read[item] != row:
                read[item] = row
                beginning = first_heads[item]
                while beginning >= 0:
                    needed[beginning] = pattern_offsets[beginning]
                    links[beginning] = pattern
                    pattern = beginning
                    beginning = first_links[beginning]
            while pattern >= 0:
                following = links[pattern]
                needed[pattern] += 1
                if needed[pattern] == pattern_offsets[pattern + 1]:
                    marks[row, pattern] = 1
                else:
                    wanted = pattern_values[needed[pattern]]
                    links[pattern] = heads[wanted] if opened[wanted] == row else -1
                    heads[wanted] = pattern
                    opened[wanted] = row
                pattern = following
    return marks
