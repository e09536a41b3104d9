"""The rows of a file: whose they are, when they were, and what makes one record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.record_unit import RECORD, RecordUnit, parse_unit
from sfumato.exceptions import SchemaError
from sfumato.formats.memory import Place
from sfumato.kinds.trajectories.reader.coordinates import PAIRS, split_coordinates
from sfumato.readers.cells import Labels, encode_labels
from sfumato.readers.files import to_utf8
from sfumato.readers.layouts import is_spmf, is_utf8, recognise_layout
from sfumato.readers.missing import resolve_missing
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER, RecordPeople, check_people, correct_role_note, name_records, resolve_unit
from sfumato.readers.partitioned.agreement import note_count
from sfumato.readers.roles import UNUSED_IN_XES, Vocabulary, assign_roles
from sfumato.readers.sources import Source
from sfumato.readers.spmf import Token, parse_sequences
from sfumato.readers.times import Times, parse_times, split_periods
from sfumato.readers.visits import SHARED_MOMENT, combine_labels

__all__ = ["LATITUDES", "LONGITUDES", "WORDS", "Visits"]

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
_LINES = "Each line is a sequence (SPMF)."
_MOST_DIGITS = 22
"""Of a time of SPMF."""


class Visits(NamedTuple):
    """The rows of a file, what its columns are, and the notes taken on the way.

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
    notes: list[str]

    @classmethod
    def of(cls, path: Place, read_options: ReadOptions) -> Visits:
        source = Source(path, read_options)
        notes = list(source.notes)
        table = _load(source, read_options, notes)
        notes.insert(0, f"Read {table.num_rows:,} rows of {source.name}.")
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
        self.notes.append("There is no time column: visits stay in the order of the file.")
        return None

    def records(self, times: Times | None) -> Labels:
        """Tell which rows make one record: those of a person, perhaps also of a trip, a day or a week."""
        parts = [self.labels(role) for role in ("person", "trajectory") if role in self.columns]
        if not parts:
            raise SchemaError(
                f"{self.name}: there is no column for the person. Say which one it is (columns), or call it "
                f"person or {', '.join(_NAMES['person'][:3])}."
            )
        if "person" not in self.columns:
            self.notes.append(f"There is no person column: each `{self.columns['trajectory']}` is a record.")
        criteria = [f"`{self.columns['trajectory']}`"] if len(parts) == 2 else []
        if self.read_options.split is not None:
            if times is None:
                raise SchemaError(f"{self.name}: split={self.read_options.split} needs a time column.")
            numbers, periods = split_periods(times, self.read_options.split, self.read_options.zone)
            parts.append(Labels(numbers.astype(np.int32), pa.array(periods, pa.string())))
            zone_name = self.read_options.zone if times.zoned else "the clock of the data"
            criteria.append(f"{self.read_options.split} ({zone_name})")
        records = combine_labels(parts)
        if criteria:
            self.notes.append(f"One record per `{self.columns.get('person', OWNER)}` and {' and '.join(criteria)}.")
        return records

    def find_people(self, records: Labels, retained: Ints, first: npt.NDArray[np.int64]) -> RecordPeople:
        """Tell what a record is, and of which person each one that is kept."""
        split, whole = self.read_options.split, {"person", "trajectory"} <= set(self.columns)
        if split is None and _LINES in self.notes:
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
        """Tell whose the rows are, whatever makes one record; None where the file does not tell."""
        if OWNER in self.columns:
            return self.labels(OWNER).codes
        role = "person" if "person" in self.columns else "trajectory"
        parted = self.read_options.split is not None or {"person", "trajectory"} <= set(self.columns)
        unit = name_records(self.columns[role], role == "trajectory")
        if self.read_options.unit is not None and not parted:
            unit = parse_unit(self.read_options.unit)
        return None if unit.owner else self.labels(role).codes

    def report(self, dropped: int, visits: int, sharing: int, records: str, places: int) -> None:
        """Note what is left after everything."""
        collapsed = self.table.num_rows - dropped - visits
        note_count(self.notes, "Visits outside all regions, which were dropped", dropped)
        note_count(self.notes, "Visits that repeat the place before them and were collapsed", collapsed)
        note_count(self.notes, f"Visits that {SHARED_MOMENT}", sharing)
        self.notes.append(f"Found {records}, {visits:,} visits and {places:,} places.")


def _load(source: Source, read_options: ReadOptions, notes: list[str]) -> pa.Table:
    """Read the rows of a file, whose format may be one that only its look gives away."""
    encoding = read_options.encoding
    sample = source.sample() if source.format in {"csv", "spmf"} else []
    if source.format == "spmf" or (read_options.format is None and is_spmf(sample)):
        return _load_sequences(source.name, to_utf8(source.name, source.data, encoding), notes)
    layout = None if read_options.header or read_options.delimiter else recognise_layout(sample)
    if layout is None:
        return source.table()
    notes.append(f"Recognised {layout.name}.")
    if layout.encoding and encoding is None and not is_utf8(source.data):
        encoding = layout.encoding
        notes.append(f"The text is not UTF-8 and was read as {encoding}.")
    return source.table(delimiter=layout.delimiter, header=layout.header, encoding=encoding)


def _load_sequences(name: str, text: bytes, notes: list[str]) -> pa.Table:
    """Read SPMF sequences of single items, as one row per visit; times must not decrease."""

    def read_line(number: int, tokens: Iterator[Token]) -> list[tuple[str, None]]:
        entries: list[tuple[str, None]] = []
        latest: int | None = None
        inside = False
        for token in tokens:
            if token.time is not None:
                time = int(token.time) if len(token.time) <= _MOST_DIGITS else None
                if time is None or (latest is not None and time < latest):
                    raise SchemaError(f"{name}: line {number} has times that decrease or are too large.")
                latest = time
            elif token.item is None:
                inside = False
            elif inside:
                raise SchemaError(
                    f"{name}: line {number} has several items at a time, but a person is in one place at a time. "
                    "Write -1 after every place, or read the file as another kind."
                )
            else:
                entries.append((token.item, None))
                inside = True
        return entries

    sequences = parse_sequences(name, text, read_line)
    notes.append(_LINES)
    if sequences.empty:
        notes.append(f"Sequences without any place, which were left out: {sequences.empty:,}.")
    return pa.table({"person": sequences.person, "place": sequences.item})
