"""How wrong answers to COUNT queries are."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

from sfumato.data.dataset import Dataset
from sfumato.exceptions import SchemaError
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums
from sfumato.metrics.query_metric import collect_answers, describe_errors, judge_answers
from sfumato.metrics.workload import Workload
from sfumato.params import Param

__all__ = ["AverageRelativeError"]


@dataclasses.dataclass(frozen=True)
class AverageRelativeError(SummedMetric):
    """Measure ARE: the average relative error of COUNT queries on subtrajectories.

    The true answer is the number of original records, suppressed ones included, that contain the query.
    From the release it is estimated as an expectation: every generalised place is read, independently at
    every position, as a uniform choice among its members, and the chances of the published records to
    contain the query are added up. The relative error of a query is |estimate - truth| divided by the
    truth, or by the sanity bound where the truth is smaller: a share of the original records, so that
    rare queries do not dominate.

    Without a workload, `queries` subtrajectories of sizes 1 to `longest` are drawn from the original.

    Examples
    --------
    >>> import sfumato as sf
    >>> at = {"a": (0, 0), "b": (1, 0), "c": (4, 0)}
    >>> data = sf.Dataset.of("trajectories", [["a", "c"], ["b", "c"], ["c"]], at)
    >>> result = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32))
    >>> round(AverageRelativeError().measure(Comparison(data, result.release)).value, 4)
    0.0

    References
    ----------
    Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data, Section 5 (Measures).
    """

    name: ClassVar[str] = "average-relative-error"
    title: ClassVar[str] = "Average relative error of COUNT queries (ARE)"
    explanation = "Relative error of counts of records that visited given places in order."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact counts, 1: off by as much as the count itself"
    paper: ClassVar[str] = (
        "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), Section 5"
    )
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "A coarser release may answer more accurately by chance."

    queries: Annotated[int, Param("Number of random queries without a workload.", ge=1)] = 100
    longest: Annotated[int, Param("Largest number of places in a random query.", ge=1)] = 2
    sanity: Annotated[float, Param("Smallest true answer that errors are divided by, as a share of records.", ge=0)] = (
        0.001
    )

    def draw_workload(self, original: Dataset, seed: int) -> Workload:
        """Draw subtrajectories."""
        return Workload.generate(original, self.queries, tuple(range(1, self.longest + 1)), seed)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Ask original and release the same queries."""
        workload = self.find_workload(comparison.full_original)
        _refuse_unknown(workload, comparison)
        truth = workload.count(comparison.history)
        estimate = workload.count(comparison.published, comparison.members)
        return collect_answers(truth, estimate, len(comparison.original))

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare the answers of all parts together."""
        return describe_errors(*judge_answers(partial, self.sanity))


def _refuse_unknown(workload: Workload, comparison: Comparison) -> None:
    """Refuse queries about places that do not exist: they would all be answered without error."""
    places = set(comparison.history.labels)
    for number, query in enumerate(workload.queries, start=1):
        if not places.issuperset(query):
            raise SchemaError(
                f"average-relative-error: query {number} of the workload names a place that the original does not "
                "have.",
                hint="Correct or remove it.",
            )
