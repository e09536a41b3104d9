"""Methods that look at one length of intervals only, with which multi-level clustering is compared."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, ClassVar

from sfumato.kinds.activity.dataset import check_span
from sfumato.kinds.activity.methods._base import DiverseClasses, count_slots
from sfumato.params import Param, Parameterised

if TYPE_CHECKING:
    from sfumato.kinds.activity._kernels.classes import Demand, Outcome
    from sfumato.kinds.activity._kernels.durations import Activities
    from sfumato.kinds.activity._kernels.levels import Levels

__all__ = ["Flat", "LMdav", "LVmdav", "Msld"]


@dataclasses.dataclass(frozen=True)
class Flat(Parameterised):
    """Parameters of methods that look at one length of intervals only.

    Examples
    --------
    >>> Flat(interval="hour").lengths("minute")
    (60,)
    """

    interval: Annotated[str, Param("Length of the compared and published intervals: slot, 10min, hour.")] = "slot"
    digits: Annotated[
        int | None, Param("Decimal digits of published shares; by default they are exact.", ge=1, le=9)
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_span(self.message_name, "interval", self.interval)

    def lengths(self, unit: str | None) -> tuple[int, ...]:
        """Return the slots of an interval."""
        return (count_slots(self.message_name, "interval", self.interval, unit),)

    def plan(self, unit: str | None) -> Levels:
        """Return how people are split: not at all before they are compared."""
        from sfumato.kinds.activity._kernels.levels import Levels

        return Levels(self.lengths(unit), fanout=1)


@dataclasses.dataclass(frozen=True)
class LMdav(Flat, DiverseClasses):
    """Group people by MDAV on their days as they are, with classes larger by one until all are diverse.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = LMdav(k=2, delta="2", epsilon="1/2").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.extra_tables["classes"].table["size"].to_pylist()
    (4, [4])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section
    3.2.1.
    """

    name: ClassVar[str] = "l-mdav"
    summary: ClassVar[str] = "Baseline: MDAV on similar days, with larger classes until all are diverse."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), 3.2.1"

    def classify(self, activities: Activities, demand: Demand, levels: Levels) -> Outcome:
        """Group by MDAV, with larger groups until all are diverse."""
        from sfumato.kinds.activity._kernels.classes import l_mdav

        return l_mdav(activities, demand, levels)


@dataclasses.dataclass(frozen=True)
class LVmdav(Flat, DiverseClasses):
    """Group people around those at the rim, each class extended until it is diverse.

    People of a class that never becomes diverse are suppressed.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = LVmdav(k=2, delta="2", epsilon="1/2").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.extra_tables["classes"].table["size"].to_pylist()
    (2, [2])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section
    3.2.2.
    """

    name: ClassVar[str] = "l-vmdav"
    summary: ClassVar[str] = "Baseline: grows classes of similar days until they are diverse; may suppress records."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), 3.2.2"

    def classify(self, activities: Activities, demand: Demand, levels: Levels) -> Outcome:
        """Let groups grow until they are diverse."""
        from sfumato.kinds.activity._kernels.classes import l_vmdav

        return l_vmdav(activities, demand, levels)


@dataclasses.dataclass(frozen=True)
class Msld(Flat, DiverseClasses):
    """Order people by what they do, slots with the fewest activities first, and merge neighbours.

    Classes end where they have k people and are diverse.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = Msld(k=2, delta="2", epsilon="1/2").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.extra_tables["classes"].table["size"].to_pylist()
    (4, [4])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section
    4.3.
    """

    name: ClassVar[str] = "msld"
    summary: ClassVar[str] = "Baseline: sorts days and merges neighbours until classes are diverse."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), 4.3"

    def classify(self, activities: Activities, demand: Demand, levels: Levels) -> Outcome:  # noqa: ARG002
        """Merge people who follow each other."""
        from sfumato.kinds.activity._kernels.classes import msld

        return msld(activities, demand)
