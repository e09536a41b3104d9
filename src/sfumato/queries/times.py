"""Times of a question: moments, lengths and stretches, in the steps that the times of the data are counted in."""

from __future__ import annotations

import datetime
import re

import numpy as np
import numpy.typing as npt

from sfumato.data.time_units import UNITS, TimeUnit, count_units, find_moments
from sfumato.queries.syntax import QueryError, Window, Word

__all__ = [
    "ENDLESS",
    "Span",
    "count_steps",
    "cut_buckets",
    "find_end",
    "find_steps",
    "find_units",
    "format_time",
    "list_units",
    "read_length",
    "read_period",
    "read_window",
]

Ints = npt.NDArray[np.int64]
Span = tuple[int, int]
"""First and last step of a closed stretch of time."""

ENDLESS = 1 << 61
"""Further away than any time; two of them can still be added."""

_SECOND = 1_000_000
_LENGTHS = {
    "s": _SECOND,
    "sec": _SECOND,
    "second": _SECOND,
    "m": 60 * _SECOND,
    "min": 60 * _SECOND,
    "minute": 60 * _SECOND,
    "h": 3600 * _SECOND,
    "hour": 3600 * _SECOND,
    "d": 86400 * _SECOND,
    "day": 86400 * _SECOND,
    "w": 7 * 86400 * _SECOND,
    "week": 7 * 86400 * _SECOND,
}
_LENGTH = re.compile(r"(\d{1,12})([a-z]*)", re.ASCII)
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_PERIOD = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?",
    re.ASCII,
)
_EPOCH = datetime.datetime(1970, 1, 1)
_MOST_BUCKETS = 100_000
_FURTHEST_ZONE = 14 * 60


def find_steps(time_unit: TimeUnit, times: Ints) -> tuple[str, Ints]:
    """Return the timing of the data of a clock, and their times as releases spell them: moments or numbers.

    Examples
    --------
    >>> find_steps(TimeUnit("minute"), np.array([2]))
    ('moment', array([120000000]))
    """
    return ("number", times) if time_unit.unit is None else ("moment", find_moments(time_unit.unit, times))


def find_units(times: Ints) -> tuple[str, ...]:
    """Return the units in which moments may have been counted: those of which each of them is a beginning.

    Examples
    --------
    >>> find_units(np.array([0, 7_200_000_000]))
    ('second', 'minute', 'hour')
    """
    units = tuple(unit for unit in UNITS if np.array_equal(find_moments(unit, count_units(unit, times)), times))
    return units or ("",)


def list_units(time_unit: TimeUnit) -> tuple[str, ...]:
    """Return what the moments of a clock are counted in; nothing where its times are numbers.

    Examples
    --------
    >>> list_units(TimeUnit("day")), list_units(TimeUnit())
    (('day',), ())
    """
    return () if time_unit.unit is None else (time_unit.unit,)


def count_steps(unit: str, time: int, *, up: bool) -> int:
    """Return the last step of a unit that begins by a time, or the first one from it on; without a unit the time.

    Examples
    --------
    >>> [count_steps("minute", 90_000_000, up=up) for up in (False, True)], count_steps("", 7, up=True)
    ([1, 2], 7)
    """
    if not unit or abs(time) >= ENDLESS:
        return time
    step = int(count_units(unit, np.array([time]))[0])
    return step + 1 if up and _begin_step(unit, step) < time else step


def find_end(unit: str, time: int) -> int:
    """Return when the step ends in which a time lies; without a unit times are steps themselves.

    Examples
    --------
    >>> find_end("minute", 60_000_000), find_end("", 7)
    (120000000, 8)
    """
    return _begin_step(unit, count_steps(unit, time, up=False) + 1) if unit else time + 1


def _begin_step(unit: str, step: int) -> int:
    return int(find_moments(unit, np.array([step]))[0])


def read_period(word: Word, text: str, *, dated: bool) -> Span:
    """Return the first and the last step of a time as it is written: a day is all of it.

    Dates are read as UTC, or as the clock on the wall where the data have no zone.

    Examples
    --------
    >>> first, last = read_period(Word("2024-02", 0), "2024-02", dated=True)
    >>> format_time(first, dated=True), format_time(last + 1, dated=True)
    ('2024-02-01', '2024-03-01')
    >>> read_period(Word("17", 0), "17", dated=False)
    (17, 17)
    """
    if not dated:
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", word.text):
            raise QueryError("expected a whole number: the times of these data are numbers, not dates.", text, word.at)
        return int(word.text), int(word.text)
    match = _PERIOD.fullmatch(word.text)
    if match is None:
        raise QueryError(f"expected a date such as 2024-03-01 or 2024-03-01T12:30, found {word.text!r}.", text, word.at)
    return _spread(match, word, text)


