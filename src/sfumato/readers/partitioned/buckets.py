"""Buckets of rows: all rows of a person are in the same bucket, in the order of the file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.fingerprint import mix
from sfumato.readers.partitioned.reading import ReadWhole

__all__ = [
    "ROW",
    "Buckets",
    "count_buckets",
    "count_groups",
    "distribute",
    "draw_salt",
    "encode_rows",
    "format_types",
    "name_bucket",
    "read_bucket",
    "spill_rows",
]

Numbers = npt.NDArray[np.uint64]

ROW = "the row of the file"
"""Column with the number of a row in the file."""
_SIZE = 24 << 20
"""Approximate bytes of cells in a bucket."""
_MOST = 400
"""Largest number of buckets; each needs an open file."""
_GROUPS = 10_000
"""Largest number of buckets without open files."""
_FILE = 40
"""Bits for the row in a file; the higher bits are the number of the file."""
_BLOCK_ROWS = 4096
"""Rows that stay together where there is no key."""


def count_buckets(size: int) -> int:
    """Return the number of buckets for a size in bytes.

    Examples
    --------
    >>> count_buckets(1), count_buckets(1 << 30)
    (1, 43)
    """
    return min(count_groups(size), _MOST)


def count_groups(size: int) -> int:
    """Return the number of buckets without open files for a size in bytes.

    Examples
    --------
    >>> count_groups(1 << 40) > count_buckets(1 << 40)
    True
    """
    return min(max(-(-size // _SIZE), 1), _GROUPS)


def name_bucket(folder: Path, number: int) -> Path:
    """Return the file of a bucket."""
    return folder / f"rows-{number:05}.arrow"


def draw_salt() -> Numbers:
    """Draw the salt of buckets, so that names cannot be chosen to fall into the same bucket."""
    return np.frombuffer(os.urandom(16), np.uint64)


def spill_rows(batches: Iterable[pa.RecordBatch], key: str | None, count: int, folder: Path) -> int:
    """Write every row into a bucket, rows with the same key into the same one; return the number of rows.

    Buckets are random: results must not depend on them.

    Parameters
    ----------
    batches
        The rows.
    key
        The column that keeps rows together; without one, rows are distributed evenly.
    count
        The number of buckets.
    folder
        The folder to write to.
    """
    salt, rows = draw_salt(), 0
    with Buckets(folder) as buckets:
        for batch in batches:
            for bucket, portion in distribute(batch, key, count, salt, rows):
                buckets.add(bucket, portion)
            rows += batch.num_rows
    return rows


def distribute(
    batch: pa.RecordBatch, key: str | None, count: int, salt: Numbers, first: int, file: int = 0
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yield the rows of a batch bucket by bucket, each with its number.

    Parameters
    ----------
    batch, key, count
        As for :func:`spill_rows`.
    salt
        The salt of the buckets.
    first
        The number of the first row in the file.
    file
        The number of the file, where there are several.

    Examples
    --------
    >>> batch = pa.RecordBatch.from_pydict({"person": ["ann", "bob", "ann"]})
    >>> portions = dict(distribute(batch, "person", 1, np.array([5, 7], np.uint64), 10))
    >>> portions[0].column(ROW).to_pylist()
    [10, 11, 12]
    """
    at = np.arange(first, first + batch.num_rows) + (file << _FILE)
    numbered = batch.append_column(ROW, pa.array(at))
    chosen = _choose(batch, key, count, salt, at)
    order = np.argsort(chosen, kind="stable")
    sorted_rows = numbered.take(pa.array(order)) if count > 1 else numbered
    ends = np.searchsorted(chosen[order], np.arange(count + 1))
    for bucket in np.flatnonzero(np.diff(ends)).tolist():
        yield bucket, sorted_rows.slice(ends[bucket], ends[bucket + 1] - ends[bucket])


