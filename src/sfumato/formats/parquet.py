"""Reading of Parquet files with a limit of expansion."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sfumato.exceptions import SchemaError
from sfumato.formats.frames import plain_type
from sfumato.formats.limits import check_expansion, largest_expansion

__all__ = ["has_no_rows", "iterate_labels", "iterate_parquet", "read_parquet"]

_ROWS = 1 << 16
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 12, "BYTE_ARRAY": 4}
_BROKEN = "this is not a complete Parquet file: it is truncated or damaged."


def read_parquet(name: str, source: Any, size: int) -> pa.Table:
    """Read a Parquet file, or refuse one beyond the limit of expansion.

    Runs of equal values take hardly any space in a file, so a few bytes may encode any number of rows. The rows are
    counted in the footer before reading, and the bytes while reading.

    Parameters
    ----------
    name
        For error messages.
    source
        A path, or a reader of Arrow's.
    size
        Bytes of the file, or of all files with the same content, for the limit of expansion.

    Examples
    --------
    >>> sink = pa.BufferOutputStream()
    >>> pq.write_table(pa.table({"place": pa.nulls(10**3, pa.int8())}), sink)
    >>> read_parquet("visits.parquet", pa.BufferReader(sink.getvalue()), sink.getvalue().size).num_rows
    1000
    """
    batches = list(iterate_parquet(name, source, size))
    return pa.Table.from_batches(batches[1:], schema=batches[0].schema)


def has_no_rows(content: bytes) -> bool:
    """Return whether a Parquet file has columns and no rows, as clusters write them beside others.

    Examples
    --------
    >>> has_no_rows(b"no such file")
    False
    """
    try:
        return int(pq.read_metadata(pa.BufferReader(content)).num_rows) == 0
    except (pa.ArrowException, OSError):
        return False


def iterate_parquet(name: str, source: Any, size: int) -> Iterator[pa.RecordBatch]:
    """Yield the content of a Parquet file within the same limit in batches; the first has no rows."""
    try:
        file = pq.ParquetFile(source, thrift_string_size_limit=1 << 28, thrift_container_size_limit=1 << 24)
        check_expansion(name, size, _count_least(file.metadata))
        yield _without_views(pa.RecordBatch.from_pylist([], schema=file.schema_arrow))
        for batch in _read_within(name, file, size):
            # Arrow reads invalid text silently.
            batch.validate(full=True)
            yield _without_views(batch)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise SchemaError(f"{name}: {_BROKEN}") from None


def _without_views(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch whose texts are of the types that every reader knows; labels with a dictionary stay."""
    schema = pa.schema(
        [
            field if pa.types.is_dictionary(field.type) else field.with_type(plain_type(field.type))
            for field in batch.schema
        ]
    )
    return batch if schema == batch.schema else batch.cast(schema)


def iterate_labels(name: str, path: Path, size: int) -> Iterator[pa.RecordBatch]:
    """Yield the content of a file within the same limit, many rows at a time, with texts as codes and labels.

    Codes take four bytes, also for long texts that repeat, so that many rows are safe to read; their size as texts is
    counted before they are decoded.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "visits.parquet"
    >>> pq.write_table(pa.table({"place": ["home"] * 1000}), file)
    >>> [batch.num_rows for batch in iterate_labels("visits.parquet", file, file.stat().st_size)]
    [1000]
    """
    flat = [field.name for field in pq.read_schema(path) if pa.types.is_string(field.type)]
    nested = [field.name for field in pq.read_schema(path) if field.type.num_fields]
    if nested:
        yield from (batch for batch in iterate_parquet(name, path, size) if batch.num_rows)
        return
    limits: Any = {"thrift_string_size_limit": 1 << 28, "thrift_container_size_limit": 1 << 24}
    with pq.ParquetFile(path, read_dictionary=flat, **limits) as file:
        check_expansion(name, size, _count_least(file.metadata))
        read = 0
        for group in range(file.metadata.num_row_groups):
            for batch in file.iter_batches(batch_size=_ROWS * 4, row_groups=[group]):
                batch.validate(full=True)
                read += sum(map(_count_decoded_bytes, batch.columns))
                check_expansion(name, size, read)
                yield batch


def _count_decoded_bytes(cells: Any) -> int:
    """Return how many bytes cells take when their labels are decoded."""
    if not pa.types.is_dictionary(cells.type):
        return int(cells.nbytes)
    lengths: Any = pc.binary_length(cells.dictionary)
    return int(pc.sum(lengths.take(cells.indices)).as_py() or 0) + 4 * len(cells)


def _read_within(name: str, file: pq.ParquetFile, size: int) -> Iterator[pa.RecordBatch]:
    metadata = file.metadata
    widest = sum(
        metadata.row_group(group).column(column).total_uncompressed_size
        for group in range(metadata.num_row_groups)
        for column in range(metadata.num_columns)
        if metadata.schema.column(column).physical_type == "BYTE_ARRAY"
    )
    # No text is longer than all texts together; so many rows of it are never too many at once.
    rows = max(min(_ROWS, largest_expansion(size) // max(widest, 1)), 64)
    read = 0
    # Every row group has dictionaries of its own, and Arrow cannot put two of them into one nested batch.
    for group in range(metadata.num_row_groups):
        for batch in file.iter_batches(batch_size=rows, row_groups=[group]):
            read += batch.nbytes
            check_expansion(name, size, read)
            yield batch


def _count_least(metadata: pq.FileMetaData) -> int:
    """Return how many bytes the content takes at least, by the footer."""
    size = 0
    for group in range(metadata.num_row_groups):
        about = metadata.row_group(group)
        for number in range(about.num_columns):
            column = about.column(number)
            width = _WIDTHS.get(column.physical_type, 1)
            size += max(int(column.num_values) * width, int(column.total_uncompressed_size))
    return max(size, int(metadata.num_rows))
