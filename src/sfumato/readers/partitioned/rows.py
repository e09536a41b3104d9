"""Reading of files in batches of rows, with the same cells as when they are read whole.

Files of other formats and encodings, files that differ, and files with errors are read whole instead, so that errors
are the same in both ways.
"""

from __future__ import annotations

import codecs
import hashlib
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from sfumato.data.notes import Note
from sfumato.exceptions import SfumatoError
from sfumato.formats.frames import plain_type
from sfumato.formats.parquet import iterate_labels
from sfumato.progress import report_progress
from sfumato.readers.files import iterate_blocks
from sfumato.readers.layouts import recognise_layout
from sfumato.readers.notes import note_layout
from sfumato.readers.options import ReadOptions
from sfumato.readers.partitioned.reading import PartitionedReading, ReadWhole
from sfumato.readers.sources import FILE, Source, lacks_header
from sfumato.readers.tables import check_delimiter, detect_delimiter

__all__ = ["Piece", "Rows", "SpilledRows", "open_piece", "open_rows", "unite_pieces"]

_BLOCK = 1 << 24
_PACKED = 5
"""Times that a packed text is larger than its file, about."""
_CELL = 10
"""Bytes of a cell in memory, about."""
_UTF8 = {"utf-8", "utf-8-sig", "ascii"}


class Rows(NamedTuple):
    """Files that can be read batch by batch, as one.

    Parameters
    ----------
    name
        For messages.
    columns
        Names of the columns.
    size
        Bytes of the cells, about.
    notes
        Notes on the files.
    pieces
        The files with rows.
    files
        The number of files.
    """

    name: str
    columns: tuple[str, ...]
    size: int
    notes: tuple[Note, ...]
    pieces: tuple[Piece, ...]
    files: int = 1

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all files, with types that every reader knows."""
        before, total = 0, sum(piece.total for piece in self.pieces)
        for piece in self.pieces:
            yield from piece.batches(before, total)
            before += piece.total


class SpilledRows(NamedTuple):
    """Rows that were distributed to buckets: their files, the buckets, and the first row of each file if known."""

    rows: Rows
    numbers: tuple[int, ...]
    begins: tuple[int, ...] = ()


class Piece(NamedTuple):
    """One file that can be read batch by batch.

    Parameters
    ----------
    path
        Its path.
    columns, size, notes
        As of :class:`Rows`.
    total
        Its rows, or its bytes if it is a text, for reports of progress.
    text
        How its cells are split if it is a text.
    first
        A digest of the first line of a text.
    bare
        Whether the first line of a text is a row, not names of columns.
    """

    path: Path
    columns: tuple[str, ...]
    size: int
    notes: tuple[Note, ...]
    total: int
    text: _Text | None = None
    first: str = ""
    bare: bool = False

    def batches(self, before: int = 0, total: int = 0) -> Iterator[pa.RecordBatch]:
        """Yield the rows, with reports of progress over several files."""
        if self.text is not None:
            yield from self.text.batches(self.path, before, total or self.total)
            return
        rows = before
        try:
            for batch in iterate_labels(self.path.name, self.path, self.path.stat().st_size):
                rows += batch.num_rows
                report_progress("read rows", rows, total or self.total)
                yield _plain(batch)
        except (SfumatoError, pa.ArrowException):
            raise ReadWhole("the file may be damaged") from None


class _Text(NamedTuple):
    """How the cells of a text are split."""

    delimiter: str
    header: tuple[str, ...]
    columns: tuple[str, ...]

    def batches(self, path: Path, before: int, total: int) -> Iterator[pa.RecordBatch]:
        # Only quoted cells can have line breaks, and the search for them takes time.
        quoted = any(b'"' in block for block in iterate_blocks(path))
        file = _Checked(path, self.delimiter)
        width = len(self.columns)
        try:
            reader = pa_csv.open_csv(
                pa.PythonFile(file, "r"),
                read_options=pa_csv.ReadOptions(
                    use_threads=False,
                    block_size=_BLOCK,
                    column_names=[f"f{at}" for at in range(width)],
                    skip_rows=0,
                ),
                parse_options=pa_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=quoted),
                convert_options=pa_csv.ConvertOptions(
                    column_types={f"f{at}": pa.string() for at in range(width)}, strings_can_be_null=False
                ),
            )
            skip = 0 if self.header else 1
            for batch in reader:
                report_progress("read rows", min(before + file.done, total), total)
                rows, skip = batch.slice(skip), 0
                if rows.num_rows:
                    yield pa.RecordBatch.from_arrays(rows.columns, names=list(self.columns))
        except (pa.ArrowException, OSError, UnicodeError):
            pass
        else:
            return
        if file.failure is not None and not isinstance(file.failure, UnicodeError | SfumatoError):
            raise file.failure
        raise ReadWhole("not every row is as the first line")


class _Checked(io.RawIOBase):
    """A text as a stream of checked bytes: UTF-8, without NUL, with closed quotes."""

    def __init__(self, path: Path, delimiter: str) -> None:
        self._blocks, self._left = iterate_blocks(path), b""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._quotes = _Quotes(delimiter)
        self._first, self._last, self.done = True, b"\n", 0
        self.failure: BaseException | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes; errors are stored, as Arrow replaces them by its own."""
        try:
            return self._hand_out(buffer)
        except BaseException as error:
            self.failure = error
            raise

    def _hand_out(self, buffer: Any) -> int:
        while not self._left:
            block = next(self._blocks, None)
            if block is None:
                self._end()
                if not self._left:
                    return 0
                break
            self._left = self._check(block)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count

    def _check(self, block: bytes) -> bytes:
        if self._first:
            block, self._first = block.removeprefix(codecs.BOM_UTF8), False
        if not block.isascii() or self._decoder.getstate()[0]:
            self._decoder.decode(block)
        if 0 in block:
            raise ReadWhole("there is a NUL byte in it")
        self._quotes.update(block)
        self._last = block[-1:] or self._last
        self.done += len(block)
        return block

    def _end(self) -> None:
        self._decoder.decode(b"", final=True)
        self._quotes.update(b"\n", final=True)
        if self._last not in b"\r\n":
            self._left, self._last = b"\n", b"\n"


