"""What measures of set-valued data have in common: which form of release they are about."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from sfumato.kinds.sets.comparison import SetComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import SummedMetric

__all__ = ["SetMetric"]


@dataclasses.dataclass(frozen=True)
class SetMetric(SummedMetric):
    """A measure of releases of sets: of those in chunks, of those with generalised items, or of both.

    Examples
    --------
    >>> from sfumato.kinds.sets.metrics.separated_items import SeparatedItems
    >>> SeparatedItems.forms
    ('chunks',)
    """

    forms: ClassVar[tuple[str, ...]] = ("chunks", "records")

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why this measure cannot be taken here, or return None when it can."""
        reason = super().obstacle(comparison)
        if reason is not None:
            return reason
        form = "chunks" if comparison.view(SetComparison).is_disassociated else "records"
        return None if form in self.forms else f"measures releases of {self.forms[0]}, got one of {form}."
