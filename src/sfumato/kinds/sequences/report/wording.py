"""What the report says in plain words about promises to a receiver who monitors events."""

from __future__ import annotations

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.reports.numbers import show_amount
from sfumato.reports.text import ALWAYS, ReportWords

__all__ = ["REPORT_WORDS", "describe_attacker", "list_limits"]

_SHARE = (
    "Highest chance of predicting another event within the window",
    "Another event is predicted with a chance of {share}; at most {allowed} are promised.",
    "No other event is predicted within the window with a chance above {share} ({allowed} promised).",
)
"""What is called the share of fitting records that gives something else away; that it is too large; that it is not."""

_NO_PLACES = (
    (
        "Who took part.",
        "The release does not hide that somebody is in the data, nor, where a receiver finds {whose} in a group, that "
        "something happened in each of the group’s intervals.",
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
    """List what a promise to one receiver does not cover."""
    return [*_limit_receiver(guarantee), *_NO_PLACES]


def _limit_receiver(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a promise to one receiver does not cover."""
    l, g = getattr(guarantee, "l", None), getattr(guarantee, "g", None)
    unit, blur = getattr(guarantee, "unit", ""), getattr(guarantee, "blur", None)
    limits = [
        _limit_neighbours(blur, unit),
        (
            "Anybody else.",
            "Events that are not monitored are published with their exact times. Somebody who knows when one of "
            "them happened may find a single record that fits, and read the rest of it.",
        ),
        (
            "Receivers who put together what they know.",
            "The promise holds for those who know monitored events. If several receivers may talk to each other, the "
            "events of all of them must be monitored in one release.",
        ),
        (
            "{Many} without monitored events.",
            "They are published as they are. A receiver learns no more than that none of the monitored events "
            "happened, "
            "but anybody else may find them by what did happen.",
        ),
    ]
    if l is None:
        return [
            *limits,
            (
                "What all candidates share.",
                "If every record that fits holds the same other event at about the same time, the receiver learns it "
                "without telling the records apart. Use (g,l)-diversity to limit that.",
            ),
        ]
    window = f"{show_amount(g or 0, unit, f'{unit}s')}" if unit else f"{g}"
    return [
        *limits,
        (
            f"More than {window}.",
            "That an event happened at some time, within a window longer than that, may be predicted with a higher "
            "chance. So may several events together.",
        ),
    ]


def _limit_neighbours(blur: int | None, unit: str) -> tuple[str, str]:
    """Say what a receiver may do who looks at the events next to the monitored ones."""
    if blur is None:
        return (
            "Guessing by what stands next.",
            "Other events keep their exact times. A receiver who knows when a person did a monitored event, and "
            "guesses that something else followed soon, may pick the right one of the records that fit. Use blur to "
            "stop that.",
        )
    length = show_amount(blur, unit, f"{unit}s") if unit else f"{blur}"
    return (
        f"Guessing by events further than {length} away.",
        "Within that distance of monitored intervals records say nothing of their own. Events further away keep their "
        "exact times, and a receiver who can guess when they are due may use them.",
    )


REPORT_WORDS = ReportWords(share=_SHARE, describe_attacker=describe_attacker, list_limits=list_limits)
