"""What a release of activities can guarantee."""

from __future__ import annotations

import dataclasses
import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.exceptions import ParameterError
from sfumato.kinds.activity.dataset import check_span
from sfumato.messages import Message, MethodName, parameter
from sfumato.params import Param

__all__ = [
    "ActivityDiversity",
    "ClassAnonymity",
    "describe_tracking",
    "describe_unobserved",
    "format_epsilon",
    "format_rounding",
    "read_epsilon",
]


def format_rounding(digits: int | None) -> str:
    """Say how shares are rounded, as an end of a sentence.

    Examples
    --------
    >>> format_rounding(None), format_rounding(2)
    ('', ', rounded to 2 digits')
    """
    return "" if digits is None else f", rounded to {digits} digit{'s' * (digits != 1)}"


def describe_unobserved(k: int, gap: str | None, unit: RecordUnit = PERSON) -> str:
    """Say what becomes of time that nothing is known about; nothing where there is none.

    Examples
    --------
    >>> describe_unobserved(5, "(gap)")
    ' Only observed time counts: where fewer than 5 people of a class were observed, nothing is published.'
    """
    if gap is None:
        return ""
    return (
        f" Only observed time counts: where fewer than {k} {unit.many} of a class were observed, nothing is published."
    )


def describe_tracking(slot: int) -> str:
    """State what shares of single slots reveal; nothing where intervals are longer.

    Examples
    --------
    >>> describe_tracking(60)
    ''
    """
    if slot > 1:
        return ""
    return (
        " Not covered: shares are those of single slots. Someone who knows a slot in which a person's activity is "
        "unique in its class may follow that person from slot to slot."
    )


@dataclasses.dataclass(frozen=True)
class ClassAnonymity(Guarantee):
    """Everybody is in a class of at least k people, of whom only their activities together are published.

    Someone whose time is unknown does not count: of a class and interval something is published only if at least k of
    its people are observed in every slot of it. Nothing is guaranteed about sensitive activities.

    Parameters
    ----------
    k
        Smallest number of people in a class, and of people observed wherever something is published of it.
    slot
        Slots of the original in a published interval; the last interval may have fewer.
    digits
        Decimal digits of published shares; None for exact shares.
    slots
        Slots of the original in all.
    gap
        Name of unknown time; None where everything is known.

    Examples
    --------
    >>> ClassAnonymity(k=10, slot=60, slots=1440).statement()
    'Every published person is in a class of at least 10 people. Of a class only the shares of time spent on each \
activity are published.'

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Algorithm 1.
    """

    name: ClassVar[str] = "class-anonymity"
    title: ClassVar[str] = "k-anonymity of classes"
    knowledge: ClassVar[str] = "known-slots"
    composes: ClassVar[bool] = True
    observed: ClassVar[tuple[str, ...]] = ("gap",)

    k: Annotated[int, Param("Smallest number of records in a class.", ge=1)]
    slot: Annotated[int, Param("Slots of the original in a published interval.", ge=1)] = 1
    digits: Annotated[int | None, Param("Decimal digits of published shares.", ge=1, le=9)] = None
    slots: Annotated[int, Param("Slots of the original in all.", ge=1)] = 1
    gap: Annotated[str | None, Param("Name of unknown time.")] = None

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> ClassAnonymity(k=10).label
        '10-anonymity of classes'
        """
        return f"{self.k}-anonymity of classes"

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee."""
        return (
            f"Every published {unit.one} is in a class of at least {self.k} {unit.many}. Of a class only the shares of "
            f"time spent on each activity are published{format_rounding(self.digits)}."
            f"{describe_unobserved(self.k, self.gap, unit)}{describe_tracking(self.slot)}{self.describe_count(unit)}"
        )


_EPSILON = re.compile(r"(\d{0,9}\.?\d{1,9}|\d{1,9}\s?/\s?\d{1,9})")


def format_epsilon(value: object) -> object:
    """Return a number as the text that says it exactly; a floating point number as it is written.

    Examples
    --------
    >>> format_epsilon(0.75), format_epsilon(Fraction(2, 3)), format_epsilon("1/2")
    ('0.75', '2/3', '1/2')
    """
    if isinstance(value, float):
        return f"{Decimal(repr(value)):f}"
    return str(value) if isinstance(value, Fraction | int) and not isinstance(value, bool) else value


