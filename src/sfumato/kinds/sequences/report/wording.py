"""What the report says in plain words about guarantees to a receiver who monitors events."""

from __future__ import annotations

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.reports.numbers import show_amount
from sfumato.reports.text import ALWAYS, ReportWords

__all__ = ["REPORT_WORDS", "describe_attacker", "list_limits"]

_SHARE = (
    "Largest share of matching records with the same other event in a window",
    "{share} of matching records have the same other event in a window; at most {allowed} are guaranteed.",
    "At most {share} of matching records have the same other event in a window ({allowed} guaranteed).",
)
"""What is called the share of fitting records that gives something else away; that it is too large; that it is not."""

_NO_PLACES = (
    (
        "Presence in the data.",
        "The release does not hide that a person is in the data. A receiver who finds {whose} in a group "
        "learns that an event happened in each of its intervals.",
    ),
    ALWAYS[1],
)


def describe_attacker(m: int | None, unit: RecordUnit = PERSON) -> str:  # noqa: ARG001
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker(None)
    'a receiver who knows all monitored events of a person and exactly when each happened'
    """
    return f"a receiver who knows all monitored events of {unit.record_of_person} and exactly when each happened"


def list_limits(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a guarantee to one receiver does not cover."""
    return [*_limit_receiver(guarantee), *_NO_PLACES]


def _limit_receiver(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a guarantee to one receiver does not cover."""
    l, g = getattr(guarantee, "l", None), getattr(guarantee, "g", None)
    unit, blur = getattr(guarantee, "unit", ""), getattr(guarantee, "blur", None)
    limits = [
        _limit_neighbours(blur, unit),
        (
            "Everyone else.",
            "Events that are not monitored have their exact times. Someone who knows when one of them "
            "happened may match a single record and read all of it.",
        ),
        (
            "Receivers who collude.",
            "The guarantee holds for receivers who know monitored events. If several receivers may "
            "collude, the events of all of them must be monitored in one release.",
        ),
        (
            "{Many} without monitored events.",
            "They are published unchanged. A receiver learns only that none of the monitored events "
            "happened; others may find them by their events.",
        ),
    ]
    if l is None:
        return [
            *limits,
            (
                "What all matching records share.",
                "If all matching records have the same other event at about the same time, the receiver "
                "learns it. (g,l)-diversity limits this.",
            ),
        ]
    window = f"{show_amount(g or 0, unit, f'{unit}s')}" if unit else f"{g}"
    return [
        *limits,
        (
            f"More than {window}.",
            "An event within a longer window may be inferred with a higher probability, and so may several "
            "events together.",
        ),
    ]


def _limit_neighbours(blur: int | None, unit: str) -> tuple[str, str]:
    """Say what a receiver may do who looks at the events next to the monitored ones."""
    if blur is None:
        return (
            "Guessing by neighbouring events.",
            "Other events keep their exact times. A receiver who guesses that another event soon followed "
            "a monitored one may pick the right one of the matching records. The parameter blur prevents "
            "this.",
        )
    length = show_amount(blur, unit, f"{unit}s") if unit else f"{blur}"
    return (
        f"Guessing by events further than {length} away.",
        "Within this distance of monitored intervals, records of a group are equal. Events further away "
        "keep their exact times, and a receiver may guess them.",
    )


REPORT_WORDS = ReportWords(share=_SHARE, describe_attacker=describe_attacker, list_limits=list_limits)
