"""How many people a release of activity data leaves out."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from sfumato.core.measuring.comparison import Comparison
from sfumato.core.measuring.metric import Better, Metric, Operation
from sfumato.kinds.activity.comparison import ActivityComparison
from sfumato.kinds.activity.published import PublishedClasses

__all__ = ["METRIC", "SuppressedPeople"]


@dataclasses.dataclass(frozen=True)
class SuppressedPeople(Metric):
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
    title: ClassVar[str] = "Left out of all classes"
    explanation = "How many {many} fit into no class and are not in the release."
    unit: ClassVar[str] = "records"
    better: ClassVar[Better] = "lower"
    paper: ClassVar[str] = "Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data, Section 4.5"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "withhold")

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Compare the number of people in and out."""
        release, sizes = comparison.release, comparison.view(ActivityComparison).sizes
        lost = release.records_in - len(release)
        gap = getattr(release.guarantee, "gap", None)
        hidden = PublishedClasses.of(release).find_hidden(gap)
        unknown = {} if gap is None else {"unknown_intervals_share": float(hidden.mean()) if hidden.size else 0.0}
        return lost, {
            **unknown,
            "suppressed_share": lost / max(release.records_in, 1),
            "classes": len(sizes),
            "smallest_class": int(sizes.min(initial=len(release))),
            "largest_class": int(sizes.max(initial=0)),
            "mean_class": float(sizes.mean()) if len(sizes) else 0.0,
        }


METRIC = SuppressedPeople
