"""How large the groups are that items are published as."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from sfumato.kinds.sets.comparison import SetMetric
from sfumato.kinds.sets.metrics.published_items import PublishedItems
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation
from sfumato.metrics.partial_sums import Least, Most, PartialSums

__all__ = ["ItemLoss"]


@dataclasses.dataclass(frozen=True)
class ItemLoss(SetMetric):
    """Measure NCP of generalised items: what each occurrence of an item in the original loses, on average.

    An occurrence published as a value with n > 1 members, of N items there are, loses n / N; one that is
    published exactly loses nothing, one that is suppressed or whose record is suppressed loses everything. Where values
    of a record lie within each other, an occurrence is published as the finest of them that stands for it. Where values
    are groups of a hierarchy, N is the number of its leaves and n that of the leaves below the group; where a method
    formed its own groups, items are counted and a hierarchy that is there plays no part (``by_hierarchy`` says which).
    In a release in partitions, the items are those of all partitions, and values are groups of the hierarchy if they
    are in every partition.

    Examples
    --------
    >>> import sfumato as sf
    >>> tree = sf.Hierarchy.from_parents({"bread": "food", "wine": "drink", "beer": "drink", "food": "*", "drink": "*"})
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "beer"], ["bread"], ["bread"]], hierarchy=tree)
    >>> result = sf.anonymize(data, sf.methods.Apriori(k=2, m=2), secret=bytes(32))
    >>> round(ItemLoss().measure(Comparison(data, result.release, result.owner_record.rows)).value, 4)
    0.2222
    """

    name: ClassVar[str] = "item-loss"
    title: ClassVar[str] = "Loss of generalised items (NCP)"
    explanation = "Average number of items that a published item may stand for, as a share of all items."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact items, 1: any item"
    paper: ClassVar[str] = (
        "Poulis et al., Anonymizing data with relational and transaction attributes (2013), Section 5"
    )
    averages: ClassVar[bool] = True
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "withhold")
    not_monotone: ClassVar[str] = (
        "A value from which one member is suppressed everywhere is a smaller value for the others."
    )
    forms: ClassVar[tuple[str, ...]] = ("records",)

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why this measure cannot be taken here, or return None when it can."""
        return super().obstacle(comparison) or PublishedItems(comparison).obstacle

    def partial(self, comparison: Comparison) -> PartialSums:
        """Look at what every occurrence is published as, by items and, where that can be, by the hierarchy."""
        published = PublishedItems(comparison)
        values, tree = published.value_of_occurrence, published.hierarchy
        there = values >= 0
        partial: dict[str, Any] = {
            "occurrences": len(values),
            "suppressed": int((~there).sum()),
            "exact": int((comparison.sizes[values[there]] == 1).sum()),
            "by_hierarchy": Least(tree is not None),
        }
        for name, sizes, width in (
            ("items", comparison.sizes, len(comparison.places)),
            *([] if tree is None else [("leaves", published.sizes, len(tree.leaf_labels))]),
        ):
            members = sizes[values[there]]
            partial[name] = {
                "width": Most(width),
                "members": int(members[members > 1].sum()),
                "largest": Most(members.max(initial=1)),
            }
        return partial

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Divide what was lost by all there is."""
        by_hierarchy, everything = bool(partial["by_hierarchy"]), max(partial["occurrences"], 1)
        counted = partial["leaves" if by_hierarchy else "items"]
        width = int(counted["width"])
        return (partial["suppressed"] + counted["members"] / max(width, 1)) / everything, {
            "exact_share": partial["exact"] / everything,
            "suppressed_share": partial["suppressed"] / everything,
            "largest_value": int(counted["largest"]),
            "items": width,
            "by_hierarchy": by_hierarchy,
        }
