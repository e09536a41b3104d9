"""Files that only a cluster reaches: their rows are laid into buckets by its tasks, each of which reads a file."""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.kind import find_kind, require
from sfumato.exceptions import ParameterError, SchemaError, SfumatoError
from sfumato.progress import tell
from sfumato.readers.archives import choose_data
from sfumato.readers.files import choose_format, is_uri
from sfumato.readers.options import Reading
from sfumato.readers.partitioned.buckets import count_groups, deal, draw_salt, spell_rows, spell_types
from sfumato.readers.partitioned.gathering import ReadWhole
from sfumato.readers.partitioned.rows import Laid, Piece, open_piece, unite_pieces
from sfumato.release.run import FileEngine, PartEngine, StoredFile
from sfumato.release.store import Kept, Shelf

__all__ = ["RemoteFiles", "find_source"]

_PLACE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(?://[^/]*)?(/?.*)", re.DOTALL)
_LARGEST = 1 << 30
"""Bytes of a file that a task takes: Spark hands it over whole."""
_BLOCK = 1 << 22
_PACKED = 5
"""Times that rows are larger than a packed file, about."""


@dataclasses.dataclass(frozen=True, eq=False)
class RemoteFiles:
    """The files that a URI stands for, as an engine finds them.

    Parameters
    ----------
    uri
        As it was given: a file, a folder, or a pattern.
    name
        What the data are called in messages.
    files
        The files in their order, by their names below the folder.
    engine
        Who reads them.
    """

    uri: str
    name: str
    files: Mapping[str, StoredFile]
    engine: FileEngine

    @classmethod
    def find(cls, uri: str, format: str | None, engine: FileEngine) -> RemoteFiles:
        """List the files of a URI; refuse what cannot be read in parts of whole files."""
        files = {_place(file.path): file for file in engine.list_files(uri)}
        if not files:
            raise SchemaError(f"{uri}: there are no files.")
        requested = _place(uri).rstrip("/")
        if list(files) == [requested]:
            name = PurePosixPath(requested).name
            return cls(uri, name, _check_sizes({name: files[requested]}), engine)
        inside = all(path.startswith(f"{requested}/") for path in files)
        base = requested if inside else os.path.commonpath([str(PurePosixPath(path).parent) for path in files])
        named = {str(PurePosixPath(path).relative_to(base)): file for path, file in files.items()}
        data_files = {name: named[name] for name in choose_data(uri, named, format)}
        return cls(uri, PurePosixPath(base).name or "data", _check_sizes(data_files), engine)

    def lay_aside(self, reading: Reading, shelf: Shelf, board: str) -> Laid:
        """Lay the rows of all files into buckets on a board of a shelf, where they are read.

        Raise :class:`ReadWhole` where they have to be read whole.
        """
        if reading.format not in {None, "csv", "parquet"}:
            raise ReadWhole(f"files of {reading.format} are read so")
        formats = set()
        for name in self.files:
            try:
                formats.add(choose_format(name, reading.format, reading.formats))
            except SfumatoError:
                raise ReadWhole("something may be wrong with it") from None
        if reading.steps or len(formats) > 1:
            raise ReadWhole("steps edit all rows" if reading.steps else "its files have different formats")
        format = formats.pop()
        packed = [format == "parquet" or name.endswith((".gz", ".xz")) for name in self.files]
        sizes = [file.size for file in self.files.values()]
        grown = sum(size * (_PACKED if tight else 1) for size, tight in zip(sizes, packed, strict=True))
        gathering = require(find_kind(reading.kind).gathering)
        count = count_groups(int(grown * gathering.growth(reading)))
        wanted = {file.path: (number, name) for number, (name, file) in enumerate(self.files.items())}
        dealing = Dealing(wanted, format, reading.to_dict(), count, draw_salt(), board)
        tell("read rows", 0, len(self.files))
        opened: dict[int, Opened] = {}
        paths = {file.path: file.size for file in self.files.values()}
        for outcome in shelf.read_files(self.uri, paths, functools.partial(deal_file, dealing), [board]):
            if isinstance(outcome, str):
                raise ReadWhole(outcome)
            opened[outcome.number] = outcome
            tell("read rows", len(opened), len(self.files))
        return self._unite([opened[number] for number in range(len(self.files))], reading)

    def _unite(self, opened: Sequence[Opened], reading: Reading) -> Laid:
        """Return what all files turned out to be together."""
        rows = unite_pieces(self.name, [file.piece for file in opened if file.piece is not None], reading)
        if len({file.types for file in opened if file.types}) > 1:
            raise ReadWhole("a column changes its type")
        begins = np.cumsum([0, *(file.rows for file in opened[:-1])]).tolist()
        numbers = sorted({number for file in opened for number in file.buckets})
        return Laid(rows._replace(files=len(self.files)), tuple(numbers), tuple(begins))

    def fetch(self, folder: Path) -> Path:
        """Copy the files into a folder of this machine, piece by piece; return what is there to read."""
        wanted = {file.path: name for name, file in self.files.items()}
        whole = folder / "files" / self.name
        single = list(self.files) == [self.name]
        paths = {file.path: file.size for file in self.files.values()}
        for name, begin, block in self.engine.work_on_files(self.uri, paths, functools.partial(cut_file, wanted)):
            path = whole if single else whole / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                if file.tell() != begin:
                    raise SchemaError(f"{self.uri}: {name} changed while it was read.")
                file.write(block)
        return whole


def find_source(data: str | Path, format: str | None, engine: PartEngine) -> Path | RemoteFiles:
    """Return where data lie: on this machine, or where only an engine reaches them.

    Examples
    --------
    >>> find_source("visits.csv", None, engine=None).name
    'visits.csv'
    """
    if not isinstance(data, str) or not is_uri(data):
        return Path(data)
    if not isinstance(engine, FileEngine):
        raise ParameterError(
            f"{data}: only the engine spark reads such places. Name that engine; a file of this machine is named by "
            "its path alone."
        )
    return RemoteFiles.find(data, format, engine)


class Dealing(NamedTuple):
    """All that a task needs to lay the rows of files into buckets: their numbers and names among them."""

    files: Mapping[str, tuple[int, str]]
    format: str
    reading: Mapping[str, Any]
    buckets: int
    salt: npt.NDArray[np.uint64]
    board: str


class Opened(NamedTuple):
    """What a file turned out to be: its number of rows, the types of its columns, and in which buckets it has rows."""

    number: int
    piece: Piece | None
    rows: int
    types: str
    buckets: frozenset[int]


def deal_file(dealing: Dealing, path: str, content: pa.Buffer) -> Iterator[Kept | Opened | str]:
    """Yield the rows of a file bucket by bucket, and at last what it is; or why everything has to be read whole."""
    number, name = dealing.files[path]
    reading = Reading.from_dict(dealing.reading)
    gathering = require(find_kind(reading.kind).gathering)
    with tempfile.TemporaryDirectory(prefix="sfumato-") as folder:
        file = Path(folder) / PurePosixPath(name).name
        with file.open("wb") as copy:
            copy.write(content)
        rows, types, buckets = 0, set[str](), set[int]()
        try:
            piece = open_piece(file, dealing.format, reading, gathering)
            if piece is not None:
                key = gathering.keep_together(piece.columns, reading)
                for batch in piece.batches():
                    types.add(spell_types(batch))
                    for bucket, portion in deal(batch, key, dealing.buckets, dealing.salt, rows, number):
                        buckets.add(bucket)
                        yield Kept(dealing.board, bucket, f"{number:08}-{rows:012}", spell_rows([portion]))
                    rows += batch.num_rows
        except ReadWhole as why:
            yield str(why)
            return
        except (SfumatoError, pa.ArrowException):
            yield "something may be wrong with it"
            return
    if len(types) > 1:
        yield "a column changes its type"
        return
    named = None if piece is None else piece._replace(path=Path(name))
    yield Opened(number, named, rows, "".join(types), frozenset(buckets))


def cut_file(names: Mapping[str, str], path: str, content: pa.Buffer) -> Iterator[tuple[str, int, bytes]]:
    """Yield the content of a file in blocks: its name, where a block begins, and the block."""
    for begin in range(0, max(content.size, 1), _BLOCK):
        yield names[path], begin, content.slice(begin, min(_BLOCK, content.size - begin)).to_pybytes()


def _place(uri: str) -> str:
    """Return a URI without its scheme and the machine it names."""
    match = _PLACE.fullmatch(uri)
    return uri if match is None else match[1]


def _check_sizes(files: dict[str, StoredFile]) -> dict[str, StoredFile]:
    for name, file in files.items():
        if file.size > _LARGEST:
            raise SchemaError(
                f"{name}: has more than {_LARGEST >> 30} GB, and a task of Spark holds a file whole. Write it as "
                "several smaller files in one folder."
            )
    return files