def _spread(match: re.Match[str], word: Word, text: str) -> Span:
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        begin = datetime.datetime(
            int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0)
        )
    except ValueError:
        raise QueryError(f"there is no such date or time as {word.text!r}.", text, word.at) from None
    first = (begin - _EPOCH) // datetime.timedelta(microseconds=1)
    if day is None:
        months = int(year) * 12 + int(month or 1) - 1 - 1970 * 12
        after = _begin_month(months + (1 if month else 12))
    else:
        after = first + (_LENGTHS["d"] if not hour else _LENGTHS["h"] if not minute else _LENGTHS["min"])
        if second:
            after = first + _SECOND
        if fraction:
            first += int(fraction.ljust(6, "0"))
            after = first + 10 ** (6 - len(fraction))
    shift = _read_zone(zone, word, text)
    return first - shift, after - 1 - shift


def _read_zone(zone: str | None, word: Word, text: str) -> int:
    if zone in {None, "Z"}:
        return 0
    assert zone is not None
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    if minutes > _FURTHEST_ZONE or int(zone[-2:]) > 59:
        raise QueryError(f"there is no such zone as {zone!r}.", text, word.at)
    return (-1 if zone[0] == "-" else 1) * minutes * _LENGTHS["min"]


def _begin_month(months: int) -> int:
    """Return when a month since 1970 begins."""
    return int(np.int64(months).astype("datetime64[M]").astype("datetime64[us]").astype(np.int64))


def read_window(window: Window, text: str, *, dated: bool) -> Span:
    """Return the steps that a window leaves open, the first and the last of them included.

    Examples
    --------
    >>> read_window(Window("after", Word("4", 0), Word("6", 3)), "4..6", dated=False)[0]
    7
    """
    begin, first_end = read_period(window.first, text, dated=dated)
    last_begin, end = read_period(window.last, text, dated=dated)
    if last_begin < begin or end < first_end:
        raise QueryError("the window ends before it begins. Write the earlier time first.", text, window.first.at)
    if window.relation == "before":
        return -ENDLESS, begin - 1
    return (end + 1, ENDLESS) if window.relation == "after" else (begin, end)


def read_length(word: Word, text: str, *, dated: bool) -> int:
    """Return how many steps a length of time has.

    Examples
    --------
    >>> read_length(Word("7d", 0), "7d", dated=True) // 86_400_000_000, read_length(Word("5", 0), "5", dated=False)
    (7, 5)
    """
    match = _LENGTH.fullmatch(word.text.lower())
    if not dated:
        if match is None or match[2]:
            raise QueryError("expected a whole number, 0 or more: the times of these data have no unit.", text, word.at)
        return int(match[1])
    unit = match[2] if match else ""
    step = _LENGTHS.get(unit) or _LENGTHS.get(unit.removesuffix("s"))
    if match is None or step is None:
        raise QueryError(
            "expected a length of time such as 30min, 12h, 7d or 2w (months are not all equally long).", text, word.at
        )
    return min(int(match[1]) * step, ENDLESS)


def cut_buckets(word: Word, text: str, span: Span, *, dated: bool) -> Ints:
    """Return where stretches of a length begin that together hold a span, and where the last one ends.

    Weeks begin on Mondays; other lengths are counted from 1970 on, or from 0.

    Examples
    --------
    >>> cut_buckets(Word("10", 0), "10", (7, 25), dated=False).tolist()
    [0, 10, 20, 30]
    """
    months = _MONTHS.get(word.text.lower())
    if months and dated:
        both = np.array(span, dtype=np.int64).astype("datetime64[us]").astype("datetime64[M]").astype(np.int64)
        first, last = (both // months).tolist()
        _refuse_many(last - first + 1, word, text)
        cuts = (np.arange(first, last + 2) * months).astype("datetime64[M]").astype("datetime64[us]")
        return np.asarray(cuts.astype(np.int64), dtype=np.int64)
    written = word if not dated or word.text[:1].isdigit() else Word("1" + word.text, word.at)
    length = read_length(written, text, dated=dated)
    if length < 1:
        raise QueryError("the stretches must be longer than nothing.", text, word.at)
    # The first of January 1970 was a Thursday.
    origin = -3 * _LENGTHS["d"] if dated and length % _LENGTHS["w"] == 0 else 0
    first, last = (span[0] - origin) // length, (span[1] - origin) // length
    _refuse_many(last - first + 1, word, text)
    return np.arange(first, last + 2, dtype=np.int64) * length + origin


def _refuse_many(buckets: int, word: Word, text: str) -> None:
    if buckets > _MOST_BUCKETS:
        raise QueryError(f"{buckets:,} stretches are more than {_MOST_BUCKETS:,}. Choose a longer one.", text, word.at)


def format_time(step: int, *, dated: bool) -> str:
    """Write a step as people write times; a moment beyond all time as nothing.

    Examples
    --------
    >>> format_time(0, dated=True), format_time(90_000_000, dated=True), format_time(5, dated=False)
    ('1970-01-01', '1970-01-01T00:01:30', '5')
    """
    if abs(step) >= ENDLESS:
        return ""
    if not dated:
        return str(step)
    text = str(np.datetime64(step, "us")).removesuffix(".000000")
    return text.removesuffix("T00:00:00")
