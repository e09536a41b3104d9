"""Tables with one column per slot: the columns of slots, their times and their cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.notes import Note
from sfumato.data.time_units import MONTHS, UNITS, TimeUnit, count_units, find_moments
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.kinds.activity.reader.episodes import MONDAY, parse_start
from sfumato.messages import Message, option
from sfumato.readers.cells import LONGEST_LABEL, Cells, as_text, marks
from sfumato.readers.options import ReadOptions

__all__ = ["Layout", "choose_columns", "detect_layout", "encode_slots"]

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

_TIME = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?", re.ASCII)
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(
    rf"(?P<name>{'|'.join(_NAMES)})[a-z]{{0,6}}[ ._-]?(?P<short>\d\d|\d{{4}})?|(?P<year>\d{{4}})[-._/](?P<month>\d\d)",
    re.ASCII | re.IGNORECASE,
)
_QUARTER = re.compile(r"(?P<year>\d{4})[ ._-]?q(?P<quarter>[1-4])", re.ASCII | re.IGNORECASE)
_CENTURY = 69
"""Years of two digits from here on are of the twentieth century, as POSIX has it."""
_NUMBERED = re.compile(r"(.*?)(\d{1,9})", re.ASCII)
_SECONDS = 86_400


class Layout(NamedTuple):
    """What the slots of a table are.

    Attributes
    ----------
    time_unit
        When the first slot begins, and how long one is.
    width
        Slots of time that one column is.

    Examples
    --------
    >>> Layout(TimeUnit("minute"), width=10).width
    10
    """

    time_unit: TimeUnit
    width: int


def choose_columns(owner: str, present: Sequence[str], read_options: ReadOptions) -> list[str]:
    """Return the columns of slots: those that options give, or those with names of slots.

    Examples
    --------
    >>> choose_columns("days.csv", ["00:00", "00:10", "00:20"], ReadOptions("activity"))
    ['00:00', '00:10', '00:20']
    >>> choose_columns("days.csv", ["Jul", "Aug", "Sep"], ReadOptions("activity", slots="Jul:Sep"))
    ['Jul', 'Aug', 'Sep']
    """
    taken = {*read_options.columns.values(), *read_options.drop}
    left = [name for name in present if name not in taken]
    if read_options.slots is not None:
        return _between(owner, left, read_options.slots)
    runs = [_run_of(left, at) for at in range(len(left))]
    return max(runs, key=len, default=[]) if max(map(len, runs), default=0) > 1 else []


def _run_of(names: list[str], at: int) -> list[str]:
    """Return the longest run from a name on whose names are times, or numbered one after another."""
    if at and _follow(names[at - 1], names[at]):
        return []  # the run that begins before is longer
    end = at + 1
    while end < len(names) and _follow(names[end - 1], names[end]):
        end += 1
    return names[at:end]


def _read_month(name: str) -> tuple[str, int] | None:
    """Return the unit and number of a column that is named by a month or quarter; months without a year are of 1970."""
    if match := _QUARTER.fullmatch(name):
        return "quarter", (int(match["year"]) - 1970) * 4 + int(match["quarter"]) - 1
    match = _MONTH.fullmatch(name)
    if match is None:
        return None
    if match["name"] is None:
        month, year = int(match["month"]) - 1, int(match["year"])
    else:
        month, short = _NAMES.index(match["name"].lower()), match["short"]
        year = 1970 if short is None else int(short)
        year += 0 if year > 99 else 1900 if year >= _CENTURY else 2000
    return ("month", (year - 1970) * 12 + month) if 0 <= month < 12 else None


def _follow(first: str, two: str) -> bool:
    before, after = _read_month(first), _read_month(two)
    if before is not None and after is not None:
        return before[0] == after[0] and after[1] == before[1] + 1
    if any(pattern.fullmatch(first) and pattern.fullmatch(two) for pattern in (_TIME, _DATE)):
        return True
    left, right = _NUMBERED.fullmatch(first), _NUMBERED.fullmatch(two)
    return bool(left and right and left[1] == right[1] and int(right[2]) == int(left[2]) + 1)


def _between(owner: str, present: list[str], slots: str) -> list[str]:
    # A name may hold a colon itself, so every colon may be the one between the names.
    for at in (i for i, letter in enumerate(slots) if letter == ":"):
        first, last = slots[:at], slots[at + 1 :]
        if first in present and last in present and present.index(first) <= present.index(last):
            return present[present.index(first) : present.index(last) + 1]
    raise ParameterError(
        Message(option("slots"), f" must name the first and the last of columns in {owner}, got {slots!r}."),
        hint=Message("Give ", option("slots", "FIRST:LAST"), "."),
    )


def _read_times(names: Sequence[str]) -> tuple[int, int] | None:
    """Return when the first column begins, in seconds since 1970, and how many seconds a column lasts."""
    if len(names) < 2:
        return None
    seconds: list[int] = []
    for name in names:
        time, date = _TIME.fullmatch(name), _DATE.fullmatch(name)
        if time and int(time[1]) < 24 and int(time[2]) < 60 and int(time[3] or 0) < 60:
            moment = int(time[1]) * 3600 + int(time[2]) * 60 + int(time[3] or 0) + MONDAY // 1_000_000
            while seconds and moment <= seconds[-1]:
                moment += _SECONDS
            seconds.append(moment)
        elif date:
            try:
                seconds.append(int(np.datetime64(name.replace(" ", "T"), "s").astype(np.int64)))
            except ValueError:
                return None
        else:
            return None
    steps = set(np.diff(seconds).tolist())
    return (seconds[0], int(steps.pop())) if len(steps) == 1 and min(steps | {seconds[1] - seconds[0]}) > 0 else None


def detect_layout(owner: str, names: Sequence[str], read_options: ReadOptions, notes: list[Note]) -> Layout:
    """Return when the columns begin and how long they last.

    Examples
    --------
    >>> detect_layout("days.csv", ["00:00", "00:10"], ReadOptions("activity"), [])
    Layout(time_unit=TimeUnit(unit='minute', origin=5760), width=10)
    >>> detect_layout("months.csv", ["t1", "t2"], ReadOptions("activity"), [])
    Layout(time_unit=TimeUnit(unit=None, origin=0), width=1)
    """
    date, time, number = parse_start(read_options.start) if read_options.start else (None, None, None)
    months = [_read_month(name) for name in names]
    if months[0] is not None and None not in months and read_options.resolution in {None, months[0][0]}:
        if read_options.start is not None:
            raise ParameterError(
                Message(option("start"), " does not apply to columns named by months."), hint="Leave it out."
            )
        notes.append(Note("slot-columns", "Columns are slots of a {unit}.", details={"unit": months[0][0]}))
        return Layout(TimeUnit(*months[0]), 1)
    timed = _read_times(names)
    if timed is None:
        if read_options.resolution is None:
            if date is not None or time is not None:
                raise ParameterError(
                    Message(option("start"), " with a date or time needs the length of a slot."),
                    hint=Message("Give it: ", option("resolution", "hour"), "."),
                )
            return Layout(TimeUnit(None, number or 0), 1)
        if number is not None:
            raise ParameterError(
                Message(option("start"), " must be a date or time of day where slots have a resolution."),
                hint=Message("For example: ", option("start", "04:00")),
            )
        micros = (MONDAY if date is None else date) + (time or 0)
        if date is None and read_options.resolution in MONTHS:
            micros = time or 0
        origin = count_units(read_options.resolution, np.array([micros]))
        if int(find_moments(read_options.resolution, origin)[0]) != micros:
            raise ParameterError(
                Message(option("start"), f" must be a whole {read_options.resolution}."), hint="Give another start."
            )
        return Layout(TimeUnit(read_options.resolution, int(origin[0])), 1)
    begin, step = timed
    if read_options.start is not None:
        if number is not None or date is None or time is not None or begin >= 2 * MONDAY // 1_000_000:
            raise ParameterError(
                Message(option("start"), " can only give the date of columns named by times."),
                hint=Message("For example: ", option("start", "2024-01-31")),
            )
        begin += (date - MONDAY) // 1_000_000
    even = [unit for unit in UNITS if unit not in MONTHS]
    unit = read_options.resolution or next(u for u in reversed(even) if step % UNITS[u] == 0 and begin % UNITS[u] == 0)
    if unit in MONTHS or step % UNITS[unit] or begin % UNITS[unit]:
        raise SchemaError(
            Message(f"{owner}: slots of {step:,} seconds do not fit ", option("resolution", unit), "."),
            hint="Give a finer resolution.",
        )
    width = step // UNITS[unit]
    details = {"length": f"{width:,} {unit}{'s' * (width > 1)}"}
    notes.append(Note("slot-columns", "Columns are slots of {length}.", details=details))
    return Layout(TimeUnit(unit, begin // UNITS[unit]), step // UNITS[unit])


def encode_slots(owner: str, table: pa.Table, names: Sequence[str], gap: str) -> tuple[Ints, list[str], int]:
    """Return codes by row and column, the labels, and how many cells are empty and became the gap.

    Examples
    --------
    >>> codes, labels, empty = encode_slots("d.csv", pa.table({"a": ["x", "y"], "b": ["x", ""]}), ["a", "b"], "(gap)")
    >>> codes.tolist(), labels, empty
    ([[0, 0], [1, 2]], ['x', 'y', '(gap)'], 1)
    """
    chunks: list[Cells] = []
    for name in names:
        column = table.column(name)
        if pa.types.is_null(column.type):
            column = column.cast(pa.string())
        chunks += as_text(owner, name, column).cast(pa.large_string()).chunks
    text: Cells = pa.concat_arrays(chunks)
    blank = pc.fill_null(pc.equal(pc.utf8_trim_whitespace(text), pa.scalar("", pa.large_string())), True)
    encoded = pc.if_else(blank, pa.scalar(gap, pa.large_string()), text).dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int32).reshape(len(names), table.num_rows)
    distinct = encoded.dictionary.cast(pa.string())
    rules = {
        f"have at most {LONGEST_LABEL:,} characters": pc.utf8_length(distinct).to_numpy() <= LONGEST_LABEL,
        "not hold a NUL character": ~marks(pc.match_substring(distinct, "\0")),
    }
    for rule, good in rules.items():
        if not good.all():
            wrong = np.flatnonzero((~good)[codes].any(axis=0)) + 1
            raise SchemaError(
                f"{owner}: an activity must {rule}; look at {name_rows(wrong.tolist())}.",
                rows=select_shown(wrong.tolist()),
                hint="Correct the data.",
            )
    return codes.T, distinct.to_pylist(), int(marks(blank).sum())
