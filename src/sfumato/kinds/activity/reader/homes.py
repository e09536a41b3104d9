"""Recordings of smart homes: lists of activities (ADL) and seconds with sensors and residents (ARAS)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.exceptions import SchemaError
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.readers.cells import parse_numbers
from sfumato.readers.tables import parse_table

__all__ = ["ARAS_ACTIVITIES", "is_adl", "is_aras", "list_recordings", "parse_adl", "parse_aras"]

Longs = npt.NDArray[np.int64]

ARAS_ACTIVITIES = (
    *("Other", "Going Out", "Preparing Breakfast", "Having Breakfast", "Preparing Lunch", "Having Lunch"),
    *("Preparing Dinner", "Having Dinner", "Washing Dishes", "Having Snack", "Sleeping", "Watching TV", "Studying"),
    *("Having Shower", "Toileting", "Napping", "Using Internet", "Reading Book", "Laundry", "Shaving"),
    *("Brushing Teeth", "Talking on the Phone", "Listening to Music", "Cleaning", "Having Conversation"),
    *("Having Guest", "Changing Clothes"),
)
"""The activities of ARAS, in the order of their codes from 1."""
_SENSORS, _RESIDENTS = 20, 2
_SECONDS = 86_400
_RULE = re.compile(r"[-\s]*-[-\s]*")
_ADL_LINE = re.compile(r"\s*(\S+ \S+)\s+(\S+ \S+)\s+(\S.*?)\s*")
_ARAS_LINE = re.compile(rf"\s*(?:[01]\s+){{{_SENSORS}}}\d+\s+\d+\s*", re.ASCII)
_DIGITS = re.compile(r"(\d+)", re.ASCII)


def is_adl(lines: Sequence[str]) -> bool:
    """Return whether lines begin with the two header lines of ADL files.

    Examples
    --------
    >>> is_adl(["Start time\\tEnd time\\tActivity", "-----\\t-----\\t-----", "2011-11-28 02:27:59"])
    True
    >>> is_adl(["person,start,end,activity"])
    False
    """
    return len(lines) > 1 and lines[0].lower().startswith("start time") and bool(_RULE.fullmatch(lines[1]))


def is_aras(lines: Sequence[str]) -> bool:
    """Return whether lines hold twenty sensors and the activities of two residents.

    Examples
    --------
    >>> is_aras(["0 " * 20 + "12 17"]), is_aras(["0 1 12 17"])
    (True, False)
    """
    return bool(lines) and all(_ARAS_LINE.fullmatch(line) for line in lines)


def parse_adl(name: str, text: bytes) -> tuple[pa.Table, Longs]:
    """Read the list of activities of one home: start, end and activity, and the line of each.

    Examples
    --------
    >>> text = b"Start time\\tEnd time\\tActivity\\n---\\t---\\t---\\n2011-11-28 02:27:59\\t2011-11-28 10:18:11\\tSleep"
    >>> parse_adl("home.txt", text)[0].to_pylist()
    [{'start': '2011-11-28 02:27:59', 'end': '2011-11-28 10:18:11', 'activity': 'Sleep'}]
    """
    rows, numbers, strange = [], [], []
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text.decode()), start=1):
        if number <= 2 or not line.strip():
            continue
        match = _ADL_LINE.fullmatch(line)
        if match is None:
            strange.append(number)
        else:
            rows.append(match.groups())
            numbers.append(number)
    if strange:
        raise SchemaError(
            f"{name}: below the header, every line must hold a start, an end and an activity; look at "
            f"{name_rows(strange, 'line')}.",
            rows=select_shown(strange),
            hint="Correct or remove such lines.",
        )
    if not rows:
        raise SchemaError(
            f"{name}: there are no activities below the two header lines.", hint="Give a file with activities."
        )
    start, end, activity = (list(column) for column in zip(*rows, strict=True))
    return pa.table({"start": start, "end": end, "activity": activity}), np.array(numbers)


def parse_aras(name: str, text: bytes) -> Longs:
    """Read a day of ARAS: the code of the activity of each resident, a row, in each second.

    Examples
    --------
    >>> parse_aras("DAY_1.txt", b"0 " * 20 + b"12 17").tolist()
    [[12], [17]]
    """
    text = re.sub(rb"[ \t]*(\r\n|\r|\n)", rb"\n", re.sub(rb"[ \t]+", b" ", text)).strip()
    width = _SENSORS + _RESIDENTS
    header = [f"sensor{i}" for i in range(1, _SENSORS + 1)] + [f"resident{i}" for i in range(1, _RESIDENTS + 1)]
    table = parse_table(name, re.sub(rb"(?m)^ ", b"", text), "csv", delimiter=" ", header=header)
    if table.num_rows > _SECONDS:
        raise SchemaError(
            f"{name}: a day has {_SECONDS:,} seconds, the file has {table.num_rows:,} lines.",
            hint="Give one file for each day.",
        )
    codes = np.stack([parse_numbers(name, column, table.column(column)) for column in header[_SENSORS:width]])
    wrong = ((codes < 1) | (codes > len(ARAS_ACTIVITIES)) | (codes != np.floor(codes))).any(axis=0)
    if wrong.any():
        lines = (np.flatnonzero(wrong) + 1).tolist()
        raise SchemaError(
            f"{name}: activities of residents must have codes from 1 to {len(ARAS_ACTIVITIES)}; look at "
            f"{name_rows(lines, 'line')}.",
            rows=select_shown(lines),
            hint="Correct the data.",
        )
    return codes.astype(np.int64)


def list_recordings(folder: Path) -> list[tuple[str, list[Path]]]:
    """Return the files of a folder by home: those in it, and those in folders in it; ``DAY_10`` after ``DAY_9``.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("DAY_10.txt", "DAY_9.txt"):
    ...     (folder / name).touch()
    >>> [(home, [file.name for file in files]) for home, files in list_recordings(folder)]
    [('', ['DAY_9.txt', 'DAY_10.txt'])]
    """
    places = [folder, *sorted((path for path in folder.iterdir() if path.is_dir()), key=_natural)]
    homes = []
    for place in places:
        files = [path for path in place.iterdir() if path.is_file() and not path.name.startswith(".")]
        if files:
            homes.append(("" if place == folder else place.name, sorted(files, key=_natural)))
    if not homes:
        raise SchemaError(f"{folder}: there are no files in this directory.", hint="Give another directory.")
    return homes


def _natural(path: Path) -> list[tuple[int, str]]:
    """Order names by the numbers in them."""
    return [
        (int(part), "") if part.isascii() and part.isdecimal() else (-1, part)
        for part in _DIGITS.split(path.name)
        if part
    ]
