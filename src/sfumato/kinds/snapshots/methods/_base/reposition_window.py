"""The window of a stream: what has arrived, what is still to be published, and what leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError
from sfumato.kinds.snapshots._kernels.reposition import Window, admit_newest
from sfumato.kinds.snapshots.costs import CostModel
from sfumato.kinds.snapshots.methods._base.first_window import program_size, solve_first_window

__all__ = ["RepositionWindow", "Shipment", "WindowState"]

Ints = npt.NDArray[np.int64]

_LARGEST_PROGRAM = 4_000
"""Moves an integer program chooses from within seconds."""


class Shipment(NamedTuple):
    """What leaves the window with a snapshot.

    Attributes
    ----------
    time
        The snapshot.
    taken
        By home snapshot: how many records of each value it gives.
    suppressed
        Records of this snapshot, by value, that are never published.

    Examples
    --------
    >>> Shipment(2, {1: np.array([1, 0]), 2: np.array([0, 2])}, np.array([3, 0])).size
    3
    """

    time: int
    taken: dict[int, Ints]
    suppressed: Ints

    @property
    def size(self) -> int:
        """Number of records published."""
        return int(sum(int(counts.sum()) for counts in self.taken.values()))


class WindowState(NamedTuple):
    """All that a window remembers: plain numbers and arrays by name, for a checkpoint.

    Examples
    --------
    >>> window = RepositionWindow(2, CostModel.read("doc", "linear", None, 2), ["flu", "cold"])
    >>> window.push(1, np.array([2, 0]))
    >>> window.state().facts, window.state().arrays["waiting"].tolist()
    ({'now': 1, 'started': False}, [[2, 0]])
    """

    facts: Mapping[str, int]
    arrays: Mapping[str, Ints]


class RepositionWindow:
    """Decides how many records of each value are published where; bounded by the window, not by the stream.

    Snapshots are numbered by whole numbers without gaps; a snapshot without records is one of zeros. Values are
    codes; a new code may come at any time.

    Parameters
    ----------
    l
        No value may be above 1/l of a published snapshot.
    costs
        Of late publication and of suppression; their number of distances is the window's size.
    labels
        Names of the values that are known; the owner of the window appends new ones.

    Examples
    --------
    >>> window = RepositionWindow(2, CostModel.read("doc", "linear", None, 2), ["flu", "cold"])
    >>> window.push(1, np.array([2, 0]))
    >>> leaving = window.push(2, np.array([0, 2]))
    >>> leaving.time, leaving.size
    (1, 0)
    >>> [(last.time, {origin: counts.tolist() for origin, counts in last.taken.items()}) for last in window.flush()]
    [(2, {1: [2, 0], 2: [0, 2]})]

    References
    ----------
    Wang et al., Anonymizing Temporal Data, Sections III to V.
    """

    def __init__(self, l: int, costs: CostModel, labels: list[str]) -> None:
        self.l, self.costs, self.labels = l, costs, labels
        self.size = len(costs.mu)
        self._mu = costs.by_distance()
        self._beta = np.empty(0, np.int64)
        self._window = _empty_window(0, self.size)
        self._waiting: list[Ints] = []
        self._started = False
        self.now = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing that has arrived is still to be decided."""
        return not any(part.any() for part in (*self._window, *self._waiting))

    def is_open(self, time: int) -> bool:
        """Return whether a snapshot that was pushed can still take records: it has not left."""
        oldest = self.now - self.size + 2 if self._started else self.now - len(self._waiting) + 1
        return oldest <= time <= self.now

    def push(self, time: int, arrived: Ints) -> Shipment | None:
        """Take the next snapshot; return the one that leaves the window, or None while the window fills."""
        if (self._started or self._waiting) and time != self.now + 1:
            raise ParameterError("RepositionWindow: time must be the next whole number.")
        self._grow()
        self.now = time
        if not self._started:
            self._waiting.append(self._fit(arrived))
            if len(self._waiting) < self.size:
                return None
            self._start()
        else:
            self._slide()
            admit_newest(self._window, self._fit(arrived), self.l, self._mu, self._beta)
        return self._ship(0)

    def skip_to(self, time: int) -> None:
        """Pass over snapshots without records while nothing waits: a first window begins with ``time``."""
        if not self.is_empty:
            raise ParameterError("RepositionWindow: only an empty window can skip snapshots.")
        self.now, self._started, self._waiting = time - 1, False, []

    def add_late(self, time: int, arrived: Ints) -> None:
        """Take records of a snapshot that is still open; they are candidates for the snapshots to come."""
        self._grow()
        if self._started:
            self._window.held[:, time - self.now + self.size - 1] += self._fit(arrived)
        else:
            column = time - self.now + len(self._waiting) - 1
            self._waiting[column] = self._fit(self._waiting[column]) + self._fit(arrived)

    def flush(self) -> list[Shipment]:
        """Return what is left, oldest first, and begin anew."""
        begin = 1
        if self._waiting:
            self._grow()
            begin = self.size - len(self._waiting)
            self._start()
        left = [self._ship(column) for column in range(begin, self.size)] if self._started else []
        self._window, self._waiting, self._started = _empty_window(len(self.labels), self.size), [], False
        return left

    def state(self) -> WindowState:
        """Return all that the window remembers."""
        self._grow()
        waiting = [self._fit(column) for column in self._waiting]
        columns = np.array(waiting, dtype=np.int64).reshape(len(waiting), len(self.labels))
        parts = {name: part.copy() for name, part in self._window._asdict().items()}
        return WindowState({"now": self.now, "started": self._started}, {**parts, "waiting": columns})

    def restore(self, state: WindowState) -> None:
        """Remember what :meth:`state` returned."""
        self._grow()
        self._window = Window(*(state.arrays[name].copy() for name in Window._fields))
        self._waiting = list(state.arrays["waiting"])
        self.now, self._started = int(state.facts["now"]), bool(state.facts["started"])

    def _fit(self, counts: Ints) -> Ints:
        return np.pad(counts, (0, len(self.labels) - len(counts)))

    def _grow(self) -> None:
        """Make room for values that were not known before."""
        new = self.labels[len(self._beta) :]
        if new:
            self._beta = np.append(self._beta, self.costs.by_value(new))
            wider = [np.pad(part, ((0, len(self.labels) - len(part)), (0, 0))) for part in self._window]
            self._window = Window(*wider)

    def _slide(self) -> None:
        """Move every column one to the left; the oldest home has nothing left to give."""
        for part in self._window:
            part[:, :-1] = part[:, 1:]
            part[:, -1] = 0

    def _start(self) -> None:
        """Plan the first window: as many snapshots as an integer program can, the others as they would arrive."""
        arrived = [self._fit(column) for column in self._waiting]
        count = self._plan_first(np.array(arrived, dtype=np.int64).T)
        self._waiting, self._started = [], True
        for column in arrived[count:]:
            self._slide()
            admit_newest(self._window, column, self.l, self._mu, self._beta)

    def _plan_first(self, arrived: Ints) -> int:
        count = int(arrived.shape[1])
        while count > 1:
            first = arrived[:, :count]
            solution = None
            if program_size(first) <= _LARGEST_PROGRAM:
                solution = solve_first_window(first, self.l, self._mu, self._beta)
            if solution is not None:
                for part, numbers in zip(self._window, solution, strict=True):
                    part[:, part.shape[1] - count :] = numbers
                return count
            count -= 1
        return 0

    def _ship(self, column: int) -> Shipment:
        """Take the earliest records of every value for a snapshot that leaves."""
        slots, chosen, held = self._window
        before = np.cumsum(chosen, axis=1) - chosen
        taken = np.clip(slots[:, [column]] - before, 0, chosen)
        chosen -= taken
        slots[:, column] = 0
        suppressed = held[:, column].copy()
        held[:, column] = 0
        oldest = self.now - self.size + 1
        origins = np.flatnonzero(taken.any(axis=0))
        given = {oldest + int(origin) - (self.size - 1): taken[:, origin].copy() for origin in origins}
        return Shipment(oldest + column, given, suppressed)


def _empty_window(values: int, size: int) -> Window:
    return Window(*(np.zeros((values, width), np.int64) for width in (size, 2 * size - 1, size)))
