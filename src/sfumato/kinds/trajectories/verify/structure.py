"""What a release of trajectories must look like: one list of places per person."""

from __future__ import annotations

from sfumato.kinds.trajectories.verify.places import check_coordinates, check_listed
from sfumato.kinds.trajectories.verify.smallest_groups import find_smallest_groups
from sfumato.release.release import Release
from sfumato.verification.order import check_value_names
from sfumato.verification.release_checks import Counterexample, ReleaseChecks

__all__ = ["CHECKS"]

_FORMATS = {"identifier": ("exact", False), "history": ("category", True)}


def _check_columns(release: Release) -> Counterexample:
    """Look for columns other than names and lists of places."""
    for column in release.columns:
        cell, history = _FORMATS[column.role]
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
    order_checks=(check_value_names,),
    group_noun="sequence of places",
    find_smallest_groups=find_smallest_groups,
)
