"""Rows of data as texts, in a file that can be read a page at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.data.dataset import Dataset
from sfumato.data.time_units import TimeUnit
from sfumato.escape import make_visible
from sfumato.reports.times import show_time

__all__ = ["PAGE", "read_page", "write_view"]

PAGE = 25
"""Rows of a page."""
_GROUP = 40 * PAGE
"""Rows that are read for a page, and no others."""
_ENTRIES = 12
_LONGEST = 80


def write_view(dataset: Dataset, path: Path) -> int:
    """Write the rows of a dataset as texts, lists by their first entries; return how many there are.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "view.parquet"
    >>> write_view(Dataset.of("sets", [["wine", "bread"], ["bread"]]), path)
    2
    >>> read_page(path, 0)[1]
    [['p0', 'wine, bread'], ['p1', 'bread']]
    """
    shown = list(dataset.schema.columns)
    schema = pa.schema([(column.name, pa.string()) for column in shown])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for begin in range(0, len(dataset), _GROUP):
            part = dataset.table.slice(begin, _GROUP)
            cells = [
                pa.array(
                    [_format_value(value, dataset.time_unit if column.role == "time" else None) for value in values]
                )
                for column, values in ((column, part.column(column.name).to_pylist()) for column in shown)
            ]
            writer.write_table(pa.table([cell.cast(pa.string()) for cell in cells], schema=schema))
    return len(dataset)


def read_page(path: Path, number: int) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns and the rows of a page, the first of which is 0."""
    with pq.ParquetFile(path) as file:
        names = list(file.schema_arrow.names)
        group, begin = divmod(number * PAGE, _GROUP)
        if not 0 <= group < file.num_row_groups:
            return names, []
        table = file.read_row_group(group).slice(begin, PAGE)
    return names, [list(row.values()) for row in table.to_pylist()]


def _format_value(value: Any, time_unit: TimeUnit | None) -> str:
    if isinstance(value, list | np.ndarray):
        first = ", ".join(_format_value(entry, time_unit) for entry in value[:_ENTRIES])
        return first + (f", … ({len(value):,} in all)" if len(value) > _ENTRIES else "")
    if time_unit is not None and isinstance(value, int):
        return show_time(value, time_unit)
    text = make_visible(str(value))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
