"""Events with their times, person by person; some of them are monitored by a receiver."""

from __future__ import annotations

from sfumato.core.kind import TABLES, Kind
from sfumato.core.schema import Column

__all__ = ["KIND"]

KIND = Kind(
    "the events of a person, with their times",
    (Column("person", "identifier"), Column("events", "history"), Column("times", "time")),
    options=("hierarchies", "hierarchy_root", "monitored", "resolution", "user_key", "query", "unit"),
    formats=(*TABLES, "spmf"),
)
