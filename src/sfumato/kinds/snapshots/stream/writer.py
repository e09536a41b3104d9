"""A stream on disk as it is published: snapshots written aside, checked and put in their place, and checkpoints."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import io
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import ipc

from sfumato.data.time_units import TimeUnit, find_moments
from sfumato.exceptions import SchemaError, SfumatoError
from sfumato.formats.json_files import encode_json, read_json
from sfumato.kinds.snapshots.dataset import STREAM_FILE, STREAM_VERSION
from sfumato.kinds.snapshots.folder import is_stream, read_summary, render_stream_page, snapshot_folders
from sfumato.messages import Message, option
from sfumato.release.folder import StagingFolder, find_busy
from sfumato.release.readme import PAGE
from sfumato.release.release import Release, describe_guarantee
from sfumato.release.storage import read_release, write_data, write_release

__all__ = ["Checkpoint", "StreamFolder", "snapshot_name"]

Ints = npt.NDArray[np.int64]

_ORDER = {"quarter": 7, "month": 7, "day": 10, "hour": 13, "minute": 16, "second": 19}
_SYNCING = 16
"""Files that are synced at a time: the disk then does it in one go."""


def snapshot_name(time_unit: TimeUnit, time: int) -> str:
    """Return the name of a snapshot's folder.

    Examples
    --------
    >>> snapshot_name(TimeUnit(), 12), snapshot_name(TimeUnit("day"), 19725), snapshot_name(TimeUnit("minute"), 60)
    ('12', '2024-01-03', '1970-01-01T01-00')
    """
    if time_unit.unit is None:
        return str(time)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(
        microseconds=int(find_moments(time_unit.unit, np.array([time]))[0])
    )
    return moment.isoformat()[: _ORDER[time_unit.unit]].replace(":", "-")


class Checkpoint:
    """What a stopped stream needs to go on: plain facts, arrays, and the records that wait, by name.

    Examples
    --------
    >>> Checkpoint({"rows": 12}, {}, {}).facts["rows"]
    12
    """

    def __init__(self, facts: Mapping[str, Any], arrays: Mapping[str, Ints], tables: Mapping[str, pa.Table]) -> None:
        self.facts, self.arrays, self.tables = facts, arrays, tables


class StreamFolder:
    """Publishes snapshots into a directory, one by one, and remembers how far it got.

    What is published is first written aside; :meth:`publish_pending` syncs and renames it.
    The row map of a snapshot is there
    before the snapshot is. A stream that replaces a release does so in one step, when its first snapshots or its first
    checkpoint are there; until then the old release stays.

    Examples
    --------
    >>> import tempfile
    >>> folder = StreamFolder.begin(Path(tempfile.mkdtemp()) / "out", {"method": "reposition"})
    >>> folder.save(Checkpoint({}, {}, {}))
    >>> folder.facts["method"], is_stream(folder.out)
    ('reposition', True)
    >>> folder.close()
    """

    def __init__(self, staging: StagingFolder, facts: Mapping[str, Any], *, begun: bool) -> None:
        self.out, self.facts, self._begun = staging.out, dict(facts), begun
        self.release, self.owner = staging.out / "release", staging.out / "owner"
        if not begun:
            self.release, self.owner = staging.release, staging.owner
        self._pending: list[tuple[str, Path]] = []
        self._place = staging
        self._pending_folder = staging.hidden / "snapshots"
        self._pending_folder.mkdir()

    @classmethod
    def begin(cls, out: Path, facts: Mapping[str, Any], *, force: bool = False) -> StreamFolder:
        """Make an empty stream; refuse a directory that holds a release, unless forced to replace it."""
        if is_stream(out) and not force:
            raise SfumatoError(
                f"{out} already has a release.",
                option="force",
                hint=Message(
                    "Replace it: ", option("force", True), ", or continue its stream: ", option("resume", "replay"), "."
                ),
            )
        folder = cls(StagingFolder(out, force=force), facts, begun=False)
        for part in ("window", "rows"):
            (folder.owner / part).mkdir(mode=0o700)
        folder._replace(folder.owner / "trace.json", encode_json(dict(facts)))
        folder.sum_up({}, finished=False)
        return folder

    @classmethod
    def resume(cls, out: Path) -> tuple[StreamFolder, Checkpoint | None]:
        """Return a stream that was stopped and its last checkpoint, None if it had none yet."""
        if not is_stream(out):
            raise SfumatoError(
                f"{out}: there is no stream to resume.",
                option="resume",
                hint=Message("Leave out ", option("resume"), "."),
            )
        if read_summary(out / "release").get("finished"):
            raise SfumatoError(f"{out}: the stream is finished; there is nothing to resume.", option="resume")
        busy = find_busy(out)
        if busy is not None:
            process = busy.split("-")[1]
            raise SfumatoError(
                f"{out}: process {process} is publishing this stream.",
                hint=f"Stop it first; if there is no such process, remove {busy}.",
            )
        folder = cls(StagingFolder(out, force=True), read_json(out / "owner" / "trace.json"), begun=True)
        return folder, folder._read_checkpoint()

    def has(self, name: str) -> bool:
        """Return whether a snapshot is published or about to be."""
        return (self.release / name).is_dir() or any(pending == name for pending, _ in self._pending)

    def publish(self, name: str, release: Release, rows: Ints, check: Callable[[Path], None]) -> None:
        """Write a snapshot aside and check what was written; it appears with the next :meth:`publish_pending`.

        A snapshot that is there already must be the same: then a resumed stream has caught up with itself.
        """
        if self.has(name):
            # Groups and order are drawn again from the same secret, so everything must be equal.
            if not read_release(self.release / name).table.equals(release.table):
                raise SchemaError(
                    f"{self.release / name}: the snapshot that was published differs from what the input gives now.",
                    option="resume",
                    hint="Give the same input with the same options.",
                )
            return
        folder = self._pending_folder / name
        folder.mkdir()
        write_release(release, folder)
        check(folder)
        pq.write_table(pa.table({"original_row": pa.array(rows, pa.int64())}), self._pending_folder / f"{name}.parquet")
        self._pending.append((name, folder))

    def publish_pending(self) -> None:
        """Sync what was written aside and put it in its place."""
        if not self._pending:
            return
        _sync_all(list(self._pending_folder.rglob("*")))
        for name, folder in self._pending:
            (self._pending_folder / f"{name}.parquet").rename(self.owner / "rows" / f"{name}.parquet")
            folder.rename(self.release / name)
        _sync_all([self.owner / "rows", self.release])
        self._pending = []
        self._begin()

    def _begin(self) -> None:
        """Let the stream appear, in the place of what was there."""
        if not self._begun:
            self._place.commit()
            self.release, self.owner, self._begun = self.out / "release", self.out / "owner", True

    def save(self, checkpoint: Checkpoint) -> None:
        """Remember how far the stream got. Records that wait are written once, and removed when they are gone."""
        self.publish_pending()
        window = self.owner / "window"
        stored = {path.stem for path in window.iterdir()}
        new = [name for name in checkpoint.tables if name not in stored]
        for name in new:
            with ipc.new_file(window / f"{name}.arrow", checkpoint.tables[name].schema) as file:
                file.write_table(checkpoint.tables[name])
        _sync_all([window / f"{name}.arrow" for name in new] + [window])
        text = io.BytesIO()
        facts = json.dumps({**checkpoint.facts, "tables": list(checkpoint.tables)}, ensure_ascii=False)
        arrays: dict[str, Any] = {"facts": np.frombuffer(facts.encode(), np.uint8), **checkpoint.arrays}
        np.savez_compressed(text, **arrays)
        self._replace(self.owner / "checkpoint.npz", text.getvalue())
        self._begin()
        for name in stored - set(checkpoint.tables):
            (window / f"{name}.arrow").unlink()

    def keep_records(self, first: int, table: pa.Table) -> None:
        """Keep the records that begin with a row of the input, until the stream's end."""
        path = self.owner / "records" / f"{first}.arrow"
        path.parent.mkdir(exist_ok=True)
        with ipc.new_file(path, table.schema) as file:
            file.write_table(table)
        _sync_all([path, path.parent])

    def read_records(self, row: str) -> pa.Table | None:
        """Return the records that were kept, in the order of a column with their rows; None if there are none."""
        tables = []
        for path in (self.owner / "records").glob("*.arrow"):
            with ipc.open_file(path) as file:
                tables.append(file.read_all())
        if not tables:
            return None
        table = pa.concat_tables(tables)
        return table.take(pc.sort_indices(table, sort_keys=[(row, "ascending")]))

    def forget_records(self, first: int) -> None:
        """Remove kept records from a row of the input on; those before it stay."""
        for path in (self.owner / "records").glob("*.arrow"):
            if int(path.stem) >= first:
                path.unlink()
        if not first:
            shutil.rmtree(self.owner / "records", ignore_errors=True)

    def _read_checkpoint(self) -> Checkpoint | None:
        path = self.owner / "checkpoint.npz"
        if not path.is_file():
            return None
        try:
            with np.load(path) as saved:
                arrays = {name: saved[name] for name in saved.files}
            facts = json.loads(arrays.pop("facts").tobytes().decode())
            tables = {}
            for name in facts.pop("tables"):
                with ipc.open_file(self.owner / "window" / f"{name}.arrow") as file:
                    tables[name] = file.read_all()
        except (OSError, ValueError, KeyError, pa.ArrowInvalid):
            raise SchemaError(
                f"{path}: the checkpoint is damaged.", hint=Message("Begin again: ", option("force", True), ".")
            ) from None
        return Checkpoint(facts, arrays, tables)

    def sum_up(self, totals: Mapping[str, Any], *, finished: bool) -> None:
        """Write the summary of the stream, and at its end the row map of all snapshots."""
        self.publish_pending()
        if finished:
            self._join_rows()
            self._record_guarantee(totals)
            totals = {**totals, "combined": self._combine()}
            page = render_stream_page(read_release(snapshot_folders(self.release)[0]))
            self._replace(self.release / PAGE, page)
        summary = {"format_version": STREAM_VERSION, "kind": "snapshots", **totals, "finished": finished}
        self._replace(self.release / STREAM_FILE, encode_json(summary))
        if finished:
            shutil.rmtree(self.owner / "window")
            (self.owner / "checkpoint.npz").unlink(missing_ok=True)

    def _record_guarantee(self, totals: Mapping[str, Any]) -> None:
        """Write into the owner's trace what the stream claims, so that a claim changed later is detected."""
        records = totals["records"]
        release = dataclasses.replace(
            read_release(snapshot_folders(self.release)[0]),
            records_in=records["in"],
            published=records["published"],
            suppressed_records=records["withheld_by_reason"],
        )
        self.facts["claim"] = describe_guarantee(release)
        self._replace(self.owner / "trace.json", encode_json(self.facts))

    def _join_rows(self) -> None:
        path = self._pending_folder / "rows.parquet"
        schema = pa.schema([("original_row", pa.int64())])
        with pq.ParquetWriter(path, schema) as writer:
            for folder in snapshot_folders(self.release):
                writer.write_table(pq.read_table(self.owner / "rows" / f"{folder.name}.parquet"))
        path.rename(self.owner / "rows.parquet")

    def _combine(self) -> list[str]:
        """Write what all snapshots hold into one table besides them; return the names of its files."""
        folders = snapshot_folders(self.release)
        first = read_release(folders[0])
        write_data(
            (read_release(folder).table for folder in folders), first.columns, self._pending_folder / "data.parquet"
        )
        names = ["data.parquet", "data.csv", *sorted(f"{name}.csv" for name in first.extra_tables)]
        for name in names:
            if name != "data.parquet":
                with (self._pending_folder / name).open("wb") as file:
                    file.writelines(_join_texts([folder / name for folder in folders]))
        _sync_all([self._pending_folder / name for name in names])
        for name in names:
            (self._pending_folder / name).rename(self.release / name)
        return names

    def remove(self) -> None:
        """Leave the disk without the stream; what it had not replaced yet stays."""
        for part in (self.release, self.owner):
            shutil.rmtree(part, ignore_errors=True)

    def close(self) -> None:
        """Remove what was written aside and not published."""
        self._place.close()

    def _replace(self, path: Path, content: bytes) -> None:
        """Replace a file in one step; the owner's files are for the owner only."""
        beside = self._place.hidden / path.name
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(0o600 if path.parent.name == "owner" else 0o644)
        beside.replace(path)


def _join_texts(paths: list[Path]) -> Iterator[bytes]:
    """Yield CSV files one after the other, with the header of the first."""
    for number, path in enumerate(paths):
        text = path.read_bytes()
        yield text[_header_length(text) if number else 0 :]


def _header_length(text: bytes) -> int:
    """Return where the first line ends; a line end within quotes belongs to a name."""
    end = text.find(b"\n")
    while end >= 0 and text.count(b'"', 0, end) % 2:
        end = text.find(b"\n", end + 1)
    return end + 1 if end >= 0 else len(text)


def _sync_all(paths: list[Path]) -> None:
    def sync(path: Path) -> None:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    list(_find_pool().map(sync, paths))


@functools.cache
def _find_pool() -> ThreadPoolExecutor:
    """Return the threads that sync; a stream of small snapshots would begin new ones all the time."""
    return ThreadPoolExecutor(_SYNCING, thread_name_prefix="sync")
