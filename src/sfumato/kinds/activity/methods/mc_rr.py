"""MC-RR: people who do a sensitive activity are dealt to classes of people who do not."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

from sfumato.kinds.activity.families.classes import DiverseClasses, Levelled

if TYPE_CHECKING:
    from sfumato.kinds.activity.kernels.classes import Demand, Outcome
    from sfumato.kinds.activity.kernels.durations import Activities
    from sfumato.kinds.activity.kernels.levels import Levels

__all__ = ["McRr"]


@dataclasses.dataclass(frozen=True)
class McRr(Levelled, DiverseClasses):
    """Group those who do nothing sensitive level by level, and deal the others to these classes in turn.

    People who fit into no class are suppressed.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = McRr(k=2, delta="2", epsilon="1/2", aggregate="3,1").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.parts["classes"].table["size"].to_pylist()
    (4, [2, 2])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Algorithm 4.
    """

    name: ClassVar[str] = "mc-rr"
    summary: ClassVar[str] = "Groups those who do nothing sensitive and deals the others to the classes in turn."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), Algorithm 4"

    def classify(self, activities: Activities, demand: Demand, levels: Levels) -> Outcome:
        """Group those who do nothing sensitive and deal the others."""
        from sfumato.kinds.activity.kernels.classes import mc_rr

        return mc_rr(activities, demand, levels)
