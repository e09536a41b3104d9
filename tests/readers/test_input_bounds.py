"""Small files that would fill the memory or the stack are refused with a sentence."""

import dataclasses
import gzip
import json
import lzma

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.base.guarantee import read_guarantee
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats import limits
from sfumato.formats.json_files import parse_json
from sfumato.formats.json_text import find_deep_line, read_toml
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.readers.files import load
from sfumato.readers.tables import read_table


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Any file may unpack to a megabyte only, so that bombs of the tests are small."""
    monkeypatch.setattr(limits, "ALWAYS", 1 << 20)


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_packed_file_unpacks_to_a_multiple_of_its_size(tmp_path, suffix, pack):
    file = tmp_path / f"data.csv{suffix}"
    file.write_bytes(pack(b"person,place\n" + b"a,b\n" * 1_000_000))
    with pytest.raises(SchemaError, match=r"expands to more than .* 100 times its size.*allow_expansion"):
        load(file)
    with sf.allow_expansion(10_000):
        assert len(load(file)) == 4_000_013
    with pytest.raises(SchemaError, match="allow_expansion"):
        load(file)


def test_a_hierarchy_is_bounded_like_data(tmp_path):
    from sfumato.readers.hierarchies import read_hierarchy

    file = tmp_path / "tree.csv.gz"
    file.write_bytes(gzip.compress(b"a;A;*\n" * 1_000_000))
    with pytest.raises(SchemaError, match="expands to more than"):
        read_hierarchy(file)


def test_rows_of_parquet_are_counted_before_they_are_read(tmp_path, monkeypatch):
    file = tmp_path / "data.parquet"
    pq.write_table(pa.table({"person": np.zeros(10_000_000, np.int64)}), file, row_group_size=1_000_000)
    assert file.stat().st_size * 100 < 8 * 10_000_000
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", None)  # it is not even tried
    with pytest.raises(SchemaError, match="expands to more than"):
        read_table(file)


def test_texts_of_parquet_are_counted_while_they_are_read(tmp_path):
    file = tmp_path / "data.parquet"
    codes = pa.array(np.zeros(20_000, np.int32))
    texts = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 100_000]))
    pq.write_table(pa.table({"person": texts}), file, store_schema=False)
    with pytest.raises(SchemaError, match="expands to more than"):
        read_table(file)


def test_what_parquet_files_of_an_ordinary_kind_hold_is_the_same(tmp_path):
    table = pa.table(
        {
            "a": pa.array([1, None, 3]),
            "b": pa.array(["x", "y", "x"]).dictionary_encode(),
            "c": pa.array([[1], [], None], pa.list_(pa.int64())),
            "d": pa.array([{"lo": 1, "hi": 2}] * 3),
        }
    )
    pq.write_table(table, tmp_path / "data.parquet")
    assert read_table(tmp_path / "data.parquet").combine_chunks().equals(table.combine_chunks())


def test_a_limit_must_be_a_number_from_one_on():
    for times in (0, float("nan"), -5):
        with pytest.raises(ParameterError, match="must be a number of at least 1"), sf.allow_expansion(times):
            pass


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_nested_json_is_refused(opening):
    for depth in (65, 1000, 20_000):
        with pytest.raises(SchemaError):
            parse_json("release.json", (opening * depth + "1" + {"[": "]"}.get(opening, "}") * depth).encode())
    parse_json("release.json", b"[" * 60 + b"]" * 60)


def test_nested_json_lines_are_refused_before_a_parser_sees_them(tmp_path):
    file = tmp_path / "data.jsonl"
    file.write_text('{"person": "a"}\n' + '{"a":' * 20_000 + "1" + "}" * 20_000 + "\n")
    with pytest.raises(SchemaError, match="line 2 is not"):
        read_table(file)


def test_brackets_in_texts_and_in_many_short_lines_are_no_depth():
    flat = b"\n".join(json.dumps({"a": "[" * 500, "b": [1, [2]]}).encode() for _ in range(200))
    assert find_deep_line(flat) is None


@pytest.mark.parametrize("text", ["x = " + "[" * 5000, "[a" + ".a" * 3000 + "]", "x = " + "{a=" * 2000 + "1"])
def test_nested_toml_is_refused(tmp_path, text):
    (tmp_path / "policy.toml").write_text(text)
    with pytest.raises(SchemaError, match=r"policy\.toml"):
        read_toml(tmp_path / "policy.toml")


def test_ten_thousand_slot_columns_are_read_column_by_column(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr("sfumato.kinds.activity.reader.slot_columns._follow", _counting(calls))
    file = tmp_path / "slots.csv"
    file.write_text("person," + ",".join(f"t{i}" for i in range(1, 5001)) + "\n" + "a" + ",x" * 5000 + "\n")
    assert len(sf.read(file, kind="activity").history().codes) == 5000
    assert len(calls) < 3 * 5000


def _counting(calls):
    from sfumato.kinds.activity.reader.slot_columns import _follow

    def follow(one, two):
        calls.append(one)
        return _follow(one, two)

    return follow


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("canary-1,1,2,3\ncanary-2,1,2,3\n", {"kind": "activity"}),
        ("canary-1,home,work\ncanary-2,home,work\n", {"kind": "trajectories", "columns": {"person": "canary"}}),
        ("canary-1,home,work\ncanary-2,home,work\n", {"kind": "sets"}),
        ("canary-1,3,x\ncanary-2,4,y\n", {"kind": "snapshots", "columns": {"qi": "canary"}, "sensitive": ("canari",)}),
    ],
)
def test_the_first_row_of_a_file_without_header_is_not_quoted(tmp_path, text, options):
    (tmp_path / "data.csv").write_text(text)
    with pytest.raises(SchemaError) as told:
        sf.read(tmp_path / "data.csv", **options)
    assert "canary-1" not in str(told.value)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    bad = pa.array([b"caf\xe9"]).view(pa.string())
    path = tmp_path / "visits.parquet"
    pq.write_table(pa.table({"person": ["a"], "time": ["2024-01-01"], "place": bad}), path)
    with pytest.raises(SchemaError, match="not a complete Parquet file"):
        sf.read(path, kind="trajectories")


KMITEMS = {name: value for name, value in dataclasses.asdict(KmItems(5, 2)).items() if name != "count"}


def test_a_claim_with_a_number_beyond_all_counting_is_refused():
    assert read_guarantee("sets", {"name": "km-items", "parameters": KMITEMS}) == KmItems(5, 2)
    for k in (1 << 60, 10**40):
        with pytest.raises(SchemaError, match="do not fit the guarantee"):
            read_guarantee("sets", {"name": "km-items", "parameters": {**KMITEMS, "k": k}})
