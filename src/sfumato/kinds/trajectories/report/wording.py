"""What the report says in plain words about guarantees on trajectories."""

from __future__ import annotations

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.reports.numbers import show_amount
from sfumato.reports.text import ALWAYS, ReportWords

__all__ = ["REPORT_WORDS", "describe_attacker", "list_limits"]

_SHARE = (
    "Largest share of matching records with one sensitive place",
    "{share} of matching records visit the same sensitive place; at most {allowed} are guaranteed.",
    "At most {share} of matching records visit the same sensitive place ({allowed} guaranteed).",
)
"""What is called the share of fitting records that gives something else away; that it is too large; that it is not."""


def describe_attacker(m: int | None, unit: RecordUnit = PERSON) -> str:
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker(1)
    'someone who knows 1 place that a person visited'
    """
    of = "that a person visited" if unit == PERSON else f"of {unit.record_of_person}"
    number = m or 1
    places = show_amount(number, f"place {of}", f"places {of}, and their order")
    return f"someone who knows {'up to ' * (number > 1)}{places}"


def list_limits(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a guarantee about ordered places does not cover.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees import KmAnonymity
    >>> list_limits(KmAnonymity(k=5, m=2))[0][0]
    'More than 2 places.'
    """
    places = show_amount(getattr(guarantee, "m", 1), "place", "places")
    return [
        (
            f"More than {places}.",
            f"Someone who knows more than {places} of {{whose}} may match a single record.",
        ),
        (
            "Knowledge of places not visited.",
            "The guarantee covers places that were visited. It does not cover knowledge of places that "
            "were not visited, or of the number of visits.",
        ),
        (
            "Times.",
            "Only the order of visits is published, not their times. Someone who knows times can use only "
            "the order, which the guarantee covers.",
        ),
        _limit_inference(guarantee),
        *ALWAYS,
    ]


def _limit_inference(guarantee: Guarantee) -> tuple[str, str]:
    limit = getattr(guarantee, "l", None)
    if limit is None:
        return (
            "What all matching records share.",
            "If all matching records visit the same other place, this visit is known. (k,l)^m-anonymity "
            "limits this for sensitive places.",
        )
    return (
        "Known visits to sensitive places.",
        "Sensitive places are published unchanged. The guarantee assumes that attackers do not know visits "
        "to them; someone who does may match a single record.",
    )


REPORT_WORDS = ReportWords(share=_SHARE, describe_attacker=describe_attacker, list_limits=list_limits)
