"""Methods that generalise items along a hierarchy: the tree as arrays, and cuts through it as recodings."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.hierarchies.derive.labels import order_by_popularity
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.kinds.sets.methods._base.generalisation import ItemGeneralising, ItemSets
from sfumato.messages import option
from sfumato.params import Param
from sfumato.release.encode import Recoded
from sfumato.release.recoding import Recoding
from sfumato.release.release import Result
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.sets._kernels.item_cuts import Moved, Taxonomy

__all__ = ["HierarchyGeneralising"]

Ints = npt.NDArray[np.int64]

_FANOUT = 2
_DERIVED = Note(
    "hierarchy-derived",
    "The items have no hierarchy and were grouped by frequency: {rule}. A hierarchy of their meaning is easier to "
    "read: {file}.",
    details={
        "rule": option("hierarchies", {"item": "popular:2"}),
        "file": option("hierarchies", {"item": "FILE"}),
    },
)


@dataclasses.dataclass(frozen=True)
class HierarchyGeneralising(ItemGeneralising):
    """Base of methods that move a cut up a hierarchy of the items until every set of up to m items is frequent.

    Examples
    --------
    Where no row holds three items, no set of three has to be repaired.

    >>> import sfumato as sf
    >>> method = sf.methods.Apriori(k=2, m=3)
    >>> method.sizes(ItemSets.of(Dataset.of("sets", [["beer", "bread"], ["wine"]])))
    (1, 2)
    """

    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (KmItems,)
    m: Annotated[int, Param("Largest number of items an attacker knows.", ge=1)]

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:  # noqa: ARG003
        """Say what an exhaustive test found of those who know the method."""
        return (
            "The k matching records need not be equally likely. In tests on all datasets of four records "
            "and four items, knowing the method made none likelier than 1 in k.",
        )

    def build_guarantee(self, dataset: Dataset) -> KmItems:  # noqa: ARG002
        """Claim k^m-anonymity of the sets."""
        return KmItems(self.k, self.m)

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim, and say so where the hierarchy had to be derived."""
        result = super().anonymize(dataset, run)
        if "item" not in dataset.hierarchies:
            run.notes.append(_DERIVED)
        return result

    def hierarchy(self, dataset: Dataset) -> Hierarchy:
        """Return the hierarchy of the items, or a binary one of items in the order of their frequency.

        Examples
        --------
        >>> import sfumato as sf
        >>> data = Dataset.of("sets", [["beer", "salt"], ["beer", "wine"], ["wine"], ["beer"]])
        >>> sf.methods.Apriori(k=2, m=1).hierarchy(data).leaf_labels
        ('beer', 'wine', 'salt')
        """
        hierarchy = dataset.hierarchies.get("item")
        if hierarchy is not None:
            return hierarchy
        sets = dataset.history()
        counts = np.bincount(sets.codes, minlength=len(sets.labels))
        held = np.flatnonzero(counts)
        return order_by_popularity([sets.labels[code] for code in held], counts[held].tolist(), _FANOUT)

    def leaves(self, baskets: ItemSets, hierarchy: Hierarchy) -> npt.NDArray[np.int32]:
        """Return the leaf of every entry of the rows."""
        return baskets.leaf_of_item(hierarchy, self.message_name).astype(np.int32)[baskets.sets.codes]

    def sizes(self, baskets: ItemSets) -> tuple[int, ...]:
        """Return the sizes of itemsets to repair; larger ones than the rows hold need none."""
        return tuple(range(1, min(self.m, int(baskets.sets.lengths.max(initial=1))) + 1))

    def move(self, baskets: ItemSets, codes: npt.NDArray[np.int32], run: Run, start: Ints, tree: Taxonomy) -> Moved:
        """Move a cut up until no itemset of the rows is rare."""
        from sfumato.kinds.sets._kernels.item_cuts import move_cut

        moved = move_cut(baskets.sets.offsets, codes, start, tree, self.k, self.sizes(baskets), run.report("itemsets"))
        for name, count in (("moves", moved.moves), ("itemsets_repaired", moved.repaired)):
            run.counters[name] = run.counters.get(name, 0) + count
        return moved

    def recode_alone(self, baskets: ItemSets, run: Run) -> Recoded:
        """Recode rows with a cut of their own, beginning at the items."""
        hierarchy = self.hierarchy(baskets.dataset)
        codes = self.leaves(baskets, hierarchy)
        start = np.arange(len(hierarchy.leaf_labels))
        moved = self.move(baskets, codes, run, start, price_tree(hierarchy, codes))
        return baskets.recoded(recoding_of_cut(hierarchy, moved.node, baskets.dataset.schema.history))


def price_tree(hierarchy: Hierarchy, codes: npt.NDArray[np.int32]) -> Taxonomy:
    """Return a hierarchy as arrays, its nodes priced by NCP over the entries.

    Examples
    --------
    >>> tree = Hierarchy.from_paths([("a", "*"), ("b", "*")])
    >>> price_tree(tree, np.array([0, 1, 1], np.int32)).price.tolist()
    [0, 0, 6]
    """
    from sfumato.kinds.sets._kernels.item_cuts import Taxonomy, price_nodes

    first, leaves = np.asarray(hierarchy.first_leaf, np.int64), np.asarray(hierarchy.leaves, np.int64)
    supports = np.bincount(codes, minlength=len(hierarchy.leaf_labels))
    allowed = np.ones(len(hierarchy), dtype=bool)
    return Taxonomy(
        np.array(hierarchy.parent, np.int32), first.copy(), leaves.copy(), price_nodes(leaves, first, supports), allowed
    )


def recoding_of_cut(hierarchy: Hierarchy, node: Ints, column: str) -> Recoding:
    """Return a cut as a recoding: the leaves below each of its nodes are published as one.

    Examples
    --------
    >>> tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
    >>> recoding_of_cut(tree, np.array([3, 3, 2]), "items").groups
    (('a', 'b'), ('c',))
    """
    nodes = np.unique(node)
    return Recoding(column, tuple(sorted(tuple(sorted(hierarchy.members(hierarchy.labels[at]))) for at in nodes)))
