"""How much a small file may grow to when it is unpacked.

A few megabytes can unpack to more than any machine holds, by accident or by intent. So a file may unpack to at most
:data:`EXPANSION` times its size, and to :data:`ALWAYS` bytes in any case; who trusts a file may allow more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from sfumato.exceptions import ParameterError, SchemaError

__all__ = ["ALWAYS", "EXPANSION", "allow_expansion", "check_expansion", "largest_expansion"]

EXPANSION = 100.0
"""Times its size that a file may unpack to, unless more is allowed."""
ALWAYS = 1 << 28
"""Bytes that any file may unpack to."""

_allowed: ContextVar[float] = ContextVar("allowed", default=EXPANSION)


@contextlib.contextmanager
def allow_expansion(times: float) -> Iterator[None]:
    """Let files unpack to so many times their size, inside of a ``with`` block.

    Examples
    --------
    >>> with allow_expansion(1000):
    ...     largest_expansion(10**6)
    1000000000
    """
    if not times >= 1:
        raise ParameterError(f"allow_expansion: must be a number from 1 on, got {times}.")
    before = _allowed.set(times)
    try:
        yield
    finally:
        _allowed.reset(before)


def largest_expansion(size: int) -> int:
    """Return how many bytes a file of a size may unpack to.

    Examples
    --------
    >>> largest_expansion(10) == ALWAYS
    True
    """
    return max(ALWAYS, int(min(size * _allowed.get(), 2.0**62)))


def check_expansion(name: str, size: int, unpacked: int) -> None:
    """Refuse a file that unpacks to more than it may.

    Examples
    --------
    >>> check_expansion("visits.csv.gz", 10**6, 10**9)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: visits.csv.gz: unpacks to more than 268 MB, which is more than 100 times its size;
    it may be made to fill the memory. If you trust it, let it: allow_expansion(1000).
    """
    limit = largest_expansion(size)
    if unpacked > limit:
        raise SchemaError(
            f"{name}: unpacks to more than {limit / 1e6:,.0f} MB, which is more than {_allowed.get():g} times its "
            "size; it may be made to fill the memory. If you trust it, let it: "
            "allow_expansion(1000)."
        )
