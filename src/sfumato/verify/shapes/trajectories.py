"""What a release of trajectories must look like: one list of places per person."""

from __future__ import annotations

from sfumato.verify.published_places import check_coordinates, check_listed
from sfumato.verify.shapes import Check

__all__ = ["CONTENT_CHECKS", "ROLES"]

ROLES = {"identifier": (1,), "history": (1,)}

CONTENT_CHECKS: tuple[Check, ...] = (
    ("places are described", check_listed),
    ("coordinates are what the release says", check_coordinates),
)
