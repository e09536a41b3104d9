"""PCTA: items clustered until privacy constraints hold."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from sfumato.kinds.sets.families.item_constraints import ConstraintGeneralising

__all__ = ["Pcta"]


@dataclasses.dataclass(frozen=True)
class Pcta(ConstraintGeneralising):
    """Protect itemsets by uniting the two items, one of them in the itemset, that lose the least utility together.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> rows = [["beer", "bread"], ["wine", "bread"], ["bread"], ["bread"]]
    >>> data = Dataset.of("sets", rows, privacy=(("beer", "bread"),))
    >>> release = Pcta(k=2).anonymize(data, Run(bytes(32))).release
    >>> release.members(), release.guarantee.itemsets
    ({'{beer|wine}': ('beer', 'wine')}, (('beer', 'bread'),))

    References
    ----------
    Gkoulalas-Divanis, Loukides: PCTA: privacy-constrained clustering-based transaction data anonymization (2011).
    """

    name: ClassVar[str] = "pcta"
    summary: ClassVar[str] = "Protects itemsets by clustering items at least utility loss."
    paper: ClassVar[str] = "Gkoulalas-Divanis and Loukides, PCTA (2011)"
    tried: ClassVar[int] = 1 << 30
