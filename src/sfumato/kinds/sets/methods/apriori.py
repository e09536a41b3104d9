"""Apriori anonymisation: full-subtree recoding of items, short itemsets first."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from sfumato.core.publication import Recoded
from sfumato.core.run import Run
from sfumato.kinds.sets.families.item_generalising import ItemSets
from sfumato.kinds.sets.families.item_hierarchies import HierarchyGeneralising

__all__ = ["Apriori"]


@dataclasses.dataclass(frozen=True)
class Apriori(HierarchyGeneralising):
    """Hide every set of up to m items in a crowd of k by generalising items along a hierarchy, for everybody alike.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.hierarchy import Hierarchy
    >>> food = Hierarchy.from_parents({"beer": "drinks", "wine": "drinks", "bread": "*", "drinks": "*"})
    >>> data = Dataset.of("sets", [["beer", "bread"], ["wine", "bread"], ["bread"]], hierarchy=food)
    >>> Apriori(k=2, m=2).anonymize(data, Run(bytes(32))).release.members()
    {'{beer|wine}': ('beer', 'wine')}

    References
    ----------
    Terrovitis, Mamoulis, Kalnis: Privacy-preserving anonymization of set-valued data (2008), Section 4.
    """

    name: ClassVar[str] = "apriori"
    summary: ClassVar[str] = "Generalises items along a hierarchy until every set of up to m of them hides in a crowd."
    paper: ClassVar[str] = "Terrovitis et al., Privacy-preserving anonymization of set-valued data (2008), 4"
    optimises: ClassVar[str] = "NCP, weighted by occurrences"

    def recode(self, baskets: ItemSets, run: Run) -> Recoded:
        """Move one cut up for all records."""
        return self.recode_alone(baskets, run)
