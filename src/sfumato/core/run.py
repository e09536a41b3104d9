"""One run of a method: randomness, progress, timing and the engine, passed in and never global."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["Engine", "Progress", "Run", "silent"]

A = TypeVar("A")
B = TypeVar("B")


class Progress(Protocol):
    """Something that shows how far a run is."""

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` steps of a phase are finished."""


class Engine(Protocol):
    """Something that runs independent parts."""

    stopping: bool

    def map(self, work: Callable[[A], B], parts: Iterable[A]) -> list[B]:
        """Return the results in the order of the parts."""


class _Serial:
    stopping = False

    def map(self, work: Callable[[A], B], parts: Iterable[A]) -> list[B]:
        return [work(part) for part in parts]


def silent(phase: str, done: int, total: int) -> None:
    """Show nothing."""


class Run:
    """Randomness, progress, phase times and the engine of one run.

    Without a seed everything random comes from the operating system. With a seed the run can be
    repeated, and the seed is a secret of the owner.

    Examples
    --------
    >>> run = Run(seed=1)
    >>> sorted(run.shuffled(4).tolist())
    [0, 1, 2, 3]
    >>> with run.phase("count"):
    ...     pass
    >>> list(run.seconds)
    ['count']
    """

    def __init__(self, seed: int | None = None, progress: Progress = silent, engine: Engine | None = None) -> None:
        self.seed = seed
        self.progress = progress
        self.engine: Engine = engine or _Serial()
        self.seconds: dict[str, float] = {}
        self.counters: dict[str, int] = {}
        self.generator = np.random.default_rng(seed)

    def report(self, phase: str) -> Callable[[int, int, int], None]:
        """Return what a kernel calls to show how far it is with sequences of a size."""

        def show(size: int, done: int, total: int) -> None:
            # Parts that run beside the main thread never see Ctrl-C; they stop here.
            if self.engine.stopping:
                raise KeyboardInterrupt
            self.progress(f"{phase} of {size}", done, total)

        return show

    def shuffled(self, n: int) -> npt.NDArray[np.int64]:
        """Return a random order of ``n`` rows."""
        if self.seed is None:
            # PCG64 is not meant for secrets; the operating system's source is.
            return np.argsort(np.frombuffer(os.urandom(8 * n), np.uint64), kind="stable")
        return self.generator.permutation(n)

    def pseudonyms(self, n: int) -> list[str]:
        """Return ``n`` fresh, distinct names that say nothing about anyone."""
        draw = os.urandom if self.seed is None else self.generator.bytes
        names: list[str] = []
        seen: set[str] = set()
        while len(names) < n:
            text = draw(8 * (n - len(names))).hex()
            for i in range(0, len(text), 16):
                name = text[i : i + 16]
                if name not in seen:
                    seen.add(name)
                    names.append(name)
        return names

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time a phase of the run."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
