"""What the methods that merge places have in common: who is kept, what is claimed, how it is published."""

from __future__ import annotations

import abc
import dataclasses
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.clusters import join, recode_clusters
from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError
from sfumato.core.guarantee import Guarantee
from sfumato.core.lengths import hideable_rows
from sfumato.core.method import Method
from sfumato.core.params import Param
from sfumato.core.publication import Recoded, publish
from sfumato.core.release import Result
from sfumato.core.run import Run
from sfumato.core.trajectories import TOO_LONG, Trajectories

__all__ = ["PlaceMerging"]


@dataclasses.dataclass(frozen=True)
class PlaceMerging(Method):
    """Base of methods that hide every sequence of up to m places in a crowd of k by merging places.

    A subclass says what it claims and how it recodes the rows that can be hidden.

    Examples
    --------
    >>> from sfumato.methods.seqanon import SeqAnon
    >>> issubclass(SeqAnon, PlaceMerging)
    True
    """

    kinds: ClassVar[tuple[str, ...]] = ("trajectories",)

    k: Annotated[int, Param("Smallest number of records that share what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of places an attacker knows, in order.", ge=1)]
    infeasible: Annotated[str, Param("What to do with records too long to hide.", choices=("error", "suppress"))] = (
        "error"
    )

    @abc.abstractmethod
    def claim(self, dataset: Dataset) -> Guarantee:
        """Return what the release will promise."""

    @abc.abstractmethod
    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Recode the rows that can be hidden."""

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim."""
        self.accept(dataset, self.k)
        everyone = Trajectories.of(dataset)
        kept = everyone.take(self.hideable(everyone))
        with run.phase("recode"):
            try:
                recoded = self.recode(kept, run)
            except ValueError as error:  # what the kernel refuses: sizes and counts, no labels
                raise ParameterError(f"{type(self).__name__}: {error}") from None
        withheld = {**recoded.withheld, TOO_LONG: len(everyone) - len(kept)}
        return publish(dataset, self, self.claim(dataset), dataclasses.replace(recoded, withheld=withheld), run)

    def hideable(self, rows: Trajectories) -> npt.NDArray[np.bool_]:
        """Mark the rows that are not too long to hide, or say that some are."""
        return hideable_rows(rows.ordinary.lengths, self.k, self.m, self.infeasible, type(self).__name__)

    def sizes(self, rows: Trajectories) -> tuple[int, ...]:
        """Return the sizes of sequences to repair, in order; longer ones than the rows hold need none."""
        longest = int(rows.ordinary.lengths.max(initial=1))
        return tuple(range(1, max(1, min(self.m, longest)) + 1))


@dataclasses.dataclass(frozen=True)
class ClusteredMerging(PlaceMerging):
    """Base of methods that first cluster similar people and then recode every cluster on its own.

    Examples
    --------
    >>> from sfumato.methods.zga import Zga
    >>> issubclass(Zga, ClusteredMerging)
    True
    """

    @abc.abstractmethod
    def organise(self, rows: Trajectories) -> list[npt.NDArray[np.int64]]:
        """Return clusters of similar rows, neighbours beside each other."""

    @abc.abstractmethod
    def recode_cluster(self, rows: Trajectories, run: Run) -> Recoded:
        """Recode one cluster; raise InfeasibleError where it cannot stand alone."""

    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Recode cluster by cluster; those that cannot stand alone join a neighbour."""
        with run.phase("organise"):
            parts = self.organise(rows)
        done = recode_clusters(parts, lambda part: self.recode_cluster(rows.take(part), run), run)
        run.counters["clusters"] = len(done)
        return join(done)
