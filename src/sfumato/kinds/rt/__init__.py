"""Tables of people with a set of items each: attributes, and baskets or diagnoses."""

from __future__ import annotations

from sfumato.core.kind import Kind
from sfumato.kinds.table import KIND as TABLE

__all__ = ["KIND"]

KIND = Kind(
    "a person with attributes and a set of items",
    (),
    options=(
        *(
            "identifier",
            "quasi",
            "sensitive",
            "plain",
            "scales",
            "hierarchies",
            "hierarchy_root",
            "plain_anyway",
            "unit",
        ),
        *("items", "item_file", "separator", "sensitive_items"),
    ),
    told={
        "row": "one record: attributes and a set of items, whose order says nothing",
        "quasi-identifier": "an attribute, perhaps made coarser; an empty text says that there is no value",
        "history": "the items, each as itself or as a value that stands for several items",
    },
    ordered=False,
    reasons=TABLE.reasons,
    advised=("rum-bound", "rfirst"),
    headline=("queries", "ncp", "utility-loss"),
    usual={"k": (3, 5, 10), "m": (2,)},
)
