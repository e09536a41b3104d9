"""Tables written as files that the readers read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.core.errors import ParameterError

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
        cast(pl.DataFrame, pl.from_arrow(table)).write_csv(path)
    elif path.suffix == ".jsonl":
        with path.open("w", encoding="utf-8") as file:
            for batch in table.to_batches(max_chunksize=10_000):
                for row in batch.to_pylist():
                    file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
    else:
        raise ParameterError(f"{path.name}: write a .csv, .parquet or .jsonl file.")
