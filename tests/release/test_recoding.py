"""Recodings are read back as they were saved, and anything else is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.exceptions import SchemaError
from sfumato.release.recoding import ColumnCells, Recoding, TableRecoding, read_saved

names = st.text(max_size=4)
columns = st.one_of(
    st.builds(ColumnCells, names, st.sampled_from(["set", "category"]), hides_all=st.booleans()),
    st.builds(
        lambda name, labels: ColumnCells(name, "category", labels=tuple((label, (label, "x")) for label in labels)),
        names,
        st.lists(names),
    ),
    st.builds(
        lambda name, bounds: ColumnCells(name, "interval", ranges=tuple((low, low + 1, low > 0) for low in bounds)),
        names,
        st.lists(st.one_of(st.integers(-(2**62), 2**62), st.floats(-1e9, 1e9))),
    ),
)


@given(st.lists(columns))
def test_a_recoding_of_a_table_survives_json(cells):
    recoding = TableRecoding(tuple(cells))
    assert read_saved(json.loads(json.dumps(recoding.to_dict()))) == recoding


def test_a_recoding_of_values_survives_json():
    recoding = Recoding("places", (("a", "b"),), ("z",))
    assert read_saved(json.loads(json.dumps(recoding.to_dict()))) == recoding
    assert recoding.values == ("z", "a", "b")


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        {"columns": 3},
        {"columns": [{}]},
        {"columns": [{"column": "a", "form": "set", "labels": [["x"]], "ranges": [], "hides_all": False}]},
        {
            "columns": [
                {"column": "a", "form": "interval", "labels": [], "ranges": [["0", 1, True]], "hides_all": False}
            ]
        },
        {"column": "a"},
    ],
)
def test_other_files_are_refused(data):
    with pytest.raises(SchemaError, match="not a saved recoding"):
        read_saved(data)


def test_recodings_are_not_taken_for_each_other():
    table, values = TableRecoding(()), Recoding("items", ())
    with pytest.raises(SchemaError, match="one of a table"):
        Recoding.expect(table)
    with pytest.raises(SchemaError, match="one of values"):
        TableRecoding.expect(values)


def test_a_common_bound_belongs_to_the_upper_range():
    cells = ColumnCells("x", "interval", ranges=((0.0, 1.0, False), (1.0, 2.0, False)))
    assert cells.find_values([0.0, 1.0, 2.0, 2.5, -1.0]) == [0, 1, 1, -1, -1]
