"""Detection of files with sequences of timed events."""

from __future__ import annotations

from typing import Any

from sfumato.kinds.sequences.reader.values import WORDS
from sfumato.kinds.sequences.reader.weblog import is_weblog
from sfumato.readers.detect import Detection, FileProfile
from sfumato.readers.layouts import is_spmf

__all__ = ["detect"]

_ALL = {"monitored": ["*"]}
_MONITORED = "Name the events that recipients know (monitored); until then all of them are monitored."


def detect(preview: FileProfile) -> Detection | None:
    """Take files for sequences that have people, events and times.

    Examples
    --------
    >>> import pyarrow as pa
    >>> cells = {"case_id": ["7", "7"], "activity": ["a", "b"], "timestamp": ["2024-01-01", "2024-01-02"]}
    >>> found = detect(FileProfile.of_table("a.csv", pa.table(cells)))
    >>> found.score, found.options["columns"]
    (80, {'person': 'case_id', 'event': 'activity', 'time': 'timestamp'})
    """
    if preview.lines and is_weblog(preview.lines[:5]):
        reasons = ["The lines are requests of a web server's log; a host is a person."]
        return Detection("sequences", 100, _ALL, reasons, "hi", {"k": 5}, (_MONITORED,), of_lines=True)
    if is_spmf(preview.lines) and any("<" in line for line in preview.lines):
        reasons = ["Every line ends with -2 and has times in <>: sequences of SPMF with times."]
        return Detection("sequences", 95, _ALL, reasons, "hi", {"k": 5}, (_MONITORED,), of_lines=True)
    return _detect_table(preview)


def _detect_table(preview: FileProfile) -> Detection | None:
    roles = {role: name for role, name in preview.find_roles(WORDS).items() if role in {"person", "time", "event"}}
    reasons = [f"`{column}` is read as {role} by its name." for role, column in roles.items()]
    score = 80
    left: tuple[str, ...] = (_MONITORED,)
    if "person" not in roles or not preview.columns[roles["person"]].repeats:
        return None
    if roles.get("time") not in preview.find_dates():
        dates = preview.find_dates()
        if len(dates) != 1:
            return None
        roles["time"] = dates[0]
        reasons.append(f"`{dates[0]}` is the only column of dates.")
    if "event" not in roles:
        column = _find_event(preview, roles)
        if column is None:
            return None
        roles["event"], score = column, 65
        reasons.append(
            f"People in `{roles['person']}` have several dated rows: these are histories. Of the other columns, "
            f"`{column}` has the fewest different values and is read as event."
        )
        left = (f"Name a better column for events than `{column}`, if there is one (columns).", *left)
    options: dict[str, Any] = {"columns": roles, "drop": ["*"], **_ALL}
    if preview.columns[roles["time"]].shape == "calendar":
        options["resolution"] = "day"
        reasons.append(f"Numbers in `{roles['time']}` are days of the calendar, written as 20240131.")
    more, why = preview.suggest_missing(list(roles.values()))
    return Detection("sequences", score, options | more, reasons + why, "hi", {"k": 5}, left)


def _find_event(preview: FileProfile, roles: dict[str, str]) -> str | None:
    """Return the column with the fewest different values, two at least, that are labels or whole numbers."""
    left = [
        column
        for name, column in preview.columns.items()
        if name not in roles.values() and column.shape in {"text", "whole"} and column.distinct > 1 and not column.empty
    ]
    return min(left, key=lambda column: column.distinct).name if left else None
