"""Merging until a bound is kept in the words of the paper: everything is anonymised anew to see what it costs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from sfumato.exceptions import InfeasibleError
from sfumato.kinds.rt.methods._base.combined import Task
from sfumato.kinds.rt.methods._base.items import RecodedItems
from sfumato.kinds.rt.methods.bounded import RumBound, TumBound


@dataclasses.dataclass(frozen=True)
class PlainTumBound(TumBound):
    """Recodes the items of all clusters after every merge."""

    def merge_clusters(self, task: Task) -> Sequence[RecodedItems]:
        clusters = task.clusters
        self.recode_all(task)
        reached = []
        while True:
            found = [self.recode(task, cluster) for cluster in clusters.listed()]
            lost = [np.array([np.inf]) if items is None else items.losses for items in found]
            reached.append((math.fsum(np.concatenate(lost)) + clusters.suppressed_records) / clusters.records)
            if reached[-1] <= self.delta:
                return [items for items in found if items is not None]
            if len(clusters) == 1:
                raise self.refuse("the loss of items (UL)", min(reached))
            seed = clusters.find_seed()
            keys = self.rank(task, seed, clusters.price_with(seed), self.ways()[0])
            clusters.merge(seed, min(clusters.listed(), key=lambda at: (at == seed, *(key[at] for key in keys), at)))

    def recode(self, task: Task, cluster: int) -> RecodedItems | None:
        try:
            return task.recoder.recode(task.clusters.rows[cluster], task.run)
        except InfeasibleError:
            return None


@dataclasses.dataclass(frozen=True)
class ExhaustiveRumBound(RumBound):
    """Anonymises every candidate merge to score it, once as the paper's baseline does, and counts them."""

    def ways(self) -> Sequence[tuple[str, ...]]:
        return super().ways()[:1]

    def distances(self, task: Task, seed: int) -> np.ndarray:
        clusters = task.clusters
        found = np.full(len(clusters.active), np.inf)
        for other in np.flatnonzero(clusters.others(seed)).tolist():
            rows = np.sort(np.concatenate([clusters.rows[seed], clusters.rows[other]]))
            found[other] = task.recoder.recode(rows, task.run).losses.sum() / len(rows)
            task.run.counters["tried"] = task.run.counters.get("tried", 0) + 1
        return found
