"""Limit of the expansion of compressed files.

A few megabytes can expand to more than any machine holds, by accident or by intent. So a file may expand to at most
:data:`EXPANSION` times its size, and to :data:`ALWAYS` bytes in any case; callers can raise the limit.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.messages import Message, call

__all__ = ["ALWAYS", "EXPANSION", "allow_expansion", "check_expansion", "largest_expansion"]

EXPANSION = 100.0
"""Times its size that a file may expand to, unless more is allowed."""
ALWAYS = 1 << 28
"""Bytes that any file may expand to."""

_allowed: ContextVar[float] = ContextVar("allowed", default=EXPANSION)


@contextlib.contextmanager
def allow_expansion(times: float) -> Iterator[None]:
    """Allow files to expand to more times their size, inside of a ``with`` block.

    Examples
    --------
    >>> with allow_expansion(1000):
    ...     largest_expansion(10**6)
    1000000000
    """
    if not times >= 1:
        name = call("allow_expansion", "--max-expansion")
        raise ParameterError(Message(name, f" must be a number of at least 1, got {times}."), option="max_expansion")
    before = _allowed.set(times)
    try:
        yield
    finally:
        _allowed.reset(before)


def largest_expansion(size: int) -> int:
    """Return how many bytes a file of this size may expand to.

    Examples
    --------
    >>> largest_expansion(10) == ALWAYS
    True
    """
    return max(ALWAYS, int(min(size * _allowed.get(), 2.0**62)))


def check_expansion(name: str, size: int, unpacked: int) -> None:
    """Refuse a file that expands beyond the limit.

    Examples
    --------
    >>> check_expansion("visits.csv.gz", 10**6, 10**9)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: visits.csv.gz: the file expands to more than 268 MB and 100 times its size; it may
    be a decompression bomb. If you trust it, raise the limit: with sf.allow_expansion(1000): ...
    """
    limit = largest_expansion(size)
    if unpacked > limit:
        times = max(1000, int(_allowed.get()) * 10)
        more = call(f"with sf.allow_expansion({times}): ...", f"sfumato --max-expansion {times} ...")
        raise SchemaError(
            f"{name}: the file expands to more than {limit / 1e6:,.0f} MB and {_allowed.get():g} times its size; it "
            "may be a decompression bomb.",
            option="max_expansion",
            hint=Message("If you trust it, raise the limit: ", more),
        )
