"""U-SEQANON: k^m-anonymisation inside utility constraints."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.errors import InfeasibleError
from sfumato.core.guarantee import Guarantee
from sfumato.core.params import Param
from sfumato.core.publication import Recoded
from sfumato.core.run import Run
from sfumato.kinds.trajectories.families.place_merging import Limits, PlaceMerging
from sfumato.kinds.trajectories.guarantees.km_anonymity import KmAnonymity
from sfumato.kinds.trajectories.model.histories import Trajectories

__all__ = ["USeqAnon"]


@dataclasses.dataclass(frozen=True)
class USeqAnon(PlaceMerging):
    """Hide every sequence of up to m places in a crowd of k, merging only what the constraints allow.

    Utility constraints are a partition of the places. Places of different constraints are never merged; when
    a constraint is used up, its place is removed from every record, for at most ``delta`` percent of the places.

    Examples
    --------
    >>> from sfumato.core.run import Run
    >>> xy = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> rows = [["a", "c"], ["b", "c"], ["b", "c"]]
    >>> data = Dataset.of("trajectories", rows, xy, constraints=(("a", "c"), ("b",)))
    >>> USeqAnon(k=2, m=1).anonymize(data, Run(bytes(32))).release.members()
    {'{a|c}': ('a', 'c')}

    References
    ----------
    Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data, Definitions 9-10, Section 4.3.
    """

    name: ClassVar[str] = "u-seqanon"
    summary: ClassVar[str] = "Like seqanon, but merges only inside given groups of places and may remove a few places."
    paper: ClassVar[str] = "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), 4.3"
    promises: ClassVar[tuple[type[Guarantee], ...]] = (KmAnonymity,)
    optimises: ClassVar[str] = "distance, inside the utility constraints"
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "constraints")

    delta: Annotated[float, Param("Largest share of the places that may be removed, in percent.", ge=0, le=100)] = 5.0

    def claim(self, dataset: Dataset) -> KmAnonymity:  # noqa: ARG002
        """Claim k^m-anonymity."""
        return KmAnonymity(self.k, self.m)

    def hideable(self, rows: Trajectories) -> npt.NDArray[np.bool_]:
        """Keep everybody unless told otherwise: removing places may shorten records that are too long."""
        return np.ones(len(rows), dtype=bool) if self.infeasible == "error" else super().hideable(rows)

    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Merge places inside their constraints, and remove those whose constraint is used up."""
        owner = type(self).__name__
        rows.refuse_sensitive(owner)
        places = len(np.unique(rows.histories.codes))
        limit = int(self.delta * places // 100)
        outcome = self.merge(rows, run, Limits(constraint=rows.constraint_of_place(owner), removable=limit))
        run.counters["suppressed"] = outcome.suppressed
        if outcome.status != "done":
            raise InfeasibleError(
                f"{owner}: more than {limit} of {places} places would have to be removed "
                f"(delta={self.delta:g} %), because a sequence of {outcome.size} places is in only "
                f"{outcome.support} of the {self.k} records it needs and its utility constraint is used up. Use a "
                "larger delta, wider constraints, a smaller k or m, or infeasible=suppress if few are that long."
            )
        recoded = rows.recoded(outcome.group)
        if len(recoded.rows) == 0:
            raise InfeasibleError(
                f"{owner}: every place would be removed and no record is left. Use wider constraints."
            )
        return recoded