def encode_rows(batches: Sequence[pa.RecordBatch]) -> bytes:
    """Return rows as a stream of Arrow."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    stream: bytes = sink.getvalue().to_pybytes()
    return stream


def format_types(batch: pa.RecordBatch) -> str:
    """Return the names and types of the columns of rows.

    Examples
    --------
    >>> format_types(pa.RecordBatch.from_pydict({"person": ["ann"]}))
    'person: string'
    """
    return str(batch.schema.remove_metadata())


class Buckets:
    """Files of rows that are open at the same time, each from its first rows on.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with Buckets(folder) as buckets:
    ...     buckets.add(3, pa.RecordBatch.from_pydict({"person": ["ann"], ROW: [0]}))
    >>> read_bucket(name_bucket(folder, 3))[0].to_pydict()
    {'person': ['ann']}
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._schema: pa.Schema | None = None
        self._open: dict[int, tuple[Any, Any]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for sink, writer in self._open.values():
            writer.close()
            sink.close()

    def add(self, bucket: int, rows: pa.RecordBatch) -> None:
        """Add rows to a bucket."""
        if self._schema is not None and rows.schema != self._schema:
            raise ReadWhole("a column changes its type")
        self._schema = rows.schema
        if bucket not in self._open:
            sink = pa.OSFile(str(name_bucket(self._folder, bucket)), "wb")
            self._open[bucket] = sink, pa.ipc.new_stream(sink, rows.schema)
        self._open[bucket][1].write_batch(rows)


def _choose(
    batch: pa.RecordBatch, key: str | None, count: int, salt: Numbers, at: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the bucket of every row."""
    if key is None:
        # Some rows at a time, from another bucket on in every file: files may be many and short.
        return ((at & ((1 << _FILE) - 1)) // _BLOCK_ROWS + (at >> _FILE)) % count
    return (hash_cells(batch.column(batch.schema.get_field_index(key)), salt) % np.uint64(count)).astype(np.int64)


def hash_cells(cells: Any, salt: Numbers) -> Numbers:
    """Return a number for every cell, equal for equal cells and random without the salt.

    Examples
    --------
    >>> salt = np.array([5, 7], np.uint64)
    >>> numbers = hash_cells(pa.array(["ann", "bob", "ann", None]), salt)
    >>> bool(numbers[0] == numbers[2]), len(np.unique(numbers))
    (True, 3)
    """
    if not _holds_labels(cells.type):
        raise ReadWhole("its people are named neither by texts nor by whole numbers")
    if pa.types.is_integer(cells.type):
        plain = cells.fill_null(0).cast(pa.int64(), safe=False).to_numpy(zero_copy_only=False)
        return mix(plain.view(np.uint64) ^ salt[0])
    text = (
        cells.fill_null("").cast(pa.large_string())
        if not pa.types.is_null(cells.type)
        else cells.cast(pa.large_string())
    )
    offsets = np.frombuffer(text.buffers()[1], np.int64)[text.offset : text.offset + len(text) + 1]
    data = np.frombuffer(text.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]]
    starts, lengths = offsets[:-1] - offsets[0], np.diff(offsets)
    if not len(data):
        return mix(np.zeros(len(text), np.uint64) ^ salt[0])
    # A polynomial of the bytes, at a random point.
    powers = np.full(int(lengths.max()), salt[1] | np.uint64(1), np.uint64).cumprod(dtype=np.uint64)
    place = np.arange(len(data)) - np.repeat(starts, lengths)
    terms = np.append(np.zeros(1, np.uint64), ((data.astype(np.uint64) + np.uint64(1)) * powers[place]).cumsum())
    return mix((terms[starts + lengths] - terms[starts]) ^ mix(lengths.astype(np.uint64) ^ salt[0]))


def _holds_labels(kind: pa.DataType) -> bool:
    """Return whether cells can be names of people: texts or whole numbers."""
    named = kind.value_type if pa.types.is_dictionary(kind) else kind
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_integer, pa.types.is_null)
    return any(test(named) for test in tests)


def read_bucket(path: Path, begins: Sequence[int] = ()) -> tuple[pa.Table, npt.NDArray[np.int64]]:
    """Return the rows of a bucket in order, and their numbers among all rows.

    Parameters
    ----------
    path
        The bucket.
    begins
        The first row of each of several files, if rows were numbered file by file.
    """
    with pa.memory_map(str(path)) as file:
        table = pa.ipc.open_stream(file).read_all().combine_chunks()
    rows = table.column(ROW).to_numpy()
    table = table.drop_columns([ROW])
    if begins:
        rows = np.asarray(begins, np.int64)[rows >> _FILE] + (rows & ((1 << _FILE) - 1))
    if (np.diff(rows) < 0).any():
        # Files are read at the same time, and their rows are mixed.
        order = np.argsort(rows, kind="stable")
        rows, table = rows[order], table.take(pa.array(order)).combine_chunks()
    return table, rows
