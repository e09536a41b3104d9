"""Plans cut all people into partitions of neighbours, by the data and the secret alone."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.kinds.contract_data import KINDS
from tests.contracts.kinds.test_contract import ordinary_rows

import sfumato as sf
from sfumato.data.dataset import Dataset
from sfumato.data.kind import all_kinds, find_kind
from sfumato.data.secret import Secret
from sfumato.data.sort_key import ANYWHERE, find_commonest, follow_curve, interleave
from sfumato.exceptions import ParameterError
from sfumato.release.partition_plan import Plan, make_plan

SECRET = Secret(bytes([1] * 32))


@given(st.lists(st.integers(0, 9), max_size=200), st.integers(2, 40))
def test_partitions_are_disjoint_and_hold_everybody_in_the_order_of_their_keys(keys, most):
    keys = np.array(keys, np.uint64)
    partitions = list(Plan.cut(keys, SECRET, most))
    assert sorted(np.concatenate(partitions).tolist()) == list(range(len(keys)))
    sizes = [len(rows) for rows in partitions]
    assert max(sizes) <= most
    assert max(sizes) - min(sizes) <= 1
    for one, other in itertools.pairwise(partitions):
        assert keys[one].max() <= keys[other].min()


def test_who_is_alike_is_parted_by_the_secret_and_not_by_the_order_of_the_file():
    same = np.zeros(100, np.uint64)
    one, other = (Plan.cut(same, Secret(bytes([n] * 32)), 50).partition for n in (1, 2))
    assert not np.array_equal(one, other)
    assert not np.array_equal(one, np.sort(one))
    assert np.array_equal(one, Plan.cut(same, SECRET, 50).partition)


@given(st.integers(1, 5))
def test_neighbours_on_the_curve_are_neighbours_on_the_map(bits):
    side = np.arange(1 << bits, dtype=np.uint64)
    x, y = (axis.ravel() for axis in np.meshgrid(side, side))
    order = np.argsort(follow_curve(x, y, bits))
    steps = np.abs(np.diff(x[order].astype(np.int64))) + np.abs(np.diff(y[order].astype(np.int64)))
    assert sorted(follow_curve(x, y, bits).tolist()) == list(range(len(x)))
    assert (steps == 1).all()


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 7)), min_size=1))
def test_bits_are_mixed_as_one_would_by_hand(rows):
    columns = [np.array(column, np.uint64) for column in zip(*rows, strict=True)]
    by_hand = [int("".join("".join(bits) for bits in zip(*(f"{n:03b}" for n in row), strict=True)), 2) for row in rows]
    assert interleave(columns, 3).tolist() == by_hand


@given(st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=10))
def test_the_commonest_is_the_one_that_comes_most_often(rows):
    entries = [(number, code) for number, row in enumerate(rows) for code in row]
    of_row, codes = (np.array([entry[at] for entry in entries], np.int64) for at in (0, 1))
    plain = [min(row, key=lambda code: (-row.count(code), code)) if row else -1 for row in rows]
    assert find_commonest(of_row, codes, len(rows)).tolist() == plain


@pytest.mark.parametrize("kind", [kind for kind in all_kinds() if find_kind(kind).sort_key is not None])
def test_a_record_has_the_same_key_wherever_it_stands(kind):
    class NeedsNothing:
        needs = ()

    rows = ordinary_rows(3, 40)
    there = KINDS[kind].build(rows, NeedsNothing)
    keys = find_kind(kind).sort_key.load().compute_sort_key(there)
    assert keys.dtype == np.uint64
    assert len(keys) == len(there)
    assert len(np.unique(keys)) > 3
    if kind != "sequences":  # there the position of a record is part of its times
        back = KINDS[kind].build(rows[::-1], NeedsNothing)
        assert np.array_equal(find_kind(kind).sort_key.load().compute_sort_key(back)[::-1], keys)


def test_sensitive_values_do_not_lay_people_in_a_line():
    xy = {place: (float(at), 0.0) for at, place in enumerate("abs")}
    one, other = ([["a", "s", "s"], ["b"]], [["a"], ["b", "s", "s"]])
    keys = [
        find_kind("trajectories")
        .sort_key.load()
        .compute_sort_key(sf.Dataset.of("trajectories", rows, xy, sensitive=("s",)))
        for rows in (one, other)
    ]
    assert np.array_equal(*keys)
    keys = [
        find_kind("sets").sort_key.load().compute_sort_key(sf.Dataset.of("sets", rows, sensitive=("s",)))
        for rows in ([["a", "s"], ["b"]], [["a"], ["b", "s"]])
    ]
    assert np.array_equal(*keys)


@pytest.mark.parametrize("size", [3, 0, -1, True, 2.5])
def test_a_partition_must_have_room_for_two_crowds(size):
    data = sf.Dataset.of("sets", [["a"], ["b"]] * 5)
    with pytest.raises(ParameterError, match=r"partition_size= must be a whole number of at least 4"):
        make_plan(data, sf.methods.Apriori(k=2, m=1), SECRET, size)


@pytest.mark.parametrize("kind", ["trajectories", "sets"])
@given(st.lists(st.lists(st.sampled_from("abcz"), max_size=5, unique=True), min_size=1, max_size=8))
def test_sensitive_values_do_not_decide_on_a_place(kind, rows):
    told = [[value for value in row if value != "z"] for row in rows]
    compute_sort_key = find_kind(kind).sort_key.load().compute_sort_key
    keys = compute_sort_key(Dataset.of(kind, rows, sensitive=("z",)))
    without = compute_sort_key(Dataset.of(kind, told, sensitive=("z",)))
    assert all(np.array_equal(keys < key, without < other) for key, other in zip(keys, without, strict=True))
    assert all((key == ANYWHERE) == (not row) for key, row in zip(keys, told, strict=True))


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=4, max_size=4), min_size=1, max_size=8), st.integers(0, 9))
def test_how_long_the_sensitive_is_done_does_not_decide_on_a_place(days, longer):
    compute_sort_key = find_kind("activity").sort_key.load().compute_sort_key
    with_it = [*(day + ["z"] * longer for day in days), ["z"] * (4 + longer)]
    keys = compute_sort_key(Dataset.of("activity", with_it, sensitive=("z",)))
    assert np.array_equal(keys[:-1], compute_sort_key(Dataset.of("activity", days, sensitive=("z",))))
    assert keys[-1] == ANYWHERE
