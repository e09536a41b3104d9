"""SGA: clusters of people who share frequent subtrajectories, each made anonymous on its own."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.clusters import cut
from sfumato.core.dataset import Dataset
from sfumato.core.diversity import explain_failure
from sfumato.core.guarantee import Guarantee
from sfumato.core.lengths import hideable_rows
from sfumato.core.merging import ClusteredMerging
from sfumato.core.params import Param
from sfumato.core.publication import Recoded
from sfumato.core.run import Run
from sfumato.core.trajectories import Trajectories
from sfumato.guarantees.klm_anonymity import KlmAnonymity

__all__ = ["Sga"]


@dataclasses.dataclass(frozen=True)
class Sga(ClusteredMerging):
    """Cluster people by the frequent subtrajectories they share (Gray order), then protect every cluster on its own.

    Examples
    --------
    >>> from sfumato.core.run import Run
    >>> xy = {"a": (0, 0), "b": (1, 0), "f": (5, 5)}
    >>> rows = [["a", "b"], ["a", "b"], ["b", "a"], ["b", "a", "f"], ["b", "a"]]
    >>> data = Dataset.from_trajectories(rows, xy, sensitive=("f",))
    >>> Sga(k=2, m=2, l=2, clusters=2).anonymize(data, Run(seed=1)).release
    Release(trajectories by sga: 5 of 5 records, klm-anonymity (k=2, m=2, l=2))

    References
    ----------
    Poulis et al., Select-Organize-Anonymize: A framework for trajectory data anonymization, Section III.
    """

    name: ClassVar[str] = "sga"
    summary: ClassVar[str] = "Clusters people who share frequent subtrajectories, then lm-anon in each cluster."
    paper: ClassVar[str] = "Poulis et al., Select-Organize-Anonymize (2013), III"
    promises: ClassVar[tuple[type[Guarantee], ...]] = (KlmAnonymity,)
    optimises: ClassVar[str] = "distance, in every cluster"
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "sensitive places")

    l: Annotated[int, Param("One over the largest share that may visit a sensitive place.", ge=2)] = 2
    clusters: Annotated[int, Param("Number of clusters of similar records.", ge=1)] = 5
    top: Annotated[int, Param("Number of frequent subtrajectories that describe a record.", ge=1)] = 10

    def claim(self, dataset: Dataset) -> KlmAnonymity:
        """Claim (k,l)^m-anonymity for the sensitive places that were named."""
        return KlmAnonymity(self.k, self.m, self.l, dataset.schema.sensitive)

    def organise(self, rows: Trajectories) -> list[npt.NDArray[np.int64]]:
        """Cluster rows by the Gray order of the frequent subtrajectories they contain."""
        from sfumato.kernels.gray import gray_order
        from sfumato.kernels.patterns import contains, top_patterns

        ordinary = rows.ordinary
        patterns = top_patterns(ordinary.offsets, ordinary.codes, self.top)
        # The most frequent one is the least significant bit, as in the paper's printed keys.
        keys = contains(ordinary.offsets, ordinary.codes, patterns)[:, ::-1]
        return cut(gray_order(keys), self.clusters, self.k)

    def recode_cluster(self, rows: Trajectories, run: Run) -> Recoded:
        """Make one cluster (k,l)^m-anonymous on its own."""
        from sfumato.kernels.recode import Demand, Places, Rows, Tree, recode

        hideable_rows(rows.ordinary.lengths, self.k, self.m, "error", type(self).__name__)
        x, y = rows.coordinates(type(self).__name__).T
        ordinary, sensitive = rows.ordinary, rows.visited_sensitive
        outcome = recode(
            Rows(ordinary.offsets, ordinary.codes, sensitive.offsets, sensitive.codes),
            Places(x, y),
            Tree(),
            Demand(self.k, self.l, self.sizes(rows)),
            run.report("sequences"),
        )
        if outcome.status != "done":
            raise explain_failure(rows, self.l, type(self).__name__)
        return rows.recoded(outcome.group)
