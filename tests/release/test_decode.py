"""Releases decoded into codes and value sets, beside the text of their files read cell by cell."""

import datetime
import itertools
import tempfile
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import settings
from tests.release.naive.decode import read_columns, read_rows

import sfumato as sf
from sfumato.release import decode as module
from sfumato.release.decode import decode, decode_column
from sfumato.release.release import PublishedColumn
from sfumato.release.storage import read_release, write_release
from sfumato.release.text import ValueFormat

TEXTS = ["a", "b", "", "*", "=1", "a|b", "{x}", "a;b", "x\ny", "\r", "\\e", "é", ",", '"', "[1..2]", "-3"]
ITEMS = [text for text in TEXTS if text]
TREE = sf.Hierarchy.from_paths([("a", "A;B", "*"), ("b", "A;B", "*"), ("=c", "=C", "*"), ("d", "=C", "*")])
DAYS = st.dates(datetime.date(1960, 1, 1), datetime.date(2030, 1, 1))

rows = st.lists(
    st.tuples(
        st.none() | st.integers(-5, 5),
        st.none() | st.sampled_from([-1.5, 0.0, 0.1, 2.5e17]),
        st.none() | DAYS,
        st.none() | st.sampled_from(TEXTS),
        st.none() | st.sampled_from(["a", "b", "=c", "d"]),
        st.none() | st.sampled_from(TEXTS),
        st.integers(-3, 3),
    ),
    min_size=2,
    max_size=12,
)
NAMES = ("age", "pay", "born", "city", "area", "ill", "visits")
OPTIONS = {"sensitive": ("ill",), "plain": ("visits",), "hierarchies": {"area": TREE}}


def describe(values, entry):
    """Return what an entry may be in the words of the naive reader."""
    if values.suppressed[entry]:
        return "anything"
    if values.low is None:
        return ("one of", list(values.labels_of(entry)))
    return "missing" if values.missing[entry] else ("between", values.low[entry], values.high[entry])


def check(release):
    """Compare a release, and what is read from its files, with the text of these."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_release(release, folder)
        expected, texts = read_columns(folder), read_rows(folder / "data.csv")
        for decoded in (decode(release), decode(read_release(folder))):
            assert [column.name for column in decoded.columns] == list(expected)
            for column in decoded.columns:
                means = [describe(column.values, entry) for entry in column.codes.tolist()]
                if column.offsets is None:
                    assert means == expected[column.name]
                    written = [column.values.text_of(entry) for entry in column.codes.tolist()]
                    assert written == [row[column.name] for row in texts]
                else:
                    lists = [means[begin:end] for begin, end in itertools.pairwise(column.offsets.tolist())]
                    assert lists == expected[column.name]


@settings(max_examples=100)
@given(rows, st.integers(2, 4))
def test_tables_are_decoded_as_their_text_is_read(drawn, k):
    data = sf.Dataset.of("table", drawn, NAMES, **OPTIONS)
    check(sf.anonymize(data, sf.methods.Mondrian(k=min(k, len(drawn))), secret=bytes(32)).release)


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.none() | st.sampled_from(TEXTS), st.lists(st.sampled_from(ITEMS), max_size=3)),
        min_size=3,
        max_size=10,
    )
)
def test_tables_with_sets_are_decoded_as_their_text_is_read(drawn):
    items = [sorted(set(row[2])) for row in drawn]
    assume(sum(map(bool, items)) != 1)
    data = sf.Dataset.of("rt", [row[:2] for row in drawn], ("age", "city"), items)
    check(sf.anonymize(data, sf.methods.RFirst(k=2, m=1, transaction="coat"), secret=bytes(32)).release)


ranges = st.one_of(
    st.none(),
    st.just({"lo": None, "hi": None}),
    st.tuples(st.integers(-2, 3), st.integers(0, 3)).map(lambda ends: {"lo": ends[0], "hi": ends[0] + ends[1]}),
)
sets = st.one_of(st.none(), st.lists(st.sampled_from(["a", "b", "", "é"]), max_size=3))


def number(cells, key):
    """Return which cell each is, in their order, suppressed ones last."""
    first = [cell for at, cell in enumerate(cells) if cell is not None and cell not in cells[:at]]
    distinct = [*sorted(first, key=key), *([None] if None in cells else [])]
    return [distinct.index(cell) for cell in cells]


@given(st.lists(ranges, max_size=8), st.integers(0, 3))
def test_ranges_are_numbered_in_their_order(cells, before):
    kind = pa.struct([("lo", pa.int64()), ("hi", pa.int64())])
    column = pa.chunked_array([pa.array([None] * before + cells, kind).slice(before), pa.array(cells, kind)])
    coded = decode_column(column, PublishedColumn("age", "quasi-identifier", ValueFormat("interval", "int64")), {})
    assert coded.codes.tolist() == number(
        cells + cells, lambda cell: (cell["lo"] is None, cell["lo"] or 0, cell["hi"] or 0)
    )


@given(st.lists(sets, max_size=8), st.integers(0, 3))
def test_sets_are_numbered_in_their_order(cells, before):
    kind = pa.list_(pa.string())
    column = pa.chunked_array([pa.array([["z"]] * before + cells, kind).slice(before), pa.array(cells, kind)])
    coded = decode_column(column, PublishedColumn("city", "quasi-identifier", ValueFormat("set")), {})
    assert coded.codes.tolist() == number(cells + cells, lambda cell: cell)
    listed = [[] if coded.values.suppressed[at] else list(coded.values.labels_of(at)) for at in coded.codes.tolist()]
    assert listed == [cell or [] for cell in cells + cells]


@pytest.mark.parametrize("cell", ["category", "exact"])
def test_how_a_dictionary_numbers_its_labels_is_not_content(cell):
    twice = pa.DictionaryArray.from_arrays(pa.array([2, 0, 1, None], pa.int32()), pa.array(["b", "a", "b", "unused"]))
    coded = decode_column(twice, PublishedColumn("city", "quasi-identifier", ValueFormat(cell)), {})
    assert coded.codes.tolist() == [1, 1, 0, 2]
    assert coded.values.labels == ("a", "b")
    assert coded.values.texts.to_pylist() == ["a", "b", "*"]


def test_a_release_is_numbered_once_for_checkers_and_files(tmp_path):
    data = sf.Dataset.of("table", [(20, "a"), (21, "b"), (40, "a")], ("age", "ill"), sensitive=("ill",))
    release = sf.anonymize(data, sf.methods.Mondrian(k=3), secret=bytes(32)).release
    with patch.object(module, "number_cells", wraps=module.number_cells) as numbered:
        assert decode(release) is decode(release)
        write_release(release, tmp_path)
    assert numbered.call_count == 2
