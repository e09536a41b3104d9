"""Answers: what is certain, what is possible and what is to be expected."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pyarrow as pa

from sfumato.core.visible import escape_html, tabulate
from sfumato.query.notes import unite_notes

__all__ = ["Answer"]


@dataclasses.dataclass(frozen=True, eq=False)
class Answer:
    """What data or a release say to a question.

    Parameters
    ----------
    query
        The question as it was asked.
    counted
        What is counted, in the plural.
    certain
        So many in every original that could have been published so.
    possible
        So many at most in any of them; infinite where nothing limits it.
    expected
        The mean over originals that were drawn as the notes say; between the two.
    table
        For histograms, first and last times and relations: a row per stretch of time, record or place.
    notes
        What the numbers rest on.
    shared
        Whether somebody may be in several parts of a release, so that what is certain of them does not add up.

    Examples
    --------
    >>> answer = Answer("count person where clinic", "people", 3, 5, 3.8)
    >>> answer.width, answer
    (2, Answer(3 certain, 5 possible, 3.8 expected people))
    """

    query: str
    counted: str
    certain: int
    possible: float
    expected: float
    table: pa.Table | None = None
    notes: tuple[str, ...] = ()
    shared: bool = False

    @property
    def width(self) -> float:
        """How much is open: what is possible beyond what is certain."""
        return self.possible - self.certain

    def __add__(self, other: Answer) -> Answer:
        """Add the answers of two parts of a release."""
        table = self.table
        if table is not None and other.table is not None:
            table = _add_tables(table, other.table, "max" if self.shared else "sum")
        return dataclasses.replace(
            self,
            certain=max(self.certain, other.certain) if self.shared else self.certain + other.certain,
            possible=self.possible + other.possible,
            expected=self.expected + other.expected,
            table=table,
            notes=unite_notes(self.notes, other.notes),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; what nothing limits is null.

        Examples
        --------
        >>> Answer("count event where wine", "events", 3, math.inf, 3.0).to_dict()["possible"] is None
        True
        """
        found: dict[str, Any] = {
            "query": self.query,
            "counted": self.counted,
            "certain": self.certain,
            "possible": None if math.isinf(self.possible) else int(self.possible),
            "expected": round(self.expected, 6),
            "notes": list(self.notes),
        }
        if self.table is not None:
            found["table"] = [
                {name: None if isinstance(cell, float) and math.isinf(cell) else cell for name, cell in row.items()}
                for row in self.table.to_pylist()
            ]
        return found

    def __repr__(self) -> str:
        possible = "any number" if math.isinf(self.possible) else f"{int(self.possible):,}"
        return f"Answer({self.certain:,} certain, {possible} possible, {self.expected:,.6g} expected {self.counted})"

    def _repr_html_(self) -> str:
        head = f"<p>{escape_html(self.query)}: {escape_html(repr(self))}</p>"
        if self.table is None:
            return head
        rows = self.table.slice(0, 100)
        return head + tabulate("", rows.column_names, [tuple(row.values()) for row in rows.to_pylist()])


def _add_tables(left: pa.Table, right: pa.Table, certain: str) -> pa.Table:
    """Add histograms stretch by stretch; other tables follow one another."""
    if left.column_names[:2] != ["from", "before"]:
        return pa.concat_tables([left, right])
    sums = [("certain", certain), ("possible", "sum"), ("expected", "sum")]
    both = pa.concat_tables([left, right]).group_by(["from", "before"]).aggregate(sums)
    named = both.rename_columns([name.removesuffix("_sum").removesuffix("_max") for name in both.column_names])
    return named.select(left.column_names).sort_by("from")
