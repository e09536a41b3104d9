"""Folders and archives: several files as one, and those that somebody made to do harm."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.exceptions import SchemaError
from sfumato.readers.options import ReadOptions
from sfumato.readers.sources import Source

READING = ReadOptions("trajectories")
ROWS = st.lists(st.tuples(*[st.text('ab1,;" ', max_size=3)] * 2), min_size=1, max_size=4)


def format_csv(rows) -> str:
    def cell(text):
        return '"' + text.replace('"', '""') + '"'

    return "person,place\n" + "".join(f"{cell(a)},{cell(b)}\n" for a, b in rows)


@given(st.lists(ROWS, min_size=1, max_size=4), st.booleans())
def test_files_are_read_as_one(tmp_path_factory, files, packed):
    folder = tmp_path_factory.mktemp("files")
    texts = {f"part{i}.csv": format_csv(rows) for i, rows in enumerate(files)}
    if packed:
        path = folder / "all.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in texts.items():
                archive.writestr(name, text)
    else:
        path = folder / "all"
        path.mkdir()
        for name, text in texts.items():
            (path / name).write_text(text)
    (folder / "whole.csv").write_text(format_csv([row for rows in files for row in rows]))
    assert Source(path, READING).table().equals(Source(folder / "whole.csv", READING).table())


def test_files_without_a_header_and_of_other_formats(tmp_path):
    (tmp_path / "lines").mkdir()
    for name, text in (("a.dat", "1 2\n3"), ("b.dat", "1 2\n")):
        (tmp_path / "lines" / name).write_text(text)
    assert Source(tmp_path / "lines", ReadOptions("sets")).data == b"1 2\n3\n1 2\n"
    (tmp_path / "tables").mkdir()
    for number in (1, 2):
        pq.write_table(pa.table({"person": [number], "place": ["a"]}), tmp_path / "tables" / f"{number}.parquet")
    assert Source(tmp_path / "tables", READING).table()["person"].to_pylist() == [1, 2]
    pq.write_table(pa.table({"person": [3], "other": ["a"]}), tmp_path / "tables" / "3.parquet")
    with pytest.raises(SchemaError, match=r"must have the same columns; 1\.parquet and 3\.parquet differ"):
        Source(tmp_path / "tables", READING).table()
    (tmp_path / "tables" / "4.csv").write_text("person,place\n4,a\n")
    with pytest.raises(SchemaError, match=r"different formats \(csv, parquet\)"):
        Source(tmp_path / "tables", READING).table()


def test_different_headers_never_become_rows(tmp_path):
    (tmp_path / "a.csv").write_text("person,place\n7,park\n")
    (tmp_path / "b.csv").write_text("place,person\npark,8\n")
    with pytest.raises(SchemaError, match=r"must have the same header; a\.csv and b\.csv differ"):
        Source(tmp_path, READING).table()


def test_a_folder_without_data(tmp_path):
    (tmp_path / "README.md").write_text("x")
    with pytest.raises(SchemaError, match="no file in it has the extension of a known format"):
        Source(tmp_path, READING)


def make_zip(path: Path, members: dict[str, bytes], **options) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_folders_that_hold_values_are_not_lost_but_refused(tmp_path):
    folder = tmp_path / "visits"
    for year in (2024, 2025):
        (folder / f"year={year}").mkdir(parents=True)
        (folder / f"year={year}" / "a.csv").write_text("person,item\n1,x\n")
    with pytest.raises(SchemaError, match="names of folders hold the values of column 'year'"):
        sf.read(folder, "sets")
    (folder / "year=2024" / "_SUCCESS").write_text("")
    assert len(sf.read(folder / "year=2024", "sets", format="csv")) == 1


def test_archives_that_do_harm(tmp_path):
    bomb = make_zip(tmp_path / "bomb.zip", {"a.csv": b"person,place\n" + b"7,a\n" * (1 << 27)})
    with pytest.raises(SchemaError, match=r"bomb\.zip/a\.csv: the file expands to more than 268 MB"):
        _ = Source(bomb, READING).data
    up = make_zip(tmp_path / "up.zip", {"../../evil.csv": b"person,place\n7,a\n"})
    with pytest.raises(SchemaError, match="no file in it"):
        Source(up, READING)
    assert not list(tmp_path.parent.glob("**/evil.csv"))
    whole = make_zip(tmp_path / "cut.zip", {"a.csv": b"person,place\n7,a\n"}).read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[:-20])
    with pytest.raises(SchemaError, match="the archive is truncated or damaged"):
        Source(tmp_path / "cut.zip", READING)
    damaged = bytearray(whole)
    damaged[45] ^= 0xFF
    (tmp_path / "cut.zip").write_bytes(bytes(damaged))
    with pytest.raises(SchemaError, match="truncated or damaged"):
        _ = Source(tmp_path / "cut.zip", READING).data
    locked = bytearray(whole)
    locked[6] |= 1
    locked[whole.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "locked.zip").write_bytes(bytes(locked))
    with pytest.raises(SchemaError, match="the archive is encrypted"):
        Source(tmp_path / "locked.zip", READING)


def test_a_member_that_is_not_there(tmp_path):
    file = make_zip(tmp_path / "a.zip", {"in/a.csv": b"person,place\n7,a\n", "in/b.csv": b"person,place\n8,b\n"})
    assert Source(file / "in" / "b.csv", READING).table()["person"].to_pylist() == ["8"]
    assert Source(file / "in", READING).table()["person"].to_pylist() == ["7", "8"]
    with pytest.raises(SchemaError, match=r"there is no 'c\.csv' in the archive"):
        Source(file / "c.csv", READING)
