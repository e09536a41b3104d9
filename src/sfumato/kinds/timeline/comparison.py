"""A timeline and what is published of it, side by side on the original time points."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.comparison import Comparison
from sfumato.core.dataset import Dataset
from sfumato.core.errors import SchemaError
from sfumato.core.leftover import Leftover
from sfumato.core.ragged import Ragged
from sfumato.core.release import Release
from sfumato.kinds.timeline.model import Deletions, Timeline

__all__ = ["TimelineComparison", "count_leftover"]

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
        return Timeline.of_release(self.comparison.release)

    @cached_property
    def deletions(self) -> Deletions:
        """What was deleted, entry by entry of the original."""
        return Deletions.between(self.before, self.after, self._rows())

    @cached_property
    def left(self) -> Ints:
        """What is left of every entry of the original."""
        return self.before.counts - self.deletions.removed

    @cached_property
    def lengths(self) -> Ints:
        """What is left of every original prefix."""
        return np.cumsum(self.before.totals - self.deletions.by_point)

    @cached_property
    def ordinary(self) -> npt.NDArray[np.bool_]:
        """Which events of the original are not sensitive."""
        sensitive = set(self.comparison.original.schema.sensitive)
        return np.array([label not in sensitive for label in self.before.labels], dtype=bool)

    @property
    def delta(self) -> Fraction | None:
        """The threshold that the release claims, if it claims one."""
        found = getattr(self.comparison.release.guarantee, "fraction", None)
        return found if isinstance(found, Fraction) else None

    def _rows(self) -> Ints:
        if self.comparison.rows is not None:
            return self.comparison.rows
        clock = self.comparison.original.clock
        times = clock.to_arrow(self.before.times).cast("int64").to_numpy()
        rows = np.searchsorted(times, self.after.times)
        if len(rows) and (rows.max() >= len(times) or (times[rows] != self.after.times).any()):
            raise SchemaError(
                "Comparison: the release has time points that the original does not have. "
                "Compare it with the data it was made from."
            )
        return np.asarray(rows, dtype=np.int64)


def count_leftover(original: Dataset, release: Release) -> Leftover:
    """Count occurrences of sensitive events: other events are published as they are."""
    named = set(original.schema.sensitive)
    had, left = (
        _sum_counts(histories, table, named)
        for histories, table in ((original.history(), original.table), (release.history(), release.table))
    )
    sentence = "of {had} occurrences of sensitive events {left} are left."
    return Leftover(had, left, sentence, "A larger delta or fewer sensitive events would leave more.")


def _sum_counts(histories: Ragged, table: pa.Table, named: set[str]) -> int:
    chosen = np.array([label in named for label in histories.labels], dtype=bool)
    lists = table.column("counts") if "counts" in table.column_names else None
    if lists is None or not len(chosen):
        return int(chosen[histories.codes].sum()) if len(chosen) else 0
    counts = np.asarray(lists.combine_chunks().flatten())
    return int(counts[chosen[histories.codes]].sum())
