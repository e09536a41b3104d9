"""Files that stay on a cluster: rows of frames that Spark keeps on the disks of its machines, with a name and content.

A task is given all files under some numbers, by an exact repartition; nothing but Arrow crosses.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import operator
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from sfumato.engines.refusals import explain
from sfumato.exceptions import SchemaError, SfumatoError, StoppedError
from sfumato.release.store import Files, StoredContent

__all__ = ["SparkStore", "open_files", "translate_errors"]

_ROW = "board string, number int, name string, content binary"
_FIELDS = pa.schema([("board", pa.string()), ("number", pa.int32()), ("name", pa.string()), ("content", pa.binary())])
_ANSWERS = ""
"""The board of answers."""
_LOT = 1 << 26
"""Bytes of files that are handed over together, about."""
_BATCH = 1 << 22
"""Bytes of files that a task puts back together, about."""
_FETCHES = 32
"""In how many pieces answers are fetched, at most."""
_TASKS = 4
"""Tasks for each core: more of them cost time to start, fewer leave cores idle in the end."""
_WAVES = 8
"""In how many waves many numbers are worked on: those of the last one are lost if a run is stopped."""


class SparkStore:
    """Boards of files on a cluster, each file under a number.

    Parameters
    ----------
    session
        The session of Spark.
    cores
        How many tasks run at a time.

    Examples
    --------
    >>> SparkStore("a session", cores=2).cut_waves(range(6)), len(SparkStore("a session", cores=2).cut_waves(range(99)))
    ([range(0, 4), range(4, 6)], 8)
    """

    def __init__(self, session: Any, cores: int) -> None:
        self._session, self._cores = session, cores
        self._frames: list[_Frame] = []

    def add(self, files: Iterable[StoredContent]) -> None:
        """Hand over files of this machine; what Spark took up is on the disks of its machines only."""
        for lot in _batch_rows(files, _LOT):
            with translate_errors():
                frame = self._session.createDataFrame(pa.Table.from_batches([lot]))
                # Without what it came from, which the driver would have to keep in its memory.
                frame = frame.localCheckpoint(eager=True, storageLevel=_on_disk())
            self._frames.append(_Frame(frame, set(lot.column("board").to_pylist())))

    def read_files(
        self, uri: str, sizes: Mapping[str, int], work: Callable[[str, Any], Iterable[Any]], gives: Sequence[str] = ()
    ) -> Iterator[Any]:
        """Work on files that a URI stands for, each of which a task reads whole; yield the answers."""
        files = open_files(self._session, uri).select("path", "content")
        frame = files.mapInArrow(functools.partial(_work_on_files, dict(sizes), work), _ROW)
        seen = set()
        for path, answer in self._do(_Frame(frame, {_ANSWERS, *gives}), uri):
            if answer is not None:
                yield answer
            else:
                seen.add(path)
        if seen != set(sizes):
            raise SchemaError(f"{uri}: files came or went while it was read. Read it when nobody writes to it.")

    def change(
        self,
        collections: Sequence[str],
        numbers: range,
        work: Callable[[int, Files], Iterable[Any]],
        gives: Sequence[str],
        in_place: Sequence[str] = (),
    ) -> Iterator[Any]:
        """Work on what boards have under each number; yield the answers when all are done.

        Numbers are dealt out to some tasks for each core, which have the files of one number in memory at a time.
        """
        frames = [stored for stored in self._frames if stored.collections.intersection(collections)]
        if not frames or not numbers:
            return
        with translate_errors():
            frame = functools.reduce(lambda merged, other: merged.unionAll(other), [stored.frame for stored in frames])
            frame = frame.filter(_column("board").isin(list(collections)))
            if len(frames) > 1 or frames[0].numbers != numbers or not frames[0].in_place.issuperset(collections):
                frame = frame.filter(_column("number").between(numbers.start, numbers.stop - 1))
                tasks = min(len(numbers), _TASKS * self._cores)
                frame = frame.repartitionById(tasks, _column("number") - numbers.start).sortWithinPartitions("number")
            frame = frame.mapInArrow(functools.partial(_work_on_numbers, work), _ROW)
        yield from self._do(_Frame(frame, {_ANSWERS, *gives}, numbers, frozenset(in_place)))

    def stream(
        self, collections: Sequence[str], numbers: range, work: Callable[[int, Files], Iterable[Any]]
    ) -> Iterator[Any]:
        """Work on what boards have under each number, wave by wave; yield the answers of a wave when it is done."""
        for wave in self.cut_waves(numbers):
            yield from self.change(collections, wave, work, ())

    def cut_waves(self, numbers: range) -> list[range]:
        """Return the numbers that are worked on together: more than there are cores, so that no core waits for long."""
        width = max(2 * self._cores, -(-len(numbers) // _WAVES))
        return [numbers[begin : begin + width] for begin in range(0, len(numbers), width)]

    def clear(self, *collections: str) -> None:
        """Remove what lies on boards."""
        for stored in self._frames:
            stored.collections.difference_update(collections)
            if not stored.collections:
                # Whatever became of the session, there is nothing else to do.
                with contextlib.suppress(Exception):
                    stored.frame.unpersist()
        self._frames = [stored for stored in self._frames if stored.collections]

    def close(self) -> None:
        """Remove everything."""
        self.clear(*(collection for stored in self._frames for collection in stored.collections))

    def _do(self, made: _Frame, uri: str = "") -> Iterator[Any]:
        """Have Spark do what a frame says, and keep the files; yield the answers, those of some tasks at a time."""
        try:
            with translate_errors(uri):
                # All tasks run at a time; what they answer stays with them until it is asked for.
                frame = made.frame.persist(_on_disk())
                self._frames.append(made)
                frame.count()
                rows = frame.filter(_column("board") == _ANSWERS).select("content").coalesce(_FETCHES)
                rows = rows.toLocalIterator(prefetchPartitions=True)
            while (answer := _take(rows, uri)) is not None:
                failed, result = answer
                if failed:
                    raise result
                yield result
        finally:
            self.clear(_ANSWERS)


class _Frame(NamedTuple):
    """A frame, the boards it has files of, and those whose files lie where those numbers were worked on."""

    frame: Any
    collections: set[str]
    numbers: range = range(0)
    in_place: frozenset[str] = frozenset()


def _column(name: str) -> Any:
    return importlib.import_module("pyspark.sql.functions").col(name)


def open_files(session: Any, uri: str) -> Any:
    """Return a frame of the files that a URI stands for."""
    return session.read.format("binaryFile").option("recursiveFileLookup", "true").load(uri)


def _take(rows: Iterator[Any], uri: str) -> tuple[bool, Any] | None:
    with translate_errors(uri):
        row = next(rows, None)
    if row is None:
        return None
    answer: tuple[bool, Any] = pickle.loads(row[0])
    return answer


@contextlib.contextmanager
def translate_errors(uri: str = "") -> Iterator[None]:
    """Tell what Spark says in plain words: it may quote what a task held, and its own log has it."""
    try:
        yield
    except SfumatoError:
        raise
    except Exception as error:
        if uri:
            raise SchemaError(f"{uri}: {explain(error)}.") from None
        raise StoppedError(
            f"engine spark: tasks failed ({type(error).__name__}); the log of Spark says why. Partitions that are "
            "ready are kept: run it again to go on."
        ) from None


def _on_disk() -> Any:
    return importlib.import_module("pyspark").StorageLevel.DISK_ONLY


def _batch_rows(files: Iterable[StoredContent], most: int) -> Iterator[pa.RecordBatch]:
    """Yield files as rows, so many bytes at a time."""
    batch: list[StoredContent] = []
    size = 0
    for file in files:
        batch.append(file)
        size += len(file.content)
        if size > most:
            yield _build_batch(batch)
            batch, size = [], 0
    if batch:
        yield _build_batch(batch)


def _build_batch(files: Sequence[StoredContent]) -> pa.RecordBatch:
    columns = [pa.array(cells, field.type) for cells, field in zip(zip(*files, strict=True), _FIELDS, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=_FIELDS)


def _work_on_numbers(
    work: Callable[[int, Files], Iterable[Any]], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Work on the files of a task, number by number, and put back what comes of them."""
    for number, group in itertools.groupby(_list_files(batches), key=operator.itemgetter(0)):
        # In the order of their names, in whatever order they come.
        files = dict(sorted(((name, content) for _, name, content in group), key=operator.itemgetter(0)))
        yield from _batch_rows(_answer(functools.partial(work, number, files)), _BATCH)


