"""From classes of records to a release: cells that hold what their records have, in random order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.lists import distinct
from sfumato.kinds.table.dataset import MISSING, NUMERIC, Attribute, attribute_of
from sfumato.release.encode import publishing_secret
from sfumato.release.recoding import SavedRecoding
from sfumato.release.release import ExtraTable, OwnerRecord, PublishedColumn, Release, Result
from sfumato.release.run import Run
from sfumato.release.text import ValueFormat

__all__ = [
    "CodedColumn",
    "encode_cells",
    "encode_exact",
    "encode_intervals",
    "encode_nodes",
    "encode_sets",
    "make_table",
    "make_values",
    "publish_table",
]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_TYPES = {"integer": "int64", "decimal": "float64", "date": "date"}


@dataclasses.dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column as it is published: its different cells, and which of them every record has.

    Parameters
    ----------
    column
        Name, role and form.
    cells
        One cell per class, or per different value.
    index
        Cell of every record that is published, in the owner's order.
    members
        (value, member) for every generalised value that is a label.

    Examples
    --------
    >>> data = Dataset.of("table", [(20,), (29,), (None,)], ("age",))
    >>> coded = encode_cells(attribute_of(data, "age"), np.array([0, 0, 1]))
    >>> coded.cells.to_pylist()
    [{'lo': 20, 'hi': 29}, {'lo': None, 'hi': None}]
    """

    column: PublishedColumn
    cells: pa.Array
    index: Ints
    members: tuple[tuple[str, str], ...] = ()


def encode_cells(attribute: Attribute, group: Ints) -> CodedColumn:
    """Encode the smallest cell that holds all values of a class, for every class; one class per number in ``group``.

    Examples
    --------
    >>> data = Dataset.of("table", [("a",), ("b",), ("c",)], ("city",))
    >>> encode_cells(attribute_of(data, "city"), np.array([0, 0, 1])).cells.to_pylist()
    [['a', 'b'], ['c']]
    """
    classes = int(group.max(initial=-1)) + 1
    codes = attribute.codes.astype(np.int64)
    low = np.full(classes, len(attribute.labels), np.int64)
    high = np.full(classes, -1, np.int64)
    present = codes >= 0
    np.minimum.at(low, group[present], codes[present])
    np.maximum.at(high, group[present], codes[present])
    missing = np.zeros(classes, dtype=bool)
    missing[group[~present]] = True
    suppressed = missing & (high >= 0)
    missing &= ~suppressed
    low, high = np.where(high < 0, 0, low), np.maximum(high, 0)
    if attribute.axis is not None and (attribute.hierarchy is None or attribute.hierarchy.kind == "ranges"):
        axis = attribute.axis if len(attribute.axis) else np.zeros(1, np.int64)
        return encode_intervals(attribute, axis[low], axis[high], missing, suppressed, group)
    if attribute.hierarchy is not None and attribute.leaf is not None:
        leaf = attribute.leaf if len(attribute.leaf) else np.zeros(1, np.int32)
        nodes = attribute.hierarchy.lca_many(*_outermost(leaf[low], leaf[high], attribute, group, present))
        return encode_nodes(attribute, nodes.astype(np.int64), missing, suppressed, group)
    width = max(len(attribute.labels), 1)
    pairs = distinct(group[present] * width + codes[present])
    offsets = np.searchsorted(pairs, np.arange(classes + 1) * width)
    return encode_sets(attribute, offsets, pairs % width, missing, suppressed, group)


def _outermost(low: Any, high: Any, attribute: Attribute, group: Ints, present: Flags) -> tuple[Any, Any]:
    """Return the leftmost and the rightmost leaf of every class; numbers are not numbered along their hierarchy."""
    if attribute.axis is None or attribute.leaf is None:
        return low, high
    low, high = low.copy(), high.copy()
    leaves = attribute.leaf[attribute.codes[present]]
    np.minimum.at(low, group[present], leaves)
    np.maximum.at(high, group[present], leaves)
    return low, high


