"""Frequent itemsets of an original of sets and of its release, found once for all measures that ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.core.hierarchy import Hierarchy
from sfumato.core.ragged import Ragged
from sfumato.kinds.sets.comparison import SetComparison
from sfumato.kinds.sets.estimate.reconstruction import draw_records

if TYPE_CHECKING:
    from sfumato.kinds.sets.kernels.frequent_itemsets import Itemsets

__all__ = ["compare_top", "draw_copy", "extend_upwards", "top_certain", "top_original", "top_published"]

Ints = npt.NDArray[np.int64]


def draw_copy(found: SetComparison, number: int = 0) -> Ragged:
    """Return a reconstruction of a disassociated release by its number, over the items of the original."""

    def draw() -> Ragged:
        generator = np.random.default_rng([found.comparison.seed, number])
        return found.number(draw_records(found.placement, generator))

    return found.once(("copy", number), draw)


def top_original(found: SetComparison, count: int) -> Itemsets:
    """Return the most frequent itemsets of the original."""
    return found.once(("top original", count), lambda: _mine(found.original, count))


def top_published(found: SetComparison, count: int) -> Itemsets:
    """Return the most frequent itemsets of a reconstruction, or of published values, generalised ones last."""
    if found.is_disassociated:
        return found.once(("top copy", count), lambda: _mine(draw_copy(found), count))
    published = found.comparison.published
    known = set(found.items)
    members = found.comparison.release.members()
    values = sorted(label for label in published.labels if label in members or label not in known)
    # A generalised value is never an item of the original, even where it is called like one.
    labels = [f"{label}\0" if label in members else label for label in published.labels]
    others = [f"{label}\0" if label in members else label for label in values]
    renamed = Ragged(published.offsets, published.codes, tuple(labels))
    return found.once(("top values", count), lambda: _mine(found.number(renamed, others), count))


def top_certain(found: SetComparison, count: int) -> Itemsets:
    """Return the itemsets that most subrecords hold; items of term chunks count once per chunk, on their own."""

    def mine() -> Itemsets:
        placement = found.placement
        rows = placement.chunks.subrecords
        is_term = placement.is_term[placement.chunks.chunk_of_row]
        ordinary = rows.take(np.flatnonzero(~is_term))
        terms = rows.take(np.flatnonzero(is_term)).codes
        offsets = np.concatenate([ordinary.offsets, ordinary.offsets[-1] + 1 + np.arange(len(terms))])
        return _mine(found.number(Ragged(offsets, np.concatenate([ordinary.codes, terms]), rows.labels)), count)

    return found.once(("top certain", count), mine)


def compare_top(one: Itemsets, other: Itemsets) -> tuple[float, dict[str, Any]]:
    """Return the share of the first itemsets that are not among the second ones, and what stands behind it.

    Examples
    --------
    >>> from sfumato.kinds.sets.kernels.frequent_itemsets import Itemsets
    >>> ab = Itemsets(np.array([0, 1, 2]), np.array([0, 1]), np.array([5, 4]))
    >>> ac = Itemsets(np.array([0, 1, 2]), np.array([0, 2]), np.array([5, 3]))
    >>> compare_top(ab, ac)
    (0.5, {'itemsets': 2, 'kept': 1, 'smallest_support': 4, 'largest_size': 1})
    """
    mine = _as_set(one)
    kept = len(mine & _as_set(other))
    return 1 - kept / max(len(mine), 1) if mine else 0.0, {
        "itemsets": len(mine),
        "kept": kept,
        "smallest_support": int(one.supports[-1]) if len(one.supports) else 0,
        "largest_size": int(np.diff(one.offsets).max(initial=0)),
    }


def extend_upwards(rows: Ragged, nodes: Ints, hierarchy: Hierarchy) -> tuple[Ragged, Ints]:
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
    >>> extend_upwards(Ragged.from_lists([["c", "b"]]), np.array([2, 1]), tree)[0].lists()
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
    return Ragged(offsets, codes, tuple(hierarchy.labels[node] for node in order.tolist())), order


def _mine(rows: Ragged, count: int) -> Itemsets:
    from sfumato.kinds.sets.kernels.frequent_itemsets import top_itemsets

    return top_itemsets(rows.offsets, rows.codes, count, width=len(rows.labels))


def _as_set(itemsets: Itemsets) -> set[tuple[int, ...]]:
    return {tuple(items.tolist()) for items in np.split(itemsets.items, itemsets.offsets[1:-1])} - {()}
