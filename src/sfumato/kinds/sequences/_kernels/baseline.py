"""Greedy grouping: a cluster takes in its nearest neighbours until it is large enough; what stays small is repaired.

Where the algorithm as printed leaves it open, or its text says more, this is the order of play:

- A permutation of the people says who begins. Whoever has not been taken in when the turn comes begins a cluster, and
  this cluster is the one that is picked until it is large enough or has no neighbour that it is not in conflict with:
  groups grow one after the other, out of single people (Section 6.4.1), which loses clearly less than to pick any
  cluster at random each time.
- The number of a cluster is the smallest number of a member. Among clusters at the same loss per event the one with
  the smallest number is the nearest. Losses per event are quotients of whole numbers in double precision.
- With diversity, clusters are in conflict while both are too small, when members of both do the same within a window.
- Clusters that are too small at the end are repaired in the order of their numbers.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.clusters import COUNT, PEOPLE, Store, measure_union, merge_clusters
from sfumato.kinds.sequences._kernels.demand import Rule, fulfils
from sfumato.kinds.sequences._kernels.extents import (
    EVALUATIONS,
    are_in_conflict,
    build_tree,
    find_nearest,
    has_capacity,
    insert_cluster,
    remove_cluster,
)

__all__ = ["Index", "Scan", "Search", "group_greedily"]


class Search(Protocol):
    """A set of clusters that is searched for the nearest."""

    def find(self, cluster: int, gap: int) -> int:
        """Find the nearest to a cluster that is not in the set, none in conflict with it, or -1 when there is none."""

    def remove(self, cluster: int) -> None:
        """Take a cluster out."""

    def insert(self, cluster: int) -> None:
        """Put a cluster in."""


class Scan:
    """A set of clusters of which all are looked at."""

    def __init__(self, store: Store, alive: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        self.store, self.counts = store, counts
        self.alive = alive.copy()
        self.size = alive.size
        self.place = np.full(store.cards.shape[0], -1)
        self.place[alive] = np.arange(alive.size)

    def find(self, cluster: int, gap: int) -> int:
        return int(_scan(self.store, self.alive[: self.size], cluster, gap, self.counts))

    def remove(self, cluster: int) -> None:
        self.size -= 1
        moved, place = self.alive[self.size], self.place[cluster]
        self.alive[place], self.place[moved] = moved, place

    def insert(self, cluster: int) -> None:
        self.alive[self.size], self.place[cluster] = cluster, self.size
        self.size += 1


class Index:
    """A set of clusters in a tree of extents."""

    def __init__(self, store: Store, alive: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        self.store, self.counts = store, counts
        self._build(alive)

    def _build(self, alive: NDArray[np.int64]) -> None:
        self.tree, self.heap = build_tree(self.store, alive)
        self.size = self.built = alive.size

    def find(self, cluster: int, gap: int) -> int:
        return int(find_nearest(self.tree, self.heap, self.store, cluster, gap, self.counts))

    def remove(self, cluster: int) -> None:
        remove_cluster(self.tree, self.store.cards, cluster)
        self.size -= 1
        if 2 * self.size < self.built:
            self._build(np.flatnonzero(self.tree.place >= 0))

    def insert(self, cluster: int) -> None:
        if not has_capacity(self.tree):
            self._build(np.flatnonzero(self.tree.place >= 0))
        insert_cluster(self.tree, self.store.cards, cluster)
        self.size += 1


@njit(cache=True, nogil=True)
def _scan(store: Store, alive: NDArray[np.int64], cluster: int, gap: int, counts: NDArray[np.int64]) -> int:
    """Find the cluster whose union with a cluster has the least loss per event by looking at all, or -1."""
    best, nearest = np.inf, -1
    for other in alive:
        if gap >= 0 and are_in_conflict(store, cluster, other, gap):
            continue
        counts[EVALUATIONS] += 1
        loss = measure_union(store, cluster, other) / (store.cards[cluster, COUNT] + store.cards[other, COUNT])
        if loss < best or (loss == best and other < nearest):
            best, nearest = loss, other
    return int(nearest)


def group_greedily(
    store: Store,
    rule: Rule,
    orders: Sequence[NDArray[np.int64]],
    search: Callable[[Store, NDArray[np.int64], NDArray[np.int64]], Search],
    counts: NDArray[np.int64],
    report: Callable[[int, int], None],
) -> None:
    """Merge clusters of one person each until all fulfil the rule; there must be a way.

    Parameters
    ----------
    store
        One cluster for everyone in the orders; any others fulfil the rule. They are merged in place.
    rule
        What groups have to fulfil.
    orders
        Disjoint permutations of people: who begins. People of one order take in each other only; everybody else only
        takes in clusters that are too small at the end.
    search
        How the nearest cluster is found.
    counts
        Counted up: evaluations of the loss, of bounds, and nodes visited.
    report
        Called with people placed and people in all.

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Section 3.3, Algorithm 1.
    """
    placed, everybody = 0, sum(order.size for order in orders)
    for order in orders:
        _grow_clusters(store, rule, order, search(store, order, counts), _ahead(report, placed, everybody))
        placed += order.size
    alive = np.flatnonzero(store.cards[:, PEOPLE])
    small = alive[store.cards[alive, PEOPLE] < rule.people]
    if small.size:
        _repair_clusters(store, rule, small, search(store, alive, counts))


def _ahead(report: Callable[[int, int], None], placed: int, everybody: int) -> Callable[[int, int], None]:
    """Report what is done of one order after others."""
    return lambda done, _: report(placed + done, everybody)


def _grow_clusters(
    store: Store, rule: Rule, order: NDArray[np.int64], search: Search, report: Callable[[int, int], None]
) -> None:
    """Let people take in their nearest, if not in conflict, until their cluster is large or there are none."""
    gap = rule.gap if rule.l > 0 else -1
    waiting = np.zeros(store.home.size, np.bool_)
    waiting[order] = True
    placed = 0
    for person in order.tolist():
        if not waiting[person]:
            continue
        cluster = nearest = person
        while nearest >= 0:
            waiting[nearest] = False
            search.remove(nearest)
            cluster = nearest if nearest == person else int(merge_clusters(store, cluster, nearest))
            placed += 1
            report(placed, order.size)
            large = store.cards[cluster, PEOPLE] >= rule.people
            nearest = -1 if large else search.find(cluster, gap)


def _repair_clusters(store: Store, rule: Rule, small: NDArray[np.int64], search: Search) -> None:
    """Merge clusters that are too small with their nearest, in conflict or not, until they fulfil the rule."""
    person_counts = np.zeros(store.home.size, np.int32)
    for cluster in small.tolist():
        if not 0 < store.cards[cluster, PEOPLE] < rule.people:
            continue
        search.remove(cluster)
        while not fulfils(store, rule, cluster, person_counts):
            nearest = search.find(cluster, -1)
            search.remove(nearest)
            cluster = int(merge_clusters(store, cluster, nearest))
        search.insert(cluster)
