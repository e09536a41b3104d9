"""Clusters of people: what their losses, bounds and conflicts depend on, and how two become one.

The number of a cluster is the smallest number of a member. Every cluster has a card, a row with the columns

- ``BEGIN`` and ``END``: where its profile is in the pool;
- ``FIRST`` and ``LAST``: first and last time;
- ``COUNT`` and ``PEOPLE``: how many monitored events and members it has, no members when it is gone;
- ``LOSS``: its least loss;
- ``LONE``: 1 when some member has one distinct time only, so that only one interval can cover the cluster;
- ``TOP``: the lowest node above all its events, 0 when categories do not count;
- ``MARKS``: the fingerprint, which of the equal parts of the data's time hold an event, one bit each;
- ``PAIRS_BEGIN`` and ``PAIRS_END``: where its unmonitored pairs are;
- ``TRAIL``: the step at which the cluster was written.

Profiles in the pool have more columns than others: how far one sees from a time until every member has been met.

- ``AHEAD``: the earliest right end of an interval from the time on that holds every member, or `INFINITE`;
- ``ACROSS``: the length of the shortest interval that holds every member and the gap before the time;
- ``AROUND``: the length of the shortest interval that holds every member and the time.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.category_covers import Runs, new_runs
from sfumato.kinds.sequences._kernels.covers import Monitored, find_loss
from sfumato.kinds.sequences._kernels.prices import Prices, join_nodes
from sfumato.kinds.sequences._kernels.profiles import EVENTS, NODE, REACH, TIME, new_table, unite_profiles
from sfumato.kinds.sequences._kernels.windows import Keyed

__all__ = ["Store", "measure_union", "merge_clusters", "merge_runs", "new_store", "number_groups"]

BEGIN, END, FIRST, LAST, COUNT, PEOPLE, LOSS, LONE, TOP, MARKS, PAIRS_BEGIN, PAIRS_END, TRAIL = range(13)
AHEAD, ACROSS, AROUND = range(NODE + 1, NODE + 4)

# A right end so late that it stands for "no interval that begins here holds every member".
INFINITE = 1 << 60
MOST_BITS = 62


class Store(NamedTuple):
    """All clusters, the pools their profiles and pairs live in, and room to work.

    Attributes
    ----------
    cards
        By cluster: its card.
    pool
        The profiles of all clusters.
    key, person
        The unmonitored pairs of all clusters, rising by key, and whose they are.
    home
        By person or cluster that is gone: what it was merged into; others are their own.
    trail
        By step: the cluster that was written to the pools.
    used
        How much of the pool, of the pairs and of the trail is taken.
    work, table, runs
        Room for the profile of a union and its dynamic programme.
    stamps
        By node of the hierarchy, and one entry more: room to mark nodes.
    prices
        What intervals cost.
    parts, extent
        How many parts the data's time has for fingerprints, and how long it is.
    """

    cards: NDArray[np.int64]
    pool: NDArray[np.int64]
    key: NDArray[np.int64]
    person: NDArray[np.int32]
    home: NDArray[np.int64]
    trail: NDArray[np.int64]
    used: NDArray[np.int64]
    work: NDArray[np.int64]
    table: NDArray[np.int64]
    runs: Runs
    stamps: NDArray[np.int64]
    prices: Prices
    parts: int
    extent: int


def new_store(monitored: Monitored, keyed: Keyed, prices: Prices, bits: int) -> Store:
    """Put every person into a cluster of their own.

    Parameters
    ----------
    monitored
        Monitored events; everyone has at least one.
    keyed
        Unmonitored pairs; nobody has any when diversity is not asked for.
    prices
        What intervals cost.
    bits
        How many bits a fingerprint has, from 1 to 62.
    """
    people, total = monitored.offsets.size - 1, monitored.times.size
    owner = np.repeat(np.arange(people), np.diff(monitored.offsets))
    order = np.lexsort((monitored.times, owner))
    times = monitored.times[order] - (monitored.times.min() if total else 0)
    cards = np.zeros((people, TRAIL + 1), np.int64)
    cards[:, TRAIL] = np.arange(people)
    cards[:, COUNT] = np.diff(monitored.offsets)
    cards[:, PEOPLE] = 1
    cards[:, PAIRS_BEGIN], cards[:, PAIRS_END] = keyed.offsets[:-1], keyed.offsets[1:]
    pairs = keyed.key.size
    # Twice the room: what is merged is written anew, and the pools are compacted when they are full.
    store = Store(
        cards=cards,
        pool=np.empty((2 * total, AROUND + 1), np.int64),
        key=np.concatenate((keyed.key, np.empty(pairs, np.int64))),
        person=np.empty(2 * pairs, np.int32),
        home=np.arange(people),
        trail=np.resize(np.arange(people), 2 * people),
        used=np.array([0, pairs, people]),
        work=np.empty((total, NODE + 1), np.int64),
        table=new_table(total),
        runs=new_runs(total, prices),
        stamps=np.zeros(prices.parent.size + 1, np.int64),
        prices=prices,
        parts=bits,
        extent=max(1, int(times.max(initial=0))),
    )
    store.person[:pairs] = np.repeat(np.arange(people, dtype=np.int32), np.diff(keyed.offsets))
    leaf = monitored.leaf[order] if prices.leaf else np.zeros(total, np.int32)
    _write_singles(monitored.offsets, times, leaf, store)
    return store


@njit(cache=True, nogil=True)
def _write_singles(offsets: NDArray[np.int64], times: NDArray[np.int64], leaf: NDArray[np.int32], store: Store) -> None:
    """Write the profile and the card of every person; times are sorted and counted from 0."""
    pool, prices = store.pool, store.prices
    n = 0
    for person in range(offsets.size - 1):
        card = store.cards[person]
        card[BEGIN], card[TOP] = n, leaf[offsets[person]]
        for at in range(offsets[person], offsets[person + 1]):
            time, node = times[at], leaf[at]
            if n == card[BEGIN] or pool[n - 1, TIME] != time:
                pool[n, TIME] = pool[n, REACH] = time
                pool[n, EVENTS], pool[n, NODE] = 0, node
                card[MARKS] |= 1 << min(store.parts - 1, time * store.parts // store.extent)
                n += 1
            pool[n - 1, EVENTS] += 1
            if prices.leaf > 0:
                pool[n - 1, NODE] = join_nodes(pool[n - 1, NODE], node, prices)
                card[TOP] = join_nodes(card[TOP], node, prices)
        card[END], card[FIRST], card[LAST] = n, pool[card[BEGIN], TIME], pool[n - 1, TIME]
        card[LONE] = n - card[BEGIN] == 1
        if prices.leaf > 0:
            for at in range(card[BEGIN], n):
                card[LOSS] += pool[at, EVENTS] * prices.leaf * prices.leaves[pool[at, NODE]]
        _fill_reach(pool[card[BEGIN] : n])
    store.used[0] = n


@njit(cache=True, nogil=True)
def _fill_reach(profile: NDArray[np.int64]) -> None:
    """Fill in how far one sees from every time.

    The shortest interval over a gap is the least ``time - reach`` over the right ends after the gap that reach
    back before it. Both the first and the last such right end rise with the gap.
    """
    n = profile.shape[0]
    right = 0
    for left in range(n):
        while right < n and profile[right, REACH] < profile[left, TIME]:
            right += 1
        profile[left, AHEAD] = profile[right, TIME] if right < n else INFINITE
    # Right ends that may still be the best over a later gap, their intervals rising in length.
    waiting = np.empty(n, np.int64)
    head, tail, entering = 0, 0, 1
    profile[0, ACROSS] = INFINITE
    for gap in range(1, n):
        while entering < n and profile[entering, REACH] <= profile[gap - 1, TIME]:
            length = _measure_interval(profile, entering)
            while tail > head and _measure_interval(profile, waiting[tail - 1]) >= length:
                tail -= 1
            waiting[tail] = entering
            tail += 1
            entering += 1
        while head < tail and waiting[head] < gap:
            head += 1
        profile[gap, ACROSS] = _measure_interval(profile, waiting[head]) if head < tail else INFINITE
    for at in range(n):
        around = min(_measure_interval(profile, at), profile[at, AHEAD] - profile[at, TIME])
        profile[at, AROUND] = min(around, profile[at + 1, ACROSS]) if at + 1 < n else around


@njit(cache=True, nogil=True)
def _measure_interval(profile: NDArray[np.int64], at: int) -> int:
    """Length of the shortest interval up to a time that holds every member."""
    return int(profile[at, TIME] - profile[at, REACH])


@njit(cache=True, nogil=True)
def measure_union(store: Store, cluster: int, other: int) -> int:
    """Find the least loss of the union of two clusters."""
    mine, yours, prices = store.cards[cluster], store.cards[other], store.prices
    if need_single_interval(mine, yours):
        return int(price_single_interval(mine, yours, prices) * (mine[COUNT] + yours[COUNT]))
    n = unite_profiles(store.pool[mine[BEGIN] : mine[END]], store.pool[yours[BEGIN] : yours[END]], store.work, prices)
    return int(find_loss(store.work[:n], prices, store.table, store.runs))


@njit(cache=True, nogil=True)
def need_single_interval(mine: NDArray[np.int64], yours: NDArray[np.int64]) -> bool:
    """Whether one interval only can cover two clusters, by their cards: a lone time, or no time in common."""
    return bool(mine[LONE] | yours[LONE] | (mine[LAST] <= yours[FIRST]) | (yours[LAST] <= mine[FIRST]))


@njit(cache=True, nogil=True)
def price_single_interval(mine: NDArray[np.int64], yours: NDArray[np.int64], prices: Prices) -> int:
    """Price per event of the interval that covers all of two clusters, by their cards."""
    price = prices.time * (max(mine[LAST], yours[LAST]) - min(mine[FIRST], yours[FIRST]))
    if prices.leaf > 0:
        price += prices.leaf * prices.leaves[join_nodes(mine[TOP], yours[TOP], prices)]
    return int(price)


@njit(cache=True, nogil=True)
def merge_clusters(store: Store, cluster: int, other: int) -> int:
    """Make one cluster of two, and return its number, the smaller of theirs."""
    merged, gone = min(cluster, other), max(cluster, other)
    mine, yours, prices = store.cards[merged], store.cards[gone], store.prices
    n = unite_profiles(store.pool[mine[BEGIN] : mine[END]], store.pool[yours[BEGIN] : yours[END]], store.work, prices)
    if need_single_interval(mine, yours):
        mine[LOSS] = price_single_interval(mine, yours, prices) * (mine[COUNT] + yours[COUNT])
    else:
        mine[LOSS] = find_loss(store.work[:n], prices, store.table, store.runs)
    pairs = mine[PAIRS_END] - mine[PAIRS_BEGIN] + yours[PAIRS_END] - yours[PAIRS_BEGIN]
    if store.used[0] + n > store.pool.shape[0] or store.used[1] + pairs > store.key.size:
        _compact_pools(store)
    _write_profile(store, mine, yours, n)
    _write_pairs(store, mine, yours)
    mine[TRAIL] = store.used[2]
    store.trail[store.used[2]] = merged
    store.used[2] += 1
    if prices.leaf > 0:
        mine[TOP] = join_nodes(mine[TOP], yours[TOP], prices)
    mine[FIRST], mine[LAST] = min(mine[FIRST], yours[FIRST]), max(mine[LAST], yours[LAST])
    mine[COUNT] += yours[COUNT]
    mine[PEOPLE] += yours[PEOPLE]
    mine[LONE] |= yours[LONE]
    mine[MARKS] |= yours[MARKS]
    yours[PEOPLE] = 0
    store.home[gone] = merged
    return int(merged)


@njit(cache=True, nogil=True)
def merge_runs(store: Store, people: NDArray[np.int64], group: NDArray[np.int64]) -> None:
    """Merge people, each a cluster of their own, with those of the same group; these stand side by side."""
    cluster = people[0] if people.size > 0 else -1
    for at in range(1, people.size):
        same = group[at] == group[at - 1]
        cluster = merge_clusters(store, cluster, people[at]) if same else people[at]


def number_groups(home: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the clusters that are left from 0, in the order of their first members, by person.

    Examples
    --------
    >>> number_groups(np.array([0, 1, 0, 2, 1])).tolist()
    [0, 1, 0, 0, 1]
    """
    # Clusters are merged into those with smaller numbers, so one look after the other leads to the last.
    while (home[home] != home).any():
        home = home[home]
    return np.unique(home, return_inverse=True)[1].reshape(-1).astype(np.int64, copy=False)


