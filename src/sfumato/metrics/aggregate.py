"""Scores of a release in partitions: every measure counts in every partition, and one number is made of all counts."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from sfumato.exceptions import SfumatoError
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Metric, Scores, SummedMetric
from sfumato.metrics.partial_sums import PartialSums, add_partial_sums

__all__ = ["PARTITIONS", "Union"]

PARTITIONS = "parts"
"""Detail of a score that says of how many partitions of a release it is."""


@dataclasses.dataclass(eq=False)
class _Count:
    """What a measure has counted so far."""

    metric: SummedMetric
    partial: PartialSums
    unit: str
    alone: list[float]
    """What the measure gives for every partition alone, where it is a mean."""


class Union:
    """What measures find in all partitions of a release laid together, with one partition in memory at a time.

    Parameters
    ----------
    metrics
        The measures.
    full_original
        The original of all partitions.
    wanted
        Parameters that were given: a measure that has one of them must be possible.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.data.select import pick_rows
    >>> from sfumato.kinds.table.metrics.ncp import Ncp
    >>> data = sf.Dataset.of("table", [(20,), (30,), (60,), (100,)], ("age",))
    >>> union = Union([Ncp()], FullOriginal(data))
    >>> for number, rows in enumerate(([0, 1], [2, 3])):
    ...     some = pick_rows(data, rows)
    ...     release = sf.anonymize(some, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    ...     union.add(Comparison(some, release, partition_of=union.full_original, chosen=rows, partition=number))
    >>> union.scores()["ncp"].value, union.scores()["ncp"].details["most"]
    (0.3125, 0.5)
    """

    def __init__(self, metrics: Iterable[Metric], full_original: FullOriginal, wanted: Sequence[str] = ()) -> None:
        self.full_original = full_original
        self.partitions = 0
        self._metrics = list(metrics)
        self._wanted = set(wanted)
        self._counts: dict[str, _Count] = {}
        self._able: Counter[str] = Counter()
        self._obstacles: dict[str, str] = {}

    def add(self, comparison: Comparison) -> None:
        """Count in a partition what every measure needs."""
        self.partitions += 1
        for metric in self._metrics:
            obstacle = self._find_obstacle(metric, comparison)
            if obstacle is None:
                self._able[metric.name] += 1
            else:
                if self._wanted & metric.parameters().keys():
                    raise SfumatoError(f"{metric.name}: {obstacle}")
                self._obstacles.setdefault(metric.name, obstacle)
                self._counts.pop(metric.name, None)
            if metric.name not in self._obstacles:
                assert isinstance(metric, SummedMetric)
                self._count(metric, metric.partial(comparison), comparison)

    def _find_obstacle(self, metric: Metric, comparison: Comparison) -> str | None:
        if not isinstance(metric, SummedMetric):
            return "is about a release in one piece; what it finds in partitions does not add up."
        return metric.obstacle(comparison)

    def _count(self, metric: SummedMetric, partial: PartialSums, comparison: Comparison) -> None:
        alone = [float(metric.combine(partial, self.full_original)[0])] if metric.averages else []
        count = self._counts.get(metric.name)
        if count is None:
            self._counts[metric.name] = _Count(metric, partial, metric.unit_of(comparison), alone)
        else:
            count.partial = add_partial_sums(count.partial, partial)
            count.alone += alone

    @property
    def left_out(self) -> dict[str, str]:
        """Why measures were not taken that could be taken in some of the partitions, by their names."""
        return {
            name: f"could be taken in {self._able[name]:,} of {self.partitions:,} partitions only: {obstacle}"
            for name, obstacle in self._obstacles.items()
            if self._able[name]
        }

    def scores(self) -> Scores:
        """Return what was found; of every measure that is a mean, also the least and the most of a partition alone."""
        results = Scores(left_out=self.left_out)
        for count in self._counts.values():
            value, details = count.metric.combine(count.partial, self.full_original)
            beside: dict[str, Any] = {PARTITIONS: self.partitions}
            if count.alone:
                beside |= {"least": min(count.alone), "most": max(count.alone)}
            score = count.metric.build_score(value, {**details, **beside}, count.unit)
            results.append(dataclasses.replace(score, record=self.full_original.original.unit))
        return results
