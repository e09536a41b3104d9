"""How wrong answers to COUNT queries on sets of items are."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

from sfumato.data.dataset import Dataset
from sfumato.exceptions import SchemaError
from sfumato.kinds.sets.comparison import SetComparison, SetMetric
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation
from sfumato.metrics.partial_sums import PartialSums
from sfumato.metrics.query_metric import collect_answers, describe_errors, judge_answers
from sfumato.metrics.workload import Workload
from sfumato.params import Param

__all__ = ["ItemQueries"]


@dataclasses.dataclass(frozen=True)
class ItemQueries(SetMetric):
    """Measure ARE of COUNT queries: how many records hold all of these items?

    The true answer is the number of original records, suppressed ones included. From the release it is estimated as an
    expectation: the mean over all reconstructions where records are published in chunks; where items are generalised,
    each of a value's members is there on its own, with equal chances that add up to 1, or smaller ones for members that
    finer values publish (:func:`sfumato.kinds.sets.estimate.weights.weigh_members`; ``any_set`` is the error when every
    non-empty set of members is as likely as the others). The relative error is |estimate - truth| divided by the
    truth, or by the sanity bound where the truth is smaller: a share of the original records, so that rare queries do
    not dominate.

    Without a workload, `queries` sets of 1 to `longest` items are drawn from the records of the original. In a
    workload the order of a query's items does not count. In a release in partitions, every partition divides the
    support of a value among its members by what that partition publishes, and the answers of all partitions are added
    up.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "wine"], ["bread", "insulin"], ["bread"]])
    >>> result = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32))
    >>> workload = sf.Workload((("wine", "bread"), ("wine", "insulin")))
    >>> ItemQueries().measure(Comparison(data, result.release, workload=workload)).details["largest"]
    125.0

    References
    ----------
    Poulis et al., Anonymizing data with relational and transaction attributes, Section 6.
    """

    name: ClassVar[str] = "item-queries"
    title: ClassVar[str] = "Average relative error of COUNT queries (ARE)"
    explanation = "Relative error of the number of {many} with given items."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact counts, 1: off by as much as the count itself"
    paper: ClassVar[str] = (
        "Poulis et al., Anonymizing data with relational and transaction attributes (2013), Section 6"
    )
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "A coarser release may answer more accurately by chance."

    queries: Annotated[int, Param("Number of random queries without a workload.", ge=1)] = 100
    longest: Annotated[int, Param("Largest number of items in a random query.", ge=1)] = 2
    sanity: Annotated[float, Param("Smallest true answer that errors are divided by, as a share of records.", ge=0)] = (
        0.001
    )

    def draw_workload(self, original: Dataset, seed: int) -> Workload:
        """Draw sets of items that occur together."""
        return Workload.generate(original, self.queries, tuple(range(1, self.longest + 1)), seed)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Ask original and release the same queries."""
        workload = self.find_workload(comparison.full_original)
        view = comparison.view(SetComparison)
        _refuse_unknown(workload, set(view.items))
        queries = [tuple(dict.fromkeys(query)) for query in workload.queries]
        if not queries:
            return {}
        partial = collect_answers(view.truth(queries), view.expect(queries), len(comparison.original))
        return partial if view.is_disassociated else {**partial, "any_set": view.expect(queries, any_set=True)}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare the answers of all partitions together."""
        if not partial:
            return 0.0, {"queries": 0}
        value, details = describe_errors(*judge_answers(partial, self.sanity))
        if "any_set" in partial:
            details["any_set"] = float(judge_answers(partial, self.sanity, "any_set")[0].mean())
        return value, details


def _refuse_unknown(workload: Workload, items: set[str]) -> None:
    """Refuse queries about items that do not exist: they would all be answered without error."""
    for number, query in enumerate(workload.queries, start=1):
        if not items.issuperset(query):
            raise SchemaError(
                f"item-queries: query {number} of the workload names an item that the original does not have.",
                hint="Correct or remove it.",
            )
