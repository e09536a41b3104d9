"""Trajectories: who was where, in which order."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError, SchemaError
from sfumato.core.hierarchy import Hierarchy
from sfumato.core.places import CELLS, GIVEN, QUADTREE, Fixes, PlaceOrigin
from sfumato.core.ragged import Ragged
from sfumato.core.schema import Column, Schema
from sfumato.core.unit import RECORD, Unit, parse_unit
from sfumato.io.cells import Cells, Labels, encode_labels, name_marked, parse_numbers
from sfumato.io.constraints import read_partition, resolve_sensitive
from sfumato.io.derived import derive_hierarchy
from sfumato.io.files import choose_format, load, to_utf8
from sfumato.io.hierarchies import read_hierarchy
from sfumato.io.layouts import looks_like_spmf, recognise_layout
from sfumato.io.ownership import OWNER, Whose, check_people, name_records, retell_role, settle_unit
from sfumato.io.reading import Reading
from sfumato.io.roles import Vocabulary, assign_roles
from sfumato.io.tables import first_lines, parse_table, read_table
from sfumato.io.times import Times, parse_times, split_periods
from sfumato.io.visits import arrange_visits, combine_labels, renumber
from sfumato.kinds.trajectories.reader.places import (
    Positions,
    average_positions,
    derive_places,
    locate,
    parse_place_rule,
    tabulate_places,
)
from sfumato.kinds.trajectories.reader.spmf import parse_sequences

__all__ = ["WORDS", "read"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

_LONGITUDES = ("lon", "lng", "long", "longitude")
_LATITUDES = ("lat", "latitude")
_NAMES = {
    "person": ("uid", "user", "user_id", "userid", "case:concept:name"),
    "trajectory": ("tid", "traj_id", "trajectory_id", "trajectoryid"),
    "time": ("datetime", "date_time", "timestamp", "utctimestamp", "time:timestamp"),
    "place": ("place_id", "poi", "poi_id", "venue", "venue_id", "venueid", "location", "location_id", "concept:name"),
    "x": _LONGITUDES,
    "y": _LATITUDES,
}
WORDS = Vocabulary(
    roles={**{role: role for role in _NAMES}, "lon": "x", "lat": "y", OWNER: OWNER},
    names={name: role for role, names in _NAMES.items() for name in names},
    unused=frozenset({"venuecategoryid", "venuecategory", "timezoneoffset"}),
)
_LINES = "Each line is a sequence (SPMF)."
_PLACE_WORDS = Vocabulary(
    roles={role: meant for role, meant in WORDS.roles.items() if meant in {"place", "x", "y"}},
    names={name: role for name, role in WORDS.names.items() if role in {"place", "x", "y"}},
)


def read(path: str | os.PathLike[str], reading: Reading) -> Dataset:
    """Read trajectories: one row per person, with the places in the order of the visits.

    Columns are ``person, time, place, x, y``, or other names told by ``reading.columns``, or names that
    scikit-mobility, check-in files and event logs use. SPMF sequences and the files of Foursquare (TSMC),
    Gowalla and Brightkite, which have no header, are recognised. A place visited several times in a row
    counts once. What was done stands in the notes of the dataset.

    Parameters
    ----------
    path
        The file: CSV, Parquet, JSON lines or SPMF text, possibly packed as ``.gz`` or ``.xz``.
    reading
        How to read it.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "visits.csv"
    >>> _ = file.write_text("uid,time,place\\n7,2,park\\n8,1,home\\n7,1,home\\n7,3,park\\n")
    >>> visits = read(file, Reading("trajectories"))
    >>> visits.table.column("person").to_pylist(), visits.history().lists()
    (['7', '8'], [['home', 'park'], ['home']])
    >>> for note in visits.notes:
    ...     print(note)
    Read 4 rows of visits.csv.
    Reading `uid` as person.
    Visits that repeat the place before them and were collapsed: 1.
    Found 2 people, 3 visits and 2 places.
    """
    visits = _Visits.of(Path(path), reading)
    times = visits.times()
    records = visits.records(times)
    person = visits.people()
    places = visits.places(person)
    rows = arrange_visits(records.codes, None if times is None else times.order, places.codes)
    codes, old, first = renumber(places.codes[rows])
    labels = [places.labels[code] for code in old]
    who, starts = np.unique(records.codes[rows], return_index=True)
    offsets = np.append(starts, len(rows)).astype(np.int64)
    whose = visits.whose(records, who, rows[starts])
    visits.report(int((places.codes < 0).sum()), len(rows), whose.unit.count(len(who)), len(labels))
    visits.notes.extend(whose.note(len(who)))
    people = records.labels.take(pa.array(who))
    table = places.tabulate(old)
    return Dataset(
        Schema(
            "trajectories",
            (Column("person", "identifier"), Column("places", "history")),
            resolve_sensitive(reading.sensitive, labels, visits.name),
        ),
        pa.table({"person": people, "places": Ragged(offsets, codes, tuple(labels)).to_arrow()}),
        table,
        _find_hierarchies(reading, visits.name, labels, rows[first] + 1, table),
        _read_constraints(reading, labels, visits.notes),
        tuple(visits.notes),
        reading.to_dict(),
        unit=whose.unit,
        people=whose.people,
        place_origin=places.origin,
        fixes=places.fixes(person, old),
    )


class _Places(NamedTuple):
    """The place of every row (-1 for none), and what is known about the places."""

    codes: Ints
    labels: list[str]
    positions: Positions | None = None
    x: Floats | None = None
    y: Floats | None = None
    outlines: list[str] | None = None
    origin: PlaceOrigin = PlaceOrigin()

    def fixes(self, person: Ints | None, wanted: Ints) -> Fixes | None:
        """Return whose points lie at which of the wanted places, where they may not be published as they are."""
        if person is None or self.positions is None or self.origin.source not in {CELLS, QUADTREE}:
            return None
        new = np.full(len(self.labels), -1, np.int64)
        new[wanted] = np.arange(len(wanted))
        # The visits of all rows count, also those that stay at a place.
        kept = np.flatnonzero((self.codes >= 0) & (new[self.codes] >= 0))
        given = self.positions.given_x[kept], self.positions.given_y[kept]
        return Fixes(new[self.codes[kept]], person[kept].astype(np.int64), *given)

    def tabulate(self, wanted: Ints) -> pa.Table | None:
        if self.positions is None or self.x is None or self.y is None:
            return None
        labels = [self.labels[code] for code in wanted]
        outlines = None if self.outlines is None else [self.outlines[code] for code in wanted]
        return tabulate_places(labels, self.x[wanted], self.y[wanted], self.positions.projection, outlines)


class _Visits(NamedTuple):
    """The rows of a file, what its columns are, and the notes taken on the way."""

    name: str
    table: pa.Table
    columns: Mapping[str, str]
    reading: Reading
    notes: list[str]

    @classmethod
    def of(cls, path: Path, reading: Reading) -> _Visits:
        notes: list[str] = []
        table = _load(path, reading, notes)
        notes.insert(0, f"Read {table.num_rows:,} rows of {path.name}.")
        columns, told = assign_roles(path.name, table.column_names, reading, WORDS)
        return cls(path.name, table, columns, reading, notes + told)

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
        told = [f"`{self.columns['trajectory']}`"] if len(parts) == 2 else []
        if self.reading.split is not None:
            if times is None:
                raise SchemaError(f"{self.name}: split={self.reading.split} needs a time column.")
            numbers, periods = split_periods(times, self.reading.split, self.reading.zone)
            parts.append(Labels(numbers.astype(np.int32), pa.array(periods, pa.string())))
            clock = self.reading.zone if times.zoned else "the clock of the data"
            told.append(f"{self.reading.split} ({clock})")
        records = combine_labels(parts)
        if told:
            self.notes.append(f"One record per `{self.columns.get('person', OWNER)}` and {' and '.join(told)}.")
        return records

    def whose(self, records: Labels, kept: Ints, first: npt.NDArray[np.int64]) -> Whose:
        """Tell what a record is, and of which person each one that is kept."""
        split, whole = self.reading.split, {"person", "trajectory"} <= set(self.columns)
        if split is None and _LINES in self.notes:
            unit = RECORD
        elif split is None:
            column = self.columns["trajectory"] if "trajectory" in self.columns else self.columns["person"]
            unit = name_records(column, OWNER in self.columns or "trajectory" in self.columns)
        elif "trajectory" in self.columns:
            unit = Unit(f"{split} of a trip", f"{split}s of trips", "person")
        else:
            unit = Unit(split, f"{split}s", "person")
        people = None
        if OWNER in self.columns:
            record = np.full(len(records.labels), -1)
            record[kept] = np.arange(len(kept))
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
        whose = settle_unit(self.reading, Whose(unit, people))
        if "person" in self.columns and (people is None or OWNER in self.columns):
            retell_role(self.notes, self.columns["person"], whose.unit)
        return whose

    def people(self) -> Ints | None:
        """Tell whose the rows are, whatever makes one record; None where the file does not tell."""
        if OWNER in self.columns:
            return self.labels(OWNER).codes
        role = "person" if "person" in self.columns else "trajectory"
        parted = self.reading.split is not None or {"person", "trajectory"} <= set(self.columns)
        unit = name_records(self.columns[role], role == "trajectory")
        if self.reading.unit is not None and not parted:
            unit = parse_unit(self.reading.unit)
        return None if unit.owner else self.labels(role).codes

    def places(self, person: Ints | None) -> _Places:
        """Find the place of every row, and coordinates of the places if there are any."""
        derived = self.reading.places is not None
        labels = None
        if "place" in self.columns and (not derived or self.reading.places_file is not None):
            labels = self.labels("place")
        positions = self._positions(labels)
        if derived:
            return self._derive(positions, person)
        if labels is None:
            hint = "Derive places from the coordinates: places=grid:500m." if positions else "Say which one it is."
            raise SchemaError(f"{self.name}: there is no column for the place. {hint}")
        if positions is None:
            return _Places(labels.codes, labels.labels.to_pylist())
        x, y, differ = average_positions(labels.codes, len(labels.labels), positions)
        if differ:
            self.notes.append(f"Places whose coordinates vary, so that their mean is used: {differ:,}.")
        coordinates = "plane" if positions.projection is None else "lonlat"
        origin = PlaceOrigin(CELLS if self.reading.places_file is None else GIVEN, coordinates)
        if origin.source == CELLS:
            published = (
                "with the centre of the smallest cell in which k people were there, or without coordinates"
                if person is not None
                else "without coordinates, because the file does not tell whose the visits are (--owner-column)"
            )
            self.notes.append(
                "Coordinates come from the visits, so that they are not published as they are: a place is published "
                f"{published}. If it is publicly known where the places are, give a places file."
            )
        return _Places(labels.codes, labels.labels.to_pylist(), positions, x, y, origin=origin)

    def _derive(self, positions: Positions | None, person: Ints | None) -> _Places:
        """Make places of coordinates."""
        if positions is None:
            raise SchemaError(f"{self.name}: places={self.reading.places} needs coordinates: x,y or lon,lat.")
        rule = parse_place_rule(str(self.reading.places))
        if person is None and rule.kind == "quadtree":
            raise SchemaError(
                f"{self.name}: places={self.reading.places} quarters squares where many people are, and the file does "
                "not tell whose the visits are. Say which column does (--owner-column), or use places=grid:500m."
            )
        found = derive_places(rule, positions, person)
        outside = found.codes < 0
        if outside.any() and (rule.outside == "error" or outside.all()):
            raise SchemaError(
                f"{self.name}: every point must lie in a region, not so in {name_marked(outside)} "
                f"({int(outside.sum()):,} in all). Add regions, or drop such points: regions:FILE,outside=drop."
            )
        if "place" in self.columns and self.reading.places_file is None:
            self.notes.append(f"`{self.columns['place']}` is not used, as places come from coordinates.")
        self.notes.append(f"Places derived from coordinates: {rule.describe()}.")
        origin = rule.origin(lonlat=positions.projection is not None)
        return _Places(found.codes, found.labels, positions, found.x, found.y, found.outlines, origin)

    def _positions(self, labels: Labels | None) -> Positions | None:
        given = [role for role in ("x", "y") if role in self.columns]
        if self.reading.places_file is not None:
            if labels is None:
                raise SchemaError(f"{self.name}: places_file needs a column for the place.")
            if given:
                unused = ", ".join(f"`{self.columns[role]}`" for role in given)
                self.notes.append(f"Coordinates come from the places file; not used: {unused}.")
            return _look_up(self.reading, Path(self.reading.places_file), self.name, labels)
        if len(given) == 1:
            missing = "y" if given == ["x"] else "x"
            raise SchemaError(f"{self.name}: there is {given[0]} but no {missing}. Say which column it is.")
        return _parse_positions(self.name, self.table, self.columns, self.reading) if given else None

    def report(self, dropped: int, visits: int, records: str, places: int) -> None:
        """Note what is left after everything."""
        if dropped:
            self.notes.append(f"Visits outside all regions, which were dropped: {dropped:,}.")
        collapsed = self.table.num_rows - dropped - visits
        if collapsed:
            self.notes.append(f"Visits that repeat the place before them and were collapsed: {collapsed:,}.")
        self.notes.append(f"Found {records}, {visits:,} visits and {places:,} places.")


def _load(path: Path, reading: Reading, notes: list[str]) -> pa.Table:
    """Read the rows of a file, whose format may be one that only its look gives away."""
    data, format, name = load(path), choose_format(path, reading.format), path.name
    header, delimiter, encoding = reading.header, reading.delimiter, reading.encoding
    sample = first_lines(data, 5) if format in {"csv", "spmf"} else []
    if format == "spmf" or (reading.format is None and looks_like_spmf(sample)):
        table, empty = parse_sequences(name, to_utf8(name, data, encoding))
        notes.append(_LINES)
        if empty:
            notes.append(f"Sequences without any place, which were left out: {empty:,}.")
        return table
    layout = None if header or delimiter else recognise_layout(sample)
    if layout is not None:
        header, delimiter = layout.header, layout.delimiter
        notes.append(f"Recognised {layout.name}.")
        if layout.encoding and encoding is None and not _is_utf8(data):
            encoding = layout.encoding
            notes.append(f"The text is not UTF-8 and was read as {encoding}.")
    return parse_table(name, data, format, delimiter=delimiter, header=header or True, encoding=encoding)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _parse_positions(name: str, table: pa.Table, columns: Mapping[str, str], reading: Reading) -> Positions:
    names = columns["x"], columns["y"]
    x, y = (parse_numbers(name, column, table.column(column)) for column in names)
    return locate(name, names, (x, y), lonlat=_is_lonlat(name, names, reading))


def _is_lonlat(name: str, columns: tuple[str, str], reading: Reading) -> bool:
    x, y = (column.lower() for column in columns)
    if x in _LATITUDES or y in _LONGITUDES:
        raise ParameterError(f"{name}: x is the longitude and y the latitude, not the other way round.")
    if reading.coordinates != "auto":
        return reading.coordinates == "lonlat"
    told = (x in _LONGITUDES or "lon" in reading.columns, y in _LATITUDES or "lat" in reading.columns)
    if told[0] != told[1]:
        raise SchemaError(
            f"{name}: columns {columns[0]!r} and {columns[1]!r} do not tell whether they are longitude and "
            "latitude. Say what coordinates are: lonlat or plane."
        )
    return told[0]


def _look_up(reading: Reading, file: Path, name: str, labels: Labels) -> Positions:
    """Take the coordinates of every row from the places file."""
    table = read_table(file)
    both = {"x", "y", "lon", "lat"} <= set(table.column_names)
    if both:  # as in the places of a release, where x and y are lon and lat on the plane
        table = table.drop_columns(["lon", "lat"] if reading.coordinates == "plane" else ["x", "y"])
    plain = Reading(reading.kind, drop=("*",), coordinates=reading.coordinates)
    columns = assign_roles(file.name, table.column_names, plain, _PLACE_WORDS).columns
    missing = [role for role in ("place", "x", "y") if role not in columns]
    if missing:
        raise SchemaError(f"{file.name}: a places file needs place,x,y or place,lon,lat; no {missing[0]}.")
    known = encode_labels(file.name, columns["place"], table.column(columns["place"]))
    if len(known.labels) < len(known.codes):
        again = np.ones(len(known.codes), bool)
        again[np.unique(known.codes, return_index=True)[1]] = False
        raise SchemaError(f"{file.name}: every place must be there once, repeated in {name_marked(again)}.")
    points = _parse_positions(file.name, table, columns, plain)
    found: Cells = pc.index_in(labels.labels, known.labels)
    index = found.fill_null(-1).to_numpy()[labels.codes]
    if (index < 0).any():
        raise SchemaError(
            f"{name}: every place must be in {file.name}, not so in {name_marked(index < 0)}. Add them there."
        )
    given = points.given_x[index], points.given_y[index]
    return locate(name, (columns["x"], columns["y"]), given, lonlat=points.projection is not None)


def _find_hierarchies(
    reading: Reading, name: str, labels: list[str], rows: npt.NDArray[np.int64], table: pa.Table | None
) -> dict[str, Hierarchy]:
    """Read the hierarchy of places from its file, or derive it from the places."""
    strange = [column for column in reading.hierarchies if column != "place"]
    if strange:
        raise ParameterError(f"reading: trajectories have a hierarchy of place only, not of {strange[0]!r}.")
    given = reading.hierarchies.get("place")
    if given is None:
        return {}
    hierarchy = derive_hierarchy(given, labels, table) or read_hierarchy(given)
    hierarchy.require(labels, f"{name}: hierarchy of place", rows.tolist())
    return {"place": hierarchy}


def _read_constraints(reading: Reading, labels: list[str], notes: list[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    found = {}
    for kind, file in reading.constraints.items():
        if kind != "utility":
            raise ParameterError(f"reading: trajectories have constraints called utility, not {kind!r}.")
        found[kind], strangers = read_partition(file, labels, "reading: constraints")
        if strangers:
            notes.append(f"Entries of the utility constraints that are no place of the data: {strangers:,}.")
    return found
