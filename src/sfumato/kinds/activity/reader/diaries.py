"""Episodes of files: with start and end, with durations one after another, or recordings of smart homes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.notes import Note
from sfumato.data.record_unit import PERSON
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.kinds.activity.reader.episodes import DAY, MONDAY, Episodes, parse_start
from sfumato.kinds.activity.reader.homes import ARAS_ACTIVITIES, parse_adl, parse_aras
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells, Labels, as_text, encode_labels, list_marked, name_failing, parse_numbers
from sfumato.readers.files import to_utf8
from sfumato.readers.missing import resolve_missing
from sfumato.readers.notes import ROWS_READ, note_zone
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER, RecordPeople, check_people, name_records
from sfumato.readers.role_errors import refuse_without
from sfumato.readers.roles import Vocabulary, assign_roles
from sfumato.readers.times import parse_times

__all__ = ["NAMES", "WORDS", "Recording", "read_adl", "read_aras", "read_episodes"]

Longs = npt.NDArray[np.int64]

NAMES = {
    "person": ("user", "user_id", "uid", "participant", "respondent", "resident", "subject", "household", "tucaseid"),
    "start": ("start_time", "start time", "starttime", "begin", "begin_time", "from", "started"),
    "end": ("end_time", "end time", "endtime", "stop", "finish", "until", "to", "ended"),
    "activity": ("label", "action", "event", "state", "concept:name", "tiercode"),
    "duration": ("dur", "minutes", "duration_minutes"),
}
WORDS = Vocabulary(
    roles={role: role for role in (*NAMES, OWNER)},
    names={name: role for role, names in NAMES.items() for name in names},
)
_DIARY_START = "04:00"
"""When a day of the time-use surveys begins."""


class Recording(NamedTuple):
    """Episodes as a file has them, not yet checked.

    Attributes
    ----------
    name
        The name of the file in messages.
    people, activities
        Person and activity of every episode.
    episodes
        The same, with the times.
    times
        ``numbers``, or microseconds since 1970: ``zoned`` in UTC, ``dated`` without a zone, or ``relative`` to the
        beginning of the data.
    rows
        The word for a row of the file in messages.
    record_people
        The unit of records, and their people.

    Examples
    --------
    >>> table = pa.table({"person": ["ann"], "start": [3], "end": [5], "activity": ["sleep"]})
    >>> found = read_episodes("nights.csv", table, ReadOptions("activity"), [])
    >>> found.times, found.people.labels.to_pylist(), found.episodes.end.tolist()
    ('numbers', ['ann'], [5])
    """

    name: str
    people: Labels
    activities: Labels
    episodes: Episodes
    times: str
    rows: str = "row"
    record_people: RecordPeople = RecordPeople(PERSON)


def read_adl(homes: list[tuple[str, str, bytes]], read_options: ReadOptions, notes: list[Note]) -> Recording:
    """Read ADL files: of every home the name of its file, the name of the person and the text."""
    tables, rows, sizes = [], [], []
    for name, _, data in homes:
        table, lines = parse_adl(name, to_utf8(name, data, read_options.encoding))
        template = "Read {rows} {rows:activity|activities} of {file}, an ADL file: the home is a person."
        notes.append(Note(ROWS_READ, template, {"rows": table.num_rows}, details={"file": name}))
        tables.append(table)
        rows.append(lines)
        sizes.append(len(lines))
    name = homes[0][0] if len(homes) == 1 else f"{len(homes)} ADL files"
    table = pa.concat_tables(tables)
    people = Labels(np.repeat(np.arange(len(homes), dtype=np.int32), sizes), pa.array([who for _, who, _ in homes]))
    return _take_episodes(name, table, people, {"start": "start", "end": "end"}, np.concatenate(rows), notes, "line")


def read_aras(
    name: str, homes: list[tuple[str, list[tuple[str, bytes]]]], read_options: ReadOptions, notes: list[Note]
) -> Recording:
    """Read ARAS files: of every home its name, and the name and text of the file of each day."""
    parts: list[list[Longs]] = []
    names: list[str] = []
    for home, files in homes:
        days = [parse_aras(file, to_utf8(file, data, read_options.encoding)) for file, data in files]
        template = "Read {rows} {rows:day|days} of {file}, ARAS files: two residents are two people."
        notes.append(Note(ROWS_READ, template, {"rows": len(days)}, details={"file": home or name}))
        for resident in range(2):
            for number, codes in enumerate(day[resident] for day in days):
                starts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))
                ends = np.append(starts[1:], len(codes))
                who = np.full(len(starts), len(names))
                moments = (number * DAY + starts * 1_000_000, number * DAY + ends * 1_000_000)
                parts.append([who, codes[starts] - 1, *moments, starts + 1])
            names.append("/".join(filter(None, (home, f"resident {resident + 1}"))))
    person, code, begin, end, numbers = (np.concatenate(column) for column in zip(*parts, strict=True))
    episodes = Episodes(person, code.astype(np.int32), begin, end, numbers)
    activities = Labels(code.astype(np.int32), pa.array(ARAS_ACTIVITIES))
    people = Labels(person.astype(np.int32), pa.array(names))
    return Recording(name, people, activities, _shift(episodes, read_options, None, notes), "relative", "line")


def _shift(episodes: Episodes, read_options: ReadOptions, usual: str | None, notes: list[Note]) -> Episodes:
    """Let times that count from the beginning of the data begin at the start given."""
    text = read_options.start or usual
    date, time, number = parse_start(text) if text else (None, None, None)
    if number is not None:
        raise ParameterError(
            Message(option("start"), " must be a date or a time of day for data of days."),
            hint=Message("For example: ", option("start", "04:00")),
        )
    if date is None:
        notes.append(Note("no-dates", "The data have no dates: time begins on Monday, 1970-01-05."))
    moment = (MONDAY if date is None else date) + (time or 0)
    return episodes._replace(begin=episodes.begin + moment, end=episodes.end + moment)


def read_episodes(name: str, table: pa.Table, read_options: ReadOptions, notes: list[Note]) -> Recording:
    """Read a table of episodes, with a start and an end or, in order, a duration each."""
    columns, role_notes = assign_roles(name, table.column_names, read_options, WORDS)
    notes += role_notes
    if "activity" not in columns:
        raise refuse_without(name, "activity", NAMES["activity"])
    timed = {role for role in ("start", "end", "duration") if role in columns}
    if timed not in ({"start", "end"}, {"duration"}):
        raise SchemaError(
            f"{name}: activities need a start and an end, or only a duration; found {len(timed)} of these columns.",
            option="columns",
            hint=Message(
                *("Name them: ", option("columns", {"start": "NAME", "end": "NAME"}), ". If columns are slots: "),
                *(option("slots", "FIRST:LAST"), "."),
            ),
        )
    name, table = resolve_missing(name, table, columns, read_options, notes, ("activity",))
    numbers = np.arange(1, table.num_rows + 1)
    if columns["activity"].lower() == "tiercode":
        codes: Cells = pc.utf8_lpad(as_text(name, "tiercode", table.column(columns["activity"])), 6, "0")
        table = table.set_column(table.column_names.index(columns["activity"]), columns["activity"], codes)
    if "person" in columns:
        people = encode_labels(name, columns["person"], table.column(columns["person"]))
    else:
        notes.append(Note("no-person-column", "No column names people: all activities are those of one person."))
        people = Labels(np.zeros(table.num_rows, np.int32), pa.array(["person"]))
    record_people = _find_owners(name, table, people, columns)
    if "duration" in columns:
        return _take_diary(name, table, people, columns, numbers, read_options, notes)._replace(
            record_people=record_people
        )
    return _take_episodes(name, table, people, columns, numbers, notes)._replace(record_people=record_people)


def _find_owners(name: str, table: pa.Table, records: Labels, columns: dict[str, str]) -> RecordPeople:
    """Return the unit of records, and their people where there is an owner column."""
    unit = name_records(columns["person"], OWNER in columns) if "person" in columns else PERSON
    if OWNER not in columns:
        return RecordPeople(unit)
    first = np.empty(len(records.labels), np.int64)
    first[records.codes[::-1]] = np.arange(len(records.codes))[::-1]
    owners = encode_labels(name, columns[OWNER], table.column(columns[OWNER]))
    return RecordPeople(unit, check_people(name, columns[OWNER], records.codes, owners, first))


def _take_episodes(
    name: str,
    table: pa.Table,
    people: Labels,
    columns: dict[str, str],
    numbers: Longs,
    notes: list[Note],
    rows: str = "row",
) -> Recording:
    begin, end = (parse_times(name, columns[role], table.column(columns[role])) for role in ("start", "end"))
    if (begin.micros is None) != (end.micros is None) or begin.zoned != end.zoned:
        raise SchemaError(
            f"{name}: columns {columns['start']!r} and {columns['end']!r} must both hold dates with a zone, dates "
            "without one, or numbers.",
            column=columns["end"],
            hint="Write them the same way.",
        )
    activity = columns.get("activity", "activity")
    activities = encode_labels(name, activity, table.column(activity))
    kind = "numbers" if begin.micros is None else "zoned" if begin.zoned else "dated"
    if kind == "dated":
        notes.append(note_zone())
    first, last = (
        _whole(name, columns[role], times.order) if times.micros is None else times.micros
        for role, times in (("start", begin), ("end", end))
    )
    who = people.codes.astype(np.int64)
    return Recording(name, people, activities, Episodes(who, activities.codes, first, last, numbers), kind, rows)


def _whole(name: str, column: str, numbers: npt.NDArray[np.generic]) -> Longs:
    values = numbers.astype(np.float64)
    wrong = (values != np.floor(values)) | (np.abs(values) > 2**40)
    if wrong.any():
        raise SchemaError(
            f"{name}: column {column!r}: times must be dates, or whole numbers of at most {2**40:,}; "
            f"{name_failing(wrong)}.",
            column=column,
            rows=list_marked(wrong),
            hint="Correct the data.",
        )
    return values.astype(np.int64)


def _take_diary(
    name: str,
    table: pa.Table,
    people: Labels,
    columns: dict[str, str],
    numbers: Longs,
    read_options: ReadOptions,
    notes: list[Note],
) -> Recording:
    """Put durations one after another, in the order of the file, from the beginning of the day."""
    minutes = parse_numbers(name, columns["duration"], table.column(columns["duration"]))
    wrong = (minutes < 0) | (minutes > 2**30)
    if wrong.any():
        raise SchemaError(
            f"{name}: column {columns['duration']!r} must hold minutes, 0 or more; {name_failing(wrong)}.",
            column=columns["duration"],
            rows=list_marked(wrong),
            hint="Correct the data.",
        )
    activities = encode_labels(name, columns["activity"], table.column(columns["activity"]))
    who = people.codes.astype(np.int64)
    order = np.argsort(who, kind="stable")
    length = np.round(minutes[order] * 60_000_000).astype(np.int64)
    sums = np.cumsum(length)
    first = np.flatnonzero(np.append(True, who[order][1:] != who[order][:-1]))
    base = np.repeat((sums - length)[first], np.diff(np.append(first, len(order))))
    episodes = Episodes(who[order], activities.codes[order], sums - length - base, sums - base, numbers[order])
    notes.append(Note("durations-in-order", "Durations of a person follow one another in the order of the file."))
    is_survey = columns["duration"].lower() == "dur" and columns["activity"].lower() == "tiercode"
    _note_totals(who[order], activities, order, notes)
    shifted = _shift(episodes, read_options, _DIARY_START if is_survey else None, notes)
    return Recording(name, people, activities, shifted, "relative")


def _note_totals(who: Longs, activities: Labels, order: Longs, notes: list[Note]) -> None:
    """Note that a file may hold totals of durations."""
    rank = np.argsort(np.argsort(np.array(activities.labels.to_pylist())))[activities.codes[order]]
    same = who[1:] == who[:-1]
    if same.sum() >= 10 and (rank[1:][same] > rank[:-1][same]).all():
        notes.append(
            Note(
                "perhaps-totals",
                "Everybody's activities are in alphabetical order, none twice. If durations are totals of a day, times "
                "of day are meaningless.",
            )
        )
