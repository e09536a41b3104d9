"""RAISE: visits go up, one level at a time, until no sequence of labels is rare."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kernels.counter import Counter
from sfumato.kinds.trajectories.kernels.demand import Demand, advance, is_broken, read_support
from sfumato.kinds.trajectories.kernels.labels import Paths, Visits, new_scratch, read_labels, relabel

__all__ = ["mean_step", "raise_labels"]

_MOST_TUPLES = 50_000


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


@njit(cache=True, nogil=True)
def _list_broken(
    counter: Counter, labels: NDArray[np.int32], root: int, t: int, demand: Demand, suspect: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """List the positions of broken sequences with a suspect among them that are not of roots alone.

    A row each, -1 behind short ones.
    """
    dense, slots = counter.dense, counter.slots
    n, size, base = labels.size, demand.size, demand.base
    found = np.empty((16, size), np.int64)
    number = 0
    at = np.full(size, -1, np.int64)
    for i in range(n):
        at[0], one = i, labels[i] + 1
        if suspect[i] and labels[i] != root and is_broken(dense, slots, one, t, demand):
            found, number = _append(found, number, at)
        if size < 2:
            continue
        for j in range(i + 1, n):
            two = one * base + labels[j] + 1
            at[1] = j
            both = suspect[i] or suspect[j]
            if both and (labels[i] != root or labels[j] != root) and is_broken(dense, slots, two, t, demand):
                found, number = _append(found, number, at)
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
                    found, number = _append(found, number, at)
            at[2] = -1
        at[1] = -1
    for chosen in range(4, min(size, n) + 1):
        for i in range(chosen):
            at[i] = i
        while number < _MOST_TUPLES:
            key, coarse = 0, True
            for i in range(chosen):
                key = key * base + labels[at[i]] + 1
                coarse = coarse and labels[at[i]] == root
            if not coarse and is_broken(dense, slots, key, t, demand):
                found, number = _append(found, number, at)
            if not advance(at, chosen, n):
                break
    return found[:number]


@njit(cache=True, nogil=True)
def _holds_rare_pair(counter: Counter, labels: NDArray[np.int32], t: int, base: int) -> bool:
    """Tell whether a label or a pair of a record is rare: most records hold none, and this is soon seen."""
    dense, slots = counter.dense, counter.slots
    for i in range(labels.size):
        one = labels[i] + 1
        if read_support(dense, slots, one) < t:
            return True
        for j in range(i + 1, labels.size):
            if read_support(dense, slots, one * base + labels[j] + 1) < t:
                return True
    return False


@njit(cache=True, nogil=True)
def _append(found: NDArray[np.int64], number: int, row: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    if number == found.shape[0]:
        larger = np.empty((2 * number, found.shape[1]), np.int64)
        larger[:number] = found
        found = larger
    found[number] = row
    return found, number + 1


@njit(cache=True, nogil=True)
def _hit(
    broken: NDArray[np.int64], visits: Visits, paths: Paths, record: int, step: int, level: NDArray[np.int32]
) -> None:
    """Raise visits, the best first, until every broken sequence goes through one of them."""
    first = visits.offsets[record]
    through = np.zeros(level.size, np.int64)
    for i in range(broken.shape[0]):
        for j in broken[i]:
            if j >= 0:
                through[j] += 1
    left = broken.shape[0]
    while left > 0:
        best, best_gain, best_price = -1, 0, 1
        for j in range(level.size):
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
        level[best] += 1
        kept = 0
        for i in range(left):
            is_hit = False
            for c in range(broken.shape[1]):
                is_hit |= broken[i, c] == best
            for c in range(broken.shape[1]):
                if is_hit and broken[i, c] >= 0:
                    through[broken[i, c]] -= 1
                broken[kept, c] = broken[i, c]
            kept += not is_hit
        left = kept


@njit(cache=True, nogil=True)
def _lift_below(visits: Visits, paths: Paths, record: int, level: NDArray[np.int32]) -> None:
    """Raise what lies inside another label of the record to that label."""
    first = visits.offsets[record]
    for i in range(level.size):
        place = visits.place[first + i]
        node = paths.node[paths.start[place] + level[i]]
        for j in range(level.size):
            other = visits.place[first + j]
            if paths.first[node] <= other < paths.last[node]:
                up = paths.start[other + 1] - paths.start[other] - 1 - paths.depth[node]
                level[j] = max(level[j], up)


@njit(cache=True, nogil=True)
def _mend_roots(
    counter: Counter, visits: Visits, paths: Paths, t: int, demand: Demand, wanted: NDArray[np.int32]
) -> int:
    """Choose the cheapest records for more roots where a sequence of roots is broken.

    ``wanted`` gets the number of roots by record. Returns how many records were chosen, -1 if none is left to choose.
    """
    dense, slots = counter.dense, counter.slots
    root = paths.node[paths.node.size - 1]
    key = 0
    for size in range(1, demand.size + 1):
        key = key * demand.base + root + 1
        if not is_broken(dense, slots, key, t, demand):
            continue
        support = read_support(dense, slots, key * demand.kinds)
        missing, secret = t - support, 0
        for place in range(1, demand.kinds):
            more = demand.l * read_support(dense, slots, key * demand.kinds + place) - support
            if more > missing:
                missing, secret = more, place
        prices = np.full(visits.offsets.size - 1, np.iinfo(np.int64).max, np.int64)
        for record in range(prices.size):
            prices[record] = _price_roots(visits, paths, record, size, secret)
        chosen = 0
        for record in np.argsort(prices, kind="mergesort"):
            if chosen == missing or prices[record] == np.iinfo(np.int64).max:
                break
            wanted[record] = size
            chosen += 1
        return chosen if chosen else -1
    return 0


@njit(cache=True, nogil=True)
def _price_roots(visits: Visits, paths: Paths, record: int, size: int, secret: int) -> int:
    """Return what it costs to have so many roots in a record; the largest number where that cannot help."""
    never = np.iinfo(np.int64).max
    first, last = visits.offsets[record], visits.offsets[record + 1]
    if last - first < size:
        return never
    if secret > 0:
        for i in range(visits.secret_offsets[record], visits.secret_offsets[record + 1]):
            if visits.secret[i] == secret:
                return never
    steps = _list_root_steps(visits, paths, record)
    roots = 0
    for v in range(first, last):
        roots += paths.start[visits.place[v]] + visits.level[v] + 1 == paths.start[visits.place[v] + 1]
    if roots >= size:
        return never
    price = 0
    ordered = np.sort(steps)
    for i in range(size):
        price += max(0, ordered[i])
    return price


@njit(cache=True, nogil=True)
def _list_root_steps(visits: Visits, paths: Paths, record: int) -> NDArray[np.int64]:
    """Return what it costs to raise each visit of a record to the root; less than nothing where it is there."""
    first, last = visits.offsets[record], visits.offsets[record + 1]
    steps = np.empty(last - first, np.int64)
    for v in range(first, last):
        place = visits.place[v]
        here, root = paths.start[place] + visits.level[v], paths.start[place + 1] - 1
        steps[v - first] = -1 if here == root else max(0, paths.cost[root] - paths.cost[here])
    return steps


@njit(cache=True, nogil=True)
def _rarest_label(key: int, base: int, uses: NDArray[np.int64]) -> int:
    rarest = key % base - 1
    while key > 0:
        label = key % base - 1
        if uses[label] < uses[rarest]:
            rarest = label
        key //= base
    return rarest


@njit(cache=True, nogil=True)
def _choose(
    counter: Counter, visits: Visits, paths: Paths, demand: Demand, t: int, step: int, suspect: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Return the levels of all visits after every record with a broken sequence has chosen what to raise."""
    root = paths.node[paths.node.size - 1]
    level = visits.level.copy()
    for record in range(visits.offsets.size - 1):
        first, last = visits.offsets[record], visits.offsets[record + 1]
        if suspect[first:last].any():
            labels = read_labels(visits, paths, record)
            if demand.size == 2 and demand.kinds == 1 and not _holds_rare_pair(counter, labels, t, demand.base):
                continue
            broken = _list_broken(counter, labels, root, t, demand, suspect[first:last])
            if broken.shape[0] > 0:
                _hit(broken, visits, paths, record, step, level[first:last])
    return level


