"""Columns as numbers that a model can learn from, the same ones for what was and for what is published."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.kinds.table.comparison.losses import ComparedColumn
from sfumato.kinds.table.dataset import MISSING, place_values

__all__ = ["MOST_LABELS", "Features"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_LABELS = 50
"""Labels that have a feature of their own; rarer ones share one."""


@dataclasses.dataclass(frozen=True, eq=False)
class Features:
    """A column as features.

    A number has two: where it lies between the smallest and the largest of the column, and whether it is missing. A
    label has one for every frequent label of the column, one for all others and one for a missing value. Of a published
    cell a value is drawn, all it may stand for being as likely: a model that learnt from cells themselves would not
    know what to make of exact values.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.metrics.comparison import Comparison
    >>> from sfumato.kinds.table.comparison import TableComparison
    >>> data = sf.Dataset.of("table", [(20, "f"), (40, "m"), (60, "m"), (60, "m")], ("age", "sex"))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    >>> age, sex = (Features(column) for column in Comparison(data, release).view(TableComparison).columns)
    >>> age.of_original.tolist()
    [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [1.0, 0.0]]
    >>> sorted(age.draw(np.full(4, 0.5)).round(2).tolist())
    [[0.25, 0.0], [0.25, 0.0], [1.0, 0.0], [1.0, 0.0]]
    """

    column: ComparedColumn

    @cached_property
    def of_original(self) -> Floats:
        """Features of every original record."""
        attribute = self.column.attribute
        if attribute.axis is not None:
            return self._of_places(np.append(self._scale(attribute.axis), np.nan)[attribute.codes])
        return self._of_labels(self._bins((*attribute.labels, MISSING))[attribute.codes])

    def draw(self, chance: Floats) -> Floats:
        """Draw a value for every published record by a chance from 0 to 1, and return its features."""
        codes, axis = self.column.codes, self.column.attribute.axis
        if self.column.is_numeric and axis is not None and len(axis):
            low, high = (side[codes] for side in self.column.ranges)
            length = (high - low).astype(np.float64)
            whole = self.column.attribute.scale != "decimal"
            drawn = low + (np.floor(chance * (length + 1)) if whole else chance * length)
            return self._of_places(np.where(self.column.values.missing[codes], np.nan, self._scale(drawn)))
        meanings = self.column.meanings
        at = meanings.offsets[codes] + np.floor(chance * meanings.lengths[codes]).astype(np.int64)
        drawn = meanings.codes[np.minimum(at, max(len(meanings.codes) - 1, 0))]
        if axis is not None:
            return self._of_places(self._places(meanings.labels)[drawn])
        return self._of_labels(self._bins(meanings.labels)[drawn])

    def _of_places(self, places: Floats) -> Floats:
        missing = np.isnan(places)
        return np.column_stack([np.where(missing, 0.5, places), missing])

    def _of_labels(self, bins: Ints) -> Floats:
        shown = np.zeros((len(bins), len(self._frequent) + 2))
        shown[np.arange(len(bins)), bins] = 1.0
        return shown

    def _places(self, labels: tuple[str, ...]) -> Floats:
        """Return where labels of a column of numbers lie: no further out than its values, in the middle if nowhere."""
        given = np.array([at for at, label in enumerate(labels) if label != MISSING], dtype=np.int64)
        places = np.full(len(labels), np.nan)
        try:
            positions = place_values([labels[at] for at in given.tolist()], self.column.attribute.scale)
            places[given] = np.clip(self._scale(positions), 0.0, 1.0)
        except (pa.ArrowInvalid, ValueError):
            places[given] = 0.5
        return places

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

    def _bins(self, labels: tuple[str, ...]) -> Ints:
        other = len(self._frequent)
        return np.array([other + 1 if v == MISSING else self._frequent.get(v, other) for v in labels], dtype=np.int64)
