"""Reader of daily activities: one activity of every person in every slot."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.notes import Note
from sfumato.data.record_unit import RECORD, RecordUnit
from sfumato.data.schema import Column, Schema
from sfumato.data.time_units import MONTHS, TimeUnit, find_moments
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.memory import Place, Readable, as_place
from sfumato.kinds.activity.dataset import UNKNOWN
from sfumato.kinds.activity.reader.diaries import WORDS, Recording, read_adl, read_aras, read_episodes
from sfumato.kinds.activity.reader.episodes import (
    DAY,
    MONDAY,
    Calendar,
    Episodes,
    check_size,
    fill_slots,
    parse_start,
    split_episodes,
    stretch_months,
)
from sfumato.kinds.activity.reader.homes import is_adl, is_aras, list_recordings
from sfumato.kinds.activity.reader.notes import note_gap, note_lost, note_slots
from sfumato.kinds.activity.reader.partitioned import find_person, has_episodes
from sfumato.kinds.activity.reader.slot_columns import choose_columns, detect_layout, encode_slots
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells, Labels, encode_labels, list_marked, name_marked
from sfumato.readers.constraints import resolve_sensitive
from sfumato.readers.files import load
from sfumato.readers.notes import note_role, note_rows
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER, RecordPeople, name_records, resolve_unit
from sfumato.readers.partitioned.agreement import agree
from sfumato.readers.roles import assign_roles
from sfumato.readers.sources import Source
from sfumato.readers.tables import first_lines
from sfumato.readers.visits import combine_labels
from sfumato.readers.weights import Floats, describe_weights, read_weights, weigh_people

__all__ = ["read"]

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

_UNIT = "minute"
_PART = 1 << 18


def read(path: Readable, read_options: ReadOptions) -> Dataset:
    """Read daily activities: one row per person, with one activity for every slot.

    Known are episodes (``person, start, end, activity``), diaries (``person, activity, duration`` in minutes, in the
    order of the day, as time-use surveys have them), tables with one column per slot, ADL files of smart homes (a home
    is a person) and ARAS files (a day each, two residents); of the last two also folders. A slot is a minute, or what
    the resolution gives, and holds the activity that takes most of it. Time without a known activity is a separate
    activity, ``(gap)`` unless `read_options.gap` names it. With ``split`` each day or week of a person is a row.

    Parameters
    ----------
    path
        The file, possibly packed as ``.gz`` or ``.xz``, or a folder with recordings of smart homes.
    read_options
        How to read it.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "day.csv"
    >>> _ = file.write_text("person,start,end,activity\\n7,2024-01-01T00:00Z,2024-01-01T08:30Z,sleep\\n")
    >>> day = read(file, ReadOptions("activity", resolution="hour"))
    >>> len(day.history().codes), day.history().labels, day.time_unit.unit
    (24, ('sleep', '(gap)'), 'hour')
    >>> for note in day.notes:
    ...     print(note)
    Read 1 row of day.csv.
    Found 1 person and 24 slots of an hour, with 2 activities.
    No activity is known for 62.5 % of the time; it is called (gap).
    """
    path, notes = as_place(path), list[Note]()
    if isinstance(path, Path) and path.is_dir() and (recordings := _read_folder(path, read_options, notes)) is not None:
        return recordings
    source = Source(path, read_options)
    sample, notes = source.sample(), source.notes
    described = read_options.header or read_options.delimiter or read_options.columns
    if read_options.format == "adl" or (not read_options.format and not described and is_adl(sample)):
        return _of_episodes(
            read_adl([(source.name, _stem(path), source.data)], read_options, notes), read_options, notes
        )
    if read_options.format == "aras" or (not read_options.format and not described and is_aras(sample)):
        return _of_episodes(
            read_aras(source.name, [("", [(source.name, source.data)])], read_options, notes), read_options, notes
        )
    name, table = source.name, source.table()
    notes.append(note_rows(name, table.num_rows))
    if has_episodes(table.column_names, read_options):
        weights = _weigh_people(name, table, read_options)
        rest = table if read_options.weight is None else table.drop_columns([read_options.weight])
        return _of_episodes(read_episodes(name, rest, read_options, notes), read_options, notes, weights)
    return _of_slot_columns(name, table, read_options, notes)


def _stem(path: Place) -> str:
    return path.name.split(".")[0]


def _read_folder(folder: Path, read_options: ReadOptions, notes: list[Note]) -> Dataset | None:
    """Read recordings of smart homes, if these are such: files of ADL are a home each, those of ARAS a day each."""
    homes = [(home, [(file.name, load(file)) for file in files]) for home, files in list_recordings(folder)]
    lists = [(home, [(name, data) for name, data in files if _lists_activities(data)]) for home, files in homes]
    if read_options.format != "aras" and any(files for _, files in lists):
        others = sum(len(files) for _, files in homes) - sum(len(files) for _, files in lists)
        homes = [(home, files) for home, files in lists if files]
        template = "Left out {files} {files:file|files} without activities."
        notes += [Note("other-files-left-out", template, {"files": others})] if others else []
    first = first_lines(homes[0][1][0][1], 5)
    if read_options.format == "aras" or (read_options.format is None and is_aras(first)):
        return _of_episodes(read_aras(folder.name, homes, read_options, notes), read_options, notes)
    if read_options.format == "adl" or (read_options.format is None and is_adl(first)):
        texts = [
            (name, "/".join(filter(None, (home, _stem(Path(name))))), data) for home, f in homes for name, data in f
        ]
        return _of_episodes(read_adl(texts, read_options, notes), read_options, notes)
    return None


def _lists_activities(data: bytes) -> bool:
    sample = first_lines(data, 2)
    return is_adl(sample) and "activity" in sample[0].lower()


def _weigh_people(name: str, table: pa.Table, read_options: ReadOptions) -> dict[str, float]:
    """Return the weights of people by their names, where a column of episodes has them."""
    if read_options.weight is None:
        return {}
    roles = assign_roles(
        name, [column for column in table.column_names if column != read_options.weight], read_options, WORDS
    )
    return weigh_people(name, table, roles.columns["person"], read_options.weight)


def _of_episodes(
    recording: Recording, read_options: ReadOptions, notes: list[Note], weighed: Mapping[str, float] | None = None
) -> Dataset:
    """Make a dataset of episodes, slot by slot."""
    if read_options.weight is not None and not weighed:
        raise ParameterError(
            Message(option("weight"), " needs a table of people; recordings of homes have no weights."),
            hint="Leave it out.",
        )
    labelled = recording.activities.labels
    episodes = recording.episodes.check(
        recording.name, notes, labelled, correct=read_options.faults == "mend", rows=recording.rows
    )
    if not len(episodes.person):
        raise SchemaError(f"{recording.name}: all episodes have no length.", hint="Give a file with longer episodes.")
    episodes, calendar = _choose_calendar(recording, episodes, read_options, notes)
    people, record_people = recording.people, recording.record_people
    weights = np.array([weighed[name] for name in people.labels.to_pylist()]) if weighed else None
    if read_options.split:
        periods = RecordUnit(read_options.split, f"{read_options.split}s", "person")
        owners = recording.people.labels if record_people.people is None else record_people.people
        episodes, people, who = _split(episodes, calendar, people, read_options.split)
        weights = None if weights is None else weights[who]
        unknown = bool(record_people.unit.owner) and record_people.people is None
        record_people = RecordPeople(periods, None if unknown else owners.take(pa.array(who)).cast(pa.string()))
        calendar = calendar._replace(begin=0)
    check_size(recording.name, len(people.labels), calendar.slots)
    labels = recording.activities.labels.to_pylist()
    gap = read_options.gap or UNKNOWN
    code = labels.index(gap) if gap in labels else len(labels)
    codes = fill_slots(episodes, len(people.labels), calendar, code)
    counts = _count(codes, len(labels) + 1)
    if code == len(labels) and counts[code]:
        labels.append(gap)
    lost = len(labels) - int((counts > 0).sum())
    if lost:
        notes.append(note_lost(lost))
    return _assemble(
        recording.name,
        people.labels,
        codes,
        labels,
        calendar.time_unit,
        code,
        read_options,
        notes,
        record_people,
        weights,
    )


def _count(codes: Ints, width: int) -> Longs:
    """Count codes, a part at a time: they may be many, and counting widens them; a short part stays in the cache."""
    counts = np.zeros(width, np.int64)
    for first in range(0, len(codes), _PART):
        counts += np.bincount(codes[first : first + _PART], minlength=width)
    return counts


def _choose_calendar(
    recording: Recording, episodes: Episodes, read_options: ReadOptions, notes: list[Note]
) -> tuple[Episodes, Calendar]:
    """Return the slots, and the episodes from the first slot on."""
    date, time, number = parse_start(read_options.start) if read_options.start else (None, None, None)
    if recording.times == "numbers" and read_options.resolution is None:
        if read_options.split or date is not None or time is not None:
            raise SchemaError(
                f"{recording.name}: the times are numbers, which have no days.",
                option="resolution",
                hint=Message(
                    *("Give their unit: ", option("resolution", "minute"), ", or leave out ", option("split")),
                    *(" and ", option("start"), "."),
                ),
            )
        calendar = Calendar.of_numbers(episodes, number)
    else:
        if number is not None:
            raise ParameterError(
                Message(option("start"), " must be a date or a time of day where times are dates."),
                hint=Message("For example: ", option("start", "04:00")),
            )
        if recording.times == "numbers":
            unit = str(read_options.resolution)
            first, day = (0, "Thursday, 1970-01-01") if unit in MONTHS else (MONDAY, "Monday, 1970-01-05")
            details = {"unit": unit, "day": day}
            notes.append(Note("times-are-numbers", "Times are numbers: {unit}s since {day}.", details=details))
            begin, end = (find_moments(unit, numbers) + first for numbers in (episodes.begin, episodes.end))
            episodes = episodes._replace(begin=begin, end=end)
        elif recording.times == "zoned" and read_options.zone != "UTC":
            episodes = _move_zone(episodes, read_options.zone, notes)
        moment = None if date is None else date + (time or 0)
        if read_options.resolution in MONTHS:
            return _cut_before(*stretch_months(episodes, read_options.resolution, moment, read_options.split), notes)
        # Data without dates were moved to their start already: their days begin when they do.
        usual = episodes.first % DAY if recording.times == "relative" else 0
        calendar = Calendar.of_dates(
            episodes, read_options.resolution or _UNIT, (moment, usual if time is None else time), read_options.split
        )
    return _cut_before(episodes, calendar, notes)


def _cut_before(episodes: Episodes, calendar: Calendar, notes: list[Note]) -> tuple[Episodes, Calendar]:
    """Leave out times before the first slot."""
    earlier = episodes.begin < calendar.begin
    if earlier.any():
        template = "Cut or left out {episodes} {episodes:episode that begins|episodes that begin} before the start."
        notes.append(Note("episodes-before-start", template, {"episodes": int(earlier.sum())}))
        episodes = episodes._replace(begin=np.maximum(episodes.begin, calendar.begin))
        episodes = episodes.take(np.flatnonzero(episodes.end > episodes.begin))
    if not len(episodes.person):
        raise ParameterError(
            Message(option("start"), " is after all episodes of the data."), hint="Give an earlier start."
        )
    return episodes, calendar


def _move_zone(episodes: Episodes, zone: str, notes: list[Note]) -> Episodes:
    """Count time as clocks of a zone did on the first day; slots stay equally long when clocks are changed."""
    first = agree("the first moment before clocks were moved", int(episodes.begin.min()), "least")
    moment: Cells = pa.array([first], pa.timestamp("us", "UTC")).cast(pa.timestamp("us", zone))
    local: Cells = pc.local_timestamp(moment)
    offset = int(local.cast(pa.int64())[0].as_py()) - first
    template = "Times are local times in {zone}, by its offset from UTC on the first day ({offset} hours)."
    notes.append(Note("local-times", template, details={"zone": zone, "offset": f"{offset / 3.6e9:+g}"}))
    return episodes._replace(begin=episodes.begin + offset, end=episodes.end + offset)


def _split(episodes: Episodes, calendar: Calendar, people: Labels, split: str) -> tuple[Episodes, Labels, Longs]:
    """Make each day or week of a person a record, and return which person each is of."""
    period = {"day": DAY, "week": 7 * DAY}[split]
    pieces, number = split_episodes(episodes, calendar.begin, period)
    numbers, which = np.unique(number, return_inverse=True)
    dates = [
        datetime.date(1970, 1, 1) + datetime.timedelta(days=int(calendar.begin + n * period) // DAY)
        for n in numbers.tolist()
    ]
    names = [
        d.isoformat() if split == "day" else f"{d.isocalendar().year:04}-W{d.isocalendar().week:02}" for d in dates
    ]
    who = Labels(pieces.person.astype(np.int32), people.labels)
    both = combine_labels([who, Labels(which.astype(np.int32), pa.array(names))])
    moved = pieces._replace(person=both.codes.astype(np.int64))
    owner = np.empty(len(both.labels), np.int64)
    owner[both.codes] = pieces.person
    return moved.take(np.lexsort((moved.begin, moved.person))), both, owner


def _of_slot_columns(name: str, table: pa.Table, read_options: ReadOptions, notes: list[Note]) -> Dataset:
    """Make a dataset of a table with one column per slot."""
    if read_options.split:
        raise ParameterError(
            Message(option("split"), " needs episodes, but the table has one column per slot."), hint="Leave it out."
        )
    present = table.column_names
    person = find_person(present, read_options)
    owner = read_options.columns.get(OWNER)
    rest = [column for column in present if column not in (person, owner, read_options.weight)]
    slots = choose_columns(name, rest, read_options)
    if not slots:
        assign_roles(name, present, read_options, WORDS)
        raise SchemaError(
            f"{name}: no columns are known as slots.",
            option="slots",
            hint=Message("Name the first and the last of them: ", option("slots", "FIRST:LAST"), "."),
        )
    handled = {*slots, *read_options.drop}
    others = [column for column in rest if column not in handled]
    if others and "*" not in read_options.drop:
        # Without a person's column the first line may be a row of data, which a message must not show.
        shown = repr(others[0]) if person is not None or read_options.header else str(present.index(others[0]) + 1)
        raise SchemaError(
            f"{name}: column {shown} is neither the person nor a slot.",
            column=others[0] if person is not None or read_options.header else "",
            hint=Message(
                *("Leave out such columns: ", option("drop", ["*"]), ", or name the first and the last slot: "),
                *(option("slots", "FIRST:LAST"), ". If the file has no header, name the columns with "),
                *(option("header"), "."),
            ),
        )
    if person is not None and person != "person":
        notes.append(note_role(person, "person"))
    layout = detect_layout(name, slots, read_options, notes)
    check_size(name, table.num_rows, len(slots) * layout.width)
    gap = read_options.gap or UNKNOWN
    cells, labels, empty = encode_slots(name, table, slots, gap)
    record_people = RecordPeople(RECORD if person is None else name_records(person, owner is not None))
    if owner is not None:
        record_people = record_people._replace(people=_read_owner(name, table, owner))
    if person is None:
        people: Cells = pa.array([f"row {i}" for i in range(1, table.num_rows + 1)])
    else:
        encoded = encode_labels(name, person, table.column(person))
        twice = np.bincount(encoded.codes)[encoded.codes] > 1
        if twice.any():
            raise SchemaError(
                f"{name}: column {person!r} must have another person in every row; look at {name_marked(twice)}.",
                column=person,
                rows=list_marked(twice),
                hint=Message("If people have several rows: ", option("columns", {OWNER: person}), "."),
            )
        people = encoded.labels
    codes = np.repeat(cells, layout.width, axis=1).reshape(-1)
    code = labels.index(gap) if gap in labels else -1
    weights = None if read_options.weight is None else read_weights(name, table, read_options.weight)
    return _assemble(
        name,
        people,
        codes,
        labels,
        layout.time_unit,
        code if empty else -1,
        read_options,
        notes,
        record_people,
        weights,
    )


def _read_owner(name: str, table: pa.Table, column: str) -> Cells:
    if column not in table.column_names:
        raise SchemaError(f"{name}: there is no column {column!r}.", option="columns", column=column)
    owners = encode_labels(name, column, table.column(column))
    return owners.labels.take(pa.array(owners.codes)).cast(pa.string())


def _assemble(
    name: str,
    people: Cells,
    codes: Ints,
    labels: list[str],
    time_unit: TimeUnit,
    gap: int,
    read_options: ReadOptions,
    notes: list[Note],
    record_people: RecordPeople,
    weights: Floats | None,
) -> Dataset:
    record_people = resolve_unit(read_options, record_people)
    size = len(people)
    slots = len(codes) // size
    counts = _count(codes, len(labels))
    notes.append(note_slots(record_people.unit, time_unit, size, slots, int((counts > 0).sum())))
    missing = counts[gap] / max(len(codes), 1) if 0 <= gap < len(labels) else 0.0
    if missing:
        notes.append(note_gap(read_options.gap or UNKNOWN, missing))
    notes.extend(record_people.note(size))
    if weights is not None and read_options.weight is not None:
        notes.append(describe_weights(read_options.weight, weights, published=False))
    history = ListColumn(np.arange(size + 1, dtype=np.int64) * slots, codes, tuple(labels))
    return Dataset(
        Schema(
            "activity",
            (Column("person", "identifier"), Column("activities", "history")),
            resolve_sensitive(read_options.sensitive, labels, name),
        ),
        pa.table({"person": people.cast(pa.string()), "activities": history.to_arrow()}),
        notes=tuple(notes),
        read_options=read_options.to_dict(),
        time_unit=time_unit,
        unit=record_people.unit,
        people=record_people.people,
        weights=weights,
    )
