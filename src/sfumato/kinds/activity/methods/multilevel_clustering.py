"""Multi-level clustering: people are split by coarse intervals of their days first, and the parts by finer ones."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError
from sfumato.kinds.activity.dataset import check_span
from sfumato.kinds.activity.encode import name_unknown
from sfumato.kinds.activity.guarantees import ClassAnonymity
from sfumato.kinds.activity.methods._base import ActivityClasses, DiverseClasses, count_slots
from sfumato.messages import Message, parameter
from sfumato.params import Param, Parameterised
from sfumato.release.release import Result
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.activity._kernels.classes import Demand, Outcome
    from sfumato.kinds.activity._kernels.durations import Activities
    from sfumato.kinds.activity._kernels.levels import Levels

__all__ = ["Levelled", "Mc", "McLMdav", "McLMdavWd", "McLVmdav", "McLVmdavWd", "McRr", "Weighted"]


@dataclasses.dataclass(frozen=True)
class Levelled(Parameterised):
    """Parameters of methods that split people by coarse intervals first, and the parts by finer ones.

    Examples
    --------
    >>> Levelled().lengths("minute"), Levelled(aggregate="2d,12h,hour").lengths("hour")
    ((10080, 60), (48, 12, 1))

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Table 3.
    """

    aggregate: Annotated[
        str,
        Param("Length of the intervals at each level, from coarse to fine; the last one is published: week,hour."),
    ] = "week,hour"
    levels: Annotated[int | None, Param("Number of levels; by default the number of lengths in aggregate.", ge=1)] = (
        None
    )
    fanout: Annotated[int, Param("Intended number of groups of the next level in a group.", ge=1)] = 5
    digits: Annotated[
        int | None, Param("Decimal digits of published shares; by default they are exact.", ge=1, le=9)
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        owner, spans = self.message_name, self.aggregate.split(",")
        for span in spans:
            check_span(owner, "aggregate", span)
        if self.levels not in (None, len(spans)):
            raise ParameterError(
                Message(
                    owner,
                    ": ",
                    parameter("levels"),
                    f" must be the number of lengths in aggregate, got {self.levels} for {len(spans)} lengths.",
                )
            )

    def lengths(self, unit: str | None) -> tuple[int, ...]:
        """Return the slots of an interval, level by level."""
        owner = self.message_name
        lengths = tuple(count_slots(owner, "aggregate", span, unit) for span in self.aggregate.split(","))
        if any(coarse < fine for coarse, fine in itertools.pairwise(lengths)):
            raise ParameterError(
                Message(owner, ": ", parameter("aggregate"), f" must go from coarse to fine, got {self.aggregate!r}.")
            )
        return lengths

    @property
    def weight(self) -> float | None:
        """Weight of the sensitive activities in the distance; None: they count like any other."""
        return None

    def plan(self, unit: str | None) -> Levels:
        """Return how people are split."""
        from sfumato.kinds.activity._kernels.levels import Levels

        return Levels(self.lengths(unit), self.fanout, self.weight)


@dataclasses.dataclass(frozen=True)
class Weighted(Levelled):
    """Parameters of methods that keep people apart who do a sensitive activity at the same time.

    Examples
    --------
    >>> Weighted(wd=1.5).weight
    1.5

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section 3.3.1.
    """

    wd: Annotated[float, Param("Weight of sensitive activities, which is subtracted from the distance.", ge=0)] = 1.0

    @property
    def weight(self) -> float:
        """Weight of the sensitive activities in the distance."""
        return self.wd


@dataclasses.dataclass(frozen=True)
class Mc(Levelled, ActivityClasses):
    """Group people by MDAV level by level: by coarse intervals first, and the parts by finer ones.

    Nothing is guaranteed about sensitive activities.

    Examples
    --------
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days)
    >>> release = Mc(k=2, aggregate="3,1").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.extra_tables["classes"].table["size"].to_pylist()
    (4, [2, 2])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Algorithm 1.
    """

    name: ClassVar[str] = "mc"
    summary: ClassVar[str] = "Groups similar days level by level into classes of k records; no diversity."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), Algorithm 1"
    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (ClassAnonymity,)

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim."""
        self.accept(dataset, self.k)
        from sfumato.kinds.activity._kernels.classes import Demand

        levels = self.plan(dataset.time_unit.unit)
        with run.phase("classify"), self.explain_size():
            observed = self.observe(dataset, ())
            outcome = self.classify(observed.activities, levels)
        slots = observed.activities.codes.shape[1]
        guarantee = ClassAnonymity(self.k, levels.lengths[-1], self.digits, slots, name_unknown(dataset))
        return self.conclude(dataset, observed, outcome, Demand(self.k, slots), guarantee, run)

    def classify(self, activities: Activities, levels: Levels) -> Outcome:
        """Group by MDAV at one level after the other."""
        from sfumato.kinds.activity._kernels.classes import mc

        return mc(activities, self.group_size, levels)


