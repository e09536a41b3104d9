"""The window of a stream whose delays say nothing: a record's fate depends on its snapshot and on coins."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError
from sfumato.kinds.snapshots.methods._base.reposition_window import Shipment, WindowState

__all__ = ["HiddenWindow", "spread_evenly"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def spread_evenly(counts: Ints) -> Ints:
    """Return values in an order in which every stretch has nearly the proportions of the whole.

    In the first k records the number of a value differs from its due share of k by less than one, for all values and
    all k; so it does by less than two in any stretch, also in one that goes on from the end to the beginning.

    The j-th record of a value with n of N has its place after ``(j-1) N/n`` and not after ``j N/n``, rounded up; the
    earliest due comes first.

    Examples
    --------
    >>> spread_evenly(np.array([4, 2, 1])).tolist()
    [0, 0, 1, 0, 1, 0, 2]

    References
    ----------
    R. Tijdeman, The chairman assignment problem, Discrete Mathematics 32 (1980).
    """
    total = int(counts.sum())
    value = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    size = counts[value]
    begin, due = number * total // size, -(-(number + 1) * total // size)
    order = np.lexsort((value, due, begin))
    jobs = list(zip(begin[order].tolist(), due[order].tolist(), value[order].tolist(), strict=True))
    waiting: list[tuple[int, int]] = []
    sequence, at = np.empty(total, np.int64), 0
    for place in range(total):
        while at < total and jobs[at][0] <= place:
            heapq.heappush(waiting, jobs[at][1:])
            at += 1
        sequence[place] = heapq.heappop(waiting)[1]
    return sequence


class _Queue(NamedTuple):
    """Records of a snapshot in the order in which they are published.

    Attributes
    ----------
    codes
        Their values, those that are published already included.
    done
        How many are published.
    """

    codes: Ints
    done: int

    @property
    def left(self) -> int:
        return len(self.codes) - self.done


class HiddenWindow:
    """Decides how many records of each snapshot are published where, whatever their values.

    The records of a snapshot wait in an order in which every stretch has the snapshot's proportions, nearly; a
    snapshot that leaves takes the next so many of every snapshot it may take from. How many is the solution of a
    linear program: as many records as possible, as early as possible, so that no value is above 1/l of any snapshot.

    Parameters
    ----------
    l
        No value may be above 1/l of a published snapshot.
    size
        Number of snapshots in which a record may be published.

    Examples
    --------
    >>> window = HiddenWindow(2, 2)
    >>> window.push(1, np.array([0, 0]))
    >>> leaving = window.push(2, np.array([1, 1]))
    >>> leaving.time, leaving.size
    (1, 0)
    >>> [(last.time, {origin: counts.tolist() for origin, counts in last.taken.items()}) for last in window.flush()]
    [(2, {1: [2, 0], 2: [0, 2]})]
    """

    def __init__(self, l: int, size: int) -> None:
        self.l, self.size = l, size
        self._queues: dict[int, _Queue] = {}
        self._first = 0
        self._started = False
        self.now = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing that has arrived is still to be decided."""
        return not self._queues

    def push(self, time: int, codes: Ints) -> Shipment | None:
        """Take the values of the next snapshot, in the order of publication; return what leaves, if any does."""
        if self._started and time != self.now + 1:
            raise ParameterError("HiddenWindow: time must be the next whole number.")
        if not self._started:
            self._first, self._started = time, True
        self.now = time
        if len(codes):
            self._queues[time] = _Queue(codes, 0)
        leaving = time - self.size + 1
        return self._ship(leaving) if leaving >= self._first else None

    def skip_to(self, time: int) -> None:
        """Pass over snapshots without records while nothing waits."""
        if not self.is_empty:
            raise ParameterError("HiddenWindow: only an empty window can skip snapshots.")
        self.now, self._started = time - 1, False

    def flush(self) -> list[Shipment]:
        """Return what is left, oldest first, and begin anew."""
        first = max(self._first, self.now - self.size + 2)
        left = [self._ship(time) for time in range(first, self.now + 1)] if self._started else []
        self._queues, self._started = {}, False
        return left

    def state(self) -> WindowState:
        """Return all that the window remembers."""
        done = np.array([(time, queue.done) for time, queue in self._queues.items()], dtype=np.int64).reshape(-1, 2)
        queues = {f"queue {time}": queue.codes for time, queue in self._queues.items()}
        return WindowState({"now": self.now, "started": self._started, "first": self._first}, {"done": done, **queues})

    def restore(self, state: WindowState) -> None:
        """Remember what :meth:`state` returned."""
        facts, arrays = state
        self.now, self._started, self._first = int(facts["now"]), bool(facts["started"]), int(facts["first"])
        self._queues = {time: _Queue(arrays[f"queue {time}"], done) for time, done in arrays["done"].tolist()}

    def _ship(self, time: int) -> Shipment:
        """Decide a snapshot; records whose last chance it was are given up."""
        sources = [origin for origin in sorted(self._queues) if origin <= time]
        planned = self._plan(time)
        taken = self._make_eligible(sources, [planned.get(origin, 0) for origin in sources])
        for origin, counts in taken.items():
            queue = self._queues[origin]
            self._queues[origin] = queue._replace(done=queue.done + int(counts.sum()))
        suppressed = np.zeros(0, np.int64)
        for origin in sources:
            queue = self._queues[origin]
            if queue.left and (origin + self.size - 1 == time or self.now == time):
                lost = np.bincount(queue.codes[queue.done :])
                width = max(len(suppressed), len(lost))
                suppressed = np.pad(suppressed, (0, width - len(suppressed))) + np.pad(lost, (0, width - len(lost)))
            if not queue.left or origin + self.size - 1 == time:
                del self._queues[origin]
        return Shipment(time, taken, suppressed)

    def _plan(self, time: int) -> dict[int, int]:
        """Return how many records of each snapshot are to be published in the one that leaves."""
        origins = sorted(self._queues)
        if not origins:
            return {}
        shares = self._shares(origins)
        if not shares.shape[1]:
            # Nothing is too frequent anywhere: everything goes as early as it can.
            return {origin: self._queues[origin].left for origin in origins if origin <= time}
        left = np.array([self._queues[origin].left for origin in origins])
        moves = [
            (row, target)
            for row, origin in enumerate(origins)
            for target in range(max(origin, time), min(origin + self.size - 1, self.now) + 1)
        ]
        amounts = self._solve(moves, np.array(origins), left, shares, time)
        return {
            origins[row]: min(int(np.floor(amount + 0.5)), int(left[row]))
            for (row, target), amount in zip(moves, amounts.tolist(), strict=True)
            if target == time
        }

    def _shares(self, origins: list[int]) -> Floats:
        """Return the shares of the values that are too frequent in some snapshot, one column each."""
        width = max(int(self._queues[origin].codes.max()) for origin in origins) + 1
        counts = np.array([np.bincount(self._queues[origin].codes, minlength=width) for origin in origins])
        sizes = counts.sum(axis=1, keepdims=True)
        frequent = (self.l * counts > sizes).any(axis=0)
        return np.asarray(counts[:, frequent] / sizes)

    def _solve(self, moves: list[tuple[int, int]], origins: Ints, left: Ints, shares: Floats, time: int) -> Floats:
        """Solve the linear program: how many records make each move, as many and as early as can be."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        row, target = np.array(moves).T
        values = shares.shape[1]
        columns = np.arange(len(moves))
        excess = self.l * shares[row] - 1
        rows = np.concatenate([row, (len(origins) + (target - time)[:, None] * values + np.arange(values)).ravel()])
        cells = np.concatenate([np.ones(len(moves)), excess.ravel()])
        limits = np.concatenate([left, np.zeros((self.now - time + 1) * values)])
        table = csr_array((cells, (rows, np.append(columns, np.repeat(columns, values)))), (len(limits), len(moves)))
        gain = self.size - (target - origins[row])
        # Without whole variables this is a linear program; linprog would only check its input for longer.
        solved = milp(-gain, constraints=LinearConstraint(table, -np.inf, limits), bounds=Bounds(0, np.inf))
        # Publishing nothing keeps every condition, so there always is a solution.
        return np.asarray(solved.x) if solved.x is not None else np.zeros(len(moves))

    def _make_eligible(self, origins: list[int], sizes: list[int]) -> dict[int, Ints]:
        """Shorten what is taken, where whole records have made a value too frequent; return values by home."""
        if not any(sizes):
            return {}
        width = max(int(self._queues[origin].codes.max()) for origin in origins) + 1
        stretches = [
            self._queues[origin].codes[self._queues[origin].done :][:size]
            for origin, size in zip(origins, sizes, strict=True)
        ]
        counts = np.array([np.bincount(stretch, minlength=width) for stretch in stretches])
        taken = np.array(sizes)
        while (excess := self.l * counts.sum(axis=0) - taken.sum()).max() > 0:
            value = int(np.argmax(excess))
            worst = int(np.argmax(np.where(counts[:, value] > 0, self.l * counts[:, value] - taken, -np.inf)))
            taken[worst] -= 1
            counts[worst, stretches[worst][taken[worst]]] -= 1
        return {origin: counts[i] for i, origin in enumerate(origins) if taken[i]}
