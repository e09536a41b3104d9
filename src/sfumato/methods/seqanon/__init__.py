"""SEQANON: distance-based k^m-anonymisation of trajectories."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.core.dataset import Dataset
from sfumato.core.guarantee import Guarantee
from sfumato.core.lengths import hideable_rows
from sfumato.core.method import Method
from sfumato.core.params import Param
from sfumato.core.publication import publish
from sfumato.core.release import Result
from sfumato.core.run import Run
from sfumato.core.trajectories import TOO_LONG, Trajectories
from sfumato.guarantees.km_anonymity import KmAnonymity

__all__ = ["SeqAnon"]


@dataclasses.dataclass(frozen=True)
class SeqAnon(Method):
    """Hide every sequence of up to m places in a crowd of k by merging nearby places, for everybody alike.

    Examples
    --------
    >>> from sfumato.core.run import Run
    >>> xy = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> data = Dataset.from_trajectories([["a", "c"], ["b", "c"], ["a", "c"]], xy)
    >>> release = SeqAnon(k=2, m=1).anonymize(data, Run(seed=1)).release
    >>> release.members()
    {'{a|b}': ('a', 'b')}

    References
    ----------
    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis: Distance-based k^m-anonymization of trajectory data,
    Section IV; Apriori-based algorithms for k^m-anonymizing trajectory data, Section 4.1.
    """

    name: ClassVar[str] = "seqanon"
    summary: ClassVar[str] = "Merges rare places with the nearest ones until every sequence hides in a crowd."
    paper: ClassVar[str] = "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), 4.1"
    kinds: ClassVar[tuple[str, ...]] = ("trajectories",)
    promises: ClassVar[tuple[type[Guarantee], ...]] = (KmAnonymity,)
    optimises: ClassVar[str] = "distance"
    needs: ClassVar[tuple[str, ...]] = ("coordinates",)

    k: Annotated[int, Param("Smallest number of records that share what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of places an attacker knows, in order.", ge=1)]
    apriori: Annotated[bool, Param("Repair short sequences first; off repairs size m first, for comparison.")] = True
    infeasible: Annotated[str, Param("What to do with records too long to hide.", choices=("error", "suppress"))] = (
        "error"
    )

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a k^m-anonymous release."""
        from sfumato.kernels.recode import Demand, Places, Rows, Tree, recode

        owner = type(self).__name__
        self.accept(dataset, self.k)
        everyone = Trajectories.of(dataset)
        everyone.refuse_sensitive(owner)
        kept = everyone.take(hideable_rows(everyone.histories.lengths, self.k, self.m, self.infeasible, owner))
        xy = everyone.coordinates(owner)
        with run.phase("recode"):
            outcome = recode(
                Rows(kept.histories.offsets, kept.histories.codes),
                Places(xy[:, 0], xy[:, 1]),
                Tree(),
                Demand(self.k, sizes=self._sizes()),
                run.report("sequences"),
            )
        run.counters.update(merges=outcome.merges, sequences_checked=outcome.sequences_checked)
        recoded = dataclasses.replace(kept.recoded(outcome.group), withheld={TOO_LONG: len(everyone) - len(kept)})
        return publish(dataset, self, KmAnonymity(self.k, self.m), recoded, run)

    def _sizes(self) -> tuple[int, ...]:
        """Return the sizes to repair, in order: ascending, or m first and then what only short records need."""
        return tuple(range(1, self.m + 1)) if self.apriori else (self.m, *range(1, self.m))
