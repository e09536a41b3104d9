"""People in a line by what others may know of their attributes."""

from __future__ import annotations

from sfumato.kinds.table.sort_key import compute_sort_key

__all__ = ["PARTITION_SIZE", "compute_sort_key"]

PARTITION_SIZE = 20_000
"""People in a partition at most, unless its owner says otherwise."""
