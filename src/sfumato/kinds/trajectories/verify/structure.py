"""What a release of trajectories must look like: one list of places per person."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.kinds.trajectories.decode import leave_out, list_sensitive
from sfumato.kinds.trajectories.verify.places import check_coordinates, check_listed
from sfumato.release.release import Release
from sfumato.verification.order import check_value_names
from sfumato.verification.people import GroupSize, count_in_sequences
from sfumato.verification.release_checks import Counterexample, ReleaseChecks

__all__ = ["CHECKS"]

Ints = npt.NDArray[np.int64]


def find_smallest_groups(
    release: Release,
    original: Dataset,  # noqa: ARG001
    rows: Ints,  # noqa: ARG001
    person: Ints,
) -> Iterator[GroupSize]:
    """Count the people of every sequence of up to m places that an attacker may know."""
    ordinary = leave_out(release.history(), list_sensitive(release))
    yield from count_in_sequences(ordinary, int(release.guarantee.parameters()["m"]), person)


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
