"""Moments from the spellings people use: whole numbers, ISO 8601 and common dates."""

from __future__ import annotations

import datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core.errors import SchemaError
from sfumato.io.cells import Cells, marks, name_marked, parse_numbers, refuse_empty

__all__ = ["Times", "parse_times", "split_periods"]

Longs = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]

_DAY = 86_400_000_000
_EARLIEST = -719_162 * _DAY  # 0001-01-01, in microseconds since 1970
_LATEST = 2_932_897 * _DAY  # 10000-01-01
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

_CLOCK = (
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?)?"
    r"(?: ?(?P<half>[AaPp])[Mm])?"
)
_ZONE = r" ?(?P<zone>[Zz]|UTC|GMT|[+-]\d{2}(?::?\d{2})?)"
_AFTER_DATE = rf"(?:,?[Tt ]{_CLOCK}(?:{_ZONE})?)?$"
_WEEKDAY = r"^(?:[A-Za-z]{3},? )?"
_SPELLINGS = (
    r"^(?P<year>[+-]?\d{4,6})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})" + _AFTER_DATE,
    r"^(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})"
    rf"[Tt ](?P<hour>\d{{2}}):?(?P<minute>\d{{2}}):?(?P<second>\d{{2}})?(?:{_ZONE})?$",
    r"^(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})" + _AFTER_DATE,
    r"^(?P<left>\d{1,2})[/-](?P<right>\d{1,2})[/-](?P<year>\d{4})" + _AFTER_DATE,
    _WEEKDAY + r"(?P<name>[A-Za-z]{3}) +(?P<day>\d{1,2}) " + rf"{_CLOCK}(?:{_ZONE})? (?P<year>\d{{4}})$",
    _WEEKDAY + r"(?P<day>\d{1,2})[ -](?P<name>[A-Za-z]{3})[ -](?P<year>\d{4})" + _AFTER_DATE,
)


class Times(NamedTuple):
    """Times of a column, ready for sorting and, if they are dates, for cutting into days.

    Examples
    --------
    >>> parse_times("visits.csv", "time", pa.chunked_array([["1970-01-01T00:00:01Z"]]))
    Times(order=array([1000000]), micros=array([1000000]), zoned=True)
    """

    order: npt.NDArray[np.int64] | npt.NDArray[np.float64]
    micros: Longs | None
    """Microseconds since 1970, in UTC or, without a zone, of the clock on the wall; None for numbers."""
    zoned: bool


def parse_times(owner: str, name: str, column: Cells) -> Times:
    """Return a column as times; either all have a zone (and become UTC) or none has.

    Examples
    --------
    >>> parse_times("visits.csv", "time", pa.chunked_array([["30", "4"]])).order.tolist()
    [30, 4]
    >>> parse_times("visits.csv", "time", pa.chunked_array([["2012-04-03 18:00", "2012-04-03T18:00Z"]]))
    Traceback (most recent call last):
        ...
    sfumato.core.errors.SchemaError: visits.csv: column 'time' mixes times with and without a time zone:
    row 2 has a zone, row 1 has none. Write all of them the same way.
    """
    refuse_empty(owner, name, column)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _from_arrow(owner, name, column)
    if pa.types.is_integer(kind):
        try:
            return Times(column.cast(pa.int64()).to_numpy(), None, False)
        except pa.ArrowInvalid:
            _complain_about_range(owner, name, marks(pc.greater(column, pa.scalar(2**63 - 1))))
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return Times(parse_numbers(owner, name, column), None, False)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _from_text(owner, name, column)
    raise SchemaError(f"{owner}: column {name!r} must hold times, its type is {kind}.")


