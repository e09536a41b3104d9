"""Tables with a set of items as they are read: the columns of a table, and one list column."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.schema import Column, Schema
from sfumato.exceptions import SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.table.dataset import make_dataset as make_table

__all__ = ["HIERARCHY", "ITEMS", "attach_items", "known_items", "make_dataset"]

ITEMS = "items"
"""Name of the column of sets."""

HIERARCHY = "item"
"""Under which name the hierarchy of the items is given, as for sets."""


def make_dataset(
    rows: Sequence[Sequence[Any]],
    names: Sequence[str],
    items: Sequence[Sequence[str]],
    *,
    sensitive_items: tuple[str, ...] = (),
    hierarchy: Hierarchy | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    sensitive: tuple[str, ...] = (),
    plain: tuple[str, ...] = (),
    orders: Mapping[str, tuple[str, ...]] | None = None,
) -> Dataset:
    """Make a dataset of a table with sets from tuples and lists; None is a missing value, repeated items count once.

    Columns are quasi-identifiers but for those listed as sensitive or plain. ``hierarchy`` is that of the items.

    Examples
    --------
    >>> data = Dataset.of("rt", [(19, "m"), (22, "m")], ("age", "sex"), [["wine", "bread"], []])
    >>> data.schema.history, data.history().lists()
    ('items', [['wine', 'bread'], []])
    """
    table = make_table(rows, names, sensitive=sensitive, plain=plain, orders=orders, hierarchies=hierarchies)
    made = attach_items(table, ListColumn.from_lists([list(row) for row in items]), sensitive_items)
    trees = {**made.hierarchies, **({HIERARCHY: hierarchy} if hierarchy is not None else {})}
    return dataclasses.replace(made, hierarchies=trees)


def attach_items(table: Dataset, items: ListColumn, sensitive_items: tuple[str, ...] = ()) -> Dataset:
    """Return a table with a column of sets, one set per row.

    Examples
    --------
    >>> table = Dataset.of("table", [(19,), (22,)], ("age",))
    >>> attach_items(table, ListColumn.from_lists([["wine"], []])).kind
    'rt'
    """
    taken = {ITEMS, HIERARCHY} & {column.name for column in table.schema.columns}
    if taken:
        raise SchemaError(
            f"Column {sorted(taken)[0]!r} has the name of the sets of items.",
            column=sorted(taken)[0],
            hint="Rename it.",
        )
    if len(items) != len(table):
        raise SchemaError(f"The table has {len(table):,} rows and {len(items):,} sets of items; there must be as many.")
    schema = Schema("rt", (*table.schema.columns, Column(ITEMS, "history")), sensitive_items)
    joined = table.table.append_column(ITEMS, items.distinct().to_arrow())
    return dataclasses.replace(table, schema=schema, table=joined)


def known_items(dataset: Dataset) -> ListColumn:
    """Return what an attacker may know of the sets: all items but the sensitive ones.

    Examples
    --------
    >>> data = Dataset.of("rt", [(19,)], ("age",), [["wine", "insulin"]], sensitive_items=("insulin",))
    >>> known_items(data).lists()
    [['wine']]
    """
    history, hidden = dataset.history(), set(dataset.schema.sensitive)
    is_ordinary = np.array([label not in hidden for label in history.labels], dtype=bool)
    return history.keep(is_ordinary[history.codes] if len(is_ordinary) else np.zeros(0, dtype=bool))