class _Quotes:
    """Checks that quotes are closed, and open only at the begin of a cell."""

    def __init__(self, delimiter: str) -> None:
        self._around = np.isin(np.arange(256), [ord(sign) for sign in delimiter + '"\r\n'])
        self._before, self._open, self._pending = ord("\n"), False, False

    def update(self, block: bytes, *, final: bool = False) -> None:
        """Check the next bytes of a text."""
        if b'"' not in block and not self._pending:
            self._before = block[-1] if block else self._before
        elif block:
            text = np.frombuffer(block, np.uint8)
            quotes = np.flatnonzero(text == ord('"'))
            opening = np.arange(len(quotes)) % 2 == int(self._open)
            begins = quotes[opening]
            before = np.where(begins > 0, text[begins - 1], self._before)
            closing = quotes[~opening]
            inside = closing[closing + 1 < len(text)]
            wrong = not self._around[before].all() or not self._around[text[inside + 1]].all()
            if wrong or (self._pending and not self._around[text[0]]):
                raise ReadWhole("it has quotes inside of cells")
            self._pending = len(inside) < len(closing)
            self._open ^= bool(len(quotes) % 2)
            self._before = int(text[-1])
        if final and self._open:
            raise ReadWhole("a quote is not closed")


def open_rows(path: Path, read_options: ReadOptions, partitioned_reading: PartitionedReading) -> Rows:
    """Open a file or folder to read it in batches; raise :class:`ReadWhole` where it must be read whole.

    Examples
    --------
    >>> import tempfile
    >>> from sfumato.data.kind import find_kind
    >>> file = Path(tempfile.mkdtemp()) / "visits.csv"
    >>> _ = file.write_text("person,place\\nann,home\\n")
    >>> rows = open_rows(file, ReadOptions("trajectories"), find_kind("trajectories").partitioned_reading.load())
    >>> rows.columns, next(rows.batches()).to_pylist()
    (('person', 'place'), [{'person': 'ann', 'place': 'home'}])
    """
    if read_options.steps or not (path.is_file() or path.is_dir()) or path.suffix.lower() == ".zip":
        raise ReadWhole("steps edit all rows" if read_options.steps else "it is not one file")
    if read_options.format not in {None, "csv", "parquet"}:
        raise ReadWhole(f"files of {read_options.format} are read so")
    source = Source(path, read_options)
    files = [path] if path.is_file() else [path / part.name for part in source.parts]
    opened = [open_piece(file, source.format, read_options, partitioned_reading) for file in files]
    pieces = [piece for piece in opened if piece is not None]
    return unite_pieces(source.name, pieces, read_options)._replace(files=len(files))


