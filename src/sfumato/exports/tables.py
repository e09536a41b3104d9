"""Tables written as files that the readers read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sfumato.exceptions import ParameterError
from sfumato.formats.csv_files import write_csv

__all__ = ["write_table"]


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table as CSV, Parquet or JSON lines, as the file's name says.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(pa.table({"person": ["p1"], "x": [1.5]}), Path(folder) / "a.csv")
    ...     print((Path(folder) / "a.csv").read_text())
    person,x
    p1,1.5
    """
    if path.suffix == ".parquet":
        pq.write_table(table, path, compression="zstd")
    elif path.suffix == ".csv":
        write_csv(pa.table({name: _format_column(table.column(name)) for name in table.column_names}), path)
    elif path.suffix == ".jsonl":
        with path.open("w", encoding="utf-8") as file:
            for batch in table.to_batches(max_chunksize=10_000):
                for row in batch.to_pylist():
                    file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
    else:
        raise ParameterError(f"{path.name}: write a .csv, .parquet or .jsonl file.")


def _format_column(column: Any) -> Any:
    """Return cells as text: times as ISO 8601 has them, and nothing for a cell that is missing."""
    if pa.types.is_timestamp(column.type):
        zone = "Z" if column.type.tz is not None else ""
        column = pc.strftime(column, format=f"%Y-%m-%dT%H:%M:%S{zone}")
    elif pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return pc.fill_null(column.cast(pa.string()), "")
