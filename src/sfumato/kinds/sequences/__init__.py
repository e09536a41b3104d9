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
    told={
        "row": "the events of one record",
        "history": "events, in the order of time; `monitored` and `blurred` hold what all records of a group have in "
        "common, and each of their values stands for at least one event of its time",
        "time": "when these events happened, event by event: times, or intervals with their first and last moment",
    },
    entries={
        "monitored": "event",
        "monitored_times": "time",
        "blurred": "event",
        "blurred_times": "time",
        "events": "event",
        "times": "time",
    },
    exports=("xes",),
    reasons=(
        "no monitored event, and fewer such records than a group needs",
        "no monitored event, and too many such records have the same at about the same time",
    ),
    advised=("hi", "hy"),
    headline=("average-relative-error", "interval-loss"),
    usual={"k": (3, 5, 10)},
)
