"""The smallest cell in which k people were at a place, by trying every cell of every level with exact fractions."""

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
