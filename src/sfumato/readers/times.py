"""Times in the formats of files: whole numbers, ISO 8601 and common dates.

A column of text is read by its shapes: with digits replaced by 0, few different cells are left. Each shape is
parsed once, and then the digits of all its rows are read together.
"""

from __future__ import annotations

import datetime
import re
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.time_units import MONTHS, TimeUnit, count_units, find_moments
from sfumato.exceptions import SchemaError
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells, describe_filling, list_marked, name_marked, parse_numbers, refuse_empty
from sfumato.readers.partitioned.agreement import agree

__all__ = ["Times", "cut_times", "parse_times", "split_periods"]

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]

_DAY = 86_400_000_000
_EARLIEST = -719_162 * _DAY  # 0001-01-01, in microseconds since 1970
_LATEST = 2_932_897 * _DAY  # 10000-01-01
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_TIME_OF_DAY = (
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)?"
    r"(?: ?(?P<half>[AaPp])[Mm])?"
)
_ZONE = r"(?: ?(?P<zone>[Zz]|UTC|GMT|(?P<sign>[+-])(?P<zone_hour>\d\d)(?::?(?P<zone_minute>\d\d))?))?"
_AFTER_DATE = rf"(?:,?[Tt ]{_TIME_OF_DAY}{_ZONE})?"
_WEEKDAY = r"(?:[A-Za-z]{3},? )?"
_DATES = [
    re.compile(rf"\s*{pattern}\s*", re.ASCII)
    for pattern in (
        r"(?P<before>-)?\+?(?P<year>\d{4,6})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})" + _AFTER_DATE,
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)[Tt ](?P<hour>\d\d):?(?P<minute>\d\d)"
        r"(?::?(?P<second>\d\d))?" + _ZONE,
        r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})" + _AFTER_DATE,
        r"(?P<left>\d{1,2})[/-](?P<right>\d{1,2})[/-](?P<year>\d{4})" + _AFTER_DATE,
        r"(?P<year>\d{4})[-/.](?P<month>\d\d)",
        r"(?P<year>\d{4})[- ]?[Qq](?P<quarter>\d)",
        r"(?P<name>[A-Za-z]{3})[a-z]{0,6}\.?[ -](?P<year>\d{4})",
        _WEEKDAY + r"(?P<name>[A-Za-z]{3}) +(?P<day>\d{1,2}) " + _TIME_OF_DAY + _ZONE + r" (?P<year>\d{4})",
        _WEEKDAY + r"(?P<day>\d{1,2})[ -](?P<name>[A-Za-z]{3})[ -](?P<year>\d{4})" + _AFTER_DATE,
    )
]
_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
_NONEXISTENT = ": {} have dates or times that do not exist"
_TO_SHAPE = np.arange(256, dtype=np.uint8)
_TO_SHAPE[ord("0") : ord("9") + 1] = ord("0")


class Times(NamedTuple):
    """Times of a column.

    Examples
    --------
    >>> parse_times("visits.csv", "time", pa.chunked_array([["1970-01-01T00:00:01Z"]]))
    Times(order=array([1000000]), micros=array([1000000]), zoned=True)
    """

    order: npt.NDArray[np.int64] | npt.NDArray[np.float64]
    micros: Longs | None
    """Microseconds since 1970, in UTC or, without a zone, in local time; None for numbers."""
    zoned: bool


class _Where(NamedTuple):
    """The column that is read, for messages."""

    owner: str
    name: str
    rows: Longs | None

    def format_marked_rows(self, marked: Marks) -> str:
        return name_marked(marked) if self.rows is None else name_rows(self.rows[marked].tolist())

    def complain(self, fault: str, marked: Marks, advice: str) -> NoReturn:
        """Raise an error with the marked rows in the place of ``{}``."""
        rows = list_marked(marked) if self.rows is None else select_shown(self.rows[marked].tolist())
        raise SchemaError(
            f"{self.owner}: column {self.name!r}{fault.format(self.format_marked_rows(marked))}.",
            column=self.name,
            rows=rows,
            hint=advice,
        )


