"""RAISE: visits go up, one level at a time, until no sequence of labels is rare."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import Counter, read_key
from sfumato.kinds.trajectories._kernels.buffers import fits_buffers, make_buffers, relabel_in_buffers
from sfumato.kinds.trajectories._kernels.demand import BORROWING, Demand, advance, is_broken, read_support
from sfumato.kinds.trajectories._kernels.labels import SMALLEST, Paths, Visits, new_scratch, read_labels, relabel

__all__ = ["mean_step", "raise_labels"]

_MOST_TUPLES = 50_000
_CAPACITY = 1_024


def mean_step(paths: Paths) -> int:
    """Return what going up one level costs on average, at least 1.

    Examples
    --------
    >>> mean_step(Paths(np.array([0, 2]), np.array([0, 1], np.int32), np.array([0, 7]), *3 * [np.empty(0)]))
    7
    """
    steps = np.diff(paths.cost)
    inside = np.ones(len(steps), bool)
    inside[paths.start[1:-1] - 1] = False
    return max(1, int(np.maximum(steps[inside], 0).mean())) if inside.any() else 1


@njit(**BORROWING)
def _list_broken(
    counter: Counter,
    labels: NDArray[np.int32],
    root: int,
    t: int,
    demand: Demand,
    suspect: NDArray[np.bool_],
    broken: NDArray[np.int64],
    at: NDArray[np.int64],
) -> int:
    """List the positions of broken sequences with a suspect among them that are not of roots alone.

    A row each, -1 behind short ones; ``at`` is scratch. Returns how many there are: more than there is room for means
    that the last ones are missing.
    """
    dense, slots = counter.dense, counter.slots
    n, size, base = labels.size, demand.size, demand.base
    number = 0
    for i in range(size):
        at[i] = -1
    for i in range(n):
        at[0], single = i, np.int64(labels[i]) + 1
        if suspect[i] and labels[i] != root and is_broken(dense, slots, single, t, demand):
            number = _append(broken, number, at)
        if size < 2:
            continue
        for j in range(i + 1, n):
            two = single * base + labels[j] + 1
            at[1] = j
            both = suspect[i] or suspect[j]
            if both and (labels[i] != root or labels[j] != root) and is_broken(dense, slots, two, t, demand):
                number = _append(broken, number, at)
            if size < 3 or number >= _MOST_TUPLES:
                continue
            for h in range(j + 1, n):
                at[2] = h
                coarse = labels[i] == root and labels[j] == root and labels[h] == root
                if (
                    (both or suspect[h])
                    and not coarse
                    and is_broken(dense, slots, two * base + labels[h] + 1, t, demand)
                ):
                    number = _append(broken, number, at)
            at[2] = -1
        at[1] = -1
    for chosen in range(4, min(size, n) + 1):
        for i in range(chosen):
            at[i] = i
        while number < _MOST_TUPLES:
            key, coarse = np.int64(0), True
            for i in range(chosen):
                key = key * base + labels[at[i]] + 1
                coarse = coarse and labels[at[i]] == root
            if not coarse and is_broken(dense, slots, key, t, demand):
                number = _append(broken, number, at)
            if not advance(at, chosen, n):
                break
    return number


@njit(**BORROWING)
def _append(broken: NDArray[np.int64], number: int, row: NDArray[np.int64]) -> int:
    if number < broken.shape[0]:
        for c in range(row.size):
            broken[number, c] = row[c]
    return number + 1


@njit(**BORROWING)
def _next_suspect(
    counter: Counter, visits: Visits, paths: Paths, demand: Demand, t: int, suspect: NDArray[np.bool_], record: int
) -> int:
    """Return the next record with a suspect visit, for pairs only if it holds a rare one; their number after the last.

    Most records hold none, and this is soon seen.
    """
    records = visits.offsets.size - 1
    for candidate in range(record + 1, records):
        first, last = visits.offsets[candidate], visits.offsets[candidate + 1]
        concerned = False
        for v in range(first, last):
            concerned = concerned or suspect[v]
        if concerned and (
            demand.size != 2
            or demand.kinds > 1
            or _holds_rare_pair(counter, visits, paths, candidate, t, demand.base, suspect)
        ):
            return candidate
    return records


@njit(**BORROWING)
def _holds_rare_pair(
    counter: Counter, visits: Visits, paths: Paths, record: int, t: int, base: int, suspect: NDArray[np.bool_]
) -> bool:
    """Tell whether a label of a suspect visit, or a pair of labels with one, is rare."""
    dense, slots, first, last = counter.dense, counter.slots, visits.offsets[record], visits.offsets[record + 1]
    for v in range(first, last):
        if not suspect[v]:
            continue
        label = np.int64(paths.node[paths.start[visits.place[v]] + visits.level[v]]) + 1
        if read_support(dense, slots, label) < t:
            return True
        for w in range(first, last):
            if w == v or (w < v and suspect[w]):
                continue
            two = np.int64(paths.node[paths.start[visits.place[w]] + visits.level[w]]) + 1
            if read_support(dense, slots, label * base + two if v < w else two * base + label) < t:
                return True
    return False


@njit(cache=True, nogil=True)
def _hit(
    broken: NDArray[np.int64],
    left: int,
    visits: Visits,
    paths: Paths,
    record: int,
    step: int,
    level: NDArray[np.int32],
) -> None:
    """Raise visits, the best first, until each of so many broken sequences goes through one of them."""
    first, n = visits.offsets[record], visits.offsets[record + 1] - visits.offsets[record]
    through = np.zeros(n, np.int64)
    for i in range(left):
        for c in range(broken.shape[1]):
            if broken[i, c] >= 0:
                through[broken[i, c]] += 1
    while left > 0:
        best, best_gain, best_price = -1, 0, 1
        for j in range(n):
            place = visits.place[first + j]
            here = paths.start[place] + visits.level[first + j]
            if through[j] == 0 or here + 1 == paths.start[place + 1]:
                continue
            gain = through[j] * (3 if visits.level[first + j] > 0 else 2)
            price = 3 * step + 10 * max(0, paths.cost[here + 1] - paths.cost[here])
            if best < 0 or gain * best_price > best_gain * price:
                best, best_gain, best_price = j, gain, price
        if best < 0:
            return
        level[first + best] += 1
        remaining = 0
        for i in range(left):
            is_hit = False
            for c in range(broken.shape[1]):
                is_hit |= broken[i, c] == best
            for c in range(broken.shape[1]):
                if is_hit and broken[i, c] >= 0:
                    through[broken[i, c]] -= 1
                broken[remaining, c] = broken[i, c]
            remaining += not is_hit
        left = remaining


@njit(**BORROWING)
def _lift_below(visits: Visits, paths: Paths, record: int, level: NDArray[np.int32]) -> None:
    """Raise what lies inside another label of the record to that label."""
    first, last = visits.offsets[record], visits.offsets[record + 1]
    for v in range(first, last):
        node = paths.node[paths.start[visits.place[v]] + level[v]]
        for w in range(first, last):
            other = visits.place[w]
            if paths.first[node] <= other < paths.last[node]:
                level[w] = max(level[w], paths.start[other + 1] - paths.start[other] - 1 - paths.depth[node])


@njit(**BORROWING)
def _rarest_label(key: int, base: int, uses: NDArray[np.int64]) -> int:
    rarest = key % base - 1
    while key > 0:
        label = key % base - 1
        if uses[label] < uses[rarest]:
            rarest = label
        key //= base
    return int(rarest)


@njit(cache=True, nogil=True)
def _choose(
    counter: Counter, visits: Visits, paths: Paths, demand: Demand, t: int, step: int, suspect: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Return the levels of all visits after every record with a broken sequence has chosen what to raise."""
    root = paths.node[paths.node.size - 1]
    level = visits.level.copy()
    broken, at = np.empty((_CAPACITY, demand.size), np.int64), np.empty(demand.size, np.int64)
    record = -1
    while True:
        record = _next_suspect(counter, visits, paths, demand, t, suspect, record)
        if record == visits.offsets.size - 1:
            return level
        first, last = visits.offsets[record], visits.offsets[record + 1]
        labels = read_labels(visits, paths, record)
        number = _list_broken(counter, labels, root, t, demand, suspect[first:last], broken, at)
        if number > broken.shape[0]:
            broken = np.empty((2 * number, demand.size), np.int64)
            number = _list_broken(counter, labels, root, t, demand, suspect[first:last], broken, at)
        if number > 0:
            _hit(broken, number, visits, paths, record, step, level)


