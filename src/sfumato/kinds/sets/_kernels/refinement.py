"""REFINE: neighbouring clusters are joined where what their term chunks have in common can be shared.

In every round the trees of clusters are put in the lexicographic order of what they hold in term chunks, terms held
by many trees first; neighbours are joined where Equation 1 allows it. A pair that was refused is not tried again while
both trees stay as they are.

References
----------
Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy Preservation by Disassociation", Section 4, REFINE.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sets._kernels.cluster_terms import ClusterTerms
from sfumato.kinds.sets._kernels.joint_clusters import (
    Candidates,
    Forest,
    Held,
    Rules,
    Scratch,
    hold_terms,
    plant_forest,
)
from sfumato.kinds.sets._kernels.lexicographic import order_lists
from sfumato.kinds.sets._kernels.shared_chunks import number_shared_chunks
from sfumato.kinds.sets._kernels.vertical_partition import falling_supports

__all__ = ["join_clusters"]

_REMEMBERED = 8
"""With how many others a tree is remembered to have been refused."""


def join_clusters(index: ClusterTerms, chunk: NDArray[np.int64], apart: NDArray[np.bool_], rules: Rules) -> Forest:
    """Join clusters until nothing more can be shared.

    Parameters
    ----------
    index
        Terms of the clusters.
    chunk
        Of every entry: its chunk in its cluster, 0 for the term chunk.
    apart
        By term: whether it always stays in the term chunk.
    rules
        What shared chunks have to keep.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
    >>> from sfumato.kinds.sets._kernels.horizontal_partition import Partition
    >>> rows = np.array([0, 2, 0, 1, 2, 1], np.int32)
    >>> index = index_clusters(np.array([0, 2, 3, 5, 6]), rows, Partition(np.arange(4), np.array([0, 2, 4])), 3)
    >>> forest = join_clusters(index, np.array([1, 0, 1, 0]), np.zeros(3, np.bool_), Rules(2, 2, False))
    >>> int(forest.made[0]), forest.parent.tolist(), forest.node.tolist(), forest.chunk.tolist()
    (3, [2, 2, -1], [0, 2, 1, 2], [1, 1, 1, 1])
    """
    forest: Forest = plant_forest(index, chunk, rules)
    held = hold_terms(index, chunk, apart)
    scratch = Scratch(np.full(index.bounds[-1], -1, np.int64), np.full(apart.size, -1, np.int64))
    refused = np.full((forest.parent.size, _REMEMBERED), -1, np.int64)
    before = -1
    while forest.made[0] != before:
        before = int(forest.made[0])
        held = _join_neighbours(index, forest, held, rules, refused, scratch)
    return forest


@njit(cache=True, nogil=True)
def _order_trees(held: Held, term_count: int) -> NDArray[np.int64]:
    """Order trees by the terms they hold, those first that most trees hold."""
    frequency = np.zeros(term_count, np.int64)
    for term in held.term:
        frequency[term] += 1
    rank = np.empty(term_count, np.int32)
    order = falling_supports(frequency)
    for by in range(term_count):
        rank[order[by]] = by
    values = _sort_ranks(held, rank, frequency)
    trees: NDArray[np.int64] = order_lists(held.bounds, values)
    return trees


@njit(cache=True, nogil=True)
def _sort_ranks(held: Held, rank: NDArray[np.int32], frequency: NDArray[np.int64]) -> NDArray[np.int32]:
    """List the ranks of the terms of every tree, ascending: by counting, since all trees together are long."""
    write = np.zeros(rank.size + 1, np.int64)
    for term in range(rank.size):
        write[rank[term] + 1] = frequency[term]
    for by in range(rank.size):
        write[by + 1] += write[by]
    tree_of = np.empty(held.term.size, np.int32)
    for tree in range(held.root.size):
        for at in range(held.bounds[tree], held.bounds[tree + 1]):
            by = rank[held.term[at]]
            tree_of[write[by]] = tree
            write[by] += 1
    values = np.empty(held.term.size, np.int32)
    fill = held.bounds[:-1].copy()
    at = 0
    for by in range(rank.size):
        while at < write[by]:
            values[fill[tree_of[at]]] = by
            fill[tree_of[at]] += 1
            at += 1
    return values


@njit(cache=True, nogil=True)
def _join_neighbours(
    index: ClusterTerms,
    forest: Forest,
    held: Held,
    rules: Rules,
    refused: NDArray[np.int64],
    scratch: Scratch,
) -> Held:
    """Go once through the trees, join neighbours where it pays, and return what the trees then hold."""
    order = _order_trees(held, scratch.term.size)
    made = Held(
        np.empty(held.root.size, np.int64),
        np.zeros(held.root.size + 1, np.int64),
        np.empty_like(held.term),
        np.empty_like(held.support),
        np.empty_like(held.leaves),
        np.empty_like(held.head),
        np.empty_like(held.tail),
    )
    trees, at = 0, 0
    while at < order.size:
        tree, other = order[at], order[min(at + 1, order.size - 1)]
        joined = False
        if tree != other and not _was_refused(refused, held.root[tree], held.root[other]):
            joined = _join_pair(index, forest, held, (tree, other), rules, scratch)
        root = forest.made[0] - 1 if joined else held.root[tree]
        end = _merge_held(forest, held, made, made.bounds[trees], tree, other if joined else -1)
        at += 2 if joined else 1
        if end > made.bounds[trees]:
            made.root[trees] = root
            made.bounds[trees + 1] = end
            trees += 1
    end = made.bounds[trees]
    return Held(
        made.root[:trees],
        made.bounds[: trees + 1],
        made.term[:end],
        made.support[:end],
        made.leaves[:end],
        made.head[:end],
        made.tail[:end],
    )


@njit(cache=True, nogil=True)
def _was_refused(refused: NDArray[np.int64], tree: int, other: int) -> bool:
    """Tell whether a pair was tried before; if not, remember it: a tree that is joined does not come again."""
    low, high = min(tree, other), max(tree, other)
    for i in range(_REMEMBERED):
        if refused[low, i] == high:
            return True
    for i in range(_REMEMBERED - 1):
        refused[low, i] = refused[low, i + 1]
    refused[low, _REMEMBERED - 1] = high
    return False


@njit(cache=True, nogil=True)
def _join_pair(
    index: ClusterTerms, forest: Forest, held: Held, pair: tuple[int, int], rules: Rules, scratch: Scratch
) -> bool:
    """Join two trees if they have terms to share and Equation 1 holds."""
    candidates = _common_terms(held, pair[0], pair[1], rules.k)
    if candidates.term.size == 0:
        return False
    roots = (held.root[pair[0]], held.root[pair[1]])
    number = number_shared_chunks(index, forest, roots, candidates, rules, scratch)
    if not number.any():
        return False
    if not _pays(index, forest, roots, candidates, number):
        for i in range(number.size):
            if number[i] > 0:
                _restore(index, forest, candidates.first[i])
                _restore(index, forest, candidates.second[i])
        return False
    _plant_joint(forest, roots, candidates, number)
    return True


@njit(cache=True, nogil=True)
def _restore(index: ClusterTerms, forest: Forest, entry: int) -> None:
    while entry >= 0:
        forest.spare[index.cluster[entry]] += 1
        entry = forest.next_entry[entry]


@njit(cache=True, nogil=True)
def _common_terms(held: Held, tree: int, other: int, k: int) -> Candidates:
    """List the terms that both trees hold and at least k records have, by falling support."""
    a, b = held.bounds[tree], held.bounds[other]
    pairs = np.empty((min(held.bounds[tree + 1] - a, held.bounds[other + 1] - b), 2), np.int64)
    count = 0
    while a < held.bounds[tree + 1] and b < held.bounds[other + 1]:
        if held.term[a] < held.term[b]:
            a += 1
        elif held.term[a] > held.term[b]:
            b += 1
        else:
            if held.support[a] + held.support[b] >= k:
                pairs[count, 0], pairs[count, 1] = a, b
                count += 1
            a += 1
            b += 1
    first, second = pairs[:count, 0], pairs[:count, 1]
    order = falling_supports(held.support[first] + held.support[second])
    first, second = first[order], second[order]
    return Candidates(
        held.term[first],
        held.support[first] + held.support[second],
        held.leaves[first] + held.leaves[second],
        held.head[first],
        held.head[second],
    )


@njit(cache=True, nogil=True)
def _pays(
    index: ClusterTerms, forest: Forest, roots: tuple[int, int], candidates: Candidates, number: NDArray[np.int64]
) -> bool:
    """Tell whether Equation 1 holds for the terms that are shared."""
    support, leaf_count, records = 0, 0, 0
    for i in range(number.size):
        if number[i] > 0:
            support += candidates.support[i]
            leaf_count += candidates.leaves[i]
    leaves, write = np.empty(leaf_count, np.int64), 0
    for i in range(number.size):
        if number[i] == 0:
            continue
        for entry in (candidates.first[i], candidates.second[i]):
            while entry >= 0:
                leaves[write] = index.cluster[entry]
                write += 1
                entry = forest.next_entry[entry]
    leaves.sort()
    for i in range(leaf_count):
        if i == 0 or leaves[i] != leaves[i - 1]:
            records += forest.size[leaves[i]]
    return bool(support * records >= leaf_count * (forest.size[roots[0]] + forest.size[roots[1]]))


@njit(cache=True, nogil=True)
def _plant_joint(forest: Forest, roots: tuple[int, int], candidates: Candidates, number: NDArray[np.int64]) -> None:
    """Make the joint cluster and let it publish the shared terms."""
    joint = forest.made[0]
    forest.made[0] += 1
    root, other = roots
    forest.parent[root] = forest.parent[other] = joint
    forest.left[joint], forest.right[joint] = root, other
    forest.size[joint] = forest.size[root] + forest.size[other]
    forest.leaves[joint] = forest.leaves[root] + forest.leaves[other]
    forest.next_leaf[forest.last_leaf[root]] = forest.first_leaf[other]
    forest.first_leaf[joint], forest.last_leaf[joint] = forest.first_leaf[root], forest.last_leaf[other]
    write = forest.shared[joint]
    for i in range(number.size):
        if number[i] == 0:
            continue
        forest.shared_terms[write] = candidates.term[i]
        write += 1
        for entry in (candidates.first[i], candidates.second[i]):
            while entry >= 0:
                forest.node[entry], forest.chunk[entry] = joint, number[i]
                entry = forest.next_entry[entry]
    forest.shared[joint + 1] = write


@njit(cache=True, nogil=True)
def _merge_held(forest: Forest, held: Held, made: Held, write: int, tree: int, other: int) -> int:
    """Write what one tree, or two joined ones, still hold; return where the writing ended."""
    a, a_end = held.bounds[tree], held.bounds[tree + 1]
    b, b_end = (held.bounds[other], held.bounds[other + 1]) if other >= 0 else (0, 0)
    while a < a_end or b < b_end:
        from_a = b >= b_end or (a < a_end and held.term[a] <= held.term[b])
        from_b = a >= a_end or (b < b_end and held.term[b] <= held.term[a])
        source = a if from_a else b
        if forest.chunk[held.head[source]] == 0:
            made.term[write] = held.term[source]
            made.support[write] = held.support[source]
            made.leaves[write] = held.leaves[source]
            made.head[write], made.tail[write] = held.head[source], held.tail[source]
            if from_a and from_b:
                made.support[write] += held.support[b]
                made.leaves[write] += held.leaves[b]
                forest.next_entry[held.tail[a]] = held.head[b]
                made.tail[write] = held.tail[b]
            write += 1
        a += from_a
        b += from_b
    return write
