"""Growing sequential patterns item by item over rows of single items.

Instead of copying what is left of each row behind a prefix, the search remembers where the leftmost match
of the prefix ends. Three numbers per position make reading on from there short: the item; where the row
had it before (the first occurrence behind a match is the one whose predecessor is not behind the match);
and how many different items are still ahead (once all are seen, the rest of the row is skipped).

References
----------
J. Pei et al., "PrefixSpan: mining sequential patterns efficiently by prefix-projected pattern growth",
ICDE 2001, Section 3.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "DEPTH",
    "ITEM",
    "PARENT",
    "SUPPORT",
    "Suffixes",
    "count_items",
    "index_suffixes",
    "mine_depth_first",
    "rank_best_first",
]

# Columns of the table of nodes that the best-first search fills.
PARENT, ITEM, DEPTH, SUPPORT = 0, 1, 2, 3


class Suffixes(NamedTuple):
    """The rows laid end to end, each behind a slot that stands for its beginning."""

    items: NDArray[np.int32]
    previous: NDArray[np.signedinteger[Any]]  # slot of the same item earlier in the row, or -1
    ahead: NDArray[np.int32]  # how many different items come behind this slot in its row
    starts: NDArray[np.signedinteger[Any]]  # slots of the beginnings


class _Desk(NamedTuple):
    """Room that every step uses again."""

    counts: NDArray[np.int64]  # by item; zeros between steps
    cursors: NDArray[np.int64]  # by item; -1 between steps
    touched: NDArray[np.int32]  # items met in this step
    ends: NDArray[np.signedinteger[Any]]  # slots where matches of this step can be extended further


def index_suffixes(
    offsets: NDArray[np.int64], values: NDArray[np.int32], supports: NDArray[np.int64], floor: int
) -> Suffixes:
    """Keep the items that `floor` rows contain, and the rows that have any of them.

    Examples
    --------
    >>> offsets, values = np.array([0, 3, 4]), np.array([1, 0, 1, 1], dtype=np.int32)
    >>> suffixes = index_suffixes(offsets, values, count_items(offsets, values, 2), floor=2)
    >>> suffixes.items.tolist(), suffixes.previous.tolist(), suffixes.ahead.tolist()
    ([-1, 1, 1, -1, 1], [-1, -1, 1, -1, -1], [1, 1, 0, 1, 0])
    """
    slot_count = values.size + offsets.size
    slot_type: type[np.int32 | np.int64] = np.int32 if slot_count < np.iinfo(np.int32).max else np.int64
    previous = np.empty(slot_count, dtype=slot_type)
    starts = np.empty(offsets.size, dtype=slot_type)
    items, ahead, used, rows = _link(offsets, values, supports >= floor, previous, starts)
    return Suffixes(items[:used], previous[:used], ahead[:used], starts[:rows])


@njit(cache=True, nogil=True)
def count_items(offsets: Any, values: Any, code_count: Any) -> Any:
    """Count the rows that hold each item.

    Examples
    --------
    >>> count_items(np.array([0, 3, 4]), np.array([1, 0, 1, 1], dtype=np.int32), 2).tolist()
    [1, 2]
    """
    supports = np.zeros(code_count, dtype=np.int64)
    last_row = np.full(code_count, -1, dtype=np.int64)
    for row in range(offsets.size - 1):
        for at in range(offsets[row], offsets[row + 1]):
            item = values[at]
            if last_row[item] != row:
                last_row[item] = row
                supports[item] += 1
    return supports


@njit(cache=True, nogil=True)
def _link(offsets: Any, values: Any, wanted: Any, previous: Any, starts: Any) -> Any:
    """Fill the slots of the wanted items; `previous` and `starts` are written in place."""
    items = np.empty(previous.size, dtype=np.int32)
    ahead = np.empty(previous.size, dtype=np.int32)
    last = np.full(wanted.size, -1, dtype=np.int64)
    used, rows = 0, 0
    for row in range(offsets.size - 1):
        start = used
        items[start] = -1
        previous[start] = -1
        used += 1
        for at in range(offsets[row], offsets[row + 1]):
            item = values[at]
            if wanted[item]:
                items[used] = item
                previous[used] = last[item] if last[item] > start else -1
                last[item] = used
                used += 1
        if used == start + 1:
            used = start
            continue
        starts[rows] = start
        rows += 1
        different = 0
        for slot in range(used - 1, start, -1):
            ahead[slot] = different
            if last[items[slot]] == slot:
                different += 1
        ahead[start] = different
    return items, ahead, used, rows


@njit(cache=True, nogil=True)
def _clear_desk(suffixes: Any, code_count: Any) -> Any:
    return _Desk(
        np.zeros(code_count, dtype=np.int64),
        np.full(code_count, -1, dtype=np.int64),
        np.empty(code_count, dtype=np.int32),
        np.empty(suffixes.items.size, dtype=suffixes.previous.dtype),
    )


@njit(cache=True, nogil=True)
def _extend(suffixes: Any, matches: Any, floor: Any, desk: Any) -> Any:
    """List, in order, the items that follow at least `floor` of the matches.

    Leaves their supports in `desk.counts` and the slots where the extended matches end, save those at the
    end of their row, in `desk.ends`; returns the items and the number of these slots.
    """
    items, previous, ahead = suffixes.items, suffixes.previous, suffixes.ahead
    counts, touched, ends = desk.counts, desk.touched, desk.ends
    touched_count, end_count = 0, 0
    for match in matches:
        unseen = ahead[match]
        slot = match
        while unseen > 0:
            slot += 1
            if previous[slot] <= match:
                unseen -= 1
                item = items[slot]
                if counts[item] == 0:
                    touched[touched_count] = item
                    touched_count += 1
                counts[item] += 1
                if ahead[slot] > 0:
                    ends[end_count] = slot
                    end_count += 1
    frequent_count = 0
    for i in range(touched_count):
        item = touched[i]
        if counts[item] >= floor:
            touched[frequent_count] = item
            frequent_count += 1
        else:
            counts[item] = 0
    return np.sort(touched[:frequent_count]), end_count


@njit(cache=True, nogil=True)
def _project(suffixes: Any, pool: Any, end_count: Any, desk: Any) -> None:
    """Write the ends of the extended matches behind the cursors of those items that have one."""
    items, cursors = suffixes.items, desk.cursors
    for slot in desk.ends[:end_count]:
        item = items[slot]
        cursor = cursors[item]
        if cursor >= 0:
            pool[cursor] = slot
            cursors[item] = cursor + 1


@njit(cache=True, nogil=True)
def _grow(array: Any, size: Any) -> Any:
    """Return the array, or a copy with room for twice `size` entries when it has fewer than `size`."""
    if size <= array.shape[0]:
        return array
    larger = np.empty((2 * size, *array.shape[1:]), dtype=array.dtype)
    larger[: array.shape[0]] = array
    return larger


@njit(cache=True, nogil=True)
def mine_depth_first(suffixes: Any, code_count: Any, floor: Any, max_length: Any) -> Any:
    """List all patterns of support `floor` or more, each as (length, last item, support).

    A pattern stands right before its extensions, in order of the codes, so that the lengths tell the
    first items of each.

    Examples
    --------
    >>> offsets, values = np.array([0, 2, 4]), np.array([1, 0, 1, 0], dtype=np.int32)
    >>> suffixes = index_suffixes(offsets, values, count_items(offsets, values, 2), floor=2)
    >>> mine_depth_first(suffixes, 2, 2, 0).tolist()
    [[1, 0, 2], [1, 1, 2], [2, 0, 2]]
    """
    nodes = np.empty((1024, 3), dtype=np.int64)
    node_count = 0
    desk = _clear_desk(suffixes, code_count)
    pool = suffixes.starts.copy()
    # Length, last item, support, and the part of the pool that holds the matches. The top of the stack has
    # the highest part, so its extensions may overwrite all that lies beyond.
    stack = np.zeros((1024, 5), dtype=np.int64)
    stack[0, 4] = suffixes.starts.size
    height = 1
    while height > 0:
        height -= 1
        depth, low, high = stack[height, 0], stack[height, 3], stack[height, 4]
        if depth > 0:
            nodes = _grow(nodes, node_count + 1)
            nodes[node_count] = stack[height, :3]
            node_count += 1
        if low == high:
            continue
        following, end_count = _extend(suffixes, pool[low:high], floor, desk)
        stack = _grow(stack, height + following.size)
        base, free = height, high
        for item in following[::-1]:
            stack[height, 0] = depth + 1
            stack[height, 1] = item
            stack[height, 2] = desk.counts[item]
            stack[height, 3] = free
            desk.cursors[item] = free
            free += desk.counts[item]
            desk.counts[item] = 0
            height += 1
        if depth + 1 != max_length:
            pool = _grow(pool, free)
            _project(suffixes, pool, end_count, desk)
        for at in range(base, height):
            stack[at, 4] = desk.cursors[stack[at, 1]]
            desk.cursors[stack[at, 1]] = -1
    return nodes[:node_count].copy()


@njit(cache=True, nogil=True)
def _precedes(nodes: Any, node: Any, other: Any) -> Any:
    """Tell whether a node ranks before another: support, then length, then order of the codes."""
    if nodes[node, SUPPORT] != nodes[other, SUPPORT]:
        return nodes[node, SUPPORT] > nodes[other, SUPPORT]
    if nodes[node, DEPTH] != nodes[other, DEPTH]:
        return nodes[node, DEPTH] < nodes[other, DEPTH]
    first = False
    while node != other:
        # Walking towards the root, the difference met last is the one that decides.
        if nodes[node, ITEM] != nodes[other, ITEM]:
            first = nodes[node, ITEM] < nodes[other, ITEM]
        node, other = nodes[node, PARENT], nodes[other, PARENT]
    return first


@njit(cache=True, nogil=True)
def _enter(nodes: Any, ranking: Any, ranked: Any, node: Any) -> None:
    """Put a node in its place of the ranking, moving the others back; the last may fall out."""
    low, high = 0, ranked
    while low < high:
        middle = (low + high) // 2
        if _precedes(nodes, ranking[middle], node):
            low = middle + 1
        else:
            high = middle
    for at in range(min(ranked, ranking.size - 1), low, -1):
        ranking[at] = ranking[at - 1]
    ranking[low] = node


@njit(cache=True, nogil=True)
def _can_enter(nodes: Any, ranking: Any, ranked: Any, node: Any) -> Any:
    return ranked < ranking.size or _precedes(nodes, node, ranking[-1])


@njit(cache=True, nogil=True)
def rank_best_first(suffixes: Any, code_count: Any, count: Any, max_length: Any) -> Any:
    """Find the `count` patterns of largest support (one or more); ties: shorter first, then by the codes.

    Extending a pattern never betters its rank, so going down the ranking and entering the extensions of
    each pattern finds them all. Returns a table of nodes (parent, last item, length, support) and the
    ranked ones.

    Examples
    --------
    >>> offsets, values = np.array([0, 2, 3]), np.array([1, 0, 1], dtype=np.int32)
    >>> suffixes = index_suffixes(offsets, values, count_items(offsets, values, 2), floor=1)
    >>> nodes, ranking = rank_best_first(suffixes, 2, 1, 0)
    >>> nodes[ranking].tolist()
    [[0, 1, 1, 2]]
    """
    nodes = np.zeros((1024, 4), dtype=np.int64)
    nodes[0, SUPPORT] = suffixes.starts.size
    node_count = 1
    ranking = np.empty(count, dtype=np.int64)
    ranked, done = 0, 0
    desk = _clear_desk(suffixes, code_count)
    nothing = suffixes.starts[:0]
    matches = [suffixes.starts]
    node = 0
    while True:
        depth = nodes[node, DEPTH] + 1
        # The best extension imaginable tells whether looking for extensions is worth it.
        nodes = _grow(nodes, node_count + 1)
        nodes[node_count] = np.array([node, -1, depth, nodes[node, SUPPORT]])
        if (max_length == 0 or depth <= max_length) and _can_enter(nodes, ranking, ranked, node_count):
            floor = nodes[ranking[-1], SUPPORT] if ranked == count else 1
            following, end_count = _extend(suffixes, matches[node], floor, desk)
            nodes = _grow(nodes, node_count + following.size + 1)
            first_child = node_count
            for item in following:
                nodes[node_count] = np.array([node, item, depth, desk.counts[item]])
                desk.counts[item] = 0
                if _can_enter(nodes, ranking, ranked, node_count):
                    if ranked == count and ranking[-1] < first_child:
                        matches[ranking[-1]] = nothing
                    _enter(nodes, ranking, ranked, node_count)
                    ranked = min(ranked + 1, count)
                    node_count += 1
            _keep_matches(suffixes, nodes[first_child:node_count], end_count, desk, matches)
        matches[node] = nothing
        if done == ranked:
            return nodes[:node_count].copy(), ranking[:ranked].copy()
        node = ranking[done]
        done += 1


@njit(cache=True, nogil=True)
def _keep_matches(suffixes: Any, children: Any, end_count: Any, desk: Any, matches: Any) -> None:
    """Append the matches of each child to the list of matches."""
    pool = np.empty(children[:, SUPPORT].sum(), dtype=suffixes.starts.dtype)
    free = 0
    for child in range(children.shape[0]):
        desk.cursors[children[child, ITEM]] = free
        free += children[child, SUPPORT]
    _project(suffixes, pool, end_count, desk)
    low = 0
    for child in range(children.shape[0]):
        item = children[child, ITEM]
        matches.append(pool[low : desk.cursors[item]].copy())
        desk.cursors[item] = -1
        low += children[child, SUPPORT]
