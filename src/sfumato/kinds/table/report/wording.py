"""What the report says in plain words about guarantees on tables."""

from __future__ import annotations

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.reports.text import ALWAYS, ReportWords

__all__ = ["REPORT_WORDS", "describe_attacker", "list_limits"]

_SHARE = (
    "Largest share of matching records with one sensitive value",
    "{share} of matching records have the same sensitive value; less than {allowed} are guaranteed.",
    "At most {share} of matching records have the same sensitive value (less than {allowed} guaranteed).",
)

_OTHER_COLUMNS = (
    "Other columns.",
    "The guarantee covers the quasi-identifiers it names. Sensitive and plain columns are published "
    "unchanged; someone who knows one of {whose} may match a single record.",
)
_SHARED_VALUE = (
    "Records that share a sensitive value.",
    "If all matching records have the same sensitive value, the {one} has it, too. Diversity (l) and "
    "closeness (t) limit this.",
)
_FREQUENT = (
    "Likely values.",
    "Different values need not be equally frequent: one of them may be nearly certain, or far likelier "
    "than in all records. Entropy and recursive diversity limit the first, closeness (t) the second.",
)
_MEANING = (
    "Values that mean the same.",
    "Diversity distinguishes values by their names, but different values may mean the same. Closeness (t) "
    "with an ordered or hierarchical distance takes this into account.",
)
_COMBINED = (
    "Several sensitive columns together.",
    "Each is protected on its own. Someone who knows one of them matches fewer records.",
)
_PRESENCE = (
    "Presence in the data.",
    "The release does not hide that a person is in the data. The parameter presence limits this for a population.",
)
_OTHER_POPULATION = (
    "Another population.",
    "The limit on presence holds for the population that the release was made with. Someone who knows that "
    "a {one} belongs to a smaller part of it can infer more.",
)


def describe_attacker(m: int | None, unit: RecordUnit = PERSON) -> str:
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker(None)
    'someone who knows all quasi-identifiers of a person'
    """
    knowledge = (
        f"up to {m} quasi-identifiers" if m and m > 1 else "one quasi-identifier" if m else "all quasi-identifiers"
    )
    return f"someone who knows {knowledge} of {unit.record_of_person}"


def list_limits(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a guarantee about attributes does not cover.

    Examples
    --------
    >>> from sfumato.kinds.table.guarantees import KAnonymity
    >>> [lead for lead, _ in list_limits(KAnonymity(k=5, l=3, sensitive=("ill",)))]
    ['Other columns.', 'Likely values.', 'Values that mean the same.', 'Presence in the data.', 'Two releases
    together.']
    """
    l, t = getattr(guarantee, "l", 1), getattr(guarantee, "t", None)
    sensitive = getattr(guarantee, "sensitive", ())
    limits = [_OTHER_COLUMNS]
    if l < 2 and t is None:
        limits.append(_SHARED_VALUE)
    elif t is None:
        limits += [_FREQUENT, _MEANING]
    elif getattr(guarantee, "distance", "equal") == "equal":
        limits.append(_MEANING)
    if len(sensitive) > 1:
        limits.append(_COMBINED)
    limits.append(_PRESENCE if getattr(guarantee, "presence", None) is None else _OTHER_POPULATION)
    return [*limits, ALWAYS[1]]


REPORT_WORDS = ReportWords(share=_SHARE, describe_attacker=describe_attacker, list_limits=list_limits)
