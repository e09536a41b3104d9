"""Detection of files with trajectories."""

from __future__ import annotations

import re

import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.kinds.trajectories.reader.coordinates import PAIRS
from sfumato.kinds.trajectories.reader.visits import WORDS
from sfumato.readers.detect import Detection, FileProfile
from sfumato.readers.layouts import is_spmf, recognise_layout
from sfumato.readers.ownership import OWNER
from sfumato.readers.protection import choose_l, share_with_sensitive

__all__ = ["detect", "protect"]

_GRID = "grid:500m"
_TREE = "fanout:4"
_SUPPRESS = {"k": 5, "m": 2, "infeasible": "suppress"}
_PERSON_COLUMNS = ("label", "user", "uid", "user_id", "person", "driver", "taxi", "customer", "member", "patient")
"""Names of columns with the person of a trip, where every trip has one of them."""
_MOVING = (
    "id",
    "object",
    "object_id",
    "vehicle",
    "vehicle_id",
    "taxi_id",
    "device",
    "device_id",
    "driver_id",
    "bike_id",
)
"""Names of columns with what moves, where there are positions too."""
_SEVERAL = re.compile(r"(?<![-\d])\d+ \d")


def detect(preview: FileProfile) -> Detection | None:
    """Take files for trajectories that have positions or places of somebody, or a layout that is known.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"uid": ["7", "7"], "lat": ["1.5", "2.5"], "lng": ["3.5", "4.5"]})
    >>> found = detect(FileProfile.of_table("a.csv", table))
    >>> found.score, found.options["columns"], found.options["places"]
    (85, {'person': 'uid', 'y': 'lat', 'x': 'lng'}, 'grid:500m')
    """
    layout = recognise_layout(preview.lines[:5])
    if layout is not None:
        reasons = [f"The lines are those of {layout.name}, which have no header."]
        return Detection("trajectories", 100, {}, reasons, "local-km", _SUPPRESS, of_lines=True)
    if is_spmf(preview.lines) and not any("<" in line or _SEVERAL.search(line) for line in preview.lines):
        reasons = [
            "Every line ends with -2 and has -1 after every single item: sequences of SPMF, in order, without times.",
            f"There are no coordinates: places are generalised by a tree over their names ({_TREE}).",
        ]
        options = {"hierarchies": {"place": _TREE}}
        parameters = {**_SUPPRESS, "labels": "hierarchy"}
        return Detection("trajectories", 90, options, reasons, "local-km", parameters, of_lines=True)
    return _detect_table(preview)


def _detect_table(preview: FileProfile) -> Detection | None:
    roles = preview.find_roles(WORDS)
    located = {"x", "y"} <= set(roles) or bool(set(PAIRS) & set(roles))
    moving = [name for name, column in preview.columns.items() if name.lower() in _MOVING and column.repeats]
    if located and not {"person", "trajectory"} & set(roles) and len(moving) == 1:
        roles["person"] = moving[0]
    record = roles.get("person") or roles.get("trajectory")
    if record is None or not (located or "place" in roles):
        return None
    reasons = [f"`{column}` is read as {role} by its name." for role, column in roles.items()]
    if "time" in roles and preview.columns[roles["time"]].shape not in {"date", "calendar", "whole", "decimal"}:
        del roles["time"]
    dates = [name for name in preview.find_dates() if name not in roles.values()]
    if "time" not in roles and len(dates) == 1:
        roles["time"] = dates[0]
        reasons.append(f"`{dates[0]}` is the only column of dates.")
    if "person" not in roles:
        reasons += _find_owner(preview, roles)
    if "time" not in roles:
        reasons.append("No column holds dates or times: visits stay in the order of the file.")
    options: dict[str, object] = {"columns": roles, "drop": ["*"]}
    if "place" not in roles:
        options["places"] = _GRID
        reasons.append(f"There are positions and no column of places: places are cells of a grid ({_GRID}).")
    more, why = preview.suggest_missing(list(roles.values()))
    score = (85 if located else 55) + 2 * ("time" in roles)
    if located:
        return Detection("trajectories", score, options | more, reasons + why, "local-km", _SUPPRESS)
    options["hierarchies"] = {"place": _TREE}
    reasons.append(f"There are no coordinates: places are generalised by a tree over their names ({_TREE}).")
    parameters = {**_SUPPRESS, "labels": "hierarchy"}
    return Detection("trajectories", score, options | more, reasons + why, "local-km", parameters)


def _find_owner(preview: FileProfile, roles: dict[str, str]) -> list[str]:
    """Find a column with the person of trips: every trip has one value of it, and values have several trips."""
    assert preview.rows is not None
    trip = roles["trajectory"]
    for name, column in preview.columns.items():
        if (
            name.lower() not in _PERSON_COLUMNS
            or name in roles.values()
            or not 1 < column.distinct < preview.columns[trip].distinct
        ):
            continue
        pairs = preview.rows.select([trip, name]).group_by([trip, name]).aggregate([]).num_rows
        if pairs == preview.columns[trip].distinct and not pc.any(pc.is_null(preview.rows.column(name))).as_py():
            roles[OWNER] = name
            return [f"`{name}` has one value in every `{trip}` and the same in several: it is their owner."]
    return []


def protect(detection: Detection, dataset: Dataset) -> Detection:
    """Bound how many of those who match may have been at a sensitive place, or warn that too many were."""
    if not dataset.schema.sensitive:
        return detection
    share = share_with_sensitive(dataset)
    if choose_l(share) is None:
        detection = detection.warn(
            f"l=2 may be impossible: {100 * share:.0f} % of the records visit the same sensitive place. Name "
            "rarer places, or expect suppressed records."
        )
    return detection.add("Of the records that match, at most 1 of 2 visits a sensitive place (l).", l=2)
