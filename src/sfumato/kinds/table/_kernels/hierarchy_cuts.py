"""Classes under cuts through hierarchies, and what they become if one node of a cut is taken apart or made whole.

A cut holds one node above every value of an attribute; values are published as their node. Nodes of one attribute lie
apart, so every class lies below one of them, and what becomes of it when that node changes does not depend on the other
nodes of the attribute: one pass over the records tries them all at once.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.table._kernels.different_records import MIX, Records, choose_factors
from sfumato.kinds.table._kernels.generalised_classes import Classes, Workspace, merge_values

__all__ = ["Trees", "group_by_cut", "join_classes", "plant_trees", "split_classes"]


class Trees(NamedTuple):
    """The trees of all attributes, their nodes numbered one after the other.

    Attributes
    ----------
    parent, depth, price
        Node above each node (-1 above a root), steps from the root, and what a cell costs.
    key
        What a node adds to the key of a generalised record.
    is_exact
        Whether different generalised records never have the same key.
    first
        Where the values of each attribute begin in a cut, and the number of all values.
    path, width
        Node above value v of attribute a at depth h: ``path[(first[a] + v) * width + h]``, -1 below the value itself.
    """

    parent: NDArray[np.int64]
    depth: NDArray[np.int64]
    price: NDArray[np.float64]
    key: NDArray[np.int64]
    is_exact: bool
    first: NDArray[np.int64]
    path: NDArray[np.int64]
    width: int


def plant_trees(
    parents: list[NDArray[np.int64]], leaves: list[NDArray[np.int64]], prices: list[NDArray[np.float64]]
) -> Trees:
    """Lay out the trees of attributes: node above each node, node of each value, price of each node.

    Examples
    --------
    >>> trees = plant_trees([np.array([2, 2, -1])], [np.array([0, 1])], [np.array([0, 0, 1.0])])
    >>> trees.path.reshape(-1, trees.width).tolist()
    [[2, 0], [2, 1]]
    """
    begin = np.cumsum([0, *map(len, parents)])
    parent = np.concatenate([np.where(p < 0, -1, p + b) for p, b in zip(parents, begin, strict=False)])
    depth = np.zeros(len(parent), np.int64)
    at = parent.copy()
    while (at >= 0).any():
        depth += at >= 0
        at = np.where(at >= 0, parent[at], -1)
    width = int(depth.max()) + 1
    leaf = np.concatenate([nodes + b for nodes, b in zip(leaves, begin, strict=False)])
    path = np.full((len(leaf), width), -1, np.int64)
    node = leaf.copy()
    while (node >= 0).any():
        there = np.flatnonzero(node >= 0)
        path[there, depth[node[there]]] = node[there]
        node = np.where(node >= 0, parent[node], -1)
    factor, is_exact = choose_factors([len(p) for p in parents])
    key = np.concatenate([np.arange(len(p), dtype=np.int64) * by for p, by in zip(parents, factor, strict=True)])
    first = np.cumsum([0, *map(len, leaves)]).astype(np.int64)
    return Trees(parent, depth, np.concatenate(prices), key, is_exact, first, path.ravel(), width)


@njit(cache=True, nogil=True)
def group_by_cut(
    records: Records, trees: Trees, cut: NDArray[np.int64], base: Classes, into: Classes, work: Workspace
) -> None:
    """Group the classes of a cut; ``work.target`` says which class every different record is in."""
    value, first, node_key, is_exact = records.value, trees.first, trees.key, trees.is_exact
    base_count, base_people, has_people = base.weight, base.people, base.people.size > 0
    example, into_key, count, people = into.example, into.key, into.weight, into.people
    keys, owner, target = work.key, work.owner, work.target
    mask = np.uint64(keys.size - 1)
    owner[:] = -1
    class_count = 0
    for row in range(value.shape[0]):
        key = np.int64(0)
        for attribute in range(value.shape[1]):
            key += node_key[cut[first[attribute] + value[row, attribute]]]
        mixed = np.uint64(key) * MIX
        slot = (mixed ^ (mixed >> np.uint64(29))) & mask
        while True:
            here = owner[slot]
            if here < 0:
                here = class_count
                keys[slot], owner[slot] = key, here
                example[here], into_key[here], count[here] = row, key, base_count[row]
                if has_people:
                    people[here] = base_people[row]
                class_count += 1
                break
            if keys[slot] == key and (is_exact or _same(value, first, cut, example[here], row)):
                count[here] += base_count[row]
                if has_people:
                    people[here] += base_people[row]
                break
            slot = (slot + np.uint64(1)) & mask
        target[row] = here
    into.size[0] = class_count
    into.size[1] = 0
    if base.start.size > 0:
        merge_values(base, into, work)


@njit(cache=True, nogil=True)
def _same(value: NDArray[np.int32], first: NDArray[np.int64], cut: NDArray[np.int64], a: int, b: int) -> bool:
    for attribute in range(value.shape[1]):
        if cut[first[attribute] + value[a, attribute]] != cut[first[attribute] + value[b, attribute]]:
            return False
    return True


@njit(cache=True, nogil=True)
def split_classes(
    state: tuple[Records, Trees, NDArray[np.int64], NDArray[np.int32]],
    attribute: int,
    wanted: NDArray[np.bool_],
    base: Classes,
    into: Classes,
    work: Workspace,
) -> None:
    """Group what the classes below wanted nodes of a cut become if these nodes give way to their children.

    Parameters
    ----------
    state
        The data, the trees, the cut, and the class of every different record.
    attribute
        Whose nodes are tried.
    wanted
        Which nodes are tried; each has children.
    base, into, work
        The different records; the new classes, of which ``into.key`` is the new node; memory.
    """
    records, trees, cut, class_of = state
    value, first, path, depth, width = records.value, trees.first[attribute], trees.path, trees.depth, trees.width
    base_count, base_people, has_people = base.weight, base.people, base.people.size > 0
    example, into_key, count, people = into.example, into.key, into.weight, into.people
    keys, owner, target = work.key, work.owner, work.target
    mask = np.uint64(keys.size - 1)
    owner[:] = -1
    nodes = np.int64(depth.size)
    class_count = 0
    for row in range(value.shape[0]):
        at = first + value[row, attribute]
        node = cut[at]
        if not wanted[node]:
            target[row] = -1
            continue
        child = path[at * width + depth[node] + 1]
        key = class_of[row] * nodes + child
        mixed = np.uint64(key) * MIX
        slot = (mixed ^ (mixed >> np.uint64(29))) & mask
        while owner[slot] >= 0 and keys[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        here = owner[slot]
        if here < 0:
            here = class_count
            keys[slot], owner[slot] = key, here
            example[here], into_key[here], count[here] = row, child, 0
            if has_people:
                people[here] = 0
            class_count += 1
        count[here] += base_count[row]
        if has_people:
            people[here] += base_people[row]
        target[row] = here
    into.size[0] = class_count
    into.size[1] = 0
    if base.start.size > 0:
        merge_values(base, into, work)


@njit(cache=True, nogil=True)
def join_classes(
    state: tuple[Records, Trees, NDArray[np.int64], Classes],
    attribute: int,
    wanted: NDArray[np.bool_],
    into: Classes,
    work: Workspace,
) -> None:
    """Group what classes become if all nodes right below wanted ones give way to these.

    Parameters
    ----------
    state
        The data, the trees, the cut and its classes.
    attribute
        Whose nodes are tried.
    wanted
        Which nodes are tried; all that the cut holds below them are their children.
    into, work
        The new classes, of which ``into.key`` is the key; ``work.target`` says which one every class is part of, -1
        where nothing is tried.
    """
    records, trees, cut, source = state
    value, firsts, parent, node_key, is_exact = records.value, trees.first, trees.parent, trees.key, trees.is_exact
    first = firsts[attribute]
    source_example, source_key, source_count = source.example, source.key, source.weight
    source_people, has_people = source.people, source.people.size > 0
    example, into_key, count, people = into.example, into.key, into.weight, into.people
    keys, owner, target = work.key, work.owner, work.target
    mask = np.uint64(keys.size - 1)
    owner[:] = -1
    class_count = 0
    for place in range(source.size[0]):
        row = source_example[place]
        node = cut[first + value[row, attribute]]
        above = parent[node]
        if above < 0 or not wanted[above]:
            target[place] = -1
            continue
        key = source_key[place] - node_key[node] + node_key[above]
        mixed = np.uint64(key) * MIX
        slot = (mixed ^ (mixed >> np.uint64(29))) & mask
        while True:
            here = owner[slot]
            if here < 0:
                here = class_count
                keys[slot], owner[slot] = key, here
                example[here], into_key[here], count[here] = row, key, 0
                if has_people:
                    people[here] = 0
                class_count += 1
                break
            if keys[slot] == key:
                if is_exact:
                    break
                other = example[here]
                same = parent[cut[first + value[other, attribute]]] == above
                for b in range(value.shape[1]):
                    if b != attribute and cut[firsts[b] + value[other, b]] != cut[firsts[b] + value[row, b]]:
                        same = False
                if same:
                    break
            slot = (slot + np.uint64(1)) & mask
        count[here] += source_count[place]
        if has_people:
            people[here] += source_people[place]
        target[place] = here
    into.size[0] = class_count
    into.size[1] = 0
    if source.start.size > 0:
        merge_values(source, into, work)
