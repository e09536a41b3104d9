"""What the report says in plain words about promises on activities."""

from __future__ import annotations

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.reports.numbers import show_amount
from sfumato.reports.text import ALWAYS, ReportWords

__all__ = ["REPORT_WORDS", "describe_attacker", "list_limits"]

_SHARE = (
    "Largest share of a class that does a sensitive activity throughout",
    "A sensitive activity is done throughout by {share} of a class; at most {allowed} are promised.",
    "No sensitive activity is done throughout by more than {share} of a class ({allowed} promised).",
)
"""What is called the share of fitting records that gives something else away; that it is too large; that it is not."""

_SLOT_LIMITS = (
    (
        "What a whole class does.",
        "Whoever finds the class of {whose} learns what all in it have in common: that all sleep at three, say. "
        "Only the sensitive activities are limited, and only where they go on for the whole time that is promised.",
    ),
    (
        "Sensitive activities that are short or interrupted.",
        "Whoever does something else in between, be it for a slot, or who does it for a shorter time than is "
        "promised, is not counted.",
    ),
    (
        "Following somebody from one interval to the next.",
        "Somebody who knows when nobody else of a class did what somebody did may be able to go on from there where "
        "published intervals are short: hardly anybody changes from one to the next. How far this gets is measured.",
    ),
    (
        "When somebody was observed.",
        "How much time of a class is unknown is published. Who knows when others were not observed knows when it can "
        "be theirs.",
    ),
    (
        "Knowing who is in the same class.",
        "Somebody who knows what all others in a class did can subtract them from what is published.",
    ),
)


def describe_attacker(m: int | None, unit: RecordUnit = PERSON) -> str:
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker(3)
    'somebody who knows what a person did at up to 3 times'
    """
    times = show_amount(m, "time", "times") if m else "some times"
    what = "a person did" if unit == PERSON else f"{unit.record_of_person} was spent on"
    return f"somebody who knows what {what} at {'up to ' * bool(m)}{times}"


def list_limits(guarantee: Guarantee) -> list[tuple[str, str]]:  # noqa: ARG001
    """List what a promise about known slots does not cover."""
    return [*_SLOT_LIMITS, ("Being in the data.", "The release does not hide that somebody took part."), ALWAYS[1]]


REPORT_WORDS = ReportWords(share=_SHARE, describe_attacker=describe_attacker, list_limits=list_limits)
