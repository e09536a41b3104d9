"""Answers: what is certain, what is possible and what is to be expected."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.escape import escape_html, tabulate
from sfumato.queries.notes import unite_notes

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
        The mean over originals that were drawn as the notes say; between the two. None where nothing is published that
        one could go by.
    table
        For histograms, first and last times and relations: a row per stretch of time, record or place.
    notes
        What the numbers rest on.
    shared
        Whether somebody may be in several partitions of a release, so that what is certain of them does not add up.
    total
        Records of the original that this is about: partitions of which nothing is expected are taken to be like others.

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
    expected: float | None
    table: pa.Table | None = None
    notes: tuple[str, ...] = ()
    shared: bool = False
    total: int = 0

    @property
    def width(self) -> float:
        """How much is open: what is possible beyond what is certain."""
        return self.possible - self.certain

    def __add__(self, other: Answer) -> Answer:
        """Add the answers of two partitions of a release."""
        table = self.table
        if table is not None and other.table is not None:
            left, right = _fill_expected(table, other, self.total), _fill_expected(other.table, self, other.total)
            table = _add_tables(left, right, "max" if self.shared else "sum")
        certain = max(self.certain, other.certain) if self.shared else self.certain + other.certain
        possible = self.possible + other.possible
        estimated = [partition for partition in (self, other) if partition.expected is not None]
        expected = None
        if estimated:
            share = (
                (self.total + other.total) / sum(partition.total for partition in estimated)
                if len(estimated) == 1
                else 1.0
            )
            expected = min(max(sum(partition.expected or 0.0 for partition in estimated) * share, certain), possible)
        return dataclasses.replace(
            self,
            certain=certain,
            possible=possible,
            expected=expected,
            total=self.total + other.total,
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
        values: dict[str, Any] = {
            "query": self.query,
            "counted": self.counted,
            "certain": self.certain,
            "possible": None if math.isinf(self.possible) else int(self.possible),
            "expected": None if self.expected is None else round(self.expected, 6),
            "notes": list(self.notes),
        }
        if self.table is not None:
            values["table"] = [
                {name: None if isinstance(cell, float) and math.isinf(cell) else cell for name, cell in row.items()}
                for row in self.table.to_pylist()
            ]
        return values

    def __repr__(self) -> str:
        possible = "any number" if math.isinf(self.possible) else f"{int(self.possible):,}"
        expected = "nothing" if self.expected is None else f"{self.expected:,.6g}"
        return f"Answer({self.certain:,} certain, {possible} possible, {expected} expected {self.counted})"

    def _repr_html_(self) -> str:
        head = f"<p>{escape_html(self.query)}: {escape_html(repr(self))}</p>"
        if self.table is None:
            return head
        rows = self.table.slice(0, 100)
        return head + tabulate("", rows.column_names, [tuple(row.values()) for row in rows.to_pylist()])


def _fill_expected(table: pa.Table, other: Answer, records: int) -> pa.Table:
    """Let a partition of which nothing is expected be like another, stretch by stretch, by the number of records."""
    if other.table is None or "expected" not in table.column_names or table.column("expected").null_count == 0:
        return table
    share = pa.scalar(records / max(other.total, 1))
    like = pc.multiply(other.table.column("expected").cast(pa.float64()), share)
    return table.set_column(table.column_names.index("expected"), "expected", like)


def _add_tables(left: pa.Table, right: pa.Table, certain: str) -> pa.Table:
    """Add histograms stretch by stretch; other tables follow one another."""
    if left.column_names[:2] != ["from", "before"]:
        return pa.concat_tables([left, right])
    sums = [("certain", certain), ("possible", "sum"), ("expected", "sum")]
    both = pa.concat_tables([left, right]).group_by(["from", "before"]).aggregate(sums)
    named = both.rename_columns([name.removesuffix("_sum").removesuffix("_max") for name in both.column_names])
    return named.select(left.column_names).sort_by("from")
