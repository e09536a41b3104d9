"""Items generalised and suppressed under privacy and utility constraints: COAT and PCTA."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from sfumato.kinds.sets.methods._base.constraints import ConstraintGeneralising

__all__ = ["Coat", "Pcta"]


@dataclasses.dataclass(frozen=True)
class Coat(ConstraintGeneralising):
    """Protect itemsets by uniting their rarest item with another of its utility constraint, or suppressing it.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> rows = [["beer", "bread"], ["wine", "bread"], ["bread"], ["salt", "bread"]]
    >>> data = Dataset.of("sets", rows, utility=(("beer", "wine"), ("bread",), ("salt",)))
    >>> release = Coat(k=2, m=2).anonymize(data, Run(bytes(32))).release
    >>> release.members(), release.suppressed()
    ({'{beer|wine}': ('beer', 'wine')}, ('salt',))

    References
    ----------
    Loukides, Gkoulalas-Divanis, Malin: COAT: constraint-based anonymization of transactions (2011).
    """

    name: ClassVar[str] = "coat"
    summary: ClassVar[str] = "Protects itemsets by generalising their rarest item within its utility constraint."
    paper: ClassVar[str] = "Loukides et al., COAT: constraint-based anonymization of transactions (2011)"
    tried: ClassVar[int] = 1


@dataclasses.dataclass(frozen=True)
class Pcta(ConstraintGeneralising):
    """Protect itemsets by uniting the two items, one of them in the itemset, that lose the least utility together.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
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
    summary: ClassVar[str] = "Protects itemsets by clustering items at the least utility loss."
    paper: ClassVar[str] = "Gkoulalas-Divanis and Loukides, PCTA (2011)"
    tried: ClassVar[int] = 1 << 30
