"""Hierarchies of ranges over numbers and dates: of equal width, of equally many people, or by the calendar.

Bounds disclose something of the data: equal width the smallest and roughly the largest value, equal frequency the
values of some people. The calendar discloses only the decades that occur.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.hierarchies.ranges import RANGE_TYPES, as_axis, format_bounds

__all__ = ["calendar", "equal_frequency", "equal_width"]

Number: TypeAlias = int | float

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_HIGHEST = {"int": 2**63 - 2, "date": datetime.date.max.toordinal() - _EPOCH}


def equal_width(values: npt.ArrayLike, ranges: int, type: str = "int") -> Hierarchy:
    """Cut the span of values into equally wide ranges, and join two and two of them up to the root.

    Ranges of whole numbers and dates begin at whole ones; the last one may reach beyond the largest value. Where
    there are fewer whole numbers than ranges, there are fewer ranges.

    Parameters
    ----------
    values
        Numbers or dates; their frequency does not matter.
    ranges
        Number of ranges wanted.
    type
        ``int``, ``decimal`` or ``date``.

    Examples
    --------
    >>> equal_width([17, 25, 90], 4)
    Hierarchy below 17,92: 4 of 7 nodes are leaves, height 2
    17,92
      17,55
        17,36
        36,55
      55,92
        55,74
        74,92
    """
    axis = _check("width", values, ranges, type)
    low, high = axis.min(), axis.max()
    if type == "decimal":
        shares = np.arange(1, ranges) / ranges
        # Not low + share * (high - low): the difference may be beyond the largest number.
        cuts = np.clip(low * (1 - shares) + high * shares, low, high)
        return _join(_sort_bounds([float(low), *cuts.tolist(), float(high)]), type)
    first, last = int(low), int(high)
    width = -(-(last - first + 1) // ranges)
    bounds = list(range(first, last + 1, width))
    beyond = bounds[-1] + max(width - 1, 1)
    return _join(_sort_bounds([*bounds, last if first == last else min(beyond, max(last, _HIGHEST[type]))]), type)


def equal_frequency(values: npt.ArrayLike, ranges: int, type: str = "int") -> Hierarchy:
    """Cut values so that about equally many are in each range, and join two and two of them up to the root.

    A value is never cut in two: where one is very common there are fewer ranges. Bounds are values of people, like
    exact quantiles; ranges of equal width disclose less.

    Parameters
    ----------
    values
        Numbers or dates, as often as they occur.
    ranges
        Number of ranges wanted.
    type
        ``int``, ``decimal`` or ``date``.

    Examples
    --------
    >>> equal_frequency([1, 2, 3, 4, 50, 60, 70, 80], 4)
    Hierarchy below 1,80: 4 of 7 nodes are leaves, height 2
    1,80
      1,50
        1,3
        3,50
      50,80
        50,70
        70,80
    """
    axis = np.sort(_check("frequency", values, ranges, type))
    wanted = np.arange(1, ranges) * len(axis) // ranges
    # Where a cut would part equal values, it goes to the nearer end of them.
    before, after = (np.searchsorted(axis, axis[wanted], side) for side in ("left", "right"))
    nearer = np.where(after - wanted < wanted - before, after, before)
    cuts = axis[nearer[nearer < len(axis)]]
    low, high = axis[0], axis[-1]
    if type == "decimal":
        return _join(_sort_bounds([float(bound) for bound in (low, *cuts, high)]), type)
    bounds = sorted({int(low), *map(int, cuts)})
    last = int(high)
    # The largest value needs a range that does not begin and end with it, or two ranges would have the same label.
    alone = bounds[-1] == last > bounds[0]
    return _join(_sort_bounds([*bounds, min(last + alone, max(last, _HIGHEST[type]))]), type)


def calendar(dates: npt.ArrayLike) -> Hierarchy:
    """Group days by months, years and decades.

    Months, years and decades without dates are not split, so that a single remote date does not add thousands of days.

    Parameters
    ----------
    dates
        Dates, or their texts such as ``2024-02-29``.

    Examples
    --------
    >>> born = calendar(["1987-05-04", "1992-11-30"])
    >>> born.ancestors("1987-05-04,1987-05-05")
    ('1987-05-01,1987-06-01', '1987-01-01,1988-01-01', '1980-01-01,1990-01-01', '1980-01-01,1999-12-31')
    >>> [born.labels[leaf] for leaf in born.leaf_of_value(["1985-08-17", "1999-12-31"])]
    ['1985-01-01,1986-01-01', '1999-01-01,1999-12-31']
    """
    axis = _check("calendar", dates, 1, "date")
    days = np.unique(axis).astype("datetime64[D]")
    months = set(np.unique(days.astype("datetime64[M]")).astype(np.int64).tolist())
    years = {month // 12 for month in months}
    decades = {(year + 1970) // 10 for year in years}
    begin, end = min(decades), max(decades) + 1
    last = _day(end * 10, 1) - 1
    pairs: list[tuple[str, str | None]] = []
    root = _format_dates(_day(begin * 10, 1), last + 1, last)
    for decade in range(begin, end):
        name = _format_dates(_day(decade * 10, 1), _day(decade * 10 + 10, 1), last)
        pairs += [(name, root)] if name != root else []
        if decade in decades:
            pairs += _take_apart(decade, name, {year + 1970 for year in years}, months, last)
    return Hierarchy.from_parents(pairs, kind="ranges", type="date", owner="calendar")


def _take_apart(decade: int, above: str, years: set[int], months: set[int], last: int) -> Iterator[tuple[str, str]]:
    """Yield the years of a decade, and the months and days of those with dates, with the range around each."""
    for year in range(max(decade * 10, 1), decade * 10 + 10):
        name = _format_dates(_day(year, 1), _day(year + 1, 1), last)
        yield name, above
        for month in range(1, 13) if year in years else ():
            begin, beyond = _day(year, month), _day(year + month // 12, month % 12 + 1)
            inside = _format_dates(begin, beyond, last)
            yield inside, name
            if (year - 1970) * 12 + month - 1 in months:
                yield from ((_format_dates(day, day + 1, last), inside) for day in range(begin, beyond))


def _day(year: int, month: int) -> int:
    """Return the first day of a month as days since 1970; the calendar goes from the year 1 to the end of 9999."""
    if year > datetime.MAXYEAR:
        return _HIGHEST["date"] + 1
    return datetime.date(max(year, datetime.MINYEAR), month, 1).toordinal() - _EPOCH


def _format_dates(begin: int, beyond: int, last: int) -> str:
    return format_bounds((begin, min(beyond, last)), "date")


def _check(rule: str, values: npt.ArrayLike, ranges: int, type: str) -> npt.NDArray[Any]:
    if type not in RANGE_TYPES:
        raise ParameterError(f"{rule}: type must be one of {', '.join(RANGE_TYPES)}, got {type!r}.", option="type")
    if ranges < 1:
        raise ParameterError(f"{rule}: ranges must be at least 1, got {ranges}.", option="ranges")
    axis: npt.NDArray[Any] = as_axis(values, type, rule)
    if not len(axis):
        raise SchemaError(f"{rule}: a hierarchy needs at least one value, found none.")
    if type == "decimal":
        axis = axis.astype(np.float64) + 0.0
        if not np.isfinite(axis).all():
            raise SchemaError(f"{rule}: values must be finite numbers.")
    return axis


def _sort_bounds(bounds: Sequence[Number]) -> list[Number]:
    """Sort bounds and leave out those that repeat; a single value is a range of its own."""
    ascending = sorted(set(bounds))
    return ascending if len(ascending) > 1 else [ascending[0], ascending[0]]


def _join(bounds: Sequence[Number], type: str) -> Hierarchy:
    """Build the tree of ranges between bounds, halving the number of ranges on each way down."""
    root = format_bounds((bounds[0], bounds[-1]), type)
    pairs: list[tuple[str, str | None]] = [(root, None)]
    pending = [(root, 0, len(bounds) - 1)]
    while pending:
        name, begin, end = pending.pop()
        if end - begin == 1:
            continue
        middle = begin + (end - begin + 1) // 2
        for part in ((begin, middle), (middle, end)):
            inside = format_bounds((bounds[part[0]], bounds[part[1]]), type)
            pairs.append((inside, name))
            pending.append((inside, *part))
    return Hierarchy.from_parents(pairs, kind="ranges", type=type, owner="ranges")
