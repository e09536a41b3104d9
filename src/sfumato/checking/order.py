"""What order and numbers could tell: all of them must follow from what is published, so that they tell nothing more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.checking.verdict import Verdict
from sfumato.core.ragged import Ragged
from sfumato.core.recoding import name_values
from sfumato.core.release import Release
from sfumato.kinds.activity.published import PublishedClasses
from sfumato.kinds.sequences.published import Stretches, TimedRecords, sequence_columns
from sfumato.kinds.snapshots.published import PublishedSnapshots

__all__ = ["verify_order"]

_CHECK = "order and numbers tell nothing"
_NUMBERED = {"clusters": "cluster", "classes": "class"}
"""Further tables whose rows are numbered, and the column that does it."""

_NAMES = {
    "trajectories": (("person", "places"),),
    "sequences": (("person", "monitored", "monitored_times", "blurred", "blurred_times", "events", "times"),),
    "sets": (("person", "items"), ("cluster", "chunk", "items")),
    "timeline": (("time", "events", "counts"),),
}
"""What columns are called, by kind; those of other kinds are fixed elsewhere or the owner's own."""

_REMOVING = ("trajectories", "sets")
"""Kinds whose releases list the values that were removed everywhere."""


def verify_order(release: Release) -> Verdict:
    """Look for names, numbers and orders that could have been chosen freely, and so could say something.

    People, clusters and classes are the numbers from 1 as they are listed; generalised values are named by their
    members; what is listed of a value, a place, a group or a class stands in the order of time and alphabet; nothing is
    listed that no record shows. The order of the records themselves is random, so that nothing can be said of it.

    Parameters
    ----------
    release
        A release whose structure was checked.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine", "bread"], ["bread", "wine"]])
    >>> release = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2)).release
    >>> verify_order(release).outcome
    'holds'
    """
    found = tuple(
        f"{where}: {what}" for look in (*_anywhere, *_by_kind.get(release.kind, ())) for where, what in look(release)
    )
    return Verdict(True, {}, {}, None, {_CHECK: not found}, (), found)


Findings = Iterator[tuple[str, str]]


def _counts_up(column: pa.ChunkedArray) -> bool:
    """Tell whether names are the numbers from 1, in their order and plainly written."""
    return bool(column.combine_chunks().equals(pa.array(np.arange(1, len(column) + 1)).cast(column.type)))


def _look_at_names(release: Release) -> Findings:
    for column in release.columns:
        if column.role == "identifier" and not _counts_up(release.table.column(column.name)):
            yield "data", f"column {column.name!r} is not numbered from 1 to {release.table.num_rows:,}"
    for name, column_name in _NUMBERED.items():
        if name in release.parts and not _counts_up(release.parts[name].table.column(column_name)):
            yield f"{name}.csv", f"column {column_name!r} is not numbered from 1 as it is listed"


def _look_at_columns(release: Release) -> Findings:
    """Look for columns that are called otherwise than in any release of their kind."""
    usual = {name for names in _NAMES.get(release.kind, ()) for name in names} | {release.unit.one}
    strange = [column.name for column in release.columns if column.name not in usual]
    if release.kind in _NAMES and strange:
        yield "data", f"columns that are called otherwise than they should be: {', '.join(map(ascii, strange))}"


def _look_at_values(release: Release) -> Findings:
    """Look for values out of order, listed twice, or shown by no record."""
    rows = [
        (row["column"], row["value"] is None, row["value"] or "", row["member"]) for row in release.values.to_pylist()
    ]
    if not rows:
        return
    if rows != sorted(set(rows)):
        yield "values.csv", "rows that are not in order, or listed twice"
    history = release.history_column
    unused = {value for _, gone, value, _ in rows if not gone} - _labels(release, history)
    if unused:
        yield "values.csv", f"{len(unused):,} values that no record has"
    if any(column != history for column, _, _, _ in rows):
        yield "values.csv", "values of a column that is not generalised"
    if release.kind not in _REMOVING and any(gone for _, gone, _, _ in rows):
        yield "values.csv", "removed values, which such releases do not list"


def _look_at_value_names(release: Release) -> Findings:
    """Look for generalised values that are not named by their members."""
    wrong = 0
    for value, members in release.members().items():
        spelled = name_values([members])[0]
        wrong += not (value == spelled or re.fullmatch(re.escape(spelled) + r"~[1-9]\d{0,5}", value))
    if wrong:
        yield "values.csv", f"{wrong:,} values that are not named by their members"


def _labels(release: Release, column: str) -> set[str]:
    array = release.table.column(column).combine_chunks()
    flat = array.flatten() if pa.types.is_list(array.type) or pa.types.is_large_list(array.type) else array
    return set(flat.cast(pa.string()).unique().to_pylist())