def parse_times(owner: str, name: str, column: Cells, rows: Longs | None = None) -> Times:
    """Return a column as times; either all have a zone (and become UTC) or none has.

    Parameters
    ----------
    owner, name
        Of the file and the column, for messages.
    column
        The cells.
    rows
        Row of each cell, from 1, where that is not its position.

    Examples
    --------
    >>> parse_times("visits.csv", "time", pa.chunked_array([["30", "4"]])).order.tolist()
    [30, 4]
    >>> parse_times("visits.csv", "time", pa.chunked_array([["2012-04-03 18:00", "2012-04-03T18:00Z"]]))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: visits.csv: column 'time' mixes times with a time zone (row 2) and without one
    (row 1). Write all of them the same way.
    """
    times = _parse(_Where(owner, name, rows), column)
    agree(f"what times of {name} are", (times.micros is None, times.zoned))
    return times


def _parse(where: _Where, column: Cells) -> Times:
    owner, name = where.owner, where.name
    refuse_empty(owner, name, column)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _from_arrow(where, column)
    if pa.types.is_integer(kind):
        numbers = column.to_numpy()
        if (numbers > 2**63 - 1).any():
            _complain_about_range(where, numbers > 2**63 - 1)
        return Times(numbers.astype(np.int64), None, False)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return Times(parse_numbers(owner, name, column), None, False)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _from_text(where, column)
    raise SchemaError(
        f"{owner}: column {name!r} must hold times, its type is {kind}.",
        column=name,
        hint="Store it as times, whole numbers or text.",
    )


def _from_arrow(where: _Where, column: Cells) -> Times:
    zoned = False
    if pa.types.is_date(column.type):
        ticks = column.cast(pa.date32()).cast(pa.int32()).to_numpy().astype(np.int64)
        earliest, latest, up, down = _EARLIEST // _DAY, _LATEST // _DAY, _DAY, 1
    else:
        per_second = _PER_SECOND[column.type.unit]
        up, down = max(1_000_000 // per_second, 1), max(per_second // 1_000_000, 1)
        earliest, latest = _EARLIEST * down // up, _LATEST * down // up
        ticks, zoned = column.cast(pa.int64()).to_numpy(), column.type.tz is not None
    # Judged in the file's own unit: the change of unit could overflow.
    outside = np.zeros(len(ticks), bool)
    if earliest > -(2**63):
        outside = (ticks < earliest) | (ticks >= latest)
    if outside.any():
        _complain_about_range(where, outside)
    return Times(ticks, ticks * up // down, zoned)


def _complain_about_range(where: _Where, outside: Marks) -> NoReturn:
    rule = ": times must be in the years 1 to 9999, or whole numbers of at most 64 bits; out of range in {}"
    where.complain(rule, outside, "Correct the data.")


class _Shapes(NamedTuple):
    """Cells of a text column, by shape."""

    digits: npt.NDArray[np.uint8]
    starts: Longs
    codes: Ints
    shapes: list[str]

    @classmethod
    def of(cls, column: Cells) -> _Shapes:
        text: Cells = pa.concat_arrays(column.cast(pa.large_string()).chunks)
        offsets = np.frombuffer(text.buffers()[1], np.int64)[text.offset : text.offset + len(text) + 1]
        data = np.frombuffer(text.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]]
        offsets = offsets - offsets[0]
        buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(_TO_SHAPE[data].tobytes())]
        shaped: Cells = pa.Array.from_buffers(pa.large_string(), len(text), buffers)
        encoded = shaped.dictionary_encode()
        codes = encoded.indices.to_numpy().astype(np.int32)
        return cls(data - np.uint8(ord("0")), offsets[:-1], codes, encoded.dictionary.to_pylist())

    def marked(self, wanted: list[bool]) -> Marks:
        return np.array(wanted, bool)[self.codes]

    def number(self, rows: Longs, match: re.Match[str], field: str) -> Ints:
        """Read the digits of a part of the shape in all its rows; 0 where it has no such part."""
        value = np.zeros(len(rows), np.int32)
        if field in match.re.groupindex and match[field] is not None:
            for position in range(*match.span(field)):
                value = value * 10 + self.digits[self.starts[rows] + position]
        return value


