"""Detection of files with records that come in over time."""

from __future__ import annotations

from sfumato.data.dataset import Dataset
from sfumato.readers.detect import Detection, FileProfile
from sfumato.readers.protection import choose_l, list_sensitive

__all__ = ["detect", "protect"]

_SENSITIVE = ("diagnosis", "disease", "illness", "condition", "symptom", "ill", "offence", "crime", "result", "icd")
_TIMES = ("time", "timestamp", "datetime", "date", "date_time", "day", "week", "month")
_MOST_VALUES = 100


def detect(preview: FileProfile) -> Detection | None:
    """Take tables for snapshots that have a date and one column that is sensitive by its name.

    Examples
    --------
    >>> import pyarrow as pa
    >>> cells = {"date": ["2024-01-01", "2024-01-01"], "age": ["3", "4"], "disease": ["flu", "cold"]}
    >>> found = detect(FileProfile.of_table("a.csv", pa.table(cells)))
    >>> found.score, found.options
    (58, {'columns': {'time': 'date', 'quasi-identifier': 'age'}, 'sensitive': ['disease'], 'drop': ['*']})
    """
    times = [name for name in preview.find_dates() if name.lower() in _TIMES]
    given = list(preview.given.get("sensitive", ()))
    values = given or [name for name in preview.columns if name.lower() in _SENSITIVE]
    if len(times) != 1 or len(values) != 1 or not preview.columns[times[0]].repeats:
        return None
    others = [
        name
        for name, column in preview.columns.items()
        if name not in (*times, *values, *preview.given.get("drop", ()))
        and column.distinct <= _MOST_VALUES
        and column.shape not in {"list", "other"}
        and column.suspect is None
        and "," not in name
    ]
    reasons = [
        f"`{times[0]}` holds dates that many rows share, and `{values[0]}` is sensitive"
        f"{'' if given else ' by its name'}: rows are records that came in over time.",
        f"Quasi-identifiers, which others may know: {', '.join(f'`{name}`' for name in others) or 'none'}.",
    ]
    columns = {"time": times[0]} | ({"quasi-identifier": ",".join(others)} if others else {})
    more, why = preview.suggest_missing([*times, *values, *others])
    options = {"columns": columns, "sensitive": values, "drop": ["*"], **more}
    return Detection("snapshots", 58, options, reasons + why, "reposition", {"l": 2, "window": 7})


def protect(detection: Detection, dataset: Dataset) -> Detection:
    """Add that sensitive values are bounded, or warn that one of them is too frequent for it."""
    l = detection.parameters["l"]
    for column in list_sensitive(dataset):
        if choose_l(column.share) is None:
            return detection.warn(
                f"l={l} cannot hold for all records: {100 * column.share:.0f} % of them share one value of "
                f"`{column.name}`. Many will be suppressed."
            )
        detection = detection.add(f"No value of `{column.name}` is in more than 1 of {l} records of a group (l).")
    return detection