def _from_arrow(owner: str, name: str, column: Cells) -> Times:
    if pa.types.is_date(column.type):
        days = column.cast(pa.date32()).cast(pa.int32()).to_numpy().astype(np.int64)
        _check_range(owner, name, days, _DAY, 1)
        return Times(days * _DAY, days * _DAY, False)
    ticks = column.cast(pa.int64()).to_numpy()
    per_second = _PER_SECOND[column.type.unit]
    _check_range(owner, name, ticks, 1_000_000, per_second)
    coarse = per_second <= 1_000_000
    micros = ticks * (1_000_000 // per_second) if coarse else ticks // (per_second // 1_000_000)
    return Times(ticks, micros, column.type.tz is not None)


def _check_range(owner: str, name: str, ticks: Longs, micros: int, per: int) -> None:
    """Refuse years before 1 and after 9999, before a change of unit can overflow."""
    outside = (ticks < _EARLIEST * per // micros) | (ticks >= _LATEST * per // micros)
    if outside.any():
        _complain_about_range(owner, name, outside)


def _complain_about_range(owner: str, name: str, outside: Marks) -> None:
    raise SchemaError(
        f"{owner}: column {name!r}: times must lie in the years 1 to 9999 (or be whole numbers of at most "
        f"64 bits), not so in {name_marked(outside)}. Correct the data."
    )


def _from_text(owner: str, name: str, column: Cells) -> Times:
    # Arrow reads the usual spellings fastest; whatever it refuses is looked at one by one below.
    kinds: list[pa.DataType] = [pa.int64(), pa.timestamp("us"), pa.timestamp("us", "UTC")]
    for kind in kinds:
        try:
            parsed = column.cast(kind)
        except pa.ArrowInvalid:
            continue
        if pa.types.is_integer(kind):
            return Times(parsed.to_numpy(), None, False)
        return _from_arrow(owner, name, parsed)
    trimmed: Cells = pa.concat_arrays(pc.utf8_trim_whitespace(column).chunks)
    empty = marks(pc.equal(trimmed, pa.scalar("")))
    if empty.any():
        raise SchemaError(
            f"{owner}: column {name!r} must not have empty cells, found them in {name_marked(empty)}. "
            "Fill them or remove the rows."
        )
    whole = marks(pc.match_substring_regex(trimmed, r"^[+-]?\d+$"))
    if whole.all():
        _complain_about_range(owner, name, _too_large(trimmed))
    if whole[0] or marks(pc.match_substring_regex(trimmed.slice(0, 1), r"^[+-]?[\d.]+$"))[0]:
        return Times(parse_numbers(owner, name, column), None, False)
    return _from_spellings(owner, name, trimmed)


def _too_large(whole: Cells) -> Marks:
    return np.array([not -(2**63) <= int(cell) < 2**63 for cell in whole.to_pylist()])


def _whole(text: Cells) -> Longs:
    """Return digits as numbers, nothing as 0."""
    filled: Cells = pc.if_else(pc.equal(text, pa.scalar("")), pa.scalar("0"), text)
    plain: Cells = pc.replace_substring_regex(filled, r"^\+", "")
    return np.asarray(plain.cast(pa.int64()).to_numpy(), dtype=np.int64)


def _from_spellings(owner: str, name: str, text: Cells) -> Times:
    micros = np.zeros(len(text), np.int64)
    nanos = np.zeros(len(text), np.int64)
    zoned = np.zeros(len(text), bool)
    left = np.arange(len(text))
    for spelling in _SPELLINGS:
        fields: Cells = pc.extract_regex(text.take(pa.array(left)), spelling)
        fits = fields.is_valid().to_numpy(zero_copy_only=False)
        if fits.any():
            rows = left[fits]
            clock = _Fields(owner, name, fields.filter(pa.array(fits)), rows, len(text))
            micros[rows], nanos[rows], zoned[rows] = clock.moments()
        left = left[~fits]
        if not len(left):
            break
    if len(left):
        raise SchemaError(
            f"{owner}: column {name!r}: {name_marked(_at(left, len(text)))} cannot be read as a time. "
            "Write times as 2012-04-30T18:00:09, with or without a zone such as Z or +02:00, "
            "or as whole numbers."
        )
    if zoned.any() and not zoned.all():
        raise SchemaError(
            f"{owner}: column {name!r} mixes times with and without a time zone: {name_marked(zoned)} "
            f"{'has' if zoned.sum() == 1 else 'have'} a zone, {name_marked(~zoned)} "
            f"{'has' if (~zoned).sum() == 1 else 'have'} none. Write all of them the same way."
        )
    order = micros
    if nanos.any():
        order = np.unique(np.stack([micros, nanos], axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    return Times(order.astype(np.int64), micros, bool(zoned.any()))


def _at(rows: Longs, count: int) -> Marks:
    found = np.zeros(count, bool)
    found[rows] = True
    return found


class _Fields(NamedTuple):
    """Parts of the times that share a spelling, as text."""

    owner: str
    name: str
    parts: Cells
    rows: Longs
    total: int

    def moments(self) -> tuple[Longs, Longs, Marks]:
        """Return microseconds since 1970, nanoseconds beyond them, and whether a zone is given."""
        year, (month, day) = self._number("year"), self._month_and_day()
        hour, minute, second = self._hour(), self._number("minute"), self._number("second")
        self._refuse((year < 1) | (year > 9999), "must lie in the years 1 to 9999")
        first = (
            (np.clip(year, 1, 9999) - 1970).astype("datetime64[Y]").astype("datetime64[M]") + np.clip(month, 1, 12) - 1
        )
        length = ((first + 1).astype("datetime64[D]") - first.astype("datetime64[D]")).astype(np.int64)
        exists = (month >= 1) & (month <= 12) & (day >= 1) & (day <= length)
        self._refuse(~exists | (hour > 23) | (minute > 59) | (second > 59), "must exist in the calendar")
        days = first.astype("datetime64[D]").astype(np.int64) + day - 1
        fraction = self._fraction()
        seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - self._offset()
        micros = seconds * 1_000_000 + fraction // 1_000
        self._refuse((micros < _EARLIEST) | (micros >= _LATEST), "must lie in the years 1 to 9999 in UTC")
        return micros, fraction % 1_000, ~marks(pc.equal(self._text("zone"), pa.scalar("")))

    def _refuse(self, wrong: Marks, rule: str) -> None:
        if wrong.any():
            where = name_marked(_at(self.rows[wrong], self.total))
            raise SchemaError(f"{self.owner}: column {self.name!r}: times {rule}, not so in {where}. Correct the data.")

    def _text(self, field: str) -> Cells:
        if self.parts.type.get_field_index(field) < 0:
            return pa.repeat("", len(self.parts))
        return self.parts.field(field)

    def _number(self, field: str) -> Longs:
        return _whole(self._text(field))

    def _fraction(self) -> Longs:
        return _whole(pc.utf8_rpad(self._text("fraction"), 9, "0"))

    def _hour(self) -> Longs:
        hour, half = self._number("hour"), pc.utf8_lower(self._text("half"))
        halved = ~marks(pc.equal(half, pa.scalar("")))
        self._refuse(halved & ((hour < 1) | (hour > 12)), "must exist on the clock")
        afternoon = marks(pc.equal(half, pa.scalar("p")))
        return np.where(halved, hour % 12 + 12 * afternoon, hour).astype(np.int64)

    def _offset(self) -> Longs:
        digits = pc.replace_substring_regex(self._text("zone"), "[A-Za-z:]", "")
        value = _whole(pc.utf8_rpad(digits, 5, "0"))
        minutes = np.abs(value) // 100 * 60 + np.abs(value) % 100
        self._refuse((np.abs(value) % 100 > 59) | (minutes > 18 * 60), "must have a zone of at most 18 hours")
        return (np.where(value < 0, -1, 1) * minutes * 60).astype(np.int64)

    def _month_and_day(self) -> tuple[Longs, Longs]:
        if self.parts.type.get_field_index("name") >= 0:
            found: Cells = pc.index_in(pc.utf8_lower(self._text("name")), pa.array(_MONTHS))
            month = np.asarray(found.fill_null(-1).to_numpy(), dtype=np.int64) + 1
            return month, self._number("day")
        if self.parts.type.get_field_index("left") < 0:
            return self._number("month"), self._number("day")
        left, right = self._number("left"), self._number("right")
        if (left > 12).any() == (right > 12).any():
            raise SchemaError(
                f"{self.owner}: column {self.name!r}: dates such as 03/04/2012 do not tell day from month. "
                "Write them as 2012-04-03."
            )
        return (right, left) if (left > 12).any() else (left, right)


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
        raise SchemaError(f"reading: split={period} needs dates, but the times are numbers. Give dates.")
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
    return codes.astype(np.int64), [f"{date:%G-W%V}" for date in dates]
