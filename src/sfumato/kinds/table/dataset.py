"""Tables as they are read: attributes as numbered values, in an order in which neighbours can be generalised."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.coded import MISSING, ValueSets
from sfumato.data.dataset import Dataset
from sfumato.data.schema import Column, Schema
from sfumato.exceptions import SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.messages import Message, option

__all__ = ["MISSING", "NUMERIC", "Attribute", "attribute_of", "attributes_of", "make_dataset", "place_values"]

Codes = npt.NDArray[np.int32]

NUMERIC = ("integer", "decimal", "date")
"""Scales whose values lie on an axis and are generalised to ranges."""


@dataclasses.dataclass(frozen=True, eq=False)
class Attribute:
    """A column of a table as numbers.

    Values are numbered by size, in the order that was declared, from left to right in their hierarchy, or by the
    alphabet: so that a range, or the values below a node, are consecutive numbers wherever there is such an order.

    Parameters
    ----------
    name, scale
        Of the column.
    labels
        Values that occur, without the missing one, as they are published when they are exact.
    codes
        Value of every row as a position in ``labels``; -1 where it is missing.
    axis
        Where the values lie: whole numbers, or decimals; dates are days since 1970. None for labels.
    hierarchy, leaf
        What values can be generalised to, if it is known, and the leaf of every value there.

    Examples
    --------
    >>> data = Dataset.of("table", [(40, "f"), (30, "m"), (None, "f")], ("age", "sex"))
    >>> age = attribute_of(data, "age")
    >>> age.labels, age.codes.tolist(), age.axis.tolist()
    (('30', '40'), [1, 0, -1], [30, 40])
    """

    name: str
    scale: str
    labels: tuple[str, ...]
    codes: Codes
    axis: npt.NDArray[Any] | None = None
    hierarchy: Hierarchy | None = None
    leaf: Codes | None = None

    @cached_property
    def value_sets(self) -> ValueSets:
        """The values as a dictionary of single values, the missing one last."""
        return ValueSets.single(self.labels, self.axis, self.scale)

    @property
    def entries(self) -> npt.NDArray[np.int64]:
        """Entry of every row in that dictionary."""
        return np.where(self.codes < 0, len(self.labels), self.codes).astype(np.int64)

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing somewhere."""
        return bool((self.codes < 0).any())

    def take(self, rows: npt.NDArray[np.int64]) -> Attribute:
        """Return the attribute of some rows; the numbering stays."""
        return dataclasses.replace(self, codes=self.codes[rows])


def attributes_of(dataset: Dataset, role: str = "quasi-identifier") -> tuple[Attribute, ...]:
    """Return the attributes with a role, in the order of the columns.

    Examples
    --------
    >>> data = Dataset.of("table", [(40, "flu"), (30, "cold")], ("age", "ill"), sensitive=("ill",))
    >>> [attribute.name for attribute in attributes_of(data)], attributes_of(data, "sensitive")[0].labels
    (['age'], ('cold', 'flu'))
    """
    return tuple(attribute_of(dataset, column.name) for column in dataset.schema.columns if column.role == role)


