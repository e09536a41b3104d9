"""Crowds of tables: the records that are the same in all quasi-identifiers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.checks.classes import Classes
from sfumato.data.dataset import Dataset
from sfumato.release.decode import decode
from sfumato.release.release import Release
from sfumato.verification.people import GroupSize, count_in_groups

__all__ = ["find_smallest_groups"]

Ints = npt.NDArray[np.int64]


def find_smallest_groups(
    release: Release,
    original: Dataset,  # noqa: ARG001
    rows: Ints,  # noqa: ARG001
    person: Ints,
) -> Iterator[GroupSize]:
    """Count the people of every class."""
    yield from count_in_groups(Classes.of(decode(release)).group, person)
