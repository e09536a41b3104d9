"""(delta, epsilon)-diversity: in no class do too many people do a sensitive activity all the time for a while."""

from __future__ import annotations

import dataclasses
import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, ClassVar

from sfumato.core.errors import ParameterError
from sfumato.core.guarantee import Guarantee
from sfumato.core.params import Param
from sfumato.core.spans import check_span
from sfumato.core.unit import PERSON, Unit
from sfumato.guarantees.class_anonymity import say_rounding

__all__ = ["ActivityDiversity", "read_epsilon", "spell_epsilon"]

_EPSILON = re.compile(r"(\d{0,9}\.?\d{1,9}|\d{1,9}\s?/\s?\d{1,9})")


def spell_epsilon(value: object) -> object:
    """Return a number as the text that says it exactly; a floating point number as it is written.

    Examples
    --------
    >>> spell_epsilon(0.75), spell_epsilon(Fraction(2, 3)), spell_epsilon("1/2")
    ('0.75', '2/3', '1/2')
    """
    if isinstance(value, float):
        return f"{Decimal(repr(value)):f}"
    return str(value) if isinstance(value, Fraction | int) and not isinstance(value, bool) else value


def read_epsilon(owner: str, text: str) -> Fraction:
    """Read a share exactly, or raise :class:`ParameterError`.

    Examples
    --------
    >>> read_epsilon("Mc", "0.75"), read_epsilon("Mc", "2/3")
    (Fraction(3, 4), Fraction(2, 3))
    >>> read_epsilon("Mc", "1")
    Traceback (most recent call last):
        ...
    sfumato.core.errors.ParameterError: Mc: epsilon must be above 0 and below 1, got '1'.
    """
    if not _EPSILON.fullmatch(text.strip()):
        raise ParameterError(
            f"{owner}: epsilon must be a decimal such as 0.75 or a fraction such as 2/3, got {text!r}."
        )
    try:
        epsilon = Fraction(text.replace(" ", ""))
    except ZeroDivisionError:
        raise ParameterError(f"{owner}: epsilon must be a fraction with a denominator above 0, got {text!r}.") from None
    if not 0 < epsilon < 1:
        raise ParameterError(f"{owner}: epsilon must be above 0 and below 1, got {text!r}.")
    return epsilon


@dataclasses.dataclass(frozen=True)
class ActivityDiversity(Guarantee):
    """Classes of at least k people, of whom at most a share epsilon does a sensitive activity throughout delta.

    Formally: for every class E, every sensitive activity s and every run of ``window`` consecutive intervals, the
    people of E who do s in all slots of all these intervals are at most epsilon |E|. Windows begin where intervals do,
    and an interval that somebody spends on something else for a slot does not count.

    Parameters
    ----------
    k
        Smallest number of people in a class.
    delta
        Length of a window, as asked for: with a unit, or in slots.
    epsilon
        Largest share of a class, as a decimal or fraction that is read exactly.
    window
        The same length in whole published intervals.
    slot
        Slots of the original in a published interval; the last interval may have fewer.
    sensitive
        The sensitive activities.
    digits
        Decimal digits of published shares; None for shares as they are.

    Examples
    --------
    >>> ActivityDiversity(k=10, delta="48h", epsilon="0.75", window=48, slot=60, sensitive=("Vacation",)).statement()
    'Every person is in a class of at least 10 people, of which only the shares of time spent on each activity are \
published; at most 0.75 of a class do the sensitive activity throughout any 48h (48 published intervals).'

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Definition 1.
    """

    name: ClassVar[str] = "activity-diversity"
    title: ClassVar[str] = "(delta, epsilon)-diversity"
    kinds: ClassVar[tuple[str, ...]] = ("activity",)
    knowledge: ClassVar[str] = "known-slots"

    k: Annotated[int, Param("Smallest number of people in a class.", ge=1)]
    delta: Annotated[str, Param("Length of time throughout which few people of a class do a sensitive activity.")]
    epsilon: Annotated[str, Param("Largest share of a class that does so.")]
    window: Annotated[int, Param("The same length of time in published intervals.", ge=1)] = 1
    slot: Annotated[int, Param("Slots of the original in a published interval.", ge=1)] = 1
    digits: Annotated[int | None, Param("Decimal digits of published shares.", ge=1, le=9)] = None
    sensitive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", spell_epsilon(self.epsilon))
        super().__post_init__()
        owner = type(self).__name__
        read_epsilon(owner, self.epsilon)
        check_span(owner, "delta", self.delta)
        if not all(isinstance(label, str) for label in self.sensitive):
            raise ParameterError(f"{owner}: sensitive must be names of activities.")

    @property
    def fraction(self) -> Fraction:
        """The largest share as an exact fraction."""
        return read_epsilon(type(self).__name__, self.epsilon)

    def statement(self, unit: Unit = PERSON) -> str:
        """State the promise."""
        _, scale = check_span(type(self).__name__, "delta", self.delta)
        shown = f"{self.delta} slots" if scale == "slot" and self.delta.strip().isdigit() else self.delta
        named = "the sensitive activity" if len(self.sensitive) == 1 else "any one of the sensitive activities"
        return (
            f"Every {unit.one} is in a class of at least {self.k} {unit.many}, of which only the shares of time spent on each "
            f"activity are published{say_rounding(self.digits)}; at most {self.epsilon} of a class do {named} "
            f"throughout any {shown} ({self.window} published interval{'s' * (self.window != 1)}).{self.say_count(unit)}"
        )
