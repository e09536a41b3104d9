"""The nearest group of places by average linkage, without a matrix of all distances.

Distances are whole numbers: ``rint(distance * 2^q / extent)``, where no distance is longer than the extent. Sums of
whole numbers do not depend on their order, so that ties between groups are ties on every machine. On a globe
distances run along its surface, and 2^q is not so fine that a step is shorter than `SHORTEST_STEP`: sines and cosines
differ in their last digit from machine to machine.

Places sit on *seats*, ordered by constraint; only seats of the same constraint may meet.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.trajectories._kernels.globe import measure_arc
from sfumato.kinds.trajectories._kernels.groups import Groups

__all__ = [
    "Groups",
    "Linkage",
    "choose_bits",
    "choose_scale",
    "find_nearest",
    "measure_extent",
    "new_linkage",
    "unite_groups",
]

_ROW_MEMORY = 512 * 2**20
_EXACT = 2**53
SHORTEST_STEP = 1e-3


class Linkage(NamedTuple):
    """What is needed to find the nearest group.

    Attributes
    ----------
    x, y, z
        Coordinates by seat; on a globe from its centre, on a plane z is 0.
    scale
        Three numbers: 2^q, the extent, and the diameter of the globe, 0 on a plane.
    begin, end
        By seat: the range of seats under the same constraint.
    rows
        Sums of distances from all members of a group to the seats of its constraint, for groups of
        at least `large` members; those of smaller groups are computed when asked for.
    spare
        Free rows, the number of them in front.
    reached, total
        Scratch: distances by seat of the constraint, and their sums by label.
    parent, leaves
        The tree over places: parent of each node (the root's is -1) and leaves below it; empty without a tree.
    seen
        By node: the last search that passed it; one more entry at the end counts the searches.
    large
        The smallest group whose distances are kept.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    z: NDArray[np.float64]
    scale: NDArray[np.float64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    rows: NDArray[np.int64]
    spare: NDArray[np.int32]
    reached: NDArray[np.int64]
    total: NDArray[np.int64]
    parent: NDArray[np.int32]
    leaves: NDArray[np.int64]
    seen: NDArray[np.int64]
    large: int


def choose_bits(places: int) -> int:
    """Choose q: the finest distances, up to 2^30, whose sums over two groups stay below 2^53.

    Examples
    --------
    >>> choose_bits(662), choose_bits(20_000), choose_bits(10)
    (30, 26, 30)
    """
    bits = 30
    while places * places * 2**bits >= 4 * _EXACT:
        bits -= 1
    return bits


def measure_extent(points: NDArray[np.float64], diameter: float) -> float:
    """Measure the diagonal of the box around points, one a row, along a globe if there is one; 1 when they coincide.

    No two points are further apart.

    Examples
    --------
    >>> measure_extent(np.array([[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]]), 0.0)
    5.0
    """
    if not len(points):
        return 1.0
    width, depth, height = (float(column.max() - column.min()) for column in points.T)
    diagonal = float(np.sqrt(width * width + depth * depth + height * height)) or 1.0
    return float(measure_arc(diagonal, diameter)) if diameter else diagonal


def choose_scale(points: NDArray[np.float64], diameter: float) -> tuple[float, float, float]:
    """Choose 2^q for points, one a row, and return it with their extent and the diameter."""
    bits, extent = choose_bits(len(points)), measure_extent(points, diameter)
    while diameter and bits and extent / 2**bits < SHORTEST_STEP:
        bits -= 1
    return 2.0**bits, extent, diameter


def new_linkage(
    points: NDArray[np.float64],
    scale: tuple[float, float, float],
    constraint: NDArray[np.int32],
    parent: NDArray[np.int32],
    leaves: NDArray[np.int64],
) -> Linkage:
    """Prepare the search over seats whose `constraint` ascends; `points` has a row for each, `scale` is as chosen."""
    seats = len(points)
    begin = np.searchsorted(constraint, constraint, side="left").astype(np.int64)
    end = np.searchsorted(constraint, constraint, side="right").astype(np.int64)
    widest = int((end - begin).max(initial=0))
    large = max(2, -(-seats * seats * 8 // _ROW_MEMORY))
    row_count = seats // large
    return Linkage(
        x=points[:, 0].copy(),
        y=points[:, 1].copy(),
        z=points[:, 2].copy(),
        scale=np.array(scale, np.float64),
        begin=begin,
        end=end,
        # The system hands out the memory only when a row is written.
        rows=np.empty((row_count, widest), np.int64),
        spare=np.concatenate([[row_count], np.arange(row_count)]).astype(np.int32),
        reached=np.zeros(widest, np.int64),
        total=np.zeros(seats, np.int64),
        parent=parent,
        leaves=leaves,
        seen=np.zeros(parent.size + 1, np.int64),
        large=large,
    )


@njit(cache=True, nogil=True)
def add_distances(linkage: Linkage, groups: Groups, group: int, sums: NDArray[np.int64]) -> None:
    """Add the distances from all members of a group to the seats of its constraint."""
    head = groups.head[group]
    begin, end = linkage.begin[head], linkage.end[head]
    if groups.cache[group] >= 0:
        row = linkage.rows[groups.cache[group]]
        for other in range(end - begin):
            sums[other] += row[other]
        return
    x, y, z = linkage.x[begin:end], linkage.y[begin:end], linkage.z[begin:end]
    steps, extent, diameter = linkage.scale[0], linkage.scale[1], linkage.scale[2]
    seat = head
    while seat >= 0:
        here_x, here_y, here_z = linkage.x[seat], linkage.y[seat], linkage.z[seat]
        if diameter > 0.0:
            for other in range(x.size):
                dx, dy, dz = x[other] - here_x, y[other] - here_y, z[other] - here_z
                arc = measure_arc(np.sqrt(dx * dx + dy * dy + dz * dz), diameter)
                sums[other] += np.int64(np.rint(arc * steps / extent))
        else:
            for other in range(x.size):
                dx, dy = x[other] - here_x, y[other] - here_y
                sums[other] += np.int64(np.rint(np.sqrt(dx * dx + dy * dy) * steps / extent))
        seat = groups.following[seat]


@njit(cache=True, nogil=True)
def join_nodes(linkage: Linkage, node: int, other: int) -> int:
    """Find the lowest common ancestor of two nodes."""
    linkage.seen[-1] += 1
    while node >= 0:
        linkage.seen[node] = linkage.seen[-1]
        node = linkage.parent[node]
    while linkage.seen[other] != linkage.seen[-1]:
        other = linkage.parent[other]
    return int(other)


@njit(cache=True, nogil=True)
def find_nearest(linkage: Linkage, groups: Groups, group: int) -> int:
    """Find the group nearest to `group` under the same constraint, or -1 when there is no other.

    Nearest is the smallest mean distance between members, times the leaves below the lowest common
    ancestor if there is a tree; equals go to the smaller code.
    """
    head = groups.head[group]
    begin, end = linkage.begin[head], linkage.end[head]
    reached, total = linkage.reached, linkage.total
    reached[:] = 0
    add_distances(linkage, groups, group, reached)
    for seat in range(begin, end):
        if groups.label[seat] >= 0:
            total[groups.label[seat]] += reached[seat - begin]
    seen, parent = linkage.seen, linkage.parent
    if parent.size > 0:
        join_nodes(linkage, groups.node[group], groups.node[group])
    nearest, least = -1, np.inf
    for seat in range(begin, end):
        other = groups.label[seat]
        if other < 0 or groups.head[other] != seat:
            continue
        score = np.float64(total[other]) / np.float64(groups.size[other])
        total[other] = 0
        if other == group:
            continue
        if parent.size > 0:
            node = groups.node[other]
            while seen[node] != seen[-1]:
                node = parent[node]
            score *= np.float64(linkage.leaves[node])
        if nearest < 0 or score < least or (score == least and groups.code[other] < groups.code[nearest]):
            nearest, least = other, score
    return int(nearest)


@njit(cache=True, nogil=True)
def unite_groups(linkage: Linkage, groups: Groups, target: int, other: int) -> None:
    """Move all members of `other` into `target`."""
    if groups.size[target] + groups.size[other] >= linkage.large:
        if groups.cache[target] < 0 and groups.cache[other] >= 0:
            row = groups.cache[other]
            add_distances(linkage, groups, target, linkage.rows[row])
            groups.cache[target] = row
        else:
            if groups.cache[target] < 0:
                row = linkage.spare[linkage.spare[0]]
                linkage.spare[0] -= 1
                linkage.rows[row] = 0
                add_distances(linkage, groups, target, linkage.rows[row])
                groups.cache[target] = row
            add_distances(linkage, groups, other, linkage.rows[groups.cache[target]])
            if groups.cache[other] >= 0:
                linkage.spare[0] += 1
                linkage.spare[linkage.spare[0]] = groups.cache[other]
        groups.cache[other] = -1
    seat = groups.head[other]
    while seat >= 0:
        groups.label[seat] = target
        seat = groups.following[seat]
    groups.following[groups.tail[target]] = groups.head[other]
    groups.tail[target] = groups.tail[other]
    groups.size[target] += groups.size[other]
    groups.total_rows[target] += groups.total_rows[other]
    groups.code[target] = min(groups.code[target], groups.code[other])
    for label in range(groups.forward.size):
        if groups.forward[label] == other:
            groups.forward[label] = target
    if linkage.parent.size > 0:
        groups.node[target] = join_nodes(linkage, groups.node[target], groups.node[other])
