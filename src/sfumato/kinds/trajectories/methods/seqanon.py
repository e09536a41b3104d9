"""SEQANON and its relatives: distance-based k^m-anonymisation of trajectories."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.trajectories.dataset.histories import Trajectories
from sfumato.kinds.trajectories.encode.recoding import recode_places
from sfumato.kinds.trajectories.guarantees import KmAnonymity
from sfumato.kinds.trajectories.methods._base import Limits, PlaceMerging
from sfumato.messages import Message, parameter
from sfumato.params import Param
from sfumato.release.encode import Recoded
from sfumato.release.run import Run

__all__ = ["SdSeqAnon", "SeqAnon", "USeqAnon"]


@dataclasses.dataclass(frozen=True)
class KmMerging(PlaceMerging):
    """Base of the methods that guarantee k^m-anonymity: all places alike, none of them sensitive.

    Examples
    --------
    >>> SeqAnon(k=5, m=2).build_guarantee(Dataset.of("trajectories", [["a"]])).statement()
    'Every sequence of up to 2 places of a published record occurs in at least 5 published records.'
    """

    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (KmAnonymity,)

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:  # noqa: ARG003
        """Say what k does not mean."""
        return (
            "k records match what is known. They need not be equally likely: a record with several visits "
            "to a generalised place is likelier.",
        )

    def build_guarantee(self, dataset: Dataset) -> KmAnonymity:  # noqa: ARG002
        """Claim k^m-anonymity."""
        return KmAnonymity(self.k, self.m)


@dataclasses.dataclass(frozen=True)
class SeqAnon(KmMerging):
    """Hide every sequence of up to m places in a group of k by merging nearby places, for everybody alike.

    Examples
    --------
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
    summary: ClassVar[str] = (
        "Merges rare places with the nearest ones until any sequence of m places matches k records or none."
    )
    paper: ClassVar[str] = "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), 4.1"
    optimises: ClassVar[str] = "distance"
    needs: ClassVar[tuple[str, ...]] = ("coordinates",)

    apriori: Annotated[bool, Param("Process short sequences first; off processes size m first, for comparison.")] = True
    refine: Annotated[
        bool,
        Param(
            "Split groups again and move places between them where the guarantee still holds; still one "
            "recoding for all records."
        ),
    ] = False

    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Merge places, the rarest with its nearest, until no sequence is rare; refine that where it is asked for."""
        rows.refuse_sensitive(self.message_name)
        group = self.merge(rows, run).group
        return recode_places(rows, self._refine(rows, group, run) if self.refine else group)

    def _refine(self, rows: Trajectories, group: npt.NDArray[np.int32], run: Run) -> npt.NDArray[np.int32]:
        """Split groups and move places between them."""
        from sfumato.kinds.trajectories._kernels.demand import Demand
        from sfumato.kinds.trajectories._kernels.refinement import refine_groups

        located, visits = rows.locations(self.message_name), rows.ordinary
        demand = Demand(self.k, 1, max(self.sizes(rows)), 0, 1)
        with run.phase("refine"):
            refined = refine_groups(
                visits.offsets, visits.codes, located.points, located.diameter, group, demand, run.report("sequences")
            )
        run.counters |= {"splits": refined.splits, "places_moved": refined.moves}
        return refined.group

    def sizes(self, rows: Trajectories) -> tuple[int, ...]:
        """Return the sizes to repair, in order: ascending, or m first and then what only short records need."""
        *shorter, longest = super().sizes(rows)
        return (*shorter, longest) if self.apriori else (longest, *shorter)


@dataclasses.dataclass(frozen=True)
class SdSeqAnon(KmMerging):
    """Hide every sequence of up to m places in a group of k, merging places that are near and alike.

    Nearness is the mean distance times the semantic dissimilarity: the share of the hierarchy's leaves under
    the lowest common ancestor.

    Examples
    --------
    >>> from sfumato.hierarchies.hierarchy import Hierarchy
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
    summary: ClassVar[str] = "Like seqanon; merges places that are near in space and similar in a place hierarchy."
    paper: ClassVar[str] = "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), 4.2"
    optimises: ClassVar[str] = "distance times semantic dissimilarity"
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "hierarchy place")

    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Merge places, the rarest with the one nearest in space and meaning, until no sequence is rare."""
        rows.refuse_sensitive(self.message_name)
        node, parent, leaves = rows.hierarchy_arrays(self.message_name)
        return recode_places(rows, self.merge(rows, run, Limits(node=node, parent=parent, leaves=leaves)).group)


@dataclasses.dataclass(frozen=True)
class USeqAnon(KmMerging):
    """Hide every sequence of up to m places in a group of k, merging only what the constraints allow.

    Utility constraints are a partition of the places. Places of different constraints are never merged; when
    a constraint is used up, its place is removed from every record, for at most ``delta`` percent of the places.

    Examples
    --------
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
    summary: ClassVar[str] = "Like seqanon; merges only within given groups of places and may remove a few places."
    paper: ClassVar[str] = "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), 4.3"
    optimises: ClassVar[str] = "distance, inside the utility constraints"
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "constraints")

    delta: Annotated[float, Param("Largest share of the places that may be removed, in percent.", ge=0, le=100)] = 5.0

    def hideable(self, rows: Trajectories) -> npt.NDArray[np.bool_]:
        """Keep everybody unless requested otherwise: removing places may shorten records that are too long."""
        return np.ones(len(rows), dtype=bool) if self.infeasible == "error" else super().hideable(rows)

    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Merge places inside their constraints, and remove those whose constraint is used up."""
        owner = self.message_name
        rows.refuse_sensitive(owner)
        places = len(np.unique(rows.histories.codes))
        limit = int(self.delta * places // 100)
        outcome = self.merge(rows, run, Limits(constraint=rows.constraint_of_place(owner), removable=limit))
        run.counters["suppressed"] = outcome.suppressed
        if outcome.status != "done":
            raise InfeasibleError(
                Message(
                    owner,
                    f": more than {limit} of {places} places would be removed (delta={self.delta:g} %). A sequence of "
                    f"{outcome.size} places is in only {outcome.support} of {self.k} records.",
                ),
                option="delta",
                hint=Message(
                    "Use a larger ",
                    parameter("delta"),
                    ", wider constraints, a smaller ",
                    parameter("k"),
                    " or ",
                    parameter("m"),
                    ", or ",
                    parameter("infeasible", "suppress"),
                    ".",
                ),
            )
        recoded = recode_places(rows, outcome.group)
        if len(recoded.rows) == 0:
            raise InfeasibleError(
                Message(owner, f": all {places} places would be removed; no record is left."),
                option="constraints",
                hint="Use wider utility constraints.",
            )
        return recoded
