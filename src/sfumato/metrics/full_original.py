"""An original as a whole, however many partitions its release has: what measures must know before they look at one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TypeVar, cast

from sfumato.data.dataset import Dataset
from sfumato.metrics.workload import Workload

__all__ = ["FullOriginal"]

Fact = TypeVar("Fact")


@dataclasses.dataclass(frozen=True, eq=False)
class FullOriginal:
    """The original of all partitions of a release, and what was found out about it once for all of them.

    What a measure draws at random it draws for the whole, and what it divides by is the whole's: the range of a
    column, the number of items, the largest distance between two places.

    Parameters
    ----------
    original
        The data.
    seed
        Seed of measures that sample.
    workload
        Queries of measures that ask; by default they draw their own.

    Examples
    --------
    >>> full_original = FullOriginal(Dataset.of("sets", [["wine"], ["bread"]]))
    >>> full_original.cached("records", lambda: len(full_original.original)), full_original.cached("records", lambda: 7)
    (2, 2)
    """

    original: Dataset
    seed: int = 0
    workload: Workload | None = None

    @cached_property
    def _cache(self) -> dict[Hashable, object]:
        return {}

    def cached(self, key: Hashable, find: Callable[[], Fact]) -> Fact:
        """Return what was found under this key before, or find it now."""
        if key not in self._cache:
            self._cache[key] = find()
        return cast(Fact, self._cache[key])
