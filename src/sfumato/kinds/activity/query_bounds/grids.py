"""When slots of time begin: of a release only the beginnings of intervals are published."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.data.time_units import UNITS, count_units, find_moments
from sfumato.queries.times import Span

__all__ = ["Grid", "list_grids"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Grid:
    """The slots of all intervals, one interval after the other.

    Parameters
    ----------
    unit
        What a slot lasts; nothing where times are numbers, or no unit fits.
    slots
        When every slot begins, ascending.
    ends
        Where the slots of every interval end, and first a 0.

    Examples
    --------
    >>> grid = Grid("", np.array([0, 1, 2, 3, 4]), np.array([0, 2, 4, 5]))
    >>> grid.starts.tolist(), grid.lasts.tolist(), grid.cut((1, 2)).tolist()
    ([0, 2, 4], [1, 3, 4], [1, 1, 0])
    """

    unit: str
    slots: Ints
    ends: Ints

    @cached_property
    def starts(self) -> Ints:
        """When the first slot of every interval begins."""
        return self.slots[self.ends[:-1]]

    @cached_property
    def lasts(self) -> Ints:
        """When the last slot of every interval begins."""
        return self.slots[self.ends[1:] - 1]

    @property
    def lengths(self) -> Ints:
        """How many slots every interval has."""
        return np.diff(self.ends)

    def cut(self, window: Span | None) -> Ints:
        """Return how many slots of every interval lie in a window."""
        if window is None:
            return self.lengths
        first = np.searchsorted(self.slots, window[0], side="left")
        after = max(first, np.searchsorted(self.slots, window[1], side="right"))
        inside = np.clip(self.ends, first, after)
        return np.asarray(np.diff(inside), dtype=np.int64)


def list_grids(begins: Ints, lengths: Ints, *, dated: bool) -> tuple[Grid, ...]:
    """List the ways in which slots may lie: intervals begin when they do, and slots are as long as one unit of time.

    Of moments the unit is not published. Where there are several intervals, they tell it: so many slots of it lead from
    one to the next. A single one leaves every unit open of which it is a beginning.

    Parameters
    ----------
    begins
        When intervals begin: microseconds since 1970, or numbers of slots.
    lengths
        How many slots every interval has.
    dated
        Whether they are microseconds.

    Examples
    --------
    >>> january, march = (np.datetime64(day, "us").astype(np.int64) for day in ("1970-01-01", "1970-03-01"))
    >>> [grid.unit for grid in list_grids(np.array([january, march]), np.array([2, 1]), dated=True)]
    ['month']
    >>> [grid.unit for grid in list_grids(np.array([march]), np.array([2]), dated=True)]
    ['second', 'minute', 'hour', 'day', 'month']
    """
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
    if not dated:
        return (Grid("", np.repeat(begins, lengths) + within, ends),)
    grids = []
    for unit in UNITS:
        numbers = count_units(unit, begins)
        if np.array_equal(find_moments(unit, numbers), begins) and np.array_equal(np.diff(numbers), lengths[:-1]):
            grids.append(Grid(unit, find_moments(unit, np.repeat(numbers, lengths) + within), ends))
    if grids:
        return tuple(grids)
    # No data that are read here have slots of another length: intervals are cut evenly.
    step = max(int(np.diff(begins).min(initial=int(lengths[0]))) // int(lengths[0]), 1)
    return (Grid("", np.repeat(begins, lengths) + within * step, ends),)
