"""Groups of places, each a linked list of seats; a seat is a place that occurs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Groups", "compact_groups", "new_groups"]


class Groups(NamedTuple):
    """Groups of seats, by label.

    Attributes
    ----------
    code
        The smallest place code among the members: what ties are broken by.
    support
        How many rows hold a member.
    total_rows
        The length of the members' row lists together: what a visit to all of them costs.
    size
        How many members.
    head, tail
        First and last member; the members are a linked list of seats.
    node
        The lowest tree node above all members; 0 without a tree.
    cache
        Which row of `Linkage.rows` holds the distances of the group, or -1.
    forward
        Where a label went: itself while alive, the label it was merged into, or -1 when suppressed.
    label
        By seat: the label of its group, or -1 when suppressed.
    following
        By seat: the next member of its group, or -1.
    """

    code: NDArray[np.int32]
    support: NDArray[np.int64]
    total_rows: NDArray[np.int64]
    size: NDArray[np.int64]
    head: NDArray[np.int32]
    tail: NDArray[np.int32]
    node: NDArray[np.int32]
    cache: NDArray[np.int32]
    forward: NDArray[np.int32]
    label: NDArray[np.int32]
    following: NDArray[np.int32]


def new_groups(code: NDArray[np.int32], total_rows: NDArray[np.int64], node: NDArray[np.int32]) -> Groups:
    """Put every seat into a group of its own, with its place code, row count and tree node.

    Examples
    --------
    >>> new_groups(np.array([4, 7], np.int32), np.array([2, 1]), np.zeros(2, np.int32)).label.tolist()
    [0, 1]
    """
    seats = np.arange(code.size, dtype=np.int32)
    return Groups(
        code=code.copy(),
        support=total_rows.copy(),
        total_rows=total_rows.copy(),
        size=np.ones(code.size, np.int64),
        head=seats.copy(),
        tail=seats.copy(),
        node=node.copy(),
        cache=np.full(code.size, -1, np.int32),
        forward=seats.copy(),
        label=seats.copy(),
        following=np.full(code.size, -1, np.int32),
    )


def compact_groups(groups: Groups) -> tuple[Groups, NDArray[np.int32]]:
    """Renumber the groups that are alive in the order of their codes, so that labels sort like codes.

    Returns
    -------
    tuple
        The groups, and the new label of every old one; its last entry is the -1 of suppressed seats.

    Examples
    --------
    >>> groups = new_groups(np.array([7, 4], np.int32), np.array([2, 1]), np.zeros(2, np.int32))
    >>> groups, relabel = compact_groups(groups)
    >>> groups.code.tolist(), relabel.tolist()
    ([4, 7], [1, 0, -1])
    """
    alive = np.flatnonzero(groups.forward == np.arange(groups.forward.size))
    alive = alive[np.argsort(groups.code[alive])]
    relabel = np.full(groups.forward.size + 1, -1, np.int32)
    relabel[alive] = np.arange(alive.size)
    renumbered = Groups(
        code=groups.code[alive],
        support=groups.support[alive],
        total_rows=groups.total_rows[alive],
        size=groups.size[alive],
        head=groups.head[alive],
        tail=groups.tail[alive],
        node=groups.node[alive],
        cache=groups.cache[alive],
        forward=np.arange(alive.size, dtype=np.int32),
        label=relabel[groups.label],
        following=groups.following,
    )
    return renumbered, relabel
