"""Sets and ranges are numbered by what they hold, whatever their cells are made of."""

import datetime as dt
import itertools

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.release.distinct_cells import _number_ranges, _number_sets
from sfumato.release.text import ValueFormat, encode


def number(rows):
    """Return the distinct rows in the order of their first appearance, and which every row is; plainly."""
    cells = [row for at, row in enumerate(rows) if row is not None and row not in rows[:at]]
    return cells, [None if row is None else cells.index(row) for row in rows]


def read(found):
    cells, index = found
    return cells.to_pylist(), index.to_pylist()


def sets_of(values):
    return st.lists(st.one_of(st.none(), st.lists(st.sampled_from(values), max_size=3)), max_size=9)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.string(), ["a", "", "ab", "b", None]),
        (pa.int64(), [-(2**62), -1, 0, 7, None]),
        (pa.float64(), [-0.5, 1e300, 2.0]),
        (pa.date32(), [dt.date(1, 1, 1), dt.date(2020, 2, 29)]),
        (pa.bool_(), [True, False]),
    ],
)
@given(data=st.data())
def test_sets_are_numbered_by_their_members(kind, values, data):
    rows, first = data.draw(sets_of(values)), data.draw(st.integers(0, 3))
    array = pa.array(rows, pa.list_(kind)).slice(first)
    assert read(_number_sets(array)) == number(rows[first:])


@given(sets_of(["a", "b", None]), st.randoms(use_true_random=False))
def test_sets_of_numbered_labels(rows, random):
    """A dictionary may list a label twice: then equal sets may be told apart, but none is taken for another."""
    members = [member for row in rows for member in row or []]
    codes = [None if member is None else random.choice({"a": [0, 2], "b": [1]}[member]) for member in members]
    flat = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(["a", "b", "a"]))
    offsets = pa.array([0, *itertools.accumulate(len(row or []) for row in rows)], pa.int32())
    array = pa.ListArray.from_arrays(offsets, flat, mask=pa.array([row is None for row in rows], pa.bool_()))
    cells, index = read(_number_sets(array))
    assert [None if at is None else cells[at] for at in index] == rows


@pytest.mark.parametrize(
    ("kind", "values"),
    [("string", ["a", "b", "*", "", "a|b"]), ("float64", [0.0, -0.0, float("nan"), 2.5]), ("int64", [-1, 0, 12])],
)
@given(data=st.data())
def test_sets_are_written_as_each_is_alone(kind, values, data):
    """Zero with and without a sign are two values, and what is not a number is one."""
    form = ValueFormat("set", kind)
    array = pa.array(data.draw(sets_of(values)), form.arrow)
    assert encode(array, form).to_pylist() == [encode(array.slice(at, 1), form)[0].as_py() for at in range(len(array))]


def test_what_lies_below_a_suppressed_set_is_not_in_it():
    array = pa.ListArray.from_arrays(
        pa.array([0, 2, 3], pa.int32()), pa.array(["a", "b", "c"]), mask=pa.array([True, False])
    )
    assert read(_number_sets(array)) == ([["c"]], [None, 0])


def test_members_of_a_dictionary_as_full_as_its_codes_allow():
    """Codes of a byte count up to 127; a member that is missing needs one more."""
    labels = [f"{number}" for number in range(128)]
    flat = pa.DictionaryArray.from_arrays(pa.array([127, None], pa.int8()), pa.array(labels))
    array = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), flat)
    assert read(_number_sets(array)) == ([["127"], [None]], [0, 1])


@given(st.lists(st.one_of(st.none(), st.tuples(*[st.one_of(st.none(), st.integers(0, 2))] * 2)), max_size=9))
def test_ranges_are_numbered_by_their_bounds(rows):
    rows = [None if row is None else {"lo": row[0], "hi": row[1]} for row in rows]
    array = pa.array(rows, pa.struct([("lo", pa.int64()), ("hi", pa.int64())]))
    assert read(_number_ranges(array)) == number(rows)
