"""Tables of people: attributes, no history."""

from __future__ import annotations

from sfumato.core.kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    "a person with attributes",
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
            "population",
        ),
        "unit",
    ),
)
