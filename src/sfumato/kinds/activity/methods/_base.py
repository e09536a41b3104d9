"""Methods that put people with similar days into classes: what they take, claim and publish."""

from __future__ import annotations

import abc
import contextlib
import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

import numpy as np

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.record_unit import RecordUnit
from sfumato.data.time_units import MONTHS
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.kinds.activity.dataset import SECONDS, SLOT, Slots, check_span
from sfumato.kinds.activity.encode import Classified, name_unknown, publish_classes
from sfumato.kinds.activity.guarantees import ActivityDiversity, format_epsilon, read_epsilon
from sfumato.messages import Message, MethodName, option, parameter
from sfumato.params import Param
from sfumato.release.release import Result
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.activity._kernels.classes import Demand, Outcome
    from sfumato.kinds.activity._kernels.durations import Activities
    from sfumato.kinds.activity._kernels.levels import Levels

__all__ = ["ActivityClasses", "DiverseClasses", "Observed", "count_slots"]


@dataclasses.dataclass(frozen=True)
class ActivityClasses(Method):
    """Base of methods that publish classes of at least k people as the shares of time they spend on each activity.

    A subclass says how long the intervals of each level are, and which class everybody is in.

    Examples
    --------
    >>> from sfumato.plugins import find_method
    >>> find_method("mc")(k=5).group_size, find_method("mc")(k=5, size=8).group_size
    (5, 8)
    """

    optimises: ClassVar[str] = "distance of records from their class"

    k: Annotated[int, Param("Smallest number of records in a class.", ge=2)]
    gaps: Annotated[
        str,
        Param(
            "Unknown time: unknown publishes nothing of a class in intervals in which fewer than k of its "
            "records are observed; withhold suppresses records with unknown time.",
            choices=("unknown", "withhold"),
        ),
    ] = dataclasses.field(default="unknown", kw_only=True)
    size: Annotated[
        int | None,
        Param(
            "Smallest number of records that a class is formed with, k by default; more than k allows for "
            "unknown time.",
            ge=2,
        ),
    ] = dataclasses.field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size is not None and self.size < self.k:
            raise ParameterError(
                Message(self.message_name, ": ", parameter("size"), f" must be at least k={self.k}, got {self.size}.")
            )

    @property
    def group_size(self) -> int:
        """Records that groups begin with."""
        return self.k if self.size is None else self.size

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:
        """Say what decided who is in a class."""
        if isinstance(guarantee, ActivityDiversity):
            return (
                "Classes depend on sensitive activities, too. Someone who knows the method may find one "
                "likelier than its share in a class.",
            )
        return ("Classes depend on all activities, including sensitive ones. Records of a class are similar in them.",)

    @abc.abstractmethod
    def lengths(self, unit: str | None) -> tuple[int, ...]:
        """Return the slots of an interval, level by level; the last are the intervals that are published."""

    @property
    @abc.abstractmethod
    def digits(self) -> int | None:
        """Decimal digits of published shares; None for shares as they are."""

    def accept(self, dataset: Dataset, k: int) -> None:
        """Refuse data this method cannot work on."""
        super().accept(dataset, k)
        if self.group_size > len(dataset):
            raise ParameterError(
                Message(
                    self.message_name,
                    ": ",
                    parameter("size"),
                    f" must be at most {len(dataset)}, the number of {dataset.unit.many}, got {self.size}.",
                )
            )
        if not Slots.of(dataset).codes.shape[1]:
            raise SchemaError(Message(self.message_name, ": the data have no slot."))

    @abc.abstractmethod
    def plan(self, unit: str | None) -> Levels:
        """Return how people are split."""

    @contextlib.contextmanager
    def explain_size(self) -> Iterator[None]:
        """Say what to do about data that are too large to compare exactly."""
        try:
            yield
        except OverflowError:
            raise ParameterError(
                Message(
                    self.message_name,
                    ": too many records, slots or slots per interval: sums of squares exceed 62 bits.",
                ),
                option="resolution",
                hint=Message("Read the data with a coarser resolution: ", option("resolution", "hour"), "."),
            ) from None

    def observe(self, dataset: Dataset, sensitive: tuple[str, ...]) -> Observed:
        """Return what is known of everybody who may be published, or say that too few may be."""
        everybody = _read_activities(dataset, sensitive)
        unobserved = (everybody.codes == everybody.gap).any(axis=1)
        if self.gaps == "unknown" or not unobserved.any():
            return Observed(everybody, np.zeros(len(dataset), dtype=bool))
        observed = int((~unobserved).sum())
        if observed < self.group_size:
            raise InfeasibleError(
                Message(
                    self.message_name,
                    f": only {observed} of {dataset.unit.count(len(dataset))} have no unknown time; a class needs "
                    f"{self.group_size}.",
                ),
                option="gaps",
                hint=Message(
                    "Use ",
                    parameter("gaps", "unknown"),
                    ", or read the data with a coarser ",
                    option("resolution"),
                    " or a later ",
                    option("start"),
                    ".",
                ),
            )
        codes = np.ascontiguousarray(everybody.codes[~unobserved])
        return Observed(everybody._replace(codes=codes, gap=-1), unobserved)

    def conclude(
        self, dataset: Dataset, observed: Observed, outcome: Outcome, demand: Demand, guarantee: Guarantee, run: Run
    ) -> Result:
        """Publish the classes."""
        length = self.lengths(dataset.time_unit.unit)[-1]
        hidden = self._find_hidden(observed, outcome, demand, length)
        run.counters.update(
            classes=int(outcome.label.max()) + 1,
            records_suppressed=int((outcome.label < 0).sum()),
            group_size=outcome.size,
            backtracks=outcome.backtracks,
            restarts=outcome.restarts,
            records_joined_for_diversity=outcome.extended,
            classes_joined_for_diversity=outcome.joined,
        )
        if guarantee.parameters().get("gap") is not None:
            run.counters.update(
                people_with_unknown_time_withheld=int(observed.left_out.sum()),
                intervals_of_classes=hidden.size,
                intervals_of_classes_published_as_unknown=int(hidden.sum()),
            )
        label = np.full(len(dataset), -1, dtype=np.int64)
        label[~observed.left_out] = outcome.label
        classified = Classified(label, length, self.digits, hidden, observed.left_out)
        with run.phase("publish"):
            return publish_classes(dataset, self, guarantee, classified, run)

    def _find_hidden(
        self, observed: Observed, outcome: Outcome, demand: Demand, length: int
    ) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Tell of which classes and intervals nothing can be published, or say that nothing at all can be."""
        from sfumato.kinds.activity._kernels.hiding import find_hidden

        classes = range(int(outcome.label.max()) + 1)
        members = (np.flatnonzero(outcome.label == number) for number in classes)
        hidden = np.array([find_hidden(observed.activities, people, demand, length) for people in members])
        if hidden.all():
            raise InfeasibleError(
                Message(
                    self.message_name,
                    f": in no interval are k={self.k} records of a class observed all the time; nothing is left to "
                    "publish.",
                ),
                option="k",
                hint=Message(
                    "Use a smaller ",
                    parameter("k"),
                    ", a larger ",
                    parameter("size"),
                    ", shorter intervals, or a coarser ",
                    option("resolution"),
                    ".",
                ),
            )
        return hidden


class Observed(NamedTuple):
    """What is known of the people who may be published, and who may not because part of their time is unknown.

    Attributes
    ----------
    activities
        What those did who may be published.
    left_out
        By row of the data: whether it is left out.

    Examples
    --------
    >>> from sfumato.plugins import find_method
    >>> data = Dataset.of("activity", [["home", "out"], ["home", "out"], ["home", "(gap)"]])
    >>> find_method("mc")(k=2, gaps="withhold").observe(data, ()).left_out.tolist()
    [False, False, True]
    """

    activities: Activities
    left_out: np.ndarray[Any, np.dtype[np.bool_]]


def _read_activities(dataset: Dataset, sensitive: tuple[str, ...]) -> Activities:
    """Return what everybody did as kernels want it."""
    from sfumato.kinds.activity._kernels.durations import Activities

    slots = Slots.of(dataset)
    codes = np.ascontiguousarray(slots.codes)
    gap = name_unknown(dataset)
    code = -1 if gap is None else slots.find((gap,))[0]
    return Activities(codes, len(slots.labels), np.array(slots.find(sensitive), dtype=np.int64), code)


@dataclasses.dataclass(frozen=True)
class DiverseClasses(ActivityClasses):
    """Base of methods whose classes are diverse: few people of one do a sensitive activity throughout delta.

    Examples
    --------
    >>> from sfumato.plugins import find_method
    >>> data = Dataset.of("activity", [["home", "away"], ["home", "home"]], sensitive=("away",))
    >>> guarantee = find_method("l-mdav")(k=2, delta="2min", epsilon=0.5).build_guarantee(data)
    >>> guarantee.delta_slots, guarantee.fraction, guarantee.sensitive
    (2, Fraction(1, 2), ('away',))

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section 3.1.
    """

    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (ActivityDiversity,)
    needs: ClassVar[tuple[str, ...]] = ("sensitive activities",)

    delta: Annotated[
        str,
        Param(
            "Length of time for which the guarantee limits a sensitive activity: 48h, 3d, 90min, or a number of slots."
        ),
    ]
    epsilon: Annotated[
        str,
        Param("Largest share of a class with a sensitive activity throughout that time: 0.75 or 3/4, read exactly."),
    ]

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", format_epsilon(self.epsilon))
        super().__post_init__()
        owner = self.message_name
        read_epsilon(owner, self.epsilon)
        check_span(owner, "delta", self.delta)

    @abc.abstractmethod
    def classify(self, activities: Activities, demand: Demand, levels: Levels) -> Outcome:
        """Return who is in which class."""

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim."""
        self.accept(dataset, self.k)
        guarantee = self.build_guarantee(dataset)
        demand = self._demand(guarantee)
        with run.phase("classify"), self.explain_size():
            observed = self.observe(dataset, guarantee.sensitive)
            grouping = demand._replace(k=self.group_size)
            outcome = self.classify(observed.activities, grouping, self.plan(dataset.time_unit.unit))
        if outcome.status != "done":
            raise self._explain(observed, guarantee, outcome, dataset.unit)
        return self.conclude(dataset, observed, outcome, demand, guarantee, run)

    def build_guarantee(self, dataset: Dataset) -> ActivityDiversity:
        """Return what is guaranteed, or refuse data this cannot be guaranteed of."""
        owner, unit = self.message_name, dataset.time_unit.unit
        sensitive = tuple(sorted(set(dataset.schema.sensitive)))
        if not sensitive:
            raise SchemaError(
                Message(owner, ": needs sensitive activities; the data name none."),
                option="sensitive",
                hint=Message("Name them: ", option("sensitive", ["ACTIVITY"]), "."),
            )
        slots = Slots.of(dataset)
        missing = sum(code < 0 for code in slots.find(sensitive))
        if missing:
            raise SchemaError(
                Message(owner, f": {missing} of the {len(sensitive)} sensitive activities do not occur in the data."),
                option="sensitive",
                hint="Write them as in the data.",
            )
        gap = name_unknown(dataset)
        if gap in sensitive:
            raise SchemaError(
                Message(owner, ": unknown time has the name of a sensitive activity."),
                option="gap",
                hint=Message("Give it another name: ", option("gap", "unknown"), "."),
            )
        window, total = count_slots(owner, "delta", self.delta, unit), slots.codes.shape[1]
        if window > total:
            raise ParameterError(
                Message(
                    owner,
                    ": ",
                    parameter("delta"),
                    f" must be at most {total} slots, the time that the data cover, got {window}.",
                )
            )
        length = self.lengths(unit)[-1]
        return ActivityDiversity(self.k, self.delta, self.epsilon, window, length, self.digits, total, gap, sensitive)

    def _demand(self, guarantee: ActivityDiversity) -> Demand:
        from sfumato.kinds.activity._kernels.classes import Demand

        epsilon = guarantee.fraction
        return Demand(self.k, guarantee.delta_slots, epsilon.numerator, epsilon.denominator)

    def _explain(
        self, observed: Observed, guarantee: ActivityDiversity, outcome: Outcome, unit: RecordUnit
    ) -> InfeasibleError:
        """Return the error that says why no classes can be made."""
        named = "the sensitive activity"
        if len(guarantee.sensitive) > 1:
            named = f"sensitive activity {outcome.activity + 1} of {len(guarantee.sensitive)} (in alphabetical order)"
        return InfeasibleError(
            Message(
                self.message_name,
                f": {outcome.most_people:,} of {unit.count(len(observed.activities.codes))} have {named} throughout "
                f"{self.delta} from slot {outcome.start + 1} on, more than epsilon={self.epsilon}.",
            ),
            option="epsilon",
            hint=Message(
                "Use a larger ", parameter("epsilon"), ", a longer ", parameter("delta"), f", or more {unit.many}."
            ),
        )


