"""How often events happened at every point in time; nobody is told apart."""

from __future__ import annotations

from sfumato.core.kind import TABLES, Kind
from sfumato.core.schema import Column
from sfumato.core.unit import TIME_POINT

__all__ = ["KIND"]

KIND = Kind(
    "what happened at a point in time, and how often",
    (Column("time", "time"), Column("events", "history"), Column("counts", "count")),
    options=("sensitive", "resolution"),
    formats=(*TABLES, "spmf"),
    unit=TIME_POINT,
    told={
        "row": "what happened at one point in time",
        "time": "the point in time",
        "history": "the events of that time; their order says nothing",
        "count": "how often each of these events happened, event by event",
    },
    entries={"events": "event", "counts": "count"},
    reasons=("nothing but sensitive events, all deleted",),
    advised=("essa", "essa-joint"),
    headline=("sanitisation-error", "average-relative-error"),
    usual={"delta": ("1/5", "1/20", "1/50", "1/100", "1/200", "1/1000")},
)
