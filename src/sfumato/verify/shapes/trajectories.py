"""What a release of trajectories must look like: one list of places per person."""

from __future__ import annotations

from sfumato.core.release import Release
from sfumato.verify.shapes import Check, Witness

__all__ = ["CONTENT_CHECKS", "ROLES", "check_columns"]

ROLES = {"identifier": (1,), "history": (1,)}

_FORMS = {"identifier": ("exact", False), "history": ("category", True)}


def check_columns(release: Release) -> Witness:
    """Look for columns other than names and lists of places."""
    for column in release.columns:
        cell, history = _FORMS[column.role]
        if (column.form.cell, column.form.type, column.form.history) != (cell, "string", history):
            return {"column": column.name, "form": column.form.cell, "type": column.form.type}
    return None


def _check_places(release: Release) -> Witness:
    if release.places is None:
        return None
    if "place" not in release.places.column_names:
        return {"found": release.places.column_names}
    described = set(release.places.column("place").to_pylist())
    for value, places in release.meanings().items():
        if not described.issuperset(places):
            return {"value": value}
    return None


CONTENT_CHECKS: tuple[Check, ...] = (("places are described", _check_places),)