def count_slots(owner: str | MethodName, name: str, text: str, slot: str | None) -> int:
    """Return how many slots a length of time is.

    Parameters
    ----------
    owner, name
        Who asks, and for which parameter.
    text
        The length of time.
    slot
        Unit of the slots; None where nobody knows how long they are.

    Examples
    --------
    >>> count_slots("Mc", "delta", "48h", "minute"), count_slots("Mc", "delta", "7", None)
    (2880, 7)
    >>> count_slots("Mc", "delta", "90min", "hour")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Mc: delta must be a whole number of slots, got '90min'; a slot is an hour.
    """
    number, unit = check_span(owner, name, text)
    if unit == SLOT:
        return number
    if slot is None:
        raise ParameterError(
            Message(
                owner,
                ": ",
                parameter(name),
                f" must be a number of slots, since the length of a slot is unknown, got {text!r}.",
            ),
            hint=Message("Give a number, or read the data with ", option("resolution", "hour"), "."),
        )
    slots, rest = divmod(number * SECONDS[unit], SECONDS[slot])
    if rest or (unit in MONTHS and slot not in MONTHS):
        article = "an" if slot == "hour" else "a"
        raise ParameterError(
            Message(
                owner,
                ": ",
                parameter(name),
                f" must be a whole number of slots, got {text!r}; a slot is {article} {slot}.",
            )
        )
    return slots