def _look_at_places(release: Release) -> Findings:
    """Look for places out of order, and for places that no record shows; where a removed one is, nobody needs."""
    if release.places is None:
        return
    if release.kind != "trajectories":
        yield "places.csv", "places of records that have none"
        return
    places = release.places.column("place").to_pylist()
    if places != sorted(set(places)):
        yield "places.csv", "rows that are not in order, or listed twice"
    known = {place for members in release.meanings().values() for place in members}
    if not known.issuperset(places):
        yield "places.csv", f"{len(set(places) - known):,} places that no record shows"


def _look_at_records(release: Release) -> Findings:
    """Look for items of a set, and events of a moment, that are not in the order of the alphabet."""
    for moments, labels in _listed_together(release):
        rank = np.argsort(np.argsort(np.array(labels.labels, dtype=object), kind="stable"), kind="stable")
        codes = rank[labels.codes] if len(rank) else labels.codes
        rows = labels.row_of_token
        here = rows[1:] == rows[:-1]
        later, alike = moments[1:] < moments[:-1], moments[1:] == moments[:-1]
        if (here & (later | (alike & (codes[1:] < codes[:-1])))).any():
            yield "data", "entries of a record that are not in the order of time and alphabet"


def _listed_together(release: Release) -> Iterator[tuple[npt.NDArray[np.int64], Ragged]]:
    if release.kind == "sequences":
        entries = TimedRecords.of(release).entries
        yield entries.times, entries.events
        columns = sequence_columns(release)
        if columns.blurred is not None and columns.stretches is not None:
            told = Stretches.read(release.table.column(columns.blurred), release.table.column(columns.stretches))
            # Intervals in the order of both ends; those that are alike, in the order of the alphabet.
            number = np.unique(np.column_stack([told.lo, told.hi]), axis=0, return_inverse=True)[1].reshape(-1)
            yield number.astype(np.int64), told.events
    else:
        history = release.history()
        yield np.zeros(len(history.codes), dtype=np.int64), history


def _look_at_classes(release: Release) -> Findings:
    """Look for shares that are not listed by class, interval and activity."""
    found = PublishedClasses.of(release)
    table = release.table
    position = {name: at for at, name in enumerate(found.names)}
    owner = [position[name] for name in table.column("class").to_pylist()]
    moments = table.column("interval").cast(pa.int64()).to_pylist()
    keys = list(zip(owner, moments, table.column("activity").cast(pa.string()).to_pylist(), strict=True))
    if keys != sorted(keys):
        yield "data", "shares that are not listed by class, interval and activity"
    digits = getattr(release.guarantee, "digits", None)
    most = found.sizes[found.owner] * getattr(release.guarantee, "slot", 1)
    cells = set(zip(found.share.tolist(), most.tolist(), strict=True))
    if not all(_is_plain_share(share, slots, digits) for share, slots in cells):
        yield "data", "shares with more digits than whole numbers of slots give"


def _is_plain_share(share: float, slots: int, digits: int | None) -> bool:
    """Tell whether a share is one of whole numbers of up to so many slots, or has so many digits, to the last bit."""
    if digits is not None:
        return share == round(share, digits)
    return float(Fraction(share).limit_denominator(max(slots, 1))) == share


def _look_at_groups(release: Release) -> Findings:
    """Look for snapshots and groups out of order, and for numbers of groups that leave some out."""
    found = PublishedSnapshots.of(release)
    if (np.diff(found.times) < 0).any():
        yield "data", "snapshots that are not in the order of time"
    part = release.parts.get("sensitive")
    if part is None:
        return
    roles = {column.role: column.name for column in part.columns}
    keys = list(
        zip(
            part.table.column(roles["time"]).cast(pa.int64()).to_pylist(),
            part.table.column(roles["group"]).to_pylist(),
            part.table.column(roles["sensitive"]).to_pylist(),
            strict=True,
        )
    )
    if keys != sorted(keys):
        yield "sensitive.csv", "rows that are not listed by snapshot, group and value"
    numbers: dict[Any, set[int]] = {}
    for time, group, _ in keys:
        numbers.setdefault(time, set()).add(group)
    if any(groups != set(range(1, len(groups) + 1)) for groups in numbers.values()):
        yield "sensitive.csv", "groups of a snapshot that are not numbered from 1"


Look = Callable[[Release], Findings]

_anywhere: tuple[Look, ...] = (_look_at_columns, _look_at_names, _look_at_values, _look_at_places)
_by_kind: dict[str, tuple[Look, ...]] = {
    "trajectories": (_look_at_value_names,),
    "sets": (_look_at_value_names, _look_at_records),
    "timeline": (_look_at_records,),
    "sequences": (_look_at_records,),
    "activity": (_look_at_classes,),
    "snapshots": (_look_at_groups,),
}
