"""Competence queries: questions that a warehouse must answer, and which sources could answer them alone.

References
----------
Tzitzikas et al., section 5.1 and Table 3.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from pyoxigraph import BlankNode, Literal, NamedNode

from sfumato.exceptions import SchemaError
from sfumato.ontologies.provenance import explain
from sfumato.ontologies.warehouse import Answer, Warehouse
from sfumato.readers.files import load, to_utf8

__all__ = ["Outcome", "run_suite"]


class Outcome(NamedTuple):
    """How a question was answered.

    Parameters
    ----------
    name
        Name of the query.
    missing, unexpected
        Rows that were expected and are not there, and the other way round.
    rows
        Number of rows expected.
    alone
        How many of the expected rows each source has by itself.
    lost
        How many rows are lost without each source.
    sources
        Sources that contribute to the answer.
    """

    name: str
    missing: tuple[tuple[str, ...], ...]
    unexpected: tuple[tuple[str, ...], ...]
    rows: int
    alone: dict[str, int]
    lost: dict[str, int]
    sources: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the answer is the one expected."""
        return not self.missing and not self.unexpected

    def describe_coverage(self, source: str) -> str:
        """Return whether a source alone answers all, some or none of it."""
        count = self.alone[source]
        return "all" if count == self.rows and self.rows else f"{count} of {self.rows}" if count else ""


def run_suite(warehouse: Warehouse) -> list[Outcome]:
    """Ask every competence query of all sources together and of each alone, and compare with what is expected."""
    outcomes = []
    names = {thing.value: name.value for thing, name in warehouse.classes.names.items()}
    for entry in warehouse.definition.competence:
        query = warehouse.read_query(Path(entry.query))
        explained = explain(warehouse, query)
        expected = _read_expected(Path(entry.expected), explained.answer, names)
        given = Counter(_plain(warehouse, explained.answer))
        alone = {
            source: sum((Counter(_plain(warehouse, warehouse.ask_alone(query, source))) & expected).values())
            for source in warehouse.sources
        }
        outcomes.append(
            Outcome(
                entry.name,
                tuple(sorted((expected - given).elements())),
                tuple(sorted((given - expected).elements())),
                sum(expected.values()),
                alone,
                {
                    source: sum(all(source in names for names in sets) for sets in explained.sufficient)
                    for source in warehouse.sources
                },
                tuple(name for name in warehouse.sources if name in explained.sources),
            )
        )
    return outcomes


def _plain(warehouse: Warehouse, answer: Answer) -> list[tuple[str, ...]]:
    """Return rows as texts that can be compared: things by the name of their class, blank nodes as such."""
    return [tuple(_format_value(warehouse, value) for value in row) for row in answer.rows]


def _format_value(warehouse: Warehouse, value: Any) -> str:
    if isinstance(value, NamedNode):
        return warehouse.classes.find(value).value
    if isinstance(value, Literal):
        return value.value
    if isinstance(value, BlankNode):
        return "[]"
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _read_expected(path: Path, answer: Answer, names: dict[str, str]) -> Counter[tuple[str, ...]]:
    """Read expected rows: a line of column names, as the query calls them, then rows.

    IRIs are written out; a thing may have any of its names.
    """
    text = to_utf8(path.name, load(path)).decode()
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    except csv.Error:
        raise SchemaError(f"{path.name}: a quoted cell is not closed.", hint="Close the quote.") from None
    if not rows:
        raise SchemaError(f"{path.name} is empty.", hint="Write the column names into the first line.")
    head = tuple(cell.strip() for cell in rows[0])
    if sorted(head) != sorted(answer.columns):
        raise SchemaError(
            f"{path.name} has the columns {', '.join(head)}.", hint=f"The query has: {', '.join(answer.columns)}."
        )
    order = [head.index(column) for column in answer.columns]
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != len(head):
            raise SchemaError(f"{path.name}: row {number} has {len(row)} cells, not {len(head)}.", rows=(number,))
    return Counter(tuple(names.get(row[i], row[i]) for i in order) for row in rows[1:])
