"""What the report says in plain words about guarantees on activities."""

from __future__ import annotations

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.reports.numbers import show_amount
from sfumato.reports.text import ALWAYS, ReportWords

__all__ = ["REPORT_WORDS", "describe_attacker", "list_limits"]

_SHARE = (
    "Largest share of a class with a sensitive activity throughout",
    "{share} of a class have a sensitive activity throughout the guaranteed time; at most {allowed} are guaranteed.",
    "At most {share} of a class have a sensitive activity throughout the guaranteed time ({allowed} guaranteed).",
)
"""What is called the share of fitting records that gives something else away; that it is too large; that it is not."""

_SLOT_LIMITS = (
    (
        "What all records of a class have in common.",
        "Someone who finds the class of {whose} learns what all its records have in common, such as "
        "sleeping at three. Only sensitive activities are limited, and only those that last for the "
        "guaranteed time.",
    ),
    (
        "Short or interrupted sensitive activities.",
        "A sensitive activity that is interrupted, even for one slot, or shorter than the guaranteed time "
        "is not counted.",
    ),
    (
        "Following a person from one interval to the next.",
        "Someone who knows a time at which a person's activity was unique in its class may follow that "
        "person, because activities rarely change between short intervals. The report measures how far.",
    ),
    (
        "When a person was observed.",
        "The share of unknown time of a class is published. Someone who knows when others were not "
        "observed can tell whose it may be.",
    ),
    (
        "Knowing who is in the same class.",
        "Someone who knows the activities of all others in a class can subtract them from the published shares.",
    ),
)


def describe_attacker(m: int | None, unit: RecordUnit = PERSON) -> str:
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker(3)
    'someone who knows what a person did at up to 3 times'
    """
    times = show_amount(m, "time", "times") if m else "some times"
    what = "a person did" if unit == PERSON else f"{unit.record_of_person} was spent on"
    return f"someone who knows what {what} at {'up to ' * bool(m)}{times}"


def list_limits(guarantee: Guarantee) -> list[tuple[str, str]]:  # noqa: ARG001
    """List what a guarantee about known slots does not cover."""
    return [
        *_SLOT_LIMITS,
        ("Presence in the data.", "The release does not hide that a person is in the data."),
        ALWAYS[1],
    ]


REPORT_WORDS = ReportWords(share=_SHARE, describe_attacker=describe_attacker, list_limits=list_limits)
