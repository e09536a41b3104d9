"""Seven people with timed events, and a release of them that keeps its promise."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.kinds.sequences.naive import knowledge as naive
from tests.kinds.sequences.naive.knowledge import Record, make_release

from sfumato.data.dataset import Dataset
from sfumato.data.time_units import TimeUnit
from sfumato.kinds.sequences.guarantees import GroupAnonymity
from sfumato.release.release import Release

MONITORED = ("mail", "chat")
CLAIM = GroupAnonymity(k=2, monitored=MONITORED)
PEOPLE = [
    [("mail", 1), ("news", 4), ("mail", 10)],
    [("mail", 3), ("shop", 5), ("mail", 11)],
    [("mail", 2), ("chat", 3), ("news", 9), ("chat", 10)],
    [("mail", 20), ("bank", 21)],
    [("mail", 22)],
    [("news", 7)],
    [("shop", 8), ("bank", 9)],
]
GROUP = [0, 0, 0, 1, 1, -1, -1]
ROWS = np.arange(len(PEOPLE))


def records() -> list[Record]:
    return naive.publish(PEOPLE, GROUP, MONITORED)


def sound(**changes: Any) -> Release:
    return make_release(records(), changes.pop("guarantee", CLAIM), **changes)


def people(unit: str | None = None) -> Dataset:
    return Dataset.of("sequences", PEOPLE, time_unit=TimeUnit(unit))
