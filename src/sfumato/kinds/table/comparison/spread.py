"""Where the values of a column lie, before and after: in a few bins, the mass of a cell spread over all it may be."""

from __future__ import annotations

import dataclasses
import datetime
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.kinds.table.comparison.losses import ComparedColumn
from sfumato.kinds.table.dataset import MISSING, place_values

__all__ = ["MOST_BINS", "Spread", "associate"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_BINS = 12
_EPOCH = datetime.date(1970, 1, 1)


@dataclasses.dataclass(frozen=True, eq=False)
class Spread:
    """A column in a few bins: how many records each had, and how many it has when every value of a cell is as likely.

    Numbers and dates have bins of equal width, labels one each for the most frequent and one for all others; missing
    values have a bin of their own.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.metrics.comparison import Comparison
    >>> from sfumato.kinds.table.comparison import TableComparison
    >>> data = sf.Dataset.of("table", [(20, "f"), (21, "m"), (23, "m"), (23, "m")], ("age", "sex"))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    >>> age = Spread(Comparison(data, release).view(TableComparison).columns[0])
    >>> list(zip(age.bins, age.of_original.tolist(), age.of_release.tolist()))
    [('20', 1, 1.0), ('21', 1, 1.0), ('22', 0, 0.0), ('23', 2, 2.0)]
    """

    column: ComparedColumn

    @property
    def is_numeric(self) -> bool:
        """Whether bins lie on an axis."""
        return self._edges is not None

    @cached_property
    def _edges(self) -> Floats | None:
        """Edges of bins of equal width; each holds its left edge, the last its right one too."""
        axis = self.column.attribute.axis
        if axis is None or not len(axis):
            return None
        low, high = float(axis[0]), float(axis[-1])
        if self.column.attribute.scale != "decimal":
            width = _round_up((high - low + 1) / MOST_BINS)
            first = np.floor(low / width) * width if width > 1 else low
            return np.asarray(np.arange(first, high + width + 0.5, width), dtype=np.float64)
        width = (high - low) / MOST_BINS if high > low else 1.0
        return np.asarray(low + width * np.arange(MOST_BINS + 1 if high > low else 2), dtype=np.float64)

    @cached_property
    def _frequent(self) -> tuple[str, ...]:
        """Labels with a bin of their own: in their order where they have one, else from the most frequent on."""
        attribute, counts = self.column.attribute, self.column.frequencies[:-1]
        order = np.argsort(-counts, kind="stable")
        if len(counts) > MOST_BINS:
            order = order[: MOST_BINS - 1]
        if attribute.scale == "ordered":
            order = np.sort(order)
        return tuple(attribute.labels[code] for code in order.tolist())

    @cached_property
    def bins(self) -> tuple[str, ...]:
        """Names of the bins."""
        missing = ("(missing)",) if self.column.has_missing else ()
        if self._edges is not None:
            return (*(self._name(at) for at in range(len(self._edges) - 1)), *missing)
        named = (f"({self._others:,} other{'s' * (self._others > 1)})",) if self._others else ()
        return (*self._frequent, *named, *missing)

    @cached_property
    def _others(self) -> int:
        """Number of labels without a bin of their own: those that occur, and those that cells may stand for."""
        meanings = self.column.meanings
        meant = {meanings.labels[code] for code in np.unique(meanings.codes).tolist()}
        return len((meant | set(self.column.attribute.labels)) - {*self._frequent, MISSING})

    def _name(self, at: int) -> str:
        assert self._edges is not None
        low, high = float(self._edges[at]), float(self._edges[at + 1])
        scale = self.column.attribute.scale
        if scale == "decimal":
            return f"{low:.4g}"
        if scale == "date":
            return (_EPOCH + datetime.timedelta(days=int(low))).isoformat()
        return f"{int(low)}" if high - low == 1 else f"{int(low)}–{int(high) - 1}"

    @property
    def _plain(self) -> int:
        """Number of bins but for that of missing values."""
        return len(self.bins) - self.column.has_missing

    @cached_property
    def bin_of_value(self) -> Ints:
        """Bin of every value of the original; the last is that of missing ones."""
        attribute = self.column.attribute
        if self._edges is not None:
            bins = self._bins_of_places(attribute.axis)
        else:
            place = {label: at for at, label in enumerate(self._frequent)}
            bins = np.array([place.get(label, len(place)) for label in attribute.labels], dtype=np.int64)
        return np.append(bins, len(self.bins) - 1)

    def _bins_of_places(self, places: Any) -> Ints:
        assert self._edges is not None
        bins = np.searchsorted(self._edges, np.asarray(places, dtype=np.float64), "right") - 1
        return np.clip(bins, 0, len(self._edges) - 2).astype(np.int64)

    @cached_property
    def of_records(self) -> Ints:
        """Bin of every original record."""
        return np.asarray(self.bin_of_value[self.column.attribute.codes])

    @cached_property
    def of_original(self) -> Ints:
        """Number of original records in every bin."""
        return np.bincount(self.of_records, minlength=len(self.bins)).astype(np.int64)

    @cached_property
    def of_release(self) -> Floats:
        """Number of published records to be expected in every bin."""
        return np.asarray(self.column.amounts.astype(np.float64) @ self.shares)

    @cached_property
    def shares(self) -> Floats:
        """Share of every cell in every bin."""
        if self.column.is_numeric:
            return self._shares_of_ranges()
        meanings = self.column.meanings
        shares = np.zeros((len(meanings), len(self.bins)))
        np.add.at(shares, (meanings.row_of_token, self._bins_of_labels(meanings.labels)[meanings.codes]), 1.0)
        return shares / np.maximum(meanings.lengths, 1)[:, None]

    def _bins_of_labels(self, labels: tuple[str, ...]) -> Ints:
        last = len(self.bins) - 1
        if self._edges is None:
            place = {label: at for at, label in enumerate(self._frequent)}
            return np.array([last if v == MISSING else place.get(v, len(place)) for v in labels], dtype=np.int64)
        given = np.array([at for at, label in enumerate(labels) if label != MISSING], dtype=np.int64)
        bins = np.full(len(labels), last, dtype=np.int64)
        try:
            places = place_values([labels[at] for at in given.tolist()], self.column.attribute.scale)
            bins[given] = self._bins_of_places(places)
        except (pa.ArrowInvalid, ValueError):
            bins[given] = 0
        return bins

    def _shares_of_ranges(self) -> Floats:
        """Return how much of every range lies in every bin; a suppressed one is as wide as the column."""
        (low, high), missing = self.column.ranges, self.column.values.missing
        edges = self._edges
        if edges is None:
            return np.ones((len(low), len(self.bins)))
        point = 0.0 if self.column.attribute.scale == "decimal" else 1.0
        begin, end = low.astype(np.float64)[:, None], high.astype(np.float64)[:, None] + point
        inside = np.minimum(end, edges[None, 1:]) - np.maximum(begin, edges[None, :-1])
        shares = np.zeros((len(low), len(self.bins)))
        shares[:, : self._plain] = np.maximum(inside, 0.0)
        total = shares.sum(axis=1)
        exact = np.flatnonzero((total == 0) & ~missing)
        shares[exact, self._bins_of_places(low[exact])] = 1.0
        shares[missing] = 0.0
        shares[missing, -1] = 1.0
        return np.asarray(shares / np.maximum(shares.sum(axis=1), 1e-300)[:, None])


def _round_up(width: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, 50 and so on."""
    power = 10.0 ** np.floor(np.log10(max(width, 1.0)))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= width - 1e-9))


def associate(spread: Spread, other: Spread) -> tuple[float, float]:
    """Return how strongly two columns go together before and after: Cramer's V of their bins, from 0 to 1.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.metrics.comparison import Comparison
    >>> from sfumato.kinds.table.comparison import TableComparison
    >>> rows = [(20, "f"), (20, "f"), (60, "m"), (60, "m")]
    >>> data = sf.Dataset.of("table", rows, ("age", "sex"))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=4), secret=bytes(32)).release
    >>> age, sex = (Spread(column) for column in Comparison(data, release).view(TableComparison).columns)
    >>> associate(age, sex)
    (1.0, 0.0)
    """
    shape = len(spread.bins), len(other.bins)
    pairs = spread.of_records * shape[1] + other.of_records
    before = np.bincount(pairs, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
    width = len(other.column.values)
    keys, counts = np.unique(spread.column.codes * width + other.column.codes, return_counts=True)
    after = (spread.shares[keys // width] * counts[:, None]).T @ other.shares[keys % width]
    return _cramer(before), _cramer(after)


def _cramer(counts: Floats) -> float:
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    smaller, total = min(counts.shape, default=0), counts.sum()
    if smaller < 2 or total <= 0:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    square = float(((counts - expected) ** 2 / expected).sum() / total)
    strength = float(np.sqrt(square / (smaller - 1)))
    return 0.0 if strength < 1e-9 else min(strength, 1.0)
