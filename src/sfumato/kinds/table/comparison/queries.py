"""COUNT queries on attributes: how many records have such values, in truth and according to a release?

A query is a line of a workload whose parts are conditions, such as ``age=20..29 > sex=f|m > city=``: a range (either
end may be left out), one of several labels, a node of a hierarchy, a missing value. Where records have items as well, a
part that names no column is an item.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.exceptions import SchemaError
from sfumato.kinds.table.comparison.losses import ComparedColumn
from sfumato.kinds.table.dataset import MISSING, Attribute, place_values
from sfumato.metrics.workload import Workload

__all__ = [
    "Selection",
    "answer_query",
    "draw_conditions",
    "draw_queries",
    "expect_matches",
    "find_matches",
    "select",
    "split_query",
]

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_MAX_FRUITLESS = 1000
_OTHER_LABELS = 3


def split_query(query: Sequence[str], names: Iterable[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the conditions of a query by column, and the parts of it that name no column.

    Examples
    --------
    >>> split_query(("age=20..29", "wine", "sex=f"), ("age", "sex"))
    ({'age': '20..29', 'sex': 'f'}, ('wine',))
    """
    longest_first = sorted(names, key=len, reverse=True)
    conditions, rest = {}, []
    for part in query:
        name = next((name for name in longest_first if part.startswith(f"{name}=")), None)
        if name is None or name in conditions:
            rest.append(part)
        else:
            conditions[name] = part[len(name) + 1 :]
    return conditions, tuple(rest)


@dataclasses.dataclass(frozen=True, eq=False)
class Selection:
    """The values of a column that a condition asks for.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.table.dataset import attribute_of
    >>> data = sf.Dataset.of("table", [(20,), (24,), (None,)], ("age",))
    >>> chosen = select(attribute_of(data, "age"), "22..30")
    >>> int(chosen.low), int(chosen.high), chosen.of_records().tolist()
    (22, 30, [False, True, False])
    """

    attribute: Attribute
    labels: frozenset[str] = frozenset()
    low: Any = None
    high: Any = None
    missing: bool = False

    def accepts(self, labels: Sequence[str]) -> Flags:
        """Tell which labels are asked for; one that is no number is not, where numbers are."""
        if self.attribute.axis is None:
            return np.array([label in self.labels for label in labels], dtype=bool)
        given = np.array([at for at, label in enumerate(labels) if label != MISSING], dtype=np.int64)
        accepted = np.full(len(labels), self.missing)
        try:
            accepted[given] = self.covers(place_values([labels[at] for at in given.tolist()], self.attribute.scale))
        except (pa.ArrowInvalid, ValueError):
            accepted[given] = False
        return accepted

    def covers(self, places: npt.NDArray[Any]) -> Flags:
        """Tell which places on the axis are asked for."""
        if self.low is None:
            return np.zeros(len(places), dtype=bool)
        return np.asarray((places >= self.low) & (places <= self.high))

    def of_records(self) -> Flags:
        """Tell which original records are asked for."""
        if self.attribute.axis is None:
            accepted = self.accepts((*self.attribute.labels, MISSING))
        else:
            accepted = np.append(self.covers(self.attribute.axis), self.missing)
        return np.asarray(accepted[self.attribute.codes])

    def of_entries(self, column: ComparedColumn) -> Floats:
        """Return the chance that a cell stands for a value that is asked for, every value in it being as likely."""
        if column.is_numeric:
            return self._of_ranges(column)
        meanings = column.meanings
        accepted = self.accepts(meanings.labels)[meanings.codes].astype(np.float64)
        return np.bincount(meanings.row_of_token, accepted, minlength=len(meanings)) / np.maximum(meanings.lengths, 1)

    def _of_ranges(self, column: ComparedColumn) -> Floats:
        """Return the share of every range that lies in the one asked for; a suppressed one is that of the column."""
        (low, high), missing = column.ranges, column.values.missing
        if self.low is None:
            return np.where(missing & self.missing, 1.0, 0.0)
        # Whole numbers and days fill their range; a decimal is a point in it.
        point = 0.0 if self.attribute.scale == "decimal" else 1.0
        both = np.minimum(high, self.high) - np.maximum(low, self.low) + point
        length = high - low + point
        share = np.where(length > 0, np.maximum(both, 0.0) / np.where(length > 0, length, 1.0), both >= 0)
        return np.asarray(np.where(missing, float(self.missing), share), dtype=np.float64)


def select(attribute: Attribute, text: str, owner: str = "query") -> Selection:
    """Read what a condition asks of a column.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.table.dataset import attribute_of
    >>> city = attribute_of(sf.Dataset.of("table", [("a",), ("b",), ("c",)], ("city",)), "city")
    >>> sorted(select(city, "a|c").labels)
    ['a', 'c']
    >>> select(city, "a|d", "query 7")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: query 7: column 'city' has no such value. Write one it has, several separated by
    '|', a range such as 20..29, or nothing for a missing one.
    """
    if attribute.axis is not None:
        return _select_range(attribute, text, owner)
    tree = attribute.hierarchy
    values = {*attribute.labels, MISSING, *(tree.leaf_labels if tree is not None else ())}
    nodes = {} if tree is None else {label: tree.members(label) for label in tree.labels[len(tree.leaf_labels) :]}
    chosen: set[str] = set()
    for part in [text] if text in values or text in nodes else text.split("|"):
        if part not in values and part not in nodes:
            raise _unknown(attribute, owner)
        chosen |= {part} if part in values else set(nodes[part])
    return Selection(attribute, frozenset(chosen))


