"""Items generalised along a hierarchy until short itemsets are frequent: AA (apriori), LRA and VPA."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets.methods._base.generalisation import ItemSets
from sfumato.kinds.sets.methods._base.hierarchies import HierarchyGeneralising, price_tree, recoding_of_cut
from sfumato.kinds.sets.methods._base.labels import cost_tree, find_lowest, order_nodes
from sfumato.params import Param
from sfumato.release.encode import Recoded
from sfumato.release.recoding import Recoding
from sfumato.release.row_clusters import cut, join, recode_clusters
from sfumato.release.run import Run

__all__ = ["Apriori", "Lra", "Vpa"]

Ints = npt.NDArray[np.int64]

_VAIN = 32


@dataclasses.dataclass(frozen=True)
class Apriori(HierarchyGeneralising):
    """Hide every set of up to m items in a group of k by generalising items along a hierarchy, for everybody alike.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> food = Hierarchy.from_parents({"beer": "drinks", "wine": "drinks", "bread": "*", "drinks": "*"})
    >>> data = Dataset.of("sets", [["beer", "bread"], ["wine", "bread"], ["bread"]], hierarchy=food)
    >>> Apriori(k=2, m=2).anonymize(data, Run(bytes(32))).release.members()
    {'{beer|wine}': ('beer', 'wine')}

    References
    ----------
    Terrovitis, Mamoulis, Kalnis: Privacy-preserving anonymization of set-valued data (2008), Section 4.
    """

    name: ClassVar[str] = "apriori"
    summary: ClassVar[str] = "Generalises items along a hierarchy until any m of them match k records or none."
    paper: ClassVar[str] = "Terrovitis et al., Privacy-preserving anonymization of set-valued data (2008), 4"
    optimises: ClassVar[str] = "NCP, weighted by occurrences"

    refine: Annotated[
        bool,
        Param("Split groups again where the guarantee still holds; still one recoding for all records."),
    ] = False

    def recode(self, baskets: ItemSets, run: Run) -> Recoded:
        """Move one cut up for all records, and refine it where that is asked for."""
        if not self.refine:
            return self.recode_alone(baskets, run)
        hierarchy = self.hierarchy(baskets.dataset)
        codes = self.leaves(baskets, hierarchy)
        tree = price_tree(hierarchy, codes)
        cut = self.move(baskets, codes, run, np.arange(len(hierarchy.leaf_labels)), tree).node
        with run.phase("refine"):
            cut, splits = refine_cut(
                hierarchy, cut, tree.price, lambda node: self.move(baskets, codes, run, node, tree).node
            )
            group, taken = take_out(hierarchy, cut, baskets.sets.offsets, codes, self.k, self.sizes(baskets)[-1])
        run.counters |= {"splits": splits, "taken_out": taken}
        return baskets.recoded(recoding_of_labels(hierarchy, group, baskets.dataset.schema.history))


@dataclasses.dataclass(frozen=True)
class Lra(HierarchyGeneralising):
    """Hide sets of items as apriori does, in parts of similar records, each with a recoding of its own.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> food = Hierarchy.from_paths([("beer", "*"), ("wine", "*"), ("bread", "*")])
    >>> rows = [["beer"], ["beer"], ["bread"], ["wine"]]
    >>> data = Dataset.of("sets", rows, hierarchy=food)
    >>> release = Lra(k=2, m=1, parts=2).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.history().lists())
    [['beer'], ['beer'], ['{beer|bread|wine}'], ['{beer|bread|wine}']]

    References
    ----------
    Terrovitis, Mamoulis, Kalnis: Local and global recoding methods for anonymizing set-valued data (2011), LRA.
    """

    name: ClassVar[str] = "lra"
    summary: ClassVar[str] = "Like apriori, within parts of similar records that are generalised on their own."
    paper: ClassVar[str] = "Terrovitis et al., Local and global recoding methods for set-valued data (2011), LRA"
    optimises: ClassVar[str] = "NCP, weighted by occurrences, in every part"

    parts: Annotated[int, Param("Number of parts of at least k records each.", ge=1)] = 5

    def recode(self, baskets: ItemSets, run: Run) -> Recoded:
        """Recode part by part, the records in the Gray order of their items."""
        from sfumato._kernels.gray import gray_order_sparse

        hierarchy = self.hierarchy(baskets.dataset)
        with run.phase("order"):
            codes = self.leaves(baskets, hierarchy)
            # The first item of the hierarchy is the least significant bit, as in the order of trajectories.
            last = len(hierarchy.leaf_labels) - 1
            order = gray_order_sparse(baskets.sets.offsets, last - codes, last + 1)
        parts = cut(order, self.parts, self.k)
        run.counters["parts"] = len(parts)
        return join(recode_clusters(parts, lambda part: self.recode_alone(baskets.take(part), run), run))


@dataclasses.dataclass(frozen=True)
class Vpa(HierarchyGeneralising):
    """Hide sets of items as apriori does, first within parts of the items and then across the parts.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> food = Hierarchy.from_parents({"beer": "drinks", "wine": "drinks", "bread": "*", "drinks": "*"})
    >>> data = Dataset.of("sets", [["beer", "bread"], ["wine", "bread"], ["bread"]], hierarchy=food)
    >>> Vpa(k=2, m=2, parts=2).anonymize(data, Run(bytes(32))).release.members()
    {'{beer|wine}': ('beer', 'wine')}

    References
    ----------
    Terrovitis, Mamoulis, Kalnis: Local and global recoding methods for anonymizing set-valued data (2011), VPA.
    """

    name: ClassVar[str] = "vpa"
    summary: ClassVar[str] = "Like apriori, first within parts of the items, then across them."
    paper: ClassVar[str] = "Terrovitis et al., Local and global recoding methods for set-valued data (2011), VPA"
    optimises: ClassVar[str] = "NCP, weighted by occurrences"

    parts: Annotated[int, Param("Number of parts of items, along the hierarchy.", ge=1)] = 5

    def recode(self, baskets: ItemSets, run: Run) -> Recoded:
        """Move the cut up in every part, no higher than the part reaches, and then everywhere."""
        hierarchy = self.hierarchy(baskets.dataset)
        codes = self.leaves(baskets, hierarchy)
        tree = price_tree(hierarchy, codes)
        start = np.arange(len(hierarchy.leaf_labels))

        def move_within(part: Ints) -> Ints:
            inside = np.isin(codes, part)
            subset = dataclasses.replace(baskets, sets=baskets.sets.keep(inside))
            limited = tree._replace(allowed=lies_within(hierarchy, part))
            return self.move(subset, codes[inside], run, start, limited).node[part]

        parts = split_items(hierarchy, self.parts)
        run.counters["parts"] = len(parts)
        node = np.concatenate(run.engine.map(move_within, parts))
        moved = self.move(baskets, codes, run, node, tree)
        return baskets.recoded(recoding_of_cut(hierarchy, moved.node, baskets.dataset.schema.history))


def refine_cut(hierarchy: Hierarchy, cut: Ints, price: Ints, repair: Callable[[Ints], Ints]) -> tuple[Ints, int]:
    """Split nodes of a cut into their children as long as the cut loses less after repair; also return how often.

    Dearest nodes are tried first. After a pass in which a split was kept, the nodes that are left are tried again;
    after so many splits in vain there is an end.

    Parameters
    ----------
    hierarchy
        The tree.
    cut
        The node of every leaf.
    price
        What a cut loses by each node it holds.
    repair
        Moves a cut up until it keeps the guarantee.

    Examples
    --------
    A cut at the root, of which nothing needs to be repaired.

    >>> tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
    >>> price = np.array([0, 0, 0, 4, 9])
    >>> cut, splits = refine_cut(tree, np.array([4, 4, 4]), price, lambda cut: cut)
    >>> cut.tolist(), splits
    ([0, 1, 2], 2)
    """
    splits, before, vain = 0, -1, 0
    while splits > before and vain < _VAIN:
        before = splits
        tried: set[int] = set()
        while True:
            waiting = [node for node in np.unique(cut).tolist() if price[node] > 0 and node not in tried]
            if not waiting or vain == _VAIN:
                break
            node = min(waiting, key=lambda node: (-price[node], node))
            tried.add(node)
            other = repair(split_node(hierarchy, cut, node))
            if price[np.unique(other)].sum() < price[np.unique(cut)].sum():
                cut, splits = other, splits + 1
            else:
                vain += 1
    return cut, splits


def take_out(
    hierarchy: Hierarchy, cut: Ints, offsets: Ints, codes: npt.NDArray[np.int32], k: int, size: int
) -> tuple[Ints, int]:
    """Take nodes out of the groups of a cut, everywhere alike, as long as every set of values keeps its k rows.

    Return a number for the group of every leaf, and how many nodes were taken out. What is left of a group need not be
    a node of the hierarchy.

    Examples
    --------
    The root without its most frequent item.

    >>> tree = Hierarchy.from_paths([("a", "*"), ("b", "*"), ("c", "*")])
    >>> codes = np.array([0, 0, 1, 2], np.int32)
    >>> group, taken = take_out(tree, np.full(3, 3), np.arange(5), codes, k=2, size=1)
    >>> group.tolist(), taken
    ([0, 3, 3], 1)
    """
    from sfumato.kinds.sets._kernels.local_labels import label_rows
    from sfumato.kinds.sets._kernels.lowering import lower_labels

    tree = cost_tree(hierarchy)
    group = find_lowest(hierarchy)[cut]
    rows = label_rows(offsets, codes, group, len(hierarchy))
    order = order_nodes(hierarchy, np.bincount(codes, minlength=len(cut)))
    gained = lower_labels(rows, tree, order, k, size, all_or_none=True)
    for node in order[gained > 0].tolist():
        # Items that no row holds go along.
        below = np.arange(tree.first_leaf[node], tree.first_leaf[node] + tree.leaves[node])
        group[below[tree.cost[group[below]] > tree.cost[node]]] = node
    return group, int((gained > 0).sum())


def recoding_of_labels(hierarchy: Hierarchy, group: Ints, column: str) -> Recoding:
    """Return leaves with the same number as a recoding that publishes them as one.

    Examples
    --------
    >>> tree = Hierarchy.from_paths([("a", "*"), ("b", "*"), ("c", "*")])
    >>> recoding_of_labels(tree, np.array([3, 0, 3]), "items").groups
    (('a', 'c'), ('b',))
    """
    members: dict[int, list[str]] = {}
    for label, number in zip(hierarchy.leaf_labels, group.tolist(), strict=True):
        members.setdefault(number, []).append(label)
    return Recoding(column, tuple(sorted(tuple(sorted(labels)) for labels in members.values())))


def split_node(hierarchy: Hierarchy, cut: Ints, node: int) -> Ints:
    """Return a cut with the children of a node in its place.

    Examples
    --------
    >>> tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
    >>> split_node(tree, np.array([4, 4, 4]), 4).tolist()
    [3, 3, 2]
    """
    split = cut.copy()
    for child in np.flatnonzero(hierarchy.parent == node):
        first = hierarchy.first_leaf[child]
        split[first : first + hierarchy.leaves[child]] = child
    return split


def split_items(hierarchy: Hierarchy, parts: int) -> list[Ints]:
    """Split the leaves into up to so many runs of about the same size that cut no more subtrees than they must.

    The widest subtree gives way to its children until there are enough subtrees; neighbours then share a part.

    Examples
    --------
    >>> tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
    >>> [part.tolist() for part in split_items(tree, 2)]
    [[0, 1], [2]]
    """
    nodes = [len(hierarchy) - 1]
    while len(nodes) < parts:
        widest = max(nodes, key=lambda node: (hierarchy.leaves[node], -hierarchy.first_leaf[node]))
        if widest < len(hierarchy.leaf_labels):
            break
        nodes.remove(widest)
        nodes.extend(np.flatnonzero(hierarchy.parent == widest).tolist())
    nodes.sort(key=lambda node: int(hierarchy.first_leaf[node]))
    total = len(hierarchy.leaf_labels)
    middle = hierarchy.first_leaf[nodes] + hierarchy.leaves[nodes] / 2
    part = np.minimum(middle * parts // total, parts - 1).astype(np.int64)
    number = np.repeat(part, hierarchy.leaves[nodes])
    return [np.flatnonzero(number == at) for at in np.unique(part)]


def lies_within(hierarchy: Hierarchy, part: Ints) -> npt.NDArray[np.bool_]:
    """Mark the nodes all of whose leaves lie in a run of leaves.

    Examples
    --------
    >>> tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
    >>> lies_within(tree, np.array([0, 1])).tolist()
    [True, True, False, True, False]
    """
    first = np.asarray(hierarchy.first_leaf)
    within: npt.NDArray[np.bool_] = (first >= part[0]) & (first + hierarchy.leaves <= part[-1] + 1)
    return within
