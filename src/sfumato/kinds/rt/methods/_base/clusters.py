"""Clusters of records that are merged, with their relational loss kept up to date."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.kinds.table.dataset import Attribute
from sfumato.kinds.table.methods._base.spaces import number_cells, share_of_domain, space_of

if TYPE_CHECKING:
    from sfumato.kinds.rt._kernels.item_distances import ItemLists

__all__ = ["Clusters", "Version"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Version = tuple[int, int]
"""A cluster, and the merge that made it what it is; -1 for none."""
_SAMPLE_SIZE = 100
"""How many records of a cluster speak for it where distances are averaged: more say hardly more, and cost as much."""


class Clusters:
    """Clusters of the records of a table with sets, and how they can be merged.

    The relational loss (the paper's Rum) is the mean NCP of all records; a suppressed record counts 1. While clusters
    are merged it is kept as one (size, NCP) per cluster: a merge changes it by what the two clusters cost together less
    what they cost apart.

    Parameters
    ----------
    attributes
        The quasi-identifiers.
    group
        Cluster of every record, numbered from 0; -1 for one that is suppressed.
    items
        What can be known of the records' sets.

    Attributes
    ----------
    active
        Clusters that are left.
    price
        NCP of a record of each cluster.
    rows
        Records of each cluster.
    loss
        NCP of all records, added up from merge to merge.
    merges
        Clusters that were merged, in turn: the one that kept its number, and the one that is gone.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.rt.dataset import known_items
    >>> from sfumato.kinds.table.dataset import attributes_of
    >>> data = Dataset.of("rt", [(20,), (30,), (60,), (60,)], ("age",), [["a"], ["a", "b"], ["c"], ["a"]])
    >>> clusters = Clusters(attributes_of(data), np.array([0, 0, 1, 1]), known_items(data))
    >>> clusters.rum, clusters.price_with(0).tolist(), clusters.distance_with(0, 2).tolist()
    (0.125, [inf, 1.0], [inf, 0.75])
    >>> clusters.merge(0, 1)
    >>> clusters.rum, clusters.rows[0].tolist()
    (1.0, [0, 1, 2, 3])
    >>> clusters.rewind(0).rum, clusters.rewind(1).rum
    (0.125, 1.0)
    """

    def __init__(self, attributes: tuple[Attribute, ...], group: Ints, items: ListColumn) -> None:
        from sfumato.kinds.rt._kernels.joined_prices import price_clusters
        from sfumato.kinds.table._kernels.class_bounds import bound_classes

        count = int(group.max(initial=-1)) + 1
        self.attributes, self.items, self.records = attributes, items, len(group)
        self._group = group.astype(np.int64)
        self._formed = self._group.copy()
        self.merges: list[tuple[int, int]] = []
        self._space = space_of(attributes, (1.0 / len(attributes),) * len(attributes))
        self._bounds = bound_classes(self._space, self._group, count)
        self.price: Floats = price_clusters(self._space, self._bounds)
        self.active: Flags = self._bounds.records > 0
        order = np.argsort(self._group, kind="stable")
        ends = np.searchsorted(self._group[order], np.arange(count + 1))
        self.rows: list[Ints] = [order[a:b] for a, b in pairwise(ends.tolist())]
        self.suppressed_records = int((group < 0).sum())
        self.loss = float((self._bounds.records * self.price).sum()) + self.suppressed_records

    def __len__(self) -> int:
        return int(self.active.sum())

    @property
    def rum(self) -> float:
        """Mean NCP of all records, in every digit what is measured of the release."""
        losses = np.repeat(share_of_domain(self.attributes, self._bounds), self.sizes)
        return (math.fsum(losses.tolist()) + self.suppressed_records) / max(self.records, 1)

    @property
    def sizes(self) -> Ints:
        """Number of records of every cluster."""
        return self._bounds.records

    @cached_property
    def _lists(self) -> ItemLists:
        """The items of the records, laid out once someone asks for distances."""
        from sfumato.kinds.rt._kernels.item_distances import list_items

        return list_items(self.items.offsets, self.items.codes, len(self.items.labels))

    @cached_property
    def _lengths(self) -> Ints:
        """How many records of every cluster have at most so many items."""
        from sfumato.kinds.rt._kernels.item_distances import count_lengths

        return count_lengths(self._lists, self._group, len(self.active))

    def find_seed(self) -> int:
        """Return the cluster with the least loss per record; of equal ones the first."""
        return int(np.argmin(np.where(self.active, self.price, np.inf)))

    def others(self, seed: int) -> Flags:
        """Mark all clusters but one."""
        wanted = self.active.copy()
        wanted[seed] = False
        return wanted

    def price_with(self, seed: int) -> Floats:
        """Return the NCP of a record once a cluster is merged with each of the others."""
        from sfumato.kinds.rt._kernels.joined_prices import price_with_seed

        return np.asarray(price_with_seed(self._space, self._bounds, self.others(seed), seed))

    def distance_with(self, seed: int, k: int) -> Floats:
        """Return the bit-vector distance (BTD) of a cluster's records to the k-th nearest, merged with every other.

        Of many records, some speak for all: evenly spaced ones, in the order of the file.
        """
        from sfumato.kinds.rt._kernels.item_distances import measure_joined

        wanted, rows = self.others(seed), self.rows[seed]
        if len(rows) > _SAMPLE_SIZE:
            rows = rows[np.arange(_SAMPLE_SIZE) * len(rows) // _SAMPLE_SIZE]
        return np.asarray(measure_joined(self._lists, self._group, self._lengths, rows, wanted, k))

    def loss_with(self, seed: int, price: Floats) -> Floats:
        """Return the loss of all records once a cluster is merged with each of the others, at known prices."""
        apart = self.sizes * self.price
        with np.errstate(invalid="ignore"):
            joined = (self.sizes[seed] + self.sizes) * price
        return np.where(np.isfinite(price), self.loss + joined - apart - apart[seed], np.inf)

    def merge(self, into: int, gone: int) -> None:
        """Merge two clusters; the first one keeps its number."""
        from sfumato.kinds.table._kernels.class_bounds import merge_bounds, price_class

        apart = self.sizes[into] * self.price[into] + self.sizes[gone] * self.price[gone]
        if "_lengths" in self.__dict__:
            self._lengths[into] += self._lengths[gone]
            self._lengths[gone] = 0
        merge_bounds(self._bounds, into, gone)
        self.price[into] = price_class(self._space, self._bounds, into)
        self.loss += float(self.sizes[into] * self.price[into] - apart)
        self.rows[into] = np.sort(np.concatenate([self.rows[into], self.rows[gone]]))
        self.rows[gone] = np.empty(0, np.int64)
        self._group[self.rows[into]] = into
        self.active[gone] = False
        self.merges.append((into, gone))

    def rewind(self, merges: int) -> Clusters:
        """Return the clusters as they were after so many merges; these stay as they are."""
        top = np.arange(int(self._formed.max(initial=-1)) + 2)
        top[-1] = -1
        for into, gone in reversed(self.merges[:merges]):
            top[gone] = top[into]
        earlier = Clusters(self.attributes, top[self._formed], self.items)
        earlier._formed, earlier.merges = self._formed, self.merges[:merges]
        return earlier

    def versions(self) -> list[Version]:
        """Return the clusters that are left, each with the merge that made it what it is.

        Examples
        --------
        >>> from sfumato.data.dataset import Dataset
        >>> from sfumato.kinds.rt.dataset import known_items
        >>> from sfumato.kinds.table.dataset import attributes_of
        >>> data = Dataset.of("rt", [(20,), (30,), (60,)], ("age",), [["a"]] * 3)
        >>> clusters = Clusters(attributes_of(data), np.arange(3), known_items(data))
        >>> clusters.merge(0, 1)
        >>> clusters.versions()
        [(0, 0), (2, -1)]
        """
        last = {into: at for at, (into, _) in enumerate(self.merges)}
        return [(cluster, last.get(cluster, -1)) for cluster in self.listed()]

    def merge_equal(self) -> None:
        """Merge clusters that are published alike, which costs nothing."""
        first: dict[int, int] = {}
        for cluster, cells in enumerate(number_cells(self.attributes, self._bounds).tolist()):
            if self.active[cluster] and first.setdefault(cells, cluster) != cluster:
                self.merge(first[cells], cluster)

    def listed(self) -> list[int]:
        """Return the clusters that are left."""
        return [int(cluster) for cluster in np.flatnonzero(self.active)]

    def groups_as_numbered(self) -> Ints:
        """Return the cluster of every record by its own number, which those that are gone still have; -1 for none."""
        return self._group

    def groups(self) -> Ints:
        """Return the cluster of every record, those that are left numbered from 0; -1 for one that is suppressed."""
        number = np.append(np.cumsum(self.active) - 1, -1)
        return np.asarray(number[self._group], np.int64)
