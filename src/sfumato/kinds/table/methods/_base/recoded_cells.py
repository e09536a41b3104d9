"""A column under a recoding: its cells, and which of them every record has."""

from __future__ import annotations

import dataclasses
import itertools
from decimal import ROUND_CEILING, Decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.kinds.table.dataset import MISSING, Attribute
from sfumato.kinds.table.encode import CodedColumn, encode_intervals
from sfumato.release.recoding import ColumnCells
from sfumato.release.release import PublishedColumn
from sfumato.release.text import ValueFormat

__all__ = ["close_ranges", "find_cells", "recode_column", "take_records"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_MISSING, _HIDDEN = -1, -2
_DIGITS = 16
"""More digits behind the point than that do not tell two decimals apart."""


def close_ranges(cells: ColumnCells, *attributes: Attribute) -> ColumnCells:
    """End every range that touches the next one at the last value that can lie in it, so that no two overlap.

    Decimals are taken to have no more digits behind the point than all values of some attributes have.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table.dataset import attribute_of
    >>> paid = attribute_of(Dataset.of("table", [(21.5,), (36.0,), (50.0,)], ("paid",)), "paid")
    >>> close_ranges(ColumnCells("paid", "interval", ranges=((21.5, 36.0, False), (36.0, 50.0, False))), paid).ranges
    ((21.5, 35.9, False), (36.0, 50.0, False))
    """
    if not any(high == after for (_, high, _), (after, _, _) in itertools.pairwise(cells.ranges)):
        return cells
    digits = _count_digits(np.concatenate([attribute.axis for attribute in attributes if attribute.axis is not None]))
    closed = [
        (low, _find_last(high, digits) if high == after else high, exact)
        for (low, high, exact), (after, _, _) in itertools.pairwise(cells.ranges)
    ]
    return dataclasses.replace(cells, ranges=(*closed, cells.ranges[-1]))


def _count_digits(values: Floats) -> int | None:
    """Return how many digits behind the point all values have at most; None where they have as many as can be."""
    with np.errstate(over="ignore", invalid="ignore"):
        return next((digits for digits in range(_DIGITS) if (np.round(values, digits) == values).all()), None)


def _find_last(bound: float, digits: int | None) -> float:
    """Return the largest decimal below a bound that has no more digits behind the point."""
    below = float(np.nextafter(bound, -np.inf))
    if digits is None:
        return below
    steps = Decimal(repr(bound)).scaleb(digits).to_integral_value(ROUND_CEILING) - 1
    return min(below, float(steps.scaleb(-digits)))


def find_cells(attribute: Attribute, cells: ColumnCells) -> tuple[Ints, Ints]:
    """Return a number for the cell of every value, the missing one last, and which values are not known.

    Values with the same number are published alike; -1 is a missing value, -2 one of which nothing is published.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table.dataset import attribute_of
    >>> age = attribute_of(Dataset.of("table", [(3,), (18,), (20,), (50,)], ("age",)), "age")
    >>> find_cells(age, ColumnCells("age", "interval", ranges=((0, 17, True), (18, 40, False))))
    (array([ 2,  1,  1, -2, -1]), array([3]))
    """
    values = len(attribute.labels)
    if cells.hides_all:
        return np.full(values + 1, _HIDDEN), np.empty(0, np.int64)
    if cells.form == "interval":
        axis = [] if attribute.axis is None else attribute.axis.tolist()
        entry = np.array(cells.find_values(axis), np.int64)
        is_exact = np.array([exact for _, _, exact in cells.ranges], dtype=bool)
        exact = np.append(is_exact, False)[entry]
        number = np.where(exact, len(cells.ranges) + np.arange(values), entry)
    else:
        entry = np.array(cells.find_labels(attribute.labels), np.int64)
        number = entry
    number = np.where(entry < 0, _HIDDEN, number)
    return np.append(number, _MISSING), np.flatnonzero(entry < 0)


def recode_column(attribute: Attribute, cells: ColumnCells) -> CodedColumn:
    """Encode the cells of a column under a recoding; values that it does not know are suppressed.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table.dataset import attribute_of
    >>> city = attribute_of(Dataset.of("table", [("Rome",), ("Lima",), ("Bern",)], ("city",)), "city")
    >>> europe = ColumnCells("city", "category", labels=(("Europe", ("Bern", "Rome")), ("Lima", ("Lima",))))
    >>> coded = recode_column(city, europe)
    >>> coded.cells.take(pa.array(coded.index)).to_pylist(), coded.members
    (['Europe', 'Lima', 'Europe'], (('Europe', 'Bern'), ('Europe', 'Rome')))
    """
    number, _ = find_cells(attribute, cells)
    distinct, index = np.unique(number[attribute.codes], return_inverse=True)
    index = index.reshape(-1).astype(np.int64)
    missing, hidden = distinct == _MISSING, distinct == _HIDDEN
    column = PublishedColumn(attribute.name, "quasi-identifier", ValueFormat(cells.form))
    if cells.form == "interval":
        low, high = _bounds(attribute, cells, distinct)
        return encode_intervals(attribute, low, high, missing, hidden, index)
    if cells.form == "set":
        lists = [None if at == _HIDDEN else [MISSING if at < 0 else cells.labels[at][0]] for at in distinct.tolist()]
        return CodedColumn(column, pa.array(lists, column.form.arrow), index)
    names = [None if at == _HIDDEN else MISSING if at < 0 else cells.labels[at][0] for at in distinct.tolist()]
    members = tuple(
        (cells.labels[at][0], member)
        for at in distinct[distinct >= 0].tolist()
        if cells.labels[at][1] != (cells.labels[at][0],)
        for member in cells.labels[at][1]
    )
    return CodedColumn(column, pa.array(names, pa.string()).dictionary_encode(), index, members)


def _bounds(attribute: Attribute, cells: ColumnCells, numbers: Ints) -> tuple[npt.NDArray[np.generic], ...]:
    """Return lower and upper bounds of cells, given their numbers."""
    kind = np.float64 if attribute.scale == "decimal" else np.int64
    ranges = len(cells.ranges)
    axis = np.empty(0, kind) if attribute.axis is None else attribute.axis.astype(kind)
    sides = []
    for side in (0, 1):
        bounds = np.concatenate([np.array([entry[side] for entry in cells.ranges], kind), axis, np.zeros(1, kind)])
        sides.append(bounds[np.where(numbers < 0, ranges + len(axis), numbers)])
    return sides[0], sides[1]


def take_records(column: CodedColumn, rows: Ints) -> CodedColumn:
    """Return a column with only some records, and only the members of values that these have.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table.dataset import attribute_of
    >>> city = attribute_of(Dataset.of("table", [("Rome",), ("Lima",)], ("city",)), "city")
    >>> both = ColumnCells("city", "category", labels=(("Europe", ("Bern", "Rome")), ("Lima", ("Lima",))))
    >>> take_records(recode_column(city, both), np.array([1])).members
    ()
    """
    index = column.index[rows]
    if not column.members:
        return dataclasses.replace(column, index=index)
    left = set(column.cells.take(pa.array(np.unique(index))).to_pylist())
    return dataclasses.replace(column, index=index, members=tuple(m for m in column.members if m[0] in left))
