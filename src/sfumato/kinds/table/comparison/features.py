"""Cells as numbers that a model can learn from: where a range lies and how wide it is, which labels it may be."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.kinds.table.comparison.losses import PublishedAttribute
from sfumato.kinds.table.model import MISSING, place_values

__all__ = ["MOST_LABELS", "Features"]

Floats = npt.NDArray[np.float64]

MOST_LABELS = 50
"""Labels that have a feature of their own; rarer ones share one."""


@dataclasses.dataclass(frozen=True, eq=False)
class Features:
    """A column as features, the same ones for what was and for what is published.

    A number has three: where it lies between the smallest and the largest of the column, how wide its range is, and
    whether it is missing. A label has one for every frequent label of the column, one for all others and one for a
    missing value: the share that each has in the cell.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.core.measuring.comparison import Comparison
    >>> from sfumato.kinds.table.comparison import TableComparison
    >>> data = sf.Dataset.of("table", [(20, "f"), (40, "m"), (60, "m"), (60, "m")], ("age", "sex"))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    >>> age, sex = (Features(column) for column in Comparison(data, release).view(TableComparison).columns)
    >>> age.of_original.tolist()
    [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    >>> sorted(age.of_release.tolist())
    [[0.25, 0.5, 0.0], [0.25, 0.5, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    >>> sorted(sex.of_release.tolist())
    [[0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]]
    """

    column: PublishedAttribute

    @cached_property
    def of_original(self) -> Floats:
        """Features of every original record."""
        attribute = self.column.attribute
        if self._bounds is not None:
            places = np.append(self._scale(attribute.axis), 0.5)
            gone = np.append(np.zeros(len(attribute.labels)), 1.0)
            return np.column_stack([places, np.zeros(len(places)), gone])[attribute.codes]
        known = np.zeros((len(attribute.labels) + 1, self._width))
        known[np.arange(len(known)), self._places((*attribute.labels, MISSING))] = 1.0
        return np.asarray(known[attribute.codes])

    @cached_property
    def of_release(self) -> Floats:
        """Features of every published record."""
        return np.asarray(self._of_cells[self.column.cells.index])

    @property
    def _of_cells(self) -> Floats:
        if self._bounds is not None:
            low, high, missing = self._bounds
            width = np.where(missing, 0.0, high - low)
            return np.column_stack([np.where(missing, 0.5, (low + high) / 2), width, missing])
        meanings = self.column.meanings
        shares = np.zeros((len(meanings), self._width))
        where = self._places(meanings.labels)[meanings.codes]
        np.add.at(shares, (meanings.row_of_token, where), 1.0)
        return shares / np.maximum(meanings.lengths, 1)[:, None]

    @cached_property
    def _bounds(self) -> tuple[Floats, Floats, Floats] | None:
        """Scaled bounds of all cells and which are missing values; None where cells do not lie on an axis."""
        cells, axis = self.column.cells, self.column.attribute.axis
        if axis is None or not len(axis):
            return None
        if cells.form.cell == "interval":
            low, high, missing, suppressed = cells.bounds
            ends = np.where(suppressed, axis[0], low), np.where(suppressed, axis[-1], high)
            return self._scale(ends[0]), self._scale(ends[1]), missing.astype(np.float64)
        return self._bounds_of_nodes()

    def _bounds_of_nodes(self) -> tuple[Floats, Floats, Floats] | None:
        """Return the smallest and the largest number below nodes of a hierarchy of labels, if labels are numbers."""
        meanings, axis = self.column.meanings, self.column.attribute.axis
        missing = np.array([label == MISSING for label in meanings.labels], dtype=bool)
        try:
            given = [label for label in meanings.labels if label != MISSING]
            places = np.zeros(len(meanings.labels))
            places[~missing] = self._scale(place_values(given, self.column.attribute.scale))
        except (pa.ArrowInvalid, ValueError):
            return None
        # No cell says more than that a number lies where numbers of the column do.
        places = np.clip(places, 0.0, 1.0) if axis is not None else places
        low, high = np.ones(len(meanings)), np.zeros(len(meanings))
        np.minimum.at(low, meanings.row_of_token, places[meanings.codes])
        np.maximum.at(high, meanings.row_of_token, places[meanings.codes])
        gone = np.zeros(len(meanings))
        np.maximum.at(gone, meanings.row_of_token, missing[meanings.codes].astype(np.float64))
        return low, high, gone

    def _scale(self, places: Any) -> Floats:
        axis = self.column.attribute.axis
        if axis is None or not len(axis):
            return np.zeros(len(places))
        span = float(axis[-1] - axis[0])
        return np.asarray((np.asarray(places) - axis[0]) / (span if span > 0 else 1.0), dtype=np.float64)

    @cached_property
    def _frequent(self) -> dict[str, int]:
        counts = self.column.frequencies[:-1]
        top = np.argsort(-counts, kind="stable")[:MOST_LABELS]
        return {self.column.attribute.labels[code]: at for at, code in enumerate(np.sort(top).tolist())}

    @property
    def _width(self) -> int:
        return len(self._frequent) + 2

    def _places(self, labels: tuple[str, ...]) -> npt.NDArray[np.int64]:
        other, missing = self._width - 2, self._width - 1
        return np.array([missing if v == MISSING else self._frequent.get(v, other) for v in labels], dtype=np.int64)