def encode_intervals(
    attribute: Attribute, lo: Any, hi: Any, missing: Flags, suppressed: Flags, index: Ints
) -> CodedColumn:
    """Encode ranges; without bounds where the value is missing, and not at all where it is suppressed.

    Examples
    --------
    >>> data = Dataset.of("table", [(20,), (29,)], ("age",))
    >>> no = np.zeros(1, bool)
    >>> age = attribute_of(data, "age")
    >>> encode_intervals(age, np.array([20]), np.array([29]), no, no, np.array([0, 0])).cells.to_pylist()
    [{'lo': 20, 'hi': 29}]
    """
    form = ValueFormat("interval", _TYPES[attribute.scale])
    bound = form.arrow.field("lo").type
    empty = missing | suppressed
    sides = [_to_axis(side, bound, empty) for side in (lo, hi)]
    cells = pa.StructArray.from_arrays(sides, names=["lo", "hi"], mask=pa.array(suppressed))
    return CodedColumn(PublishedColumn(attribute.name, "quasi-identifier", form), cells, index)


def _to_axis(values: Any, bound: pa.DataType, empty: Flags) -> pa.Array:
    if bound == pa.date32():
        return pa.array(np.asarray(values, np.int32), pa.int32(), mask=empty).cast(bound)
    return pa.array(np.asarray(values), bound, mask=empty)


def encode_nodes(attribute: Attribute, nodes: Ints, missing: Flags, suppressed: Flags, index: Ints) -> CodedColumn:
    """Encode nodes of a hierarchy of labels by their names; its root is suppressed, for it says nothing.

    A node with one leaf is written as that leaf.

    Examples
    --------
    >>> from sfumato.hierarchies.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
    >>> data = Dataset.of("table", [("a",), ("b",), ("c",)], ("city",), hierarchies={"city": tree})
    >>> no = np.zeros(2, bool)
    >>> coded = encode_nodes(attribute_of(data, "city"), np.array([3, 2]), no, no, np.array([0, 0, 1]))
    >>> coded.cells.to_pylist(), coded.members
    (['A', 'c'], (('A', 'a'), ('A', 'b')))
    """
    hierarchy = attribute.hierarchy
    if hierarchy is None:
        raise ValueError("a column without a hierarchy has no nodes")
    root = len(hierarchy) - 1
    # A node above a single leaf says as much as the leaf, and must not look as if it said less.
    nodes = np.where(hierarchy.leaves[nodes] == 1, hierarchy.first_leaf[nodes], nodes)
    hidden = suppressed | ((nodes == root) & ~missing & (root > 0))
    used = np.unique(nodes[~hidden & ~missing])
    names = sorted({hierarchy.labels[node] for node in used.tolist()} | ({MISSING} if missing.any() else set()))
    position = {name: i for i, name in enumerate(names)}
    at = np.zeros(len(hierarchy), np.int32)
    at[used] = [position[hierarchy.labels[node]] for node in used.tolist()]
    indices = np.where(missing, position.get(MISSING, 0), at[nodes]).astype(np.int32)
    cells = pa.DictionaryArray.from_arrays(pa.array(indices, mask=hidden), pa.array(names, pa.string()))
    leaves = len(hierarchy.leaf_labels)
    members = tuple(
        (hierarchy.labels[node], member)
        for node in used.tolist()
        if node >= leaves
        for member in hierarchy.members(hierarchy.labels[node])
    )
    return CodedColumn(
        PublishedColumn(attribute.name, "quasi-identifier", ValueFormat("category")), cells, index, members
    )


def encode_sets(
    attribute: Attribute, offsets: Ints, codes: Ints, missing: Flags, suppressed: Flags, index: Ints
) -> CodedColumn:
    """Encode sets of labels, one per class; a set of all labels says nothing and is suppressed.

    Examples
    --------
    >>> data = Dataset.of("table", [("a",), ("b",), ("c",)], ("city",))
    >>> no = np.zeros(2, bool)
    >>> at = np.array([0, 2, 3])
    >>> city = attribute_of(data, "city")
    >>> encode_sets(city, at, np.array([1, 0, 2]), no, no, np.array([0, 0, 1])).cells.to_pylist()
    [['a', 'b'], ['c']]
    """
    every = len(attribute.labels) + attribute.has_missing
    cells: list[list[str] | None] = []
    for place in range(len(missing)):
        inside = codes[offsets[place] : offsets[place + 1]]
        if missing[place]:
            cells.append([MISSING])
        elif suppressed[place] or (len(inside) == every > 1):
            cells.append(None)
        else:
            cells.append(sorted(attribute.labels[code] for code in inside.tolist()))
    form = ValueFormat("set")
    return CodedColumn(PublishedColumn(attribute.name, "quasi-identifier", form), pa.array(cells, form.arrow), index)


