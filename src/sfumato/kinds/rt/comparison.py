"""What several measures of tables with sets need to know about an original and its release."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.table.comparison import TableComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.retained_detail import RetainedDetail, count_different, name_values, share_of
from sfumato.release.release import Release

__all__ = ["RtComparison", "count_retained"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class RtComparison:
    """An original table with sets and its release: the attributes as a table, and the values that stand for items.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("rt", [(20,), (20,)], ("age",), [["a", "b"], ["a"]])
    >>> release = sf.anonymize(data, sf.methods.RFirst(k=2, m=2, transaction="coat"), secret=bytes(32)).release
    >>> found = Comparison(data, release).view(RtComparison)
    >>> found.sizes.tolist(), found.has(("a",)).tolist(), found.chance_of(("a",)).tolist()
    ([2], [True, True], [0.5, 0.5])
    """

    comparison: Comparison

    @property
    def table(self) -> TableComparison:
        """The attributes."""
        return self.comparison.view(TableComparison)

    @cached_property
    def sensitive(self) -> frozenset[str]:
        """Items that are published as they are."""
        return frozenset(self.comparison.original.schema.sensitive)

    @cached_property
    def items(self) -> tuple[str, ...]:
        """All items of the whole original, in alphabetical order."""
        history = self.comparison.full_original.cached("history", self.comparison.full_original.original.view_history)
        used = self.comparison.full_original.cached("used", lambda: np.unique(history.codes).tolist())
        return tuple(sorted(history.labels[code] for code in used))

    @cached_property
    def _meanings(self) -> list[tuple[str, ...]]:
        members = self.comparison.release.members()
        return [members.get(label, (label,)) for label in self.comparison.published.labels]

    @cached_property
    def sizes(self) -> Ints:
        """Number of items that every published value stands for."""
        return np.array([len(group) for group in self._meanings], np.int64)

    @cached_property
    def known_values(self) -> ListColumn:
        """Published values that are not sensitive items."""
        published = self.comparison.published.distinct()
        is_ordinary = np.array([label not in self.sensitive for label in published.labels], dtype=bool)
        return published.keep(is_ordinary[published.codes] if len(is_ordinary) else np.zeros(0, dtype=bool))

    @cached_property
    def _values_of(self) -> dict[str, list[int]]:
        values: dict[str, list[int]] = {}
        for value, group in enumerate(self._meanings):
            for item in group:
                values.setdefault(item, []).append(value)
        return values

    def has(self, items: tuple[str, ...]) -> npt.NDArray[np.bool_]:
        """Tell which original records have all items."""
        history = self.comparison.history
        has_all = np.ones(len(history), dtype=bool)
        for item in items:
            codes = [code for code, label in enumerate(history.labels) if label == item]
            here = np.zeros(len(history), dtype=bool)
            here[history.row_of_token[np.isin(history.codes, codes)]] = True
            has_all &= here
        return has_all

    def chance_of(self, items: tuple[str, ...]) -> Floats:
        """Return the chance of every published record to have all items: each of n members with a chance of 1/n."""
        published = self.comparison.published
        chance = np.ones(len(published))
        for item in items:
            holds = np.zeros(len(published.labels), dtype=bool)
            holds[self._values_of.get(item, [])] = True
            token = np.flatnonzero(holds[published.codes]) if len(holds) else np.empty(0, np.int64)
            here = np.zeros(len(published))
            np.maximum.at(here, self._rows[token], 1.0 / self.sizes[published.codes[token]])
            chance *= here
        return chance

    @cached_property
    def _rows(self) -> Ints:
        return self.comparison.published.row_of_token


def count_retained(original: Dataset, release: Release) -> RetainedDetail:
    """Count what is left of what there was, for the owner to see where that is little.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("rt", [(20,), (20,)], ("age",), [["a"], ["b"]])
    >>> release = sf.anonymize(data, sf.methods.RFirst(k=2, m=2, transaction="coat"), secret=bytes(32)).release
    >>> count_retained(data, release).left
    1
    """
    left = count_different(release.history())
    advice = (
        "A smaller k or m, a larger delta, or clusters merged by their items (rum-bound with merge=t) would leave more."
    )
    sentence = f"{{had}} items are published as {name_values(left)}."
    return RetainedDetail(count_different(original.history()), left, sentence, advice, share_of(release))
