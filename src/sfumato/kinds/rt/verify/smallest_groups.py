"""Crowds of tables with sets: the records of a class, and of every set of up to m values in it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.kinds.rt.decode import PublishedRecords
from sfumato.kinds.rt.knowledge.value_sets import ValueSets
from sfumato.release.release import Release
from sfumato.verification.people import GroupSize

__all__ = ["find_smallest_groups"]

Ints = npt.NDArray[np.int64]


def find_smallest_groups(
    release: Release,
    original: Dataset,  # noqa: ARG001
    rows: Ints,  # noqa: ARG001
    person: Ints,
) -> Iterator[GroupSize]:
    """Count the people of every class, and of every set of values that an attacker may know there."""
    sets = ValueSets(PublishedRecords.of(release))
    width = int(person.max(initial=0)) + 1
    for size in sets.sizes(int(release.guarantee.parameters()["m"])):
        keys, supports = sets.count(size)
        pairs = [np.searchsorted(keys, row_keys) * width + person[row] for row, row_keys in sets.portions(size)]
        people = np.bincount(np.unique(np.concatenate(pairs)) // width, minlength=len(keys))
        least = int(np.argmin(people))
        yield GroupSize(int(people[least]), int(supports[least]))
