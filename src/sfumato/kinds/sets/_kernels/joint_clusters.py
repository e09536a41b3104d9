"""Clusters that are joined two by two: the trees they form and the terms they still hold in term chunks."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sets._kernels.cluster_terms import ClusterTerms
from sfumato.kinds.sets._kernels.vertical_partition import is_self_sufficient

__all__ = [
    "Candidates",
    "Closed",
    "Forest",
    "Held",
    "Rules",
    "Scratch",
    "close_leaves",
    "count_open",
    "find_closed_runs",
    "hold_terms",
    "plant_forest",
]


class Rules(NamedTuple):
    """What shared chunks have to keep: k, m, and whether a term may be in all records that can have it."""

    k: int
    m: int
    safe: bool


class Scratch(NamedTuple):
    """Room for a number by seat and by term; -1 everywhere in between."""

    seat: NDArray[np.int64]
    term: NDArray[np.int64]


class Closed(NamedTuple):
    """Leaves of two trees where a record cannot get a term from a chunk that both trees share.

    Leaves are counted as they are linked, those of the first tree first, so that the leaves below a cluster are a run.

    Attributes
    ----------
    start
        Term i is closed in the runs ``start[i]`` to ``start[i + 1]``, which come by their first leaf.
    low, high
        A run is the leaves `low` to ``high - 1``.
    records
        How many records the leaves before each one have, and at the end all of them.
    """

    start: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    records: NDArray[np.int64]


class Forest(NamedTuple):
    """Clusters and what they publish; leaves are numbered first, joint clusters as they are made.

    Attributes
    ----------
    made
        One number: how many clusters there are, leaves included.
    parent, left, right, size, leaves
        Of every cluster: its place in the tree, -1 for none; how many records and leaves it has.
    first_leaf, last_leaf
        Leaves of a cluster are a run of the list that `next_leaf` links.
    next_leaf
        The leaf that follows, -1 at the end of a tree.
    own, own_terms
        Terms in the record chunks of leaf c: ``own_terms[own[c] : own[c + 1]]``.
    shared, shared_terms
        Terms in the shared chunks of cluster c: ``shared_terms[shared[c] : shared[c + 1]]``.
    node, chunk
        Of every entry: the cluster and the number of the chunk that publish it.
    next_entry
        The same term in the term chunk of another leaf of the same tree, -1 for none.
    spare
        By leaf: how many of its terms may still leave its term chunk.
    """

    made: NDArray[np.int64]
    parent: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    size: NDArray[np.int64]
    leaves: NDArray[np.int64]
    first_leaf: NDArray[np.int64]
    last_leaf: NDArray[np.int64]
    next_leaf: NDArray[np.int64]
    own: NDArray[np.int64]
    own_terms: NDArray[np.int32]
    shared: NDArray[np.int64]
    shared_terms: NDArray[np.int32]
    node: NDArray[np.int64]
    chunk: NDArray[np.int64]
    next_entry: NDArray[np.int64]
    spare: NDArray[np.int64]


class Held(NamedTuple):
    """What the trees still hold in term chunks: the union over the leaves of each.

    Attributes
    ----------
    root
        The clusters at the top of trees that hold terms which may be shared.
    bounds
        Terms of tree t are the positions ``bounds[t]`` to ``bounds[t + 1]``, by ascending code.
    term, support, leaves
        The term, how many records have it from a term chunk, and how many leaves hold it.
    head, tail
        First and last of the linked entries of the term.
    """

    root: NDArray[np.int64]
    bounds: NDArray[np.int64]
    term: NDArray[np.int32]
    support: NDArray[np.int64]
    leaves: NDArray[np.int64]
    head: NDArray[np.int64]
    tail: NDArray[np.int64]


class Candidates(NamedTuple):
    """Terms that two trees hold, in the order of falling support.

    Attributes
    ----------
    term, support, leaves
        As in `Held`, over both trees.
    first, second
        The first of the linked entries in each tree.
    """

    term: NDArray[np.int32]
    support: NDArray[np.int64]
    leaves: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]


def plant_forest(index: ClusterTerms, chunk: NDArray[np.int64], rules: Rules) -> Forest:
    """Make a tree of every leaf.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
    >>> from sfumato.kinds.sets._kernels.horizontal_partition import Partition
    >>> index = index_clusters(np.array([0, 1]), np.array([0], np.int32), Partition(np.array([0]), np.array([0, 1])), 1)
    >>> plant_forest(index, np.array([0]), Rules(2, 2, False)).spare.tolist()
    [0]
    """
    leaves = index.bounds.size - 1
    clusters = max(2 * leaves - 1, 1)
    size = np.zeros(clusters, np.int64)
    size[:leaves] = index.bounds[1:] - index.bounds[:-1]
    published = np.flatnonzero(chunk > 0)
    return Forest(
        made=np.full(1, leaves, np.int64),
        parent=np.full(clusters, -1, np.int64),
        left=np.full(clusters, -1, np.int64),
        right=np.full(clusters, -1, np.int64),
        size=size,
        leaves=np.ones(clusters, np.int64),
        first_leaf=np.arange(clusters),
        last_leaf=np.arange(clusters),
        next_leaf=np.full(leaves, -1, np.int64),
        own=np.searchsorted(index.cluster[published], np.arange(leaves + 1)),
        own_terms=index.term[published],
        shared=np.zeros(clusters + 1, np.int64),
        shared_terms=np.empty(chunk.size // 2 + 1, np.int32),
        node=index.cluster.copy(),
        chunk=chunk.copy(),
        next_entry=np.full(chunk.size, -1, np.int64),
        spare=_count_spare(index, chunk, rules.k, rules.m),
    )


@njit(cache=True, nogil=True)
def _count_spare(index: ClusterTerms, chunk: NDArray[np.int64], k: int, m: int) -> NDArray[np.int64]:
    """Count the terms each leaf can spare: Lemma 2 asks for a term chunk where subrecords are too few."""
    spare = np.zeros(index.bounds.size - 1, np.int64)
    for entry in range(chunk.size):
        if chunk[entry] == 0:
            spare[index.cluster[entry]] += 1
    for leaf in range(spare.size):
        if not is_self_sufficient(index, leaf, chunk, k, m):
            spare[leaf] -= 1
    return spare


def hold_terms(index: ClusterTerms, chunk: NDArray[np.int64], apart: NDArray[np.bool_]) -> Held:
    """List what the leaves hold in their term chunks, without terms that stay apart.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
    >>> from sfumato.kinds.sets._kernels.horizontal_partition import Partition
    >>> rows = np.array([0, 1], np.int32)
    >>> index = index_clusters(np.array([0, 2]), rows, Partition(np.array([0]), np.array([0, 1])), 2)
    >>> hold_terms(index, np.array([1, 0]), np.zeros(2, np.bool_)).term.tolist()
    [1]
    """
    free = np.flatnonzero((chunk == 0) & ~apart[index.term])
    owner = index.cluster[free]
    leaves = index.bounds.size - 1
    first = np.searchsorted(owner, np.arange(leaves + 1))
    root = np.flatnonzero(first[1:] > first[:-1])
    bounds = np.concatenate((np.zeros(1, np.int64), first[root + 1]))
    support = index.start[free + 1] - index.start[free]
    return Held(root, bounds, index.term[free], support, np.ones(free.size, np.int64), free, free.copy())


@njit(cache=True, nogil=True)
def find_closed_runs(
    forest: Forest, roots: tuple[int, int], terms: NDArray[np.int32], places: NDArray[np.int64]
) -> Closed:
    """Find where terms are published below two roots: in a record chunk of a leaf, or in a shared chunk above it.

    `places` is room for a number by term, all -1, and is left so.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
    >>> from sfumato.kinds.sets._kernels.horizontal_partition import Partition
    >>> rows = np.array([0, 1, 0, 1], np.int32)
    >>> index = index_clusters(np.array([0, 2, 4]), rows, Partition(np.arange(2), np.arange(3)), 2)
    >>> forest = plant_forest(index, np.array([1, 0, 0, 0]), Rules(2, 2, False))
    >>> closed = find_closed_runs(forest, (0, 1), np.array([0, 1], np.int32), np.full(2, -1))
    >>> closed.start.tolist(), closed.low.tolist(), closed.high.tolist()
    ([0, 1, 1], [0], [1])
    """
    for i in range(terms.size):
        places[terms[i]] = i
    records = np.zeros(forest.leaves[roots[0]] + forest.leaves[roots[1]] + 1, np.int64)
    runs = [(0, 0, 0) for _ in range(0)]
    above = [roots[1], roots[0]]
    at = 0
    while len(above) > 0:
        cluster = above.pop()
        if forest.left[cluster] >= 0:
            for i in range(forest.shared[cluster], forest.shared[cluster + 1]):
                if places[forest.shared_terms[i]] >= 0:
                    runs.append((places[forest.shared_terms[i]], at, at + forest.leaves[cluster]))
            above.append(forest.right[cluster])
            above.append(forest.left[cluster])
            continue
        for i in range(forest.own[cluster], forest.own[cluster + 1]):
            if places[forest.own_terms[i]] >= 0:
                runs.append((places[forest.own_terms[i]], at, at + 1))
        records[at + 1] = records[at] + forest.size[cluster]
        at += 1
    for term in terms:
        places[term] = -1
    closed: Closed = _sort_runs(runs, terms.size, records)
    return closed


@njit(cache=True, nogil=True)
def _sort_runs(runs: list[tuple[int, int, int]], terms: int, records: NDArray[np.int64]) -> Closed:
    """Bring the runs into the order of their terms; those of a term stay as they are."""
    start = np.zeros(terms + 1, np.int64)
    for i, _, _ in runs:
        start[i + 1] += 1
    start = np.cumsum(start)
    write = start.copy()
    low, high = np.empty(len(runs), np.int64), np.empty(len(runs), np.int64)
    for i, first, end in runs:
        low[write[i]], high[write[i]] = first, end
        write[i] += 1
    return Closed(start, low, high, records)


@njit(cache=True, nogil=True)
def count_open(low: NDArray[np.int64], high: NDArray[np.int64], records: NDArray[np.int64]) -> int:
    """Count the records outside runs of leaves that come by their first leaf.

    Examples
    --------
    >>> count_open(np.array([0]), np.array([1]), np.array([0, 3, 7]))
    4
    """
    left = records[-1]
    end = 0
    for i in range(low.size):
        if high[i] > end:
            left -= records[high[i]] - records[max(low[i], end)]
            end = high[i]
    return int(left)


@njit(cache=True, nogil=True)
def close_leaves(closed: Closed, term: int, fits: NDArray[np.bool_]) -> None:
    """Take out the leaves that are closed to a term.

    Examples
    --------
    >>> fits = np.ones(2, np.bool_)
    >>> close_leaves(Closed(np.array([0, 1]), np.array([0]), np.array([1]), np.array([0, 3, 7])), 0, fits)
    >>> fits.tolist()
    [False, True]
    """
    for at in range(closed.start[term], closed.start[term + 1]):
        fits[closed.low[at] : closed.high[at]] = False
