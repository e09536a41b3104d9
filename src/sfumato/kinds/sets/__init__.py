"""Sets of items: baskets, queries, diagnoses."""

from __future__ import annotations

from sfumato.core.kind import TABLES, Kind
from sfumato.core.schema import Column

__all__ = ["KIND"]

KIND = Kind(
    "the items of a person",
    (Column("person", "identifier"), Column("items", "history")),
    options=("sensitive", "hierarchies", "constraints", "separator", "unit"),
    formats=(*TABLES, "spmf", "transactions", "amnesia"),
    advised=("disassociation", "local-km"),
    headline=("item-queries",),
    usual={"k": (3, 5, 10), "m": (2,)},
)
