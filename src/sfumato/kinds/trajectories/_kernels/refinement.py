"""Refinement of one recoding for all: groups are split and places moved wherever every sequence keeps its crowd."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato._kernels.counter import LARGEST_KEY, new_counter
from sfumato.kinds.trajectories._kernels.demand import Demand
from sfumato.kinds.trajectories._kernels.linkage import SHORTEST_STEP, measure_extent
from sfumato.kinds.trajectories._kernels.parts import (
    Parts,
    Records,
    Seats,
    count_records,
    measure_loss,
    move_places,
    split_group,
    sum_own,
)
from sfumato.kinds.trajectories._kernels.sequence_counts import list_rows_by_seat
from sfumato.kinds.trajectories._kernels.subsequences import new_walk
from sfumato.kinds.trajectories._kernels.trees import build_tree

__all__ = ["WEIGHT", "Refined", "choose_steps", "list_nodes", "refine_groups", "weigh_seats"]

WEIGHT = 2**12
"""The weight of a record, shared by its visits."""

_MOST_ROUNDS = 5
_PLACES_PER_SLICE = 64


class Refined(NamedTuple):
    """The group of every place, as its smallest code, and how often groups were split and places moved.

    Examples
    --------
    >>> Refined(np.array([0, 0], np.int32), 0, 1).moves
    1
    """

    group: NDArray[np.int32]
    splits: int
    moves: int


def choose_steps(points: NDArray[np.float64], diameter: float, weight: int) -> float:
    """Choose how many steps the extent of seats has: as many as possible, so that no sum overflows.

    Examples
    --------
    >>> choose_steps(np.array([[0.0, 0, 0], [3, 4, 0]]), 0.0, weight=2**12), choose_steps(np.zeros((9, 3)), 0.0, 2**40)
    (1073741824.0, 131072.0)
    """
    bits = min(30, 62 - max(weight, 1).bit_length() - len(points).bit_length())
    extent = measure_extent(points, diameter)
    while diameter and bits and extent / 2**bits < SHORTEST_STEP:
        bits -= 1
    return 2.0**bits


def weigh_seats(offsets: NDArray[np.int64], seat: NDArray[np.int32], number: int) -> NDArray[np.int64]:
    """Return what every seat weighs: the visits of a record share its weight.

    Examples
    --------
    >>> weigh_seats(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), 2).tolist()
    [2048, 6144]
    """
    lengths = np.diff(offsets)
    share = np.rint(WEIGHT / np.maximum(lengths, 1)).astype(np.int64)
    return np.bincount(seat, np.repeat(share, lengths), minlength=number).astype(np.int64)


def list_nodes(points: NDArray[np.float64], diameter: float) -> list[NDArray[np.int64]]:
    """Return the places below every node of a tree over places, without the root: the most places first.

    Examples
    --------
    >>> [node.tolist() for node in list_nodes(np.array([[0.0, 0, 0], [9, 0, 0], [1, 0, 0]]), 0.0)]
    [[0, 2], [0], [1], [2]]
    """
    parent = build_tree(points, diameter).tolist()
    below: list[list[int]] = [[place] if place < len(points) else [] for place in range(len(parent))]
    for node, up in enumerate(parent[:-1]):  # parents have higher numbers
        below[up] += below[node]
    nodes = [sorted(members) for members in below[:-1]]
    return [np.array(members, np.int64) for members in sorted(nodes, key=lambda members: (-len(members), members[0]))]


def refine_groups(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    points: NDArray[np.float64],
    diameter: float,
    group: NDArray[np.int32],
    demand: Demand,
    report: Callable[[int, int, int], None],
) -> Refined:
    """Split groups and move places between them as long as that costs less and every sequence keeps its crowd.

    Parameters
    ----------
    offsets, codes
        Record r visits the places ``codes[offsets[r] : offsets[r + 1]]``.
    points, diameter
        Where places are, a row each, and the diameter of the globe; 0 on a plane.
    group
        By place: any number of its group. Every sequence keeps its crowd already.
    demand
        What to keep; its base is not read.
    report
        Called with the size of sequences, rounds done and rounds in all.

    Raises
    ------
    ValueError
        If sequences of so many places cannot be told apart by a 62-bit number.

    Examples
    --------
    One group of three places, where two records each visit a, and b or c.

    >>> refined = refine_groups(np.arange(5), np.array([0, 0, 1, 2], np.int32), np.eye(3), 0.0,
    ...                         np.zeros(3, np.int32), Demand(2, 1, 1, 0, 1), lambda *_: None)
    >>> refined.group.tolist()
    [0, 1, 1]
    """
    return _Refinement(offsets, codes, points, diameter, group, demand).run(report)


class _Refinement:
    """One run of `refine_groups`: the arrays that the compiled parts work on."""

    def __init__(
        self,
        offsets: NDArray[np.int64],
        codes: NDArray[np.int32],
        points: NDArray[np.float64],
        diameter: float,
        group: NDArray[np.int32],
        demand: Demand,
    ) -> None:
        self.group, self.code = group, np.unique(codes)
        number = len(self.code)
        self.demand = demand._replace(base=number + 1)
        if self.demand.base**demand.size > LARGEST_KEY:
            raise ValueError(
                f"sequences of {demand.size} out of {number} places are too many for refine=true; use a smaller m or "
                "refine=false."
            )
        seat = np.searchsorted(self.code, codes).astype(np.int32)
        weight = weigh_seats(offsets, seat, number)
        where = points[self.code].astype(np.float64)
        scale = (choose_steps(where, diameter, int(weight.sum())), measure_extent(where, diameter), diameter)
        self.seats = Seats(where, np.array(scale, np.float64), weight)
        label = (np.unique(group[self.code], return_inverse=True)[1] + 1).astype(np.int64)
        counts = (np.zeros(number, np.int64), np.zeros(number + 1, np.int64), np.zeros(number + 1, np.int64))
        self.share = np.bincount(seat, np.repeat(1 / np.maximum(np.diff(offsets), 1), np.diff(offsets)), number)
        self.parts = Parts(label, *counts, np.zeros(number, np.bool_), np.zeros(number, np.int64))
        sum_own(self.seats, self.parts)
        begin, lengths = np.array(offsets, np.int64), np.diff(offsets).astype(np.int64)
        row_offsets, rows = list_rows_by_seat(begin[:-1], lengths, seat, number)
        self.records = Records(
            begin, seat, label[seat].astype(np.int32), row_offsets, rows, np.zeros(len(lengths) + 1, np.int64)
        )
        self.walk = new_walk(int(lengths.max(initial=0)), demand.size, number + 1)
        expected = float((lengths.astype(np.float64) ** demand.size).sum())
        counter = new_counter(self.demand.base**demand.size, expected)
        self.counter = count_records(counter, self.walk, self.records, self.demand)

    def run(self, report: Callable[[int, int, int], None]) -> Refined:
        """Split and move in turn until neither helps."""
        splits = moves = 0
        start = self.parts.label.copy()
        for number in range(_MOST_ROUNDS):
            report(self.demand.size, number, _MOST_ROUNDS)
            more_splits, more_moves = self.split(), self.move(report)
            splits, moves = splits + more_splits, moves + more_moves
            if not more_splits and not more_moves:
                break
        label = self.parts.label
        # Weights and distances were rounded: what was won by them alone is no gain.
        if measure_loss(self.seats, label, self.share) >= measure_loss(self.seats, start, self.share):
            label, splits, moves = start, 0, 0
        group = np.arange(len(self.group), dtype=np.int32)
        first = np.full(len(self.code) + 1, len(self.group))
        np.minimum.at(first, label, self.code)
        group[self.code] = first[label]
        return Refined(group, splits, moves)

    def split(self) -> int:
        """Try to make groups of the nodes of a tree over each group, the dearest group first."""
        splits = 0
        cost = self.parts.loss / np.maximum(self.parts.size, 1)
        for label in np.argsort(-cost, kind="stable").tolist():
            members = np.flatnonzero(self.parts.label == label)
            if len(members) < 2:
                continue
            for node in list_nodes(self.seats.points[members], self.seats.scale[2]):
                seats = members[node]
                for part in np.unique(self.parts.label[seats]).tolist():
                    chosen = seats[self.parts.label[seats] == part]
                    if len(chosen) == self.parts.size[part]:
                        continue
                    self.counter, is_accepted = split_group(
                        self.counter, self.walk, self.records, self.seats, self.parts, chosen, self.demand
                    )
                    splits += is_accepted
        return splits

    def move(self, report: Callable[[int, int, int], None]) -> int:
        """Move places, those that cost most first."""
        cost = self.seats.weight * (self.parts.own / self.parts.size[self.parts.label])
        order = np.argsort(-cost, kind="stable")
        moves = 0
        for at in range(0, len(order), _PLACES_PER_SLICE):
            batch = order[at : at + _PLACES_PER_SLICE]
            self.counter, more = move_places(
                self.counter, self.walk, self.records, self.seats, self.parts, batch, self.demand
            )
            moves += more
            report(self.demand.size, at, len(order))
        return moves
