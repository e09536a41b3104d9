"""SD-SEQANON: k^m-anonymisation that merges places near in space and in meaning."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from sfumato.core.dataset import Dataset
from sfumato.core.guarantee import Guarantee
from sfumato.core.publication import Recoded
from sfumato.core.run import Run
from sfumato.kinds.trajectories.families.place_merging import Limits, PlaceMerging
from sfumato.kinds.trajectories.guarantees.km_anonymity import KmAnonymity
from sfumato.kinds.trajectories.model.histories import Trajectories

__all__ = ["SdSeqAnon"]


@dataclasses.dataclass(frozen=True)
class SdSeqAnon(PlaceMerging):
    """Hide every sequence of up to m places in a crowd of k, merging places that are near and alike.

    Nearness is the mean distance times the semantic dissimilarity: the share of the hierarchy's leaves under
    the lowest common ancestor.

    Examples
    --------
    >>> from sfumato.core.hierarchy import Hierarchy
    >>> from sfumato.core.run import Run
    >>> kinds = Hierarchy.from_parents([("a", "food"), ("c", "food"), ("b", "shop"), ("food", "*"), ("shop", "*")])
    >>> xy = {"a": (0, 0), "b": (1, 0), "c": (1.2, 0)}
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"], ["b", "c"]], xy, hierarchy=kinds)
    >>> SdSeqAnon(k=2, m=1).anonymize(data, Run(bytes(32))).release.members()
    {'{a|c}': ('a', 'c')}

    References
    ----------
    Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data, Definitions 7-8, Section 4.2.
    """

    name: ClassVar[str] = "sd-seqanon"
    summary: ClassVar[str] = "Like seqanon, but near means near in space and alike in a place hierarchy."
    paper: ClassVar[str] = "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), 4.2"
    promises: ClassVar[tuple[type[Guarantee], ...]] = (KmAnonymity,)
    optimises: ClassVar[str] = "distance times semantic dissimilarity"
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "hierarchy place")

    def claim(self, dataset: Dataset) -> KmAnonymity:  # noqa: ARG002
        """Claim k^m-anonymity."""
        return KmAnonymity(self.k, self.m)

    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Merge places, the rarest with the one nearest in space and meaning, until no sequence is rare."""
        rows.refuse_sensitive(type(self).__name__)
        node, parent, leaves = rows.hierarchy_arrays(type(self).__name__)
        return rows.recoded(self.merge(rows, run, Limits(node=node, parent=parent, leaves=leaves)).group)
