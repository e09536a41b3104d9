"""Peak memory of a command and of the processes it starts, looked at again and again while it runs."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NamedTuple

_EVERY = 0.2
"""Seconds between two looks."""


class Peaks(NamedTuple):
    """Megabytes: of the first process, of the largest other one, and of all of them at a time, shared pages once."""

    driver: float
    worker: float
    together: float


class Watch:
    """Looks at a process and its children until it is stopped."""

    def __init__(self, process: int) -> None:
        self._process, self._ended = process, threading.Event()
        self._driver = self._worker = self._together = 0.0
        self._thread = threading.Thread(target=self._sample_memory, daemon=True)
        self._thread.start()

    def stop(self) -> Peaks:
        """Stop looking; return what was seen."""
        self._ended.set()
        self._thread.join()
        return Peaks(self._driver, self._worker, self._together)

    def _sample_memory(self) -> None:
        while not self._ended.wait(_EVERY):
            sizes = {process: _size(process) for process in _family(self._process)}
            own = sizes.pop(self._process, (0.0, 0.0))
            self._driver = max(self._driver, own[0])
            self._worker = max([self._worker, *(size for size, _ in sizes.values())])
            self._together = max(self._together, own[1] + sum(share for _, share in sizes.values()))


def _family(process: int) -> list[int]:
    found, waiting = [], [process]
    while waiting:
        found.append(waiting.pop())
        for file in Path(f"/proc/{found[-1]}/task").glob("*/children"):
            try:
                waiting += [int(child) for child in file.read_text().split()]
            except (OSError, ValueError):
                continue
    return found


def _size(process: int) -> tuple[float, float]:
    """Return resident memory, and the share of it that a process answers for."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0.0, 0.0
    numbers = {line.split(":")[0]: line.split()[1] for line in text.splitlines()[1:]}
    return int(numbers.get("Rss", 0)) / 1024, int(numbers.get("Pss", 0)) / 1024
