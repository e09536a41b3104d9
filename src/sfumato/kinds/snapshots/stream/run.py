"""One run over a stream of snapshots: it is begun or taken up, fed, published bit by bit, and summed up or stopped."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.data.record_unit import RECORD
from sfumato.data.schema import Schema
from sfumato.data.secret import Secret
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import ParameterError, SchemaError, VerificationError
from sfumato.kinds.snapshots.encode import LeavingSnapshot
from sfumato.kinds.snapshots.methods._base.origins import Snapshot
from sfumato.kinds.snapshots.methods._base.reposition_window import WindowState
from sfumato.kinds.snapshots.methods._base.stream import SUPPRESSED, SnapshotStream, StreamState, refuse_infrequent
from sfumato.kinds.snapshots.reader.batches import is_feed, read_batches
from sfumato.kinds.snapshots.reader.records import SnapshotRecords
from sfumato.kinds.snapshots.stream.feed import Closed, SnapshotFeed, sum_times
from sfumato.kinds.snapshots.stream.writer import Checkpoint, StreamFolder, snapshot_name
from sfumato.messages import Message, MethodName, option
from sfumato.readers.identifiers import IdentifierWatch
from sfumato.readers.options import ReadOptions
from sfumato.release.owner import read_rows
from sfumato.release.release import OwnerRecord, Result
from sfumato.release.storage import read_release

__all__ = ["Judges", "StreamRun", "StreamingMethod"]

Ints = npt.NDArray[np.int64]

_PUBLISH_SECONDS = 0.5
_CHECKPOINT_SECONDS = 10.0
_ROW = "original row"
_TIME = "original time"


class StreamingMethod(Protocol):
    """A method that can work on a stream."""

    name: ClassVar[str]

    def stream(
        self, schema: Schema, time_unit: TimeUnit | None = None, *, secret: Secret | bytes | None = None
    ) -> SnapshotStream:
        """Begin a stream."""

    def parameters(self) -> dict[str, Any]:
        """Return the parameters."""

    def note(self, guarantee: Guarantee) -> str:
        """Return what is true of the method and cannot be verified."""


class Judges(NamedTuple):
    """Who look at what was published: they know all kinds of data, and a stream only its own.

    Attributes
    ----------
    verify
        Checks published files against their claim, with the original where it is given.
    write_report
        Writes the owner's report on a result to a file.

    Examples
    --------
    >>> lenient = Judges(lambda path, original: Verdict(True, {}, {}), lambda result, path: None)
    >>> lenient.verify(Path("release"), None).holds
    True
    """

    verify: Callable[[Path, Dataset | None], Verdict]
    write_report: Callable[[Result, Path], object]


class StreamRun:
    """One run over a stream: what comes is taken, what leaves the window is published, what waits is remembered.

    Parameters
    ----------
    data, read_options
        Where records come from, ``-`` for standard input, and how they are read.
    directory
        For ``release/`` and ``owner/``.
    method
        A method that has streams.
    judges
        Who verify what was written and write the owner's report.
    secret
        Where random orders come from; a fresh one if there is none.
    keeps
        Whether records are kept in ``owner/`` until the end, for the report.

    Examples
    --------
    >>> from sfumato.plugins import find_method
    >>> judges = Judges(lambda path, original: Verdict(True, {}, {}), lambda result, path: None)
    >>> method, options = find_method("reposition")(l=2), ReadOptions("snapshots")
    >>> run = StreamRun(Path("-"), options, Path("out"), method, judges, None, keeps=False)
    >>> run.live, run.stop()
    (True, 'stopped; nothing was published.')
    """

    def __init__(
        self,
        data: Path,
        read_options: ReadOptions,
        directory: Path,
        method: StreamingMethod,
        judges: Judges,
        secret: Secret | None,
        *,
        keeps: bool,
    ) -> None:
        self.data, self.directory, self.method, self.read_options, self.secret = (
            data,
            directory,
            method,
            read_options,
            secret,
        )
        self.judges, self.keeps = judges, keeps
        self.live = is_feed(data)
        self.records = SnapshotRecords("standard input" if self.live else data.name, read_options)
        self.folder: StreamFolder | None = None
        self.totals = {"snapshots": 0, "published": 0, "published_late": 0, "longest_delay": 0}
        self.remaining = NOTHING
        self.rows, self.checksum, self.rows_saved = 0, 0, 0
        self._taken: list[pa.Table] = []
        self._last_published = self._saved = time.monotonic()
        self._began = time.perf_counter()

    @property
    def _note(self) -> str:
        return self.method.note(self.stream.guarantee)

    def open(self, *, force: bool, resume: str | None) -> None:
        """Read the first records, then begin a stream on disk or take up one that was stopped.

        Nothing is written before the input has turned out to be readable.
        """
        batches = self._read()
        first = next(batches)
        self._batches = itertools.chain([first], batches)
        self.stream = self.method.stream(self.records.shape.schema(), self.records.time_unit, secret=self.secret)
        if resume is None:
            self.folder = StreamFolder.begin(self.directory, self._facts(), force=force)
            return
        self.folder, checkpoint = StreamFolder.resume(self.directory)
        begun = self.folder.facts
        if begun["method"] != self.method.name or begun["parameters"] != self.method.parameters():
            raise ParameterError(
                "The stream was begun with another method or other parameters.",
                option="resume",
                hint="Give the same ones.",
            )
        self.stream.secret = Secret(bytes.fromhex(begun["key"]))
        if begun["unit"] != self.records.time_unit.unit or begun["columns"] != self._columns():
            raise SchemaError(
                "The input has other columns or times than the one that the stream began with.", option="resume"
            )
        if checkpoint is not None:
            self._restore(checkpoint)
        self.folder.forget_records(self.rows)

    def _read(self) -> Iterator[tuple[Ints, pa.Table]]:
        """Read what comes, and refuse columns that turn out to name people before they are published unchanged."""
        watch: IdentifierWatch | None = None
        for batch in read_batches(self.data, self.read_options):
            times, table = self.records.read(batch)
            if watch is None:
                shown = [c.name for c in self.records.shape.schema().columns if c.role in {"plain", "sensitive"}]
                watch = IdentifierWatch(shown, self.read_options.plain_anyway)
            watch.update(table)
            yield times, table

    def _facts(self) -> dict[str, Any]:
        return {
            "sfumato": version("sfumato"),
            "key": self.stream.secret.key.hex(),
            "method": self.method.name,
            "parameters": self.method.parameters(),
            "unit": self.records.time_unit.unit,
            "columns": self._columns(),
            "reading": self.read_options.to_dict(),
        }

    def _columns(self) -> list[list[str]]:
        return [[column.name, column.role] for column in self.records.shape.schema().columns]

    def consume(self, resume: str | None) -> None:
        """Publish until the input ends."""
        batches = self._pass_over() if resume == "replay" else self._batches
        feed = SnapshotFeed(self.rows, self.checksum)
        for times, table in batches:
            for closed in feed.add(times, table):
                self._take(closed)
        for closed in feed.finish():
            self._take(closed)

    def _pass_over(self) -> Iterator[tuple[Ints, pa.Table]]:
        """Give what comes after the records that were taken, having made sure that they are the same."""
        # Both grow as soon as what follows is taken.
        taken, expected = self.rows, self.checksum
        left, checksum = taken, 0
        for times, table in self._batches:
            passed = min(left, len(times))
            checksum = sum_times(times[:passed], checksum)
            left -= passed
            if left == 0 and checksum != expected:
                break
            if passed < len(times):
                yield times[passed:], table.slice(passed)
        if left or checksum != expected:
            raise SchemaError(
                f"The input does not begin with the {taken:,} records that were read before.",
                option="resume",
                hint=Message(
                    "Give the same input, or, where it continues after them, ", option("resume", "onwards"), "."
                ),
            )

    def _take(self, closed: Closed) -> None:
        for snapshot in closed.snapshots:
            if self.keeps:
                times = pa.array(np.full(len(snapshot.rows), snapshot.time))
                self._taken.append(_with_rows(snapshot).append_column(_TIME, times))
            for leaving in self.stream.push(snapshot):
                self._publish(leaving)
        self.rows, self.checksum = closed.rows, closed.checksum
        assert self.folder is not None
        now = time.monotonic()
        if self.live or now - self._saved > _CHECKPOINT_SECONDS:
            self._keep_records()
            self.folder.save(self._checkpoint())
            self.rows_saved = self.rows
            self._saved = self._last_published = time.monotonic()
        elif now - self._last_published > _PUBLISH_SECONDS:
            self.folder.publish_pending()
            self._last_published = time.monotonic()

    def _keep_records(self) -> None:
        """Put the records that came since the last time beside the others, for the report."""
        assert self.folder is not None
        if self._taken:
            self.folder.keep_records(self.rows_saved, pa.concat_tables(self._taken))
            self._taken = []

    def _publish(self, leaving: LeavingSnapshot) -> None:
        size = leaving.table.num_rows
        if size == 0:
            return
        assert self.folder is not None
        release = self.stream.make_release(self.method.name, self._note, [leaving], {SUPPRESSED: leaving.suppressed})
        self.folder.publish(snapshot_name(self.stream.time_unit, leaving.time), release, leaving.rows, self._check)
        delay = leaving.time - leaving.origins
        self.totals["snapshots"] += 1
        self.totals["published"] += size
        self.totals["published_late"] += int((delay > 0).sum())
        self.totals["longest_delay"] = max(self.totals["longest_delay"], int(delay.max()))

    def _check(self, folder: Path) -> None:
        """Refuse a snapshot whose files do not keep its claim."""
        verdict = self.judges.verify(folder, None)
        # Whether delays tell anything is judged at the end, with the original: one snapshot cannot show it.
        if not verdict.holds or verdict.undeclared:
            raise VerificationError(f"A snapshot does not keep the guarantee and was not published; {verdict!r}.")
        self.remaining = Remaining.unite([self.remaining, verdict.remaining])

    def finish(self) -> dict[str, Any]:
        """Publish what is left in the window and sum up."""
        for leaving in self.stream.flush():
            self._publish(leaving)
        assert self.folder is not None
        if not self.totals["published"]:
            self.folder.remove()
            raise refuse_infrequent(
                MethodName(type(self.method).__name__, self.method.name), self.stream.l, self.stream.window
            )
        suppressed_records = {reason: count for reason, count in self.stream.suppressed_records.items() if count}
        guarantee = self.stream.guarantee.to_dict(RECORD)
        records = {
            "in": self.rows,
            "published": self.totals["published"],
            "withheld": sum(suppressed_records.values()),
            "withheld_by_reason": suppressed_records,
        }
        summary = {
            "method": self.method.name,
            "method_note": self._note,
            "guarantee": guarantee,
            "snapshots": self.totals["snapshots"],
        }
        self._keep_records()
        self.folder.sum_up({**summary, "records": records}, finished=True)
        reported = self.keeps and self._report()
        self.folder.forget_records(0)
        return {
            **self.totals,
            "withheld": records["withheld"],
            "withheld_by_reason": suppressed_records,
            "guarantee": guarantee,
            "method_note": self._note,
            "remaining": self.remaining.to_dict(),
            "report": reported,
            "seconds": round(time.perf_counter() - self._began, 4),
            "out": str(self.directory),
        }

    def _report(self) -> bool:
        """Judge the whole stream with its original beside it, and write the owner's report if all records are there."""
        assert self.folder is not None
        table = self.folder.read_records(_ROW)
        if table is None or table.num_rows != self.rows:
            return False
        times = np.asarray(table.column(_TIME).to_numpy(), dtype=np.int64)
        original = Dataset(
            self.records.shape.schema(),
            table.drop_columns([_ROW, _TIME]).add_column(0, "time", pa.array(times, pa.int64())),
            notes=self.records.notes(),
            read_options=self.read_options.to_dict(),
            time_unit=self.records.time_unit,
        )
        rows = read_rows(self.directory)
        assert rows is not None
        seconds = {"stream": time.perf_counter() - self._began}
        owner_record = OwnerRecord(
            rows, self.stream.secret, seconds, dict(self.totals), self.method.parameters(), original=original
        )
        verdict = self.judges.verify(self.directory, original)
        if not verdict:
            raise VerificationError(f"The stream as a whole does not keep the guarantee; withdraw it; {verdict!r}.")
        self.remaining = verdict.remaining
        result = Result(read_release(self.directory), owner_record)
        self.judges.write_report(result, self.directory / "owner" / "report.html")
        return True

    def stop(self) -> str:
        """Keep what is complete and say how to go on."""
        if self.folder is None:
            return "stopped; nothing was published."
        self.folder.publish_pending()
        return Message(
            f"stopped; {self.totals['snapshots']:,} snapshots are published. Continue with ",
            option("resume", "replay"),
            f", or from record {self.rows_saved + 1:,} of the input with ",
            option("resume", "onwards"),
            ".",
        )

    def close(self) -> None:
        """Remove what was written aside and not published."""
        if self.folder is not None:
            self.folder.close()

    def _checkpoint(self) -> Checkpoint:
        state = self.stream.state()
        tables = {
            f"{origin}-{snapshot.table.num_rows}": _with_rows(snapshot) for origin, snapshot in state.origins.items()
        }
        facts = {
            "rows": self.rows,
            "checksum": self.checksum,
            "window": dict(state.window.facts),
            "begun": state.begun,
            "labels": state.labels,
            "withheld": state.suppressed_records,
            "totals": self.totals,
        }
        arrays = {f"window {name}": array for name, array in state.window.arrays.items()}
        arrays |= {f"taken {origin}": taken for origin, taken in state.taken.items()}
        return Checkpoint(facts, arrays, tables)

    def _restore(self, saved: Checkpoint) -> None:
        origins = {}
        for name, table in saved.tables.items():
            origin = int(name.rpartition("-")[0])
            rows = np.asarray(table.column(_ROW).to_numpy(), dtype=np.int64)
            origins[origin] = Snapshot(origin, table.drop_columns([_ROW]), rows)
        facts, arrays = saved.facts, saved.arrays
        of_window = {name: array for name, array in arrays.items() if name.startswith("window ")}
        window = WindowState(
            facts["window"], {name.removeprefix("window "): array for name, array in of_window.items()}
        )
        taken = {origin: arrays[f"taken {origin}"] for origin in origins}
        self.stream.restore(
            StreamState(window, facts["labels"], facts["begun"], origins, taken, dict(facts["withheld"]))
        )
        self.rows, self.checksum, self.totals = facts["rows"], facts["checksum"], dict(facts["totals"])
        self.rows_saved = self.rows


def _with_rows(snapshot: Snapshot) -> pa.Table:
    return snapshot.table.append_column(_ROW, pa.array(snapshot.rows, pa.int64()))
