"""MC-l-MDAV: multi-level clustering with larger classes until all are diverse."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

from sfumato.kinds.activity.families.classes import DiverseClasses, Levelled

if TYPE_CHECKING:
    from sfumato.kinds.activity.kernels.classes import Demand, Outcome
    from sfumato.kinds.activity.kernels.durations import Activities
    from sfumato.kinds.activity.kernels.levels import Levels

__all__ = ["McLMdav"]


@dataclasses.dataclass(frozen=True)
class McLMdav(Levelled, DiverseClasses):
    """Group people by MDAV level by level, with larger classes at the last one until all are diverse.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = McLMdav(k=2, delta="2", epsilon="1/2", aggregate="3,1").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.parts["classes"].table["size"].to_pylist()
    (4, [4])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Algorithm 2,
    with the plain distance.
    """

    name: ClassVar[str] = "mc-l-mdav"
    summary: ClassVar[str] = "Groups similar days level by level, with larger classes until all are diverse."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), Algorithm 2"

    def classify(self, activities: Activities, demand: Demand, levels: Levels) -> Outcome:
        """Group by MDAV level by level until all groups are diverse."""
        from sfumato.kinds.activity.kernels.classes import mc_l_mdav

        return mc_l_mdav(activities, demand, levels)