def open_piece(
    path: Path, format: str, read_options: ReadOptions, partitioned_reading: PartitionedReading
) -> Piece | None:
    """Open one file to read it in batches; None where it is empty."""
    if format == "parquet":
        names = tuple(pq.read_schema(path).names)
        footer = pq.read_metadata(path)
        if not footer.num_rows:
            return None
        size = sum(footer.row_group(at).total_byte_size for at in range(footer.num_row_groups))
        # Repeated texts are small in a file, but not in memory.
        size = max(size, footer.num_rows * footer.num_columns * _CELL)
        return Piece(path, names, size, (), footer.num_rows)
    if format != "csv":
        raise ReadWhole(f"files of {format} are read so")
    if not any(block.strip() for block in iterate_blocks(path)):
        return None
    return _open_text(path, read_options, partitioned_reading)


def unite_pieces(name: str, pieces: Sequence[Piece], read_options: ReadOptions) -> Rows:
    """Combine files that are read as one, as when they are read whole.

    Examples
    --------
    >>> pieces = [Piece(Path(f"{name}.parquet"), (name,), 9, (), 1) for name in "ab"]
    >>> unite_pieces("a.parquet", pieces[:1], ReadOptions("sets")).columns
    ('a',)
    >>> unite_pieces("folder", pieces, ReadOptions("sets"))
    Traceback (most recent call last):
        ...
    sfumato.readers.partitioned.reading.ReadWhole: its files are not all written in the same way
    """
    if not sum(piece.total for piece in pieces):
        raise ReadWhole("there are no rows")
    first, several = pieces[0], len(pieces) > 1
    if len(set(first.columns)) < len(first.columns):
        raise ReadWhole("columns have no names of their own")
    same_layout = all((piece.columns, piece.text) == (first.columns, first.text) for piece in pieces)
    if several and first.text is not None and not read_options.header:
        bare = all(piece.bare for piece in pieces)
        # Without names, lines are rows; with them, they are the same in all files.
        same_layout = (
            same_layout and bare == bool(first.text.header) and (bare or len({piece.first for piece in pieces}) == 1)
        )
    if not same_layout or (several and FILE in read_options.columns.values()):
        raise ReadWhole("its files are not all written in the same way")
    return Rows(name, first.columns, sum(piece.size for piece in pieces), first.notes, tuple(pieces))


def _open_text(path: Path, read_options: ReadOptions, partitioned_reading: PartitionedReading) -> Piece:
    sample = Source(path, read_options).sample(20)
    if not sample or (read_options.encoding and codecs.lookup(read_options.encoding).name not in _UTF8):
        raise ReadWhole("the text is not UTF-8")
    sample[0] = sample[0].removeprefix("\ufeff")
    if sample[0].count('"') % 2:
        raise ReadWhole("a name of a column has a line break")
    if not partitioned_reading.is_table(sample, read_options):
        raise ReadWhole("its lines are no rows of a table")
    delimiter, header, notes = read_options.delimiter, tuple(read_options.header), []
    layout = None if not partitioned_reading.layouts or header or delimiter else recognise_layout(sample[:5])
    if layout is not None:
        delimiter, header = layout.delimiter, layout.header
        notes.append(note_layout(layout.name))
    cut = check_delimiter(delimiter) if delimiter is not None else detect_delimiter(sample)
    if cut == " ":
        raise ReadWhole("its cells are separated by blanks")
    first = next(
        pa_csv.open_csv(
            pa.BufferReader((sample[0] + "\n").encode()),
            read_options=pa_csv.ReadOptions(autogenerate_column_names=True),
            parse_options=pa_csv.ParseOptions(delimiter=cut),
            convert_options=pa_csv.ConvertOptions(
                column_types={f"f{at}": pa.string() for at in range(sample[0].count(cut) + 1)}
            ),
        )
    )
    names: Sequence[str] = header or [str(cell).strip() for cell in first.to_pylist()[0].values()]
    if len(names) != first.num_columns:
        raise ReadWhole("the header has another number of columns")
    columns = tuple(given or f"column{at}" for at, given in enumerate(names, start=1))
    packed = path.suffix.lower() in {".gz", ".xz"}
    stored = path.stat().st_size
    size = stored * (_PACKED if packed else 1)
    # Without a header the line is a row of data, which must not leave the machine that reads it.
    line, bare = hashlib.sha256(sample[0].encode()).hexdigest(), lacks_header(sample[:1])
    return Piece(path, columns, size, tuple(notes), stored, _Text(cut, header, columns), line, bare)


def _plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch without dictionaries, which differ from one batch to the next."""
    arrays: list[Any] = []
    for column, field in zip(batch.columns, batch.schema, strict=True):
        array: Any = column
        if pa.types.is_dictionary(field.type):
            array = array.dictionary.take(array.indices)
        arrays.append(array.cast(plain_type(field.type)))
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)
