"""Data whose reading sets traps in the process that reads them: methods that crash it, that never end, that grow."""

from __future__ import annotations

import dataclasses
import os
import signal
import time
from pathlib import Path

import sfumato as sf
from sfumato.data.dataset import Dataset
from sfumato.studies.source import hash_plain

CRASH, HANG, GROW, FAULT, SLOW = 11, 13, 17, 19, 23
"""Values of k that are traps."""


def people(size: int = 60) -> Dataset:
    rows = [(20 + (7 * number) % 50, "fm"[number % 2], 1000 + (13 * number) % 9) for number in range(size)]
    return Dataset.of("table", rows, ("age", "sex", "zip"))


@dataclasses.dataclass(frozen=True)
class Trapped:
    """A small table; what was run is noted in a file, if one is named."""

    size: int = 60
    log: str = ""

    def read(self) -> Dataset:
        _set_traps(self.log)
        return people(self.size)

    def digest(self) -> str:
        return hash_plain([self.size])


def _set_traps(log: str) -> None:
    cls = sf.methods.Mondrian
    anonymize = cls.anonymize

    def spring(self, dataset, run):
        if log:
            with Path(log).open("a") as file:
                file.write(f"{self.k}\n")
        if self.k == CRASH:
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.k == HANG:
            time.sleep(1000)
        if self.k == SLOW:
            time.sleep(0.5)
        if self.k == GROW:
            kept = []
            while True:
                kept.append(bytearray(b"x") * 10_000_000)
                time.sleep(0.001)
        if self.k == FAULT:
            raise RuntimeError("Ann Smith, 1 Main Street")
        return anonymize(self, dataset, run)

    cls.anonymize = spring
