"""The course of an answer over time: how many records have a value, stretch by stretch, beside the truth."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from sfumato.data.kind import find_kind
from sfumato.data.schema import Schema
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.query_certainty import quote
from sfumato.queries.ask import ask
from sfumato.queries.events import Events
from sfumato.queries.times import Span

__all__ = ["MEANT", "TimeSeries", "compute_time_series"]

MEANT = "the most frequent one, of those that the data call monitored or sensitive where there are such"
"""Which value is asked for."""

_STRETCHES = 40
_LENGTHS = {"1min": 60, "10min": 600, "hour": 3600, "6h": 21600, "day": 86400, "week": 604_800, "month": 2_629_746}
_MOST_ENTRIES = 20_000_000
"""Larger data are not asked: it would take longer than everything else that is measured."""


@dataclasses.dataclass(frozen=True)
class TimeSeries:
    """What a release answers about one value, stretch of time by stretch of time, and what is true.

    Parameters
    ----------
    value
        What is asked for: the most frequent value of the original, monitored or sensitive where there are such.
    counted
        What is counted, in the plural.
    dated
        Whether times are dates; else they are numbers.
    edges
        Where the stretches begin, and where the last one ends.
    certain, possible, expected, truth
        The answer for every stretch; nothing is expected where nothing is published of the value.

    Examples
    --------
    >>> time_series = TimeSeries("mail", "people", False, (0, 5, 10), (1, 0), (2, 2), (1.5, 1.0), (2, 1))
    >>> TimeSeries.from_plain(time_series.to_plain()) == time_series
    True
    """

    value: str
    counted: str
    dated: bool
    edges: tuple[str | int, ...]
    certain: tuple[int, ...]
    possible: tuple[int, ...]
    expected: tuple[float | None, ...]
    truth: tuple[int, ...]

    def to_plain(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        return {name: list(part) if isinstance(part, tuple) else part for name, part in vars(self).items()}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> TimeSeries:
        """Read what :meth:`to_plain` returned; TypeError if it is something else."""
        given: dict[str, Any] = {name: tuple(part) if isinstance(part, list) else part for name, part in plain.items()}
        return cls(**given)

    def list_rows(self) -> list[dict[str, Any]]:
        """Return one row for every stretch."""
        names = ("from", "before", "certain", "possible", "expected", "truth")
        columns = (self.edges[:-1], self.edges[1:], self.certain, self.possible, self.expected, self.truth)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def compute_time_series(comparison: Comparison) -> TimeSeries | None:
    """Ask how many records have a frequent value, over time; None where nothing is timed, or too much.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = [[("mail", 3), ("news", 40)], [("mail", 9)], [("mail", 33)], [("mail", 35)]]
    >>> data = sf.Dataset.of("sequences", people, monitored=("mail",))
    >>> release = sf.anonymize(data, sf.methods.Hl(k=2), secret=bytes(32)).release
    >>> time_series = compute_time_series(Comparison(data, release))
    >>> time_series.value, len(time_series.truth), sum(time_series.truth), sum(time_series.certain)
    ('mail', 38, 4, 0)
    """
    history_column = any(column.role == "history" for column in comparison.original.schema.columns)
    if history_column and len(comparison.original.view_history().codes) > _MOST_ENTRIES:
        return None
    bounds = find_kind(comparison.original.kind).query_bounds.load()
    original, published = bounds.of_dataset(comparison.original), bounds.of_release(comparison.release)
    history = original.history
    if not isinstance(history, Events) or history.timing not in {"moment", "number"} or history.span is None:
        return None
    if published.history is None or published.history.timing != history.timing:
        return None
    dated, span = history.timing == "moment", history.span
    value = _choose_value(history, comparison.original.schema)
    question = f"count record where {quote(value)} by {_choose_length(span, dated=dated)}"
    truth, answer = (ask(side, question, span=span, lenient=True).table for side in (original, published))
    assert truth is not None and answer is not None
    columns = {name: answer.column(name).to_pylist() for name in answer.column_names}
    return TimeSeries(
        value,
        original.unit.many,
        dated,
        (*columns["from"], columns["before"][-1]),
        tuple(columns["certain"]),
        tuple(columns["possible"]),
        tuple(columns["expected"]),
        tuple(truth.column("certain").to_pylist()),
    )


def _choose_value(history: Events, schema: Schema) -> str:
    """Return the value that is meant: other events than those monitored or sensitive may be published as they are."""
    labels = history.names.labels
    counts = np.bincount(history.value, history.least, minlength=len(labels))
    marked = {*schema.monitored, *schema.sensitive}
    if any(label in marked for label in labels):
        counts = np.where([label in marked for label in labels], counts, -1)
    return labels[int(np.argmax(counts))]


def _choose_length(span: Span, *, dated: bool) -> str:
    """Return the shortest stretch of which there are few enough."""
    whole = span[1] - span[0] + 1
    if not dated:
        return str(max(-(-whole // _STRETCHES), 1))
    return next((name for name, seconds in _LENGTHS.items() if whole // (seconds * 1_000_000) < _STRETCHES), "year")
