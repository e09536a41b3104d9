"""Published cells survive CSV and Parquet whatever is in them."""

import datetime as dt

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.exceptions import SchemaError
from sfumato.release.text import ValueFormat, decode, encode

TEXT = st.text(st.sampled_from("ab|{}[];*\\=+-@.,\"' \n\té漢"), max_size=6)


def round_trip(values, form):
    column = pa.array(values, form.arrow)
    return decode(encode(column, form), form).to_pylist()


@given(st.lists(st.one_of(st.none(), TEXT)))
def test_exact_text(values):
    assert round_trip(values, ValueFormat("exact")) == values


@given(st.lists(st.one_of(st.none(), st.lists(TEXT, max_size=4).map(sorted))))
def test_sets_of_text(values):
    assert round_trip(values, ValueFormat("set")) == values


@given(st.lists(st.one_of(st.none(), st.tuples(st.integers(-99, 99), st.integers(0, 9)))))
def test_intervals_of_numbers(values):
    cells = [None if v is None else {"lo": v[0], "hi": v[0] + v[1]} for v in values]
    assert round_trip(cells, ValueFormat("interval", "int64")) == cells


@given(st.lists(st.one_of(st.none(), st.tuples(TEXT, TEXT))))
def test_intervals_of_text(values):
    cells = [None if v is None else {"lo": v[0], "hi": v[1]} for v in values]
    assert round_trip(cells, ValueFormat("interval")) == cells


@given(st.lists(st.lists(st.one_of(st.none(), TEXT), max_size=4)))
def test_histories_of_categories(rows):
    flat = [label for row in rows for label in row]
    coded = pa.array(flat, pa.string()).dictionary_encode()
    offsets = [0]
    for row in rows:
        offsets.append(offsets[-1] + len(row))
    column = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), coded)
    form = ValueFormat("category", history=True)
    assert decode(encode(column, form), form).to_pylist() == rows


@given(st.lists(st.lists(st.lists(TEXT, max_size=3).map(sorted), max_size=3)))
def test_histories_of_sets(rows):
    assert round_trip(rows, ValueFormat("set", history=True)) == rows


TIMES = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1), timezones=st.just(dt.UTC))


@given(st.lists(st.lists(st.integers(-(2**62), 2**62), max_size=4)))
def test_histories_of_numbers(rows):
    assert round_trip(rows, ValueFormat("exact", "int64", history=True)) == rows


@given(st.lists(st.lists(st.one_of(st.none(), st.integers(-9, 9)), max_size=4)))
def test_histories_of_numbers_with_suppressed_ones(rows):
    assert round_trip(rows, ValueFormat("exact", "int64", history=True)) == rows


@given(st.lists(st.lists(TIMES, max_size=3)), st.booleans())
def test_histories_of_times(rows, whole):
    rows = [[t.replace(microsecond=0) if whole else t for t in row] for row in rows]
    assert round_trip(rows, ValueFormat("exact", "timestamp", history=True)) == rows


@given(st.lists(st.lists(st.tuples(st.integers(-99, 99), st.integers(0, 9)), max_size=3)))
def test_histories_of_number_intervals(rows):
    cells = [[{"lo": lo, "hi": lo + more} for lo, more in row] for row in rows]
    assert round_trip(cells, ValueFormat("interval", "int64", history=True)) == cells


@given(st.lists(st.lists(st.tuples(TIMES, TIMES), max_size=3)))
def test_histories_of_time_intervals(rows):
    cells = [[{"lo": lo, "hi": hi} for lo, hi in row] for row in rows]
    assert round_trip(cells, ValueFormat("interval", "timestamp", history=True)) == cells


@pytest.mark.parametrize(
    ("form", "values"),
    [
        (ValueFormat("exact", "int64"), [-5, 0, None]),
        (ValueFormat("exact", "float64"), [-0.1, 1e300, None]),
        (ValueFormat("exact", "bool"), [True, False, None]),
        (ValueFormat("exact", "date"), [dt.date(2020, 2, 29), None]),
        (ValueFormat("exact", "timestamp"), [dt.datetime(2020, 2, 29, 1, 2, 3, tzinfo=dt.UTC), None]),
        (ValueFormat("interval", "date"), [{"lo": dt.date(2020, 1, 1), "hi": dt.date(2020, 1, 7)}]),
        (ValueFormat("interval", "float64"), [{"lo": -1.5, "hi": 2.25}]),
    ],
)
def test_typed_cells_survive_csv_and_parquet(form, values, tmp_path):
    assert round_trip(values, form) == values
    table = pa.table({"c": pa.array(values, form.arrow)})
    pq.write_table(table, tmp_path / "c.parquet")
    assert pq.read_table(tmp_path / "c.parquet").column("c").to_pylist() == values


def test_the_encoding_is_the_documented_one():
    assert encode(pa.array([{"lo": 20, "hi": 29}]), ValueFormat("interval", "int64")).to_pylist() == ["[20..29]"]
    assert encode(pa.array([["A", "B"]]), ValueFormat("set")).to_pylist() == ["{A|B}"]
    assert encode(pa.array(["Europe", None]).dictionary_encode(), ValueFormat("category")).to_pylist() == [
        "Europe",
        "*",
    ]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@cmd", "\tx", "\rx"])
def test_no_cell_starts_like_a_formula(text):
    for column, form in [
        (pa.array([text]), ValueFormat("exact")),
        (pa.array([text]).dictionary_encode(), ValueFormat("category")),
        (
            pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array([text]).dictionary_encode()),
            ValueFormat("category", history=True),
        ),
    ]:
        encoded = encode(column, form).to_pylist()[0]
        assert encoded[0] == "\\"
        assert decode(pa.array([encoded]), form).to_pylist()[0] in (text, [text])


def test_a_cell_of_the_wrong_form_names_the_row_and_not_the_value():
    with pytest.raises(SchemaError, match="published row 2") as error:
        decode(pa.array(["[1..2]", "canary"]), ValueFormat("interval", "int64"))
    assert "canary" not in str(error.value)


NUMBERS = st.one_of(
    st.none(), st.just({"lo": None, "hi": None}), st.builds(lambda a, b: {"lo": a, "hi": b}, *[st.integers(0, 3)] * 2)
)
LABELS = st.one_of(st.none(), st.lists(st.sampled_from(["a", "", "*", "b|c"]), max_size=3))


@given(st.lists(NUMBERS, max_size=8), st.lists(LABELS, max_size=8))
def test_cells_are_encoded_alike_one_by_one_and_together(ranges, sets):
    """Spelling each different cell once says what spelling every cell says; slices and chunks are no different."""
    for cells, form in ((ranges, ValueFormat("interval", "int64")), (sets, ValueFormat("set"))):
        array = pa.array(cells, form.arrow)
        alone = [encode(array.slice(at, 1), form)[0].as_py() for at in range(len(cells))]
        assert encode(array, form).to_pylist() == alone
        assert encode(pa.chunked_array([array, array], form.arrow), form).to_pylist() == alone * 2
        assert decode(encode(array, form), form).to_pylist() == cells


@given(
    st.lists(st.one_of(st.none(), st.text("aZ09", max_size=3), st.sampled_from(["é", "a\n", "\na", "=1", "*", "a b"])))
)
def test_values_are_encoded_alike_beside_escaped_ones(values):
    form = ValueFormat("exact")
    beside = encode(pa.array([*values, "a;b"], form.arrow), form).to_pylist()
    assert beside == [*encode(pa.array(values, form.arrow), form).to_pylist(), r"a\;b"]
    assert decode(pa.array(beside[:-1], pa.string()), form).to_pylist() == values
