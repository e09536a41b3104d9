"""Crowds of activities: the classes, and those of a class who are observed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.kinds.activity.dataset import Slots
from sfumato.kinds.activity.decode import PublishedClasses, measure_intervals
from sfumato.release.release import Release
from sfumato.verification.people import GroupSize, count_in_groups

__all__ = ["find_smallest_groups"]

Ints = npt.NDArray[np.int64]


def find_smallest_groups(release: Release, original: Dataset, rows: Ints, person: Ints) -> Iterator[GroupSize]:
    """Count the people of every class, and of those of a class who are observed in a slot."""
    sizes = PublishedClasses.of(release).sizes
    yield from count_in_groups(np.repeat(np.arange(len(sizes)), sizes), person)
    if getattr(release.guarantee, "gap", None) is not None:
        yield from _count_observed(release, original, rows, person)


def _count_observed(release: Release, original: Dataset, rows: Ints, person: Ints) -> Iterator[GroupSize]:
    """Count the people of every class who are observed in a slot of which something is published."""
    claimed, published, slots = release.guarantee, PublishedClasses.of(release), Slots.of(original)
    gap = str(claimed.parameters()["gap"])
    hidden, code = published.find_hidden(gap), slots.find((gap,))[0]
    lengths = measure_intervals(slots.codes.shape[1], int(claimed.parameters()["slot"]))
    classes = zip(hidden, published.members(rows), published.members(person), strict=True)
    for unseen, members, people in classes:
        order = np.argsort(people, kind="stable")
        observed = slots.codes[members[order]][:, ~np.repeat(unseen, lengths)] != code
        if not observed.size:
            continue
        begins = np.flatnonzero(np.diff(people[order], prepend=-1))
        counts = np.logical_or.reduceat(observed, begins, axis=0).sum(axis=0)
        at = int(np.argmin(counts))
        yield GroupSize(int(counts[at]), int(observed[:, at].sum()))
