"""Rows laid aside in buckets: all rows of a person are in one of them, in the order of the file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.publishing.contents import mix
from sfumato.io.streaming.gathering import ReadWhole

__all__ = ["ROW", "lay_aside", "name_bucket", "read_bucket"]

Numbers = npt.NDArray[np.uint64]

ROW = "the row of the file"
"""Column that tells where a row stands in the file."""
_SIZE = 24 << 20
"""Bytes of cells in a bucket, about."""
_MOST = 400
"""Buckets; each needs an open file."""


def count_buckets(size: int) -> int:
    """Return how many buckets there are for so many bytes.

    Examples
    --------
    >>> count_buckets(1), count_buckets(1 << 30)
    (1, 43)
    """
    return min(max(-(-size // _SIZE), 1), _MOST)


def name_bucket(folder: Path, number: int) -> Path:
    """Return the file of a bucket."""
    return folder / f"rows-{number:05}.arrow"


def lay_aside(batches: Iterable[pa.RecordBatch], key: str | None, count: int, folder: Path) -> int:
    """Write every row into one of so many buckets, the rows with the same key into the same; return how many rows.

    Which bucket that is, is random and means nothing: whatever is made of the buckets must not depend on it.

    Parameters
    ----------
    batches
        The rows.
    key
        The column that keeps rows together; without one, rows are dealt out.
    count
        How many buckets.
    folder
        Where they are written.
    """
    salt, rows = np.frombuffer(os.urandom(16), np.uint64), 0
    with contextlib.ExitStack() as open_files:
        writers: list[Any] = []
        for batch in batches:
            numbered = batch.append_column(ROW, pa.array(np.arange(rows, rows + batch.num_rows)))
            if not writers:
                writers = [_open(name_bucket(folder, at), numbered.schema, open_files) for at in range(count)]
            elif numbered.schema != writers[0].schema:
                raise ReadWhole("a column changes its type")
            chosen = _choose(batch, key, count, salt, rows)
            rows += batch.num_rows
            order = np.argsort(chosen, kind="stable")
            sorted_rows = numbered.take(pa.array(order)) if count > 1 else numbered
            ends = np.searchsorted(chosen[order], np.arange(count + 1))
            for at in range(count):
                if ends[at] < ends[at + 1]:
                    writers[at].write(sorted_rows.slice(ends[at], ends[at + 1] - ends[at]))
    return rows


class _Writer:
    """A file of batches that is opened when the first one comes."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path, self.schema = path, schema
        self._writer: Any = None
        self._sink: Any = None

    def write(self, batch: pa.RecordBatch) -> None:
        if self._writer is None:
            self._sink = pa.OSFile(str(self.path), "wb")
            self._writer = pa.ipc.new_stream(self._sink, self.schema)
        self._writer.write_batch(batch)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._sink.close()


def _open(path: Path, schema: pa.Schema, open_files: contextlib.ExitStack) -> _Writer:
    writer = _Writer(path, schema)
    open_files.callback(writer.close)
    return writer


def _choose(batch: pa.RecordBatch, key: str | None, count: int, salt: Numbers, first: int) -> npt.NDArray[np.int64]:
    """Return the bucket of every row."""
    if key is None:
        return (np.arange(first, first + batch.num_rows) >> 12) % count
    return (hash_cells(batch.column(batch.schema.get_field_index(key)), salt) % np.uint64(count)).astype(np.int64)


def hash_cells(cells: Any, salt: Numbers) -> Numbers:
    """Return a number for every cell: equal ones for equal cells, and random ones to who does not know the salt.

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
    """Tell whether cells are what names people, texts or whole numbers; readers say what is wrong with others."""
    named = kind.value_type if pa.types.is_dictionary(kind) else kind
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_integer, pa.types.is_null)
    return any(test(named) for test in tests)


def read_bucket(path: Path) -> tuple[pa.Table, npt.NDArray[np.int64]]:
    """Return the rows of a bucket, and where they stand in the file; none where nothing was written."""
    with pa.memory_map(str(path)) as file:
        table = pa.ipc.open_stream(file).read_all().combine_chunks()
    return table.drop_columns([ROW]), table.column(ROW).to_numpy()
