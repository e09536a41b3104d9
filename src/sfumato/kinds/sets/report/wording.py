"""What the report says in plain words about guarantees on sets."""

from __future__ import annotations

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.reports.numbers import show_amount
from sfumato.reports.text import ALWAYS, ReportWords

__all__ = ["REPORT_WORDS", "describe_attacker", "list_limits"]

_COUNTERS = {
    "bands": "Bands of items of similar frequency, examined one after the other",
    "items_moved_by_lemma_2": "Items moved to term chunks because there were too few subrecords",
    "items_moved_from_covers": "Items moved to term chunks because all records of a cluster have them",
    "loss_of_cut": "Loss (parts per million) of the best generalisation that is the same in all records",
    "loss": "Loss (parts per million) of this release",
    "began_at_root": "Started from full generalisation (1: yes)",
    "splits": "Splits of groups of items",
    "taken_out": "Records moved to another group",
    "parts": "Parts of the data, one after the other",
    "clusters_above_max": "Clusters larger than requested",
    "deepest": "Most levels of joint clusters",
}
"""What methods count, in plain words."""

_ITEM_LIMITS = (
    (
        "Items that are absent.",
        "The guarantee covers knowledge of items that {whose} has. It does not cover knowledge of absent "
        "items, or of all items of many other records.",
    ),
    (
        "Presence in the data.",
        "The release does not hide that a person is in the data, and an exact item is true of someone.",
    ),
    ALWAYS[1],
)


def describe_attacker(m: int | None, unit: RecordUnit = PERSON) -> str:
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker(1)
    'someone who knows 1 item of a person'
    """
    if not m:
        return "someone with the knowledge “items”"
    return f"someone who knows {'up to ' * (m > 1)}{show_amount(m, 'item', 'items')} of {unit.record_of_person}"


def list_limits(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a guarantee about known items does not cover."""
    m, sensitive = getattr(guarantee, "m", None), getattr(guarantee, "sensitive", ())
    if m is None:
        more = (
            "Other items.",
            "The guarantee names combinations of items. Someone who knows another combination may match a "
            "single record.",
        )
    else:
        items = show_amount(m, "item", "items")
        more = (
            f"More than {items}.",
            f"Someone who knows more than {items} of {{whose}} may match a single record.",
        )
    if sensitive:
        return [more, *_ITEM_LIMITS]
    shared = (
        "What all matching records share.",
        "If all matching records have the same other item, the {one} has it, too.",
    )
    return [more, shared, *_ITEM_LIMITS]


REPORT_WORDS = ReportWords(describe_attacker=describe_attacker, list_limits=list_limits, counters=_COUNTERS)
