"""Which visits can go down to a node at all: not those in a pair that would stay rare even if all others went."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import Counter
from sfumato.kinds.trajectories._kernels.demand import BORROWING, Demand, read_support
from sfumato.kinds.trajectories._kernels.labels import Paths, Visits

__all__ = ["Sweep", "prune_visits"]


class Sweep(NamedTuple):
    """Scratch of one sweep over nodes.

    Attributes
    ----------
    labels
        By visit: its label once all that go down have gone.
    gains
        By side (before and after a visit that goes down) and label: how many records win the pair; at the end of the
        first side, how many records win the node.
    seen
        The same: the last record that was counted, as a number of its own in every count.
    counter_of_checks
        One number: how many records were counted in, and checks begun.
    broke
        By label: when a step back last broke a sequence with it, by the clock.
    former
        By visit: its level before.
    goal
        One number: the node that visits go down to.
    """

    labels: NDArray[np.int32]
    gains: NDArray[np.int64]
    seen: NDArray[np.int64]
    counter_of_checks: NDArray[np.int64]
    broke: NDArray[np.int64]
    former: NDArray[np.int32]
    goal: NDArray[np.int64]


@njit(cache=True, nogil=True)
def prune_visits(
    counter: Counter,
    visits: Visits,
    paths: Paths,
    node: int,
    demand: Demand,
    chosen: NDArray[np.int64],
    record_of: NDArray[np.int64],
    sweep: Sweep,
) -> NDArray[np.int64]:
    """Leave out visits in a pair that stays rare even if all others go down; once, in a triple too."""
    _fill_labels(visits, paths, node, chosen, record_of, sweep.labels)
    size = min(demand.size, 2)
    while chosen.size > 0:
        _forget_gains(visits, paths, chosen, record_of, sweep)
        _count_gains(visits.offsets, chosen, record_of, demand.base, sweep)
        support = read_support(counter.dense, counter.slots, (node + 1) * demand.kinds)
        if support + sweep.gains[0, demand.base - 1] < demand.k:
            return chosen[:0]
        viable_count = _select_viable(counter, visits, paths, demand, chosen, record_of, sweep, size)
        if viable_count < chosen.size:
            chosen = chosen[:viable_count]
            size = 4 if size == 3 else size
        elif size == 2 and demand.size >= 3:
            size = 3
        else:
            break
        if size == 4:
            size, demand = 2, Demand(demand.k, demand.l, 2, demand.base, demand.kinds)
    return chosen


@njit(**BORROWING)
def _fill_labels(
    visits: Visits,
    paths: Paths,
    node: int,
    chosen: NDArray[np.int64],
    record_of: NDArray[np.int64],
    labels: NDArray[np.int32],
) -> None:
    """Write down the labels of the records at hand once all chosen visits have gone down."""
    for v in chosen:
        record = record_of[v]
        for j in range(visits.offsets[record], visits.offsets[record + 1]):
            labels[j] = paths.node[paths.start[visits.place[j]] + visits.level[j]]
    for v in chosen:
        labels[v] = node


@njit(**BORROWING)
def _select_viable(
    counter: Counter,
    visits: Visits,
    paths: Paths,
    demand: Demand,
    chosen: NDArray[np.int64],
    record_of: NDArray[np.int64],
    sweep: Sweep,
    size: int,
) -> int:
    """Put the visits that are in no hopeless pair or triple to the front, and return how many they are."""
    viable_count = 0
    for v in chosen:
        if size > 1 and _stays_rare(counter, visits.offsets, record_of[v], v, demand, sweep, size):
            # Those after it reckon with its staying where it is.
            sweep.labels[v] = paths.node[paths.start[visits.place[v]] + visits.level[v]]
        else:
            chosen[viable_count] = v
            viable_count += 1
    return viable_count


@njit(**BORROWING)
def _stays_rare(
    counter: Counter, offsets: NDArray[np.int64], record: int, v: int, demand: Demand, sweep: Sweep, size: int
) -> bool:
    """Tell whether a pair, or a triple, through a visit stays rare even if all others go down."""
    dense, slots, labels, gains = counter.dense, counter.slots, sweep.labels, sweep.gains
    mine, base, first, last = np.int64(labels[v]) + 1, demand.base, offsets[record], offsets[record + 1]
    for i in range(first, last):
        first_label, gain = np.int64(labels[i]) + 1, gains[int(i > v), labels[i]]
        if i == v or (size == 2 and gain >= demand.k):
            continue
        if size == 2:
            key = first_label * base + mine if i < v else mine * base + first_label
            if read_support(dense, slots, key * demand.kinds) + gain < demand.k:
                return True
            continue
        for j in range(i + 1, last):
            two, more = np.int64(labels[j]) + 1, min(gain, gains[int(j > v), labels[j]])
            if v < i:
                key = (mine * base + first_label) * base + two
            elif v < j:
                key = (first_label * base + mine) * base + two
            else:
                key = (first_label * base + two) * base + mine
            if j != v and more < demand.k and read_support(dense, slots, key * demand.kinds) + more < demand.k:
                return True
    return False


@njit(**BORROWING)
def _forget_gains(
    visits: Visits, paths: Paths, chosen: NDArray[np.int64], record_of: NDArray[np.int64], sweep: Sweep
) -> None:
    """Set to 0 what is known of the labels that the records at hand have, or have if a visit stays: few of all."""
    offsets, labels, gains = visits.offsets, sweep.labels, sweep.gains
    latest = -1
    for v in chosen:
        stays = paths.node[paths.start[visits.place[v]] + visits.level[v]]
        gains[0, stays] = 0
        gains[1, stays] = 0
        record = record_of[v]
        if record == latest:
            continue
        latest = record
        for j in range(offsets[record], offsets[record + 1]):
            gains[0, labels[j]] = 0
            gains[1, labels[j]] = 0


@njit(**BORROWING)
def _count_gains(
    offsets: NDArray[np.int64], chosen: NDArray[np.int64], record_of: NDArray[np.int64], base: int, sweep: Sweep
) -> None:
    """Count by label the records that win it before and after a visit that goes down; at the end, all that win one."""
    labels, gains, seen = sweep.labels, sweep.gains, sweep.seen
    gains[0, base - 1] = 0
    latest = -1
    for v in chosen:
        record = record_of[v]
        if record != latest:
            latest = record
            gains[0, base - 1] += 1
            sweep.counter_of_checks[0] += 1
        stamp = sweep.counter_of_checks[0]
        for j in range(offsets[record], offsets[record + 1]):
            side = int(j > v)
            if j != v and seen[side, labels[j]] != stamp:
                gains[side, labels[j]] += 1
                seen[side, labels[j]] = stamp
