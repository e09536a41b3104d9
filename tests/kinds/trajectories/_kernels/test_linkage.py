"""The nearest group against brute force over all pairs of members."""

from types import SimpleNamespace

import numpy as np
import pytest
from tests.kinds.trajectories.naive import recode as naive

from sfumato.kinds.trajectories._kernels import linkage as module
from sfumato.kinds.trajectories._kernels.groups import compact_groups, new_groups
from sfumato.kinds.trajectories._kernels.linkage import (
    choose_bits,
    choose_scale,
    find_nearest,
    measure_extent,
    new_linkage,
    unite_groups,
)


def make_tree(places, random):
    """A random tree; leaves are the last nodes."""
    inner = 6
    parent = np.array([-1] + [random.integers(0, node) for node in range(1, inner)] + [0] * places)
    parent[inner:] = random.integers(0, inner, places)
    node = np.arange(inner, inner + places)
    leaves = np.zeros(parent.size, np.int64)
    for leaf in node:
        for above in naive.find_ancestors(leaf, parent):
            leaves[above] += 1
    return node.astype(np.int32), parent.astype(np.int32), leaves


@pytest.mark.parametrize("memory", [2**20, 900, 1])
@pytest.mark.parametrize("with_tree", [False, True])
@pytest.mark.parametrize("constraints", [1, 3])
def test_nearest_equals_brute_force_while_merging(monkeypatch, memory, with_tree, constraints):
    """From rows kept for all groups of two, over some, to none at all."""
    monkeypatch.setattr(module, "_ROW_MEMORY", memory)
    random = np.random.default_rng([memory, with_tree, constraints])
    places = 24
    xy = random.integers(0, 4, (places, 2)).astype(float) if with_tree else random.random((places, 2))
    constraint = np.sort(random.integers(0, constraints, places)).astype(np.int32)
    tree = make_tree(places, random)
    none = np.empty(0, np.int32)
    points = np.column_stack([xy, np.zeros(places)])
    hierarchy = tree[1:] if with_tree else (none, none.astype(np.int64))
    linkage = new_linkage(points, choose_scale(points, 0.0), constraint, *hierarchy)
    node = tree[0] if with_tree else np.zeros(places, np.int32)
    groups = new_groups(np.arange(places, dtype=np.int32), np.ones(places, np.int64), node)
    distance = naive.measure_distances([tuple(point) for point in xy.tolist()])
    for step in range(places):
        alive = np.flatnonzero(groups.forward == np.arange(groups.forward.size))
        members = {int(groups.code[a]): np.flatnonzero(groups.label == a).tolist() for a in alive}
        data = SimpleNamespace(members=members.__getitem__, groups=members.keys)
        chosen = -1
        for label in alive:
            nearest = find_nearest(linkage, groups, label)
            expected = naive.find_nearest(
                data, int(groups.code[label]), distance, constraint.tolist(), tree if with_tree else None
            )
            assert (nearest < 0) == (expected is None)
            if nearest >= 0:
                assert groups.code[nearest] == expected
                chosen = (label, nearest) if chosen == -1 or random.random() < 0.3 else chosen
        if chosen == -1:
            break
        unite_groups(linkage, groups, *(chosen if random.random() < 0.5 else chosen[::-1]))
        if step % 5 == 4:
            groups, _ = compact_groups(groups)
    assert len(members) == constraints


def test_bits_keep_sums_exact():
    for places in (1, 2, 100, 5_000, 20_000, 10**6):
        q = choose_bits(places)
        assert (places / 2) ** 2 * 2**q < 2**53
        assert q == 30 or (places / 2) ** 2 * 2 ** (q + 1) >= 2**53


def test_diagonal_of_one_point_is_one():
    assert measure_extent(np.array([[4.0, 2.0, 0.0]]), 0.0) == 1.0
    assert measure_extent(np.empty((0, 3)), 0.0) == 1.0
