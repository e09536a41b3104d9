"""One kind of loss first: RFIRST groups people by their attributes, TFIRST by their items."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.kinds.rt.dataset import HIERARCHY, known_items
from sfumato.kinds.rt.methods._base.combined import Combined, Task
from sfumato.kinds.rt.methods._base.items import RecodedItems
from sfumato.params import Param
from sfumato.release.row_clusters import cut
from sfumato.release.run import Run

__all__ = ["RFirst", "TFirst"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class RFirst(Combined):
    """Keep attributes as exact as possible: people with similar ones form groups, whose items are then generalised.

    Examples
    --------
    >>> rows = [(20, "f"), (21, "f"), (60, "m"), (61, "m")]
    >>> data = Dataset.of("rt", rows, ("age", "sex"), [["a"], ["b"], ["c"], ["c"]])
    >>> release = RFirst(k=2, m=1, transaction="coat").anonymize(data, Run(bytes(32))).release
    >>> sorted(release.history().lists()), release.guarantee
    ([['c'], ['c'], ['{a|b}'], ['{a|b}']], KKmAnonymity(k=2, m=1, l=1, quasi=('age', 'sex'), sensitive=()))

    References
    ----------
    Poulis et al. (2013), Section 3 (lexicographical strategies), RFIRST.
    """

    name: ClassVar[str] = "rfirst"
    summary: ClassVar[str] = "Groups records with similar attributes and generalises the items of each group."
    optimises: ClassVar[str] = "NCP of the attributes, then the loss of items in every group"

    def build_clusters(self, dataset: Dataset, run: Run) -> Ints:
        """Form classes by the attributes."""
        return self.cluster_by_attributes(dataset, run)

    def merge_clusters(self, task: Task) -> Sequence[RecodedItems]:
        """Merge nothing that need not be merged."""
        return self.recode_all(task)


@dataclasses.dataclass(frozen=True)
class TFirst(Combined):
    """Keep items as exact as possible: people with similar ones form a few large groups, whose attributes are widened.

    Examples
    --------
    >>> rows = [(20, "f"), (21, "f"), (60, "m"), (61, "m")]
    >>> data = Dataset.of("rt", rows, ("age", "sex"), [["a"], ["b"], ["a"], ["b"]])
    >>> release = TFirst(k=2, m=1, parts=1, transaction="coat").anonymize(data, Run(bytes(32))).release
    >>> sorted(release.history().lists()), release.table.column("sex").to_pylist()
    ([['a'], ['a'], ['b'], ['b']], [None, None, None, None])

    References
    ----------
    Poulis et al. (2013), Section 3 (lexicographical strategies), TFIRST.
    """

    name: ClassVar[str] = "tfirst"
    summary: ClassVar[str] = "Groups records with similar items and generalises the attributes of each group."
    optimises: ClassVar[str] = "the loss of items, in a few large groups"

    parts: Annotated[int, Param("Number of groups, of at least k records each.", ge=1)] = 5

    def build_clusters(self, dataset: Dataset, run: Run) -> Ints:  # noqa: ARG002
        """Cut the records, in the Gray order of their items, into groups of about the same size."""
        from sfumato._kernels.gray import gray_order_sparse

        items = known_items(dataset)
        tree = dataset.hierarchies.get(HIERARCHY)
        rank = np.zeros(len(items.labels), np.int64)
        held = np.unique(items.codes)
        labels = [items.labels[code] for code in held.tolist()]
        places = np.argsort(np.argsort(labels)) if tree is None else tree.require(labels, self.message_name)
        rank[held] = places
        last = int(rank.max(initial=0))
        # The first item is the least significant bit, as in the order of sets.
        order = gray_order_sparse(items.offsets, (last - rank[items.codes]).astype(np.int32), last + 1)
        group = np.zeros(len(dataset), np.int64)
        for number, part in enumerate(cut(order, self.parts, self.k)):
            group[part] = number
        return group

    def merge_clusters(self, task: Task) -> Sequence[RecodedItems]:
        """Merge nothing that need not be merged."""
        return self.recode_all(task)
