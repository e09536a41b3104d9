"""Detection of files with daily activities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.kinds.activity.reader.diaries import WORDS
from sfumato.kinds.activity.reader.homes import is_adl, is_aras
from sfumato.kinds.activity.reader.slot_columns import choose_columns
from sfumato.readers.archives import list_parts
from sfumato.readers.detect import Detection, FileProfile
from sfumato.readers.options import ReadOptions
from sfumato.readers.protection import choose_l, share_with_sensitive
from sfumato.readers.tables import first_lines
from sfumato.readers.weights import is_weight

__all__ = ["detect", "knows_folder", "protect"]

_MIN_SLOTS = 6
_MOST_ACTIVITIES = 200
_METHOD = ("mc", {"k": 5})
_MINUTES = 1_440
_MOST_SLOTS = 50_000_000
"""Slots of all people from which on a first look should be a coarser one."""
_IDS = ("id", "pid", "person_id", "respondent_id", "case_id", "caseid")


def detect(preview: FileProfile) -> Detection | None:
    """Take files for activities that hold episodes, diaries or one column per slot.

    Examples
    --------
    >>> import pyarrow as pa
    >>> cells = {"id": ["1", "2"]} | {f"t{i}": ["work", "home"] for i in range(1, 9)}
    >>> found = detect(FileProfile.of_table("a.csv", pa.table(cells)))
    >>> found.score, found.options
    (88, {'slots': 't1:t8', 'drop': ['*'], 'columns': {'person': 'id'}})
    """
    if is_adl(preview.lines[:5]) and "activity" in preview.lines[0].lower():
        reasons = ["The two lines on top are those of ADL recordings: start, end and activity, a home being a person."]
        return Detection("activity", 100, {"split": "day", "faults": "mend"}, reasons, *_METHOD, of_lines=True)
    if is_aras(preview.lines[:5]):
        reasons = ["Lines hold twenty sensors and the activities of two residents, as ARAS recordings do."]
        return Detection("activity", 100, {}, reasons, *_METHOD, of_lines=True)
    return _detect_episodes(preview) or _detect_slots(preview)


def knows_folder(folder: Path) -> bool:
    """Return whether a folder holds recordings of smart homes, which are read together."""
    begins = [first_lines(next(iter(part.blocks()), b""), 5) for part in list_parts(folder)]
    return any(is_adl(lines) and "activity" in lines[0].lower() for lines in begins) or all(map(is_aras, begins))


def _detect_episodes(preview: FileProfile) -> Detection | None:
    roles = {role: name for role, name in preview.find_roles(WORDS).items() if role in WORDS.roles}
    timed = {role for role in ("start", "end", "duration") if role in roles}
    if "activity" not in roles or "person" not in roles or timed not in ({"start", "end"}, {"duration"}):
        return None
    reasons = [f"`{column}` is read as {role} by its name." for role, column in roles.items()]
    if timed == {"duration"}:
        reasons.append("Durations follow one another from the beginning of a day, in the order of the file.")
    options: dict[str, Any] = {"columns": roles, "drop": ["*"]}
    if timed == {"start", "end"}:
        options["split"] = "day"
    slots = preview.columns[roles["person"]].distinct * _MINUTES
    if timed == {"duration"} and slots > _MOST_SLOTS:
        options["resolution"] = "hour"
        reasons.append(f"Slots of a minute would be {slots:,}, which takes long; slots are an hour (resolution).")
    more, why = preview.suggest_missing(list(roles.values()))
    return Detection("activity", 92, options | more, reasons + why, *_METHOD)


def _detect_slots(preview: FileProfile) -> Detection | None:
    """Take columns that are numbered or dated one after another, and share their values, for slots."""
    if preview.rows is None:
        return None
    slots = choose_columns(preview.name, preview.rows.column_names, ReadOptions("activity"))
    if len(slots) < _MIN_SLOTS or any(preview.columns[name].shape in {"list", "other"} for name in slots):
        return None
    chunks = [chunk for name in slots for chunk in preview.rows.column(name).cast(pa.string()).chunks]
    values: Any = pa.chunked_array(chunks).unique()
    widest = max(preview.columns[name].distinct for name in slots)
    if len(values) > min(_MOST_ACTIVITIES, 3 * widest + 3):
        return None
    reasons = [
        f"The {len(slots)} columns from `{slots[0]}` to `{slots[-1]}` follow one another and share {len(values):,} "
        "values: a column is a slot of time and a value an activity."
    ]
    options: dict[str, Any] = {"slots": f"{slots[0]}:{slots[-1]}", "drop": ["*"]}
    person = next(
        (
            name
            for name, column in preview.columns.items()
            if name not in slots and column.distinct == column.rows and name.lower() in (*_IDS, *WORDS.names)
        ),
        None,
    )
    if person is not None:
        options["columns"] = {"person": person}
        reasons.append(f"`{person}` has another value in every row: it names people.")
    else:
        reasons.append("No column has another value in every row: each row is a record.")
    weight = next(
        (name for name in preview.columns if name not in slots and is_weight(name, preview.rows.column(name))),
        None,
    )
    if weight is not None:
        options["weight"] = weight
        reasons.append(
            f"`{weight}` is a survey weight by its name and size: it counts in measures and is not published."
        )
    reasons.append("Other columns are left out: they are about people, not about activities.")
    return Detection("activity", 88, options, reasons, "mc", {"k": 5, "aggregate": "slot"})


def protect(detection: Detection, dataset: Dataset) -> Detection:
    """Choose a method that bounds the share of sensitive activities, where some are named."""
    if not dataset.schema.sensitive:
        return detection
    share = share_with_sensitive(dataset)
    if choose_l(share) is None:
        detection = detection.warn(
            f"epsilon=1/2 may be impossible: {100 * share:.0f} % of the records do the same sensitive activity. Use a "
            "larger epsilon, or a longer delta."
        )
    reason = "The method bounds the share of sensitive activities in a group (delta, epsilon)."
    return detection._replace(method="mc-l-mdav-wd").add(reason, delta="6", epsilon="1/2")