@njit(cache=True, nogil=True)
def _write_profile(store: Store, mine: NDArray[np.int64], yours: NDArray[np.int64], n: int) -> None:
    """Write the profile of a union, which is where unions are made, to the end of the pool."""
    begin = store.used[0]
    for at in range(n):
        for column in range(NODE + 1):
            store.pool[begin + at, column] = store.work[at, column]
    _fill_reach(store.pool[begin : begin + n])
    store.used[0] += n
    mine[BEGIN], mine[END] = begin, store.used[0]
    yours[BEGIN] = yours[END] = 0


@njit(cache=True, nogil=True)
def _write_pairs(store: Store, mine: NDArray[np.int64], yours: NDArray[np.int64]) -> None:
    """Write the pairs of two clusters to the end of all pairs, as those of one."""
    key, person = store.key, store.person
    i, j, begin = mine[PAIRS_BEGIN], yours[PAIRS_BEGIN], store.used[1]
    while i < mine[PAIRS_END] or j < yours[PAIRS_END]:
        if j == yours[PAIRS_END] or (i < mine[PAIRS_END] and key[i] <= key[j]):
            at = i
            i += 1
        else:
            at = j
            j += 1
        key[store.used[1]], person[store.used[1]] = key[at], person[at]
        store.used[1] += 1
    mine[PAIRS_BEGIN], mine[PAIRS_END] = begin, store.used[1]
    yours[PAIRS_BEGIN] = yours[PAIRS_END] = 0


@njit(cache=True, nogil=True)
def _compact_pools(store: Store) -> None:
    """Close the gaps that merged clusters left, in the order in which clusters were written."""
    pool, key, person = store.pool, store.key, store.person
    written = store.used[2]
    store.used[:] = 0
    for step in range(written):
        card = store.cards[store.trail[step]]
        if card[TRAIL] != step or card[PEOPLE] == 0:
            continue
        begin, pairs_begin = store.used[0], store.used[1]
        for at in range(card[BEGIN], card[END]):
            for column in range(pool.shape[1]):
                pool[store.used[0], column] = pool[at, column]
            store.used[0] += 1
        for at in range(card[PAIRS_BEGIN], card[PAIRS_END]):
            key[store.used[1]], person[store.used[1]] = key[at], person[at]
            store.used[1] += 1
        card[BEGIN], card[END], card[PAIRS_BEGIN], card[PAIRS_END] = begin, store.used[0], pairs_begin, store.used[1]
        store.trail[store.used[2]] = store.trail[step]
        card[TRAIL] = store.used[2]
        store.used[2] += 1
