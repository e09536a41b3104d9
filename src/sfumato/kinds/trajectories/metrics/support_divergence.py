"""How far the distribution of supports is from the original one."""

from __future__ import annotations

import dataclasses
import functools
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.checks.subsequences import lookup, support
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums
from sfumato.metrics.workload import Workload
from sfumato.params import Param

__all__ = ["SupportDivergence"]

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class SupportDivergence(SummedMetric):
    """Measure the Kullback-Leibler divergence of supports, original against published.

    The value is over all places; ``pairs`` is over a sample of subtrajectories of two places, drawn from
    the original. The support of a subtrajectory in the release is that of its generalised counterpart:
    the number of published records that may contain it. Within a record a place has one counterpart at
    most, so this holds for local recoding too. Both lists of supports are divided by their sums, and the
    divergence is in nats.

    What is suppressed, or only in suppressed records, has support 0 in the release and the divergence would
    be infinite. It counts as half a record instead: finite, and the more costly the more is suppressed.
    ``without_counterpart`` says how many places that concerns.

    Examples
    --------
    >>> import sfumato as sf
    >>> at = {"a": (0, 0), "b": (1, 0), "c": (4, 0)}
    >>> data = sf.Dataset.of("trajectories", [["a", "c"], ["b", "c"], ["c"]], at)
    >>> result = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32))
    >>> round(SupportDivergence().measure(Comparison(data, result.release)).value, 4)
    0.0592

    References
    ----------
    Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data, Section 5 (Measures).
    """

    name: ClassVar[str] = "support-divergence"
    title: ClassVar[str] = "Divergence of supports (KL)"
    explanation = (
        "Difference between the popularity of places in the release and in the original. 0 is no "
        "difference; a nat is a unit of information, about 1.44 bits."
    )
    unit: ClassVar[str] = "nats"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: no difference; no upper bound"
    paper: ClassVar[str] = (
        "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), Section 5"
    )
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = (
        "Supports are compared by their shares, and merging places may bring these closer to the original."
    )

    pairs: Annotated[int, Param("Number of random subtrajectories of two places.", ge=1)] = 100

    def partial(self, comparison: Comparison) -> PartialSums:
        """Count supports of places and of sampled pairs."""
        count = len(comparison.history.labels)
        sample = self._sample(comparison.full_original)
        return {
            "before": lookup(*support(comparison.history, 1), np.arange(count)),
            "after": _supports_of_places(comparison)[:count],
            "pairs_before": sample.count(comparison.history),
            "pairs_after": sample.count(comparison.published, comparison.members, np.ones(len(comparison.members))),
        }

    def _sample(self, full_original: FullOriginal) -> Workload:
        draw = functools.partial(Workload.generate, full_original.original, self.pairs, (2,), full_original.seed)
        return full_original.cached(("pairs of places", self), draw)

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:
        """Compare the supports."""
        visited, possible = partial["before"] > 0, partial["pairs_after"]
        published = partial["after"][visited]
        return _diverge(partial["before"][visited], published), {
            "places": int(visited.sum()),
            "without_counterpart": int((published == 0).sum()),
            "pairs": _diverge(partial["pairs_before"], possible),
            "sampled_pairs": len(self._sample(full_original)),
            "pairs_without_counterpart": int((possible == 0).sum()),
        }


def _supports_of_places(comparison: Comparison) -> npt.NDArray[np.int64]:
    """Count the published records that may contain each place: a record has it in one value at most."""
    members = comparison.members
    by_value = lookup(*support(comparison.published, 1), np.arange(len(members)))
    supports = np.zeros(len(comparison.places), dtype=np.int64)
    np.add.at(supports, members.codes, by_value[members.row_of_token])
    return supports


def _diverge(original: npt.NDArray[Any], published: npt.NDArray[Any]) -> float:
    if not len(original):
        return 0.0
    published = np.where(published > 0, published, 0.5)
    there = original > 0
    p, q = original[there] / original.sum(), published[there] / published.sum()
    return max(0.0, float((p * np.log(p / q)).sum()))
