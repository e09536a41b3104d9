"""How large the groups are that items are published as."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from sfumato.core.measuring.comparison import Comparison
from sfumato.core.measuring.metric import Better, Operation
from sfumato.kinds.sets.metrics.published_items import PublishedItems
from sfumato.kinds.sets.metrics.set_metric import SetMetric

__all__ = ["METRIC", "ItemLoss"]


@dataclasses.dataclass(frozen=True)
class ItemLoss(SetMetric):
    """Measure NCP of generalised items: what each occurrence of an item in the original loses, on average.

    An occurrence published as a value with n > 1 members, of N items there are, loses n / N; one that is
    published exactly loses nothing, one that is suppressed or whose record is withheld loses everything. Where values
    of a record lie within each other, an occurrence is published as the finest of them that stands for it. Where values
    are groups of a hierarchy, N is the number of its leaves and n that of the leaves below the group; where a method
    formed its own groups, items are counted and a hierarchy that is there plays no part (``by_hierarchy`` says which).

    Examples
    --------
    >>> import sfumato as sf
    >>> tree = sf.Hierarchy.from_parents({"bread": "food", "wine": "drink", "beer": "drink", "food": "*", "drink": "*"})
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "beer"], ["bread"], ["bread"]], hierarchy=tree)
    >>> result = sf.anonymize(data, sf.methods.Apriori(k=2, m=2), secret=bytes(32))
    >>> round(ItemLoss().measure(Comparison(data, result.release, result.trace.rows)).value, 4)
    0.2222
    """

    name: ClassVar[str] = "item-loss"
    title: ClassVar[str] = "Loss of generalised items (NCP)"
    explanation = "How large the group is that an item is published as, as a share of all items."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    paper: ClassVar[str] = (
        "Poulis et al., Anonymizing data with relational and transaction attributes (2013), Section 5"
    )
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "withhold")
    not_monotone: ClassVar[str] = (
        "A value from which one member is suppressed everywhere is a smaller value for the others."
    )
    forms: ClassVar[tuple[str, ...]] = ("records",)

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why this measure cannot be taken here, or return None when it can."""
        return super().obstacle(comparison) or PublishedItems(comparison).obstacle

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Look at what every occurrence is published as."""
        published = PublishedItems(comparison)
        values, sizes = published.value_of_occurrence, published.sizes
        there = values >= 0
        losses = np.ones(len(values))
        members = sizes[values[there]]
        losses[there] = np.where(members > 1, members / max(published.width, 1), 0.0)
        everything = max(len(values), 1)
        return float(losses.mean()) if len(losses) else 0.0, {
            "exact_share": float((losses == 0).sum() / everything),
            "suppressed_share": float((~there).sum() / everything),
            "largest_value": int(sizes[values[there]].max(initial=1)),
            "items": published.width,
            "by_hierarchy": published.hierarchy is not None,
        }


METRIC = ItemLoss
