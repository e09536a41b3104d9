"""How wrong weighted answers to COUNT queries on attributes are."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.comparison.queries import answer_query, draw_queries
from sfumato.kinds.table.comparison.weights import NO_WEIGHTS, share_population, weigh_published
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums
from sfumato.metrics.workload import Workload, find_errors
from sfumato.params import Param

__all__ = ["WeightedQueries"]

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class WeightedQueries(SummedMetric):
    """Measure ARE of weighted COUNT queries: which share of the population has such values in these columns?

    The true answer is the share of the survey weights of all original records. From the release it is estimated as a
    receiver would: by the uniform assumption, every published record counting alike, because weights are not published,
    or by the middle of the range in which its weight is, where the weight is a quasi-identifier. So the value includes
    what is lost by keeping the weights back. ``with_weights`` is the error of someone who knows the weights of the
    published records, such as their owner. Suppressed records are not made up for.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20,), (20,), (70,), (70,)], ("age",))
    >>> data = dataclasses.replace(data, weights=np.array([3.0, 3.0, 1.0, 1.0]))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))
    >>> comparison = Comparison(data, result.release, result.owner_record.rows, workload=sf.Workload((("age=20",),)))
    >>> WeightedQueries().measure(comparison)
    weighted-queries: 0.3333 (lower is better; 0: exact shares, 1: off by as much as the share itself)
      Relative error of the share of the population with given values: the original with survey weights,
        the release without. Suppressed people are missing from the answers of the release.
      queries       1
      median        0.3333
      largest       0.3333
      with weights  0

    References
    ----------
    Poulis et al., Anonymizing data with relational and transaction attributes (2013), Section 6, for queries that are
    not weighted.
    """

    name: ClassVar[str] = "weighted-queries"
    title: ClassVar[str] = "Average relative error of weighted COUNT queries"
    explanation = (
        "Relative error of the share of the population with given values: the original with survey "
        "weights, the release without. Suppressed {many} are missing from the answers of the release."
    )
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact shares, 1: off by as much as the share itself"
    paper: ClassVar[str] = (
        "Poulis et al., Anonymizing data with relational and transaction attributes (2013), Section 6"
    )
    unchanged: ClassVar[float | str] = "Weights are not published, so answers differ even if everything else is exact."
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "A coarser release may answer more accurately by chance."

    weighted_queries: Annotated[int, Param("Number of random queries without a workload.", ge=1)] = 200
    weighted_sanity: Annotated[float, Param("Smallest true share that errors are divided by.", ge=0)] = 0.001

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say that the original has no weights."""
        reason = super().obstacle(comparison)
        return reason or (NO_WEIGHTS if comparison.original.weights is None else None)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Ask original and release the same queries."""
        view, weights = comparison.view(TableComparison), comparison.original.weights
        assert weights is not None
        workload = self._choose_workload(view)
        if not len(workload):
            return {}
        published_weights = None if comparison.rows is None else weights[comparison.rows]
        counted = weigh_published(view)
        answers = []
        for number, query in enumerate(workload.queries, start=1):
            owner = f"weighted-queries: query {number} of the workload"
            true, likely = answer_query(query, view.by_name, view.records, view.published.records, owner)
            answers.append(
                (
                    weights[true].sum(),
                    counted @ likely,
                    0.0 if published_weights is None else published_weights @ likely,
                )
            )
        truth, estimate, better = np.array(answers, dtype=np.float64).T
        return {
            "truth": truth,
            "estimate": estimate,
            **({} if published_weights is None else {"better": better}),
            "weights": float(weights.sum()),
            "counted": float(counted.sum()),
            "published": view.published.records,
            "records": view.records,
        }

    def _choose_workload(self, view: TableComparison) -> Workload:
        full_original = view.comparison.full_original
        if full_original.workload:
            return full_original.workload
        return full_original.cached(
            ("workload", self), lambda: draw_queries(view.queried_attributes, self.weighted_queries, full_original.seed)
        )

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare the shares that all partitions together give."""
        if not partial:
            return 0.0, {"queries": 0}
        truth = partial["truth"] / partial["weights"]
        errors = find_errors(truth, share_population(partial, partial["estimate"]), self.weighted_sanity)
        details = {"queries": len(errors), "median": float(np.median(errors)), "largest": float(errors.max())}
        if "better" in partial:
            better = partial["better"] / partial["weights"]
            details["with_weights"] = float(find_errors(truth, better, self.weighted_sanity).mean())
        return float(errors.mean()), details
