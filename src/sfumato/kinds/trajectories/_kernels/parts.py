"""Groups of places that can be split, and places that can move, while every sequence keeps its crowd.

Places that occur are *seats*; every seat has the label of its group, from 1. What a group costs is the sum over its
places of their weight times the mean distance to all places of the group. Weights and distances are whole numbers, so
that the same steps are taken on every machine.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import Counter, add_keys, read_key
from sfumato.kinds.trajectories._kernels.demand import Demand
from sfumato.kinds.trajectories._kernels.globe import measure_arc
from sfumato.kinds.trajectories._kernels.subsequences import Walk, list_keys, start_walk

__all__ = ["Parts", "Records", "Seats", "count_records", "measure_loss", "move_places", "split_group", "sum_own"]

_LEAST = 1e-6
_MOST_TRIED = 8


class Records(NamedTuple):
    """Records of visits to seats, and the records of every seat.

    Attributes
    ----------
    offsets, seat
        Record r visits the seats ``seat[offsets[r] : offsets[r + 1]]``.
    token
        The label of every visit.
    row_offsets, rows
        Seat s is visited in the records ``rows[row_offsets[s] : row_offsets[s + 1]]``.
    stamp
        By record: the last sweep that met it; one more entry at the end counts the sweeps.
    """

    offsets: NDArray[np.int64]
    seat: NDArray[np.int32]
    token: NDArray[np.int32]
    row_offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    stamp: NDArray[np.int64]


class Seats(NamedTuple):
    """Where seats are, and what they weigh; ``scale`` has the steps of the extent, the extent and the diameter."""

    points: NDArray[np.float64]
    scale: NDArray[np.float64]
    weight: NDArray[np.int64]


class Parts(NamedTuple):
    """Which groups there are.

    Attributes
    ----------
    label, own
        By seat: its group, and the sum of distances to the places of that group.
    size, loss
        By label: how many places, and the sum of weight times ``own``.
    moving, change
        Scratch by seat: whether it is being moved, and what its ``own`` would gain.
    """

    label: NDArray[np.int64]
    own: NDArray[np.int64]
    size: NDArray[np.int64]
    loss: NDArray[np.int64]
    moving: NDArray[np.bool_]
    change: NDArray[np.int64]


@njit(cache=True, nogil=True)
def _measure(seats: Seats, seat: int, other: int) -> float:
    """Return the distance of two seats."""
    square = 0.0
    for axis in range(3):
        square += (seats.points[seat, axis] - seats.points[other, axis]) ** 2
    distance = float(np.sqrt(square))
    return measure_arc(distance, seats.scale[2]) if seats.scale[2] > 0.0 else distance


@njit(cache=True, nogil=True)
def _count_steps(seats: Seats, seat: int, other: int) -> int:
    """Return the distance of two seats in whole steps."""
    return int(np.rint(_measure(seats, seat, other) * seats.scale[0] / seats.scale[1]))


@njit(cache=True, nogil=True)
def measure_loss(seats: Seats, label: NDArray[np.int64], share: NDArray[np.float64]) -> float:
    """Measure what groups cost when a seat weighs its share of all records, without rounding."""
    size = np.zeros(label.size + 1, np.int64)
    for seat in range(label.size):
        size[label[seat]] += 1
    total = 0.0
    for seat in range(label.size):
        for other in range(seat):
            if label[seat] == label[other]:
                total += (share[seat] + share[other]) * _measure(seats, seat, other) / size[label[seat]]
    return total


@njit(cache=True, nogil=True)
def _count_through(
    counter: Counter, walk: Walk, row: NDArray[np.int32], demand: Demand, first: int, second: int, step: int
) -> Counter:
    """Count the sequences of a record that hold one of two labels in or out, or all if both are -1."""
    for size in range(1, min(demand.size, row.size) + 1):
        start_walk(walk, row, first, second)
        number = list_keys(walk, row, size, demand.base)
        while number > 0:
            counter = add_keys(counter, walk.keys, number, step)
            number = list_keys(walk, row, size, demand.base)
    return counter


@njit(cache=True, nogil=True)
def _holds_rare(counter: Counter, walk: Walk, row: NDArray[np.int32], demand: Demand, label: int) -> bool:
    """Tell whether a sequence of a record that holds a label occurs, but too rarely."""
    for size in range(1, min(demand.size, row.size) + 1):
        start_walk(walk, row, label, -1)
        number = list_keys(walk, row, size, demand.base)
        while number > 0:
            for i in range(number):
                if 0 < read_key(counter, walk.keys[i]) < demand.k:
                    return True
            number = list_keys(walk, row, size, demand.base)
    return False


@njit(cache=True, nogil=True)
def _relabel(
    counter: Counter, walk: Walk, records: Records, parts: Parts, chosen: NDArray[np.int64], new: int, demand: Demand
) -> Counter:
    """Give seats of one group another label, and count the records again that visit them."""
    old = parts.label[chosen[0]]
    for seat in chosen:
        parts.label[seat] = new
    records.stamp[-1] += 1
    for seat in chosen:
        for visit in range(records.row_offsets[seat], records.row_offsets[seat + 1]):
            record = records.rows[visit]
            if records.stamp[record] == records.stamp[-1]:
                continue
            records.stamp[record] = records.stamp[-1]
            first, last = records.offsets[record], records.offsets[record + 1]
            row = records.token[first:last]
            counter = _count_through(counter, walk, row, demand, old, new, -1)
            for i in range(first, last):
                records.token[i] = parts.label[records.seat[i]]
            counter = _count_through(counter, walk, row, demand, old, new, 1)
    return counter


@njit(cache=True, nogil=True)
def _keeps_group_sizes(
    counter: Counter, walk: Walk, records: Records, parts: Parts, chosen: NDArray[np.int64], old: int, demand: Demand
) -> bool:
    """Tell whether nothing is rare now that seats have got another label than ``old``.

    Only sequences with the new label can be new, and only those with the old one can have become rare.
    """
    new = parts.label[chosen[0]]
    records.stamp[-1] += 1
    for seat in chosen:
        for visit in range(records.row_offsets[seat], records.row_offsets[seat + 1]):
            record = records.rows[visit]
            if records.stamp[record] == records.stamp[-1]:
                continue
            records.stamp[record] = records.stamp[-1]
            first, last = records.offsets[record], records.offsets[record + 1]
            row = records.token[first:last]
            if _holds_rare(counter, walk, row, demand, new):
                return False
            for i in range(first, last):
                if parts.moving[records.seat[i]]:
                    records.token[i] = old
            rare = _holds_rare(counter, walk, row, demand, old)
            for i in range(first, last):
                records.token[i] = parts.label[records.seat[i]]
            if rare:
                return False
    return True


@njit(cache=True, nogil=True)
def _try_label(
    counter: Counter, walk: Walk, records: Records, parts: Parts, chosen: NDArray[np.int64], new: int, demand: Demand
) -> tuple[Counter, bool]:
    """Give seats another label if every sequence keeps its crowd; else leave everything as it is."""
    old = parts.label[chosen[0]]
    for seat in chosen:
        parts.moving[seat] = True
    counter = _relabel(counter, walk, records, parts, chosen, new, demand)
    is_accepted = _keeps_group_sizes(counter, walk, records, parts, chosen, old, demand)
    if not is_accepted:
        counter = _relabel(counter, walk, records, parts, chosen, old, demand)
    for seat in chosen:
        parts.moving[seat] = False
    return counter, is_accepted


@njit(cache=True, nogil=True)
def _weigh_change(seats: Seats, parts: Parts, chosen: NDArray[np.int64], new: int) -> tuple[int, int]:
    """Work out what seats would cost in another group: what both groups then lose, and the change of every seat."""
    old, change = parts.label[chosen[0]], parts.change
    for seat in chosen:
        parts.moving[seat] = True
        change[seat] = 0
    left, joined = 0, 0
    for seat in range(parts.label.size):
        label = parts.label[seat]
        if parts.moving[seat] or label not in (old, new):
            continue
        sign = -1 if label == old else 1
        change[seat] = 0
        for other in chosen:
            steps = sign * _count_steps(seats, seat, other)
            change[seat] += steps
            change[other] += steps
        if label == old:
            left += seats.weight[seat] * (parts.own[seat] + change[seat])
        else:
            joined += seats.weight[seat] * (parts.own[seat] + change[seat])
    for seat in chosen:
        parts.moving[seat] = False
        joined += seats.weight[seat] * (parts.own[seat] + change[seat])
    return left, joined


@njit(cache=True, nogil=True)
def _mean(loss: int, size: int) -> float:
    return float(loss) / float(size) if size > 0 else 0.0


@njit(cache=True, nogil=True)
def _is_better(parts: Parts, old: int, new: int, number: int, left: int, joined: int) -> float:
    """Return by how much two groups would cost less, nothing if that is next to nothing."""
    before = _mean(parts.loss[old], parts.size[old]) + _mean(parts.loss[new], parts.size[new])
    after = _mean(left, parts.size[old] - number) + _mean(joined, parts.size[new] + number)
    return before - after if before - after > _LEAST * before else 0.0


@njit(cache=True, nogil=True)
def _accept_label(seats: Seats, parts: Parts, chosen: NDArray[np.int64], old: int) -> None:
    """Take over the cost of seats that have left ``old``; their labels are the new ones."""
    new = parts.label[chosen[0]]
    for seat in chosen:
        parts.label[seat] = old
    left, joined = _weigh_change(seats, parts, chosen, new)
    for seat in range(parts.label.size):
        if parts.label[seat] in (old, new):
            # What stays in its group has a change too; other seats of the old group are among the chosen.
            parts.own[seat] += parts.change[seat]
    for seat in chosen:
        parts.label[seat] = new
    parts.loss[old], parts.loss[new] = left, joined
    parts.size[old] -= chosen.size
    parts.size[new] += chosen.size


@njit(cache=True, nogil=True)
def _find_free(parts: Parts) -> int:
    """Return the first label without a group; there is one as long as a group has two places."""
    label = 1
    while parts.size[label] > 0:
        label += 1
    return label


@njit(cache=True, nogil=True)
def split_group(
    counter: Counter,
    walk: Walk,
    records: Records,
    seats: Seats,
    parts: Parts,
    chosen: NDArray[np.int64],
    demand: Demand,
) -> tuple[Counter, bool]:
    """Make a group of some seats of a group if that costs less and every sequence keeps its crowd."""
    old, new = parts.label[chosen[0]], _find_free(parts)
    left, joined = _weigh_change(seats, parts, chosen, new)
    if _is_better(parts, old, new, chosen.size, left, joined) == 0.0:
        return counter, False
    counter, is_accepted = _try_label(counter, walk, records, parts, chosen, new, demand)
    if is_accepted:
        _accept_label(seats, parts, chosen, old)
    return counter, is_accepted


@njit(cache=True, nogil=True)
def _list_gains(seats: Seats, parts: Parts, seat: int) -> NDArray[np.float64]:
    """Return by label what is gained when a seat goes there; the first label without a group stands for its own."""
    old, weight = parts.label[seat], seats.weight[seat]
    near, heavy = np.zeros(parts.size.size, np.int64), np.zeros(parts.size.size, np.int64)
    for other in range(parts.label.size):
        steps = _count_steps(seats, seat, other)
        near[parts.label[other]] += steps
        heavy[parts.label[other]] += seats.weight[other] * steps
    left = parts.loss[old] - weight * parts.own[seat] - heavy[old]
    gains, free = np.zeros(parts.size.size), _find_free(parts)
    for label in range(1, parts.size.size):
        if label != old and (parts.size[label] > 0 or label == free):
            joined = parts.loss[label] + heavy[label] + weight * near[label]
            gains[label] = _is_better(parts, old, label, 1, left, joined)
    return gains


@njit(cache=True, nogil=True)
def move_places(
    counter: Counter, walk: Walk, records: Records, seats: Seats, parts: Parts, order: NDArray[np.int64], demand: Demand
) -> tuple[Counter, int]:
    """Move seats in turn to the group that gains most among those where every sequence keeps its crowd; count them."""
    moves = 0
    chosen = np.empty(1, np.int64)
    for seat in order:
        old = parts.label[seat]
        if parts.size[old] == 1:
            continue
        gains = _list_gains(seats, parts, seat)
        chosen[0] = seat
        for _ in range(_MOST_TRIED):
            best = np.argmax(gains)
            if gains[best] == 0.0:
                break
            gains[best] = 0.0
            counter, is_accepted = _try_label(counter, walk, records, parts, chosen, best, demand)
            if is_accepted:
                _accept_label(seats, parts, chosen, old)
                moves += 1
                break
    return counter, moves


@njit(cache=True, nogil=True)
def sum_own(seats: Seats, parts: Parts) -> None:
    """Fill in what groups cost."""
    for seat in range(parts.label.size):
        for other in range(seat):
            if parts.label[seat] == parts.label[other]:
                steps = _count_steps(seats, seat, other)
                parts.own[seat] += steps
                parts.own[other] += steps
    for seat in range(parts.label.size):
        parts.size[parts.label[seat]] += 1
        parts.loss[parts.label[seat]] += seats.weight[seat] * parts.own[seat]


@njit(cache=True, nogil=True)
def count_records(counter: Counter, walk: Walk, records: Records, demand: Demand) -> Counter:
    for record in range(records.offsets.size - 1):
        row = records.token[records.offsets[record] : records.offsets[record + 1]]
        counter = _count_through(counter, walk, row, demand, -1, -1, 1)
    return counter
