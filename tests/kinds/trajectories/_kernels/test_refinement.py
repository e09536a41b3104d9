"""The refinement of groups does what its plain twin does, keeps every crowd and never loses more."""

from math import dist

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.naive import recode, refinement

from sfumato.kinds.trajectories._kernels.demand import Demand
from sfumato.kinds.trajectories._kernels.linkage import measure_extent
from sfumato.kinds.trajectories._kernels.refinement import choose_steps, list_nodes, refine_groups, weigh_seats


@st.composite
def cases(draw):
    places = draw(st.integers(1, 7))
    xy = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=places, max_size=places))
    rows = draw(st.lists(st.lists(st.integers(0, places - 1), min_size=1, max_size=5), min_size=2, max_size=12))
    k, m = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    for size in range(m, 0, -1):  # records that nobody could hide are no matter of the kernel
        if sum(len(row) >= size for row in rows) < k:
            rows = [row for row in rows if len(row) < size]
    return rows, xy, k, m, draw(st.booleans())


def flatten(rows):
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return offsets, np.array([place for row in rows for place in row], np.int32)


def refine_plainly(rows, xy, k, m, group):
    """The twin, on the places that occur."""
    codes = sorted({place for row in rows for place in row})
    records = [[codes.index(place) for place in row] for row in rows]
    points = np.array([[*xy[code], 0.0] for code in codes])
    offsets, seats = flatten(records)
    weight = weigh_seats(offsets, seats, len(codes)).tolist()
    scale = choose_steps(points, 0.0, sum(weight)), measure_extent(points, 0.0)
    distance = [[dist(one, other) for other in points] for one in points]
    steps = [[round(d * scale[0] / scale[1]) for d in row] for row in distance]
    names = sorted({group[code] for code in codes})
    start = [names.index(group[code]) + 1 for code in codes]
    label = refinement.refine(
        records, start, steps, weight, k, m,
        lambda some: [[some[i] for i in node] for node in list_nodes(points[some], 0.0)],
    )  # fmt: skip
    losses = [refinement.measure_loss(records, labels, distance) for labels in (start, label)]
    better = losses[1] < losses[0] - 1e-9 * losses[0]
    return {code: label[i] if better else start[i] for i, code in enumerate(codes)}, losses


def same_partition(one, other, places):
    return all((one[a] == one[b]) == (other[a] == other[b]) for a in places for b in places)


@given(cases())
def test_it_is_what_the_plain_twin_does(case):
    rows, xy, k, m, together = case
    if len(rows) < k:
        return
    # From one group of all places, or from the groups of SEQANON.
    group = [0] * len(xy) if together else recode.recode(rows, xy, k, m)
    expected, losses = refine_plainly(rows, xy, k, m, group)
    points = np.array([[*point, 0.0] for point in xy])
    found = refine_groups(
        *flatten(rows), points, 0.0, np.array(group, np.int32), Demand(k, 1, m, 0, 1), lambda *_: None
    ).group.tolist()
    assert same_partition(found, expected, list(expected))
    assert refinement.keeps_group_sizes(rows, found, k, m)
    assert losses[1] <= losses[0] * (1 + 1e-3)
    distance = [[dist(one, other) for other in xy] for one in xy]
    before = refinement.measure_loss(rows, group, distance)
    assert refinement.measure_loss(rows, found, distance) <= before * (1 + 1e-12)
    assert [found[place] for place in range(len(xy))] == [
        min(p for p in range(len(xy)) if found[p] == found[place]) for place in range(len(xy))
    ]


def test_a_popular_place_leaves_its_group_and_a_place_moves_to_a_nearer_one():
    # The last place was merged with a far-away group; the nearer one has room for it.
    xy = np.array([[0.0, 0, 0], [1, 0, 0], [9, 0, 0], [8, 0, 0]])
    rows = [[0], [0], [1], [1], [2], [2], [3]]
    refined = refine_groups(
        *flatten(rows), xy, 0.0, np.array([0, 0, 2, 0], np.int32), Demand(2, 1, 1, 0, 1), lambda *_: None
    )
    assert refined.group.tolist() == [0, 1, 2, 2]
    assert (refined.splits, refined.moves) == (1, 1)


def test_places_that_do_not_occur_keep_to_themselves():
    points = np.array([[0.0, 0, 0], [5, 0, 0], [1, 0, 0]])
    refined = refine_groups(
        np.array([0, 1, 2]), np.array([0, 2], np.int32), points, 0.0, np.zeros(3, np.int32), Demand(2, 1, 1, 0, 1),
        lambda *_: None,
    )  # fmt: skip
    assert refined.group.tolist() == [0, 1, 0]
