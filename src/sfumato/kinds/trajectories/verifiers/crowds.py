"""Crowds of trajectories: the records with a sequence of ordinary places."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.checking.people import Crowd, count_in_sequences
from sfumato.core.dataset import Dataset
from sfumato.core.release import Release

__all__ = ["CROWD", "find_crowds"]

Ints = npt.NDArray[np.int64]

CROWD = "sequence of places"


def find_crowds(
    release: Release,
    original: Dataset,  # noqa: ARG001
    rows: Ints,  # noqa: ARG001
    person: Ints,
) -> Iterator[Crowd]:
    """Count the people of every sequence of up to m places that an attacker may know."""
    claim = release.guarantee
    histories, sensitive = release.history(), set(getattr(claim, "sensitive", ()))
    ordinary = np.array([label not in sensitive for label in histories.labels], dtype=bool)
    yield from count_in_sequences(histories.keep(ordinary[histories.codes]), int(claim.parameters()["m"]), person)
