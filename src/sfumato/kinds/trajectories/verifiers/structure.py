"""What a release of trajectories must look like: one list of places per person."""

from __future__ import annotations

from sfumato.checking.order import look_at_value_names
from sfumato.checking.shapes import Check, Witness
from sfumato.core.release import Release
from sfumato.kinds.trajectories.verifiers.places import check_coordinates, check_listed

__all__ = ["COLUMN_NAMES", "CONTENT_CHECKS", "HAS_PLACES", "ORDER_LOOKS", "REMOVES_VALUES", "ROLES", "check_columns"]

COLUMN_NAMES = ("person", "places")
REMOVES_VALUES = True
HAS_PLACES = True


ROLES = {"identifier": (1,), "history": (1,)}

_FORMS = {"identifier": ("exact", False), "history": ("category", True)}


def check_columns(release: Release) -> Witness:
    """Look for columns other than names and lists of places."""
    for column in release.columns:
        cell, history = _FORMS[column.role]
        if (column.form.cell, column.form.type, column.form.history) != (cell, "string", history):
            return {"column": column.name, "form": column.form.cell, "type": column.form.type}
    return None


CONTENT_CHECKS: tuple[Check, ...] = (
    ("places are described", check_listed),
    ("coordinates are what the release says", check_coordinates),
)


ORDER_LOOKS = (look_at_value_names,)
