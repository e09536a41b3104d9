"""What several measures of set-valued data need to know about an original and its release."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import ClassVar, TypeVar, cast

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets.dataset import TERM_CHUNK
from sfumato.kinds.sets.decode import Chunks, is_disassociated
from sfumato.kinds.sets.estimate.chunk_support import ChunkSupport
from sfumato.kinds.sets.estimate.matching import ChunkMatching
from sfumato.kinds.sets.estimate.supports import count_supports, expect_supports
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import SummedMetric
from sfumato.metrics.retained_detail import RetainedDetail, count_different, name_long, name_values, share_of
from sfumato.release.release import Release

__all__ = ["SetComparison", "SetMetric", "count_retained", "list_items", "number_items"]


@dataclasses.dataclass(frozen=True)
class SetMetric(SummedMetric):
    """A measure of releases of sets: of those in chunks, of those with generalised items, or of both.

    Examples
    --------
    >>> from sfumato.kinds.sets.metrics.separated_items import SeparatedItems
    >>> SeparatedItems.forms
    ('chunks',)
    """

    forms: ClassVar[tuple[str, ...]] = ("chunks", "records")

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why this measure cannot be taken here, or return None when it can."""
        reason = super().obstacle(comparison)
        if reason is not None:
            return reason
        form = "chunks" if comparison.view(SetComparison).is_disassociated else "records"
        return None if form in self.forms else f"measures releases of {self.forms[0]}, got one of {form}."


Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Value = TypeVar("Value")


