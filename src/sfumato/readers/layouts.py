"""Files without a header that are recognised by their first lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Layout", "is_spmf", "is_utf8", "recognise_layout"]

_NUMBER = r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?"
_SPMF_TOKEN = re.compile(r"-?\d+|<-?\d+>", re.ASCII)


class Layout(NamedTuple):
    """A file format without a header, and the names of its columns."""

    name: str
    line: re.Pattern[str]
    header: tuple[str, ...]
    delimiter: str = "\t"
    encoding: str | None = None
    """Encoding of the text, if it is not UTF-8."""


_LAYOUTS = (
    Layout(
        "Foursquare (TSMC) check-ins",
        re.compile(
            rf"[^\t]+\t[^\t]+\t[^\t]*\t[^\t]*\t{_NUMBER}\t{_NUMBER}\t[+-]?\d+\t"
            r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d [+-]\d{4} \d{4}\s*",
            re.ASCII,
        ),
        (
            "userId",
            "venueId",
            "venueCategoryId",
            "venueCategory",
            "latitude",
            "longitude",
            "timezoneOffset",
            "utcTimestamp",
        ),
        encoding="latin-1",
    ),
    Layout(
        "Gowalla or Brightkite check-ins",
        re.compile(rf"[^\t]+\t\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\dZ?\t{_NUMBER}\t{_NUMBER}\t[^\t]+", re.ASCII),
        ("user", "time", "latitude", "longitude", "location"),
    ),
)


def recognise_layout(lines: Sequence[str]) -> Layout | None:
    """Return the layout of all the lines; None where it is unknown.

    Examples
    --------
    >>> recognise_layout(["0\\t2010-10-19T23:55:27Z\\t30.23\\t-97.79\\t22847"]).name
    'Gowalla or Brightkite check-ins'
    >>> recognise_layout(["person,time,place"])
    """
    matches = (layout for layout in _LAYOUTS if lines and all(layout.line.fullmatch(line) for line in lines))
    return next(matches, None)


def is_spmf(lines: Sequence[str]) -> bool:
    """Return whether lines are SPMF sequences: numbers, ``-1`` after each place, ``-2`` at the end.

    Examples
    --------
    >>> is_spmf(["@ITEM=1=apple", "1 -1 2 -1 -2"]), is_spmf(["person,place"])
    (True, False)
    """
    rows = [line.split() for line in lines if not line.startswith(("@", "#", "%"))]
    if not rows:
        return any(line.startswith(("@ITEM=", "@CONVERTED_FROM")) for line in lines)
    return all(row[-1] == "-2" and all(map(_SPMF_TOKEN.fullmatch, row)) for row in rows)


def is_utf8(data: bytes) -> bool:
    """Return whether bytes are text in UTF-8.

    Examples
    --------
    >>> is_utf8("café".encode()), is_utf8("café".encode("latin-1"))
    (True, False)
    """
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