@dataclasses.dataclass(frozen=True)
class McLMdav(Levelled, DiverseClasses):
    """Group people by MDAV level by level, and make classes that are not diverse larger.

    Examples
    --------
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = McLMdav(k=2, delta="2", epsilon="1/2", aggregate="3,1").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.extra_tables["classes"].table["size"].to_pylist()
    (4, [4])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Algorithm 2,
    with the plain distance.
    """

    name: ClassVar[str] = "mc-l-mdav"
    summary: ClassVar[str] = "Groups similar days level by level; merges classes that are not diverse with near ones."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), Algorithm 2"

    repair: Annotated[
        str,
        Param(
            "Classes that are not diverse: class merges each with the nearest that makes it diverse; all "
            "enlarges all classes, as in the paper.",
            choices=("class", "all"),
        ),
    ] = "class"

    def classify(self, activities: Activities, demand: Demand, levels: Levels) -> Outcome:
        """Group by MDAV level by level so that all groups are diverse."""
        from sfumato.kinds.activity._kernels.classes import mc_l_mdav, mc_l_mdav_repaired

        return (mc_l_mdav_repaired if self.repair == "class" else mc_l_mdav)(activities, demand, levels)


@dataclasses.dataclass(frozen=True)
class McLMdavWd(Weighted, McLMdav):
    """Group people by MDAV level by level with the weighted distance, and make classes that are not diverse larger.

    Examples
    --------
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = McLMdavWd(k=2, delta="2", epsilon="1/2", aggregate="3,1").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.extra_tables["classes"].table["size"].to_pylist()
    (4, [2, 2])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section
    3.3.1 and Algorithm 2.
    """

    name: ClassVar[str] = "mc-l-mdav-wd"
    summary: ClassVar[str] = (
        "Groups similar days level by level; separates people with a sensitive activity at the same time."
    )
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), Algorithm 2"


@dataclasses.dataclass(frozen=True)
class McLVmdav(Levelled, DiverseClasses):
    """Group people by MDAV level by level, and let classes at the last one grow until diverse.

    People of a class that never becomes diverse are suppressed.

    Examples
    --------
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = McLVmdav(k=2, delta="2", epsilon="1/2", aggregate="3,1").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.extra_tables["classes"].table["size"].to_pylist()
    (2, [2])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Algorithm 3,
    with the plain distance.
    """

    name: ClassVar[str] = "mc-l-vmdav"
    summary: ClassVar[str] = "Groups similar days level by level and grows classes until diverse; may suppress records."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), Algorithm 3"

    def classify(self, activities: Activities, demand: Demand, levels: Levels) -> Outcome:
        """Split level by level and let groups grow until diverse."""
        from sfumato.kinds.activity._kernels.classes import mc_l_vmdav

        return mc_l_vmdav(activities, demand, levels)


@dataclasses.dataclass(frozen=True)
class McLVmdavWd(Weighted, McLVmdav):
    """Group people level by level with the weighted distance, and let classes at the last one grow until diverse.

    People of a class that never becomes diverse are suppressed.

    Examples
    --------
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = McLVmdavWd(k=2, delta="2", epsilon="1/2", aggregate="3,1").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.extra_tables["classes"].table["size"].to_pylist()
    (4, [2, 2])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section
    3.3.1 and Algorithm 3.
    """

    name: ClassVar[str] = "mc-l-vmdav-wd"
    summary: ClassVar[str] = "Like mc-l-vmdav; separates people with a sensitive activity at the same time."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), Algorithm 3"


@dataclasses.dataclass(frozen=True)
class McRr(Levelled, DiverseClasses):
    """Group those who do nothing sensitive level by level, and deal the others to these classes in turn.

    People who fit into no class are suppressed.

    Examples
    --------
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> release = McRr(k=2, delta="2", epsilon="1/2", aggregate="3,1").anonymize(data, Run(bytes(32))).release
    >>> release.published, release.extra_tables["classes"].table["size"].to_pylist()
    (4, [2, 2])

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Algorithm 4.
    """

    name: ClassVar[str] = "mc-rr"
    summary: ClassVar[str] = "Groups people without sensitive activities and distributes the others over the classes."
    paper: ClassVar[str] = "Parameshwarappa et al., Anonymization of Daily Activity Data (2021), Algorithm 4"

    def classify(self, activities: Activities, demand: Demand, levels: Levels) -> Outcome:
        """Group those who do nothing sensitive and deal the others."""
        from sfumato.kinds.activity._kernels.classes import mc_rr

        return mc_rr(activities, demand, levels)
