"""What every occurrence of an item is published as, where items are generalised."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets.comparison import SetComparison
from sfumato.metrics.comparison import Comparison

__all__ = ["PublishedItems"]

Ints = npt.NDArray[np.int64]

_NO_ROWS = "an item is published as different values, so the owner's row map is needed to compare occurrences."


@dataclasses.dataclass(frozen=True, eq=False)
class PublishedItems:
    """The occurrences of items in an original, and the values of a release they are published as.

    Examples
    --------
    >>> import sfumato as sf
    >>> tree = sf.Hierarchy.from_parents({"bread": "food", "wine": "drink", "beer": "drink", "food": "*", "drink": "*"})
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "beer"], ["bread"]], hierarchy=tree)
    >>> result = sf.anonymize(data, sf.methods.Apriori(k=2, m=1), secret=bytes(32))
    >>> found = PublishedItems(Comparison(data, result.release))
    >>> [found.comparison.published.labels[value] for value in found.value_of_occurrence]
    ['bread', '{beer|wine}', 'bread', '{beer|wine}', 'bread']
    """

    comparison: Comparison

    @cached_property
    def is_global(self) -> bool:
        """Whether every item is published as one value only, the same for everybody."""
        members = self.comparison.members
        used = np.unique(self.comparison.published.codes)
        codes = members.take(used.astype(np.int64)).codes
        return len(np.unique(codes)) == len(codes)

    @property
    def obstacle(self) -> str | None:
        """Why this cannot be determined, or None when it can."""
        return _NO_ROWS if self.comparison.rows is None and not self.is_global else None

    @cached_property
    def hierarchy(self) -> Hierarchy | None:
        """The hierarchy of the items, if that is what values were taken from: each has all items of one of its groups.

        A method that forms its own groups is not measured by a hierarchy it never saw.
        """
        hierarchy = self.comparison.view(SetComparison).hierarchy
        if hierarchy is None:
            return None
        leaf_of = {label: leaf for leaf, label in enumerate(hierarchy.leaf_labels)}
        # Nobody knows of items that no record here has: in a partition, a group lacks those of other partitions.
        history, places = self.comparison.history, self.comparison.places
        here = np.append(np.unique(history.codes), np.arange(len(history.labels), len(places)))
        seen = [leaf_of[places[code]] for code in here.tolist() if places[code] in leaf_of]
        there = np.zeros(len(leaf_of) + 1, dtype=np.int64)
        there[np.array(seen, dtype=np.int64) + 1] = 1
        before = np.cumsum(there)
        labels = {places[code] for code in here.tolist()}
        for group in self.comparison.members.lists():
            if len(group) < 2:
                continue
            if not all(item in leaf_of for item in group):
                return None
            node = hierarchy.lca(*group)
            first = int(hierarchy.first_leaf[node])
            if before[first + hierarchy.leaf_count(node)] - before[first] != sum(item in labels for item in group):
                return None
        return hierarchy

    @cached_property
    def width(self) -> int:
        """Number of items there are."""
        return len(self.comparison.places) if self.hierarchy is None else len(self.hierarchy.leaf_labels)

    @cached_property
    def sizes(self) -> Ints:
        """Number of items every value stands for, or that its group in the hierarchy has."""
        hierarchy = self.hierarchy
        if hierarchy is None:
            return self.comparison.sizes
        return np.array(
            [
                hierarchy.leaf_count(hierarchy.lca(*group)) if len(group) > 1 else 1
                for group in self.comparison.members.lists()
            ],
            dtype=np.int64,
        )

    @cached_property
    def value_of_occurrence(self) -> Ints:
        """Value of every occurrence in the original; -1 where it is suppressed or its record is suppressed."""
        history, rows = self.comparison.history, self.comparison.rows
        values = self._by_item[history.codes] if self.is_global else self._by_record()
        if rows is not None:
            published = np.zeros(len(history), dtype=bool)
            published[rows] = True
            values = np.where(published[history.row_of_token], values, -1)
            if not self._is_complete(values):
                raise SchemaError(
                    "Published records do not cover the items of their originals.",
                    hint="Give the row map and the original that belong to this release.",
                )
        return values

    @cached_property
    def _by_item(self) -> Ints:
        """Value of every item."""
        members = self.comparison.members
        used = np.zeros(len(members), dtype=bool)
        used[self.comparison.published.codes] = True
        is_published = used[members.row_of_token]
        value_of = np.full(len(self.comparison.places), -1, dtype=np.int64)
        value_of[members.codes[is_published]] = members.row_of_token[is_published]
        return value_of

    def _by_record(self) -> Ints:
        """Value of every occurrence: the finest of its own record that stands for it."""
        history, published, members = self.comparison.history, self.comparison.published, self.comparison.members
        row_of = np.full(len(history), -1, dtype=np.int64)
        row_of[self.comparison.row_map] = np.arange(len(published))
        row = row_of[history.row_of_token]
        # Every occurrence with every value that stands for its item, from the coarsest to the finest.
        order = np.lexsort((-members.row_of_token, -self.sizes[members.row_of_token], members.codes))
        values = members.row_of_token[order]
        begins = np.searchsorted(members.codes[order], np.arange(len(self.comparison.places) + 1))
        lengths = np.where(row >= 0, np.diff(begins)[history.codes], 0)
        occurrence = np.repeat(np.arange(len(row)), lengths)
        within = np.arange(len(occurrence)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        value = values[begins[history.codes[occurrence]] + within]
        width = max(len(published.labels), 1)
        there = np.sort(published.row_of_token * width + published.codes)
        wanted = row[occurrence] * width + value
        at = np.minimum(np.searchsorted(there, wanted), max(len(there) - 1, 0))
        fits = there[at] == wanted if len(there) else np.zeros(len(wanted), dtype=bool)
        finest = np.full(len(row), -1, dtype=np.int64)
        finest[occurrence[fits]] = value[fits]
        return finest

    def _is_complete(self, values: Ints) -> bool:
        """Return whether only suppressed items and suppressed records lack a value."""
        removed = set(self.comparison.release.suppressed())
        history, rows = self.comparison.history, self.comparison.rows
        suppressed = np.array([label in removed for label in history.labels], dtype=bool)
        published = np.zeros(len(history), dtype=bool)
        published[rows] = True
        return bool((values[published[history.row_of_token] & ~suppressed[history.codes]] >= 0).all())
