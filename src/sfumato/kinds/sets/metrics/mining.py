"""Frequent itemsets of an original of sets and of its release, found once for all measures that ask."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets.comparison import SetComparison, list_items, number_items
from sfumato.kinds.sets.estimate.reconstruction import draw_records
from sfumato.metrics.full_original import FullOriginal

if TYPE_CHECKING:
    from sfumato.kinds.sets._kernels.frequent_itemsets import Itemsets

__all__ = [
    "Records",
    "compare_top",
    "draw_copy",
    "extend_upwards",
    "list_certain",
    "list_published",
    "mine",
    "top_of_partitions",
    "top_original",
]

Ints = npt.NDArray[np.int64]


Value = tuple[str, tuple[int, ...]]
"""A published value: its label, and its members where it has several."""


@dataclasses.dataclass(frozen=True, eq=False)
class Records:
    """Records of a partition: their lengths, and codes of the items of the whole original, then of published values."""

    rows: ListColumn
    values: tuple[Value, ...] = ()

    @staticmethod
    def merge(partitions: Sequence[Records], items: int) -> ListColumn:
        """Return the records of all partitions as sets over the items and then all values, by their labels."""
        values = sorted({value for partition in partitions for value in partition.values})
        place = {value: items + at for at, value in enumerate(values)}
        width, first, keys = max(items + len(values), 1), 0, []
        for partition in partitions:
            number = np.append(np.arange(items), [place[value] for value in partition.values]).astype(np.int64)
            keys.append((partition.rows.row_of_token + first) * width + number[partition.rows.codes])
            first += len(partition.rows)
        every = np.sort(np.concatenate(keys)) if keys else np.empty(0, np.int64)
        offsets = np.searchsorted(every, np.arange(first + 1) * width).astype(np.int64)
        return ListColumn(offsets, (every % width).astype(np.int32), ("",) * (items + len(values)))


def draw_copy(view: SetComparison, number: int = 0) -> ListColumn:
    """Return a reconstruction of a disassociated release by its number, over the items of the original."""

    def draw() -> ListColumn:
        seeds = [view.comparison.seed, number, view.comparison.partition][: 3 if view.comparison.partition else 2]
        return view.number(draw_records(view.matching, np.random.default_rng(seeds)))

    return view.cached(("copy", number), draw)


def top_original(full_original: FullOriginal, count: int) -> Itemsets:
    """Return the most frequent itemsets of the whole original."""
    items = list_items(full_original)
    return full_original.cached(
        ("top original", count), lambda: mine(number_items(full_original.original.history(), items), count)
    )


def list_published(view: SetComparison) -> Records:
    """Return the records of a reconstruction, or those of published values, a generalised one being no item."""
    if view.is_disassociated:
        return Records(draw_copy(view))
    comparison, members = view.comparison, view.comparison.release.members()
    items = set(view.items)
    # A generalised value is never an item of the original, even where it is called like one.
    values = [at for at, label in enumerate(comparison.published.labels) if label in members or label not in items]
    code_of = {label: code for code, label in enumerate(view.items)}
    codes = np.array([code_of.get(label, -1) for label in comparison.published.labels], dtype=np.int64)
    codes[values] = len(view.items) + np.arange(len(values))
    published = comparison.published.distinct()
    rows = ListColumn(published.offsets, codes[published.codes].astype(np.int32), ())
    return Records(rows, tuple(comparison.keys[value] for value in values))


def list_certain(view: SetComparison) -> Records:
    """Return the subrecords that chunks hold; items of term chunks are records of their own, once per chunk."""
    matching = view.matching
    rows = matching.chunks.subrecords
    is_term = matching.is_term[matching.chunks.chunk_of_row]
    ordinary = rows.take(np.flatnonzero(~is_term))
    terms = rows.take(np.flatnonzero(is_term)).codes
    offsets = np.concatenate([ordinary.offsets, ordinary.offsets[-1] + 1 + np.arange(len(terms))])
    return Records(view.number(ListColumn(offsets, np.concatenate([ordinary.codes, terms]), rows.labels)))


def top_of_partitions(partitions: Sequence[Records], full_original: FullOriginal, count: int) -> Itemsets:
    """Return the most frequent itemsets of the records of all partitions."""
    items = len(list_items(full_original))
    # A whole release without values is as it should be.
    rows = partitions[0].rows if len(partitions) == 1 and not partitions[0].values else Records.merge(partitions, items)
    return mine(rows, count)


def compare_top(itemsets: Itemsets, other: Itemsets) -> tuple[float, dict[str, Any]]:
    """Return the share of the first itemsets that are not among the second ones, and what stands behind it.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.frequent_itemsets import Itemsets
    >>> ab = Itemsets(np.array([0, 1, 2]), np.array([0, 1]), np.array([5, 4]))
    >>> ac = Itemsets(np.array([0, 1, 2]), np.array([0, 2]), np.array([5, 3]))
    >>> compare_top(ab, ac)
    (0.5, {'itemsets': 2, 'kept': 1, 'smallest_support': 4, 'largest_size': 1})
    """
    mine = _as_set(itemsets)
    shared = len(mine & _as_set(other))
    return 1 - shared / max(len(mine), 1) if mine else 0.0, {
        "itemsets": len(mine),
        "kept": shared,
        "smallest_support": int(itemsets.supports[-1]) if len(itemsets.supports) else 0,
        "largest_size": int(np.diff(itemsets.offsets).max(initial=0)),
    }


def extend_upwards(rows: ListColumn, nodes: Ints, hierarchy: Hierarchy) -> tuple[ListColumn, Ints]:
    """Return rows of hierarchy nodes with all ancestors but the root, which everything has.

    Nodes are numbered by their labels; the second result is the node of every number.

    Parameters
    ----------
    rows
        Records over any values.
    nodes
        Node of every value.
    hierarchy
        The tree.

    Examples
    --------
    >>> tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
    >>> extend_upwards(ListColumn.from_lists([["c", "b"]]), np.array([2, 1]), tree)[0].lists()
    [['A', 'b', 'c']]
    """
    root = len(hierarchy) - 1
    order = np.array(sorted(range(root), key=hierarchy.labels.__getitem__), dtype=np.int64)
    number = np.empty(root, dtype=np.int64)
    number[order] = np.arange(root)
    row, node = rows.row_of_token, nodes[rows.codes]
    keys = [np.empty(0, dtype=np.int64)]
    while len(node):
        below = node != root
        row, node = row[below], node[below]
        keys.append(row * root + number[node])
        node = hierarchy.parent[node].astype(np.int64)
    everything = np.sort(np.concatenate(keys))
    everything = everything[np.diff(everything, prepend=-1) > 0]
    offsets = np.searchsorted(everything, np.arange(len(rows) + 1) * root).astype(np.int64)
    codes = (everything % max(root, 1)).astype(np.int32)
    return ListColumn(offsets, codes, tuple(hierarchy.labels[node] for node in order.tolist())), order


def mine(rows: ListColumn, count: int) -> Itemsets:
    """Return the most frequent itemsets of records."""
    from sfumato.kinds.sets._kernels.frequent_itemsets import top_itemsets

    return top_itemsets(rows.offsets, rows.codes, count, width=len(rows.labels))


def _as_set(itemsets: Itemsets) -> set[tuple[int, ...]]:
    return {tuple(items.tolist()) for items in np.split(itemsets.items, itemsets.offsets[1:-1])} - {()}
