"""COAT: items generalised and suppressed under privacy and utility constraints."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from sfumato.kinds.sets.families.item_constraints import ConstraintGeneralising

__all__ = ["Coat"]


@dataclasses.dataclass(frozen=True)
class Coat(ConstraintGeneralising):
    """Protect itemsets by uniting their rarest item with another of its utility constraint, or suppressing it.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
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
    summary: ClassVar[str] = "Protects itemsets by uniting their rarest item within its utility constraint."
    paper: ClassVar[str] = "Loukides et al., COAT: constraint-based anonymization of transactions (2011)"
    tried: ClassVar[int] = 1
