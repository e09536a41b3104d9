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
    advised=("mc-l-mdav-wd", "mc"),
    headline=("relative-difference", "average-relative-error"),
    usual={"k": (3, 5, 10), "delta": ("6",), "epsilon": ("1/2",), "aggregate": ("slot",)},
)
