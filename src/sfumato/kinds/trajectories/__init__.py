"""Places that people visited, in order."""

from __future__ import annotations

from sfumato.core.kind import TABLES, Kind
from sfumato.core.schema import Column

__all__ = ["KIND"]

KIND = Kind(
    "the places that a person visited, in order",
    (Column("person", "identifier"), Column("places", "history")),
    options=(
        "sensitive",
        "hierarchies",
        "hierarchy_root",
        "constraints",
        "places",
        "places_file",
        "split",
        "zone",
        "coordinates",
        "unit",
    ),
    formats=(*TABLES, "spmf"),
)
