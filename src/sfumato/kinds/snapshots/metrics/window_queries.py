"""Queries over windows of time: how often does a value occur from here to there?"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.snapshots.comparison import SnapshotComparison, ValueCounts, merge_snapshots, suppress_plainly
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Better, Metric, Operation
from sfumato.params import Param

__all__ = ["WindowQueries"]

Floats = npt.NDArray[np.float64]

_LENGTHS = (1, 2, 3, 5, 7, 10, 14, 21, 30)


@dataclasses.dataclass(frozen=True)
class WindowQueries(Metric):
    """Average relative error of counts of a sensitive value in windows of many lengths.

    Windows hold a random record and ask for its value. For comparison the same questions are put to two other ways of
    making every snapshot l-eligible: suppression alone, and merging with the snapshots that follow.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("snapshots", [(1, "flu"), (1, "flu"), (2, "cold"), (2, "cold")], (), "ill")
    >>> result = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), secret=bytes(32))
    >>> details = WindowQueries(queries=50).measure(Comparison(data, result.release)).details
    >>> details["length_2"] < details["length_1"], details["suppression"]
    (True, 1.0)

    References
    ----------
    Wang et al., Anonymizing Temporal Data, Section I.
    """

    name: ClassVar[str] = "window-queries"
    title: ClassVar[str] = "Average relative error of window queries"
    explanation = "Relative error of the number of records with a value in a window of snapshots."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact counts, 1: off by as much as the count itself"
    paper: ClassVar[str] = "Wang et al., Anonymizing Temporal Data (2010), I"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "A late record makes up for a missing one with the same value."

    queries: Annotated[int, Param("Number of queries of each length.", ge=1)] = 1000
    sanity: Annotated[float, Param("Smallest true count that errors are divided by.", ge=1)] = 1.0

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Ask original, release and the two alternatives."""
        view = SnapshotComparison(comparison)
        truth = view.original_counts
        l = getattr(comparison.release.guarantee, "l", 2)
        others = {
            "": view.published_counts,
            "suppression": suppress_plainly(truth, l),
            "merging": merge_snapshots(truth, l),
        }
        span = int(view.times.max(initial=0)) + 1
        errors: dict[str, dict[int, float]] = {name: {} for name in others}
        for length in (length for length in _LENGTHS if length <= span):
            rng = np.random.default_rng([comparison.seed, length])
            record = rng.integers(0, len(view.codes), self.queries)
            # Windows lie where there are data, and hold the record that is asked for.
            begin = np.clip(view.times[record] - rng.integers(0, length, self.queries), 0, span - length)
            values = view.codes[record]
            expected = _answer(truth, values, begin, length)
            for name, counts in others.items():
                wrong = np.abs(_answer(counts, values, begin, length) - expected)
                errors[name][length] = float((wrong / np.maximum(expected, self.sanity)).mean())
        means = {name: float(np.mean(list(of.values()))) for name, of in errors.items()}
        details: dict[str, Any] = {name: means[name] for name in ("suppression", "merging")}
        for name, by_length in errors.items():
            details |= {f"{name}_length_{length}".lstrip("_"): error for length, error in by_length.items()}
        return means[""], details


def _answer(counts: ValueCounts, values: npt.NDArray[np.int64], begin: npt.NDArray[np.int64], length: int) -> Floats:
    answers = np.zeros(len(values))
    for value in np.unique(values):
        mine = values == value
        answers[mine] = counts.count_in(int(value), begin[mine], length)
    return answers
