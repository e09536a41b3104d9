"""SD-SEQANON: k^m-anonymisation that merges places near in space and in meaning."""

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

__all__ = ["SdSeqAnon"]


@dataclasses.dataclass(frozen=True)
class SdSeqAnon(Method):
    """Hide every sequence of up to m places in a crowd of k, merging places that are near and alike.

    Nearness is the mean distance times the semantic dissimilarity: the share of the hierarchy's leaves under
    the lowest common ancestor.

    Examples
    --------
    >>> from sfumato.core.hierarchy import Hierarchy
    >>> from sfumato.core.run import Run
    >>> kinds = Hierarchy.from_parents([("a", "food"), ("c", "food"), ("b", "shop"), ("food", "*"), ("shop", "*")])
    >>> xy = {"a": (0, 0), "b": (1, 0), "c": (1.2, 0)}
    >>> data = Dataset.from_trajectories([["a", "c"], ["b", "c"], ["b", "c"]], xy, hierarchy=kinds)
    >>> SdSeqAnon(k=2, m=1).anonymize(data, Run(seed=1)).release.members()
    {'{a|c}': ('a', 'c')}

    References
    ----------
    Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data, Definitions 7-8, Section 4.2.
    """

    name: ClassVar[str] = "sd-seqanon"
    summary: ClassVar[str] = "Like seqanon, but near means near in space and alike in a place hierarchy."
    paper: ClassVar[str] = "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), 4.2"
    kinds: ClassVar[tuple[str, ...]] = ("trajectories",)
    promises: ClassVar[tuple[type[Guarantee], ...]] = (KmAnonymity,)
    optimises: ClassVar[str] = "distance times semantic dissimilarity"
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "hierarchy place")

    k: Annotated[int, Param("Smallest number of records that share what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of places an attacker knows, in order.", ge=1)]
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
        node, parent, leaves = everyone.hierarchy_arrays(owner)
        with run.phase("recode"):
            outcome = recode(
                Rows(kept.histories.offsets, kept.histories.codes),
                Places(xy[:, 0], xy[:, 1], node=node),
                Tree(parent, leaves),
                Demand(self.k, sizes=tuple(range(1, self.m + 1))),
                run.report("sequences"),
            )
        run.counters.update(merges=outcome.merges, sequences_checked=outcome.sequences_checked)
        recoded = dataclasses.replace(kept.recoded(outcome.group), withheld={TOO_LONG: len(everyone) - len(kept)})
        return publish(dataset, self, KmAnonymity(self.k, self.m), recoded, run)
