"""Sets of items: baskets, queries, diagnoses."""

from __future__ import annotations

from sfumato.core.kind import TABLES, Kind
from sfumato.core.schema import Column

__all__ = ["KIND"]

KIND = Kind(
    "the items of a person",
    (Column("person", "identifier"), Column("items", "history")),
    options=("sensitive", "hierarchies", "hierarchy_root", "constraints", "separator", "unit"),
    formats=(*TABLES, "spmf", "transactions", "amnesia"),
)
