"""How far records are from the published means of their classes."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import SchemaError
from sfumato.kinds.table.comparison import NEEDS_ROWS, TableComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums
from sfumato.release.text import encode

__all__ = ["MicroaggregationError"]

Floats = npt.NDArray[np.float64]

_MEANS = "means"
_MEAN = "mean_"


@dataclasses.dataclass(frozen=True)
class MicroaggregationError(SummedMetric):
    """Measure SSE / SST: the squared distance of records from the means of their classes, as a share of their spread.

    Columns are standardised, so that they count alike. The means are those that the release publishes. A record that is
    suppressed is as far off as if all that was known were the mean of everybody.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, 1.5), (61, 2.0), (21, 1.7), (60, 2.2)], ("age", "height"))
    >>> result = sf.anonymize(data, sf.methods.Mdav(k=2), secret=bytes(32))
    >>> round(MicroaggregationError().measure(Comparison(data, result.release, result.owner_record.rows)).value, 4)
    0.0693

    References
    ----------
    Domingo-Ferrer, Mateo-Sanz, Practical data-oriented microaggregation for statistical disclosure control (2002).
    """

    name: ClassVar[str] = "microaggregation-error"
    title: ClassVar[str] = "Variance lost inside groups (SSE / SST)"
    explanation = (
        "Squared distance of numbers from the means of their groups, as a share of that from the mean of "
        "all: 0 is exact, 1 is no better than the mean of all. Suppressed {many} have the mean of all."
    )
    unit: ClassVar[str] = "of the variance"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact values, 1: no better than the mean of all"
    paper: ClassVar[str] = "Domingo-Ferrer, Mateo-Sanz, Practical data-oriented microaggregation (2002)"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise",)
    not_monotone: ClassVar[str] = (
        "A record may be nearer to the mean of all than to that of its group, and a suppressed cell still has a mean."
    )

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say that no means are published, or that the row map is missing."""
        reason = super().obstacle(comparison)
        if reason is None and _MEANS not in comparison.release.extra_tables:
            return "the release has no means of groups; mdav publishes them."
        return reason or (NEEDS_ROWS if comparison.rows is None else None)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Compare every record with the mean of its class, and with that of everybody."""
        view = comparison.view(TableComparison)
        published = {column.name for column in comparison.release.extra_tables[_MEANS].columns}
        errors: dict[str, float] = {}
        spreads: dict[str, float] = {}
        for column in view.columns:
            axis = column.attribute.axis
            if axis is None or f"{_MEAN}{column.name}" not in published or column.has_missing:
                continue
            places, counts = np.asarray(axis, np.float64), column.frequencies[:-1]
            values = places[column.attribute.codes]
            estimates = np.full(len(values), float(places @ counts) / max(int(counts.sum()), 1))
            spreads[column.name] = float(((values - estimates) ** 2).sum())
            estimates[comparison.row_map] = _means_of_classes(view, column.name)[view.published.group]
            errors[column.name] = float(((values - estimates) ** 2).sum())
        return {"errors": errors, "spreads": spreads}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Divide by the spread."""
        shares = {name: partial["errors"][name] / spread for name, spread in partial["spreads"].items() if spread > 0}
        return sum(shares.values()) / len(shares) if shares else 0.0, {"by_attribute": shares}


def _means_of_classes(view: TableComparison, name: str) -> Floats:
    """Return the published mean of a column for every class."""
    means = view.comparison.release.extra_tables[_MEANS].table
    forms = [column for column in view.comparison.release.columns if column.role == "quasi-identifier"]
    texts = (encode(means.column(column.name), column.form).to_pylist() for column in forms)
    mean_of = dict(zip(zip(*texts, strict=True), means.column(f"{_MEAN}{name}").to_pylist(), strict=True))
    cells = zip(view.columns, view.published.cells.T, strict=True)
    classes = zip(*([column.texts[entry] for entry in of_class] for column, of_class in cells), strict=True)
    try:
        return np.array([mean_of[cells] for cells in classes], dtype=np.float64)
    except KeyError:
        raise SchemaError(
            "The table of means of the release has no row for one of its classes.", hint="Verify the release first."
        ) from None
