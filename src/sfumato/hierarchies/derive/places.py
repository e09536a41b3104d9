"""Hierarchies derived from coordinates of places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.hierarchies.derive.labels import check_labels, free_names
from sfumato.hierarchies.hierarchy import Hierarchy

__all__ = ["grid", "quadtree"]

Longs: TypeAlias = npt.NDArray[np.int64]

_FINEST = 30


def grid(labels: Sequence[str], x: npt.ArrayLike, y: npt.ArrayLike, levels: int) -> Hierarchy:
    """Group places by the cells of a square grid that is halved ``levels`` times each way.

    Cells are named by their quadrants from the whole square down: ``q/0/3`` is the upper right quarter
    of the lower left quarter. A cell with one place in it is left out, and so is one with the same places
    as the cell around it.

    Examples
    --------
    >>> grid(["a", "b", "c", "d"], [0, 1, 9, 10], [0, 1, 9, 10], levels=1)
    Hierarchy below *: 4 of 7 nodes are leaves, height 2
    *
      q/0
        a
        b
      q/3
        c
        d
    """
    if not 1 <= levels <= _FINEST:
        raise ParameterError(f"grid: levels must be from 1 to {_FINEST}, got {levels}.", option="levels")
    order, codes = _follow_quadrants(labels, x, y, "grid")
    return _group_cells([labels[place] for place in order], codes, levels, 0, "grid")


def quadtree(labels: Sequence[str], x: npt.ArrayLike, y: npt.ArrayLike, capacity: int) -> Hierarchy:
    """Group places by squares that are quartered until none has more than ``capacity`` places.

    Places with equal coordinates stay together, also if they are more. Squares are named as in
    :func:`grid`.

    Examples
    --------
    >>> quadtree(["a", "b", "c", "d"], [0, 1, 9, 9], [0, 1, 9, 9], capacity=1)
    Hierarchy below *: 4 of 7 nodes are leaves, height 2
    *
      q/0
        a
        b
      q/3
        c
        d
    """
    if capacity < 1:
        raise ParameterError(f"quadtree: capacity must be at least 1, got {capacity}.", option="capacity")
    order, codes = _follow_quadrants(labels, x, y, "quadtree")
    return _group_cells([labels[place] for place in order], codes, _FINEST, capacity, "quadtree")


def _group_cells(labels: list[str], codes: Longs, levels: int, capacity: int, owner: str) -> Hierarchy:
    """Build the tree of cells over places in quadrant order, level by level, leaving out chains."""
    total = len(labels)
    root, prefix = free_names(labels, "q")
    names, starts, sizes, above = [root], [np.zeros(1, np.int64)], [np.full(1, total)], [np.full(1, -1)]
    cell_of_place = np.zeros(total, dtype=np.int64)
    open_places = np.arange(total if total > capacity else 0)
    cell_sizes = np.full(len(open_places), total)
    for level in range(1, levels + 1):
        cells = codes[open_places] >> (2 * (_FINEST - level))
        begins = np.flatnonzero(np.concatenate([[True], np.diff(cells) != 0])[: len(cells)])
        counts = np.diff(np.append(begins, len(cells)))
        retained = np.flatnonzero((counts > 1) & (counts < cell_sizes[begins]))
        first = open_places[begins[retained]]
        numbers = len(names) + np.arange(len(retained))
        names += [f"{prefix}/{_format_quadrants(int(cell), level)}" for cell in cells[begins[retained]]]
        above.append(cell_of_place[first])
        starts.append(first)
        sizes.append(counts[retained])
        number_of_cell = np.full(len(begins), -1)
        number_of_cell[retained] = numbers
        number = np.repeat(number_of_cell, counts)
        cell_of_place[open_places[number >= 0]] = number[number >= 0]
        cell_sizes = np.repeat(counts, counts)
        is_open = cell_sizes > capacity
        open_places, cell_sizes = open_places[is_open], cell_sizes[is_open]
    begin = np.concatenate([*starts, np.arange(total)])
    size = np.concatenate([*sizes, np.ones(total, np.int64)])
    # Cells before what is in them, and all nodes from left to right, so that siblings keep that order.
    order = np.lexsort((np.arange(len(begin)), -size, begin))
    # One more than there are nodes: the root's parent, -1, is looked up as the last entry.
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order], place[-1] = np.arange(len(order)), -1
    parent = place[np.concatenate([*above, cell_of_place])][order]
    everyone = [*names, *labels]
    return Hierarchy.from_codes([everyone[node] for node in order], parent, owner=owner)


def _follow_quadrants(labels: Sequence[str], x: npt.ArrayLike, y: npt.ArrayLike, owner: str) -> tuple[Longs, Longs]:
    """Return places in the order of the finest quadrants, and the interleaved bits of those."""
    check_labels(labels, owner)
    xy = [np.asarray(axis, dtype=np.float64) for axis in (x, y)]
    if any(axis.shape != (len(labels),) for axis in xy):
        raise ParameterError(f"{owner}: x and y must have one number per label ({len(labels):,}).", option="x")
    bad = np.flatnonzero(~(np.isfinite(xy[0]) & np.isfinite(xy[1])))
    if len(bad):
        at = (bad + 1).tolist()
        raise SchemaError(
            f"{owner}: coordinates must be finite; those of {name_rows(at)} are not.",
            rows=select_shown(at),
            hint="Correct or remove these places.",
        )
    # Halves, because the distance between two large coordinates may be beyond the largest number.
    shifted = [axis / 2 - axis.min() / 2 for axis in xy]
    side = max(axis.max() for axis in shifted)
    codes = np.zeros(len(labels), dtype=np.int64)
    if side > 0:
        for bit, axis in enumerate(shifted):
            cell = np.minimum(axis / side * (1 << _FINEST), (1 << _FINEST) - 1).astype(np.int64)
            codes |= _spread(cell) << bit
    order = np.argsort(codes, kind="stable")
    return order, codes[order]


def _spread(cells: Longs) -> Longs:
    """Put a zero between every two bits."""
    for shift, mask in (
        (16, 0x0000FFFF0000FFFF),
        (8, 0x00FF00FF00FF00FF),
        (4, 0x0F0F0F0F0F0F0F0F),
        (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):
        cells = (cells | (cells << shift)) & mask
    return cells


def _format_quadrants(cell: int, level: int) -> str:
    return "/".join(str(cell >> 2 * step & 3) for step in reversed(range(level)))
