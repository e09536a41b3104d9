"""What the report says in plain words about promises on sets."""

from __future__ import annotations

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.reports.numbers import show_amount
from sfumato.reports.text import ALWAYS, ReportWords

__all__ = ["REPORT_WORDS", "describe_attacker", "list_limits"]

_COUNTERS = {
    "bands": "Bands: groups of items of like frequency, looked at one after the other",
    "items_moved_by_lemma_2": "Items moved to term chunks because the other parts of records were too few",
    "items_moved_from_covers": "Items moved to term chunks because all records of a cluster have them",
    "loss_of_cut": "Loss (parts per million) of the best generalisation that is the same in all records",
    "loss": "Loss (parts per million) of this release",
    "began_at_root": "Began with everything generalised (1: yes)",
    "splits": "Times a group of items was split",
    "taken_out": "Records taken out of a group and put into another",
    "parts": "Parts of the data, one after the other",
    "clusters_above_max": "Clusters that had to be larger than asked for",
    "deepest": "Levels of joint clusters above each other, at most",
}
"""What methods count, in plain words."""

_ITEM_LIMITS = (
    (
        "Items that are not there.",
        "The promise is about items that {whose} has. Somebody who also knows what is not there, or everything about "
        "many "
        "others, knows more than it covers.",
    ),
    (
        "Being in the data.",
        "The release does not hide that somebody took part, and an item published under its own name was really there.",
    ),
    ALWAYS[1],
)


def describe_attacker(m: int | None, unit: RecordUnit = PERSON) -> str:
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker(1)
    'somebody who knows 1 item of a person'
    """
    if not m:
        return "somebody with the knowledge “items”"
    return f"somebody who knows {'up to ' * (m > 1)}{show_amount(m, 'item', 'items')} of {unit.record_of_person}"


def list_limits(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a promise about known items does not cover."""
    m, sensitive = getattr(guarantee, "m", None), getattr(guarantee, "sensitive", ())
    if m is None:
        more = (
            "Other items.",
            "The promise names combinations of items. Whoever knows another one may find a single record that fits.",
        )
    else:
        items = show_amount(m, "item", "items")
        more = (
            f"More than {items}.",
            f"Somebody who knows more than {items} of {{whose}} may find a single record that fits.",
        )
    if sensitive:
        return [more, *_ITEM_LIMITS]
    shared = (
        "What all candidates share.",
        "If every record that fits has the same other item, somebody learns that the {one} has it without telling the "
        "records apart.",
    )
    return [more, shared, *_ITEM_LIMITS]


REPORT_WORDS = ReportWords(describe_attacker=describe_attacker, list_limits=list_limits, counters=_COUNTERS)
