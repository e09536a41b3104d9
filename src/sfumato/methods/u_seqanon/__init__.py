"""U-SEQANON: k^m-anonymisation inside utility constraints."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

import numpy as np

from sfumato.core.dataset import Dataset
from sfumato.core.errors import InfeasibleError
from sfumato.core.guarantee import Guarantee
from sfumato.core.lengths import hideable_rows
from sfumato.core.method import Method
from sfumato.core.params import Param
from sfumato.core.publication import publish
from sfumato.core.release import Result
from sfumato.core.run import Run
from sfumato.core.trajectories import TOO_LONG, Trajectories
from sfumato.guarantees.km_anonymity import KmAnonymity

__all__ = ["USeqAnon"]


@dataclasses.dataclass(frozen=True)
class USeqAnon(Method):
    """Hide every sequence of up to m places in a crowd of k, merging only what the constraints allow.

    Utility constraints are a partition of the places. Places of different constraints are never merged; when
    a constraint is used up, its place is removed from every record, for at most ``delta`` percent of the places.

    Examples
    --------
    >>> from sfumato.core.run import Run
    >>> xy = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> rows = [["a", "c"], ["b", "c"], ["b", "c"]]
    >>> data = Dataset.from_trajectories(rows, xy, constraints=(("a", "c"), ("b",)))
    >>> USeqAnon(k=2, m=1).anonymize(data, Run(seed=1)).release.members()
    {'{a|c}': ('a', 'c')}

    References
    ----------
    Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data, Definitions 9-10, Section 4.3.
    """

    name: ClassVar[str] = "u-seqanon"
    summary: ClassVar[str] = "Like seqanon, but merges only inside given groups of places and may remove a few places."
    paper: ClassVar[str] = "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), 4.3"
    kinds: ClassVar[tuple[str, ...]] = ("trajectories",)
    promises: ClassVar[tuple[type[Guarantee], ...]] = (KmAnonymity,)
    optimises: ClassVar[str] = "distance, inside the utility constraints"
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "constraints")

    k: Annotated[int, Param("Smallest number of records that share what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of places an attacker knows, in order.", ge=1)]
    delta: Annotated[float, Param("Largest share of the places that may be removed, in percent.", ge=0, le=100)] = 5.0
    infeasible: Annotated[str, Param("What to do with records too long to hide.", choices=("error", "suppress"))] = (
        "error"
    )

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a k^m-anonymous release that keeps the utility constraints."""
        from sfumato.kernels.recode import Demand, Places, Rows, Tree, recode

        owner = type(self).__name__
        self.accept(dataset, self.k)
        everyone = Trajectories.of(dataset)
        everyone.refuse_sensitive(owner)
        kept = everyone
        if self.infeasible == "suppress":
            kept = everyone.take(hideable_rows(everyone.histories.lengths, self.k, self.m, "suppress", owner))
        xy = everyone.coordinates(owner)
        places = len(np.unique(kept.histories.codes))
        limit = int(self.delta * places // 100)
        with run.phase("recode"):
            outcome = recode(
                Rows(kept.histories.offsets, kept.histories.codes),
                Places(xy[:, 0], xy[:, 1], everyone.constraint_of_place(owner)),
                Tree(),
                Demand(self.k, sizes=tuple(range(1, self.m + 1)), limit=limit),
                run.report("sequences"),
            )
        if outcome.status != "done":
            raise InfeasibleError(
                f"{owner}: more than {limit} of {places} places would have to be removed (delta={self.delta:g} %), "
                f"because a sequence of {outcome.size} places is in only {outcome.support} of the {self.k} records "
                "it needs and its utility constraint is used up. Use a larger delta, wider constraints, "
                "a smaller k or m, or infeasible=suppress if few records are that long."
            )
        run.counters.update(
            merges=outcome.merges, suppressed=outcome.suppressed, sequences_checked=outcome.sequences_checked
        )
        recoded = kept.recoded(outcome.group)
        withheld = {**recoded.withheld, TOO_LONG: len(everyone) - len(kept)}
        if len(recoded.rows) == 0:
            raise InfeasibleError(f"{owner}: every place would be removed and nobody is left. Use wider constraints.")
        return publish(dataset, self, KmAnonymity(self.k, self.m), dataclasses.replace(recoded, withheld=withheld), run)
