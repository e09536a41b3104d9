"""What the report says in plain words about promises, attackers and measures."""

from __future__ import annotations

from sfumato.core.guarantee import Guarantee
from sfumato.report.numerals import show_amount

__all__ = ["describe_attacker", "explain_measure", "list_limits"]

_MEASURES = {
    "average-relative-error": "How far off a count is when it is asked of the release instead of the original.",
    "distance": "How far, on average, a visit's true place is from the places it may be according to the release.",
    "pattern-preservation": "How many of the frequent sequences of places an analyst of the release still finds.",
    "place-counts": "How many places appear in the release under their own name.",
    "place-distance": "How far apart the members of a generalised place are, on average.",
    "semantic-penalty": "How many kinds of place a generalised place mixes, according to the hierarchy.",
    "support-divergence": "How much the popularity of places in the release differs from the original.",
}

_ALWAYS = (
    (
        "Being in the data.",
        "The release does not hide that somebody took part, and a place published exactly was really visited.",
    ),
    (
        "Two releases together.",
        "Each release keeps its promise on its own. Somebody who has two separately made releases about the same "
        "people can intersect them.",
    ),
)


def describe_attacker(knowledge: str, m: int | None) -> str:
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker("ordered-places", 1)
    'somebody who knows 1 place that a person visited'
    """
    if knowledge != "ordered-places" or m is None:
        return f"somebody with the knowledge “{knowledge}”"
    places = show_amount(m, "place that a person visited", "places that a person visited, and their order")
    return f"somebody who knows {'up to ' * (m > 1)}{places}"


def list_limits(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a promise does not cover: what it is about in a few words, then a sentence or two.

    Examples
    --------
    >>> from sfumato.guarantees.km_anonymity import KmAnonymity
    >>> list_limits(KmAnonymity(k=5, m=2))[0][0]
    'More than 2 places.'
    """
    m = getattr(guarantee, "m", None)
    if getattr(guarantee, "knowledge", "") != "ordered-places" or m is None:
        return list(_ALWAYS)
    places = show_amount(m, "place", "places")
    return [
        (
            f"More than {places}.",
            f"Somebody who knows more than {places} of a person may find a single record that fits.",
        ),
        (
            "Exactly these places and no others.",
            "The promise is about places a person visited. Somebody who also knows where the person never was, "
            "or how many visits there are in all, knows more than it covers.",
        ),
        (
            "Times.",
            "No times are published, only the order of visits. Somebody who knows the times of visits can use "
            "their order, which the promise covers, and nothing beyond.",
        ),
        _limit_inference(guarantee),
        *_ALWAYS,
    ]


def _limit_inference(guarantee: Guarantee) -> tuple[str, str]:
    limit = getattr(guarantee, "l", None)
    if limit is None:
        return (
            "What all candidates share.",
            "If every record that fits goes on to the same place, somebody learns that the person went there "
            "without telling the records apart. Name sensitive places and use (k,l)^m-anonymity to limit that.",
        )
    return (
        "Known visits to sensitive places.",
        "Sensitive places are published as they are. The promise takes it that nobody knows beforehand who "
        "visited them; somebody who does may find a single record that fits. Places that are not named as "
        "sensitive may be learnt if every record that fits shares them.",
    )


def explain_measure(name: str) -> str:
    """Explain a measure in one line; nothing for one not known here.

    Examples
    --------
    >>> explain_measure("place-counts")
    'How many places appear in the release under their own name.'
    """
    return _MEASURES.get(name, "")