def _select_range(attribute: Attribute, text: str, owner: str) -> Selection:
    if text == MISSING:
        return Selection(attribute, missing=True)
    low, dots, high = text.partition("..")
    ends = (low, high if dots else low)
    edges = [attribute.axis[at] if attribute.axis is not None and len(attribute.axis) else 0 for at in (0, -1)]
    try:
        placed = [
            place_values([end.strip()], attribute.scale)[0] if end.strip() else edge
            for end, edge in zip(ends, edges, strict=True)
        ]
    except (pa.ArrowInvalid, ValueError):
        raise _unknown(attribute, owner) from None
    return Selection(attribute, low=placed[0], high=placed[1])


def _unknown(attribute: Attribute, owner: str) -> SchemaError:
    return SchemaError(
        f"{owner}: column {attribute.name!r} has no such value. Write one it has, several separated by '|', a range "
        "such as 20..29, or nothing for a missing one."
    )


def find_matches(chosen: Iterable[Selection], records: int) -> Flags:
    """Tell which original records keep all conditions."""
    matches = np.ones(records, dtype=bool)
    for selection in chosen:
        matches &= selection.of_records()
    return matches


def expect_matches(chosen: Iterable[Selection], columns: Mapping[str, ComparedColumn], records: int) -> Floats:
    """Return the chance of every published record to keep all conditions, cells being independent of each other."""
    chance = np.ones(records)
    for selection in chosen:
        column = columns[selection.attribute.name]
        chance *= selection.of_entries(column)[column.codes]
    return chance


def answer_query(
    query: Sequence[str], columns: Mapping[str, ComparedColumn], records: int, published: int, owner: str
) -> tuple[Flags, Floats]:
    """Tell which original records keep a query, and how likely every published one does."""
    conditions, rest = split_query(query, columns)
    if rest:
        raise SchemaError(
            f"{owner} has a part that is no condition on a published column, or a second one on the same. Write "
            "conditions such as age=20..29 > sex=f, each column once."
        )
    chosen = [select(columns[name].attribute, text, owner) for name, text in conditions.items()]
    return find_matches(chosen, records), expect_matches(chosen, columns, published)


def draw_conditions(attributes: Sequence[Attribute], row: int, generator: np.random.Generator) -> tuple[str, ...]:
    """Draw conditions on 1 to all attributes that a record keeps: ranges around its numbers, sets with its labels."""
    number = int(generator.integers(1, len(attributes) + 1))
    chosen = np.sort(generator.choice(len(attributes), number, replace=False))
    return tuple(_draw_condition(attributes[at], row, generator) for at in chosen.tolist())


def _draw_condition(attribute: Attribute, row: int, generator: np.random.Generator) -> str:
    code, values = int(attribute.codes[row]), len(attribute.labels)
    if code < 0:
        return f"{attribute.name}="
    if attribute.axis is not None:
        length = int(generator.integers(1, max(values // 2, 1) + 1))
        first = int(generator.integers(max(code - length + 1, 0), min(code, values - length) + 1))
        return f"{attribute.name}={attribute.labels[first]}..{attribute.labels[first + length - 1]}"
    labels = {attribute.labels[code]}
    if generator.random() < 0.5 and values > 2:
        others = generator.choice(values, int(generator.integers(1, min(values - 1, _OTHER_LABELS) + 1)), replace=False)
        labels |= {attribute.labels[other] for other in others.tolist()}
    if any("|" in label for label in labels):
        labels = {attribute.labels[code]}
    return f"{attribute.name}={'|'.join(sorted(labels))}"


def draw_queries(attributes: Sequence[Attribute], count: int, seed: int) -> Workload:
    """Draw different queries, each of which a random record keeps; fewer where there are no more.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.table.dataset import attributes_of
    >>> data = sf.Dataset.of("table", [(20, "f"), (24, "m"), (60, "m")], ("age", "sex"))
    >>> draw_queries(attributes_of(data), 2, seed=1).queries
    (('age=24..24', 'sex=m'), ('age=60..60', 'sex=m'))
    """
    generator = np.random.default_rng(seed)
    records = len(attributes[0].codes) if attributes else 0
    queries: dict[tuple[str, ...], None] = {}
    fruitless = 0
    while records and len(queries) < count and fruitless < _MAX_FRUITLESS:
        query = draw_conditions(attributes, int(generator.integers(records)), generator)
        fruitless = fruitless + 1 if query in queries else 0
        queries[query] = None
    return Workload(tuple(queries))