def _list_files(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, str, Any]]:
    """Yield the number, the name and the content of files, which come in the order of their numbers."""
    for batch in batches:
        numbers, names, contents = (batch.column(name) for name in ("number", "name", "content"))
        for number, name, content in zip(numbers.to_pylist(), names.to_pylist(), contents, strict=True):
            yield number, name, content.as_buffer()


def _work_on_files(
    sizes: Mapping[str, int], work: Callable[[str, Any], Iterable[Any]], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Work on the files of a URI that a task has: answers come with where a file is, and say when it is done."""
    for batch in batches:
        for path, content in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            if path in sizes:
                doing = functools.partial(_work_on_file, sizes, work, path, content.as_buffer())
                yield from _batch_rows(_answer(doing), _BATCH)


def _work_on_file(
    sizes: Mapping[str, int], work: Callable[[str, Any], Iterable[Any]], path: str, content: Any
) -> Iterator[Any]:
    if content.size != sizes[path]:
        raise SchemaError(f"{path}: changed while it was read. Read it when nobody writes to it.")
    for result in work(path, content):
        yield result if isinstance(result, StoredContent) else (path, result)
    yield path, None


def _answer(doing: Callable[[], Iterable[Any]]) -> Iterator[StoredContent]:
    """Yield the files that work makes, and its answers as files on a board of their own."""
    from sfumato.engines.worker import stream_answers

    for failed, result in stream_answers(doing):
        is_file = isinstance(result, StoredContent)
        yield result if is_file else StoredContent(_ANSWERS, 0, "", pickle.dumps((failed, result)))
