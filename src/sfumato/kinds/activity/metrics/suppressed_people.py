"""How many people a release of activity data leaves out."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from sfumato.kinds.activity.comparison import ActivityComparison
from sfumato.kinds.activity.decode import PublishedClasses
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric, divide
from sfumato.metrics.partial_sums import Least, Most, PartialSums

__all__ = ["SuppressedPeople"]


@dataclasses.dataclass(frozen=True)
class SuppressedPeople(SummedMetric):
    """Count the records that are not in the release, because they fit into no class or part of their time is unknown.

    Where time is unknown, ``unknown_intervals_share`` is the share of intervals of classes of which nothing is
    published.

    Examples
    --------
    >>> SuppressedPeople().unit, SuppressedPeople().better
    ('records', 'lower')

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section 4.5.
    """

    name: ClassVar[str] = "suppressed-people"
    title: ClassVar[str] = "Suppressed records"
    explanation = "Number of {many} that are in no class and so not in the release."
    unit: ClassVar[str] = "records"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: nobody is left out"
    paper: ClassVar[str] = "Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data, Section 4.5"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "withhold")

    def partial(self, comparison: Comparison) -> PartialSums:
        """Count the people in and out, and list the sizes of classes."""
        release, sizes = comparison.release, comparison.view(ActivityComparison).sizes
        gap = getattr(release.guarantee, "gap", None)
        hidden = PublishedClasses.of(release).find_hidden(gap)
        unknown = {} if gap is None else {"hidden": int(hidden.sum()), "intervals": hidden.size}
        return {
            **unknown,
            "records": release.records_in,
            "published": len(release),
            "classes": len(sizes),
            "in_classes": int(sizes.sum()),
            "smallest": Least(sizes.min(initial=len(release))),
            "largest": Most(sizes.max(initial=0)),
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare the number of people in and out."""
        lost = partial["records"] - partial["published"]
        unknown = (
            {"unknown_intervals_share": divide(partial["hidden"], partial["intervals"])} if "hidden" in partial else {}
        )
        return lost, {
            **unknown,
            "suppressed_share": lost / max(partial["records"], 1),
            "classes": partial["classes"],
            "smallest_class": int(partial["smallest"]),
            "largest_class": int(partial["largest"]),
            "mean_class": divide(partial["in_classes"], partial["classes"]),
        }
