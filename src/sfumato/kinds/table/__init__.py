"""Tables of people: attributes, no history."""

from __future__ import annotations

from sfumato.core.kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    "a person with attributes",
    (),
    options=(
        *("identifier", "quasi", "sensitive", "plain", "scales", "hierarchies", "missing", "empty", "population"),
        "unit",
    ),
    advised=("mondrian", "optimal"),
    headline=("attribute-queries", "ncp"),
    usual={"k": (3, 5, 10), "l": (1, 2)},
)
