"""Reader of sequences of timed events of people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.notes import Note
from sfumato.data.record_unit import PERSON, RECORD, RecordUnit
from sfumato.data.schema import Schema
from sfumato.data.time_units import UNITS, TimeUnit
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.memory import Place, Readable, as_place
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.kinds.sequences import KIND
from sfumato.kinds.sequences.reader.values import WORDS, note_events, read_hierarchies
from sfumato.kinds.sequences.reader.weblog import is_weblog, parse_weblog
from sfumato.messages import Message, option
from sfumato.readers.cells import Labels, encode_labels
from sfumato.readers.constraints import resolve_monitored
from sfumato.readers.files import to_utf8
from sfumato.readers.layouts import is_spmf, is_utf8, recognise_layout
from sfumato.readers.missing import resolve_missing
from sfumato.readers.notes import (
    ROWS_READ,
    SPMF_LINES,
    note_empty_sequences,
    note_encoding,
    note_layout,
    note_record_column,
    note_rows,
    note_shared_times,
    note_truncated,
    note_zone,
)
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER, RecordPeople, check_people, correct_role_note, name_records, resolve_unit
from sfumato.readers.partitioned.agreement import note_count
from sfumato.readers.role_errors import refuse_resolution, refuse_without
from sfumato.readers.roles import EVENT_LOGS, assign_roles
from sfumato.readers.sources import Source
from sfumato.readers.spmf import Token, parse_sequences, refuse_token
from sfumato.readers.times import cut_times, parse_times
from sfumato.readers.visits import arrange_moments, combine_labels, renumber

__all__ = ["read"]

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]

_LARGEST = 2**53
"""Times beyond this are not exact once a method computes with them."""
_DIGITS = 18
"""The most digits of a time of SPMF."""


def read(path: Readable, read_options: ReadOptions) -> Dataset:
    """Read sequences of events: one row per person, with the events and their times in the order of time.

    Columns are ``person, time, event``, or other names given by ``read_options.columns``, or names that event logs
    and click streams use. SPMF sequences with times, logs of web servers (see
    :mod:`sfumato.kinds.sequences.reader.weblog`) and the files of Foursquare (TSMC), Gowalla and Brightkite are
    recognised. Dates become UTC and are cut to the resolution; whole numbers stay unchanged. Events at the same time
    are in the order of their names, and the same event of a person at the same time counts once. The notes of the
    dataset say what was done.

    Parameters
    ----------
    path
        The file: CSV, Parquet, JSON lines, SPMF text or a web log, possibly packed as ``.gz`` or ``.xz``.
    read_options
        How to read it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "clicks.csv"
    >>> _ = file.write_text("user,timestamp,url\\n7,2024-01-01T10:00:31Z,news\\n7,2024-01-01T09:59Z,mail\\n")
    >>> clicks = read(file, ReadOptions("sequences", monitored=("mail",), resolution="minute"))
    >>> clicks.history().lists(), clicks.time_unit.to_arrow(clicks.times()).to_pylist()[0].isoformat()
    ([['mail', 'news']], '2024-01-01T09:59:00+00:00')
    >>> for note in clicks.notes:
    ...     print(note)
    Read 2 rows of clicks.csv.
    Reading `user` as person.
    Reading `timestamp` as time.
    Reading `url` as event.
    Truncated 1 time to the minute.
    Found 1 person and 2 events of 2 kinds.
    """
    log = _Log.of(as_place(path), read_options)
    times, time_unit = log.times(read_options.resolution)
    people = combine_labels([log.labels(column) for column in log.person])
    events = log.labels(log.event)
    entries = np.flatnonzero(log.is_event)
    moments = arrange_moments(people.codes[entries], times[entries], events.codes[entries], events.labels)
    rows = entries[moments.rows]
    codes, old, first = renumber(events.codes[rows])
    labels = events.labels.take(pa.array(old)).to_pylist()
    who = people.codes[rows]
    starts = np.flatnonzero(np.append(True, who[1:] != who[:-1]))
    history = ListColumn(np.append(starts, len(rows)).astype(np.int64), codes, tuple(labels)).to_arrow()
    record_people = log.find_people(people, who[starts], rows[starts], read_options)
    log.report(len(rows), moments.sharing, record_people.unit, len(starts), len(labels))
    log.notes.extend(record_people.note(len(starts)))
    return Dataset(
        Schema(
            "sequences",
            KIND.columns,
            monitored=resolve_monitored(read_options.monitored, labels, log.name),
        ),
        pa.table(
            {
                "person": people.labels.take(pa.array(who[starts])),
                "events": history,
                "times": type(history).from_arrays(history.offsets, pa.array(times[rows])),
            }
        ),
        hierarchies=read_hierarchies(read_options, log.name, labels, log.numbers[rows[first]].tolist()),
        notes=tuple(log.notes),
        read_options=read_options.to_dict(),
        time_unit=time_unit,
        unit=record_people.unit,
        people=record_people.people,
    )


class _Log(NamedTuple):
    """The rows of a file, what its columns are, and the notes on reading."""

    name: str
    table: pa.Table
    person: tuple[str, ...]
    """Columns that identify people together."""
    time: str
    event: str
    numbers: Longs
    """The number of each row in messages."""
    is_event: Marks
    notes: list[Note]
    owner: str = ""
    """Column with the person of a sequence, where people have several."""

    @classmethod
    def of(cls, path: Place, read_options: ReadOptions) -> _Log:
        source = Source(path, read_options)
        name, sample = source.name, source.sample()
        declared = read_options.format or read_options.header or read_options.delimiter
        if read_options.user_key is not None or (not declared and is_weblog(sample)):
            return cls._of_weblog(name, source.data, read_options)
        format = source.format
        if format == "csv" and not sample:
            raise SchemaError(f"{name}: the file is empty.", hint="Give a file with events.")
        if format == "spmf" or (read_options.format is None and format == "csv" and is_spmf(sample)):
            return cls._of_spmf(name, to_utf8(name, source.data, read_options.encoding))
        return cls._of_table(source, sample, read_options)

    @classmethod
    def _of_weblog(cls, name: str, data: bytes, read_options: ReadOptions) -> _Log:
        if read_options.columns:
            raise ParameterError(
                Message(option("columns"), " does not apply to web logs."),
                hint=Message("Choose people by ", option("user_key", "host"), "."),
            )
        text = to_utf8(name, data, read_options.encoding)
        log = parse_weblog(name, text, read_options.user_key or "host", keep_query=read_options.query == "keep")
        template = "Read {rows} {rows:line|lines} of {file}."
        notes = [Note(ROWS_READ, template, {"rows": log.table.num_rows}, details={"file": name}), *log.notes]
        numbers = np.arange(1, log.table.num_rows + 1)
        return cls(name, log.table, log.person, "time", "event", numbers, log.is_event, notes)

    @classmethod
    def _of_spmf(cls, name: str, text: bytes) -> _Log:
        table, lines, empty = _parse_spmf(name, text)
        template = "Read {rows} {rows:event|events} of {file}."
        notes = [Note(ROWS_READ, template, {"rows": table.num_rows}, details={"file": name}), SPMF_LINES]
        if empty:
            notes.append(note_empty_sequences(empty, "events"))
        return cls(name, table, ("person",), "time", "event", lines, np.ones(len(lines), bool), notes)

    @classmethod
    def _of_table(cls, source: Source, sample: list[str], read_options: ReadOptions) -> _Log:
        name, notes = source.name, source.notes
        declared = read_options.header or read_options.delimiter or source.format != "csv"
        layout = None if declared else recognise_layout(sample)
        if layout is None:
            table = source.table()
        else:
            notes.append(note_layout(layout.name))
            encoding = read_options.encoding
            if layout.encoding and encoding is None and not is_utf8(source.data):
                encoding = layout.encoding
                notes.append(note_encoding(encoding))
            table = source.table(delimiter=layout.delimiter, header=layout.header, encoding=encoding)
        columns, read_as = assign_roles(name, table.column_names, read_options, WORDS)
        notes = [note_rows(name, table.num_rows), *notes, *read_as]
        name, table = resolve_missing(name, table, columns, read_options, notes, ("event",))
        if "session" in columns and "person" in columns:
            template = "All sessions of a person are one sequence; {columns} is not used."
            notes.append(Note("sessions-joined", template, columns=(columns["session"],)))
        elif "session" in columns:
            notes.append(note_record_column(columns["session"]))
            columns["person"] = columns["session"]
        for role in ("person", "time", "event"):
            if role not in columns:
                raise refuse_without(name, role, EVENT_LOGS[role])
        numbers, retained = np.arange(1, table.num_rows + 1), np.ones(table.num_rows, bool)
        time, event, owner = columns["time"], columns["event"], columns.get(OWNER, "")
        return cls(name, table, (columns["person"],), time, event, numbers, retained, notes, owner)

    def find_people(self, records: Labels, retained: Ints, first: Longs, read_options: ReadOptions) -> RecordPeople:
        """Return what a record is, and the person of each one that is kept."""
        if SPMF_LINES in self.notes:
            return resolve_unit(read_options, RecordPeople(RECORD))
        unit = PERSON if len(self.person) > 1 else name_records(self.person[0], bool(self.owner))
        people = None
        if self.owner:
            record = np.full(len(records.labels), -1)
            record[retained] = np.arange(len(retained))
            used = np.where(self.is_event, record[records.codes], -1)
            people = check_people(self.name, self.owner, used, self.labels(self.owner), first)
        record_people = resolve_unit(read_options, RecordPeople(unit, people))
        correct_role_note(self.notes, self.person[0], record_people.unit)
        return record_people

    def labels(self, column: str) -> Labels:
        return encode_labels(self.name, column, self.table.column(column))

    def times(self, resolution: str | None) -> tuple[Longs, TimeUnit]:
        """Return times as whole numbers, and what they count."""
        parsed = parse_times(self.name, self.time, self.table.column(self.time))
        micros = parsed.micros
        if micros is None:
            numbers = self._whole(parsed.order)
            micros = self._dates_in(numbers, resolution)
            if micros is None:
                return numbers, TimeUnit()
        if not parsed.zoned:
            self.notes.append(note_zone())
        times, time_unit, finer = cut_times(micros, resolution or "second")
        note_count(self.notes, note_truncated(int(finer[self.is_event].sum()), resolution or "second"))
        return times, time_unit

    def _whole(self, numbers: Longs | npt.NDArray[np.float64]) -> Longs:
        outside = (numbers > _LARGEST) | (numbers < -_LARGEST)
        wrong = outside if outside.any() else numbers != np.floor(numbers)
        if wrong.any():
            rows = self.numbers[wrong].tolist()
            raise SchemaError(
                f"{self.name}: column {self.time!r}: times must be dates, or whole numbers of at most {_LARGEST:,}; "
                f"look at {name_rows(rows)}.",
                column=self.time,
                rows=select_shown(rows),
                hint="Correct the data, or count in a larger unit.",
            )
        return numbers.astype(np.int64)

    def _dates_in(self, numbers: Longs, resolution: str | None) -> Longs | None:
        """Return the dates that numbers stand for, if a resolution says that they are dates."""
        micros = _parse_dates(numbers)
        if resolution is None:
            if micros is not None:
                template = "Times look like dates (20240131) but are read as numbers. To read dates: {option}."
                self.notes.append(Note("times-like-dates", template, details={"option": option("resolution", "day")}))
            return None
        if micros is None:
            raise refuse_resolution(self.name, self.time, resolution)
        self.notes.append(Note("times-are-dates", "Times written as 20240131 are read as dates."))
        return micros

    def report(self, entries: int, sharing: int, unit: RecordUnit, records: int, kinds: int) -> None:
        """Note what is left after everything."""
        template = "Removed {events} duplicate {events:event|events} of the same record and time."
        collapsed = int(self.is_event.sum()) - entries
        note_count(self.notes, Note("duplicate-events-removed", template, {"events": collapsed}))
        note_count(self.notes, note_shared_times(sharing, "event", "events"))
        self.notes.append(note_events(unit, records, entries, kinds))


def _parse_dates(numbers: Longs) -> Longs | None:
    """Return microseconds since 1970 if every number is a day of the calendar written as 20240131."""
    year, month, day = numbers // 10_000, numbers // 100 % 100, numbers % 100
    if not ((year >= 1000) & (year <= 9999) & (month >= 1) & (month <= 12) & (day >= 1)).all():
        return None
    months = (year - 1970) * 12 + month - 1
    begin, end = (m.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) for m in (months, months + 1))
    if not (day <= end - begin).all():
        return None
    days: Longs = begin + day - 1
    return days * (UNITS["day"] * 1_000_000)


def _parse_spmf(name: str, text: bytes) -> tuple[pa.Table, Longs, int]:
    """Read timed SPMF sequences; return events in long form, the line of each, and the number of empty ones."""

    def read_line(number: int, tokens: Iterator[Token]) -> list[tuple[str, int]]:
        entries: list[tuple[str, int]] = []
        time: int | None = None
        for token in tokens:
            if token.time is not None:
                if len(token.time.removeprefix("-")) > _DIGITS:
                    raise refuse_token(name, number)
                time = int(token.time)
            elif token.item is None:
                time = None
            elif time is None:
                raise SchemaError(
                    f"{name}: line {number} has an item without a time.",
                    rows=(number,),
                    hint="Write <time> before every item set, or read the file as trajectories.",
                )
            else:
                entries.append((token.item, time))
        return entries

    parsed = parse_sequences(name, text, read_line)
    table = pa.table({"person": parsed.person, "time": parsed.details, "event": parsed.item})
    return table, np.array(parsed.line), parsed.empty
