"""Ranges as nodes of hierarchies: parsing, formatting and fitting of their bounds."""

from __future__ import annotations

import datetime
import math
import re
from typing import NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import SchemaError
from sfumato.hierarchies.build import TreeBuilder
from sfumato.messages import Message

__all__ = ["RANGE_TYPES", "as_axis", "drop_single_children", "fit_bounds", "format_bounds", "parse_bounds"]

RANGE_TYPES = ("int", "decimal", "date")
Bounds: TypeAlias = tuple[float, float]

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_INT64 = np.iinfo(np.int64)
_DATE = re.compile(
    r"(?P<iso>(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d))|((((?P<day>\d\d?)/)?(?P<month>\d\d?)/)?(?P<year>\d{4}))"
)


def parse_bounds(label: str, type: str) -> Bounds:
    """Read the bounds of a range; dates become days since 1970, whole years and months their ends.

    Examples
    --------
    >>> parse_bounds("0.0,5.0", "int"), parse_bounds("0,2.5", "decimal")
    ((0, 5), (0.0, 2.5))
    >>> parse_bounds("1970-01-01,1970-01-03", "date"), parse_bounds("1/1970,2/1970", "date")
    ((0, 2), (0, 58))
    """
    first, comma, last = label.partition(",")
    if not comma:
        raise ValueError("a range is two bounds with a comma between them")
    if type == "date":
        return _parse_day(first, ends=False), _parse_day(last, ends=True)
    parse = _parse_int if type == "int" else _parse_decimal
    return parse(first), parse(last)


def format_bounds(bounds: Bounds, type: str) -> str:
    """Format a range; the inverse of :func:`parse_bounds`.

    Examples
    --------
    >>> format_bounds((0, 5), "int"), format_bounds((0, 2.5), "decimal"), format_bounds((0, 2), "date")
    ('0,5', '0.0,2.5', '1970-01-01,1970-01-03')
    """
    if type == "date":
        return ",".join(datetime.date.fromordinal(int(day) + _EPOCH).isoformat() for day in bounds)
    return ",".join(str(int(bound)) if type == "int" else repr(float(bound)) for bound in bounds)


def drop_single_children(builder: TreeBuilder, type: str) -> TreeBuilder:
    """Return the tree with children in ascending order and without nodes that repeat their only child."""
    bounds = _parse_all(builder, type)
    pruned = TreeBuilder(builder.owner, builder.unit)
    root = builder.resolve_root(None)
    stays = [len(below) != 1 for below in builder.children]
    new: dict[int, int] = {}
    for code in builder.walk(root):
        above = builder.parent[code]
        if above != -1 and not stays[above] and bounds[above] != bounds[code]:
            _refuse_misfit(builder, above)
        if not stays[code]:
            continue
        while above != -1 and not stays[above]:
            above = builder.parent[above]
        new[code] = len(pruned.labels)
        pruned.labels.append(builder.labels[code])
        pruned.rows.append(builder.rows[code])
        pruned.children.append([])
        pruned.parent.append(new.get(above, -1))
        if above != -1:
            pruned.children[new[above]].append(new[code])
    old = {after: before for before, after in new.items()}
    for below in pruned.children:
        below.sort(key=lambda code: bounds[old[code]])
    return pruned


def fit_bounds(builder: TreeBuilder, order: list[int], type: str) -> list[Bounds]:
    """Return the bounds of every node, without gaps: a range ends where the next one begins.

    Whole numbers and dates may be given with their last value (``0,4 5,9``) or with the first value
    beyond it (``0,5 5,10``); both come out the second way. The very last bound stays as it is, and
    belongs to the last range.
    """
    given = _parse_all(builder, type)
    fitted = list(given)
    leaves = [code for code in order if not builder.children[code]]
    for position, code in enumerate(leaves):
        lower, upper = given[code]
        if position + 1 == len(leaves):
            fits = lower <= upper
        else:
            begin = given[leaves[position + 1]][0]
            fitted[code] = (lower, begin)
            fits = lower < begin and (upper == begin or (type != "decimal" and lower <= upper == begin - 1))
        if not fits:
            builder.complain(
                f"the range in {builder.name_nodes([code])} does not end where the next one begins.",
                [builder.rows[code]],
                "Correct its bounds.",
            )
    for code in reversed(order):
        below = builder.children[code]
        if below:
            fitted[code] = (fitted[below[0]][0], fitted[below[-1]][1])
            last = given[below[-1]][1]
            if given[code] not in {fitted[code], (fitted[code][0], last)}:
                _refuse_misfit(builder, code)
    return fitted


def as_axis(values: object, type: str, owner: str) -> npt.NDArray[np.generic]:
    """Return values as numbers of a range type: numbers unchanged, dates as days since 1970.

    Examples
    --------
    >>> as_axis(["1970-01-02", "1970-01-01T23:00"], "date", "age").tolist()
    [1, 0]
    """
    array = np.asarray(values)
    if type == "date":
        try:
            days = array.astype("datetime64[D]")
        except (ValueError, TypeError):
            raise SchemaError(Message(owner, ": ranges of dates need dates.")) from None
        if np.isnat(days).any():
            raise SchemaError(Message(owner, ": ranges of dates need dates without missing ones."))
        return days.astype(np.int64)
    if array.dtype.kind not in "iuf":
        raise SchemaError(Message(owner, f": ranges of type {type} need numbers."))
    return array


def _parse_int(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        value = float(text)
        if not value.is_integer():
            raise
        number = int(value)
    if not _INT64.min < number < _INT64.max:
        raise ValueError("beyond 64 bits")
    return number


def _parse_decimal(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not finite")
    return number + 0.0


def _parse_day(text: str, *, ends: bool) -> int:
    match = _DATE.fullmatch(text.strip())
    if match is None:
        raise ValueError("not a date")
    if match["iso"]:
        return datetime.date(int(match["y"]), int(match["m"]), int(match["d"])).toordinal() - _EPOCH
    year = int(match["year"])
    month = int(match["month"] or (12 if ends else 1))
    if match["day"] or not ends:
        return datetime.date(year, month, int(match["day"] or 1)).toordinal() - _EPOCH
    beyond = datetime.date(year + month // 12, month % 12 + 1, 1)
    return beyond.toordinal() - 1 - _EPOCH


def _parse(builder: TreeBuilder, code: int, type: str) -> Bounds:
    try:
        return parse_bounds(builder.labels[code], type)
    except (ValueError, OverflowError):
        builder.complain(
            f"a range of type {type} must be two bounds with a comma between them; "
            f"{builder.name_nodes([code])} has another label.",
            [builder.rows[code]],
            f"Write it like {'2024-01-01,2024-12-31' if type == 'date' else '0,5'}.",
        )


def _parse_all(builder: TreeBuilder, type: str) -> list[Bounds]:
    return [_parse(builder, code, type) for code in range(len(builder.labels))]


def _refuse_misfit(builder: TreeBuilder, code: int) -> NoReturn:
    builder.complain(
        f"a range must be made of the ranges below it; the one in {builder.name_nodes([code])} is not.",
        [builder.rows[code]],
        "Correct its bounds.",
    )
