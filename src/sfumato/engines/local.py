"""Independent parts on the cores of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["Local"]

A = TypeVar("A")
B = TypeVar("B")


class Local:
    """Runs parts in threads; kernels release the interpreter's lock, so cores are used.

    Results come in the order of the parts, so they do not depend on the number of cores.

    Examples
    --------
    >>> Local(cores=2).map(lambda part: part * 2, [1, 2, 3])
    [2, 4, 6]
    """

    def __init__(self, cores: int | None = None) -> None:
        self.cores = cores or os.cpu_count() or 1
        self.stopping = False

    def map(self, work: Callable[[A], B], parts: Iterable[A]) -> list[B]:
        """Return the results in the order of the parts."""
        waiting = list(parts)
        if self.cores == 1 or len(waiting) < 2:
            return [work(part) for part in waiting]
        pool = ThreadPoolExecutor(min(self.cores, len(waiting)))
        patient = True
        try:
            return list(pool.map(work, waiting))
        except BaseException as error:
            self.stopping = True
            # Parts stop when they next show how far they are; whoever pressed Ctrl-C does not wait for that.
            patient = not isinstance(error, KeyboardInterrupt)
            raise
        finally:
            pool.shutdown(wait=patient, cancel_futures=True)
