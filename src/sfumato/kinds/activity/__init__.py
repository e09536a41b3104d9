"""What people do all day, slot by slot."""

from __future__ import annotations

from sfumato.core.kind import TABLES, Kind
from sfumato.core.schema import Column

__all__ = ["KIND"]

KIND = Kind(
    "what a person did in every slot of time",
    (Column("person", "identifier"), Column("activities", "history")),
    options=("sensitive", "split", "zone", "resolution", "start", "gap", "slots", "faults", "unit", "weight"),
    formats=(*TABLES, "adl", "aras"),
    told={
        "row": "the share of its time in an interval that a class of records spent on an activity; shares that are "
        "nothing are not listed",
        "class": "the class of records, by its number",
        "interval": "when the interval begins, or its number from 0",
        "activity": "the activity",
        "share": "the share of the time of all records of the class, from 0 to 1",
        "size": "how many records the class has",
        "classes table": "the classes of records and their sizes",
    },
    reasons=("fits into no class", "part of the time is unknown"),
    advised=("mc-l-mdav-wd", "mc"),
    headline=("relative-difference", "average-relative-error"),
    usual={"k": (3, 5, 10), "delta": ("6",), "epsilon": ("1/2",), "aggregate": ("slot",)},
)
