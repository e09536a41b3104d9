"""The rows of a file, with their people, times and records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.notes import Note
from sfumato.data.record_unit import RECORD, RecordUnit, parse_unit
from sfumato.exceptions import SchemaError
from sfumato.formats.memory import Place
from sfumato.kinds.trajectories.reader.coordinates import PAIRS, split_coordinates
from sfumato.messages import Message, option
from sfumato.readers.cells import Labels, encode_labels
from sfumato.readers.files import to_utf8
from sfumato.readers.layouts import is_spmf, is_utf8, recognise_layout
from sfumato.readers.missing import resolve_missing
from sfumato.readers.notes import (
    SPMF_LINES,
    SUMMARY,
    note_empty_sequences,
    note_encoding,
    note_layout,
    note_record_column,
    note_rows,
    note_shared_times,
)
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER, RecordPeople, check_people, correct_role_note, name_records, resolve_unit
from sfumato.readers.partitioned.agreement import note_count
from sfumato.readers.role_errors import refuse_without
from sfumato.readers.roles import UNUSED_IN_XES, Vocabulary, assign_roles
from sfumato.readers.sources import Source
from sfumato.readers.spmf import Token, parse_sequences
from sfumato.readers.times import Times, parse_times, split_periods
from sfumato.readers.visits import combine_labels

__all__ = ["LATITUDES", "LONGITUDES", "WORDS", "Visits", "note_visits"]

Ints = npt.NDArray[np.int32]

LONGITUDES = ("lon", "lng", "long", "longitude")
LATITUDES = ("lat", "latitude")
_NAMES = {
    "person": ("uid", "user", "user_id", "userid", "case:concept:name"),
    "trajectory": ("track", "tid", "traj_id", "trajectory_id", "trajectoryid"),
    "time": ("datetime", "date_time", "timestamp", "utctimestamp", "time:timestamp"),
    "place": ("place_id", "poi", "poi_id", "venue", "venue_id", "venueid", "location", "location_id", "concept:name"),
    "x": LONGITUDES,
    "y": LATITUDES,
    **PAIRS,
}
WORDS = Vocabulary(
    roles={**{role: role for role in _NAMES}, "lon": "x", "lat": "y", OWNER: OWNER},
    names={name: role for role, names in _NAMES.items() for name in names},
    unused=UNUSED_IN_XES | {"venuecategoryid", "venuecategory", "timezoneoffset"},
)
_MOST_DIGITS = 22
"""Of a time of SPMF."""


class Visits(NamedTuple):
    """The rows of a file, what its columns are, and the notes on reading.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "visits.csv"
    >>> _ = file.write_text("uid,venue\\n7,park\\n8,home\\n")
    >>> visits = Visits.of(file, ReadOptions("trajectories"))
    >>> visits.columns, visits.labels("place").labels.to_pylist()
    ({'person': 'uid', 'place': 'venue'}, ['park', 'home'])
    """

    name: str
    table: pa.Table
    columns: Mapping[str, str]
    read_options: ReadOptions
    notes: list[Note]

    @classmethod
    def of(cls, path: Place, read_options: ReadOptions) -> Visits:
        source = Source(path, read_options)
        notes = list(source.notes)
        table = _load(source, read_options, notes)
        notes.insert(0, note_rows(source.name, table.num_rows))
        columns, role_notes = assign_roles(source.name, table.column_names, read_options, WORDS)
        notes += role_notes
        name, table = resolve_missing(source.name, table, columns, read_options, notes, ("place",))
        table, columns = split_coordinates(name, table, columns)
        return cls(name, table, columns, read_options, notes)

    def labels(self, role: str) -> Labels:
        return encode_labels(self.name, self.columns[role], self.table.column(self.columns[role]))

    def times(self) -> Times | None:
        if "time" in self.columns:
            return parse_times(self.name, self.columns["time"], self.table.column(self.columns["time"]))
        self.notes.append(Note("no-time-column", "No column holds times: visits stay in the order of the file."))
        return None

    def records(self, times: Times | None) -> Labels:
        """Return which rows make one record: those of a person, perhaps also of a trip, a day or a week."""
        parts = [self.labels(role) for role in ("person", "trajectory") if role in self.columns]
        if not parts:
            raise refuse_without(self.name, "person", _NAMES["person"])
        if "person" not in self.columns:
            self.notes.append(note_record_column(self.columns["trajectory"]))
        period = ""
        if self.read_options.split is not None:
            if times is None:
                raise SchemaError(
                    Message(f"{self.name}: ", option("split", self.read_options.split), " needs a time column."),
                    hint=Message("Name it: ", option("columns", {"time": "NAME"}), "."),
                )
            numbers, periods = split_periods(times, self.read_options.split, self.read_options.zone)
            parts.append(Labels(numbers.astype(np.int32), pa.array(periods, pa.string())))
            zone_name = self.read_options.zone if times.zoned else "the clock of the data"
            period = f"{self.read_options.split} ({zone_name})"
        if len(parts) > 1:
            columns = tuple(self.columns[role] for role in ("person", "trajectory") if role in self.columns)
            template = "One record per {columns} and {period}." if period else "One record per {columns}."
            self.notes.append(Note("records-divided", template, columns=columns, details={"period": period}))
        return combine_labels(parts)

    def find_people(self, records: Labels, retained: Ints, first: npt.NDArray[np.int64]) -> RecordPeople:
        """Return what a record is, and the person of each one that is kept."""
        split, whole = self.read_options.split, {"person", "trajectory"} <= set(self.columns)
        if split is None and SPMF_LINES in self.notes:
            unit = RECORD
        elif split is None:
            column = self.columns["trajectory"] if "trajectory" in self.columns else self.columns["person"]
            unit = name_records(column, OWNER in self.columns or "trajectory" in self.columns)
        elif "trajectory" in self.columns:
            unit = RecordUnit(f"{split} of a trip", f"{split}s of trips", "person")
        else:
            unit = RecordUnit(split, f"{split}s", "person")
        people = None
        if OWNER in self.columns:
            record = np.full(len(records.labels), -1)
            record[retained] = np.arange(len(retained))
            people = check_people(
                self.name, self.columns[OWNER], record[records.codes], self.labels(OWNER), first.astype(np.int64)
            )
        elif (
            "person" in self.columns
            and (whole or split is not None)
            and not name_records(self.columns["person"], False).owner
        ):
            person = self.labels("person")
            people = person.labels.take(pa.array(person.codes[first])).cast(pa.string())
        record_people = resolve_unit(self.read_options, RecordPeople(unit, people))
        if "person" in self.columns and (people is None or OWNER in self.columns):
            correct_role_note(self.notes, self.columns["person"], record_people.unit)
        return record_people

    def people(self) -> Ints | None:
        """Return the person of every row; None where no column links rows to people."""
        if OWNER in self.columns:
            return self.labels(OWNER).codes
        role = "person" if "person" in self.columns else "trajectory"
        parted = self.read_options.split is not None or {"person", "trajectory"} <= set(self.columns)
        unit = name_records(self.columns[role], role == "trajectory")
        if self.read_options.unit is not None and not parted:
            unit = parse_unit(self.read_options.unit)
        return None if unit.owner else self.labels(role).codes

    def report(self, dropped: int, visits: int, sharing: int, unit: RecordUnit, records: int, places: int) -> None:
        """Note what is left after everything."""
        template = "Left out {visits} {visits:visit|visits} outside all regions."
        note_count(self.notes, Note("visits-outside-left-out", template, {"visits": dropped}))
        template = "Joined {visits} {visits:visit|visits} with the one before at the same place."
        collapsed = self.table.num_rows - dropped - visits
        note_count(self.notes, Note("repeated-visits-joined", template, {"visits": collapsed}))
        note_count(self.notes, note_shared_times(sharing, "visit", "visits"))
        self.notes.append(note_visits(unit, records, visits, places))


def note_visits(unit: RecordUnit, records: int, visits: int, places: int) -> Note:
    """Note how many records, visits and places there are.

    Examples
    --------
    >>> from sfumato.data.record_unit import PERSON
    >>> str(note_visits(PERSON, 2, 3, 1))
    'Found 2 people, 3 visits and 1 place.'
    """
    return Note(
        SUMMARY,
        "Found {records} {records:{one}|{many}}, {visits} {visits:visit|visits} and {places} {places:place|places}.",
        {"records": records, "visits": visits, "places": places},
        details={"one": unit.one, "many": unit.many},
    )


def _load(source: Source, read_options: ReadOptions, notes: list[Note]) -> pa.Table:
    """Read the rows of a file, whose format may have to be detected."""
    encoding = read_options.encoding
    sample = source.sample() if source.format in {"csv", "spmf"} else []
    if source.format == "spmf" or (read_options.format is None and is_spmf(sample)):
        return _load_sequences(source.name, to_utf8(source.name, source.data, encoding), notes)
    layout = None if read_options.header or read_options.delimiter else recognise_layout(sample)
    if layout is None:
        return source.table()
    notes.append(note_layout(layout.name))
    if layout.encoding and encoding is None and not is_utf8(source.data):
        encoding = layout.encoding
        notes.append(note_encoding(encoding))
    return source.table(delimiter=layout.delimiter, header=layout.header, encoding=encoding)


def _load_sequences(name: str, text: bytes, notes: list[Note]) -> pa.Table:
    """Read SPMF sequences of single items, as one row per visit; times must not decrease."""

    def read_line(number: int, tokens: Iterator[Token]) -> list[tuple[str, None]]:
        entries: list[tuple[str, None]] = []
        latest: int | None = None
        inside = False
        for token in tokens:
            if token.time is not None:
                time = int(token.time) if len(token.time) <= _MOST_DIGITS else None
                if time is None or (latest is not None and time < latest):
                    raise SchemaError(
                        f"{name}: line {number} has times that decrease or are too large.",
                        rows=(number,),
                        hint="Sort the visits of the line by time.",
                    )
                latest = time
            elif token.item is None:
                inside = False
            elif inside:
                raise SchemaError(
                    f"{name}: line {number} has several items at a time, but a person is in one place at a time.",
                    rows=(number,),
                    hint="Write -1 after every place, or read the file as another kind.",
                )
            else:
                entries.append((token.item, None))
                inside = True
        return entries

    sequences = parse_sequences(name, text, read_line)
    notes.append(SPMF_LINES)
    if sequences.empty:
        notes.append(note_empty_sequences(sequences.empty, "places"))
    return pa.table({"person": sequences.person, "place": sequences.item})
