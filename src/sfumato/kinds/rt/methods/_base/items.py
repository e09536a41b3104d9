"""The sets of the records of a cluster, anonymised by a method for sets; and what that costs (UL)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.schema import Column, Schema
from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.kinds.rt.costs import list_item_losses
from sfumato.kinds.rt.dataset import HIERARCHY, ITEMS, known_items
from sfumato.kinds.rt.methods._base.diversity import Diversity
from sfumato.kinds.sets.methods._base.generalisation import ItemGeneralising, ItemSets
from sfumato.kinds.sets.methods._base.hierarchies import HierarchyGeneralising
from sfumato.messages import Message
from sfumato.release.run import Run

__all__ = ["ItemRecoder", "RecodedItems"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True, eq=False)
class RecodedItems:
    """The sets of a cluster as they are published, without sensitive items.

    Parameters
    ----------
    rows
        Records with an item.
    values
        Published values of these records; codes are positions in ``groups``.
    groups
        Members of every value.
    losses
        UL of these records; others lose nothing.
    """

    rows: Ints
    values: ListColumn
    groups: Sequence[tuple[str, ...]]
    losses: Floats


class ItemRecoder:
    """Anonymises the sets of clusters, each on its own.

    Parameters
    ----------
    dataset
        All records.
    method
        What makes the sets of a cluster k^m-anonymous.
    m, l
        Of the guarantee: where l is above 1, values are united until it is kept.

    Examples
    --------
    >>> from sfumato.kinds.sets.methods.constrained_generalisation import Coat
    >>> data = Dataset.of("rt", [(20,)] * 3, ("age",), [["a"], ["b"], []])
    >>> recoder = ItemRecoder(data, Coat(k=2, m=1), m=1, l=1)
    >>> recoder.recode(np.arange(3), Run(bytes(32))).groups
    [('a', 'b')]
    >>> recoder.counts(np.array([0, 0, 1]), 2).obstacles(k=2, l=1).tolist()
    [False, False]
    """

    def __init__(self, dataset: Dataset, method: ItemGeneralising, m: int, l: int) -> None:
        self.method, self.m, self.l = method, m, l
        items = known_items(dataset)
        self.items, self._hidden = items, frozenset(dataset.schema.sensitive)
        self.hierarchy = dataset.hierarchies.get(HIERARCHY)
        history = dataset.history()
        self.sensitive: Flags = np.zeros((len(dataset), len(dataset.schema.sensitive)), dtype=bool)
        for at, label in enumerate(dataset.schema.sensitive):
            holders = [code for code, name in enumerate(history.labels) if name == label]
            self.sensitive[history.row_of_token[np.isin(history.codes, holders)], at] = True
        sets = _view_sets(dataset, items)
        if self.hierarchy is None and len(items.codes) and isinstance(method, HierarchyGeneralising):
            # Derived once from all records, so that clusters share what values mean.
            self.hierarchy = method.hierarchy(sets)
            sets = dataclasses.replace(sets, hierarchies={HIERARCHY: self.hierarchy})
        self._baskets = ItemSets.of(sets)
        self._place = np.full(len(dataset), -1, np.int64)
        self._place[self._baskets.rows] = np.arange(len(self._baskets))

    def recode(self, rows: Ints, run: Run) -> RecodedItems:
        """Return what is published of the sets of some records; :class:`InfeasibleError` if they cannot be alone."""
        places = self._place[rows]
        places = places[places >= 0]
        if not len(places):
            return RecodedItems(places, ListColumn(np.zeros(1, np.int64), np.empty(0, np.int32), ()), [], np.empty(0))
        try:
            recoded = self.method.recode(self._baskets.take(places), run)
        except ValueError as error:  # what the kernel refuses: sizes and counts, no labels
            raise ParameterError(Message(self.method.message_name, f": {error}")) from None
        if len(recoded.rows) < len(places) or recoded.suppressed:
            raise InfeasibleError(
                Message(self.method.message_name, f": items would be suppressed in a cluster of {len(rows)} records.")
            )
        # Sensitive items are leaves of the hierarchy like others, but are published unchanged.
        groups = [tuple(item for item in group if item not in self._hidden) for group in recoded.groups]
        values = ListColumn(recoded.offsets, recoded.codes, tuple(map(str, range(len(groups))))).distinct()
        if self.l > 1:
            values, groups = self._diversify(recoded.rows, values, groups)
        sizes = np.array([len(group) for group in groups], np.int64)
        return RecodedItems(recoded.rows, values, groups, list_item_losses(values, sizes))

    def _diversify(
        self, rows: Ints, values: ListColumn, groups: list[tuple[str, ...]]
    ) -> tuple[ListColumn, list[tuple[str, ...]]]:
        tree = self.hierarchy if isinstance(self.method, HierarchyGeneralising) else None
        merged = Diversity(self.m, self.l, self.sensitive[rows], tree).unite(values, groups)
        different = sorted(set(merged))
        place = {group: at for at, group in enumerate(different)}
        codes = np.array([place[group] for group in merged], np.int32)[values.codes]
        return ListColumn(values.offsets, codes, tuple(map(str, range(len(different))))).distinct(), different

    def counts(self, group: Ints, clusters: int) -> Counts:
        """Count, in every cluster, records, those with an item that can be known, and those with sensitive items."""
        inside = group >= 0
        filled = inside & (self._place >= 0)
        kinds = self.sensitive.shape[1]
        having, filled_having = np.zeros((2, clusters, kinds), np.int64)
        for at in range(kinds):
            having[:, at] = np.bincount(group[inside & self.sensitive[:, at]], minlength=clusters)
            filled_having[:, at] = np.bincount(group[filled & self.sensitive[:, at]], minlength=clusters)
        records = np.bincount(group[inside], minlength=clusters)
        return Counts(records, np.bincount(group[filled], minlength=clusters), having, filled_having)


@dataclasses.dataclass(frozen=True, eq=False)
class Counts:
    """What decides whether clusters can be anonymised alone; that of a merged cluster is the sum.

    Attributes
    ----------
    records, filled
        Records of every cluster, and those with an item that can be known.
    having, filled_having
        How many of them have each sensitive item.

    Examples
    --------
    >>> few = Counts(np.array([3, 2]), np.array([1, 2]), np.array([[0], [2]]), np.array([[0], [2]]))
    >>> few.obstacles(k=2, l=1).tolist(), few.obstacles(k=2, l=2).tolist()
    ([True, False], [True, True])
    """

    records: Ints
    filled: Ints
    having: Ints
    filled_having: Ints

    def obstacles(self, k: int, l: int) -> Flags:
        """Mark clusters that not even one value for all their items makes anonymous."""
        wrong = (self.filled > 0) & (self.filled < k)
        if l > 1:
            wrong |= (self.having * l > self.records[:, None]).any(axis=1)
            wrong |= (self.filled_having * l > self.filled[:, None]).any(axis=1)
        return np.asarray(wrong)

    def merge(self, into: int, gone: int) -> None:
        """Add one cluster to another."""
        for counts in (self.records, self.filled, self.having, self.filled_having):
            counts[into] += counts[gone]
            counts[gone] = 0


def _view_sets(dataset: Dataset, items: ListColumn) -> Dataset:
    """Return the sets of all records, without sensitive items, as data that methods for sets read."""
    columns = (Column("person", "identifier"), Column(ITEMS, "history"))
    people = pa.array(np.arange(len(items))).cast(pa.string())
    table = pa.table({"person": people, ITEMS: items.to_arrow()})
    tree = dataset.hierarchies.get(HIERARCHY)
    return Dataset(Schema("sets", columns), table, hierarchies={} if tree is None else {HIERARCHY: tree})
