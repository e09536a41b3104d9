"""One kind of loss bounded, the other as small as possible: Rum-BOUND and Tum-BOUND."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.errors import InfeasibleError
from sfumato.core.params import Param
from sfumato.core.run import Run
from sfumato.kinds.rt.families.combined import Combined, Task
from sfumato.kinds.rt.families.items import RecodedItems
from sfumato.kinds.table.model import Attribute

__all__ = ["RumBound", "TumBound"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_RULES = ("r", "t", "rt")
_SLACK = 1e-9
"""Losses that are equal on paper differ by less; a bound that was read off a message is reached."""


@dataclasses.dataclass(frozen=True)
class Bounded(Combined):
    """Base of methods that merge clusters until a bound is reached.

    The cluster with the least relational loss is the seed, and a rule names the one it is merged with: ``r`` the one
    with the most similar attributes (NCP of both together), ``t`` the one with the most similar items (bit-vector
    distance BTD), ``rt`` the one with the least sum of its places in both orders.
    """

    delta: Annotated[float, Param("Largest loss of what is bounded, 1 for no bound.", ge=0, le=1)] = 1.0
    merge: Annotated[str, Param("Which clusters are merged: similar attributes, items, or both.", choices=_RULES)] = "t"

    def form(self, dataset: Dataset, attributes: tuple[Attribute, ...], run: Run) -> Ints:  # noqa: ARG002
        """Form classes by the attributes."""
        return self.form_by_attributes(attributes, run)

    def rank(self, task: Task, seed: int, price: Floats) -> tuple[Floats, ...]:
        """Return the keys that order the clusters a seed can be merged with, the most important one first."""
        if self.merge == "r":
            return (price,)
        apart = self.distances(task, seed)
        if self.merge == "t":
            return apart, price
        return _places(price) + _places(apart), price

    def distances(self, task: Task, seed: int) -> Floats:
        """Return how unlike the items of the seed are those of every other cluster."""
        return task.clusters.distance_with(seed, self.k)

    def refuse(self, what: str, reached: float) -> InfeasibleError:
        """Say what could be reached, rounded so that it can."""
        least = math.ceil(reached * 1e6) / 1e6
        return InfeasibleError(
            f"{type(self).__name__}: {what} cannot be kept at delta={self.delta:g}; the smallest that is reached here "
            f"is {least:g}. Choose a larger delta, or a smaller k."
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
    sfumato.core.errors.InfeasibleError: RumBound: the loss of attributes (NCP) cannot be kept at delta=0.01; the
    smallest that is reached here is 0.024391. Choose a larger delta, or a smaller k.

    References
    ----------
    Poulis et al. (2013), Section 4, Rum-BOUND with RMERGE_R, RMERGE_T and RMERGE_RT.
    """

    name: ClassVar[str] = "rum-bound"
    summary: ClassVar[str] = "Loss of attributes at most delta; clusters are merged to lose as few items as possible."
    optimises: ClassVar[str] = "the loss of items (UL), at a loss of attributes (NCP) of at most delta"

    def settle(self, task: Task) -> Sequence[RecodedItems]:
        """Merge clusters as long as the seed has a partner that keeps the bound."""
        clusters, what = task.clusters, "the loss of attributes (NCP)"
        if clusters.rum > self.delta + _SLACK:
            raise self.refuse(what, clusters.rum)
        most, begun = (self.delta + _SLACK / 10) * clusters.records, len(clusters)
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
            keys = self.rank(task, seed, price)
            clusters.merge(seed, _first(keys, fits))
        found = self.recode_all(task)
        if clusters.rum > self.delta + _SLACK:
            raise self.refuse(what, clusters.rum)
        return found


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
    sfumato.core.errors.InfeasibleError: TumBound: the loss of items (UL) cannot be kept at delta=0.1; the smallest that
    is reached here is 0.571429. Choose a larger delta, or a smaller k.

    References
    ----------
    Poulis et al. (2013), Section 4, Tum-BOUND with TMERGE_R, TMERGE_T and TMERGE_RT.
    """

    name: ClassVar[str] = "tum-bound"
    summary: ClassVar[str] = "Loss of items at most delta; clusters are merged no further than that needs."
    optimises: ClassVar[str] = "the loss of attributes (NCP), at a loss of items (UL) of at most delta"

    def settle(self, task: Task) -> Sequence[RecodedItems]:
        """Merge clusters until the bound is kept, or nothing is left to merge."""
        clusters, begun = task.clusters, len(task.clusters)
        recoded = self.recode_all(task)
        found = dict(zip(clusters.listed(), recoded, strict=True))
        total = sum(items.loss for items in found.values()) + clusters.withheld
        least = total
        while total > (self.delta + _SLACK) * clusters.records and len(clusters) > 1:
            task.run.report("clusters")(0, begun - len(clusters), begun)
            seed = clusters.find_seed()
            price = clusters.price_with(seed)
            other = _first(self.rank(task, seed, price), clusters.others(seed))
            clusters.merge(seed, other)
            before = found.pop(seed).loss + found.pop(other).loss
            found[seed] = task.recoder.recode(clusters.rows[seed], task.run)
            total += found[seed].loss - before
            least = min(least, total)
        total = sum(items.loss for items in found.values()) + clusters.withheld
        if total > (self.delta + _SLACK) * clusters.records:
            raise self.refuse("the loss of items (UL)", least / clusters.records)
        return [found[cluster] for cluster in clusters.listed()]


def _places(values: Floats) -> Floats:
    """Return the place of every value in their order; equal ones have the same.

    Examples
    --------
    >>> _places(np.array([3.0, 1.0, 3.0, 2.0])).tolist()
    [2.0, 0.0, 2.0, 1.0]
    """
    return np.searchsorted(np.sort(values), values).astype(np.float64)


def _first(keys: tuple[Floats, ...], wanted: npt.NDArray[np.bool_]) -> int:
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
