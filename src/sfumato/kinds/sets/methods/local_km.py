"""Items generalised record by record: every item of every record has a label of its own on its path to the root."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets.methods._base.generalisation import ItemSets
from sfumato.kinds.sets.methods._base.hierarchies import HierarchyGeneralising, price_tree
from sfumato.kinds.sets.methods._base.labels import cost_tree, find_lowest, order_nodes
from sfumato.params import Param
from sfumato.release.encode import Recoded
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.sets._kernels.local_labels import Labelled, Tree

__all__ = ["LocalKmItems"]

Ints = npt.NDArray[np.int64]

_MOST_SETS = 2.0**27
"""Sets of m items that apriori would count: beyond it, a few long records fill the memory."""

_MOST_SWAPPED = 2.0**25
"""Sets of up to m labels that SWAP counts, each as often as a record holds it; every k-th of them takes memory."""

_ROUNDS = 2


@dataclasses.dataclass(frozen=True)
class LocalKmItems(HierarchyGeneralising):
    """Hide every set of up to m items in a group of k by generalising items along a hierarchy, record by record.

    It begins with what apriori does for all records alike, and brings items down again in the records where every set
    of up to m labels still has k records. Then records give a fine label for a better one. A single item may become
    coarser by that than apriori has it, but all together never lose more.

    Examples
    --------
    Apriori publishes beer and wine as drinks everywhere; here only two records pay for the rare one.

    >>> from sfumato.data.dataset import Dataset
    >>> food = Hierarchy.from_parents({"beer": "drinks", "wine": "drinks", "bread": "*", "drinks": "*"})
    >>> rows = [["beer", "bread"], ["beer", "bread"], ["beer", "bread"], ["wine", "bread"]]
    >>> data = Dataset.of("sets", rows, hierarchy=food)
    >>> release = LocalKmItems(k=2, m=2).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.history().lists())
    [['beer', 'bread'], ['beer', 'bread'], ['bread', '{beer|wine}'], ['bread', '{beer|wine}']]
    """

    name: ClassVar[str] = "local-km"
    summary: ClassVar[str] = "Generalises items record by record, only where a set of up to m of them needs it."
    paper: ClassVar[str] = "this project's own, from the cut of Terrovitis et al. (2008)"
    optimises: ClassVar[str] = "NCP, weighted by occurrences"
    by_record: ClassVar[bool] = True

    prefer: Annotated[
        str,
        Param(
            "What is optimised first: loss (NCP), or the number of items published exactly.",
            choices=("loss", "exact"),
        ),
    ] = "loss"

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:  # noqa: ARG003
        """Say what k does not mean."""
        return ("k records match what is known. They need not be equally likely: the method's choices rule some out.",)

    def recode(self, baskets: ItemSets, run: Run) -> Recoded:
        """Begin at apriori's cut, bring labels down, and exchange them within records."""
        from sfumato._kernels.size_limits import refuse_endless_sets
        from sfumato.kinds.sets._kernels.local_labels import label_rows
        from sfumato.kinds.sets._kernels.lowering import lower_labels

        refuse_endless_sets(baskets.sets.lengths, self.sizes(baskets)[-1])
        hierarchy = self.hierarchy(baskets.dataset)
        baskets, leaf = sort_rows(baskets, self.leaves(baskets, hierarchy))
        cut = self.begin(baskets, leaf, hierarchy, run)
        tree, size = cost_tree(hierarchy), self.sizes(baskets)[-1]
        rows = label_rows(baskets.sets.offsets, leaf, find_lowest(hierarchy)[cut], len(hierarchy))
        before = int(tree.cost[rows.label].sum())
        order = order_nodes(hierarchy, np.bincount(leaf, minlength=len(cut)))
        with run.phase("lower"):
            if self.prefer == "exact":
                lower_labels(rows, tree, order_leaves(order, cut), self.k, size)
            lower_labels(rows, tree, order, self.k, size)
        if self.prefer == "loss":
            with run.phase("swap"):
                self.swap(rows, tree, order, size, run)
        run.counters |= {"loss_of_cut": before, "loss": int(tree.cost[rows.label].sum())}
        return publish_labels(baskets, rows, hierarchy)

    def swap(self, rows: Labelled, tree: Tree, order: Ints, size: int, run: Run) -> None:
        """Exchange labels within records, and bring down what then can be; not where sets are too many to count."""
        from sfumato._kernels.counter import LARGEST_KEY
        from sfumato.kinds.sets._kernels.label_sets import count_label_sets
        from sfumato.kinds.sets._kernels.lowering import lower_labels
        from sfumato.kinds.sets._kernels.swapping import swap_labels

        run.counters |= {"loss_before_swap": int(tree.cost[rows.label].sum()), "gained_by_swap": 0}
        if count_label_sets(rows, size) > _MOST_SWAPPED or (len(tree.parent) + 1) ** size > LARGEST_KEY:
            run.counters["swap_left_out"] = 1
            return
        for _ in range(_ROUNDS if size < 3 else 1):
            gained = swap_labels(rows, tree, self.k, size)
            run.counters["gained_by_swap"] += gained
            if gained == 0:
                break
            lower_labels(rows, tree, order, self.k, size)

    def begin(self, baskets: ItemSets, leaf: npt.NDArray[np.int32], hierarchy: Hierarchy, run: Run) -> Ints:
        """Return the cut to begin with: apriori's, or the root where records hold more sets than it should count.

        Examples
        --------
        >>> from sfumato.data.dataset import Dataset
        >>> tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
        >>> baskets = ItemSets.of(Dataset.of("sets", [["a"], ["b"], ["c"], ["c"]]))
        >>> LocalKmItems(k=2, m=1).begin(baskets, np.array([0, 1, 2, 2], np.int32), tree, Run(bytes(32))).tolist()
        [3, 3, 2]
        """
        start = np.arange(len(hierarchy.leaf_labels))
        lengths, size = baskets.sets.lengths.astype(np.float64), self.sizes(baskets)[-1]
        sets = np.prod([(lengths - i) / (i + 1) for i in range(size)], axis=0).clip(0).sum()
        if sets > _MOST_SETS:
            run.counters["began_at_root"] = 1
            return np.full(len(start), len(hierarchy) - 1)
        return self.move(baskets, leaf, run, start, price_tree(hierarchy, leaf)).node


def sort_rows(baskets: ItemSets, leaf: npt.NDArray[np.int32]) -> tuple[ItemSets, npt.NDArray[np.int32]]:
    """Put rows in the order of their leaves, ascending in each, so that nothing depends on who came first.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> rows, leaf = sort_rows(ItemSets.of(Dataset.of("sets", [["b"], ["b", "a"]])), np.array([1, 1, 0], np.int32))
    >>> rows.rows.tolist(), leaf.tolist()
    ([1, 0], [0, 1, 1])
    """
    from sfumato.kinds.sets._kernels.lexicographic import order_lists

    offsets = baskets.sets.offsets
    within = np.lexsort((leaf, baskets.sets.row_of_token))
    leaf = np.ascontiguousarray(leaf[within])
    order = order_lists(offsets, leaf)
    lengths = np.diff(offsets)[order]
    begins = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    token = np.repeat(offsets[order] - begins[:-1], lengths) + np.arange(len(leaf))
    sets = dataclasses.replace(baskets.sets, offsets=begins, codes=baskets.sets.codes[within][token])
    return dataclasses.replace(baskets, rows=baskets.rows[order], sets=sets), leaf[token]


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
