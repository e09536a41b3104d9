"""One long sequence of events: what happened when, and how often."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.notes import Note
from sfumato.data.record_unit import TIME_POINT
from sfumato.data.schema import Column, Schema
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import SchemaError
from sfumato.formats.memory import Readable, as_place
from sfumato.messages import Message, option
from sfumato.readers.cells import encode_labels, list_marked, name_failing, parse_numbers
from sfumato.readers.constraints import resolve_sensitive
from sfumato.readers.detect import Detection, FileProfile
from sfumato.readers.missing import resolve_missing
from sfumato.readers.notes import SUMMARY, note_rows, note_truncated, note_zone
from sfumato.readers.options import ReadOptions
from sfumato.readers.role_errors import refuse_resolution, refuse_without
from sfumato.readers.roles import EVENT_LOGS, UNUSED_IN_EVENT_LOGS, Vocabulary, assign_roles
from sfumato.readers.sources import Source
from sfumato.readers.times import cut_times, parse_times
from sfumato.readers.visits import rank_names

__all__ = ["WORDS", "detect", "read"]

Longs = npt.NDArray[np.int64]

_LARGEST = 2**53
"""Numbers beyond this were not exact in the file's own arithmetic, or are not once a reader of the release computes."""

_COUNTS = ("n", "number", "frequency", "freq", "quantity", "occurrences")
WORDS = Vocabulary(
    roles={role: role for role in ("time", "event", "count")},
    names={
        **{name: role for role in ("time", "event") for name in EVENT_LOGS[role]},
        **dict.fromkeys(_COUNTS, "count"),
        **dict.fromkeys(("day", "week", "hour", "minute"), "time"),
        **dict.fromkeys(("product", "item", "symptom"), "event"),
    },
    unused=UNUSED_IN_EVENT_LOGS | {"person", *EVENT_LOGS["person"], *EVENT_LOGS["session"]},
)
"""Names of event logs; a timeline has no people, so that columns of people have no role."""


def read(path: Readable, read_options: ReadOptions) -> Dataset:
    """Read one long sequence of events: one row per time point, with the events there and how often they occur.

    Columns are ``time, event, count``, or other names given by ``read_options.columns``, or names that event logs use.
    Without a count every row is one occurrence. Rows of the same time and event are added up; with a resolution
    dates are cut to it first. A time point without events is not a row, unless the file asks for it by a row of
    that time with the count 0. Events that are named with the count 0 only belong to the alphabet. Rows may come in any
    order: events of a time point stand in the order of their names.

    Parameters
    ----------
    path
        The file: CSV, Parquet or JSON lines, possibly packed as ``.gz`` or ``.xz``.
    read_options
        How to read it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "sales.csv"
    >>> _ = file.write_text("day,product,quantity\\n2024-01-02,wine,3\\n2024-01-01,bread,5\\n2024-01-02,bread,4\\n")
    >>> sales = read(file, ReadOptions("timeline", sensitive=("wine",), resolution="day"))
    >>> sales.history().lists(), sales.table.column("counts").to_pylist()
    ([['bread'], ['bread', 'wine']], [[5], [4, 3]])
    >>> for note in sales.notes:
    ...     print(note)
    Read 3 rows of sales.csv.
    Reading `day` as time.
    Reading `product` as event.
    Reading `quantity` as count.
    Times have no time zone and are read as UTC.
    Found 2 time points with 12 occurrences of 2 events.
    """
    source = Source(as_place(path), read_options)
    name, table = source.name, source.table()
    columns, role_notes = assign_roles(name, table.column_names, read_options, WORDS)
    notes = [note_rows(name, table.num_rows), *source.notes, *role_notes]
    name, table = resolve_missing(name, table, columns, read_options, notes, ("event",))
    for role in ("time", "event"):
        if role not in columns:
            raise refuse_without(name, role)
    if not table.num_rows:
        raise SchemaError(f"{name}: there are no rows below the header.", hint="Give a file with rows.")
    times, time_unit = _read_times(name, columns["time"], table, read_options.resolution, notes)
    counts = _read_counts(name, columns.get("count"), table, notes)
    events = encode_labels(name, columns["event"], table.column(columns["event"]))
    # By their names, whatever order the rows are in.
    labels = tuple(sorted(events.labels.to_pylist()))
    points, offsets, codes, sums = _add_up(times, rank_names(events.labels)[events.codes], counts, len(labels))
    notes.append(
        Note(
            SUMMARY,
            "Found {points} time {points:point|points} with {occurrences} {occurrences:occurrence|occurrences} of "
            "{events} {events:event|events}.",
            {"points": len(points), "occurrences": int(sums.sum()), "events": len(labels)},
        )
    )
    history = ListColumn(offsets, codes.astype(np.int32), labels).to_arrow()
    return Dataset(
        Schema(
            "timeline",
            (Column("time", "time"), Column("events", "history"), Column("counts", "count")),
            resolve_sensitive(read_options.sensitive, labels, name),
        ),
        pa.table(
            {
                "time": pa.array(points, pa.int64()),
                "events": history,
                "counts": type(history).from_arrays(history.offsets, pa.array(sums, pa.int64())),
            }
        ),
        notes=tuple(notes),
        read_options=read_options.to_dict(),
        time_unit=time_unit,
        unit=TIME_POINT,
    )


