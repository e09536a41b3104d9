"""How wrong answers to COUNT queries on attributes are."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.comparison.queries import answer_query, draw_queries
from sfumato.kinds.table.dataset import attributes_of
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums
from sfumato.metrics.query_metric import collect_answers, describe_errors, judge_answers
from sfumato.metrics.workload import Workload
from sfumato.params import Param

__all__ = ["AttributeQueries"]

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class AttributeQueries(SummedMetric):
    """Measure ARE of COUNT queries: how many records have such values in these columns?

    The true answer is the number of original records, suppressed ones included. From the release it is estimated by the
    uniform assumption: every value in a cell is as likely as the others, whatever the other cells of the record are, so
    that a record counts by the product of the shares of its cells that are asked for. Suppressed records are not made
    up for. The relative error is |estimate - truth| divided by the truth, or by the sanity bound where the truth is
    smaller: a share of the original records, so that rare queries do not dominate.

    Without a workload, `queries` queries are drawn: conditions on 1 to all quasi-identifiers and sensitive columns,
    ranges of numbers and lists of labels, each kept by a random record. ``one_attribute`` is the error of those with a
    single condition.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (29, "m"), (70, "m"), (79, "m")], ("age", "sex"))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))
    >>> workload = sf.Workload((("age=20..24",), ("age=70..", "sex=m")))
    >>> AttributeQueries().measure(Comparison(data, result.release, workload=workload)).value
    0.0

    References
    ----------
    LeFevre et al., Mondrian multidimensional k-anonymity (2006), Section 5; Poulis et al., Anonymizing data with
    relational and transaction attributes (2013), Section 6.
    """

    name: ClassVar[str] = "attribute-queries"
    title: ClassVar[str] = "Average relative error of COUNT queries (ARE)"
    explanation = (
        "Relative error of the number of {many} with given values. Suppressed {many} are missing from the "
        "answers of the release."
    )
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact counts, 1: off by as much as the count itself"
    paper: ClassVar[str] = (
        "Poulis et al., Anonymizing data with relational and transaction attributes (2013), Section 6"
    )
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "A coarser release may answer more accurately by chance."

    queries: Annotated[int, Param("Number of random queries without a workload.", ge=1)] = 200
    sanity: Annotated[float, Param("Smallest true answer that errors are divided by, as a share of records.", ge=0)] = (
        0.001
    )

    def draw_workload(self, original: Dataset, seed: int) -> Workload:
        """Draw conditions on quasi-identifiers and sensitive columns."""
        attributes = (*attributes_of(original), *attributes_of(original, "sensitive"))
        return draw_queries(attributes, self.queries, seed)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Ask original and release the same queries."""
        view = comparison.view(TableComparison)
        workload = self._choose_workload(view)
        return collect_answers(*_answer(view, workload), view.records) if len(workload) else {}

    def _choose_workload(self, view: TableComparison) -> Workload:
        full_original = view.comparison.full_original
        if full_original.workload:
            return full_original.workload
        return full_original.cached(
            ("workload", self), lambda: draw_queries(view.queried_attributes, self.queries, full_original.seed)
        )

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:
        """Compare the answers of all partitions together."""
        if not partial:
            return 0.0, {"queries": 0}
        errors, bound = judge_answers(partial, self.sanity)
        value, details = describe_errors(errors, bound)
        single = np.array([len(query) == 1 for query in self.find_workload(full_original).queries])
        if single.any():
            details["one_attribute"] = float(errors[single].mean())
        return value, details


def _answer(view: TableComparison, workload: Workload) -> tuple[Floats, Floats]:
    """Return the true and the estimated answer of every query."""
    answers = []
    for number, query in enumerate(workload.queries, start=1):
        owner = f"attribute-queries: query {number} of the workload"
        true, likely = answer_query(query, view.by_name, view.records, view.published.records, owner)
        answers.append((true.sum(), likely.sum()))
    both = np.array(answers, dtype=np.float64)
    return both[:, 0], both[:, 1]
