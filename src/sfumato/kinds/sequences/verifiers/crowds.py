"""Crowds of event sequences: the groups whose monitored parts are alike."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.checking.people import Crowd, count_in_groups
from sfumato.core.dataset import Dataset
from sfumato.core.release import Release
from sfumato.kinds.sequences.published import TimedRecords

__all__ = ["CROWD", "find_crowds"]

Ints = npt.NDArray[np.int64]

CROWD = "group"


def find_crowds(
    release: Release,
    original: Dataset,  # noqa: ARG001
    rows: Ints,  # noqa: ARG001
    person: Ints,
) -> Iterator[Crowd]:
    """Count the people of every group of records with the same monitored part."""
    yield from count_in_groups(TimedRecords.of(release).alike(release), person)
