"""SGA: clusters of people who share frequent subtrajectories, each made anonymous on its own."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.clusters import cut, join, recode_clusters
from sfumato.core.dataset import Dataset
from sfumato.core.diversity import explain_failure
from sfumato.core.guarantee import Guarantee
from sfumato.core.lengths import hideable_rows
from sfumato.core.method import Method
from sfumato.core.params import Param
from sfumato.core.publication import Recoded, publish
from sfumato.core.release import Result
from sfumato.core.run import Run
from sfumato.core.trajectories import TOO_LONG, Trajectories
from sfumato.guarantees.klm_anonymity import KlmAnonymity

__all__ = ["Sga"]


@dataclasses.dataclass(frozen=True)
class Sga(Method):
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
    kinds: ClassVar[tuple[str, ...]] = ("trajectories",)
    promises: ClassVar[tuple[type[Guarantee], ...]] = (KlmAnonymity,)
    optimises: ClassVar[str] = "distance, in every cluster"
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "sensitive places")

    k: Annotated[int, Param("Smallest number of records that share what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of ordinary places an attacker knows, in order.", ge=1)]
    l: Annotated[int, Param("One over the largest share that may visit a sensitive place.", ge=2)] = 2
    clusters: Annotated[int, Param("Number of clusters of similar records.", ge=1)] = 5
    top: Annotated[int, Param("Number of frequent subtrajectories that describe a record.", ge=1)] = 10
    infeasible: Annotated[str, Param("What to do with records too long to hide.", choices=("error", "suppress"))] = (
        "error"
    )

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a (k,l)^m-anonymous release, recoded cluster by cluster."""
        owner = type(self).__name__
        self.accept(dataset, self.k)
        everyone = Trajectories.of(dataset)
        kept = everyone.take(hideable_rows(everyone.ordinary.lengths, self.k, self.m, self.infeasible, owner))
        xy = everyone.coordinates(owner)
        with run.phase("organise"):
            parts = cut(self._order(kept), self.clusters, self.k)
        with run.phase("recode"):
            done = recode_clusters(parts, lambda part: self._recode(kept.take(part), xy, run), run)
        run.counters["clusters"] = len(done)
        recoded = dataclasses.replace(join(done), withheld={TOO_LONG: len(everyone) - len(kept)})
        guarantee = KlmAnonymity(self.k, self.m, self.l, dataset.schema.sensitive)
        return publish(dataset, self, guarantee, recoded, run)

    def _order(self, rows: Trajectories) -> npt.NDArray[np.int64]:
        """Sort rows by the Gray order of the frequent subtrajectories they contain."""
        from sfumato.kernels.gray import gray_order
        from sfumato.kernels.patterns import contains, top_patterns

        ordinary = rows.ordinary
        patterns = top_patterns(ordinary.offsets, ordinary.codes, self.top)
        # The most frequent one is the least significant bit, as in the paper's printed keys.
        return gray_order(contains(ordinary.offsets, ordinary.codes, patterns)[:, ::-1])

    def _recode(self, cluster: Trajectories, xy: npt.NDArray[np.float64], run: Run) -> Recoded:
        """Make one cluster (k,l)^m-anonymous on its own."""
        from sfumato.kernels.recode import Demand, Places, Rows, Tree, recode

        owner = type(self).__name__
        hideable_rows(cluster.ordinary.lengths, self.k, self.m, "error", owner)
        ordinary, sensitive = cluster.ordinary, cluster.visited_sensitive
        outcome = recode(
            Rows(ordinary.offsets, ordinary.codes, sensitive.offsets, sensitive.codes),
            Places(xy[:, 0], xy[:, 1]),
            Tree(),
            Demand(self.k, self.l, tuple(range(1, self.m + 1))),
            run.report("sequences"),
        )
        if outcome.status != "done":
            raise explain_failure(cluster, self.l, owner)
        return cluster.recoded(outcome.group)
