"""Tables batch by batch, from a file or from a feed that never ends, in memory that does not grow with them."""

from __future__ import annotations

import codecs
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from sfumato.exceptions import SchemaError
from sfumato.formats.parquet import iterate_parquet
from sfumato.messages import Message, option
from sfumato.readers.files import choose_format
from sfumato.readers.options import ReadOptions
from sfumato.readers.tables import detect_delimiter, first_lines, parse_table

__all__ = ["STANDARD_INPUT", "is_feed", "read_batches"]

STANDARD_INPUT = "-"

_BLOCK = 1 << 22
_LONGEST_LINE = 1 << 26
_PACKED: dict[bytes, Callable[[BinaryIO], Any]] = {b"\x1f\x8b": gzip.open, b"\xfd7zXZ\x00": lzma.open}


def is_feed(path: Path) -> bool:
    """Return whether records come as they arise: from standard input or from a pipe, not from a file.

    Examples
    --------
    >>> is_feed(Path("-")), is_feed(Path(__file__))
    (True, False)
    """
    return str(path) == STANDARD_INPUT or path.is_fifo()


def read_batches(path: Path, read_options: ReadOptions) -> Iterator[pa.Table]:
    """Read a file, or standard input for ``-``, a few megabytes at a time.

    From standard input, rows are yielded as soon as they come. It is CSV unless the options give another format.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "cases.csv"
    >>> _ = file.write_text("time,ill\\n1,flu\\n2,cold\\n")
    >>> [batch.num_rows for batch in read_batches(file, ReadOptions("snapshots"))]
    [2]
    """
    if str(path) == STANDARD_INPUT:
        format = read_options.format or "csv"
        yield from _read("standard input", sys.stdin.buffer, format, read_options)
        return
    if path.is_dir():
        raise SchemaError(f"{path}: this is a directory.", hint="Give a file.")
    try:
        with path.open("rb") as file:
            yield from _read(
                path.name, file, choose_format(path, read_options.format, read_options.formats), read_options
            )
    except FileNotFoundError:
        raise SchemaError(f"{path}: there is no such file.", hint="Check the path.") from None


def _read(name: str, file: BinaryIO, format: str, read_options: ReadOptions) -> Iterator[pa.Table]:
    if format == "parquet":
        yield from _read_parquet(name, file)
    else:
        yield from _read_text(name, file, format, read_options)


def _read_parquet(name: str, file: BinaryIO) -> Iterator[pa.Table]:
    source = file if file.seekable() else io.BytesIO(file.read())
    size = source.seek(0, io.SEEK_END)
    source.seek(0)
    for batch in iterate_parquet(name, source, size):
        if batch.num_rows:
            yield pa.Table.from_batches([batch])


def _read_text(name: str, file: BinaryIO, format: str, read_options: ReadOptions) -> Iterator[pa.Table]:
    delimiter, header = read_options.delimiter, read_options.header or True
    empty = True
    for text in _cut_lines(
        name, _decode(name, _blocks(name, file), read_options.encoding), header is True, format == "csv"
    ):
        if format == "csv" and delimiter is None:
            delimiter = detect_delimiter(first_lines(text))
        table = parse_table(name, text, format, delimiter=delimiter, header=header)
        header = tuple(table.column_names)
        empty = False
        yield table
    if empty:
        raise SchemaError(f"{name}: the file is empty.", hint="Give a file with records.")


def _blocks(name: str, file: BinaryIO) -> Iterator[bytes]:
    """Yield unpacked blocks; a pipe yields what it has instead of waiting for more."""
    buffered: Any = file
    packed = next((kind for kind in _PACKED if buffered.peek(8)[: len(kind)] == kind), None)
    source = buffered if packed is None else _PACKED[packed](buffered)
    try:
        while block := source.read1(_BLOCK):
            yield block
    except (lzma.LZMAError, OSError, zlib.error, EOFError):
        raise SchemaError(f"{name}: the packed file is truncated or damaged.", hint="Copy it again.") from None


def _decode(name: str, blocks: Iterator[bytes], encoding: str | None) -> Iterator[bytes]:
    if encoding is None:
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in blocks:
            yield decoder.decode(block).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeDecodeError:
        raise SchemaError(
            Message(f"{name}: the text is not ", option("encoding", encoding), "."), hint="Give another encoding."
        ) from None


def _cut_lines(name: str, blocks: Iterator[bytes], has_header: bool, quoted: bool) -> Iterator[bytes]:
    """Yield whole lines: never a cut inside a quoted cell, and never a header alone."""
    rest, in_quotes, waits = b"", False, has_header
    for block in blocks:
        cut = _last_line_end(block, in_quotes, quoted)
        in_quotes ^= quoted and block.count(b'"') % 2 == 1
        if cut < 0:
            rest += block
            if len(rest) > _LONGEST_LINE:
                raise SchemaError(
                    f"{name}: a line, or a quoted cell that is not closed, is over {_LONGEST_LINE:,} bytes.",
                    hint="Close the quotes of cells, or shorten the line.",
                )
            continue
        text, rest = rest + block[:cut], block[cut:]
        if waits and len(first_lines(text, 2)) < 2:
            rest = text + rest
            continue
        waits = False
        if text.strip():
            yield text
    if rest.strip():
        yield rest


def _last_line_end(block: bytes, in_quotes: bool, quoted: bool) -> int:
    """Return where the last whole line of a block ends, -1 if none does."""
    if not quoted or (not in_quotes and b'"' not in block):
        return block.rfind(b"\n") + 1 or -1
    end = len(block)
    open_at_end = in_quotes ^ (block.count(b'"') % 2 == 1)
    while (at := block.rfind(b"\n", 0, end)) >= 0:
        # Quotes between the line end and the end of the block tell whether the line end lies inside a cell.
        if open_at_end == (block.count(b'"', at) % 2 == 1):
            return at + 1
        end = at
    return -1
