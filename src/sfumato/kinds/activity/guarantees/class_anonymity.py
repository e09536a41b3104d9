"""Classes of people that are published as one."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.params import Param

__all__ = ["ClassAnonymity", "describe_tracking", "describe_unobserved", "format_rounding"]


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
    ' Only what was observed counts: where fewer than 5 people of a class were observed, nothing is published of it.'
    """
    if gap is None:
        return ""
    return (
        f" Only what was observed counts: where fewer than {k} {unit.many} of a class were observed, nothing is "
        "published of it."
    )


def describe_tracking(slot: int) -> str:
    """Say what shares of single slots give away; nothing where intervals are longer.

    Examples
    --------
    >>> describe_tracking(60)
    ''
    """
    if slot > 1:
        return ""
    return (
        " Shares are those of single slots. Someone who knows a slot in which nobody else of the class does what a "
        "person does may follow that person from slot to slot."
    )


@dataclasses.dataclass(frozen=True)
class ClassAnonymity(Guarantee):
    """Everybody is in a class of at least k people, of whom only their activities together are published.

    Somebody whose time is unknown hides nobody: of a class and interval something is published only if at least k of
    its people are observed in every slot of it. Nothing is promised about sensitive activities.

    Parameters
    ----------
    k
        Smallest number of people in a class, and of people observed wherever something is published of it.
    slot
        Slots of the original in a published interval; the last interval may have fewer.
    digits
        Decimal digits of published shares; None for shares as they are.
    slots
        Slots of the original in all.
    gap
        What time is called that nothing is known about; None where everything is known.

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
    gap: Annotated[str | None, Param("What time is called that nothing is known about.")] = None

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the promise."""
        return (
            f"Every published {unit.one} is in a class of at least {self.k} {unit.many}. Of a class only the shares of "
            f"time spent on each activity are published{format_rounding(self.digits)}."
            f"{describe_unobserved(self.k, self.gap, unit)}{describe_tracking(self.slot)}{self.describe_count(unit)}"
        )