@dataclasses.dataclass(frozen=True, eq=False)
class SetComparison:
    """An original of sets and its release, both as sets over one numbering of items by their labels.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.metrics.comparison import Comparison
    >>> data = sf.Dataset.of("sets", [["wine", "bread"], ["bread"], ["wine", "bread"]])
    >>> result = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32))
    >>> found = Comparison(data, result.release).view(SetComparison)
    >>> found.items, found.supports.tolist()
    (('bread', 'wine'), [3, 2])
    """

    comparison: Comparison

    @cached_property
    def is_disassociated(self) -> bool:
        """Whether the release publishes chunks of records instead of records."""
        return is_disassociated(self.comparison.release)

    @cached_property
    def items(self) -> tuple[str, ...]:
        """Labels of all items of the whole original, in alphabetical order; their positions are the codes used here."""
        return list_items(self.comparison.full_original)

    @cached_property
    def original(self) -> ListColumn:
        """The original records."""
        return self.number(self.comparison.history)

    @cached_property
    def supports(self) -> Ints:
        """Number of original records with each item."""
        return np.bincount(self.original.codes, minlength=len(self.items)).astype(np.int64)

    @cached_property
    def ranking(self) -> Ints:
        """Items from the most frequent of the whole original to the rarest; equally frequent ones alphabetically."""
        return self.comparison.full_original.cached(
            "ranking", lambda: np.argsort(-self._count_full_supports(), kind="stable")
        )

    def _count_full_supports(self) -> Ints:
        full_original = self.comparison.partition_of
        if full_original is None:
            return self.supports
        return np.bincount(
            number_items(full_original.original.history(), self.items).codes, minlength=len(self.items)
        ).astype(np.int64)

    def number(self, records: ListColumn) -> ListColumn:
        """Return records as sets over the items of the whole original."""
        return number_items(records, self.items)

    @cached_property
    def matching(self) -> ChunkMatching:
        """How the chunks of a disassociated release may lie on records."""
        return ChunkMatching(Chunks.of(self.comparison.release))

    @cached_property
    def chunk_support(self) -> ChunkSupport:
        """Supports in the chunks of a disassociated release."""
        return ChunkSupport(self.matching)

    @cached_property
    def hierarchy(self) -> Hierarchy | None:
        """Hierarchy of the items, where the owner has one."""
        return self.comparison.original.hierarchies.get("item")

    def support_in_chunks(self, itemsets: Sequence[Sequence[str]], how: str) -> Floats:
        """Return supports of itemsets in a disassociated release: ``expected``, ``certain`` or ``inside`` chunks."""
        labels = self.matching.chunks.subrecords.labels
        code_of = {label: code for code, label in enumerate(labels)}
        answer: Callable[[list[int]], float] = getattr(self.chunk_support, how)
        encoded = [[code_of.get(item, -1) for item in itemset] for itemset in itemsets]
        return np.array([answer(codes) if min(codes) >= 0 else 0.0 for codes in encoded], dtype=np.float64)

    def truth(self, itemsets: Sequence[Sequence[str]]) -> Floats:
        """Return how many original records hold each itemset."""
        return count_supports(self.comparison.history, itemsets).astype(np.float64)

    def expect(self, itemsets: Sequence[Sequence[str]], *, any_set: bool = False) -> Floats:
        """Return how many records are expected to hold each itemset according to the release."""
        if self.is_disassociated:
            return self.support_in_chunks(itemsets, "expected")
        return expect_supports(self.comparison.release, itemsets, any_set=any_set)

    def cached(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """Return what was computed under this key before, or compute it now: measures share what is dear."""
        if key not in self._cache:
            self._cache[key] = compute()
        return cast(Value, self._cache[key])

    @cached_property
    def _cache(self) -> dict[Hashable, object]:
        return {}


def number_items(records: ListColumn, items: tuple[str, ...]) -> ListColumn:
    """Return records as sets over items, numbered as they are listed.

    Examples
    --------
    >>> number_items(ListColumn.from_lists([["wine", "bread", "wine"]]), ("bread", "wine")).codes.tolist()
    [0, 1]
    """
    code_of = {label: code for code, label in enumerate(items)}
    used = np.zeros(len(records.labels), dtype=bool)
    used[records.codes] = True
    codes = np.array([code_of.get(label, -1) for label in records.labels], dtype=np.int64)
    if (codes[used] < 0).any():
        raise SchemaError(
            "The release has items that the original does not have.", hint="Compare it with the data it was made from."
        )
    width = max(len(items), 1)
    keys = np.sort(records.row_of_token * width + codes[records.codes])
    keys = keys[np.diff(keys, prepend=-1) > 0]
    offsets = np.searchsorted(keys, np.arange(len(records) + 1) * width).astype(np.int64)
    return ListColumn(offsets, (keys % width).astype(np.int32), items)


def list_items(full_original: FullOriginal) -> tuple[str, ...]:
    """Return the labels of all items that a record of the original has, in alphabetical order.

    Examples
    --------
    >>> list_items(FullOriginal(Dataset.of("sets", [["wine", "bread"], ["bread"]])))
    ('bread', 'wine')
    """

    def find() -> tuple[str, ...]:
        history = full_original.original.view_history()
        return tuple(sorted(history.labels[code] for code in np.unique(history.codes).tolist()))

    return full_original.cached("items", find)


def count_retained(original: Dataset, release: Release) -> RetainedDetail:
    """Count what is left of what there was, for the owner to see where that is little."""
    history, published = original.history(), release.history()
    long = name_long(history, "items")
    if is_disassociated(release):
        outside = np.asarray(release.table.column("chunk")) != TERM_CHUNK
        left = count_different(published.take(np.flatnonzero(outside)))
        are = "is" if left == 1 else "are"
        sentence = (
            f"of {{had}} items only {{left}} {are} published in subrecords; of all others only the cluster "
            "is published."
        )
        advice = f"A smaller k or m, {long}or a larger max_cluster retains more."
        return RetainedDetail(count_different(history), left, sentence, advice, share_of(release))
    left = count_different(published)
    hierarchy = "a hierarchy with more levels" if "item" in original.hierarchies else "a method with a hierarchy"
    advice = f"A smaller k or m, {long}{hierarchy}, or disassociation, which keeps every item, retains more."
    sentence = f"{{had}} items are published as {name_values(left)}."
    return RetainedDetail(count_different(history), left, sentence, advice, share_of(release))