@njit(**BORROWING)
def _next_changed(
    visits: Visits, paths: Paths, demand: Demand, level: NDArray[np.int32], suspect: NDArray[np.bool_], record: int
) -> int:
    """Return the next record whose levels change, with these visits as suspects; their number after the last."""
    records = visits.offsets.size - 1
    for candidate in range(record + 1, records):
        first, last = visits.offsets[candidate], visits.offsets[candidate + 1]
        changed = False
        for v in range(first, last):
            suspect[v] = level[v] != visits.level[v]
            changed = changed or suspect[v]
        if not changed:
            continue
        if demand.kinds > 1:
            _lift_below(visits, paths, candidate, level)
            for v in range(first, last):
                suspect[v] = level[v] != visits.level[v]
        return candidate
    return records


@njit(**BORROWING)
def _note_fallen(
    counter: Counter,
    different: NDArray[np.int64],
    t: int,
    demand: Demand,
    uses: NDArray[np.int64],
    fallen: NDArray[np.bool_],
) -> None:
    """Note the rarest label of every sequence that is broken."""
    for key in different:
        if is_broken(counter.dense, counter.slots, key, t, demand):
            fallen[_rarest_label(key, demand.base, uses)] = True


@njit(cache=True, nogil=True)
def _relabel_all(
    counter: Counter,
    visits: Visits,
    paths: Paths,
    demand: Demand,
    t: int,
    level: NDArray[np.int32],
    suspect: NDArray[np.bool_],
    uses: NDArray[np.int64],
) -> Counter:
    """Give visits other levels; suspect are then those that changed or have the rarest label of what fell below t.

    ``uses`` says how many visits have each label, before and then after.
    """
    scratch, buffers = new_scratch(SMALLEST, 1, demand.base), make_buffers(demand.base)
    later, fallen = uses.copy(), np.zeros(demand.base, np.bool_)
    record = -1
    while True:
        record = _next_changed(visits, paths, demand, level, suspect, record)
        if record == visits.offsets.size - 1:
            break
        first, last = visits.offsets[record], visits.offsets[record + 1]
        for v in range(first, last):
            if suspect[v]:
                start = paths.start[visits.place[v]]
                later[paths.node[start + visits.level[v]]] -= 1
                later[paths.node[start + level[v]]] += 1
        if fits_buffers(counter, visits, record, demand):
            number = relabel_in_buffers(counter, visits, paths, record, demand, level[first:last], buffers)
            _note_fallen(counter, buffers.keys[:number], t, demand, uses, fallen)
        else:
            counter, scratch, different = relabel(counter, scratch, visits, paths, record, demand, level[first:last])
            _note_fallen(counter, different, t, demand, uses, fallen)
    for v in range(visits.place.size if fallen.any() else 0):
        suspect[v] |= fallen[paths.node[paths.start[visits.place[v]] + visits.level[v]]]
    uses[:] = later
    return counter


