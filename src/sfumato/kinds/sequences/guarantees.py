"""What a release of event sequences can guarantee."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.params import Param

__all__ = ["NEIGHBOURS", "THAT_RECEIVER", "GlDiversity", "GroupAnonymity", "describe_blur", "describe_events"]


NEIGHBOURS = (
    "Not covered: other events keep their exact times. Someone who guesses that one of them soon follows or precedes a "
    "monitored one may find the record."
)

THAT_RECEIVER = "This holds for this receiver only."


def describe_events(unit: RecordUnit) -> str:
    """Say what the receiver of sequences knows, after ``knows when``.

    Examples
    --------
    >>> describe_events(PERSON), describe_events(RecordUnit("stay", "stays", "patient"))
    ('a person did the monitored events', 'the monitored events of a stay of a patient happened')
    """
    return (
        f"the monitored events of {unit.record_of_person} happened"
        if unit != PERSON
        else "a person did the monitored events"
    )


def describe_blur(blur: int, unit: str) -> str:
    """Say what blurring covers, and what it does not.

    Examples
    --------
    >>> print(describe_blur(1, "hour"))
    Up to 1 hour from the monitored intervals other events are suppressed, or equal in all these records. Not
    covered: other events further away keep their exact times.
    """
    length = f"{blur} {unit}{'s' * (blur != 1)}" if unit else str(blur)
    return (
        f"Up to {length} from the monitored intervals other events are suppressed, or equal in all these records. "
        "Not covered: other events further away keep their exact times."
    )


@dataclasses.dataclass(frozen=True)
class GroupAnonymity(Guarantee):
    """A receiver who knows all monitored events of a person, with their times, faces at least k records.

    Formally: every published record has the same monitored part (categories and intervals) as at least k-1
    others. With ``blur`` they are also equal in all they say about the time up to that far before and after each of
    the intervals: no other event is published there with a time of its own. Someone who looks for other events within
    that distance of a known time then picks among whole sets of k equal records. Without it other events keep their
    exact times, and looking there is not covered; where ``others`` is false none are published.

    Examples
    --------
    >>> print(GroupAnonymity(k=5, monitored=("mail",)).statement())
    Someone who knows when a person did the monitored events (1 is named) matches no record or at least 5 records. Not
    covered: other events keep their exact times. Someone who guesses that one of them soon follows or precedes a
    monitored one may find the record. This holds for this receiver only.
    >>> print(GroupAnonymity(k=5, monitored=("mail",), blur=60, unit="second").statement().partition("5 records. ")[2])
    Up to 60 seconds from the monitored intervals other events are suppressed, or equal in all these records. Not
    covered: other events further away keep their exact times. This holds for this receiver only.

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Section 3.2.
    """

    name: ClassVar[str] = "group-anonymity"
    title: ClassVar[str] = "k-anonymity of groups"
    knowledge: ClassVar[str] = "monitored-events"
    composes: ClassVar[bool] = True
    observed: ClassVar[tuple[str, ...]] = ("others", "suppressing")

    k: Annotated[int, Param("Smallest number of records with the same monitored part.", ge=2)]
    monitored: tuple[str, ...] = ()
    suppressing: bool = False
    blur: Annotated[
        int | None, Param("Distance from monitored intervals within which no other event has a time.", ge=0)
    ] = None
    unit: str = ""
    others: bool = True

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as plain values; without blur where there is none."""
        return {name: value for name, value in super().parameters().items() if value is not None}

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> GroupAnonymity(k=5).label
        '5-anonymity of groups'
        """
        blurred = f", blur of {self.blur}" if self.blur is not None else ""
        return f"{self.k}-anonymity of groups{blurred}"

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee."""
        named = f"{len(self.monitored)} {'is' if len(self.monitored) == 1 else 'are'} named"
        sentence = (
            f"Someone who knows when {describe_events(unit)} ({named}) matches no {unit.record} or at least {self.k} "
            f"{unit.records}."
        )
        missing = " Some monitored events are suppressed." if self.suppressing else ""
        if not self.others:
            return f"{sentence} No other events are published.{missing}{self.describe_count(unit)}"
        beyond = NEIGHBOURS if self.blur is None else describe_blur(self.blur, self.unit)
        return f"{sentence} {beyond} {THAT_RECEIVER}{missing}{self.describe_count(unit)}"


@dataclasses.dataclass(frozen=True)
class GlDiversity(Guarantee):
    """Within any window of length g, at most one in l of the records a receiver matches did an unmonitored event.

    Formally: for every set of records with the same monitored part, every unmonitored event e and every
    time t, at most a share 1/l of them holds e at a time in [t, t+g]. With k above 1 every such set also has
    at least k records; with ``blur`` no record of it says anything about the time up to that far before and after each
    of its intervals.

    Examples
    --------
    >>> print(GlDiversity(g=3600, l=4, k=1, monitored=("mail",), unit="second").statement())
    Someone who knows when a person did the monitored events (1 is named) learns a group of records. In any window of
    3600 seconds at most 1 in 4 of its records has the same other event. Not covered: other events keep their exact
    times. Someone who guesses that one of them soon follows or precedes a monitored one may find the record. This holds
    for this receiver only.

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Definition 1.
    """

    name: ClassVar[str] = "gl-diversity"
    title: ClassVar[str] = "(g,l)-diversity"
    knowledge: ClassVar[str] = "monitored-events"
    composes: ClassVar[bool] = True
    observed: ClassVar[tuple[str, ...]] = ("others",)

    g: Annotated[int, Param("Length of the window, in units of the data's time.", ge=0)]
    l: Annotated[int, Param("At most 1/l of a group has the same other event in a window.", ge=2)]
    k: Annotated[int, Param("Smallest number of records with the same monitored part.", ge=1)] = 1
    monitored: tuple[str, ...] = ()
    unit: str = ""
    blur: Annotated[
        int | None, Param("Distance from monitored intervals within which no other event has a time.", ge=0)
    ] = None
    others: bool = True

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as plain values; without blur where there is none."""
        return {name: value for name, value in super().parameters().items() if value is not None}

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> GlDiversity(g=3600, l=4, k=2).label
        '(3600,4)-diversity in groups of 2'
        """
        smallest = f" in groups of {self.k}" if self.k > 1 else ""
        blurred = f", blur of {self.blur}" if self.blur is not None else ""
        return f"({self.g},{self.l})-diversity{smallest}{blurred}"

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee."""
        window = f"{self.g} {self.unit}s" if self.unit else str(self.g)
        named = f"{len(self.monitored)} {'is' if len(self.monitored) == 1 else 'are'} named"
        subject = f" of at least {self.k} {unit.records}" if self.k > 1 else f" of {unit.records}"
        knows = f"Someone who knows when {describe_events(unit)} ({named}) learns a group{subject}."
        if not self.others:
            return f"{knows} No other events are published.{self.describe_count(unit)}"
        sentence = f"In any window of {window} at most 1 in {self.l} of its {unit.records} has the same other event."
        beyond = NEIGHBOURS if self.blur is None else describe_blur(self.blur, self.unit)
        return f"{knows} {sentence} {beyond} {THAT_RECEIVER}{self.describe_count(unit)}"
