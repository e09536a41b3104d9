"""Reading snapshots: whole files and batch by batch, and what is wrong with them."""

import gzip
import io
from pathlib import Path

import pyarrow as pa
import pytest
from tests.notes import find_note

import sfumato as sf
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.kinds.snapshots.reader.batches import read_batches
from sfumato.readers.options import ReadOptions

QI = {"qi": "age"}


def read(path, text, **options):
    path.write_text(text)
    return sf.read(path, kind="snapshots", **{"columns": QI, "sensitive": ("ill",), **options})


def test_dates_are_cut_to_days_and_rows_are_sorted_by_them(tmp_path):
    data = read(tmp_path / "a.csv", "time,age,ill\n2024-01-03T10:00:00Z,1,b\n2024-01-02T23:59:00Z,2,a\n")
    assert data.table["time"].to_pylist() == [19724, 19725]
    assert data.table["age"].to_pylist() == ["2", "1"]
    assert find_note(data.notes, "rows-sorted").counts == {"rows": 1}
    assert data.time_unit.unit == "day"
    assert str(find_note(data.notes, "snapshot-length")) == "A snapshot is a day of UTC."
    hourly = read(tmp_path / "a.csv", "time,age,ill\n2024-01-03T10:30:00Z,1,b\n", resolution="hour")
    assert hourly.table["time"].to_pylist() == [19725 * 24 + 10]


def test_numbers_are_snapshots_as_they_are(tmp_path):
    data = read(tmp_path / "a.csv", "week,age,ill,name\n-3,1,b,x\n7,2,a,y\n", drop=("name",))
    assert data.table["time"].to_pylist() == [-3, 7]
    assert find_note(data.notes, "columns-left-out").columns == ("name",)
    assert data.describe() == {"kind": "snapshots", "records": 2} | data.describe()


def test_plain_columns_are_published_and_not_known(tmp_path):
    data = read(tmp_path / "a.csv", "time,age,ward,ill\n1,1,x,b\n1,2,y,a\n", columns={"qi": "age", "plain": "ward"})
    release = sf.anonymize(data, sf.methods.Reposition(l=2), secret=bytes([1] * 32)).release
    assert [(column.name, column.role) for column in release.columns][1:3] == [
        ("age", "quasi-identifier"),
        ("ward", "plain"),
    ]


BAD = {
    "no role": ("time,age,ward,ill\n1,2,x,a\n", {}, SchemaError, "'ward'"),
    "no time": ("t,age,ill\n1,2,a\n", {}, SchemaError, "no columns could be the time"),
    "two times": ("day,hour,age,ill\n1,1,2,a\n", {}, SchemaError, "2 columns could be the time"),
    "no sensitive": ("time,age,ill\n1,2,a\n", {"sensitive": ()}, SchemaError, "one sensitive column"),
    "two sensitive": (
        "time,age,ill\n1,2,a\n",
        {"sensitive": ("ill", "age"), "columns": {}},
        SchemaError,
        "one sensitive column",
    ),
    "unknown role": ("time,age,ill\n1,2,a\n", {"columns": {"quasi-identifer": "age"}}, ParameterError, "Did you mean"),
    "unknown column": ("time,age,ill\n1,2,a\n", {"columns": {"qi": "agee"}}, SchemaError, "nearest one is 'age'"),
    "two roles": ("time,age,ill\n1,2,a\n", {"columns": {"qi": "age", "plain": "age"}}, ParameterError, "two roles"),
    "role and dropped": ("time,age,ill\n1,2,a\n", {"drop": ("age",)}, ParameterError, "has a role and is in drop="),
    "unknown drop": ("time,age,ill\n1,2,a\n", {"drop": ("x",)}, SchemaError, "'x' to leave out"),
    "resolution of numbers": ("time,age,ill\n1,2,a\n", {"resolution": "day"}, SchemaError, "needs dates"),
    "empty value": ("time,age,ill\n1,2,\n", {}, SchemaError, "row 1"),
    "half a time": ("time,age,ill\n1.5,2,a\n", {}, SchemaError, "whole numbers"),
    "infinite time": ("time,age,ill\ninf,2,a\n", {}, SchemaError, "time"),
    "mixed zones": ("time,age,ill\n2024-01-01T00:00Z,2,a\n2024-01-01T00:00,2,a\n", {}, SchemaError, "time zone"),
    "long label": (f"time,age,ill\n1,2,{'x' * 2000}\n", {}, SchemaError, "at most 1,000 characters"),
}


@pytest.mark.parametrize(("text", "options", "error", "message"), BAD.values(), ids=BAD.keys())
def test_bad_files_are_refused(tmp_path, text, options, error, message):
    with pytest.raises(error, match=message):
        read(tmp_path / "a.csv", text, **options)


def batches(path, **options):
    return list(read_batches(path, ReadOptions("snapshots", **options)))


@pytest.mark.parametrize("block", [5, 16, 1 << 20])
def test_batches_hold_every_row_once(tmp_path, monkeypatch, block):
    monkeypatch.setattr("sfumato.kinds.snapshots.reader.batches._BLOCK", block)
    text = 'time;ill\n1;"a\nb"\n2;"say ""hi"""\n3;c\n\n4;"x;y"'
    (tmp_path / "a.csv").write_text(text)
    found = pa.concat_tables(batches(tmp_path / "a.csv"))
    assert found.to_pydict() == {"time": ["1", "2", "3", "4"], "ill": ["a\nb", 'say "hi"', "c", "x;y"]}
    with gzip.open(tmp_path / "a.csv.gz", "wt") as file:
        file.write(text)
    assert pa.concat_tables(batches(tmp_path / "a.csv.gz")).equals(found)


def test_encodings_and_headers_are_respected(tmp_path):
    (tmp_path / "a.csv").write_bytes("1,é\n2,è\n".encode("latin-1"))
    (found,) = batches(tmp_path / "a.csv", encoding="latin-1", header=("time", "ill"))
    assert found.to_pydict() == {"time": ["1", "2"], "ill": ["é", "è"]}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "empty"),
        ("a.csv", b"time,ill\n", "there are no rows"),
        ("a.csv", b"time,ill\n1,2,3\n", "cells"),
        ("a.csv", b"\xff\xfe\xfa\n\xff", "UTF-8"),
        ("a.csv.gz", gzip.compress(b"time,ill\n1,a\n", mtime=0)[:-6], "truncated"),
        ("a.parquet", b"PAR1 nothing", "not a complete Parquet file"),
        ("a.jsonl", b"[1, 2]\n", "JSON"),
    ],
)
def test_broken_files_are_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SchemaError, match=message):
        batches(tmp_path / name)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(SchemaError, match="no such file"):
        batches(tmp_path / "missing.csv")
    with pytest.raises(SchemaError, match="directory"):
        batches(tmp_path)


def test_a_pipe_of_parquet_is_read(monkeypatch):
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(pa.table({"time": [1], "ill": ["a"]}), buffer)

    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(Pipe(buffer.getvalue()))))
    assert batches(Path("-"), format="parquet")[0].num_rows == 1