def detect(preview: FileProfile) -> Detection | None:
    """Take files for a timeline that have times and events of no people.

    Examples
    --------
    >>> table = pa.table({"day": ["2024-01-01", "2024-01-02"], "product": ["a", "b"], "quantity": ["2", "3"]})
    >>> detect(FileProfile.of_table("a.csv", table)).options["columns"]
    {'time': 'day', 'event': 'product', 'count': 'quantity'}
    """
    roles = preview.find_roles(WORDS)
    person_columns = {"person", *EVENT_LOGS["person"], *EVENT_LOGS["session"]}
    if not {"time", "event"} <= set(roles) or roles["time"] not in preview.find_dates() or "count" not in roles:
        return None
    if any(name.lower() in person_columns for name in preview.columns):
        return None
    reasons = [f"`{column}` is read as {role} by its name." for role, column in roles.items()]
    reasons.append("No column names people: rows are about points in time.")
    more, why = preview.suggest_missing(list(roles.values()))
    options = {"columns": roles, "drop": ["*"], "resolution": "day", **more}
    left = (
        Message("Name the events that must be no more frequent at one time than at others: ", option("sensitive"), "."),
    )
    return Detection("timeline", 70, options, reasons + why, "essa", {"delta": 0.05}, left)


def _read_times(
    name: str, column: str, table: pa.Table, resolution: str | None, notes: list[Note]
) -> tuple[Longs, TimeUnit]:
    """Return times as whole numbers, and what they count."""
    parsed = parse_times(name, column, table.column(column))
    if parsed.micros is None:
        if resolution is not None:
            raise refuse_resolution(name, column, resolution)
        wrong = (np.abs(parsed.order.astype(np.float64)) > _LARGEST) | (parsed.order != np.floor(parsed.order))
        if wrong.any():
            raise SchemaError(
                f"{name}: column {column!r}: times must be dates, or whole numbers of at most {_LARGEST:,}; "
                f"{name_failing(wrong)}.",
                column=column,
                rows=list_marked(wrong),
                hint="Correct the data.",
            )
        return parsed.order.astype(np.int64), TimeUnit()
    if not parsed.zoned:
        notes.append(note_zone())
    times, time_unit, finer = cut_times(parsed.micros, resolution or "second")
    if finer.any():
        notes.append(note_truncated(int(finer.sum()), resolution or "second"))
    return times, time_unit


def _read_counts(name: str, column: str | None, table: pa.Table, notes: list[Note]) -> Longs:
    if column is None:
        notes.append(Note("no-count-column", "No column holds counts: every row is one occurrence."))
        return np.ones(table.num_rows, dtype=np.int64)
    numbers = parse_numbers(name, column, table.column(column))
    wrong = (numbers < 0) | (numbers > _LARGEST) | (numbers != np.floor(numbers))
    if wrong.any():
        raise SchemaError(
            f"{name}: column {column!r} must hold whole numbers from 0 to {_LARGEST:,}; {name_failing(wrong)}.",
            column=column,
            rows=list_marked(wrong),
            hint="Correct the data.",
        )
    if float(numbers.sum()) > _LARGEST:
        raise SchemaError(
            f"{name}: column {column!r} must add up to at most {_LARGEST:,}.",
            column=column,
            hint="Count in a larger unit.",
        )
    return numbers.astype(np.int64)


def _add_up(times: Longs, events: Longs, counts: Longs, alphabet: int) -> tuple[Longs, Longs, Longs, Longs]:
    """Return the time points, and for each the events that occur there with their counts, as offsets and lists."""
    points, point = np.unique(times, return_inverse=True)
    keys, where = np.unique(point * alphabet + events, return_inverse=True)
    sums = np.zeros(len(keys), dtype=np.int64)
    np.add.at(sums, where, counts)
    keys, sums = keys[sums > 0], sums[sums > 0]
    offsets = np.searchsorted(keys, np.arange(len(points) + 1) * alphabet).astype(np.int64)
    return points.astype(np.int64), offsets, keys % alphabet, sums