def _from_text(where: _Where, column: Cells) -> Times:
    if _WHOLE.fullmatch(column[0].as_py()):  # Arrow takes its time to find out that nothing is a number
        try:
            return Times(column.cast(pa.int64()).to_numpy(), None, False)
        except pa.ArrowInvalid:
            pass
    cells = _Shapes.of(column)
    empty = [not shape.strip() for shape in cells.shapes]
    if any(empty):
        where.complain(" has empty cells in {}", cells.marked(empty), describe_filling())
    if not _NUMBER.fullmatch(cells.shapes[0]):
        return _from_dates(where, cells)
    whole = [_WHOLE.fullmatch(shape) is not None for shape in cells.shapes]
    if all(whole):
        texts = [cell.strip() for cell in column.to_pylist()]
        numbers = [int(text) if len(text) <= 20 else 2**63 for text in texts]
        outside = np.array([not -(2**63) <= number < 2**63 for number in numbers])
        if outside.any():
            _complain_about_range(where, outside)
        return Times(np.array(numbers, np.int64), None, False)
    return Times(parse_numbers(where.owner, where.name, column), None, False)


def _from_dates(where: _Where, cells: _Shapes) -> Times:
    matches = [next(filter(None, (d.fullmatch(shape) for d in _DATES)), None) for shape in cells.shapes]
    strange = [match is None for match in matches]
    if any(strange):
        where.complain(
            ": {} cannot be read as a time",
            cells.marked(strange),
            "Write times as 2012-04-30T18:00:09, with or without a zone such as Z or +02:00, or as whole numbers.",
        )
    moments = _Moments.unknown(len(cells.codes))
    order = np.argsort(cells.codes, kind="stable")
    ends = np.searchsorted(cells.codes[order], np.arange(len(matches) + 1))
    for shape, match in enumerate(matches):
        if match is not None:
            moments.fill(order[ends[shape] : ends[shape + 1]], cells, match)
    return moments.judge(where)


