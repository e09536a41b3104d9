"""What the report says in plain words about promises on tables."""

from __future__ import annotations

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.reports.text import ALWAYS, ReportWords

__all__ = ["REPORT_WORDS", "describe_attacker", "list_limits"]

_SHARE = (
    "Largest share of fitting records with one sensitive value",
    "A sensitive value is that of {share} of fitting records; less than {allowed} are promised.",
    "No sensitive value is that of more than {share} of fitting records (less than {allowed} promised).",
)

_OTHER_COLUMNS = (
    "Other columns.",
    "The promise is about the quasi-identifiers named in it. Whoever knows a sensitive or plain column of {whose}, "
    "which are published as they are, may find a single record that fits.",
)
_SHARED_VALUE = (
    "Records that share a sensitive value.",
    "If all records that look the same have the same sensitive value, it is known of the {one} without telling the "
    "records apart. Diversity (l) or closeness (t) is about that.",
)
_FREQUENT = (
    "Likely values.",
    "Different values need not be equally frequent: one of them may be nearly certain, and what is learnt from the "
    "release may be far from what everybody knows anyway. Entropy and recursive diversity bound the first, closeness "
    "(t) the second.",
)
_MEANING = (
    "Values that mean the same.",
    "Diversity tells values apart by their names: several different ones may all be bad news. Closeness (t) with an "
    "ordered or hierarchical distance is about that.",
)
_COMBINED = (
    "Several sensitive columns together.",
    "Each is protected by itself. Whoever knows one of them finds fewer records that fit.",
)
_PRESENCE = (
    "Being in the data.",
    "The release does not hide that somebody took part. A bound on presence in a population is about that.",
)
_OTHER_POPULATION = (
    "Another population.",
    "The bound on presence holds for the population it was made with. Whoever knows that a {one} belongs to a smaller "
    "part of it can say more.",
)


def describe_attacker(m: int | None, unit: RecordUnit = PERSON) -> str:
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker(None)
    'somebody who knows all quasi-identifiers of a person'
    """
    knowledge = (
        f"up to {m} quasi-identifiers" if m and m > 1 else "one quasi-identifier" if m else "all quasi-identifiers"
    )
    return f"somebody who knows {knowledge} of {unit.record_of_person}"


def list_limits(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a promise about attributes does not cover.

    Examples
    --------
    >>> from sfumato.kinds.table.guarantees import KAnonymity
    >>> [lead for lead, _ in list_limits(KAnonymity(k=5, l=3, sensitive=("ill",)))]
    ['Other columns.', 'Likely values.', 'Values that mean the same.', 'Being in the data.', 'Two releases together.']
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
