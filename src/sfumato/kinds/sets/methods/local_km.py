"""Items generalised record by record: every item of every record has a label of its own on its path to the root."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.hierarchy import Hierarchy
from sfumato.core.params import Param
from sfumato.core.publishing.publication import Recoded
from sfumato.core.run import Run
from sfumato.kinds.sets.families.generalisation import ItemSets
from sfumato.kinds.sets.families.hierarchies import HierarchyGeneralising, price_tree

if TYPE_CHECKING:
    from sfumato.kinds.sets.kernels.local_labels import Labelled

__all__ = ["LocalKmItems"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class LocalKmItems(HierarchyGeneralising):
    """Hide every set of up to m items in a crowd of k by generalising items along a hierarchy, record by record.

    It begins with what apriori does for all records alike, and brings items down again in the records where every set
    of up to m labels still has k records. Nothing is published coarser than by apriori.

    Examples
    --------
    Apriori publishes beer and wine as drinks everywhere; here only two records pay for the rare one.

    >>> from sfumato.core.dataset import Dataset
    >>> food = Hierarchy.from_parents({"beer": "drinks", "wine": "drinks", "bread": "*", "drinks": "*"})
    >>> rows = [["beer", "bread"], ["beer", "bread"], ["beer", "bread"], ["wine", "bread"]]
    >>> data = Dataset.of("sets", rows, hierarchy=food)
    >>> release = LocalKmItems(k=2, m=2).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.history().lists())
    [['beer', 'bread'], ['beer', 'bread'], ['bread', '{beer|wine}'], ['bread', '{beer|wine}']]
    """

    name: ClassVar[str] = "local-km"
    summary: ClassVar[str] = "Generalises items record by record, and only where a set of up to m of them needs it."
    paper: ClassVar[str] = "this project's own, from the cut of Terrovitis et al. (2008)"
    optimises: ClassVar[str] = "NCP, weighted by occurrences"

    prefer: Annotated[
        str,
        Param(
            "What is gained first: the least loss (NCP), or as many items as can be published exactly.",
            choices=("loss", "exact"),
        ),
    ] = "loss"

    def recode(self, baskets: ItemSets, run: Run) -> Recoded:
        """Begin at apriori's cut and bring labels down."""
        from sfumato.kinds.sets.kernels.local_labels import Tree, label_rows
        from sfumato.kinds.sets.kernels.lowering import lower_labels

        hierarchy = self.hierarchy(baskets.dataset)
        baskets, leaf = sort_rows(baskets, self.leaves(baskets, hierarchy))
        offsets, sizes = baskets.sets.offsets, self.sizes(baskets)
        moved = self.move(baskets, leaf, run, np.arange(len(hierarchy.leaf_labels)), price_tree(hierarchy, leaf))
        lowest = find_lowest(hierarchy)
        leaves = np.array(hierarchy.leaves, np.int64)
        first = np.array(hierarchy.first_leaf, np.int64)
        tree = Tree(np.array(hierarchy.parent, np.int32), first, leaves, np.where(leaves > 1, leaves, 0))
        rows = label_rows(offsets, leaf, lowest[moved.node], len(hierarchy))
        before = int(tree.cost[rows.label].sum())
        order = order_nodes(hierarchy, np.bincount(leaf, minlength=len(hierarchy.leaf_labels)))
        with run.phase("lower"):
            if self.prefer == "exact":
                lower_labels(rows, tree, order_leaves(order, moved.node), self.k, sizes[-1])
            lower_labels(rows, tree, order, self.k, sizes[-1])
            lower_labels(rows, tree, order, self.k, sizes[-1])
        run.counters |= {"loss_of_cut": before, "loss": int(tree.cost[rows.label].sum())}
        return publish_labels(baskets, rows, hierarchy)


def sort_rows(baskets: ItemSets, leaf: npt.NDArray[np.int32]) -> tuple[ItemSets, npt.NDArray[np.int32]]:
    """Put rows in the order of their leaves, ascending in each, so that nothing depends on who came first.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> rows, leaf = sort_rows(ItemSets.of(Dataset.of("sets", [["b"], ["b", "a"]])), np.array([1, 1, 0], np.int32))
    >>> rows.rows.tolist(), leaf.tolist()
    ([1, 0], [0, 1, 1])
    """
    from sfumato.kinds.sets.kernels.lexicographic import order_lists

    offsets = baskets.sets.offsets
    within = np.lexsort((leaf, baskets.sets.row_of_token))
    leaf = np.ascontiguousarray(leaf[within])
    order = order_lists(offsets, leaf)
    lengths = np.diff(offsets)[order]
    begins = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    token = np.repeat(offsets[order] - begins[:-1], lengths) + np.arange(len(leaf))
    sets = dataclasses.replace(baskets.sets, offsets=begins, codes=baskets.sets.codes[within][token])
    return dataclasses.replace(baskets, rows=baskets.rows[order], sets=sets), leaf[token]


def find_lowest(hierarchy: Hierarchy) -> Ints:
    """Return for every node the lowest one with the same leaves, which is published alike.

    Examples
    --------
    >>> find_lowest(Hierarchy.from_paths([("a", "A", "*"), ("b", "*")])).tolist()
    [0, 1, 0, 3]
    """
    lowest = np.arange(len(hierarchy))
    for node, above in enumerate(hierarchy.parent.tolist()):  # parents have higher numbers
        if above >= 0 and hierarchy.leaves[above] == hierarchy.leaves[node]:
            lowest[above] = lowest[node]
    return lowest


def order_nodes(hierarchy: Hierarchy, counts: Ints) -> Ints:
    """Order the nodes below the root level by level, in each by how frequent their ancestors and they are.

    Nodes below the same parent are neighbours. Nodes that hold nothing, or the same as the node below, are left out.

    Examples
    --------
    >>> tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "C", "*"), ("d", "C", "*")])
    >>> [tree.labels[node] for node in order_nodes(tree, np.array([1, 2, 0, 9]))]
    ['C', 'A', 'd', 'b', 'a']
    """
    below = np.concatenate([[0], np.cumsum(counts)])
    frequency = below[hierarchy.first_leaf + hierarchy.leaves] - below[hierarchy.first_leaf]
    rank = np.zeros(len(hierarchy), dtype=np.int64)
    levels = [np.empty(0, dtype=np.int64)]
    for depth in range(1, hierarchy.height + 1):
        nodes = np.flatnonzero(hierarchy.depth == depth)
        nodes = nodes[np.lexsort((nodes, -frequency[nodes], rank[hierarchy.parent[nodes]]))]
        rank[nodes] = np.arange(len(nodes))
        levels.append(nodes)
    order = np.concatenate(levels)
    return order[(frequency[order] > 0) & (find_lowest(hierarchy)[order] == order)]


def order_leaves(order: Ints, node: Ints) -> Ints:
    """Take the leaves out of an order of nodes, those below the same node of a cut together.

    Examples
    --------
    >>> order_leaves(np.array([4, 1, 2, 0]), np.array([5, 4, 5])).tolist()
    [1, 2, 0]
    """
    leaves = order[order < len(node)]
    return leaves[np.argsort(node[leaves], kind="stable")]


def publish_labels(baskets: ItemSets, rows: Labelled, hierarchy: Hierarchy) -> Recoded:
    """Return the rows as labels, each standing for the leaves below it."""
    used, codes = np.unique(rows.label, return_inverse=True)
    groups = [hierarchy.members(hierarchy.labels[node]) for node in used.tolist()]
    return Recoded(baskets.rows, baskets.sets.offsets, codes.astype(np.int32), groups)
