"""The first window of a stream of snapshots: the cheapest reposition of all, by integer programming."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

__all__ = ["FirstWindow", "program_size", "solve_first_window"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_MOST_NODES = 2_000


class FirstWindow(NamedTuple):
    """Numbers of records by value and snapshot.

    Attributes
    ----------
    slots
        Records published in every snapshot.
    chosen
        Records of every home snapshot that are published somewhere.
    held
        Records of every home snapshot that are suppressed.

    Examples
    --------
    >>> found = solve_first_window(np.array([[3, 0], [0, 2]]), 2, np.array([0, 1]), np.array([5, 5]))
    >>> found.slots.tolist(), found.held.tolist()
    ([[0, 2], [0, 2]], [[1, 0], [0, 0]])
    """

    slots: Ints
    chosen: Ints
    held: Ints


class _Program(NamedTuple):
    """The moves a plan can make, one variable each, then one variable per snapshot: its level."""

    value: Ints
    origin: Ints
    place: Ints
    """Snapshot in which the record is published, -1 if it is suppressed."""
    snapshots: int

    @classmethod
    def of(cls, arrived: Ints) -> _Program:
        values, origins = np.nonzero(arrived)
        snapshots = arrived.shape[1]
        choices = snapshots - origins + 1
        origin = np.repeat(origins, choices)
        # Every later snapshot, the own one first; the last choice is none.
        place = origin + np.arange(len(origin)) - np.repeat(np.cumsum(choices) - choices, choices)
        return cls(np.repeat(values, choices), origin, np.where(place < snapshots, place, -1), snapshots)

    @property
    def moves(self) -> int:
        return len(self.value)

    def cost(self, mu: Ints, beta: Ints) -> Floats:
        late = np.maximum(self.place - self.origin, 0)
        moves = np.where(self.place < 0, beta[self.value], mu[late])
        return np.concatenate([moves, np.zeros(self.snapshots)]).astype(np.float64)

    def constraints(self, arrived: Ints, l: int) -> LinearConstraint:
        """Every record goes somewhere; no value is above a snapshot's level; l times the level is not above its size.

        With a variable for the level this is a network flow once the levels are known: whole numbers come by
        themselves, and only the levels have to be asked to be whole.
        """
        supply, at = np.unique(self.value * self.snapshots + self.origin, return_inverse=True)
        published = np.flatnonzero(self.place >= 0)
        cell = self.value[published] * self.snapshots + self.place[published]
        cells, of_cell = np.unique(cell, return_inverse=True)
        first_cell, first_size = len(supply), len(supply) + len(cells)
        rows = [at, first_cell + of_cell, first_cell + np.arange(len(cells)), first_size + self.place[published]]
        columns = [np.arange(self.moves), published, self.moves + cells % self.snapshots, published]
        data = [np.ones(self.moves), np.ones(len(published)), np.full(len(cells), -1.0), np.full(len(published), -1.0)]
        rows.append(first_size + np.arange(self.snapshots))
        columns.append(self.moves + np.arange(self.snapshots))
        data.append(np.full(self.snapshots, float(l)))
        shape = (first_size + self.snapshots, self.moves + self.snapshots)
        matrix = csr_array((np.concatenate(data), (np.concatenate(rows), np.concatenate(columns))), shape=shape)
        amount = arrived.reshape(-1)[supply].astype(np.float64)
        below = np.full(shape[0] - len(supply), -np.inf)
        return LinearConstraint(matrix, np.append(amount, below), np.append(amount, np.zeros(len(below))))


def program_size(arrived: Ints) -> int:
    """Return the number of moves that the program of a window chooses from.

    Examples
    --------
    >>> program_size(np.array([[2, 0], [1, 1]]))
    8
    """
    origins = np.nonzero(arrived)[1]
    return int((arrived.shape[1] - origins + 1).sum())


def solve_first_window(arrived: Ints, l: int, mu: Ints, beta: Ints) -> FirstWindow | None:
    """Return where records are published and which are suppressed, at the least cost there is.

    Records move to later snapshots only; within a value they keep the order of their timestamps. None is returned for
    the rare program that needs too long a search.

    Parameters
    ----------
    arrived
        Records by value and snapshot.
    l
        No value may be above 1/l of a snapshot.
    mu
        Cost of publishing a record d snapshots late, by d; at least one per snapshot.
    beta
        Cost of suppressing a record, by value.

    Examples
    --------
    >>> flu_then_cold = np.array([[2, 0], [0, 2]])
    >>> solve_first_window(flu_then_cold, 2, np.array([0, 1]), np.array([5, 5])).slots.tolist()
    [[0, 2], [0, 2]]

    References
    ----------
    Wang et al., Anonymizing Temporal Data, Section III.
    """
    program = _Program.of(arrived)
    if program.moves == 0:
        return FirstWindow(arrived.copy(), arrived.copy(), np.zeros_like(arrived))
    cost, rules = program.cost(mu, beta), program.constraints(arrived, l)
    whole = np.append(np.zeros(program.moves, np.int64), np.ones(program.snapshots, np.int64))
    # A limit on nodes stops at the same place on every machine, unlike one on seconds.
    solution = milp(
        cost,
        constraints=rules,
        integrality=whole,
        bounds=Bounds(0, np.inf),
        options={"mip_rel_gap": 0.0, "node_limit": _MOST_NODES},
    )
    if solution.status != 0 or solution.x is None:
        return None
    levels = np.rint(solution.x[program.moves :])
    moved = _solve_flow(program, cost, rules, levels)
    slots, chosen, held = (np.zeros_like(arrived) for _ in range(3))
    out = program.place >= 0
    np.add.at(slots, (program.value[out], program.place[out]), moved[out])
    np.add.at(chosen, (program.value[out], program.origin[out]), moved[out])
    np.add.at(held, (program.value[~out], program.origin[~out]), moved[~out])
    return FirstWindow(slots, chosen, held)


def _solve_flow(program: _Program, cost: Floats, rules: LinearConstraint, levels: Floats) -> Ints:
    """Return how many records make each move when the levels are known: a corner of a network flow is whole."""
    free = np.zeros(program.moves)
    bounds = Bounds(np.append(free, levels), np.append(free + np.inf, levels))
    solution = milp(cost, constraints=rules, bounds=bounds)
    assert solution.x is not None
    return np.asarray(np.rint(solution.x[: program.moves]), dtype=np.int64)
