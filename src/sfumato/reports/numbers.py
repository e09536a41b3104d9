"""Numbers as people read them: thousands separated, no more digits than they are worth."""

from __future__ import annotations

import math
from numbers import Real

__all__ = ["choose_edges", "show_amount", "show_bin", "show_count", "show_number", "show_share"]

_NOTHING = "–"
_ROUNDING = 1e-12
_SMALLEST = 1e-4


def show_count(value: int) -> str:
    """Write a whole number with its thousands separated.

    Examples
    --------
    >>> show_count(1234567)
    '1,234,567'
    """
    return f"{int(value):,}"


def show_amount(value: int, singular: str, many: str) -> str:
    """Write a whole number of things.

    Examples
    --------
    >>> show_amount(1, "person", "people"), show_amount(1200, "person", "people")
    ('1 person', '1,200 people')
    """
    return f"{show_count(value)} {singular if value == 1 else many}"


def show_share(value: float | None) -> str:
    """Write a share of one as a percentage that is never rounded to none or all.

    Examples
    --------
    >>> [show_share(value) for value in (0.0, 0.00001, 0.6312, 0.99996, 1.0)]
    ['0 %', '< 0.01 %', '63.1 %', '> 99.99 %', '100 %']
    """
    if value is None or not math.isfinite(value):
        return _NOTHING
    percent = value * 100 if abs(value) >= _ROUNDING else 0.0
    if percent in (0, 100):
        return f"{percent:.0f} %"
    if 0 < percent < 0.01:
        return "< 0.01 %"
    if 99.99 < percent < 100:
        return "> 99.99 %"
    digits = 2 if percent < 1 or 99 < percent < 100 else 1
    return f"{percent:,.{digits}f} %"


def show_number(value: object) -> str:
    """Write any number: whole ones in full, others with three digits or their whole part; words as they are.

    What is nearer to nothing than rounding is nothing, and what is too small to be read is called so.

    Examples
    --------
    >>> [show_number(value) for value in (12345, 12345.6, 0.123456, 3.0, 0.00001234, 2e-16)]
    ['12,345', '12,346', '0.123', '3', '< 0.0001', '0']
    >>> [show_number(value) for value in (None, True, [26, 64], "odd")]
    ['–', 'yes', '26, 64', 'odd']
    """
    if isinstance(value, (list, tuple)):
        return ", ".join(map(show_number, value)) or _NOTHING
    if isinstance(value, bool) or not isinstance(value, Real):
        return {"None": _NOTHING, "True": "yes", "False": "no"}.get(str(value), str(value))
    number = float(value)
    return _show_real(number) if math.isfinite(number) else _NOTHING


def _show_real(number: float) -> str:
    if abs(number) < _ROUNDING:
        return "0"
    if number == int(number):
        return show_count(int(number))
    if abs(number) < _SMALLEST:
        return "< 0.0001" if number > 0 else "> −0.0001"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def show_bin(first: int, end: int) -> str:
    """Name the whole numbers from `first` up to, but not including, `end`.

    Examples
    --------
    >>> show_bin(2, 3), show_bin(1000, 2000)
    ('2', '1,000–1,999')
    """
    return show_count(first) if end == first + 1 else f"{show_count(first)}–{show_count(end - 1)}"


def choose_edges(most: int, k: int | None) -> list[int]:
    """Return edges 1, 2, 3, 5, 10, 20, 50, ... beyond `most`, and k.

    Examples
    --------
    >>> choose_edges(12, 4)
    [1, 2, 3, 4, 5, 10, 20]
    """
    edges, power = [1, 2, 3, 5], 10
    while edges[-1] <= most:
        edges += [power, 2 * power, 5 * power]
        power *= 10
    end = next(i for i, edge in enumerate(edges) if edge > most)
    return sorted({*edges[: end + 1], *([k] if k else [])})
