"""MC: multi-level clustering, for the number of people in a class only."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

from sfumato.kinds.activity.families.classes import AnonymousClasses, Levelled

if TYPE_CHECKING:
    from sfumato.kinds.activity.kernels.classes import Outcome
    from sfumato.kinds.activity.kernels.durations import Activities
    from sfumato.kinds.activity.kernels.levels import Levels

__all__ = ["Mc"]


@dataclasses.dataclass(frozen=True)
class Mc(Levelled, AnonymousClasses):
    """Group people by MDAV level by level: by coarse intervals first, and the parts by finer ones.

    Nothing is promised about sensitive activities.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days)
    >>> release = Mc(k=2, aggregate="3,1").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.parts["classes"].table["size"].to_pylist()
    (4, [2, 2])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Algorithm 1.
    """

    name: ClassVar[str] = "mc"
    summary: ClassVar[str] = "Groups similar days level by level into classes of k people; promises no diversity."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), Algorithm 1"

    def classify(self, activities: Activities, levels: Levels) -> Outcome:
        """Group by MDAV at one level after the other."""
        from sfumato.kinds.activity.kernels.classes import mc

        return mc(activities, self.group_size, levels)
