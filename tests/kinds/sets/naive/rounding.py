"""A plain twin for rounding tables at random: every step looks through the whole row or column for a fraction."""

from __future__ import annotations

import math

import numpy as np

TOLERANCE = 1e-9


def round_plainly(expected: list[list[float]], generator: np.random.Generator) -> list[list[int]]:
    """Raise and lower cells around cycles of fractions until all are whole."""
    # NumPy adds up columns so that the last digits are those of the code under test.
    load = np.array(expected).sum(axis=0).tolist()
    table = [*expected, [math.ceil(total - TOLERANCE) - total for total in load]]
    whole = [[math.floor(cell + TOLERANCE) for cell in row] for row in table]
    parts = [
        [max(cell - floor, 0.0) for cell, floor in zip(*rows, strict=True)] for rows in zip(table, whole, strict=True)
    ]
    chances = generator.random(sum(part > TOLERANCE for row in parts for part in row)).tolist()
    used = 0
    while any(_is_fraction(part) for row in parts for part in row):
        path, cycle = _walk(parts)
        if not cycle:
            row, column = path[-1]
            parts[row][column] = float(round(parts[row][column]))
            continue
        _shift(parts, cycle, chances[used % len(chances)])
        used += 1
    return [[round(a + b) for a, b in zip(*rows, strict=True)] for rows in zip(whole[:-1], parts[:-1], strict=True)]


def _is_fraction(part: float) -> bool:
    return TOLERANCE < part < 1 - TOLERANCE


def _walk(parts: list[list[float]]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Go from the first row with a fraction to fractions in its columns and rows in turn, until one is met again."""
    row = next(number for number, cells in enumerate(parts) if any(map(_is_fraction, cells)))
    column = -1
    path: list[tuple[int, int]] = []
    row_met, column_met = {row: 0}, {}
    while True:
        column = next((c for c, part in enumerate(parts[row]) if c != column and _is_fraction(part)), -1)
        if column < 0:
            return path, []
        path.append((row, column))
        if column in column_met:
            return path, path[column_met[column] :]
        column_met[column] = len(path)
        row = next((r for r, cells in enumerate(parts) if r != row and _is_fraction(cells[column])), -1)
        if row < 0:
            return path, []
        path.append((row, column))
        if row in row_met:
            return path, path[row_met[row] :]
        row_met[row] = len(path)


def _shift(parts: list[list[float]], cycle: list[tuple[int, int]], chance: float) -> None:
    raised = [parts[r][c] if step % 2 == 0 else 1 - parts[r][c] for step, (r, c) in enumerate(cycle)]
    up, down = min(1 - part for part in raised), min(raised)
    amount = up if chance * (up + down) < down else -down
    for step, (r, c) in enumerate(cycle):
        parts[r][c] += -amount if step % 2 else amount
