"""LRA: local recoding of items, records that resemble each other together."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.core.params import Param
from sfumato.core.publication import Recoded
from sfumato.core.row_clusters import cut, join, recode_clusters
from sfumato.core.run import Run
from sfumato.kinds.sets.families.item_generalising import ItemSets
from sfumato.kinds.sets.families.item_hierarchies import HierarchyGeneralising

__all__ = ["Lra"]


@dataclasses.dataclass(frozen=True)
class Lra(HierarchyGeneralising):
    """Hide sets of items as apriori does, in parts of similar records, each with a recoding of its own.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.hierarchy import Hierarchy
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
    summary: ClassVar[str] = "Like apriori, in parts of similar records that are recoded on their own."
    paper: ClassVar[str] = "Terrovitis et al., Local and global recoding methods for set-valued data (2011), LRA"
    optimises: ClassVar[str] = "NCP, weighted by occurrences, in every part"

    parts: Annotated[int, Param("Number of parts the records are split into, of at least k each.", ge=1)] = 5

    def recode(self, baskets: ItemSets, run: Run) -> Recoded:
        """Recode part by part, the records in the Gray order of their items."""
        from sfumato.kernels.gray import gray_order_sparse

        hierarchy = self.hierarchy(baskets.dataset)
        with run.phase("order"):
            codes = self.leaves(baskets, hierarchy)
            # The first item of the hierarchy is the least significant bit, as in the order of trajectories.
            last = len(hierarchy.leaf_labels) - 1
            order = gray_order_sparse(baskets.sets.offsets, last - codes, last + 1)
        parts = cut(order, self.parts, self.k)
        run.counters["parts"] = len(parts)
        return join(recode_clusters(parts, lambda part: self.recode_alone(baskets.take(part), run), run))