def _choose_roots(
    counter: Counter, visits: Visits, paths: Paths, t: int, demand: Demand, level: NDArray[np.int32]
) -> bool:
    """Raise the cheapest visits to the root where a sequence of roots is broken; False where none is left to raise."""
    root, key = int(paths.node[-1]), 0
    for size in range(1, demand.size + 1):
        key = key * demand.base + root + 1
        support = int(read_key(counter, key * demand.kinds))
        excess = [
            demand.l * int(read_key(counter, key * demand.kinds + place)) - support for place in range(1, demand.kinds)
        ]
        if support == 0 or (support >= t and max(excess, default=0) <= 0):
            continue
        secret = int(np.argmax(excess)) + 1 if excess and max(excess) > t - support else 0
        missing = max(t - support, *excess) if excess else t - support
        records = len(visits.offsets) - 1
        record = np.repeat(np.arange(records), np.diff(visits.offsets))
        here, top = paths.start[visits.place] + visits.level, paths.start[visits.place + 1] - 1
        steps = np.where(here == top, -1, np.maximum(0, paths.cost[top] - paths.cost[here]))
        cheapest = np.lexsort((steps, record))
        cheapest = cheapest[np.arange(len(record)) - visits.offsets[record] < size]
        able = (np.diff(visits.offsets) >= size) & (np.bincount(record[here == top], minlength=records) < size)
        if secret:
            visitor = np.repeat(np.arange(records), np.diff(visits.secret_offsets))[visits.secret == secret]
            able[visitor] = False
        price = np.zeros(records, np.int64)
        np.add.at(price, record[cheapest], np.maximum(0, steps[cheapest]))
        candidates = np.flatnonzero(able)
        chosen = np.zeros(records, bool)
        chosen[candidates[np.argsort(price[candidates], kind="stable")[:missing]]] = True
        raised = cheapest[chosen[record[cheapest]]]
        level[raised] = (top - paths.start[visits.place])[raised]
        return bool(chosen.any())
    return True


def raise_labels(
    counter: Counter, visits: Visits, paths: Paths, demand: Demand, t: int, step: int
) -> tuple[Counter, bool]:
    """Raise visits until every sequence that occurs is in t records and no share is too large; False if none helps.

    After the first round only sequences are looked at that a changed visit, or a label whose sequence has become
    rarer, takes part in; when there is nothing left among them, all are looked at again.
    """
    everything = True
    suspect = np.ones(visits.place.size, np.bool_)
    uses = np.bincount(paths.node[paths.start[visits.place] + visits.level], minlength=demand.base)
    while True:
        level = _choose(counter, visits, paths, demand, t, step, suspect)
        if np.array_equal(level, visits.level):
            if not everything:
                everything = True
                suspect[:] = True
                continue
            if not _choose_roots(counter, visits, paths, t, demand, level):
                return counter, False
            if np.array_equal(level, visits.level):
                return counter, True
        everything = False
        counter = _relabel_all(counter, visits, paths, demand, t, level, suspect, uses)
