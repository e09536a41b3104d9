"""What several measures of tables need to know about an original and its release."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.checks.classes import Classes
from sfumato.data.coded import Coded
from sfumato.data.dataset import Dataset
from sfumato.exceptions import SchemaError
from sfumato.kinds.table.comparison.losses import ComparedColumn, count_values
from sfumato.kinds.table.dataset import Attribute, attribute_of
from sfumato.kinds.table.decode import exact
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.grouping import GroupedAmounts, digest_values, mix_digests
from sfumato.metrics.retained_detail import RetainedDetail, share_of
from sfumato.release.decode import decode
from sfumato.release.release import Release

__all__ = ["NEEDS_ROWS", "TableComparison", "count_retained"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Digests = npt.NDArray[np.uint64]

NEEDS_ROWS = "needs the owner's row map: classes do not tell which record became which."


@dataclasses.dataclass(frozen=True, eq=False)
class TableComparison:
    """An original table and its release: what every quasi-identifier was, and the cells it is published as.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (24, "m"), (60, "m"), (60, "m")], ("age", "sex"))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    >>> found = Comparison(data, release).view(TableComparison)
    >>> found.published.sizes.tolist(), [column.losses.tolist() for column in found.columns]
    ([2, 2], [[0.1, 0.0], [0.0, 1.0]])
    """

    comparison: Comparison

    @cached_property
    def published(self) -> Classes:
        """The published quasi-identifiers, and the classes of records that are the same in all of them."""
        return Classes.of(decode(self.comparison.release))

    @cached_property
    def columns(self) -> tuple[ComparedColumn, ...]:
        """Every quasi-identifier as it was and as it is published, in the order of the release."""
        return tuple(map(self._compare, self.published.columns))

    def _compare(self, column: Coded) -> ComparedColumn:
        return ComparedColumn(self.attribute(column.name), column, self._count(column.name))

    def _count(self, name: str) -> Ints | None:
        """Return how many records of the whole original have each value of a column, where this is a part of it."""
        full_original = self.comparison.partition_of
        return (
            None
            if full_original is None
            else full_original.cached(("frequencies", name), lambda: count_values(self.column_of_original(name)))
        )

    def attribute(self, name: str) -> Attribute:
        """Return a column of the original as numbers; a value has the number that it has in the whole."""
        full_original, chosen = self.column_of_original(name), self.comparison.chosen
        return full_original if chosen is None else full_original.take(chosen)

    def column_of_original(self, name: str) -> Attribute:
        """Return a column of the whole original as numbers."""
        if name not in {column.name for column in self.comparison.original.schema.columns}:
            raise SchemaError(
                f"Comparison: the release has a column {name!r} that the original data do not have. "
                "Compare it with the data it was made from."
            )
        full_original = self.comparison.full_original
        return full_original.cached(("attribute", name), lambda: attribute_of(full_original.original, name))

    @cached_property
    def exact(self) -> tuple[ComparedColumn, ...]:
        """Sensitive and plain columns, which are published as they are."""
        return tuple(map(self._compare, decode(self.comparison.release).with_role("sensitive", "plain")))

    @cached_property
    def by_name(self) -> dict[str, ComparedColumn]:
        """Every published column by its name."""
        return {column.name: column for column in (*self.columns, *self.exact)}

    @property
    def queried_attributes(self) -> tuple[Attribute, ...]:
        """What an analyst asks about: quasi-identifiers and sensitive columns of the whole original."""
        sensitive = {column.name for column in self.comparison.release.columns if column.role == "sensitive"}
        return tuple(
            self.column_of_original(c.name) for c in (*self.columns, *(c for c in self.exact if c.name in sensitive))
        )

    @property
    def records(self) -> int:
        """Number of original records, withheld ones included."""
        return len(self.comparison.original)

    @property
    def suppressed_records(self) -> int:
        """Number of records that are not published."""
        return self.records - self.published.records

    @cached_property
    def record_losses(self) -> Floats:
        """NCP of every published record: the mean over its cells."""
        if not self.columns:
            return np.zeros(self.published.records)
        return np.asarray(np.mean([column.losses[column.codes] for column in self.columns], axis=0))

    @cached_property
    def original_classes(self) -> Ints:
        """Sizes of the classes of the whole original: records with the same values of all quasi-identifiers."""
        full_original = self.comparison.full_original
        return full_original.cached("classes", lambda: Classes.of(exact(full_original.original)).sizes)

    @cached_property
    def classes(self) -> GroupedAmounts:
        """Sizes of the published classes, and what tells them from those of other parts: the meaning of their cells."""
        return GroupedAmounts(
            None if self.comparison.partition_of is None else self._digest_classes(), {"records": self.published.sizes}
        )

    def _digest_classes(self) -> Digests:
        rows, digests = self.published.example, []
        for column in self.columns:
            values, texts = column.values, column.texts
            meanings = [(text, values.labels_of(at) if values.names else ()) for at, text in enumerate(texts)]
            digests.append(digest_values(meanings)[column.codes[rows]])
        return mix_digests(digests) if digests else np.zeros((len(rows), 2), np.uint64)

    def average(self, record_scores: Floats, suppressed_score: float = 1.0) -> float:
        """Average a score of the published records over all original ones; withheld ones have a score of their own."""
        return float(record_scores.sum() + suppressed_score * self.suppressed_records) / max(self.records, 1)


def count_retained(original: Dataset, release: Release) -> RetainedDetail:
    """Count what is left of what there was, for the owner to see where that is little.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(n,) for n in range(40)], ("age",))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=40), secret=bytes(32)).release
    >>> str(count_retained(data, release))
    '40 different combinations of quasi-identifiers are published as 1 class. A smaller k, fewer quasi-identifiers, a
     hierarchy with more levels, or a method that recodes every class on its own would leave more.'
    """
    view = TableComparison(Comparison(original, release))
    left = len(view.published.sizes)
    sentence = (
        f"{{had}} different combinations of quasi-identifiers are published as {{left}} "
        f"{'class' if left == 1 else 'classes'}."
    )
    advice = (
        "A smaller k, fewer quasi-identifiers, a hierarchy with more levels, or a method that recodes every class on "
        "its own would leave more."
    )
    return RetainedDetail(len(view.original_classes), left, sentence, advice, share_of(release))