class _Moments(NamedTuple):
    """Parts of every time of a column."""

    year: Ints
    month: Ints
    day: Ints
    second: Ints
    """Since midnight; negative if the clock shows a time that does not exist."""
    nano: Ints
    offset: Ints
    zoned: Marks
    ambiguous: Marks
    """Whether month and day may have to change places."""

    @classmethod
    def unknown(cls, count: int) -> _Moments:
        year, month, day, second, nano, offset = np.zeros((6, count), np.int32)
        return cls(year, month, day, second, nano, offset, *np.zeros((2, count), bool))

    def fill(self, rows: Longs, cells: _Shapes, match: re.Match[str]) -> None:
        """Read all rows of one shape."""
        parts = match.groupdict()

        def number(field: str) -> Ints:
            return cells.number(rows, match, field)

        self.year[rows] = -number("year") if parts.get("before") else number("year")
        self.month[rows], self.day[rows] = number("month"), number("day")
        if "day" not in parts and "left" not in parts:  # a month or quarter is its first day
            self.day[rows] = 1
        if "quarter" in parts:
            quarter = number("quarter")
            self.month[rows] = np.where((quarter >= 1) & (quarter <= 4), quarter * 3 - 2, 0)
        if "left" in parts:
            self.month[rows], self.day[rows], self.ambiguous[rows] = number("left"), number("right"), True
        if parts.get("name"):
            month = parts["name"].lower()
            self.month[rows] = _MONTHS.index(month) + 1 if month in _MONTHS else 0
        hour, minute, second = number("hour"), number("minute"), number("second")
        exists = (hour < 24) & (minute < 60) & (second < 60)
        if parts.get("half"):
            exists &= (hour >= 1) & (hour <= 12)
            hour = hour % 12 + 12 * (parts["half"] in "pP")
        zone_hour, zone_minute = number("zone_hour"), number("zone_minute")
        exists &= (zone_hour < 24) & (zone_minute < 60)
        self.second[rows] = np.where(exists, hour * 3_600 + minute * 60 + second, -1)
        self.nano[rows] = number("fraction") * 10 ** (9 - len(parts.get("fraction") or "000000000"))
        self.offset[rows] = (zone_hour * 3_600 + zone_minute * 60) * (-1 if parts.get("sign") == "-" else 1)
        self.zoned[rows] = parts.get("zone") is not None

    def judge(self, where: _Where) -> Times:
        """Refuse what does not exist, is out of range or mixed; return the rest as times."""
        month, day = self._resolve_day_and_month(where)
        outside = (self.year < 1) | (self.year > 9999)
        if outside.any():
            _complain_about_range(where, outside)
        months = (self.year.astype(np.int64) - 1970) * 12 + np.clip(month, 1, 12) - 1
        begin, end = (m.astype("datetime64[M]").astype("datetime64[D]") for m in (months, months + 1))
        length = (end - begin).astype(np.int64)
        wrong = (month < 1) | (month > 12) | (day < 1) | (day > length) | (self.second < 0)
        if wrong.any():
            rule = ": {} has a date or time that does not exist" if wrong.sum() == 1 else _NONEXISTENT
            where.complain(rule, wrong, "Correct the data.")
        if self.zoned.any() and not self.zoned.all():
            marked = where.format_marked_rows(self.zoned)
            rule = f" mixes times with a time zone ({marked}) and without one ({{}})"
            where.complain(rule, ~self.zoned, "Write all of them the same way.")
        seconds = (begin.astype(np.int64) + day - 1) * 86_400 + self.second - self.offset
        micros = seconds * 1_000_000 + self.nano // 1_000
        outside = (micros < _EARLIEST) | (micros >= _LATEST)
        if outside.any():
            _complain_about_range(where, outside)
        order = micros
        if (self.nano % 1_000).any():
            fine = np.stack([micros, self.nano % 1_000], axis=1)
            order = np.unique(fine, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
        return Times(order, micros, bool(self.zoned.any()))

    def _resolve_day_and_month(self, where: _Where) -> tuple[Ints, Ints]:
        """Distinguish day and month by numbers above 12, which only a day can have."""
        left, right = (self.month > 12) & self.ambiguous, (self.day > 12) & self.ambiguous
        if self.ambiguous.any() and left.any() == right.any():
            rule = ": day and month cannot be distinguished in {}"
            where.complain(rule, self.ambiguous, "Write dates as 2012-04-30.")
        if self.ambiguous.any():
            agree(f"what comes first in dates of {where.name}", "day" if left.any() else "month")
        if not left.any():
            return self.month, self.day
        month = np.where(self.ambiguous, self.day, self.month)
        return month, np.where(self.ambiguous, self.month, self.day)


def cut_times(micros: Longs, resolution: str) -> tuple[Longs, TimeUnit, Marks]:
    """Round times down to a resolution; return them as numbers, their unit, and which times were finer.

    Months and quarters are not equally long, so that differences of their numbers would have no meaning: they are
    counted as the days they begin with.

    Examples
    --------
    >>> times, time_unit, finer = cut_times(np.array([40 * 86_400_000_000]), "month")
    >>> times.tolist(), time_unit.unit, finer.tolist()
    ([31], 'day', [True])
    """
    moments = find_moments(resolution, count_units(resolution, micros))
    time_unit = TimeUnit("day" if resolution in MONTHS else resolution)
    return count_units(str(time_unit.unit), moments), time_unit, moments != micros


def split_periods(times: Times, period: str, zone: str) -> tuple[Longs, list[str]]:
    """Return the number of the day or week of every time, and the names of the numbers from 0 up.

    Times with a zone are cut at midnight of the zone given, times without at midnight of their own clock.

    Examples
    --------
    >>> evening = pa.chunked_array([["2024-01-07T23:30Z", "2024-01-08T00:30Z"]])
    >>> times = parse_times("visits.csv", "time", evening)
    >>> split_periods(times, "week", "UTC")
    (array([0, 1]), ['2024-W01', '2024-W02'])
    >>> split_periods(times, "day", "Europe/Athens")
    (array([0, 0]), ['2024-01-08'])
    """
    if times.micros is None:
        raise SchemaError(
            Message(option("split", period), " needs dates, but the times are numbers."),
            hint="Write the times as dates such as 2012-04-30.",
        )
    micros = times.micros
    if times.zoned and zone != "UTC":
        moments: Cells = pa.array(micros, pa.timestamp("us", "UTC")).cast(pa.timestamp("us", zone))
        local: Cells = pc.local_timestamp(moments)
        micros = local.cast(pa.int64()).to_numpy()
    days = micros // _DAY
    numbers, codes = np.unique(days if period == "day" else (days + 3) // 7, return_inverse=True)
    starts = numbers if period == "day" else numbers * 7 - 3
    dates = [datetime.date(1970, 1, 1) + datetime.timedelta(days=int(day)) for day in starts]
    if period == "day":
        return codes.astype(np.int64), [date.isoformat() for date in dates]
    weeks = [date.isocalendar() for date in dates]
    return codes.astype(np.int64), [f"{week.year:04}-W{week.week:02}" for week in weeks]
