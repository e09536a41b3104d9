"""Tables of people with a set of items each: attributes, and baskets or diagnoses."""

from __future__ import annotations

from sfumato.core.kind import Kind

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
)
