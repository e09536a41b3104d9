"""People in a line by what others may know of their attributes."""

from __future__ import annotations

from sfumato.kinds.table.sort_key import lay_in_line

__all__ = ["PART_SIZE", "lay_in_line"]

PART_SIZE = 20_000
"""People in a part at most, unless its owner says otherwise."""
