"""Records of snapshots: roles of columns, and times as whole numbers."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.notes import Note, merge_notes
from sfumato.data.schema import Column, Schema
from sfumato.data.time_units import TimeUnit, count_units, find_moments
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.messages import Message, option
from sfumato.readers.cells import encode_labels, list_marked, name_failing
from sfumato.readers.missing import resolve_missing
from sfumato.readers.notes import ROLE, note_left_out, note_role, note_rows, note_truncated
from sfumato.readers.options import ReadOptions
from sfumato.readers.role_errors import refuse_resolution
from sfumato.readers.times import Times, parse_times

__all__ = ["RecordShape", "SnapshotRecords"]

Ints = npt.NDArray[np.int64]

_LARGEST = 2**53
_ROLES = {"time": "time", "sensitive": "sensitive", "quasi-identifier": "quasi-identifier", "plain": "plain"}
_ROLE_ALIASES = _ROLES | {"qi": "quasi-identifier"}
_TIMES = ("time", "timestamp", "datetime", "date", "date_time", "day", "hour", "week", "month", "year")


class RecordShape(NamedTuple):
    """The columns of a file and their roles.

    Attributes
    ----------
    time, sensitive
        One column each.
    attributes
        Every other column that is kept, with its role.
    dropped
        Columns that are left out.
    """

    time: str
    sensitive: str
    attributes: tuple[Column, ...]
    dropped: tuple[str, ...]

    @classmethod
    def of(cls, owner: str, present: Sequence[str], read_options: ReadOptions) -> RecordShape:
        """Give every column a role or leave it out; a column that has neither is an error.

        Examples
        --------
        >>> options = ReadOptions("snapshots", columns={"qi": "age,sex"}, sensitive=("ill",), drop=("name",))
        >>> shape = RecordShape.of("cases.csv", ["name", "day", "age", "sex", "ill"], options)
        >>> shape.time, [column.name for column in shape.attributes], shape.sensitive
        ('day', ['age', 'sex'], 'ill')
        """
        role_of = _assign_roles(owner, present, read_options)
        times = [name for name, role in role_of.items() if role == "time"]
        if not times:
            taken = {*role_of, *read_options.drop}
            times = [name for name in present if name.lower() in _TIMES and name not in taken]
            if len(times) != 1:
                raise SchemaError(
                    f"{owner}: {len(times) or 'no'} column{'s' * (len(times) != 1)} could be the time.",
                    option="columns",
                    hint=Message("Name it: ", option("columns", {"time": "NAME"}), "."),
                )
            role_of[times[0]] = "time"
        values = [name for name, role in role_of.items() if role == "sensitive"]
        for columns, what in ((times, "time"), (values, "sensitive")):
            if len(columns) != 1:
                given = option("columns", {"time": "NAME"}) if what == "time" else option("sensitive", ["NAME"])
                raise SchemaError(
                    f"{owner}: one {what} column is needed, {len(columns)} are named.",
                    option=given.name,
                    hint=Message("Name one: ", given, "."),
                )
        unknown = [name for name in present if name not in role_of and name not in read_options.drop]
        if unknown and "*" not in read_options.drop:
            named = ", ".join(map(repr, unknown[:10]))
            which = (
                f"column {named} has no role" if len(unknown) == 1 else f"{len(unknown)} columns have no role: {named}"
            )
            raise SchemaError(
                f"{owner}: {which}.",
                column=unknown[0],
                hint=Message(
                    *("Give roles: ", option("columns", {"quasi-identifier": "A,B", "plain": "C"}), ", or leave out "),
                    *("other columns: ", option("drop", ["*"]), "."),
                ),
            )
        attributes = tuple(
            Column(name, role_of[name]) for name in present if role_of.get(name) in {"quasi-identifier", "plain"}
        )
        return cls(times[0], values[0], attributes, tuple(name for name in present if name not in role_of))

    def schema(self) -> Schema:
        """Return the schema of the dataset: time, attributes, sensitive value."""
        return Schema("snapshots", (Column("time", "time"), *self.attributes, Column(self.sensitive, "sensitive")))


def _assign_roles(owner: str, present: Sequence[str], read_options: ReadOptions) -> dict[str, str]:
    """Return the role of every column that was given one."""
    given = [(role, name.strip()) for role, names in read_options.columns.items() for name in names.split(",")]
    given += [("sensitive", name) for name in read_options.sensitive]
    role_of: dict[str, str] = {}
    for role, name in given:
        if role not in _ROLE_ALIASES:
            near = difflib.get_close_matches(role, _ROLE_ALIASES, n=1)
            meant = Message(" Did you mean ", option("columns", {near[0]: name}), "?") if near else ""
            raise ParameterError(
                Message(option("columns"), f" has no role {role!r}."),
                column=name,
                hint=Message(f"Roles: {', '.join(_ROLE_ALIASES)}.", meant),
            )
        if name not in present:
            # Without a single known name the first line may be a row of data, which a message must not show.
            sure = read_options.header or "time" in present or any(other in present for _, other in given)
            near = difflib.get_close_matches(name, present if sure else (), n=1)
            hint = f"The nearest one is {near[0]!r}." if near else ""
            raise SchemaError(f"{owner}: there is no column {name!r}.", column=name, hint=hint)
        if role_of.setdefault(name, _ROLE_ALIASES[role]) != _ROLE_ALIASES[role]:
            raise ParameterError(f"Column {name!r} has two roles.", option="columns", column=name, hint="Choose one.")
    for name in read_options.drop:
        if name != "*" and name not in present:
            raise SchemaError(
                f"{owner}: there is no column {name!r} to leave out.",
                option="drop",
                column=name,
                hint="Check the name.",
            )
        if name in role_of:
            raise ParameterError(
                Message(f"Column {name!r} has a role and is in ", option("drop"), "."), column=name, hint="Choose one."
            )
    return role_of


class SnapshotRecords:
    """Turns tables of cells into records, batch by batch; all batches must be written in the same way.

    Examples
    --------
    >>> records = SnapshotRecords("cases.csv", ReadOptions("snapshots", sensitive=("ill",)))
    >>> times, table = records.read(pa.table({"time": ["2024-01-03", "2024-01-04"], "ill": ["flu", "cold"]}))
    >>> times.tolist(), table.column_names, records.time_unit.unit
    ([19725, 19726], ['ill'], 'day')
    """

    def __init__(self, owner: str, read_options: ReadOptions) -> None:
        self._owner, self._read_options = owner, read_options
        self._shape: RecordShape | None = None
        self._zoned: bool | None = None
        self._time_unit: TimeUnit | None = None
        self._notes: list[Note] = []
        self.rows = 0
        self.cut = 0

    @property
    def shape(self) -> RecordShape:
        """Columns and roles; known after the first batch."""
        assert self._shape is not None
        return self._shape

    @property
    def time_unit(self) -> TimeUnit:
        """The meaning of a time number; known after the first batch."""
        assert self._time_unit is not None
        return self._time_unit

    def read(self, table: pa.Table) -> tuple[Ints, pa.Table]:
        """Return times and the other columns of the schema, as text."""
        if self._shape is None:
            self._shape = RecordShape.of(self._owner, table.column_names, self._read_options)
        # Rows are counted within a batch, so a message names the row before the batch.
        owner = f"{self._owner} (rows counted after row {self.rows:,})" if self.rows else self._owner
        shape, row_count = self.shape, table.num_rows
        names = {name: name for name in (*(column.name for column in shape.attributes), shape.sensitive)}
        owner, table = resolve_missing(
            owner, table, {"time": shape.time, **names}, self._read_options, self._notes, names
        )
        self.rows += row_count
        if not table.num_rows:
            raise SchemaError(
                f"{owner}: every row has an empty cell.",
                hint=Message("Leave out the columns that are mostly empty with ", option("drop"), "."),
            )
        times = self._read_times(owner, table)
        columns = {}
        for name in (*(column.name for column in self.shape.attributes), self.shape.sensitive):
            codes, labels = encode_labels(owner, name, table.column(name))
            columns[name] = labels.take(pa.array(codes))
        return times, pa.table(columns)

    def _read_times(self, owner: str, table: pa.Table) -> Ints:
        name = self.shape.time
        parsed = parse_times(owner, name, table.column(name))
        time_unit = self._detect_time_unit(owner, parsed)
        if self._time_unit is None:
            self._time_unit, self._zoned = time_unit, parsed.zoned
        if time_unit != self._time_unit or parsed.zoned != self._zoned:
            raise SchemaError(
                f"{owner}: column {name!r} must hold only dates, with or without a zone, or only numbers.",
                column=name,
                hint="Write all times the same way.",
            )
        if parsed.micros is not None:
            unit = time_unit.unit or "day"
            times = count_units(unit, parsed.micros)
            self.cut += int((find_moments(unit, times) != parsed.micros).sum())
            return times
        wrong = (np.abs(parsed.order.astype(np.float64)) > _LARGEST) | (parsed.order != np.floor(parsed.order))
        if wrong.any():
            raise SchemaError(
                f"{owner}: column {name!r}: times must be dates, or whole numbers of at most {_LARGEST:,}; "
                f"{name_failing(wrong)}.",
                column=name,
                rows=list_marked(wrong),
                hint="Correct the data.",
            )
        return parsed.order.astype(np.int64)

    def _detect_time_unit(self, owner: str, times: Times) -> TimeUnit:
        if times.micros is not None:
            return TimeUnit(self._read_options.resolution or "day")
        if self._read_options.resolution is not None:
            raise refuse_resolution(owner, self.shape.time, self._read_options.resolution)
        return TimeUnit()

    def notes(self) -> tuple[Note, ...]:
        """Note what was read, for the owner."""
        notes = [note_rows(self._owner, self.rows)]
        if self.shape.time != "time":
            notes.append(note_role(self.shape.time, "time"))
        for role in ("quasi-identifier", "plain"):
            names = tuple(column.name for column in self.shape.attributes if column.role == role)
            if names:
                notes.append(Note(ROLE, "Reading {columns} as {role}.", columns=names, details={"role": role}))
        notes.append(note_role(self.shape.sensitive, "sensitive"))
        if self.shape.dropped:
            notes.append(note_left_out(self.shape.dropped))
        if self.time_unit.unit is not None:
            template = "A snapshot is a {unit} of UTC." if self._zoned else "A snapshot is a {unit}."
            notes.append(Note("snapshot-length", template, details={"unit": self.time_unit.unit}))
        notes += merge_notes(self._notes)
        if self.cut:
            notes.append(note_truncated(self.cut, str(self.time_unit.unit)))
        return tuple(notes)
