"""What the report says in plain words about promises on trajectories."""

from __future__ import annotations

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.reports.numbers import show_amount
from sfumato.reports.text import ALWAYS, ReportWords

__all__ = ["REPORT_WORDS", "describe_attacker", "list_limits"]

_SHARE = (
    "Largest share of fitting records with one sensitive place",
    "A sensitive place is in {share} of fitting records; at most {allowed} are promised.",
    "No sensitive place is in more than {share} of fitting records ({allowed} promised).",
)
"""What is called the share of fitting records that gives something else away; that it is too large; that it is not."""


def describe_attacker(m: int | None, unit: RecordUnit = PERSON) -> str:
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker(1)
    'somebody who knows 1 place that a person visited'
    """
    of = "that a person visited" if unit == PERSON else f"of {unit.record_of_person}"
    number = m or 1
    places = show_amount(number, f"place {of}", f"places {of}, and their order")
    return f"somebody who knows {'up to ' * (number > 1)}{places}"


def list_limits(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a promise about ordered places does not cover.

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
            f"Somebody who knows more than {places} of {{whose}} may find a single record that fits.",
        ),
        (
            "Exactly these places and no others.",
            "The promise is about places that were visited. Somebody who also knows which ones were not, or how many "
            "visits there are in all, knows more than it covers.",
        ),
        (
            "Times.",
            "No times are published, only the order of visits. Somebody who knows the times of visits can use "
            "their order, which the promise covers, and nothing beyond.",
        ),
        _limit_inference(guarantee),
        *ALWAYS,
    ]


def _limit_inference(guarantee: Guarantee) -> tuple[str, str]:
    limit = getattr(guarantee, "l", None)
    if limit is None:
        return (
            "What all candidates share.",
            "If every record that fits goes on to the same place, somebody learns of that visit "
            "without telling the records apart. Name sensitive places and use (k,l)^m-anonymity to limit that.",
        )
    return (
        "Known visits to sensitive places.",
        "Sensitive places are published as they are. The promise takes it that nobody knows beforehand who "
        "visited them; somebody who does may find a single record that fits. Places that are not named as "
        "sensitive may be learnt if every record that fits shares them.",
    )


REPORT_WORDS = ReportWords(share=_SHARE, describe_attacker=describe_attacker, list_limits=list_limits)
