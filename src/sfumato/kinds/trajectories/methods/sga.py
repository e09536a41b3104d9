"""SGA: clusters of people who share frequent subtrajectories, each made anonymous on its own."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.params import Param
from sfumato.kinds.trajectories.families.place_merging import ClusteredMerging
from sfumato.kinds.trajectories.model.histories import Trajectories

__all__ = ["Sga"]


@dataclasses.dataclass(frozen=True)
class Sga(ClusteredMerging):
    """Cluster people by the frequent subtrajectories they share (Gray order), then protect every cluster on its own.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> xy = {"a": (0, 0), "b": (1, 0), "f": (5, 5)}
    >>> rows = [["a", "b"], ["a", "b"], ["b", "a"], ["b", "a", "f"], ["b", "a"]]
    >>> data = Dataset.of("trajectories", rows, xy, sensitive=("f",))
    >>> Sga(k=2, m=2, l=2, clusters=2).anonymize(data, Run(bytes(32))).release
    Release(trajectories by sga: 5 of 5 records, klm-anonymity (k=2, m=2, l=2))

    References
    ----------
    Poulis et al., Select-Organize-Anonymize: A framework for trajectory data anonymization, Section III.
    """

    name: ClassVar[str] = "sga"
    summary: ClassVar[str] = "Clusters people who share frequent subtrajectories, then lm-anon in each cluster."
    paper: ClassVar[str] = "Poulis et al., Select-Organize-Anonymize (2013), III"
    optimises: ClassVar[str] = "distance, in every cluster"

    top: Annotated[int, Param("Number of frequent subtrajectories that describe a record.", ge=1)] = 10

    def order(self, rows: Trajectories) -> npt.NDArray[np.int64]:
        """Return the rows in the Gray order of the frequent subtrajectories they contain."""
        from sfumato.kernels.gray import gray_order
        from sfumato.kinds.trajectories.kernels.patterns import contains, top_patterns

        ordinary = rows.ordinary
        patterns = top_patterns(ordinary.offsets, ordinary.codes, self.top)
        # The most frequent one is the least significant bit, as in the paper's printed keys.
        return gray_order(contains(ordinary.offsets, ordinary.codes, patterns)[:, ::-1])
