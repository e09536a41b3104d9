"""Files of activity data written by hand, and slots filled second by second."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sfumato.data.dataset import Dataset
from sfumato.exceptions import SchemaError
from sfumato.kinds.activity.reader import read
from sfumato.readers.options import ReadOptions

CANARY = "Q7canaryZ"
HEADER = "person,start,end,activity\n"
GOOD = "7,2024-01-01T00:00,2024-01-01T08:00,sleep\n7,2024-01-01T08:00,2024-01-02T00:00,work\n"
ADL = "Start time          \tEnd time            \tActivity\t\n--------------------\t------------------\t--------\n"


def write_and_read(folder: Path, content: str | bytes, name: str = "days.csv", **options: Any) -> Dataset:
    """Write a file and read it."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read(file, ReadOptions("activity", **options))


def write_and_refuse(
    folder: Path, content: str | bytes, name: str = "days.csv", error: type[Exception] = SchemaError, **options: Any
) -> str:
    """Read a bad file; return the message after making sure that no cell shows in it or its traceback."""
    with pytest.raises(error) as caught:
        write_and_read(folder, content, name, **options)
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    return str(caught.value)


def fill_second_by_second(episodes: Sequence[tuple[int, int, int]], unit: int, slots: int, gap: int) -> list[int]:
    """Return what takes most of every slot, given (begin, end, activity) of one person in order of time."""
    seconds = [gap] * (unit * slots)
    for begin, end, activity in episodes:
        seconds[begin:end] = [activity] * (end - begin)
    filled = []
    for slot in range(slots):
        part = seconds[slot * unit : (slot + 1) * unit]
        best = max(part.count(activity) for activity in part)
        equal = [activity for activity in part if part.count(activity) == best]
        filled.append(next((activity for activity in equal if activity != gap), gap))
    return filled
