"""How far a piece of work is: told by whoever does it, shown by whoever looks on.

Methods are handed their progress with the run. What reads, checks and measures is called from everywhere and has none;
it tells whoever watches in a ``with`` block, and nobody otherwise.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import Protocol, TypeVar

__all__ = ["Progress", "report_phase", "report_progress", "silent", "track", "watch"]

Step = TypeVar("Step")


class Progress(Protocol):
    """Something that shows how far a run is."""

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` steps of a phase are finished."""


def silent(phase: str, done: int, total: int) -> None:
    """Show nothing."""


_watching: ContextVar[Progress] = ContextVar("watching", default=silent)


@contextlib.contextmanager
def watch(progress: Progress) -> Iterator[None]:
    """Be told how far the work inside of a ``with`` block is.

    Examples
    --------
    >>> with watch(lambda phase, done, total: print(phase, done, "of", total)):
    ...     squares = [n * n for n in track("square", [3, 4])]
    square 0 of 2
    square 1 of 2
    square 2 of 2
    """
    before = _watching.set(progress)
    try:
        yield
    finally:
        _watching.reset(before)


def report_progress(phase: str, done: int, total: int) -> None:
    """Tell whoever watches that ``done`` of ``total`` steps are finished; no total where nobody can know it."""
    _watching.get()(phase, done, total)


@contextlib.contextmanager
def report_phase(phase: str) -> Iterator[None]:
    """Tell whoever watches that a phase goes on inside of a ``with`` block, and that it is over.

    Examples
    --------
    >>> with watch(lambda phase, done, total: print(repr(phase), done, total)), report_phase("inspect"):
    ...     pass
    'inspect' 0 0
    '' 0 0
    """
    report_progress(phase, 0, 0)
    yield
    report_progress("", 0, 0)


def track(phase: str, steps: Iterable[Step], total: int | None = None) -> Iterator[Step]:
    """Go through steps that take about equally long, telling how many are finished.

    Examples
    --------
    >>> list(track("double", "ab"))
    ['a', 'b']
    """
    expected = total if total is not None else len(steps) if isinstance(steps, Sequence) else 0
    report_progress(phase, 0, expected)
    for done, step in enumerate(steps, start=1):
        yield step
        report_progress(phase, done, expected)
