"""Classes of people that are published as one."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.core.guarantee import Guarantee
from sfumato.core.params import Param
from sfumato.core.unit import PERSON, Unit

__all__ = ["ClassAnonymity", "say_rounding"]


def say_rounding(digits: int | None) -> str:
    """Say how shares are rounded, as an end of a sentence.

    Examples
    --------
    >>> say_rounding(None), say_rounding(2)
    ('', ', rounded to 2 digits')
    """
    return "" if digits is None else f", rounded to {digits} digit{'s' * (digits != 1)}"


@dataclasses.dataclass(frozen=True)
class ClassAnonymity(Guarantee):
    """Everybody is in a class of at least k people, of whom only their activities together are published.

    Nothing is promised about sensitive activities.

    Parameters
    ----------
    k
        Smallest number of people in a class.
    slot
        Slots of the original in a published interval; the last interval may have fewer.
    digits
        Decimal digits of published shares; None for shares as they are.

    Examples
    --------
    >>> ClassAnonymity(k=10, slot=60).statement()
    'Every person is in a class of at least 10 people, of which only the shares of time spent on each activity are \
published.'

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Algorithm 1.
    """

    name: ClassVar[str] = "class-anonymity"
    title: ClassVar[str] = "k-anonymity of classes"
    kinds: ClassVar[tuple[str, ...]] = ("activity",)
    knowledge: ClassVar[str] = "known-slots"

    k: Annotated[int, Param("Smallest number of people in a class.", ge=1)]
    slot: Annotated[int, Param("Slots of the original in a published interval.", ge=1)] = 1
    digits: Annotated[int | None, Param("Decimal digits of published shares.", ge=1, le=9)] = None

    def statement(self, unit: Unit = PERSON) -> str:
        """State the promise."""
        return (
            f"Every {unit.one} is in a class of at least {self.k} {unit.many}, of which only the shares of time spent on each "
            f"activity are published{say_rounding(self.digits)}.{self.say_count(unit)}"
        )
