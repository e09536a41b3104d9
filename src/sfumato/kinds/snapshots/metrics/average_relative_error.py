"""How wrong counts of records with some attributes and values are."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.exceptions import SchemaError
from sfumato.kinds.snapshots.comparison import SnapshotComparison
from sfumato.kinds.snapshots.decode import count_snapshots
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.query_metric import QueryMetric, draw_range, split_time
from sfumato.metrics.workload import Workload

__all__ = ["AverageRelativeError"]

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True)
class AverageRelativeError(QueryMetric):
    """Measure ARE of COUNT queries: how many records have such attributes and values, from here to there?

    A published record counts by the share of its group's values that is asked for; suppressed records are missing from
    the answers, and late ones are counted when they come. A query is ``age=30 > illness=flu > time=1..7``: columns with
    one value each, or several separated by ``|``, and a range of time.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = [(1, "30", "flu"), (1, "40", "cold"), (1, "50", "flu"), (1, "60", "cough")]
    >>> data = sf.Dataset.of("snapshots", people, ("age",), "ill")
    >>> result = sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32))
    >>> workload = sf.Workload((("age=30|40",), ("ill=flu", "time=1..1"), ("ill=flu", "time=2..")))
    >>> AverageRelativeError().measure(Comparison(data, result.release, workload=workload)).value
    0.0
    """

    explanation: ClassVar[str] = "Relative error of the number of records with given attributes and a sensitive value."

    def draw_workload(self, original: Dataset, seed: int) -> Workload:
        """Draw records, some of their columns, and ranges of time around them."""
        names = _list_columns(original)
        columns = {name: original.table.column(name).cast(pa.string()).to_pylist() for name in names}
        times = np.asarray(original.table.column(original.schema.time).to_numpy(), dtype=np.int64)
        generator = np.random.default_rng(seed)
        queries: dict[tuple[str, ...], None] = {}
        for row in generator.integers(0, max(len(times), 1), self.queries if len(times) else 0).tolist():
            number = int(generator.integers(1, len(names) + 1))
            chosen = sorted(generator.choice(len(names), number, replace=False).tolist())
            when = draw_range(int(times[row]), int(times.min()), int(times.max()), generator)
            parts = (f"{names[at]}={columns[names[at]][row]}" for at in chosen)
            queries[(*parts, when.format_condition(original.time_unit))] = None
        return Workload(tuple(queries))

    def answer(self, comparison: Comparison, workload: Workload) -> tuple[Floats, Floats]:
        """Count records, and weigh published ones."""
        view = SnapshotComparison(comparison)
        original, published = comparison.original, view.published
        names = _list_columns(original)
        sensitive = next(column.name for column in original.schema.columns if column.role == "sensitive")
        times = np.asarray(original.table.column(original.schema.time).to_numpy(), dtype=np.int64)
        published_times = count_snapshots(original.time_unit, published.times)
        answers = []
        for number, query in enumerate(workload.queries, start=1):
            owner = f"{self.name}: query {number} of the workload"
            parts, when = split_time(query, original.time_unit, owner)
            conditions = _read_conditions(parts, names, owner)
            true = when.holds(times)
            shown = when.holds(published_times).astype(np.float64)
            for name, values in conditions.items():
                true &= _have(original.table.column(name), values)
                if name == sensitive:
                    wanted = np.array([label in values for label in published.labels], dtype=bool)
                    weight = published.pair_count * wanted[published.pair_value]
                    counts = np.bincount(published.pair_group, weight, minlength=len(published.sizes))
                    shown *= (counts / np.maximum(published.sizes, 1))[published.group]
                else:
                    shown *= _have(comparison.release.table.column(name), values)
            answers.append((true.sum(), shown.sum()))
        both = np.array(answers, dtype=np.float64)
        return both[:, 0], both[:, 1]


def _list_columns(original: Dataset) -> list[str]:
    return [column.name for column in original.schema.columns if column.role in {"quasi-identifier", "sensitive"}]


def _read_conditions(parts: tuple[str, ...], names: list[str], owner: str) -> dict[str, set[str]]:
    """Return the values asked for, by column."""
    conditions: dict[str, set[str]] = {}
    for part in parts:
        name = next((name for name in sorted(names, key=len, reverse=True) if part.startswith(f"{name}=")), None)
        if name is None or name in conditions:
            raise SchemaError(
                f"{owner} has a part that is no condition on an attribute or the sensitive column, or repeats a "
                "column.",
                hint="Write age=30 > illness=flu > time=FROM..TO.",
            )
        text = part[len(name) + 1 :]
        conditions[name] = {text, *text.split("|")}
    return conditions


def _have(column: pa.ChunkedArray, values: set[str]) -> Flags:
    """Return which cells hold one of some values."""
    held = pc.is_in(column.cast(pa.string()), value_set=pa.array(sorted(values), pa.string()))
    return np.asarray(held.to_numpy(), dtype=bool)
