"""A stream of snapshots: records come in, l-eligible snapshots go out, and only the window is remembered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.data.schema import Schema
from sfumato.data.secret import Secret, digest
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import InfeasibleError, SchemaError
from sfumato.kinds.snapshots import KIND
from sfumato.kinds.snapshots.costs import CostModel
from sfumato.kinds.snapshots.encode import LeavingSnapshot, Shape, add_time, make_release
from sfumato.kinds.snapshots.methods._base.eligible_steps import Eligible, Step
from sfumato.kinds.snapshots.methods._base.hidden_window import HiddenWindow, spread_evenly
from sfumato.kinds.snapshots.methods._base.origins import Origin, Queue, Snapshot, cut_snapshots, order_by_content
from sfumato.kinds.snapshots.methods._base.reposition_window import RepositionWindow, Shipment, WindowState
from sfumato.messages import Message, MethodName, option, parameter
from sfumato.release.release import OwnerRecord, Release, Result
from sfumato.release.run import Run

__all__ = ["CLOSED", "SUPPRESSED", "SnapshotStream", "StreamState", "release_snapshots"]

Ints = npt.NDArray[np.int64]

SUPPRESSED, CLOSED = KIND.suppression_reasons
_RESERVED = ("snapshot", "group", "count")
_JOINED = 4
"""Groups that are put together where records of several snapshots meet and delays are hidden: in small groups the
frequencies of the snapshots tell which value is whose."""


class StreamState(NamedTuple):
    """All that a stream remembers: the window in numbers, the records that wait by home, and counters.

    Examples
    --------
    >>> from sfumato.plugins import find_method
    >>> data = Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "flu")], ("age",), "ill")
    >>> stream = find_method("reposition")(l=2, window=2).stream(data.schema, data.time_unit, secret=bytes(32))
    >>> [stream.push(snapshot) for snapshot in stream.cut(data)]
    [[]]
    >>> state = stream.state()
    >>> state.labels, sorted(state.origins), state.suppressed_records[SUPPRESSED]
    (['flu'], [1], 0)
    """

    window: WindowState
    labels: list[str]
    begun: bool
    origins: dict[int, Snapshot]
    taken: dict[int, Ints]
    suppressed_records: dict[str, int]


class SnapshotStream:
    """Takes snapshots in the order of time and returns those that leave the window, ready to be published.

    A snapshot leaves as soon as nothing can change it: when the snapshot that is ``window - 1`` later has been taken.
    Times without records between two snapshots count as empty snapshots. Nothing random depends on what went before, so
    a stream can be stopped and resumed from its state.

    Parameters
    ----------
    schema, time_unit
        Columns of the records, and what a time number means.
    l
        No value may be above 1/l of a published snapshot.
    costs
        Of late publication and of suppression.
    step
        What is done to l-eligible snapshots.
    secret
        Where random orders come from.
    late
        ``withhold`` to leave out records whose snapshot has left, ``error`` to refuse them.
    delays
        ``hidden`` if being late or missing may not depend on the value; ``paper`` for the least cost.

    Examples
    --------
    >>> from sfumato.kinds.snapshots.methods._base.eligible_steps import STEPS
    >>> rows = [(1, "30", "flu"), (1, "40", "flu"), (2, "50", "cold"), (2, "60", "cold"), (3, "70", "flu")]
    >>> data = Dataset.of("snapshots", rows, ("age",), "ill")
    >>> costs = CostModel.read("doc", "linear", None, 2)
    >>> stream = SnapshotStream(data.schema, data.time_unit, 2, costs, STEPS["none"], Secret(bytes(32)))
    >>> out = [leaving for snapshot in stream.cut(data) for leaving in stream.push(snapshot)] + stream.flush()
    >>> [(leaving.time, leaving.table.num_rows, leaving.suppressed) for leaving in out]
    [(2, 4, 0), (3, 0, 1)]

    References
    ----------
    Wang et al., Anonymizing Temporal Data, Section II.
    """

    def __init__(
        self,
        schema: Schema,
        time_unit: TimeUnit,
        l: int,
        costs: CostModel,
        step: Step,
        secret: Secret,
        late: str = "withhold",
        delays: str = "paper",
    ) -> None:
        self.schema, self.time_unit, self.l, self.step, self.secret = schema, time_unit, l, step, secret
        self.delays = delays
        self._sensitive = sensitive_column(schema)
        self._shape = Shape(time_unit, step.columns(schema), step.extra_tables(schema))
        self._refuses_late = late == "error" or delays == "hidden"
        self._labels: list[str] = []
        self._code: dict[str, int] = {}
        self._window: RepositionWindow | HiddenWindow = (
            HiddenWindow(l, len(costs.mu)) if delays == "hidden" else RepositionWindow(l, costs, self._labels)
        )
        self._origins: dict[int, Origin] = {}
        self._begun = False
        self.suppressed_records: dict[str, int] = {SUPPRESSED: 0, CLOSED: 0}

    @property
    def window(self) -> int:
        """Number of snapshots in which a record may be published."""
        return self._window.size

    @property
    def now(self) -> int | None:
        """The last snapshot taken, None before the first."""
        return self._window.now if self._begun else None

    def cut(self, dataset: Dataset) -> Iterator[Snapshot]:
        """Cut a dataset into its snapshots, in the order of time; records of one time keep their order."""
        yield from cut_snapshots(
            np.asarray(dataset.table.column(dataset.schema.time).to_numpy(), dtype=np.int64),
            dataset.table.drop_columns([dataset.schema.time]),
            np.arange(len(dataset)),
        )

    def push(self, snapshot: Snapshot) -> list[LeavingSnapshot]:
        """Take a snapshot; return what leaves the window: nothing while it fills, then one as a rule.

        After a gap in time several leave. The records of a snapshot that is not later than the last one are late: they
        join their snapshot where it has not left, and are suppressed where it has.
        """
        snapshot = order_by_content(snapshot)
        codes = self._encode(snapshot.table.column(self._sensitive))
        if self._begun and snapshot.time <= self._window.now:
            self._take_late(snapshot, codes)
            return []
        leaving = self._pass_gap(snapshot.time)
        self._begun = True
        if len(codes):
            self._origins[snapshot.time] = self._arrange(snapshot, codes)
            codes = self._origins[snapshot.time].codes
        arrived = codes if self.delays == "hidden" else self._count(codes)
        return leaving + self._ship([self._window.push(snapshot.time, arrived)])

    def flush(self) -> list[LeavingSnapshot]:
        """Return the snapshots that are left in the window; the stream can begin anew with later ones."""
        left = self._ship(self._window.flush())
        self._origins.clear()
        return left

    @property
    def guarantee(self) -> Guarantee:
        """What is guaranteed of the snapshots that leave."""
        return self.step.build_guarantee(self.l, self.window, self.delays)

    def make_release(
        self, method: str, note: str, leaving: Sequence[LeavingSnapshot], suppressed_records: Mapping[str, int]
    ) -> Release:
        """Make one release of snapshots that left, by a method with what is to be said of it."""
        return make_release(self._shape, method, note, self.guarantee, leaving, suppressed_records)

    def state(self) -> StreamState:
        """Return all that the stream remembers."""
        return StreamState(
            self._window.state(),
            list(self._labels),
            self._begun,
            {time: origin.snapshot for time, origin in self._origins.items()},
            {time: origin.taken.copy() for time, origin in self._origins.items()},
            dict(self.suppressed_records),
        )

    def restore(self, state: StreamState) -> None:
        """Go on where :meth:`state` was called."""
        self._labels[:] = state.labels
        self._code = {label: code for code, label in enumerate(state.labels)}
        self._window.restore(state.window)
        self._begun, self.suppressed_records = state.begun, dict(state.suppressed_records)
        kind = Queue if self.delays == "hidden" else Origin
        self._origins = {
            time: kind(snapshot, self._encode(snapshot.table.column(self._sensitive)), state.taken[time].copy())
            for time, snapshot in state.origins.items()
        }

    def _encode(self, column: pa.ChunkedArray) -> Ints:
        """Return the codes of sensitive values; a value that was never seen gets the next number."""
        coded = column.combine_chunks().dictionary_encode()
        if isinstance(coded, pa.ChunkedArray):
            coded = coded.combine_chunks()
        labels = coded.dictionary.to_pylist()
        for label in labels:
            if label not in self._code:
                self._code[label] = len(self._labels)
                self._labels.append(label)
        codes = np.array([self._code[label] for label in labels], dtype=np.int64)
        return codes[coded.indices.to_numpy()] if len(labels) else np.empty(0, np.int64)

    def _count(self, codes: Ints) -> Ints:
        return np.bincount(codes, minlength=len(self._labels)).astype(np.int64)

    def _arrange(self, snapshot: Snapshot, codes: Ints) -> Origin:
        """Put the records into the order in which they are taken: by value, or with all values spread evenly."""
        draws = self.secret.derive(snapshot.time, digest(snapshot.table)).numbers(len(codes) + 1, "home")
        order = np.lexsort((draws[:-1], codes))
        if self.delays == "hidden":
            counts = np.unique(codes, return_counts=True)[1]
            spread = np.empty_like(order)
            spread[np.argsort(spread_evenly(counts), kind="stable")] = order
            # Turned at random, every record is as likely as any other to be the first, the second, and so on.
            order = np.roll(spread, int(draws[-1] % np.uint64(len(codes))))
        table = snapshot.table.take(pa.array(order))
        kind = Queue if self.delays == "hidden" else Origin
        return kind(Snapshot(snapshot.time, table, snapshot.rows[order]), codes[order], np.zeros(0, np.int64))

    def _take_late(self, snapshot: Snapshot, codes: Ints) -> None:
        if self._refuses_late:
            raise SchemaError(
                f"{len(codes)} records came after a later snapshot; records must be in the order of time.",
                hint=Message(
                    "Sort them, or suppress late ones: ",
                    parameter("late", "withhold"),
                    " with ",
                    parameter("delays", "paper"),
                    ".",
                ),
            )
        assert isinstance(self._window, RepositionWindow)
        if not self._window.is_open(snapshot.time):
            self.suppressed_records[CLOSED] += len(codes)
            return
        self._window.add_late(snapshot.time, self._count(codes))
        if snapshot.time in self._origins:
            self._origins[snapshot.time].add(snapshot, codes)
        elif len(codes):
            self._origins[snapshot.time] = self._arrange(snapshot, codes)

    def _pass_gap(self, time: int) -> list[LeavingSnapshot]:
        """Take the empty snapshots before a time; once nothing waits, all others are passed over at once."""
        leaving: list[LeavingSnapshot] = []
        while self._begun and self._window.now + 1 < time:
            if self._window.is_empty:
                self._window.skip_to(time)
                break
            leaving += self._ship([self._window.push(self._window.now + 1, np.empty(0, np.int64))])
        return leaving

    def _ship(self, shipments: Sequence[Shipment | None]) -> list[LeavingSnapshot]:
        """Publish what leaves; a snapshot that had and has no records is none."""
        leaving = []
        for shipment in shipments:
            if shipment is None or (shipment.size == 0 and not shipment.suppressed.any()):
                continue
            leaving.append(self._publish(shipment))
            self.suppressed_records[SUPPRESSED] += leaving[-1].suppressed
        for time in [time for time in self._origins if time < self._window.now - 2 * (self.window - 1)]:
            del self._origins[time]
        return leaving

    def _publish(self, shipment: Shipment) -> LeavingSnapshot:
        tables, rows, origins, codes = [], [np.empty(0, np.int64)], [], [np.empty(0, np.int64)]
        for time, counts in shipment.taken.items():
            origin = self._origins[time]
            at = origin.take(counts)
            tables.append(origin.snapshot.table.take(pa.array(at)))
            rows.append(origin.snapshot.rows[at])
            codes.append(origin.codes[at])
            origins.append(np.full(len(at), time))
        time, size = shipment.time, shipment.size
        suppressed = int(shipment.suppressed.sum())
        if size == 0:
            return LeavingSnapshot(time, self._shape.make_empty(), {}, rows[0], rows[0], suppressed)
        joined = _JOINED if self.delays == "hidden" and len(shipment.taken) > 1 else 1
        eligible = Eligible(pa.concat_tables(tables), np.concatenate(codes), self._labels, joined)
        secret = self.secret.derive(time, digest(eligible.table))
        done = self.step.publish(eligible, self.schema, self.l, secret.numbers)
        order = secret.order(size, "shuffle")
        table = add_time(done.table.take(pa.array(order)), self.time_unit, time)
        extra_tables = {
            name: add_time(extra_table, self.time_unit, time) for name, extra_table in done.extra_tables.items()
        }
        return LeavingSnapshot(
            time, table, extra_tables, np.concatenate(rows)[order], np.concatenate(origins)[order], suppressed
        )


def sensitive_column(schema: Schema) -> str:
    """Return the name of the one sensitive column; refuse names that the release uses for other things.

    Examples
    --------
    >>> sensitive_column(Dataset.of("snapshots", [(1, "flu")], (), "ill").schema)
    'ill'
    """
    names = [column.name for column in schema.columns if column.role == "sensitive"]
    if len(names) != 1:
        raise SchemaError(
            f"Snapshots need exactly one sensitive column, got {len(names)}.",
            option="sensitive",
            hint=Message("Name it: ", option("sensitive", ["COLUMN"]), "."),
        )
    taken = [column.name for column in schema.columns if column.name in _RESERVED and column.role != "time"]
    if taken:
        raise SchemaError(
            f"Column {taken[0]!r} has the name of a column of the release.", column=taken[0], hint="Rename it."
        )
    return names[0]


def refuse_infrequent(owner: str | MethodName, l: int, window: int) -> InfeasibleError:
    """Return the error for data in which no snapshot can be published."""
    return InfeasibleError(
        Message(
            owner,
            f": no snapshot can be published: within {window} snapshots a value always exceeds 1 in l={l} records.",
        ),
        option="l",
        hint=Message(
            "Use a smaller ",
            parameter("l"),
            ", a larger ",
            parameter("window"),
            " or a coarser ",
            option("resolution"),
            ".",
        ),
    )


def release_snapshots(method: Method, dataset: Dataset, stream: SnapshotStream, run: Run) -> Result:
    """Push every snapshot of a dataset through a stream and return what left it as one release."""
    leaving = []
    with run.phase("reposition"):
        for snapshot in stream.cut(dataset):
            leaving += stream.push(snapshot)
            run.progress("reposition", int(snapshot.rows[-1]) + 1, len(dataset))
        leaving += stream.flush()
    published = [snapshot for snapshot in leaving if snapshot.table.num_rows]
    if not published:
        raise refuse_infrequent(method.message_name, stream.l, stream.window)
    release = stream.make_release(method.name, method.note(stream.guarantee), published, stream.suppressed_records)
    rows = np.concatenate([snapshot.rows for snapshot in published])
    distance = np.concatenate([snapshot.time - snapshot.origins for snapshot in published])
    run.counters |= {
        "snapshots": len(published),
        "records_published_late": int((distance > 0).sum()),
        "longest_delay": int(distance.max()),
    }
    late, lost = int((distance > 0).sum()), sum(release.suppressed_records.values())
    run.notes.append(
        Note(
            "records-published",
            "Of {records} {records:record|records}, {on_time} {on_time:is|are} published on time, {late} late and "
            "{lost} never.",
            {"records": len(dataset), "on_time": len(rows) - late, "late": late, "lost": lost},
        )
    )
    owner_record = OwnerRecord(rows, run.secret, run.seconds, run.counters, method.parameters(), original=dataset)
    return Result(release, owner_record)
