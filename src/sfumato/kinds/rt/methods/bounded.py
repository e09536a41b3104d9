"""One kind of loss bounded, the other as small as possible: Rum-BOUND and Tum-BOUND."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.rt.methods._base.clusters import Clusters, Version
from sfumato.kinds.rt.methods._base.combined import Combined, Task
from sfumato.kinds.rt.methods._base.items import RecodedItems
from sfumato.messages import Message, parameter
from sfumato.params import Param
from sfumato.release.run import Run

__all__ = ["RumBound", "TumBound"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_RULES = ("r", "t", "rt")
_WAYS: dict[str, list[tuple[str, ...]]] = {
    "r": [("price",)],
    "t": [("apart", "price")],
    "rt": [("both", "loss", "apart"), ("both", "apart"), ("apart", "loss"), ("price", "loss")],
}
"""Which keys decide, the most important one first, for one try each."""
_CHECKPOINTS = 64
"""How often items are recoded on the way to one cluster before the place that keeps the bound is looked for."""
_SLACK = 1e-10
"""How much further than the bound is merged at first: losses that are kept up to date differ by less from true ones."""


@dataclasses.dataclass(frozen=True)
class Bounded(Combined):
    """Base of methods that merge clusters until a bound is reached.

    The cluster with the least relational loss is the seed, and a rule names the one it is merged with: ``r`` the one
    with the most similar attributes (NCP of both together), ``t`` the one with the most similar items (bit-vector
    distance BTD), ``rt`` the one with the least sum of its places in two orders: by what merging adds to the loss of
    all records, and by items.
    """

    delta: Annotated[float, Param("Limit of the loss, from 0 to 1; 1 for no limit.", ge=0, le=1)] = 1.0
    merge: Annotated[
        str, Param("Clusters are merged by similar attributes (r), items (t) or both (rt).", choices=_RULES)
    ] = "t"

    def build_clusters(self, dataset: Dataset, run: Run) -> Ints:
        """Form classes by the attributes."""
        return self.cluster_by_attributes(dataset, run)

    def ways(self) -> Sequence[tuple[str, ...]]:
        """Return which keys decide, the most important one first, for one try each.

        What is merged early decides what can be merged at all, and a try costs little beside anonymising candidates.
        So rule ``rt`` has four: where sums of places are equal, either order has its turn, and items and attributes
        come alone.
        """
        return _WAYS[self.merge]

    def rank(self, task: Task, seed: int, price: Floats, way: tuple[str, ...]) -> list[Floats]:
        """Return the keys that order the clusters a seed can be merged with, the most important one first."""
        keys = {"price": price}
        if not {"loss", "both"}.isdisjoint(way):
            # The price of a large cluster is always among the highest, though few records may pay more in it.
            keys["loss"] = task.clusters.loss_with(seed, price)
        if not {"apart", "both"}.isdisjoint(way):
            keys["apart"] = self.distances(task, seed)
        if "both" in way:
            keys["both"] = _places(keys["loss"]) + _places(keys["apart"])
        return [keys[name] for name in way]

    def distances(self, task: Task, seed: int) -> Floats:
        """Return how unlike the items of the seed are those of every other cluster."""
        return task.clusters.distance_with(seed, self.k)

    def refuse(self, what: str, reached: float) -> InfeasibleError:
        """Say what could be reached, rounded so that it can."""
        millionths = math.ceil(reached * 1e6)
        millionths += millionths / 1e6 < reached
        return InfeasibleError(
            Message(
                self.message_name,
                f": {what} reaches {millionths / 1e6:g} at best; delta={self.delta:g} is required.",
            ),
            option="delta",
            hint=Message(
                "Use ",
                parameter("delta", float(f"{millionths / 1e6:g}")),
                " or more, or a smaller ",
                parameter("k"),
                ".",
            ),
        )


@dataclasses.dataclass(frozen=True)
class RumBound(Bounded):
    """Keep the loss of attributes (NCP) at most delta, and merge clusters as far as that allows to lose few items.

    Examples
    --------
    >>> rows = [(20,), (21,), (60,), (61,)]
    >>> data = Dataset.of("rt", rows, ("age",), [["a"], ["b"], ["a"], ["b"]])
    >>> release = RumBound(k=2, m=1, delta=1, transaction="coat").anonymize(data, Run(bytes(32))).release
    >>> sorted(release.history().lists())
    [['a'], ['a'], ['b'], ['b']]
    >>> RumBound(k=2, m=1, delta=0.01, transaction="coat").anonymize(data, Run(bytes(32)))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.InfeasibleError: RumBound: the loss of attributes (NCP) reaches 0.024391 at best; delta=0.01
    is required. Use delta=0.024391 or more, or a smaller k.

    References
    ----------
    Poulis et al. (2013), Section 4, Rum-BOUND with RMERGE_R, RMERGE_T and RMERGE_RT.
    """

    name: ClassVar[str] = "rum-bound"
    summary: ClassVar[str] = "Limits the loss of attributes to delta and merges clusters so that few items are lost."
    optimises: ClassVar[str] = "the loss of items (UL), at a loss of attributes (NCP) of at most delta"

    def merge_clusters(self, task: Task) -> Sequence[RecodedItems]:
        """Merge clusters as long as the seed has a partner that keeps the bound; of several ways keep the best."""
        formed, what = task.clusters, "the loss of attributes (NCP)"
        if formed.rum > self.delta:
            raise self.refuse(what, formed.rum)
        joined = self._join_all(task)
        if joined.rum <= self.delta:
            # No merge costs more than all of them do, so that each would keep the bound, whatever the rule.
            task.clusters = joined
            return self.recode_all(task)
        outcomes: list[tuple[float, Clusters, list[RecodedItems]]] = []
        reached = []
        for way in self.ways():
            tried = dataclasses.replace(task, clusters=formed.rewind(len(formed.merges)))
            self._merge_by(tried, way)
            recoded = self.recode_all(tried)
            reached.append(tried.clusters.rum)
            if reached[-1] <= self.delta:
                outcomes.append((_average_item_losses(recoded, tried.clusters), tried.clusters, recoded))
        if not outcomes:
            raise self.refuse(what, min(reached))
        _, task.clusters, best = min(outcomes, key=lambda outcome: outcome[0])
        return best

    def _join_all(self, task: Task) -> Clusters:
        """Return one cluster of all records that are not suppressed."""
        return Clusters(task.attributes, np.minimum(task.clusters.groups(), 0), task.clusters.items)

    def _merge_by(self, task: Task, way: tuple[str, ...]) -> None:
        """Merge clusters by some of the keys, and undo the last merges where they break the bound in some digit."""
        clusters, begun = task.clusters, len(task.clusters)
        most = (self.delta + _SLACK) * clusters.records
        while len(clusters) > 1:
            task.run.report("clusters")(0, begun - len(clusters), begun)
            seed = clusters.find_seed()
            price = clusters.price_with(seed)
            fits = clusters.loss_with(seed, price) <= most
            if self.merge == "r":
                # The paper looks at the most similar cluster only.
                fits &= price == price.min()
            if not fits.any():
                break
            clusters.merge(seed, _first(self.rank(task, seed, price, way), fits))
        while task.clusters.rum > self.delta:
            task.clusters = task.clusters.rewind(len(task.clusters.merges) - 1)


@dataclasses.dataclass(frozen=True)
class TumBound(Bounded):
    """Merge clusters until the loss of items (UL) is at most delta, so that attributes lose as little as possible.

    Examples
    --------
    >>> rows = [(20,), (21,), (60,), (61,)]
    >>> data = Dataset.of("rt", rows, ("age",), [["a", "c"], ["b", "c"], ["a", "c"], ["b", "c"]])
    >>> release = TumBound(k=2, m=2, delta=0.7, transaction="coat").anonymize(data, Run(bytes(32))).release
    >>> sorted(release.history().lists())
    [['c', '{a|b}'], ['c', '{a|b}'], ['c', '{a|b}'], ['c', '{a|b}']]
    >>> TumBound(k=2, m=2, delta=0.1, transaction="coat").anonymize(data, Run(bytes(32)))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.InfeasibleError: TumBound: the loss of items (UL) reaches 0.571429 at best; delta=0.1 is
    required. Use delta=0.571429 or more, or a smaller k.

    References
    ----------
    Poulis et al. (2013), Section 4, Tum-BOUND with TMERGE_R, TMERGE_T and TMERGE_RT.
    """

    name: ClassVar[str] = "tum-bound"
    summary: ClassVar[str] = "Limits the loss of items to delta and merges clusters no further than needed."
    optimises: ClassVar[str] = "the loss of attributes (NCP), at a loss of items (UL) of at most delta"

    def merge_clusters(self, task: Task) -> Sequence[RecodedItems]:
        """Merge clusters until the bound is kept, or nothing is left to merge.

        What is merged does not depend on how items are recoded, and a cluster that grows by one merge after the other
        would be recoded as often. So items are recoded after every so many merges, and once the bound is kept, the
        first merge that keeps it is looked for among the last ones.
        """
        clusters, recoded = task.clusters, self.recode_all(task)
        items: dict[Version, RecodedItems | None] = dict(zip(clusters.versions(), recoded, strict=True))
        before = reached = _MergeState(clusters, len(clusters.merges), items)
        begun, least = len(clusters), reached.loss
        stride = math.ceil((begun - 1) / _CHECKPOINTS)
        while reached.loss > self.delta and len(clusters) > 1:
            task.run.report("clusters")(0, begun - len(clusters), begun)
            for _ in range(min(stride, len(clusters) - 1)):
                self._merge_next(task)
            before, reached = reached, self._recode(task, clusters, reached.items)
            least = min(least, reached.loss)
        if reached.loss > self.delta:
            raise self.refuse("the loss of items (UL)", least)
        while reached.merges - before.merges > 1:
            middle = clusters.rewind((before.merges + reached.merges) // 2)
            tried = self._recode(task, middle, before.items | reached.items)
            before, reached = (tried, reached) if tried.loss > self.delta else (before, tried)
        task.clusters = reached.clusters
        return [items for items in reached.items.values() if items is not None]

    def _merge_next(self, task: Task) -> None:
        """Merge the seed with the cluster that the rule names."""
        seed = task.clusters.find_seed()
        price = task.clusters.price_with(seed)
        keys = self.rank(task, seed, price, self.ways()[0])
        task.clusters.merge(seed, _first(keys, task.clusters.others(seed)))

    def _recode(
        self, task: Task, clusters: Clusters, earlier_recodings: Mapping[Version, RecodedItems | None]
    ) -> _MergeState:
        """Recode the clusters that are not known."""
        versions = clusters.versions()
        new = [version for version in versions if version not in earlier_recodings]
        recodings = {
            **earlier_recodings,
            **dict(zip(new, self.recode_clusters(task, clusters, [at for at, _ in new]), strict=True)),
        }
        task.run.counters["recoded"] = task.run.counters.get("recoded", 0) + len(new)
        return _MergeState(clusters, len(clusters.merges), {version: recodings[version] for version in versions})


@dataclasses.dataclass(frozen=True, eq=False)
class _MergeState:
    """Clusters on the way to one, and what their items are recoded to.

    Parameters
    ----------
    clusters
        As they are or, once they were merged further, were.
    merges
        How many merges led here.
    items
        The recoded items of every cluster; None where they cannot be recoded.
    """

    clusters: Clusters
    merges: int
    items: dict[Version, RecodedItems | None]

    @cached_property
    def loss(self) -> float:
        """Mean UL of all records; infinite where clusters cannot be recoded."""
        recoded = [items for items in self.items.values() if items is not None]
        return _average_item_losses(recoded, self.clusters) if len(recoded) == len(self.items) else math.inf


def _average_item_losses(recoded: Sequence[RecodedItems], clusters: Clusters) -> float:
    """Return mean UL of all records, in every digit what is measured of the release."""
    losses = (loss for items in recoded for loss in items.losses.tolist())
    return (math.fsum(losses) + clusters.suppressed_records) / max(clusters.records, 1)


def _places(values: Floats) -> Floats:
    """Return the place of every value in their order; equal ones have the same.

    Examples
    --------
    >>> _places(np.array([3.0, 1.0, 3.0, 2.0])).tolist()
    [2.0, 0.0, 2.0, 1.0]
    """
    return np.searchsorted(np.sort(values), values).astype(np.float64)


def _first(keys: Sequence[Floats], wanted: npt.NDArray[np.bool_]) -> int:
    """Return the first wanted position in the order of the keys; of equal ones the lowest.

    Examples
    --------
    >>> _first((np.array([1.0, 0.0, 0.0]), np.array([0.0, 2.0, 1.0])), np.array([True, True, True]))
    2
    """
    left = np.flatnonzero(wanted)
    for key in keys:
        left = left[key[left] == key[left].min()]
    return int(left[0])
