"""When checkers run compiled code: where plain NumPy would take longer than loading it.

Loading Numba and what was compiled earlier takes about as long as NumPy needs for some hundred million comparisons.
Below that a check has the same answer sooner without it; tests hold the two against each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["is_compiled_for", "set_smallest"]

_SMALLEST = 200_000_000
"""Comparisons that NumPy makes in about a third of a second: loading takes as long, or longer."""

_smallest = ContextVar("smallest", default=_SMALLEST)


def is_compiled_for(comparisons: int) -> bool:
    """Tell whether so many comparisons are left to compiled code.

    Examples
    --------
    >>> is_compiled_for(1000), is_compiled_for(10**9)
    (False, True)
    """
    return comparisons >= _smallest.get()


@contextmanager
def set_smallest(comparisons: int) -> Iterator[None]:
    """Run compiled code from so many comparisons on: from 0, to compile ahead what checkers may need.

    Examples
    --------
    >>> with set_smallest(0):
    ...     is_compiled_for(1)
    True
    """
    token = _smallest.set(comparisons)
    try:
        yield
    finally:
        _smallest.reset(token)
