"""MSLD: classes of people who follow each other when ordered by what they do."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

from sfumato.kinds.activity.families.classes import DiverseClasses, Flat

if TYPE_CHECKING:
    from sfumato.kinds.activity.kernels.classes import Demand, Outcome
    from sfumato.kinds.activity.kernels.durations import Activities
    from sfumato.kinds.activity.kernels.levels import Levels

__all__ = ["Msld"]


@dataclasses.dataclass(frozen=True)
class Msld(Flat, DiverseClasses):
    """Order people by what they do, slots with the fewest activities first, and merge neighbours.

    Classes end where they have k people and are diverse.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = Msld(k=2, delta="2", epsilon="1/2").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.parts["classes"].table["size"].to_pylist()
    (4, [4])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section
    4.3.
    """

    name: ClassVar[str] = "msld"
    summary: ClassVar[str] = "Merges people who follow each other in the order of their days until diverse; a baseline."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), 4.3"

    def classify(self, activities: Activities, demand: Demand, levels: Levels) -> Outcome:  # noqa: ARG002
        """Merge people who follow each other."""
        from sfumato.kinds.activity.kernels.classes import msld

        return msld(activities, demand)
