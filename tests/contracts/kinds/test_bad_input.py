"""Files that no reader can read get a clear error, whatever the kind of data: no value of theirs is ever shown."""

from __future__ import annotations

import gzip
import io

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.kinds.test_generators import KINDS, READING
from tests.examples import settings

import sfumato as sf
from sfumato import plugins
from sfumato.exceptions import SchemaError, SfumatoError

CANARY = "canary7391"


def table(kind):
    return plugins.find_kind(kind).generator.load().generate(12, seed=1)


def text_of(kind) -> bytes:
    sink = io.BytesIO()
    pa_csv.write_csv(table(kind), sink)
    return sink.getvalue()


def read(path, kind):
    return sf.read(path, kind, **READING.get(kind, {}))


@pytest.fixture
def refuse(tmp_path):
    """Write a file, have it refused and return what is said."""

    def look(kind, content: bytes, name: str = "data.csv") -> str:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SchemaError) as error:
            read(tmp_path / name, kind)
        assert CANARY not in str(error.value)
        return str(error.value)

    return look


@pytest.mark.parametrize("kind", KINDS)
def test_files_that_are_not_there(tmp_path, kind):
    with pytest.raises(SchemaError, match="there is no such file"):
        read(tmp_path / "missing.csv", kind)
    with pytest.raises(SchemaError, match=r"directory|no file in it"):
        read(tmp_path, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["data.csv", "data.jsonl", "data.parquet"])
@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_empty_files(refuse, kind, name, content):
    assert "the file is empty" in refuse(kind, b"" if name == "data.parquet" else content, name)


@pytest.mark.parametrize("kind", KINDS)
def test_a_header_only(refuse, kind):
    assert "there are no rows" in refuse(kind, text_of(kind).partition(b"\n")[0] + b"\n")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "table"])
def test_a_format_that_the_name_does_not_tell(refuse, kind):
    told = refuse(kind, text_of(kind), "data.doc")
    assert "the extension is not that of a known format" in told
    assert all(format in told for format in plugins.find_kind(kind).formats)


def test_a_table_is_known_by_its_rows(tmp_path):
    (tmp_path / "data.doc").write_bytes(text_of("table"))
    assert len(read(tmp_path / "data.doc", "table")) == 12


@pytest.mark.parametrize("kind", KINDS)
def test_files_that_are_cut_short(refuse, tmp_path, kind):
    pq.write_table(table(kind), tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    assert "not a complete Parquet file" in refuse(kind, whole[: len(whole) // 2], "data.parquet")
    assert "truncated or damaged" in refuse(kind, gzip.compress(text_of(kind))[:-9], "data.csv.gz")


@pytest.mark.parametrize("kind", KINDS)
def test_text_that_is_no_text(refuse, kind):
    lines = text_of(kind).split(b"\n")
    assert "text must be UTF-8, line 3 is not" in refuse(kind, b"\n".join([*lines[:2], CANARY.encode() + b"\xe9"]))
    assert "line 3 has a NUL byte" in refuse(kind, b"\n".join([*lines[:2], CANARY.encode() + b"\0"]))


@pytest.mark.parametrize("kind", KINDS)
def test_columns_twice_or_without_a_role(refuse, kind):
    header, _, rest = text_of(kind).partition(b"\n")
    first = header.split(b",")[0]
    rows = [line + b"," + CANARY.encode() for line in rest.split(b"\n") if line]
    assert "repeats an earlier name" in refuse(kind, b"\n".join([header + b"," + first, *rows]))
    told = refuse(kind, b"\n".join([header + b',"stranger"', *rows]))
    assert "column 'stranger'" in told


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(content=st.binary(max_size=200), name=st.sampled_from(["data.csv", "data.jsonl", "data.parquet", "data.csv.gz"]))
def test_any_bytes_end_in_a_dataset_or_one_of_our_errors(tmp_path_factory, kind, content, name):
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(content)
    try:
        read(path, kind)
    except SfumatoError as error:
        assert str(error)
