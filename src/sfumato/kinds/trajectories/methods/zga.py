"""ZGA: clusters of people who visit neighbouring places, each made anonymous on its own."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.trajectories.families.place_merging import ClusteredMerging
from sfumato.kinds.trajectories.model.histories import Trajectories

__all__ = ["Zga"]


@dataclasses.dataclass(frozen=True)
class Zga(ClusteredMerging):
    """Cluster people by the places they visit (Z-order, Gray order), then protect every cluster on its own.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> xy = {"a": (0, 0), "b": (1, 0), "f": (5, 5)}
    >>> rows = [["a", "b"], ["a", "b"], ["b", "a"], ["b", "a", "f"], ["b", "a"]]
    >>> data = Dataset.of("trajectories", rows, xy, sensitive=("f",))
    >>> Zga(k=2, m=2, l=2, clusters=2).anonymize(data, Run(bytes(32))).release
    Release(trajectories by zga: 5 of 5 records, klm-anonymity (k=2, m=2, l=2))

    References
    ----------
    Poulis et al., Select-Organize-Anonymize: A framework for trajectory data anonymization, Section III.
    """

    name: ClassVar[str] = "zga"
    summary: ClassVar[str] = "Clusters people who visit neighbouring places, then lm-anon in each cluster."
    paper: ClassVar[str] = "Poulis et al., Select-Organize-Anonymize (2013), III"
    optimises: ClassVar[str] = "distance, in every cluster"

    def order(self, rows: Trajectories) -> npt.NDArray[np.int64]:
        """Return the rows in the Gray order of the places they visit, the places in Z-order."""
        from sfumato.kernels.gray import gray_order_sparse
        from sfumato.kinds.trajectories.kernels.zorder import z_order

        x, y = rows.coordinates(type(self).__name__).T
        ordinary = rows.ordinary
        rank = np.empty(len(x), np.int64)
        # The first place of the Z-order is the least significant bit, as in the paper's printed keys.
        rank[z_order(x, y)] = np.arange(len(x))[::-1]
        keys = np.unique(ordinary.row_of_token * len(x) + rank[ordinary.codes])
        row, column = np.divmod(keys, len(x))
        offsets = np.searchsorted(row, np.arange(len(rows) + 1)).astype(np.int64)
        return gray_order_sparse(offsets, column, len(x))
