"""Lengths of time as people write them: ``48h``, ``3d``, ``90min``, ``week``, or a number of slots."""

from __future__ import annotations

import re

from sfumato.data.time_units import UNITS
from sfumato.exceptions import ParameterError

__all__ = ["SECONDS", "SLOT", "check_span"]

SLOT = "slot"
"""The unit of a length of time that is told by the number of its slots."""
SECONDS = {**UNITS, "week": 7 * UNITS["day"]}
"""How long every other unit is."""

_UNIT_ALIASES = {
    SLOT: ("", "slot", "slots"),
    "second": ("s", "sec", "second", "seconds"),
    "minute": ("min", "minute", "minutes"),
    "hour": ("h", "hour", "hours"),
    "day": ("d", "day", "days"),
    "week": ("w", "week", "weeks"),
    "month": ("month", "months"),
    "quarter": ("q", "quarter", "quarters"),
}
_UNIT = {alias: name for name, aliases in _UNIT_ALIASES.items() for alias in aliases}
_SPAN = re.compile(r"(\d{0,9})\s*([a-z]*)")


def check_span(owner: str, name: str, text: str) -> tuple[int, str]:
    """Return how many of which unit a text says, or raise :class:`ParameterError`.

    Examples
    --------
    >>> check_span("Mc", "delta", "48h"), check_span("Mc", "delta", "week"), check_span("Mc", "delta", "6")
    ((48, 'hour'), (1, 'week'), (6, 'slot'))
    >>> check_span("Mc", "delta", "soon")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Mc: delta must be a length of time such as 90min, 48h, 3d or week, or a number \
of slots, got 'soon'.
    """
    match = _SPAN.fullmatch(text.strip().lower())
    unit = _UNIT.get(match[2]) if match else None
    nothing = match is not None and (not match[0] or (match[1] != "" and int(match[1]) == 0))
    if match is None or unit is None or nothing:
        raise ParameterError(
            f"{owner}: {name} must be a length of time such as 90min, 48h, 3d or week, or a number of slots, "
            f"got {text!r}."
        )
    return int(match[1] or 1), unit
