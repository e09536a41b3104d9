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
)
