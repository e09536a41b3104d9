"""Texts that are declared as numbers, truth values and dates: which of them are written as the datatype asks.

References
----------
W3C XML Schema Definition Language (XSD) 1.1 Part 2: Datatypes, section 3.
"""

from __future__ import annotations

import calendar
import re
from decimal import Decimal

from sfumato.ontologies.terms import COMMON

__all__ = ["fits_datatype"]

_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_YEAR = r"(?P<year>-?(?:[1-9][0-9]{3,}|0[0-9]{3}))"
_MONTH = r"(?P<month>0[1-9]|1[0-2])"
_DATE = rf"{_YEAR}-{_MONTH}-(?P<day>0[1-9]|[12][0-9]|3[01])"
_TIME = r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?)"
_ZONE = r"(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
_FLOAT = rf"{_NUMBER}(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN"

_PATTERNS = {
    COMMON["xsd"] + name: re.compile(pattern)
    for name, pattern in {
        "decimal": _NUMBER,
        "double": _FLOAT,
        "float": _FLOAT,
        "boolean": "true|false|1|0",
        "date": _DATE + _ZONE,
        "dateTime": f"{_DATE}T{_TIME}{_ZONE}",
        "gYear": _YEAR + _ZONE,
        "gYearMonth": f"{_YEAR}-{_MONTH}{_ZONE}",
    }.items()
}
_INTEGER = re.compile(r"[+-]?[0-9]+")
_RANGES: dict[str, tuple[int | None, int | None]] = {
    COMMON["xsd"] + name: bounds
    for name, bounds in {
        "integer": (None, None),
        "nonNegativeInteger": (0, None),
        "positiveInteger": (1, None),
        "nonPositiveInteger": (None, 0),
        "negativeInteger": (None, -1),
        "long": (-(2**63), 2**63 - 1),
        "int": (-(2**31), 2**31 - 1),
        "short": (-(2**15), 2**15 - 1),
        "byte": (-(2**7), 2**7 - 1),
        "unsignedLong": (0, 2**64 - 1),
        "unsignedInt": (0, 2**32 - 1),
        "unsignedShort": (0, 2**16 - 1),
        "unsignedByte": (0, 2**8 - 1),
    }.items()
}


def fits_datatype(text: str, datatype: str) -> bool:
    """Return whether a text is written as a datatype of XML Schema asks; of a datatype not known here, every text is.

    Examples
    --------
    >>> xsd = "http://www.w3.org/2001/XMLSchema#"
    >>> fits_datatype("12", xsd + "integer"), fits_datatype("12 cm", xsd + "integer")
    (True, False)
    >>> fits_datatype("2023-02-29", xsd + "date"), fits_datatype("12 cm", "http://example.org/length")
    (False, True)
    """
    if datatype in _RANGES:
        least, most = _RANGES[datatype]
        if not _INTEGER.fullmatch(text):
            return False
        # Python refuses to make an int of thousands of digits.
        number = Decimal(text)
        return (least is None or number >= least) and (most is None or number <= most)
    if datatype not in _PATTERNS:
        return True
    match = _PATTERNS[datatype].fullmatch(text)
    return match is not None and _has_day(match.groupdict())


def _has_day(parts: dict[str, str]) -> bool:
    """Return whether a month has the day of a date; what is no date has no day to ask for."""
    if "day" not in parts:
        return True
    # Leap years come round every 400 years, so that the last four digits decide.
    leap = calendar.isleap(int(parts["year"][-4:]))
    return int(parts["day"]) <= calendar.monthrange(2000 if leap else 2001, int(parts["month"]))[1]
