"""Files of a cluster, whose tasks read them and distribute their rows to buckets."""

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
from sfumato.messages import Message, option
from sfumato.progress import report_progress
from sfumato.readers.archives import choose_data
from sfumato.readers.files import choose_format, is_uri
from sfumato.readers.options import ReadOptions
from sfumato.readers.partitioned.buckets import count_groups, distribute, draw_salt, encode_rows, format_types
from sfumato.readers.partitioned.reading import ReadWhole
from sfumato.readers.partitioned.rows import Piece, SpilledRows, open_piece, unite_pieces
from sfumato.release.run import FileEngine, PartitionEngine, StoredFile
from sfumato.release.store import FileStore, StoredContent

__all__ = ["RemoteFiles", "find_source"]

_PLACE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(?://[^/]*)?(/?.*)", re.DOTALL)
_LARGEST = 1 << 30
"""Largest size of a file in bytes: a task of Spark reads it whole."""
_BLOCK = 1 << 22
_PACKED = 5
"""Size of rows relative to a compressed file, approximately."""


@dataclasses.dataclass(frozen=True, eq=False)
class RemoteFiles:
    """The files of a URI, as an engine lists them.

    Parameters
    ----------
    uri
        A file, a folder, or a pattern.
    name
        The name of the data in messages.
    files
        The files in order, by their names in the folder.
    engine
        The engine that reads them.
    """

    uri: str
    name: str
    files: Mapping[str, StoredFile]
    engine: FileEngine

    @classmethod
    def find(cls, uri: str, format: str | None, engine: FileEngine) -> RemoteFiles:
        """List the files of a URI; refuse files that are too large for a task."""
        files = {_place(file.path): file for file in engine.list_files(uri)}
        if not files:
            raise SchemaError(f"{uri}: there are no files.", hint="Check the URI.")
        requested = _place(uri).rstrip("/")
        if list(files) == [requested]:
            name = PurePosixPath(requested).name
            return cls(uri, name, _check_sizes({name: files[requested]}), engine)
        inside = all(path.startswith(f"{requested}/") for path in files)
        base = requested if inside else os.path.commonpath([str(PurePosixPath(path).parent) for path in files])
        named = {str(PurePosixPath(path).relative_to(base)): file for path, file in files.items()}
        data_files = {name: named[name] for name in choose_data(uri, named, format)}
        return cls(uri, PurePosixPath(base).name or "data", _check_sizes(data_files), engine)

    def spill_rows(self, read_options: ReadOptions, store: FileStore, collection: str) -> SpilledRows:
        """Distribute the rows of all files to buckets of a store, in the cluster.

        Raise :class:`ReadWhole` where they must be read whole.
        """
        if read_options.format not in {None, "csv", "parquet"}:
            raise ReadWhole(f"files of {read_options.format} are read so")
        formats = set()
        for name in self.files:
            try:
                formats.add(choose_format(name, read_options.format, read_options.formats))
            except SfumatoError:
                raise ReadWhole("something may be wrong with it") from None
        if read_options.steps or len(formats) > 1:
            raise ReadWhole("steps edit all rows" if read_options.steps else "its files have different formats")
        format = formats.pop()
        packed = [format == "parquet" or name.endswith((".gz", ".xz")) for name in self.files]
        sizes = [file.size for file in self.files.values()]
        grown = sum(size * (_PACKED if tight else 1) for size, tight in zip(sizes, packed, strict=True))
        partitioned_reading = require(find_kind(read_options.kind).partitioned_reading)
        count = count_groups(int(grown * partitioned_reading.growth(read_options)))
        wanted = {file.path: (number, name) for number, (name, file) in enumerate(self.files.items())}
        job = SpillJob(wanted, format, read_options.to_dict(), count, draw_salt(), collection)
        report_progress("read rows", 0, len(self.files))
        opened: dict[int, Opened] = {}
        paths = {file.path: file.size for file in self.files.values()}
        for outcome in store.read_files(self.uri, paths, functools.partial(spill_file, job), [collection]):
            if isinstance(outcome, str):
                raise ReadWhole(outcome)
            opened[outcome.number] = outcome
            report_progress("read rows", len(opened), len(self.files))
        return self._unite([opened[number] for number in range(len(self.files))], read_options)

    def _unite(self, opened: Sequence[Opened], read_options: ReadOptions) -> SpilledRows:
        """Combine the results of all files."""
        rows = unite_pieces(self.name, [file.piece for file in opened if file.piece is not None], read_options)
        if len({file.types for file in opened if file.types}) > 1:
            raise ReadWhole("a column changes its type")
        begins = np.cumsum([0, *(file.rows for file in opened[:-1])]).tolist()
        numbers = sorted({number for file in opened for number in file.buckets})
        return SpilledRows(rows._replace(files=len(self.files)), tuple(numbers), tuple(begins))

    def fetch(self, folder: Path) -> Path:
        """Copy the files into a local folder in blocks; return the path to read."""
        wanted = {file.path: name for name, file in self.files.items()}
        whole = folder / "files" / self.name
        single = list(self.files) == [self.name]
        paths = {file.path: file.size for file in self.files.values()}
        for name, begin, block in self.engine.work_on_files(self.uri, paths, functools.partial(cut_file, wanted)):
            path = whole if single else whole / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                if file.tell() != begin:
                    raise SchemaError(f"{self.uri}: {name} changed while it was read.", hint="Read it again.")
                file.write(block)
        return whole


def find_source(data: str | Path, format: str | None, engine: PartitionEngine) -> Path | RemoteFiles:
    """Return the source of data: a local path, or files that only an engine reaches.

    Examples
    --------
    >>> find_source("visits.csv", None, engine=None).name
    'visits.csv'
    """
    if not isinstance(data, str) or not is_uri(data):
        return Path(data)
    if not isinstance(engine, FileEngine):
        raise ParameterError(
            f"{data}: only the engine spark reads URIs.",
            option="engine",
            hint=Message("Set ", option("engine", "spark"), ", or give the path of a local file."),
        )
    return RemoteFiles.find(data, format, engine)


class SpillJob(NamedTuple):
    """Arguments of tasks that distribute the rows of files to buckets."""

    files: Mapping[str, tuple[int, str]]
    format: str
    read_options: Mapping[str, Any]
    buckets: int
    salt: npt.NDArray[np.uint64]
    collection: str


class Opened(NamedTuple):
    """Facts of a file: its number of rows, the types of its columns, and its buckets."""

    number: int
    piece: Piece | None
    rows: int
    types: str
    buckets: frozenset[int]


def spill_file(job: SpillJob, path: str, content: pa.Buffer) -> Iterator[StoredContent | Opened | str]:
    """Yield the rows of a file bucket by bucket, and then its facts, or the reason to read all files whole."""
    number, name = job.files[path]
    read_options = ReadOptions.from_dict(job.read_options)
    partitioned_reading = require(find_kind(read_options.kind).partitioned_reading)
    with tempfile.TemporaryDirectory(prefix="sfumato-") as folder:
        file = Path(folder) / PurePosixPath(name).name
        with file.open("wb") as copy:
            copy.write(content)
        rows, types, buckets = 0, set[str](), set[int]()
        try:
            piece = open_piece(file, job.format, read_options, partitioned_reading)
            if piece is not None:
                key = partitioned_reading.find_person_column(piece.columns, read_options)
                for batch in piece.batches():
                    types.add(format_types(batch))
                    for bucket, portion in distribute(batch, key, job.buckets, job.salt, rows, number):
                        buckets.add(bucket)
                        yield StoredContent(job.collection, bucket, f"{number:08}-{rows:012}", encode_rows([portion]))
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
    """Return a URI without its scheme and host."""
    match = _PLACE.fullmatch(uri)
    return uri if match is None else match[1]


def _check_sizes(files: dict[str, StoredFile]) -> dict[str, StoredFile]:
    for name, file in files.items():
        if file.size > _LARGEST:
            raise SchemaError(
                f"{name}: the file has more than {_LARGEST >> 30} GB, the limit of a Spark task.",
                hint="Write it as several smaller files in one folder.",
            )
    return files
