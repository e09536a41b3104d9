"""What people do all day, slot by slot."""

from __future__ import annotations

from sfumato.core.kind import TABLES, Kind
from sfumato.core.schema import Column

__all__ = ["KIND"]

KIND = Kind(
    "what a person did in every slot of time",
    (Column("person", "identifier"), Column("activities", "history")),
    options=("sensitive", "split", "zone", "resolution", "start", "gap", "slots", "faults", "unit"),
    formats=(*TABLES, "adl", "aras"),
)
