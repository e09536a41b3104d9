"""How the files of a release are damaged."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.release.storage import read_release


def edit_json(change: Callable[[dict[str, Any]], Any], file: str = "release.json") -> Callable[[Path], None]:
    def do(folder: Path) -> None:
        found = json.loads((folder / file).read_text())
        change(found)
        (folder / file).write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")

    return do


def set_key(where: str, value: Any, file: str = "release.json") -> Callable[[Path], None]:
    """Set a key of a manifest, such as ``columns.0.note``."""

    def change(found: dict[str, Any]) -> None:
        *above, last = where.split(".")
        at: Any = found
        for key in above:
            at = at[int(key)] if isinstance(at, list) else at[key]
        at[last] = value

    return edit_json(change, file)


def edit_text(file: str, change: Callable[[str], str]) -> Callable[[Path], None]:
    def do(folder: Path) -> None:
        text = (folder / file).read_bytes().decode()
        changed = change(text)
        assert changed != text
        (folder / file).write_bytes(changed.encode())

    return do


def add_column(file: str) -> Callable[[Path], None]:
    def do(folder: Path) -> None:
        lines = (folder / file).read_text().splitlines()
        (folder / file).write_text("\n".join([lines[0] + ",diagnosis", *(line + ",flu" for line in lines[1:])]) + "\n")

    return do


def add_column_to_extra_table(folder: Path) -> None:
    add_column(f"{next(iter(read_release(folder).extra_tables))}.csv")(folder)


def rewrite_parquet(
    change: Callable[[pa.Table], pa.Table] = lambda table: table, **options: Any
) -> Callable[[Path], None]:
    def do(folder: Path) -> None:
        path = folder / "data.parquet"
        table = change(pq.read_table(path))
        plain = {"compression": "none", "write_statistics": False, "version": "2.6"}
        pq.write_table(table, path, **{**plain, **options})

    return do


def note_field(table: pa.Table) -> pa.Table:
    field = table.schema.field(0).with_metadata({"patient": "Alice"})
    return table.cast(table.schema.set(0, field))


def move_footer(folder: Path) -> None:
    """Put bytes between the columns and the footer, where no reader looks."""
    path = folder / "data.parquet"
    content = path.read_bytes()
    end = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    path.write_bytes(content[:end] + b"Alice has the flu" + content[end:])


def append_bytes(folder: Path) -> None:
    with (folder / "data.parquet").open("ab") as file:
        file.write(b"Alice has the flu")


def other_writer(folder: Path) -> None:
    path = folder / "data.parquet"
    content = path.read_bytes()
    assert b"parquet-cpp-arrow" in content
    path.write_bytes(content.replace(b"parquet-cpp-arrow", b"parquet-cpp-alice"))


def on_disk(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    """Change the table of a Parquet file, and write it by the library's own means."""

    def do(folder: Path) -> None:
        path = folder / "data.parquet"
        pq.write_table(change(pq.read_table(path)), path, compression="none", write_statistics=False)

    return do


def more_labels(table: pa.Table) -> pa.Table:
    """Give a dictionary a label that no record has."""
    return _change_dictionary(table, lambda indices, labels: (indices, [*labels, "zz Alice has the flu"]))


def list_label_twice(table: pa.Table) -> pa.Table:
    """Give a label two codes, each of them for half of its cells."""

    def change(indices: pa.Array, labels: list[str]) -> tuple[pa.Array, list[str]]:
        codes = np.array(indices.fill_null(0))
        often = int(np.bincount(codes).argmax())
        cells = np.flatnonzero((codes == often) & np.array(indices.is_valid()))
        codes[cells[::2]] = len(labels)
        return pa.array(codes, indices.type, mask=np.array(indices.is_null())), [*labels, labels[often]]

    return _change_dictionary(table, change)


def has_dictionary(table: pa.Table) -> bool:
    return any(pa.types.is_dictionary(_cells_of(field)) for field in table.schema)


def _cells_of(field: pa.Field) -> pa.DataType:
    return field.type.value_type if pa.types.is_list(field.type) else field.type


def _change_dictionary(
    table: pa.Table, change: Callable[[pa.Array, list[str]], tuple[pa.Array, list[str]]]
) -> pa.Table:
    field = next(field for field in table.schema if pa.types.is_dictionary(_cells_of(field)))
    column, is_list = table.column(field.name).combine_chunks(), pa.types.is_list(field.type)
    flat = column.flatten() if is_list else column
    flat = pa.DictionaryArray.from_arrays(*change(flat.indices, flat.dictionary.to_pylist()))
    column = pa.ListArray.from_arrays(column.offsets, flat, type=column.type) if is_list else flat
    return table.set_column(table.column_names.index(field.name), field.name, column)


def put(name: str, content: bytes = b"Alice has the flu\n") -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


def put_folder(folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "names.csv").write_text("person,name\n1,Alice\n")


def put_link(folder: Path) -> None:
    (folder / "link").symlink_to("/etc/hostname")


def link_instead(file: str) -> Callable[[Path], None]:
    """Put a link to the same content in the place of a file."""

    def do(folder: Path) -> None:
        moved = folder.parent / f"aside-{file}"
        shutil.move(folder / file, moved)
        (folder / file).symlink_to(moved)

    return do


def cut(file: str) -> Callable[[Path], None]:
    return lambda folder: os.truncate(folder / file, (folder / file).stat().st_size // 2)


def remove(file: str) -> Callable[[Path], None]:
    return lambda folder: (folder / file).unlink()


def quote(text: str) -> str:
    """Quote a cell that needs no quotes: one bit for every cell."""
    first, second, rest = text.split("\n", 2)
    cell, comma, others = second.partition(",")
    return f'{first}\n"{cell}"{comma}{others}\n{rest}'


def change_data_csv(text: str) -> str:
    """Exchange two lines, and number them as before."""
    lines = text.splitlines()
    other = next(at for at in range(2, len(lines)) if lines[at].partition(",")[2] != lines[1].partition(",")[2])
    heads = [lines[at].partition(",")[0] for at in (1, other)]
    tails = [lines[at].partition(",")[2] for at in (1, other)]
    lines[1], lines[other] = f"{heads[0]},{tails[1]}", f"{heads[1]},{tails[0]}"
    return "\n".join(lines) + "\n"


def link_folder(folder: Path) -> None:
    """Put a link in the place of a snapshot."""
    moved = folder.parent.parent / "aside"
    shutil.move(folder, moved)
    folder.symlink_to(moved)


def rename_folder(folder: Path) -> None:
    folder.rename(folder.parent / "alice")


def copy_folder(folder: Path) -> None:
    shutil.copytree(folder, folder.parent / "99")


def remove_folder(folder: Path) -> None:
    shutil.rmtree(folder)


def reverse_keys(folder: Path) -> None:
    path = folder / "release.json"
    found = json.loads(path.read_text())
    path.write_text(json.dumps(dict(reversed(found.items())), indent=2, ensure_ascii=False) + "\n")
