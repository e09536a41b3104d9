"""Further tables of a release: people of a population per class, class means, order or tree of sensitive values.

``population`` and ``means`` have one row per class: its cells, in the columns and forms of the records, in their order;
then ``people`` (role ``count``), or means (role ``mean``). ``sensitive-order`` lists, column by column, the sensitive
values from the lowest to the highest, or every node of their hierarchy with the node above it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.checks.classes import Classes, number_rows
from sfumato.checks.values import can, list_exact
from sfumato.data.coded import MISSING, ValueSets
from sfumato.data.lists import distinct
from sfumato.kinds.table.decode import quasi_columns
from sfumato.release.decode import decode, decode_column
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat
from sfumato.verification.release_checks import Check, Counterexample, Findings, OrderCheck

__all__ = [
    "EXTRA_TABLE_CHECKS",
    "ORDER",
    "ORDER_CHECKS",
    "SensitiveOrder",
    "check_extra_columns",
    "find_overlap",
    "match_classes",
]

Ints = npt.NDArray[np.int64]

ORDER = "sensitive-order"
_ORDER_COLUMNS = tuple(PublishedColumn(name, name, ValueFormat("exact")) for name in ("column", "value", "parent"))
_OF_CLASSES = {
    "population": ("count", ValueFormat("exact", "int64")),
    "means": ("mean", ValueFormat("exact", "float64")),
}
"""Further tables with a row per class, and what they say of it: role and form."""


def check_extra_columns(release: Release) -> Counterexample:
    """Look for further tables that the claim does not call for, that are missing, or that have other columns."""
    claimed = release.guarantee
    wanted = {
        "population": getattr(claimed, "presence", None) is not None,
        ORDER: getattr(claimed, "t", None) is not None and getattr(claimed, "distance", "equal") != "equal",
    }
    for name, needed in wanted.items():
        if needed != (name in release.extra_tables):
            return {"part": name, "claimed": needed}
    quasi = quasi_columns(release)
    for name, extra_table in release.extra_tables.items():
        if name == ORDER:
            if extra_table.columns != _ORDER_COLUMNS:
                return {"part": name, "columns": [column.name for column in extra_table.columns]}
        elif name in _OF_CLASSES:
            role, form = _OF_CLASSES[name]
            more = extra_table.columns[len(quasi) :]
            matching = [column for column in more if (column.role, column.form) == (role, form)]
            if extra_table.columns[: len(quasi)] != quasi or not more or len(matching) < len(more):
                return {"part": name, "columns": [column.name for column in extra_table.columns]}
            if role == "count" and [column.name for column in more] != ["people"]:
                return {"part": name, "columns": [column.name for column in extra_table.columns]}
    return None


def match_classes(release: Release, name: str) -> tuple[Ints, Ints]:
    """Return the class of every record, and that of every row of a further table, numbered alike in their order.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(1,), (1,), (9,), (9,)], ("age",), population=[(1,), (1,), (1,), (9,), (9,)])
    >>> release = sf.anonymize(data, sf.methods.Optimal(k=2, presence=1.0), secret=bytes(32)).release
    >>> match_classes(release, "population")[1].tolist()
    [0, 1]
    """
    extra_table, rows = release.extra_tables[name], release.table.num_rows
    columns = []
    for column in quasi_columns(release):
        kind = pa.string() if column.form.cell == "category" else column.form.arrow
        both = [table.column(column.name).cast(kind) for table in (release.table, extra_table.table)]
        joined = pa.chunked_array([chunk for cells in both for chunk in cells.chunks], kind)
        columns.append(decode_column(joined, column, {}).codes)
    classes = number_rows(columns, rows + extra_table.table.num_rows)
    return classes[:rows], classes[rows:]


def _check_classes(release: Release) -> Counterexample:
    """Look for classes that a further table does not have, or has twice, and for those that no record has."""
    for name in _OF_CLASSES:
        if name not in release.extra_tables:
            continue
        records, rows = match_classes(release, name)
        if len(np.unique(rows)) < len(rows):
            return {"part": name, "classes_listed_twice": len(rows) - len(np.unique(rows))}
        strange, missing = np.setdiff1d(rows, records), np.setdiff1d(records, rows)
        if len(strange) or len(missing):
            return {"part": name, "classes_of_no_record": len(strange), "classes_not_listed": len(missing)}
    return None


def _check_people(release: Release) -> Counterexample:
    """Look for classes with fewer people in the population than records: everybody in the data is one of them."""
    if "population" not in release.extra_tables:
        return None
    records, rows = match_classes(release, "population")
    people = release.extra_tables["population"].table.column("people").to_numpy()
    sizes = np.bincount(records, minlength=int(rows.max(initial=-1)) + 1)[rows]
    wrong = people < sizes
    if not wrong.any():
        return None
    at = int(np.argmax(wrong))
    return {"part": "population", "row": at + 1, "people": int(people[at]), "records": int(sizes[at])}


def find_overlap(table: Classes) -> Counterexample:
    """Look for two classes that one person may fit: who counts a population by their cells counts that person twice.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(1,), (1,), (9,), (9,)], ("age",))
    >>> find_overlap(Classes.of(decode(sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release)))
    """
    if all(_lie_apart(column.values) for column in table.columns):
        return None
    classes = table.cells
    for at in range(len(classes) - 1):
        meet = np.ones(len(classes) - at - 1, dtype=bool)
        for column, cells in zip(table.columns, classes.T, strict=True):
            meet &= _find_meeting(column.values, int(cells[at]))[cells[at + 1 :]]
        if meet.any():
            other = at + 1 + int(np.argmax(meet))
            return {"cells": table.format_cells(at), "other_cells": table.format_cells(other)}
    return None


def _lie_apart(values: ValueSets) -> bool:
    """Tell whether no value lies in two entries."""
    if len(values) < 2 or values.suppressed.any():
        return len(values) < 2
    if values.low is None:
        return len(distinct(values.members)) == len(values.members)
    low, high = (side[~values.missing] for side in values.bounds)
    order = np.argsort(low, kind="stable")
    return bool((high[order][:-1] < low[order][1:]).all())


def _find_meeting(values: ValueSets, entry: int) -> npt.NDArray[np.bool_]:
    """Tell which entries may hold a value that an entry holds as well."""
    if values.low is None:
        held = np.zeros(len(values.labels), dtype=bool)
        held[values.members[values.starts[entry] : values.starts[entry + 1]]] = True
        return np.asarray(can(values, held, unseen=True) | values.suppressed[entry])
    low, high = values.bounds
    meet = (low <= high[entry]) & (low[entry] <= high) & (values.missing == values.missing[entry])
    return np.asarray(meet | values.suppressed | values.suppressed[entry])


def _check_means(release: Release) -> Counterexample:
    """Look for means of a class that lie outside of its range, and for means of a column that has none."""
    if "means" not in release.extra_tables:
        return None
    extra_table = release.extra_tables["means"]
    forms = {f"mean_{column.name}": column for column in quasi_columns(release) if column.form.cell == "interval"}
    for column in extra_table.columns:
        if column.role != "mean":
            continue
        if column.name not in forms:
            return {"part": "means", "column": column.name}
        ranges = decode_column(extra_table.table.column(forms[column.name].name), forms[column.name], {})
        means = extra_table.table.column(column.name).to_numpy()
        # Sums of decimals may round to just beyond a bound.
        slack = 1e-9 * np.maximum(np.abs(means), 1)
        # What is suppressed or missing has no bounds.
        is_bounded = ~(ranges.values.missing | ranges.values.suppressed)[ranges.codes]
        low, high = (side[ranges.codes] for side in ranges.values.bounds)
        wrong = is_bounded & ((means < low - slack) | (means > high + slack))
        if wrong.any():
            return {"part": "means", "column": column.name, "row": int(np.argmax(wrong)) + 1}
    return None


class SensitiveOrder:
    """What a release says about how its sensitive values lie: in an order, or in a tree.

    Parameters
    ----------
    release
        What was published, with the further table ``sensitive-order``.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [(1, 3), (1, 4), (9, 3), (9, 4)]
    >>> data = sf.Dataset.of("table", rows, ("age", "pain"), sensitive=("pain",))
    >>> method = sf.methods.Mondrian(k=2, t=0.5, distance="ordered")
    >>> SensitiveOrder(sf.anonymize(data, method, secret=bytes(32)).release).values("pain")
    ['3', '4']
    """

    def __init__(self, release: Release) -> None:
        self.rows: dict[str, list[tuple[str, str]]] = {}
        for row in release.extra_tables[ORDER].table.to_pylist():
            self.rows.setdefault(row["column"], []).append((row["value"], row["parent"]))

    def values(self, column: str) -> list[str]:
        """Return the values that are listed of a column, as they are listed."""
        return [value for value, _ in self.rows.get(column, [])]

    def parents(self, column: str) -> dict[str, str]:
        """Return the node above every node, nothing above the root."""
        return dict(self.rows.get(column, []))


def _check_order(release: Release) -> Counterexample:
    """Look for sensitive values that have no place, or two, in their order or tree, and for a tree that is none."""
    if ORDER not in release.extra_tables:
        return None
    order = SensitiveOrder(release)
    sensitive = [column for column in release.columns if column.role == "sensitive"]
    if sorted(order.rows) != sorted(column.name for column in sensitive):
        return {"part": ORDER, "columns": sorted(order.rows)}
    tree = getattr(release.guarantee, "distance", "") == "hierarchical"
    for column in sensitive:
        listed, used = order.values(column.name), [*list_exact(decode(release).column(column.name).values)]
        if len(set(listed)) < len(listed):
            return {"part": ORDER, "column": column.name, "listed_twice": len(listed) - len(set(listed))}
        if MISSING in used or not set(used) <= set(listed):
            return {"part": ORDER, "column": column.name, "not_listed": len({*used, MISSING} - {*listed, MISSING})}
        wrong = _check_tree(order.parents(column.name), used) if tree else _check_line(order, column, used)
        if wrong is not None:
            return {"part": ORDER, "column": column.name, **wrong}
    return None


def _check_line(order: SensitiveOrder, column: PublishedColumn, used: list[str]) -> Counterexample:
    listed = order.values(column.name)
    if any(order.parents(column.name).values()):
        return {"parents": "in an order there are none"}
    if set(listed) != set(used):
        return {"values_of_no_record": len(set(listed) - set(used))}
    if column.form.type != "string" and listed != used:
        return {"order": "numbers and dates are ordered by size"}
    return None


def _check_tree(parents: dict[str, str], used: list[str]) -> Counterexample:
    roots = [value for value, above in parents.items() if above == MISSING]
    if len(roots) != 1 or MISSING in parents:
        return {"roots": len(roots)}
    unknown = set(parents.values()) - parents.keys() - {MISSING}
    if unknown:
        return {"parents_not_listed": len(unknown)}
    rooted = set(roots)
    for value in parents:
        path = [value]
        while path[-1] not in rooted and len(path) <= len(parents):
            path.append(parents[path[-1]])
        if path[-1] not in rooted:
            return {"nodes_above_themselves": True}
        rooted.update(path)
    inner = set(parents.values())
    above = [value for value in used if value in inner]
    return {"values_above_others": len(above)} if above else None


def _check_class_order(release: Release) -> Findings:
    for name in _OF_CLASSES:
        if name in release.extra_tables and (np.diff(match_classes(release, name)[1]) < 0).any():
            yield f"{name}.csv", "classes that are not in the order of their cells"


def _check_value_order(release: Release) -> Findings:
    if ORDER not in release.extra_tables:
        return
    rows = release.extra_tables[ORDER].table.to_pylist()
    columns = list(dict.fromkeys(row["column"] for row in rows))
    if columns != [column.name for column in release.columns if column.role == "sensitive"]:
        yield f"{ORDER}.csv", "columns that are not in their order"
    if [row["column"] for row in rows] != [name for name in columns for row in rows if row["column"] == name]:
        yield f"{ORDER}.csv", "columns that are not listed one after the other"
    tree = getattr(release.guarantee, "distance", "") == "hierarchical"
    if tree and any(list(order) != sorted(order) for order in _values_by_column(release)):
        yield f"{ORDER}.csv", "nodes that are not in the order of the alphabet"


def _values_by_column(release: Release) -> Iterator[list[str]]:
    order = SensitiveOrder(release)
    for column in order.rows:
        yield order.values(column)


EXTRA_TABLE_CHECKS: tuple[Check, ...] = (
    ("further tables have every class once", _check_classes),
    ("the population has everybody who is published", _check_people),
    ("class means lie in the ranges of their classes", _check_means),
    ("sensitive values have one place in their order", _check_order),
)
ORDER_CHECKS: tuple[OrderCheck, ...] = (_check_class_order, _check_value_order)
