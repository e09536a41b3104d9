"""Cells with exact fractions: the smallest with k people by trying all of them, and a quadtree step by step."""

from __future__ import annotations

from fractions import Fraction
from math import floor


def find_cell(point, level, side):
    """Column and row of a point at a level; the whole square is one cell."""
    if level == 0:
        return 0, 0
    step = Fraction(side) / 2**level
    return tuple(min(floor(Fraction(value) / step), 2 ** (level - 1) - 1) for value in point)


def publish(visits, k, side, levels):
    """(level, x, y) of a place, or None; visits are (person, (x, y))."""
    for level in range(levels, -1, -1):
        crowds = {}
        for person, point in visits:
            crowds.setdefault(find_cell(point, level, side), set()).add(person)
        crowded = [(-len(people), row, column) for (column, row), people in crowds.items() if len(people) >= k]
        if crowded:
            _, row, column = min(crowded)
            step = Fraction(side) / 2**level
            half = Fraction(0) if level == 0 else Fraction(1, 2)
            return level, float((column + half) * step), float((row + half) * step)
    return None


def grow_quadtree(points, person, limit, people, side, levels):
    """Squares as (level, column, row); the smallest around all points of the fullest square is quartered."""

    def square(point, level):
        return (level, *(floor(Fraction(v) / (Fraction(side) / 2**level)) for v in point)) if level else (0, 0, 0)

    cells = {(0, 0, 0): list(range(len(points)))}
    while True:
        crowd = {cell: len({person[i] for i in inside}) for cell, inside in cells.items()}
        open_ = [
            (-crowd[cell], cell)
            for cell, inside in cells.items()
            if crowd[cell] >= people and len({square(points[i], levels) for i in inside}) > 1
        ]
        if not open_:
            break
        _, fullest = min(open_)
        level = next(n for n in range(levels + 1) if len({square(points[i], n) for i in cells[fullest]}) > 1)
        parts = {}
        for i in cells[fullest]:
            parts.setdefault(square(points[i], level), []).append(i)
        if len(cells) - 1 + len(parts) > limit:
            break
        del cells[fullest]
        cells.update(parts)
    return [next(cell for cell, inside in cells.items() if i in inside) for i in range(len(points))]
