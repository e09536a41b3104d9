"""Sources of data: a file, or the data files of a folder or archive, as text and as a table."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from sfumato.data.notes import Note
from sfumato.exceptions import SchemaError
from sfumato.formats.frames import FrameFile
from sfumato.formats.memory import Place
from sfumato.formats.parquet import has_no_rows
from sfumato.messages import Message, option
from sfumato.readers.archives import Part, find_archive, list_parts
from sfumato.readers.files import choose_format, to_utf8
from sfumato.readers.gpx import parse_gpx
from sfumato.readers.notes import note_files
from sfumato.readers.options import ReadOptions
from sfumato.readers.tables import check_columns, first_lines, parse_table
from sfumato.readers.xes import parse_xes

__all__ = ["FILE", "Source", "lacks_header"]

FILE = "file"
"""Column with the file of every row, for readers that give it a role."""
_STREAMED = {"xes": parse_xes, "gpx": parse_gpx}
_LOOSE = frozenset({"xes", "gpx", "geojson"})
"""Formats whose files may have different columns."""
_DATA_LIKE = re.compile(r"[<+-]*[\d.]+([eE][+-]?\d+)?>?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*", re.ASCII)


class Source:
    """One file, or all data files of a folder or ZIP archive, read as one.

    Several files must have the same columns. If the options give ``file`` a role, it is a column with the names of the
    files without their extensions. Several GPX files have a column ``person`` with these names.

    Parameters
    ----------
    path
        File, folder or archive; a file in an archive is named below it, as ``data.zip/visits.csv``.
    read_options
        How to read it.
    parts
        The files, where they are known.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("ann", "bob"):
    ...     _ = (folder / f"{name}.csv").write_text("time,place\\n1,park\\n")
    >>> Source(folder, ReadOptions("trajectories", columns={"person": "file"})).table().to_pydict()
    {'time': ['1', '1'], 'place': ['park', 'park'], 'file': ['ann', 'bob']}
    """

    def __init__(self, path: Place, read_options: ReadOptions, parts: Sequence[Part] | None = None) -> None:
        self.read_options = read_options
        self.name = path.name
        self.parts: Sequence[Part] = list_parts(path, read_options.format) if parts is None else parts
        self._held = path.table if isinstance(path, FrameFile) else None
        self._count = path.count if isinstance(path, FrameFile) else len(self.parts)
        inside = find_archive(path) if isinstance(path, Path) else None
        if len(self.parts) == 1 and inside is not None:
            self.name = f"{inside[0].name}/{self.parts[0].name}"

    @property
    def notes(self) -> list[Note]:
        """Notes on the files that the data are in."""
        return [note_files(self.name, self._count)] if self._count > 1 else []

    @functools.cached_property
    def format(self) -> str:
        """The format given, or the one that the extensions stand for."""
        formats = {choose_format(part.file, self.read_options.format, self.read_options.formats) for part in self.parts}
        if len(formats) > 1:
            raise SchemaError(
                f"{self.name}: the files have different formats ({', '.join(sorted(formats))}).",
                hint="Give one of the files.",
            )
        return formats.pop()

    def sample(self, count: int = 5) -> list[str]:
        """Return the first lines that are not empty, of the first file that has any."""
        firsts = (first_lines(next(iter(part.blocks()), b""), count) for part in self.parts)
        return next((lines for lines in firsts if lines), [])

    @functools.cached_property
    def data(self) -> bytes:
        """The content; of several texts one after another, under one header."""
        if len(self.parts) == 1:
            return self.parts[0].load()
        texts = [to_utf8(part.name, part.load(), self.read_options.encoding) for part in self.parts]
        texts = [text if text.endswith((b"\n", b"\r")) else text + b"\n" for text in texts if text.strip()]
        firsts = [first_lines(text, 1)[0] for text in texts]
        if self.read_options.header or self.read_options.format in {"spmf", "transactions"} or lacks_header(firsts):
            return b"".join(texts)
        other = next((i for i, line in enumerate(firsts) if line != firsts[0]), None)
        if other is not None:
            raise SchemaError(
                f"{self.name}: the files must have the same header; {self.parts[0].name} and "
                f"{self.parts[other].name} differ.",
                hint=Message("Give one of the files. If there is no header, name the columns: ", option("header"), "."),
            )
        return b"".join([*texts[:1], *(_without_first(text) for text in texts[1:])])

    def table(
        self, *, delimiter: str | None = None, header: Sequence[str] = (), encoding: str | None = None
    ) -> pa.Table:
        """Return the rows of all files; arguments override the options."""
        if self._held is not None:
            return check_columns(self.name, self._held)
        read_options = self.read_options
        by_file = FILE in read_options.columns.values()
        several = len(self.parts) > 1
        delimiter, encoding = delimiter or read_options.delimiter, encoding or read_options.encoding
        names = header or read_options.header or True
        if self.format == "csv" and not by_file:
            # Several texts were decoded when they were put together.
            text_encoding = None if several else encoding
            return parse_table(self.name, self.data, "csv", delimiter=delimiter, header=names, encoding=text_encoding)
        tables: list[pa.Table] = []
        first: set[str] = set()
        for part in self.parts:
            if several and self.format == "parquet" and has_no_rows(part.load()):
                continue
            name = f"{self.name}/{part.name}" if several else self.name
            if self.format in _STREAMED:
                table = check_columns(name, _STREAMED[self.format](name, part.blocks()))
            else:
                table = parse_table(
                    name,
                    part.load(),
                    self.format,
                    delimiter=delimiter,
                    header=names,
                    encoding=encoding,
                    sheet=read_options.sheet,
                )
            first = first or set(table.column_names)
            if self.format not in _LOOSE and set(table.column_names) != first:
                raise SchemaError(
                    f"{self.name}: the files must have the same columns; {self.parts[0].name} and {part.name} differ.",
                    hint="Give one of the files.",
                )
            tables.append(_add_file(table, part.stem, by_file, several and self.format == "gpx"))
        if not tables:
            raise SchemaError(f"{self.name}: the files have no rows.", hint="Give a file with rows.")
        return _join(self.name, tables)


def lacks_header(lines: Sequence[str]) -> bool:
    """Return whether the first lines of files are rows, not names of columns.

    Examples
    --------
    >>> lacks_header(["7,park", "8,cafe"]), lacks_header(["person,place"])
    (True, False)
    """
    return all(any(_DATA_LIKE.fullmatch(cell) for cell in re.split(r"[,;\s|]+", line)) for line in lines)


def _without_first(text: bytes) -> bytes:
    """Return a text without its first line that is not empty."""
    match = re.match(rb"(?:[ \t]*(?:\r\n|\n|\r))*[^\r\n]*(?:\r\n|\n|\r)?", text)
    return text[match.end() if match else 0 :]


def _add_file(table: pa.Table, stem: str, by_file: bool, by_person: bool) -> pa.Table:
    for column, wanted in ((FILE, by_file), ("person", by_person)):
        if wanted and column not in table.column_names:
            table = table.append_column(column, pa.array([stem] * table.num_rows, pa.string()))
    return table


def _join(name: str, tables: list[pa.Table]) -> pa.Table:
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException:
        pass
    raise SchemaError(f"{name}: a column has different types in different files.", hint="Write it as one type.")
