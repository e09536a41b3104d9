"""Hierarchies derived from the values instead of read from a file."""

from sfumato.hierarchies.derive.labels import balanced, flat, mask_codes
from sfumato.hierarchies.derive.places import grid, quadtree
from sfumato.hierarchies.derive.ranges import calendar, equal_frequency, equal_width

__all__ = ["balanced", "calendar", "equal_frequency", "equal_width", "flat", "grid", "mask_codes", "quadtree"]
