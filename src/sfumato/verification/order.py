"""What order and numbers could tell: all of them must follow from what is published, so that they tell nothing more."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.verdict import Verdict
from sfumato.data.lists import ListColumn
from sfumato.release.release import Release
from sfumato.release.text import escape, unescape
from sfumato.verification.release_checks import Findings, OrderCheck, find_checks

__all__ = ["check_value_names", "find_disorder", "is_named_by", "verify_order"]

_CHECK = "order and numbers tell nothing"
_NUMBERED = {"clusters": "cluster", "classes": "class"}
"""Further tables whose rows are numbered, and the column that does it."""


_NAME = re.compile(r"\{(?P<members>.*)\}(~[1-9]\d{0,5})?", re.DOTALL)
_PART = re.compile(r"((?:\\.|[^|\\])*)(\||$)", re.DOTALL)
_LISTED = 4
"""Members that a name lists at most."""


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
    findings = tuple(
        f"{where}: {what}"
        for check in (*_anywhere, *find_checks(release.kind).order_checks)
        for where, what in check(release)
    )
    return Verdict(True, {}, {}, None, {_CHECK: not findings}, (), findings)


def _counts_up(column: pa.ChunkedArray) -> bool:
    """Tell whether names are the numbers from 1, in their order and plainly written."""
    return bool(column.combine_chunks().equals(pa.array(np.arange(1, len(column) + 1)).cast(column.type)))


def _check_names(release: Release) -> Findings:
    for column in release.columns:
        if column.role == "identifier" and not _counts_up(release.table.column(column.name)):
            yield "data", f"column {column.name!r} is not numbered from 1 to {release.table.num_rows:,}"
    for name, column_name in _NUMBERED.items():
        if name in release.extra_tables and not _counts_up(release.extra_tables[name].table.column(column_name)):
            yield f"{name}.csv", f"column {column_name!r} is not numbered from 1 in the order of its rows"


def _check_columns(release: Release) -> Findings:
    """Look for columns that are called otherwise than in any release of their kind."""
    fixed = find_checks(release.kind).column_names
    usual = {*fixed, release.unit.one}
    strange = [column.name for column in release.columns if column.name not in usual]
    if fixed and strange:
        yield "data", f"columns that are called otherwise than they should be: {', '.join(map(ascii, strange))}"


def _check_values(release: Release) -> Findings:
    """Look for values out of order, listed twice, or shown by no record."""
    rows = [
        (row["column"], row["value"] is None, row["value"] or "", row["member"]) for row in release.values.to_pylist()
    ]
    if not rows:
        return
    if rows != sorted(set(rows)):
        yield "values.csv", "rows that are not in order, or listed twice"
    labels = {
        column.name: _labels(release, column.name)
        for column in release.columns
        if column.role == "history" or column.form.cell == "category"
    }
    unused = {(column, value) for column, gone, value, _ in rows if not gone and value not in labels.get(column, ())}
    if unused:
        yield "values.csv", f"{len(unused):,} values that no record has"
    if any(column not in labels for column, _, _, _ in rows):
        yield "values.csv", "values of a column that is not generalised"
    if not find_checks(release.kind).removes_values and any(gone for _, gone, _, _ in rows):
        yield "values.csv", "removed values, which such releases do not list"


def _labels(release: Release, column: str) -> set[str]:
    array = release.table.column(column).combine_chunks()
    flat = array.flatten() if pa.types.is_list(array.type) or pa.types.is_large_list(array.type) else array
    return set(flat.cast(pa.string()).unique().to_pylist())


def _check_places(release: Release) -> Findings:
    """Look for places out of order, and for places that no record shows; where a removed one is, nobody needs."""
    if release.places is None:
        return
    if not find_checks(release.kind).has_places:
        yield "places.csv", "places of records that have none"
        return
    places = release.places.column("place").to_pylist()
    if places != sorted(set(places)):
        yield "places.csv", "rows that are not in order, or listed twice"
    shown = {place for members in release.meanings().values() for place in members}
    if not shown.issuperset(places):
        yield "places.csv", f"{len(set(places) - shown):,} places that no record shows"


def check_value_names(release: Release) -> Findings:
    """Look for generalised values that are not named by their members."""
    wrong = sum(not is_named_by(value, sorted(members)) for value, members in release.members().items())
    if wrong:
        yield "values.csv", f"{wrong:,} values that are not named by their members"


def is_named_by(value: str, members: list[str]) -> bool:
    """Read a name and tell whether it lists its members: all up to four, else three and how many more there are."""
    match = _NAME.fullmatch(value)
    if match is None:
        return False
    parts = _PART.findall(match["members"])
    last = next((at for at, (_, separator) in enumerate(parts) if not separator), -1)
    listed = [part for part, _ in parts[: last + 1]]
    if any(part != escape(unescape(part)) for part in listed):
        return False
    if len(members) > _LISTED:
        return [*map(unescape, listed[:-1]), listed[-1]] == [*members[:3], f"+{len(members) - 3}"]
    return [unescape(part) for part in listed] == members


def find_disorder(moments: npt.NDArray[np.int64], labels: ListColumn) -> Findings:
    """Look for entries of a record that are not in the order of time, and of the alphabet at the same time."""
    rank = np.argsort(np.argsort(np.array(labels.labels, dtype=object), kind="stable"), kind="stable")
    codes = rank[labels.codes] if len(rank) else labels.codes
    rows = labels.row_of_token
    here = rows[1:] == rows[:-1]
    later, is_same = moments[1:] < moments[:-1], moments[1:] == moments[:-1]
    if (here & (later | (is_same & (codes[1:] < codes[:-1])))).any():
        yield "data", "entries of a record that are not in the order of time and alphabet"


_anywhere: tuple[OrderCheck, ...] = (_check_columns, _check_names, _check_values, _check_places)
