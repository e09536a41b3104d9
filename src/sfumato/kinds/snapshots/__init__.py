"""Records that come in over time and are published in snapshots."""

from __future__ import annotations

from sfumato.core.kind import TABLES, Kind
from sfumato.core.unit import RECORD

__all__ = ["KIND"]

KIND = Kind(
    "a record that belongs to a snapshot",
    (),
    options=("sensitive", "resolution", "plain_anyway"),
    formats=(*TABLES, "spmf"),
    unit=RECORD,
    manifests=("stream.json",),
    told={
        "row": "a record of one snapshot",
        "row with sensitive": "a record of one snapshot; its sensitive value is one of those that `sensitive.csv` "
        "lists for its group",
        "time": "the snapshot in which it is published",
        "group": "the group of records, by its number within the snapshot",
        "count": "how many records of the group have this value",
        "sensitive table": "the sensitive values of every group, and how many of its records have each",
    },
    reasons=("suppressed", "arrived after its snapshot had left the window"),
    advised=("reposition", "anatomy"),
    headline=("average-relative-error", "window-queries", "publication-delay"),
    usual={"l": (2, 3, 4), "window": (7,), "infeasible": ("suppress",)},
)
