"""How wrong answers to COUNT queries on attributes, on items, and on both are."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import SchemaError
from sfumato.kinds.rt.comparison import RtComparison
from sfumato.kinds.table.comparison.queries import (
    Selection,
    draw_conditions,
    expect_matches,
    find_matches,
    select,
    split_query,
)
from sfumato.kinds.table.dataset import Attribute, attributes_of
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import Facts, PartialSums
from sfumato.metrics.query_metric import collect_answers, judge_answers
from sfumato.metrics.workload import Workload
from sfumato.params import Param

__all__ = ["Queries"]

Floats = npt.NDArray[np.float64]

_MAX_FRUITLESS = 1000


@dataclasses.dataclass(frozen=True)
class Queries(SummedMetric):
    """Measure ARE of COUNT queries: how many records have such values in these columns, and all of these items?

    The true answer is the number of original records, suppressed ones included. From the release it is estimated by the
    uniform assumption: every value in a cell is as likely as the others, and each of a value's n items is there with a
    chance of 1/n, all on their own. Suppressed records are not made up for. The relative error is |estimate - truth|
    divided by the truth, or by the sanity bound where the truth is smaller: a share of the original records, so that
    rare queries do not dominate.

    Without a workload, a third of `queries` each is about attributes, about items and about both, each kept by a random
    record; ``attributes``, ``items`` and ``both`` are their errors. In a workload a query is ``age=20..29 > wine``:
    conditions on columns, and items.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("rt", [(20,), (20,), (60,), (60,)], ("age",), [["a"], ["b"], ["a"], ["a"]])
    >>> result = sf.anonymize(data, sf.methods.RFirst(k=2, m=1, transaction="coat"), secret=bytes(32))
    >>> workload = sf.Workload((("age=20..20",), ("a",), ("age=20..20", "a")))
    >>> score = Queries().measure(Comparison(data, result.release, workload=workload))
    >>> score.details["attributes"], score.details["items"], score.details["both"]
    (0.0, 0.0, 0.0)

    References
    ----------
    Poulis et al., Anonymizing data with relational and transaction attributes (2013), Section 6.
    """

    name: ClassVar[str] = "queries"
    title: ClassVar[str] = "Average relative error of COUNT queries (ARE)"
    explanation = (
        "Relative error of the number of {many} with given values and items. Suppressed {many} are missing "
        "from the answers of the release."
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

    queries: Annotated[int, Param("Number of random queries without a workload.", ge=3)] = 300
    longest: Annotated[int, Param("Largest number of items in a random query.", ge=1)] = 2
    sanity: Annotated[float, Param("Smallest true answer that errors are divided by, as a share of records.", ge=0)] = (
        0.001
    )

    def partial(self, comparison: Comparison) -> PartialSums:
        """Ask original and release the same queries."""
        view = comparison.view(RtComparison)
        queries = self._read(view)
        if not queries:
            return {}
        answers = np.array([query.answer(view) for query in queries], dtype=np.float64)
        about = Facts(enumerate(query.about for query in queries))
        return {**collect_answers(answers[:, 0], answers[:, 1], len(comparison.original)), "about": about}

    def _read(self, view: RtComparison) -> list[_Query]:
        queries = self.find_workload(view.comparison.full_original).queries
        return [_Query.read(view, query, number) for number, query in enumerate(queries, start=1)]

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare the answers of all partitions together."""
        if not partial:
            return 0.0, {"queries": 0}
        errors, bound = judge_answers(partial, self.sanity)
        details: dict[str, Any] = {"queries": len(errors), "median": float(np.median(errors)), "sanity_bound": bound}
        for about in ("attributes", "items", "both"):
            selected = np.array([kind == about for kind in partial["about"].values()])
            if selected.any():
                details[about] = float(errors[selected].mean())
        return float(errors.mean()), details

    def draw_workload(self, original: Dataset, seed: int) -> Workload:
        """Draw different queries, each of which a random record keeps; fewer where there are no more."""
        generator = np.random.default_rng(seed)
        history = original.history()
        attributes = (*attributes_of(original), *attributes_of(original, "sensitive"))
        filled = np.flatnonzero(history.lengths > 0)
        queries: dict[tuple[str, ...], None] = {}
        fruitless = 0
        quota = -(-self.queries // 3)
        counts = dict.fromkeys(("attributes", "items", "both"), 0)
        while len(history) and len(queries) < self.queries and fruitless < _MAX_FRUITLESS:
            about = min(counts, key=lambda kind: counts[kind])
            rows = filled if about != "attributes" and len(filled) else np.arange(len(history))
            row = int(rows[generator.integers(len(rows))])
            query = self._draw_query(history, about, row, attributes, generator)
            if query and query not in queries:
                queries[query] = None
                counts[about] += 1
                fruitless = 0
            else:
                fruitless += 1
                counts[about] += fruitless % 50 == 0 and counts[about] < quota
        return Workload(tuple(queries))

    def _draw_query(
        self,
        history: ListColumn,
        about: str,
        row: int,
        attributes: tuple[Attribute, ...],
        generator: np.random.Generator,
    ) -> tuple[str, ...]:
        """Draw a query that a record keeps."""
        mine = history.codes[history.offsets[row] : history.offsets[row + 1]]
        conditions: tuple[str, ...] = ()
        if about != "items":
            conditions = draw_conditions(attributes, row, generator)
        if about == "attributes" or not len(mine):
            return conditions
        size = int(generator.integers(1, min(self.longest, len(mine)) + 1))
        chosen = generator.choice(mine, size, replace=False)
        return (*conditions, *sorted(history.labels[code] for code in chosen.tolist()))


@dataclasses.dataclass(frozen=True, eq=False)
class _Query:
    conditions: tuple[Selection, ...]
    items: tuple[str, ...]

    @classmethod
    def read(cls, view: RtComparison, query: tuple[str, ...], number: int) -> _Query:
        columns, owner = view.table.by_name, f"queries: query {number} of the workload"
        conditions, rest = split_query(query, columns)
        if not {*view.items}.issuperset(rest):
            raise SchemaError(
                f"{owner} has a part that is neither a condition on a published column nor an item.",
                hint="Write conditions and items such as age=20..29 > sex=f > wine, each column once.",
            )
        chosen = tuple(select(columns[name].attribute, text, owner) for name, text in conditions.items())
        return cls(chosen, tuple(dict.fromkeys(rest)))

    @property
    def about(self) -> str:
        return "both" if self.conditions and self.items else "items" if self.items else "attributes"

    def answer(self, view: RtComparison) -> tuple[float, float]:
        """Return the true and the estimated number of records."""
        table = view.table
        true = find_matches(self.conditions, table.records) & view.has(self.items)
        chance = expect_matches(self.conditions, table.by_name, table.published.records)
        return float(true.sum()), float((chance * view.chance_of(self.items)).sum())
