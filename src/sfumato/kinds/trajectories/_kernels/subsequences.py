"""The distinct subsequences of one row of tokens, each exactly once and without a table of those seen.

A subsequence may lie in a row in many ways; only its leftmost embedding is walked. With `previous[q]`
the nearest earlier position that holds the token of position q, position q may follow position p
exactly when ``previous[q] <= p < q``.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Walk", "list_keys", "new_walk", "start_walk"]

_DEPTH, _MARKS, _FIRST, _SECOND = range(4)


class Walk(NamedTuple):
    """Where a depth-first walk over the subsequences of a row stands, so that it can pause and go on.

    Attributes
    ----------
    keys
        Where `list_keys` puts what it finds.
    previous
        For every position of the row, the nearest earlier position with the same token, or -1.
    marks
        Positions, ascending, of the tokens that a subsequence has to go through.
    chosen
        The position at every depth.
    prefix
        The key of the tokens chosen so far, at every depth.
    met
        Whether the tokens chosen so far include a marked one, at every depth.
    latest
        By token: the latest position seen, -1 between rows.
    state
        Depth, number of marks, and the two marked tokens.
    """

    keys: NDArray[np.int64]
    previous: NDArray[np.int32]
    marks: NDArray[np.int32]
    chosen: NDArray[np.int64]
    prefix: NDArray[np.int64]
    met: NDArray[np.bool_]
    latest: NDArray[np.int32]
    state: NDArray[np.int64]


def new_walk(longest: int, deepest: int, tokens: int, batch: int = 4096) -> Walk:
    """Make a walk for rows of at most `longest` tokens below `tokens`, and sizes up to `deepest`.

    Examples
    --------
    >>> new_walk(longest=10, deepest=3, tokens=5).keys.size
    4096
    """
    return Walk(
        keys=np.empty(max(batch, longest + 1), np.int64),
        previous=np.empty(longest, np.int32),
        marks=np.empty(longest, np.int32),
        chosen=np.empty(deepest + 1, np.int64),
        prefix=np.zeros(deepest + 1, np.int64),
        met=np.zeros(deepest + 1, np.bool_),
        latest=np.full(tokens, -1, np.int32),
        state=np.zeros(4, np.int64),
    )


@njit(cache=True, nogil=True)
def start_walk(walk: Walk, row: NDArray[np.int32], first: int, second: int) -> None:
    """Prepare the walk over the subsequences of `row` with token `first` or `second`, or all if both are -1."""
    marks = 0
    for position in range(row.size):
        token = row[position]
        walk.previous[position] = walk.latest[token]
        walk.latest[token] = position
        if token in (first, second):
            walk.marks[marks] = position
            marks += 1
    for position in range(row.size):
        walk.latest[row[position]] = -1
    walk.state[_DEPTH] = 0
    walk.state[_MARKS] = marks
    walk.state[_FIRST] = first
    walk.state[_SECOND] = second
    walk.chosen[0] = -1
    walk.met[0] = first < 0 and second < 0
    if marks == 0 and not walk.met[0]:
        walk.state[_DEPTH] = -1


@njit(cache=True, nogil=True)
def list_keys(walk: Walk, row: NDArray[np.int32], size: int, base: int) -> int:
    """Put the keys of the next subsequences into `walk.keys` and say how many; 0 when there are no more.

    The key of tokens a, b, c is ``(a * base + b) * base + c``.

    Examples
    --------
    >>> row, walk = np.array([2, 1, 2], np.int32), new_walk(longest=3, deepest=2, tokens=3)
    >>> start_walk(walk, row, -1, -1)
    >>> walk.keys[: list_keys(walk, row, 2, 10)].tolist()
    [21, 22, 12]
    >>> list_keys(walk, row, 2, 10)
    0
    >>> start_walk(walk, row, 1, -1)
    >>> walk.keys[: list_keys(walk, row, 2, 10)].tolist()
    [21, 12]
    """
    keys, previous, chosen, prefix, met = walk.keys, walk.previous, walk.chosen, walk.prefix, walk.met
    marks, first, second = walk.state[_MARKS], walk.state[_FIRST], walk.state[_SECOND]
    depth = walk.state[_DEPTH]
    number = 0
    # One visit to the last depth finds at most row.size keys: pause while there is still room for that.
    while depth >= 0 and number + row.size <= keys.size:
        before = chosen[depth - 1] if depth > 0 else -1
        start = prefix[depth] * base
        if depth == size - 1:
            if met[depth]:
                for position in range(before + 1, row.size):
                    if previous[position] <= before:
                        keys[number] = start + row[position]
                        number += 1
            else:
                for mark in range(marks - 1, -1, -1):
                    position = walk.marks[mark]
                    if position <= before:
                        break
                    if previous[position] <= before:
                        keys[number] = start + row[position]
                        number += 1
            depth -= 1
            continue
        # Later tokens need room behind this one, and a mark must be met here or behind.
        last = row.size - size + depth
        if not met[depth]:
            last = min(last, walk.marks[marks - 1])
        position = chosen[depth] + 1
        while position <= last and previous[position] > before:
            position += 1
        if position > last:
            depth -= 1
            continue
        token = row[position]
        chosen[depth] = position
        chosen[depth + 1] = position
        prefix[depth + 1] = start + token
        met[depth + 1] = met[depth] or token in (first, second)
        depth += 1
    walk.state[_DEPTH] = depth
    return number
