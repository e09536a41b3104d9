"""What a release of trajectories must look like: one list of places per person."""

from __future__ import annotations

from sfumato.kinds.trajectories.verify.crowds import find_crowds
from sfumato.kinds.trajectories.verify.places import check_coordinates, check_listed
from sfumato.release.release import Release
from sfumato.verification.order import look_at_value_names
from sfumato.verification.release_checks import ReleaseChecks, Witness

__all__ = ["CHECKS"]

_FORMS = {"identifier": ("exact", False), "history": ("category", True)}


def _check_columns(release: Release) -> Witness:
    """Look for columns other than names and lists of places."""
    for column in release.columns:
        cell, history = _FORMS[column.role]
        if (column.form.cell, column.form.type, column.form.history) != (cell, "string", history):
            return {"column": column.name, "form": column.form.cell, "type": column.form.type}
    return None


CHECKS = ReleaseChecks(
    roles={"identifier": (1,), "history": (1,)},
    column_names=("person", "places"),
    removes_values=True,
    has_places=True,
    check_columns=_check_columns,
    content_checks=(
        ("places are described", check_listed),
        ("coordinates are what the release says", check_coordinates),
    ),
    order_looks=(look_at_value_names,),
    crowd="sequence of places",
    find_crowds=find_crowds,
)
