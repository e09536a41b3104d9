"""Releases as Parquet: flat cells by their types, or nested ones as in ``data.parquet``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.exceptions import SchemaError
from sfumato.formats.parquet import read_parquet
from sfumato.release.layouts import LayoutTable
from sfumato.release.release import Release
from sfumato.release.text import ValueFormat

__all__ = ["begin", "encode_file", "parse", "read_names"]


def encode_file(release: Release, layout_table: LayoutTable) -> Iterator[bytes]:  # noqa: ARG001
    """Yield the content of a file."""
    sink = pa.BufferOutputStream()
    pq.write_table(layout_table.table.combine_chunks(), sink, version="2.6", compression="none")
    yield sink.getvalue().to_pybytes()


def begin(file: IO[bytes]) -> Callable[[LayoutTable | None], None]:
    """Begin a file to which partitions of a release are written one after another, a row group each; None ends it."""
    writers: list[pq.ParquetWriter] = []

    def write(layout_table: LayoutTable | None) -> None:
        if layout_table is None:
            for writer in writers:
                writer.close()
            return
        table = layout_table.table.combine_chunks()
        if not writers:
            writers.append(pq.ParquetWriter(file, table.schema, version="2.6", compression="none"))
        if not writers[0].schema.equals(table.schema):
            raise SchemaError(
                "export: partitions publish a column in different forms, which one Parquet file cannot hold. "
                "Choose csv or jsonl."
            )
        writers[0].write_table(table)

    return write


def read_names(path: Path) -> list[str]:
    """Return the names of the columns of a file."""
    return list(_read(path).column_names)


def parse(path: Path, release: Release, layout_table: LayoutTable) -> pa.Table:  # noqa: ARG001
    """Read a file back."""
    table = _read(path)
    return pa.table(
        {column.name: _cast_column(table.column(column.name), column.form) for column in layout_table.columns}
    )


def _read(path: Path) -> pa.Table:
    size = path.stat().st_size
    with path.open("rb") as file:
        return read_parquet(path.name, file, size)


def _cast_column(column: Any, form: ValueFormat) -> Any:
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], column.type)
    if form.cell != "category":
        return array.cast(form.arrow)
    if not form.history:
        return array.cast(pa.string()).dictionary_encode()
    return pa.ListArray.from_arrays(array.offsets, array.flatten().cast(pa.string()).dictionary_encode())
