"""How many items that are not rare are published without anything about the records they are in."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from sfumato.kinds.sets.comparison import SetComparison, SetMetric, list_items
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation
from sfumato.metrics.partial_sums import Most, PartialSums

__all__ = ["SeparatedItems"]


@dataclasses.dataclass(frozen=True)
class SeparatedItems(SetMetric):
    """Measure tlost: of the items that more than k original records have, the share found in term chunks only.

    Of such an item the release says in which clusters it occurs, but not how often nor with what.
    ``occurrence_share`` is the share of all occurrences, of any item, that are published in term chunks.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "wine"], ["bread", "insulin"], ["bread"]])
    >>> result = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32))
    >>> SeparatedItems().measure(Comparison(data, result.release))
    separated-items: 0 of the items (lower is better; 0: none is separated, 1: all are)
      Share of items that are published only as present in a cluster, without the items they occur with.
      items             1
      separated         0
      occurrence share  0.1429

    References
    ----------
    Terrovitis et al., Privacy Preservation by Disassociation, Section 7.1.
    """

    name: ClassVar[str] = "separated-items"
    title: ClassVar[str] = "Items in term chunks only (tlost)"
    explanation = "Share of items that are published only as present in a cluster, without the items they occur with."
    unit: ClassVar[str] = "of the items"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: none is separated, 1: all are"
    paper: ClassVar[str] = "Terrovitis et al., Privacy Preservation by Disassociation (2012), Section 7.1"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise",)
    not_monotone: ClassVar[str] = "Releases of this form suppress neither values nor records."
    forms: ClassVar[tuple[str, ...]] = ("chunks",)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Look up the items of record and shared chunks."""
        view = comparison.view(SetComparison)
        matching = view.matching
        subrecords = matching.chunks.subrecords
        outside = ~matching.is_term[matching.chunks.chunk_of_row[subrecords.row_of_token]]
        return {
            "shown": {subrecords.labels[code] for code in np.unique(subrecords.codes[outside]).tolist()},
            "supports": view.supports,
            "k": Most(getattr(comparison.release.guarantee, "k", 1)),
            "outside": int(outside.sum()),
            "occurrences": len(view.original.codes),
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:
        """Count the frequent items that no chunk but a term chunk shows."""
        items = list_items(full_original)
        frequent = [items[item] for item in np.flatnonzero(partial["supports"] > partial["k"]).tolist()]
        separated = sum(item not in partial["shown"] for item in frequent)
        return separated / max(len(frequent), 1), {
            "items": len(frequent),
            "separated": separated,
            "occurrence_share": 1 - partial["outside"] / max(partial["occurrences"], 1),
        }
