"""Select-Organize-Anonymize: k^m-anonymity with sensitive places that cannot be inferred, in clusters of people."""

from __future__ import annotations

import abc
import dataclasses
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.data.dataset import Dataset
from sfumato.kinds.trajectories.dataset.histories import Trajectories
from sfumato.kinds.trajectories.encode.recoding import recode_places
from sfumato.kinds.trajectories.guarantees import KlmAnonymity
from sfumato.kinds.trajectories.methods._base import Limits, PlaceMerging, explain_failure, hideable_rows
from sfumato.params import Param
from sfumato.release.encode import Recoded
from sfumato.release.row_clusters import cut, join, recode_clusters
from sfumato.release.run import Run

__all__ = ["LmAnon", "Sga", "Zga"]


@dataclasses.dataclass(frozen=True)
class LmAnon(PlaceMerging):
    """Hide ordinary places in a group of k and keep every sensitive place below probability 1/l.

    One recoding for the whole data set; sensitive places stay as they are.

    Examples
    --------
    >>> xy = {"a": (0, 0), "b": (1, 0), "clinic": (9, 9)}
    >>> rows = [["a", "clinic"], ["a"], ["b"]]
    >>> data = Dataset.of("trajectories", rows, xy, sensitive=("clinic",))
    >>> LmAnon(k=2, m=1, l=3).anonymize(data, Run(bytes(32))).release.members()
    {'{a|b}': ('a', 'b')}

    References
    ----------
    Poulis et al., Select-Organize-Anonymize: A framework for trajectory data anonymization, Section III.
    """

    name: ClassVar[str] = "lm-anon"
    summary: ClassVar[str] = (
        "Like seqanon; in addition at most 1/l of the matching records visit the same sensitive place."
    )
    paper: ClassVar[str] = "Poulis et al., Select-Organize-Anonymize (2013), III"
    optimises: ClassVar[str] = "distance"
    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (KlmAnonymity,)
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "sensitive places")

    l: Annotated[int, Param("At most 1/l of the matching records visit the same sensitive place.", ge=2)] = 2

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:  # noqa: ARG003
        """Say that sensitive places decided what became a label, and what k does not mean."""
        return (
            "Generalised places depend on sensitive places: someone who knows the method may find one "
            "likelier than its share. The k matching records need not be equally likely.",
        )

    def build_guarantee(self, dataset: Dataset) -> KlmAnonymity:
        """Claim (k,l)^m-anonymity for the sensitive places that were named."""
        return KlmAnonymity(self.k, self.m, self.l, dataset.schema.sensitive)

    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Merge places until no sequence is rare and none gives a sensitive place away."""
        outcome = self.merge(rows, run, Limits(self.l))
        if outcome.status != "done":
            raise explain_failure(rows, self.l, self.message_name)
        return recode_places(rows, outcome.group)


@dataclasses.dataclass(frozen=True)
class ClusteredMerging(LmAnon):
    """Base of methods that first cluster similar people and then recode every cluster on its own.

    A cluster that cannot stand alone joins its neighbour: here one with a sensitive place in 1 of 2 records.

    Examples
    --------
    >>> xy, run = {"a": (0, 0), "b": (1, 0), "f": (5, 5)}, Run(bytes(32))
    >>> rows = [["a", "b"], ["a", "b"], ["b", "a"], ["b", "a", "f"]]
    >>> data = Dataset.of("trajectories", rows, xy, sensitive=("f",))
    >>> release = Zga(k=2, m=2, l=3, clusters=2).anonymize(data, run).release
    >>> run.counters["clusters"], release.members()
    (1, {'{a|b}': ('a', 'b')})
    """

    clusters: Annotated[int, Param("Number of clusters of similar records.", ge=1)] = 5

    @abc.abstractmethod
    def order(self, rows: Trajectories) -> npt.NDArray[np.int64]:
        """Return an order of the rows in which similar ones are neighbours."""

    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Recode cluster by cluster; those that cannot stand alone join a neighbour."""
        with run.phase("organise"):
            parts = cut(self.order(rows), self.clusters, self.k)
        done = recode_clusters(parts, lambda part: self._recode_alone(rows.take(part), run), run)
        run.counters["clusters"] = len(done)
        return join(done)

    def _recode_alone(self, rows: Trajectories, run: Run) -> Recoded:
        hideable_rows(rows.ordinary.lengths, self.k, self.m, "error", self.message_name)
        return super().recode(rows, run)


