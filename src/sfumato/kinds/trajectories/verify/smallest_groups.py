"""Crowds of trajectories: the records with a sequence of ordinary places."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.kinds.trajectories.decode import leave_out, list_sensitive
from sfumato.release.release import Release
from sfumato.verification.people import GroupSize, count_in_sequences

__all__ = ["find_smallest_groups"]

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