def attribute_of(dataset: Dataset, name: str, table: pa.Table | None = None) -> Attribute:
    """Return a column as numbers; of another table with the same columns, if one is given."""
    column = next(column for column in dataset.schema.columns if column.name == name)
    cells = (dataset.table if table is None else table).column(name)
    texts, codes = _encode(cells)
    hierarchy = dataset.hierarchies.get(name)
    axis = place_values(texts, column.scale) if column.scale in NUMERIC else None
    if axis is not None:
        distinct, at = np.unique(axis, return_inverse=True)
        labels = tuple(_format_value(value, column.scale) for value in distinct.tolist())
        numbers = _recode(at, codes)
        leaf = None
        if hierarchy is not None and hierarchy.kind == "ranges":
            leaf = hierarchy.leaf_of_value(labels if column.scale == "date" else distinct, f"column {name!r}")
        elif hierarchy is not None:
            leaf = hierarchy.require(labels, f"column {name!r}", _first_rows(numbers, len(labels)))
        return Attribute(name, column.scale, labels, numbers, distinct, hierarchy, leaf)
    rank: npt.NDArray[Any]
    if hierarchy is not None:
        rank = hierarchy.require(texts, f"column {name!r}", _first_rows(codes, len(texts)))
    elif column.scale == "ordered":
        rank = _ranks(texts, column, codes)
    else:
        rank = np.argsort(np.argsort(np.array(texts, dtype=object))) if texts else np.empty(0, np.int64)
    order = np.argsort(rank, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    leaf = None if hierarchy is None else np.asarray(rank, np.int32)[order]
    labels = tuple(texts[i] for i in order)
    return Attribute(name, column.scale, labels, _recode(place, codes), None, hierarchy, leaf)


def place_values(texts: Sequence[str], scale: str) -> npt.NDArray[Any]:
    """Return where values lie on their axis: whole numbers, decimals, or days since 1970.

    Examples
    --------
    >>> place_values(["1970-01-03", "1970-01-01"], "date").tolist()
    [2, 0]
    """
    array = pa.array(texts, pa.string())
    if scale == "date":
        return np.asarray(array.cast(pa.date32()).cast(pa.int32()).to_numpy(zero_copy_only=False), dtype=np.int64)
    wanted = pa.int64() if scale == "integer" else pa.float64()
    return np.asarray(array.cast(wanted).to_numpy(zero_copy_only=False)) + 0  # no minus zero beside zero


def _encode(cells: pa.ChunkedArray) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Return the distinct texts that are not missing, and of every row its text or -1."""
    coded = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.unify_dictionaries().combine_chunks()
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode()
    indices = np.asarray(coded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    texts = coded.dictionary.to_pylist()
    used = np.zeros(len(texts), dtype=bool)
    used[indices] = True
    place = np.full(len(texts), -1, np.int64)
    retained = [i for i, text in enumerate(texts) if text != MISSING and used[i]]
    place[retained] = np.arange(len(retained))
    return [texts[i] for i in retained], place[indices] if len(texts) else indices


def _recode(place: npt.NDArray[Any], codes: npt.NDArray[np.int64]) -> Codes:
    recoded: Codes = np.append(place, -1)[codes].astype(np.int32)
    return recoded


def _first_rows(codes: npt.NDArray[Any], values: int) -> list[int]:
    """Return the first row (from 1) of every value."""
    first = np.zeros(values + 1, np.int64)
    first[codes[::-1]] = np.arange(len(codes), 0, -1)
    return [int(row) for row in first[:values]]


def _ranks(texts: list[str], column: Column, codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    rank = {value: i for i, value in enumerate(column.order)}
    unknown = [i for i, text in enumerate(texts) if text not in rank]
    if unknown:
        rows = sorted(_first_rows(codes, len(texts))[i] for i in unknown)[:5]
        raise SchemaError(
            f"Column {column.name!r}: {len(unknown)} values are not in the declared order, first in rows "
            f"{', '.join(map(str, rows))}.",
            column=column.name,
            rows=rows,
            hint=Message(
                "Add them to the order or correct the data: ", option("scales", {column.name: "low<high"}), "."
            ),
        )
    return np.array([rank[text] for text in texts], np.int64)


def _format_value(value: Any, scale: str) -> str:
    if scale == "date":
        return (datetime.date(1970, 1, 1) + datetime.timedelta(days=int(value))).isoformat()
    return str(value) if scale == "integer" else repr(value)


def make_dataset(
    rows: Sequence[Sequence[Any]],
    names: Sequence[str],
    *,
    sensitive: tuple[str, ...] = (),
    plain: tuple[str, ...] = (),
    orders: Mapping[str, tuple[str, ...]] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    population: Sequence[Sequence[Any]] | None = None,
) -> Dataset:
    """Make a dataset of a table from tuples; None is a missing value.

    Columns are quasi-identifiers but for those listed as sensitive or plain. Numbers and dates are on their scale,
    texts are categories, or ordered as ``orders`` says. A population has the quasi-identifiers in the same order.

    Examples
    --------
    >>> data = Dataset.of("table", [(40, "flu"), (30, None)], ("age", "ill"), sensitive=("ill",))
    >>> data.table.to_pydict(), [column.scale for column in data.schema.columns]
    ({'age': ['40', '30'], 'ill': ['flu', '']}, ['integer', 'categorical'])
    """
    columns, cells = [], {}
    for at, name in enumerate(names):
        values = [row[at] for row in rows]
        role = "sensitive" if name in sensitive else "plain" if name in plain else "quasi-identifier"
        order = tuple((orders or {}).get(name, ()))
        scale = "ordered" if order else _scale_of(values)
        columns.append(Column(name, role, scale, order))
        cells[name] = _texts(values, scale)
    quasi = [column for column in columns if column.role == "quasi-identifier"]
    people = None
    if population is not None:
        people = pa.table({c.name: _texts([row[i] for row in population], c.scale) for i, c in enumerate(quasi)})
    return Dataset(Schema("table", tuple(columns)), pa.table(cells), hierarchies=hierarchies or {}, population=people)


def _scale_of(values: Sequence[Any]) -> str:
    given = [value for value in values if value is not None]
    if not given or isinstance(given[0], str):
        return "categorical"
    if all(isinstance(value, datetime.date) for value in given):
        return "date"
    return "integer" if all(isinstance(value, int) for value in given) else "decimal"


def _texts(values: Sequence[Any], scale: str) -> pa.Array:
    texts = [MISSING if v is None else repr(float(v)) if scale == "decimal" else str(v) for v in values]
    return pc.dictionary_encode(pa.array(texts, pa.string()))
