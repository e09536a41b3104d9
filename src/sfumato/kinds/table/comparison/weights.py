"""What a receiver knows of survey weights, and what columns come to when people are weighed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.comparison.losses import ComparedColumn
from sfumato.kinds.table.comparison.queries import Selection, select
from sfumato.messages import Message, option
from sfumato.metrics.partial_sums import PartialSums

__all__ = ["NO_WEIGHTS", "find_parts", "share_population", "weigh_published"]

Floats = npt.NDArray[np.float64]

NO_WEIGHTS = Message("the data have no survey weights; read them with ", option("weight", "COLUMN"), ".")
_PARTS = 10


def weigh_published(view: TableComparison) -> Floats:
    """Return how much a receiver counts every published record: alike, or by the middle of the range of its weight."""
    published, weight = view.published.records, view.comparison.original.read_options.get("weight")
    column = view.by_name.get(weight) if weight else None
    counted = np.ones(published)
    if column is not None and column.published.role == "quasi-identifier" and column.is_numeric:
        low, high = column.ranges
        counted = np.where(column.values.missing, 0.0, (low + high) / 2.0)[column.codes]
    return counted


def share_population(partial: PartialSums, weighed: Any) -> Any:
    """Return shares of the population as a receiver finds them, of sums of what every published record counts."""
    return weighed / max(partial["counted"], 1e-300) * (partial["published"] / max(partial["records"], 1))


def find_parts(column: ComparedColumn) -> Iterator[Selection]:
    """Cut the values of a column into parts: ranges with about equally many values, or single labels, frequent first.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.metrics.comparison import Comparison
    >>> data = sf.Dataset.of("table", [("a",), ("b",), ("b",), ("b",)], ("city",))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=4), secret=bytes(32)).release
    >>> [sorted(part.labels) for part in find_parts(Comparison(data, release).view(TableComparison).columns[0])]
    [['b'], ['a']]
    """
    attribute = column.attribute
    if attribute.axis is not None:
        for part in np.array_split(np.arange(len(attribute.axis)), min(_PARTS, len(attribute.axis)) or 1):
            if len(part):
                yield Selection(attribute, low=attribute.axis[part[0]], high=attribute.axis[part[-1]])
        return
    amounts = column.frequencies[:-1]
    for code in np.argsort(-amounts, kind="stable")[:_PARTS].tolist():
        yield select(attribute, attribute.labels[code])