def encode_exact(dataset: Dataset, name: str, rows: Ints) -> CodedColumn:
    """Encode a column as it is: sensitive values, and those nobody knows.

    Examples
    --------
    >>> data = Dataset.of("table", [(1, "flu"), (2, "cold")], ("age", "ill"), sensitive=("ill",))
    >>> coded = encode_exact(data, "ill", np.array([1, 0]))
    >>> coded.cells.take(pa.array(coded.index)).to_pylist()
    ['cold', 'flu']
    """
    column = next(column for column in dataset.schema.columns if column.name == name)
    attribute = attribute_of(dataset, name)
    codes = attribute.codes[rows].astype(np.int64)
    if column.scale in NUMERIC and not attribute.has_missing and attribute.axis is not None:
        form = ValueFormat("exact", _TYPES[column.scale])
        cells = _to_axis(attribute.axis, form.arrow, np.zeros(len(attribute.axis), dtype=bool))
    else:
        form = ValueFormat("exact")
        cells = pa.array([*attribute.labels, MISSING], pa.string())
        codes = np.where(codes < 0, len(attribute.labels), codes)
    return CodedColumn(PublishedColumn(name, column.role, form), cells, codes)


def make_table(columns: Sequence[CodedColumn], order: Ints) -> pa.Table:
    """Put columns together, the records in an order.

    Examples
    --------
    >>> data = Dataset.of("table", [(1, "flu"), (2, "cold")], ("age", "ill"), sensitive=("ill",))
    >>> make_table([encode_exact(data, "ill", np.arange(2))], np.array([1, 0])).to_pydict()
    {'ill': ['cold', 'flu']}
    """
    return pa.table({part.column.name: part.cells.take(pa.array(part.index[order])) for part in columns})


def make_values(columns: Sequence[CodedColumn]) -> pa.Table:
    """List the members of all generalised labels.

    Examples
    --------
    >>> make_values([]).to_pydict()
    {'column': [], 'value': [], 'member': []}
    """
    listed = sorted((part.column.name, value, member) for part in columns for value, member in part.members)
    names = ("column", "value", "member")
    return pa.table({name: pa.array([row[i] for row in listed], pa.string()) for i, name in enumerate(names)})


def publish_table(
    dataset: Dataset,
    method: Method,
    guarantee: Guarantee,
    rows: Ints,
    quasi: Sequence[CodedColumn],
    run: Run,
    *,
    suppressed_records: Mapping[str, int] | None = None,
    extra_tables: Mapping[str, ExtraTable] | None = None,
    recoding: SavedRecoding | None = None,
) -> Result:
    """Make the release and its trace: columns in the order of the original, records in a random one.

    Parameters
    ----------
    dataset, method, guarantee
        What is published, by whom, and what is guaranteed of it.
    rows
        Original rows that are published.
    quasi
        Quasi-identifiers of these rows.
    run
        Its secret orders the records.
    suppressed_records
        Records left out, by reason.
    parts
        Further tables.
    recoding
        The recoding, if it can be applied to other data.
    """
    by_name = {part.column.name: part for part in quasi}
    for column in dataset.schema.columns:
        if column.role in {"sensitive", "plain"}:
            by_name[column.name] = encode_exact(dataset, column.name, rows)
    columns = [by_name[column.name] for column in dataset.schema.columns if column.name in by_name]
    order = publishing_secret(dataset, method, run).order(len(rows), "records")
    release = Release(
        kind=dataset.kind,
        method=method.name,
        method_note=method.note(guarantee),
        guarantee=guarantee,
        columns=tuple(part.column for part in columns),
        table=make_table(columns, order),
        values=make_values(columns),
        records_in=len(dataset),
        suppressed_records={reason: count for reason, count in (suppressed_records or {}).items() if count},
        extra_tables=dict(extra_tables or {}),
        unit=dataset.unit,
    )
    owner_record = OwnerRecord(
        rows[order], run.secret, run.seconds, run.counters, method.parameters(), recoding, dataset
    )
    return Result(release, owner_record)
