"""l-MDAV: classes of one size around people at the rim, larger by one until all are diverse."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

from sfumato.kinds.activity.families.classes import DiverseClasses, Flat

if TYPE_CHECKING:
    from sfumato.kinds.activity.kernels.classes import Demand, Outcome
    from sfumato.kinds.activity.kernels.durations import Activities
    from sfumato.kinds.activity.kernels.levels import Levels

__all__ = ["LMdav"]


@dataclasses.dataclass(frozen=True)
class LMdav(Flat, DiverseClasses):
    """Group people by MDAV on their days as they are, with classes larger by one until all are diverse.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = LMdav(k=2, delta="2", epsilon="1/2").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.parts["classes"].table["size"].to_pylist()
    (4, [4])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section
    3.2.1.
    """

    name: ClassVar[str] = "l-mdav"
    summary: ClassVar[str] = "Groups similar days by MDAV, with larger classes until all are diverse; a baseline."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), 3.2.1"

    def classify(self, activities: Activities, demand: Demand, levels: Levels) -> Outcome:
        """Group by MDAV, with larger groups until all are diverse."""
        from sfumato.kinds.activity.kernels.classes import l_mdav

        return l_mdav(activities, demand, levels)