@njit(cache=True, nogil=True)
def _choose_roots(
    counter: Counter, visits: Visits, paths: Paths, t: int, demand: Demand, level: NDArray[np.int32]
) -> bool:
    """Raise more visits to the root where a sequence of roots is broken; False where none is left to raise."""
    wanted = np.zeros(visits.offsets.size - 1, np.int32)
    number = _mend_roots(counter, visits, paths, t, demand, wanted)
    for record in range(wanted.size):
        if wanted[record] > 0:
            first = visits.offsets[record]
            order = np.argsort(_list_root_steps(visits, paths, record), kind="mergesort")
            for i in order[: wanted[record]]:
                place = visits.place[first + i]
                level[first + i] = paths.start[place + 1] - paths.start[place] - 1
    return bool(number >= 0)


@njit(cache=True, nogil=True)
def raise_labels(
    counter: Counter, visits: Visits, paths: Paths, demand: Demand, t: int, step: int
) -> tuple[Counter, bool]:
    """Raise visits until every sequence that occurs is in t records and no share is too large; False if none helps.

    After the first round only sequences are looked at that a changed visit, or a label whose sequence has become
    rarer, takes part in; when there is nothing left among them, all are looked at again.
    """
    records = visits.offsets.size - 1
    everything = True
    suspect = np.ones(visits.place.size, np.bool_)
    scratch = new_scratch()
    while True:
        level = _choose(counter, visits, paths, demand, t, step, suspect)
        if (level == visits.level).all():
            if not everything:
                everything = True
                suspect[:] = True
                continue
            if not _choose_roots(counter, visits, paths, t, demand, level):
                return counter, False
            if (level == visits.level).all():
                return counter, True
        everything = False
        uses = np.zeros(demand.base, np.int64)
        for v in range(visits.place.size):
            uses[paths.node[paths.start[visits.place[v]] + visits.level[v]]] += 1
            suspect[v] = False
        fallen = np.zeros(demand.base, np.bool_)
        for record in range(records):
            first, last = visits.offsets[record], visits.offsets[record + 1]
            if (level[first:last] == visits.level[first:last]).all():
                continue
            if demand.kinds > 1:
                _lift_below(visits, paths, record, level[first:last])
            for v in range(first, last):
                suspect[v] = level[v] != visits.level[v]
            counter, scratch, different = relabel(counter, scratch, visits, paths, record, demand, level[first:last])
            dense, slots = counter.dense, counter.slots
            for key in different:
                if is_broken(dense, slots, key, t, demand):
                    fallen[_rarest_label(key, demand.base, uses)] = True
        for v in range(visits.place.size):
            suspect[v] |= fallen[paths.node[paths.start[visits.place[v]] + visits.level[v]]]
