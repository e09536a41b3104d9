"""A timeline and what is published of it, side by side on the original time points."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import SchemaError
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.kinds.timeline.decode import read_timeline
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.retained_detail import RetainedDetail
from sfumato.release.release import Release

__all__ = ["TimelineComparison", "count_retained"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class TimelineComparison:
    """What was deleted from a timeline, and what is left of it at the original time points.

    Parameters
    ----------
    comparison
        The original and its release. Without a row map published time points are found by their time.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("timeline", [{"a": 2, "b": 3}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> result = sf.anonymize(data, sf.methods.Odesa(delta="1/4"))
    >>> TimelineComparison(Comparison(data, result.release)).left.tolist()
    [0, 3, 1, 4]
    """

    comparison: Comparison

    @cached_property
    def before(self) -> Timeline:
        """The original."""
        return Timeline.of(self.comparison.original)

    @cached_property
    def after(self) -> Timeline:
        """What is published."""
        return read_timeline(self.comparison.release)

    @cached_property
    def left(self) -> Ints:
        """What is left of every entry of the original: what is published of the same event at the same time."""
        before, after = self.before, self.after
        code = before.code_of()
        recode = np.array([code.get(label, -1) for label in after.labels], dtype=np.int64)
        codes = recode[after.codes] if len(recode) else after.codes
        width = max(len(before.labels), 1)
        keys = before.points * width + before.codes
        shown = self._rows()[after.points] * width + codes
        order = np.argsort(keys, kind="stable")
        at = np.searchsorted(keys[order], shown)
        matched = (codes >= 0) & (at < len(keys))
        matched[matched] = keys[order][at[matched]] == shown[matched]
        if not matched.all():
            raise SchemaError("The release has events that the original does not have at the same time.")
        left = np.zeros_like(before.counts)
        np.add.at(left, order[at], after.counts)
        return left

    @cached_property
    def removed(self) -> Ints:
        """Occurrences deleted of every entry of the original."""
        return self.before.counts - self.left

    @cached_property
    def totals(self) -> Ints:
        """Occurrences of all events at every original time point."""
        return self._count_by_point(self.before.counts)

    @cached_property
    def removed_by_point(self) -> Ints:
        """Occurrences deleted from every original time point."""
        return self._count_by_point(self.removed)

    @cached_property
    def original_lengths(self) -> Ints:
        """Occurrences of all events in every original prefix."""
        return np.cumsum(self.totals)

    @cached_property
    def lengths(self) -> Ints:
        """What is left of every original prefix."""
        return np.cumsum(self.totals - self.removed_by_point)

    def _count_by_point(self, amounts: Ints) -> Ints:
        sums = np.zeros(len(self.before), dtype=np.int64)
        np.add.at(sums, self.before.points, amounts)
        return sums

    @cached_property
    def errors(self) -> list[tuple[int, int]]:
        """Squared change of the events' probabilities at every time point that changed, as whole fractions.

        The probability of an event is its share after every event of the alphabet got half an occurrence more: with
        halves as units a/n before and b/m after, and the change (b n - a m) / (n m). Where nothing of an event was
        deleted b is a, so that all such events change by a share of n - m.
        """
        alphabet, own = len(self.before.labels), 2 * self.before.counts + 1
        untouched = self._count_by_point(np.where(self.removed == 0, own * own, 0))
        # An event that does not occur at a time point has its half there.
        untouched += alphabet - np.diff(self.before.offsets)
        gone = np.flatnonzero(self.removed)
        points, first = np.unique(self.before.points[gone], return_index=True)
        # Whole numbers of any size from here on: squares of products do not fit 64 bits.
        n = 2 * self.totals[points].astype(object) + alphabet
        m = n - 2 * self.removed_by_point[points]
        at = np.searchsorted(points, self.before.points[gone])
        a = own[gone].astype(object)
        b = a - 2 * self.removed[gone]
        touched = np.add.reduceat((b * n[at] - a * m[at]) ** 2, first) if len(gone) else a
        return list(zip(((n - m) ** 2 * untouched[points] + touched).tolist(), ((n * m) ** 2).tolist(), strict=True))

    @cached_property
    def ordinary(self) -> npt.NDArray[np.bool_]:
        """Which events of the original are not sensitive."""
        sensitive = set(self.comparison.original.schema.sensitive)
        return np.array([label not in sensitive for label in self.before.labels], dtype=bool)

    @property
    def delta(self) -> Fraction | None:
        """The threshold that the release claims, if it claims one."""
        fraction = getattr(self.comparison.release.guarantee, "fraction", None)
        return fraction if isinstance(fraction, Fraction) else None

    def _rows(self) -> Ints:
        if self.comparison.rows is not None:
            return self.comparison.rows
        time_unit = self.comparison.original.time_unit
        times = time_unit.to_arrow(self.before.times).cast("int64").to_numpy()
        rows = np.searchsorted(times, self.after.times)
        if len(rows) and (rows.max() >= len(times) or (times[rows] != self.after.times).any()):
            raise SchemaError(
                "The release has time points that the original does not have.",
                hint="Compare it with the data it was made from.",
            )
        return np.asarray(rows, dtype=np.int64)


def count_retained(original: Dataset, release: Release) -> RetainedDetail:
    """Count occurrences of sensitive events: other events are published unchanged."""
    named = set(original.schema.sensitive)
    had, left = (
        _sum_counts(histories, table, named)
        for histories, table in ((original.history(), original.table), (release.history(), release.table))
    )
    sentence = "of {had} occurrences of sensitive events {left} are left."
    return RetainedDetail(had, left, sentence, "A larger delta or fewer sensitive events retain more.")


def _sum_counts(histories: ListColumn, table: pa.Table, named: set[str]) -> int:
    chosen = np.array([label in named for label in histories.labels], dtype=bool)
    lists = table.column("counts") if "counts" in table.column_names else None
    if lists is None or not len(chosen):
        return int(chosen[histories.codes].sum()) if len(chosen) else 0
    counts = np.asarray(lists.combine_chunks().flatten())
    return int(counts[chosen[histories.codes]].sum())
