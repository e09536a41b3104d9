"""What entries may and must be, beside the values that they may be, one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.checks.values import can, contains, draw, group_values, must
from sfumato.data.coded import ValueSets

LABELS = ("a", "b", "c", "")
TOP = 6
"""Numbers run from 0 to this; None is a missing value, and "else" one that no entry is known to be."""

label_cells = st.lists(
    st.one_of(st.just("anything"), st.lists(st.integers(0, 3), min_size=1, max_size=3, unique=True)),
    min_size=1,
    max_size=6,
)
range_cells = st.lists(
    st.one_of(
        st.just("anything"),
        st.just("missing"),
        st.tuples(st.integers(0, TOP), st.integers(0, TOP)).map(lambda ends: (min(ends), max(ends))),
    ),
    min_size=1,
    max_size=6,
)


def of_labels(cells):
    hidden = [at for at, cell in enumerate(cells) if cell == "anything"]
    return ValueSets.of_labels(LABELS, [[] if cell == "anything" else cell for cell in cells], hidden)


def of_ranges(cells):
    low, high = (np.array([cell[side] if isinstance(cell, tuple) else 0 for cell in cells]) for side in (0, 1))
    missing, hidden = (np.array([cell == kind for cell in cells]) for kind in ("missing", "anything"))
    return ValueSets.of_ranges(low, high, missing, hidden, "integer")


def may_be(cell):
    """Return all that a range may be."""
    if cell == "anything":
        return [*range(-3, TOP + 4), None]
    return [None] if cell == "missing" else list(range(cell[0], cell[1] + 1))


@given(label_cells, st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True, max_size=4))
def test_labels_of_an_original_lie_in_entries_that_have_them(cells, labels):
    original = ValueSets.single(labels)
    expected = [
        [cell == "anything" or label in [LABELS[code] for code in cell] for label in (*labels, "")] for cell in cells
    ]
    assert contains(of_labels(cells), original).tolist() == expected
    group, held = group_values(of_labels(cells), original)
    assert held.contain(np.arange(len(cells))[:, None], group).tolist() == expected
    assert len({*group.tolist()}) == len({*zip(*expected, strict=True)})


@given(range_cells, st.lists(st.integers(-1, TOP + 1), unique=True, max_size=5).map(sorted), st.booleans())
def test_numbers_of_an_original_lie_in_the_ranges_around_them(cells, numbers, placed):
    axis = np.array(numbers, np.int64) if placed else None
    original = ValueSets.single([str(number) for number in numbers], axis, "integer")
    values = [*(numbers if placed else ["label"] * len(numbers)), None]
    expected = [[cell == "anything" or value in may_be(cell) for value in values] for cell in cells]
    assert contains(of_ranges(cells), original).tolist() == expected
    group, held = group_values(of_ranges(cells), original)
    assert held.contain(np.arange(len(cells))[:, None], group).tolist() == expected


@given(label_cells, st.sets(st.integers(0, 3)), st.booleans(), st.booleans())
def test_labels_must_and_can_be_wanted(cells, wanted, unseen, everything):
    inside = np.isin(np.arange(4), sorted(wanted))
    values = of_labels(cells)
    certain = [everything if cell == "anything" else wanted >= {*cell} for cell in cells]
    possible = [unseen or bool(wanted) if cell == "anything" else not wanted.isdisjoint(cell) for cell in cells]
    assert must(values, inside, everything=everything).tolist() == certain
    assert can(values, inside, unseen=unseen).tolist() == possible


@given(range_cells, st.floats(-1, TOP + 1), st.floats(-1, TOP + 1))
def test_numbers_must_and_can_lie_in_a_range(cells, low, high):
    values = of_ranges(cells)
    inside = [[value is not None and low <= value <= high for value in may_be(cell)] for cell in cells]
    assert must(values, (low, high)).tolist() == [all(marks) for marks in inside]
    assert can(values, (low, high)).tolist() == [any(marks) for marks in inside]


@given(range_cells, label_cells, st.integers(0, 2**20))
def test_what_is_drawn_may_be(ranges, labels, seed):
    random = np.random.default_rng(seed)
    entries = np.array([at for at, cell in enumerate(ranges) if isinstance(cell, tuple)], dtype=np.int64)
    assert all(
        value in may_be(ranges[at])
        for at, value in zip(entries.tolist(), draw(of_ranges(ranges), entries, random).tolist(), strict=True)
    )
    entries = np.array([at for at, cell in enumerate(labels) if cell != "anything"], dtype=np.int64)
    drawn = draw(of_labels(labels), entries, random).tolist()
    assert all(code in labels[at] for at, code in zip(entries.tolist(), drawn, strict=True))