@dataclasses.dataclass(frozen=True)
class Zga(ClusteredMerging):
    """Cluster people by the places they visit (Z-order, Gray order), then protect every cluster on its own.

    Examples
    --------
    >>> xy = {"a": (0, 0), "b": (1, 0), "f": (5, 5)}
    >>> rows = [["a", "b"], ["a", "b"], ["b", "a"], ["b", "a", "f"], ["b", "a"]]
    >>> data = Dataset.of("trajectories", rows, xy, sensitive=("f",))
    >>> Zga(k=2, m=2, l=2, clusters=2).anonymize(data, Run(bytes(32))).release
    Release(trajectories by zga: 5 of 5 records, (2,2)^2-anonymity of places)

    References
    ----------
    Poulis et al., Select-Organize-Anonymize: A framework for trajectory data anonymization, Section III.
    """

    name: ClassVar[str] = "zga"
    summary: ClassVar[str] = "Clusters records with neighbouring places, then runs lm-anon in each cluster."
    paper: ClassVar[str] = "Poulis et al., Select-Organize-Anonymize (2013), III"
    optimises: ClassVar[str] = "distance, in every cluster"

    def order(self, rows: Trajectories) -> npt.NDArray[np.int64]:
        """Return the rows in the Gray order of the places they visit, the places in Z-order."""
        from sfumato._kernels.gray import gray_order_sparse
        from sfumato.kinds.trajectories._kernels.zorder import z_order

        x, y = rows.coordinates(self.message_name).T
        ordinary = rows.ordinary
        rank = np.empty(len(x), np.int64)
        # The first place of the Z-order is the least significant bit, as in the paper's printed keys.
        rank[z_order(x, y)] = np.arange(len(x))[::-1]
        keys = np.unique(ordinary.row_of_token * len(x) + rank[ordinary.codes])
        row, column = np.divmod(keys, len(x))
        offsets = np.searchsorted(row, np.arange(len(rows) + 1)).astype(np.int64)
        return gray_order_sparse(offsets, column, len(x))


@dataclasses.dataclass(frozen=True)
class Sga(ClusteredMerging):
    """Cluster people by the frequent subtrajectories they share (Gray order), then protect every cluster on its own.

    Examples
    --------
    >>> xy = {"a": (0, 0), "b": (1, 0), "f": (5, 5)}
    >>> rows = [["a", "b"], ["a", "b"], ["b", "a"], ["b", "a", "f"], ["b", "a"]]
    >>> data = Dataset.of("trajectories", rows, xy, sensitive=("f",))
    >>> Sga(k=2, m=2, l=2, clusters=2).anonymize(data, Run(bytes(32))).release
    Release(trajectories by sga: 5 of 5 records, (2,2)^2-anonymity of places)

    References
    ----------
    Poulis et al., Select-Organize-Anonymize: A framework for trajectory data anonymization, Section III.
    """

    name: ClassVar[str] = "sga"
    summary: ClassVar[str] = (
        "Clusters records with the same frequent subtrajectories, then runs lm-anon in each cluster."
    )
    paper: ClassVar[str] = "Poulis et al., Select-Organize-Anonymize (2013), III"
    optimises: ClassVar[str] = "distance, in every cluster"

    top: Annotated[int, Param("Number of frequent subtrajectories that describe a record.", ge=1)] = 10

    def order(self, rows: Trajectories) -> npt.NDArray[np.int64]:
        """Return the rows in the Gray order of the frequent subtrajectories they contain."""
        from sfumato._kernels.gray import gray_order
        from sfumato.kinds.trajectories._kernels.patterns import contains, top_patterns

        ordinary = rows.ordinary
        patterns = top_patterns(ordinary.offsets, ordinary.codes, self.top)
        # The most frequent one is the least significant bit, as in the paper's printed keys.
        return gray_order(contains(ordinary.offsets, ordinary.codes, patterns)[:, ::-1])
