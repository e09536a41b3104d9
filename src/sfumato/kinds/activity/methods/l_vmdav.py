"""l-VMDAV: classes that grow until they are diverse."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

from sfumato.kinds.activity.families.classes import DiverseClasses, Flat

if TYPE_CHECKING:
    from sfumato.kinds.activity.kernels.classes import Demand, Outcome
    from sfumato.kinds.activity.kernels.durations import Activities
    from sfumato.kinds.activity.kernels.levels import Levels

__all__ = ["LVmdav"]


@dataclasses.dataclass(frozen=True)
class LVmdav(Flat, DiverseClasses):
    """Group people around those at the rim, each class extended until it is diverse.

    People of a class that never becomes diverse are suppressed.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = LVmdav(k=2, delta="2", epsilon="1/2").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.parts["classes"].table["size"].to_pylist()
    (2, [2])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section
    3.2.2.
    """

    name: ClassVar[str] = "l-vmdav"
    summary: ClassVar[str] = "Groups similar days and lets classes grow until diverse; may suppress people; a baseline."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), 3.2.2"

    def classify(self, activities: Activities, demand: Demand, levels: Levels) -> Outcome:
        """Let groups grow until they are diverse."""
        from sfumato.kinds.activity.kernels.classes import l_vmdav

        return l_vmdav(activities, demand, levels)