def read_epsilon(owner: str | MethodName, text: str) -> Fraction:
    """Read a share exactly, or raise :class:`ParameterError`.

    Examples
    --------
    >>> read_epsilon("Mc", "0.75"), read_epsilon("Mc", "2/3")
    (Fraction(3, 4), Fraction(2, 3))
    >>> read_epsilon("Mc", "1")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Mc: epsilon must be above 0 and below 1, got '1'.
    """
    if not _EPSILON.fullmatch(text.strip()):
        raise ParameterError(
            Message(
                owner,
                ": ",
                parameter("epsilon"),
                f" must be a decimal such as 0.75 or a fraction such as 2/3, got {text!r}.",
            )
        )
    try:
        epsilon = Fraction(text.replace(" ", ""))
    except ZeroDivisionError:
        raise ParameterError(
            Message(owner, ": ", parameter("epsilon"), f" must be a fraction with a denominator above 0, got {text!r}.")
        ) from None
    if not 0 < epsilon < 1:
        raise ParameterError(Message(owner, ": ", parameter("epsilon"), f" must be above 0 and below 1, got {text!r}."))
    return epsilon


@dataclasses.dataclass(frozen=True)
class ActivityDiversity(Guarantee):
    """Classes of at least k people, of whom at most a share epsilon does a sensitive activity throughout delta.

    Formally: a window is ``delta_slots`` consecutive slots of the original, whenever it begins, in which something is
    published of the class. For every class, every sensitive activity s and every window, the people of the class who
    are seen doing s in it, and nothing else, are at most epsilon times those who are seen in it at all. Without unknown
    time that is: at most epsilon of the class do s in all slots of a window.

    Someone whose time is unknown does not count. Of a class and interval something is published only if at least k of
    its people are observed in every slot of it; unknown time in a window counts as if spent on s.

    Parameters
    ----------
    k
        Smallest number of people in a class, and of people observed wherever something is published of it.
    delta
        Length of a window, as asked for: with a unit, or in slots.
    epsilon
        Largest share of a class, as a decimal or fraction that is read exactly.
    delta_slots
        Length of a window in slots of the original.
    slot
        Slots of the original in a published interval; the last interval may have fewer.
    digits
        Decimal digits of published shares; None for exact shares.
    slots
        Slots of the original in all.
    gap
        Name of unknown time; None where everything is known.
    sensitive
        The sensitive activities.

    Examples
    --------
    >>> ActivityDiversity(10, "48h", "0.75", 2880, 60, slots=10080, sensitive=("Vacation",)).statement()
    'Every published person is in a class of at least 10 people. Of a class only the shares of time spent on each \
activity are published. At most 0.75 of a class have the sensitive activity throughout any 48h, whenever it begins.'

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Definition 1.
    """

    name: ClassVar[str] = "activity-diversity"
    title: ClassVar[str] = "(delta, epsilon)-diversity"
    knowledge: ClassVar[str] = "known-slots"
    composes: ClassVar[bool] = True
    observed: ClassVar[tuple[str, ...]] = ("gap",)

    k: Annotated[int, Param("Smallest number of records in a class.", ge=1)]
    delta: Annotated[str, Param("Length of time for which a sensitive activity is limited.")]
    epsilon: Annotated[str, Param("Largest share of a class with a sensitive activity throughout that time.")]
    delta_slots: Annotated[int, Param("The same length of time in slots of the original.", ge=1)] = 1
    slot: Annotated[int, Param("Slots of the original in a published interval.", ge=1)] = 1
    digits: Annotated[int | None, Param("Decimal digits of published shares.", ge=1, le=9)] = None
    slots: Annotated[int, Param("Slots of the original in all.", ge=1)] = 1
    gap: Annotated[str | None, Param("Name of unknown time.")] = None
    sensitive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", format_epsilon(self.epsilon))
        super().__post_init__()
        owner = self.message_name
        read_epsilon(owner, self.epsilon)
        check_span(owner, "delta", self.delta)
        if not all(isinstance(label, str) for label in self.sensitive):
            raise ParameterError(Message(owner, ": ", parameter("sensitive"), " must be names of activities."))

    @property
    def fraction(self) -> Fraction:
        """The largest share as an exact fraction."""
        return read_epsilon(self.message_name, self.epsilon)

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> ActivityDiversity(10, "48h", "0.75").label
        '(48h,0.75)-diversity in classes of 10'
        """
        return f"({self.delta},{self.epsilon})-diversity in classes of {self.k}"

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee."""
        _, scale = check_span(self.message_name, "delta", self.delta)
        shown = f"{self.delta} slots in a row" if scale == "slot" and self.delta.strip().isdigit() else self.delta
        named = "the sensitive activity" if len(self.sensitive) == 1 else "any one of the sensitive activities"
        subject = "of a class have" if self.gap is None else f"of the observed {unit.many} of a class may have"
        return (
            f"Every published {unit.one} is in a class of at least {self.k} {unit.many}. Of a class only the shares of "
            f"time spent on each activity are published{format_rounding(self.digits)}. At most {self.epsilon} "
            f"{subject} "
            f"{named} throughout any {shown}, whenever it begins."
            f"{describe_unobserved(self.k, self.gap, unit)}{describe_tracking(self.slot)}{self.describe_count(unit)}"
        )
