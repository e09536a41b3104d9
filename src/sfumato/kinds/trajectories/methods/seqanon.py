"""SEQANON: distance-based k^m-anonymisation of trajectories."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.core.dataset import Dataset
from sfumato.core.guarantee import Guarantee
from sfumato.core.params import Param
from sfumato.core.publication import Recoded
from sfumato.core.run import Run
from sfumato.kinds.trajectories.families.place_merging import PlaceMerging
from sfumato.kinds.trajectories.guarantees.km_anonymity import KmAnonymity
from sfumato.kinds.trajectories.model.histories import Trajectories

__all__ = ["SeqAnon"]


@dataclasses.dataclass(frozen=True)
class SeqAnon(PlaceMerging):
    """Hide every sequence of up to m places in a crowd of k by merging nearby places, for everybody alike.

    Examples
    --------
    >>> from sfumato.core.run import Run
    >>> xy = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"], ["a", "c"]], xy)
    >>> release = SeqAnon(k=2, m=1).anonymize(data, Run(bytes(32))).release
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
    promises: ClassVar[tuple[type[Guarantee], ...]] = (KmAnonymity,)
    optimises: ClassVar[str] = "distance"
    needs: ClassVar[tuple[str, ...]] = ("coordinates",)

    apriori: Annotated[bool, Param("Repair short sequences first; off repairs size m first, for comparison.")] = True

    def claim(self, dataset: Dataset) -> KmAnonymity:  # noqa: ARG002
        """Claim k^m-anonymity."""
        return KmAnonymity(self.k, self.m)

    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Merge places, the rarest with its nearest, until no sequence is rare."""
        rows.refuse_sensitive(type(self).__name__)
        return rows.recoded(self.merge(rows, run).group)

    def sizes(self, rows: Trajectories) -> tuple[int, ...]:
        """Return the sizes to repair, in order: ascending, or m first and then what only short records need."""
        *shorter, longest = super().sizes(rows)
        return (*shorter, longest) if self.apriori else (longest, *shorter)
