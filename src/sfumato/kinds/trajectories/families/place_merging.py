"""Methods that merge places: who is kept, how the kernel is called, how it is published."""

from __future__ import annotations

import abc
import dataclasses
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError, SchemaError
from sfumato.core.guarantee import Guarantee
from sfumato.core.method import Method
from sfumato.core.params import Param
from sfumato.core.publication import Recoded, publish
from sfumato.core.published_places import CELLS, refuse_small_squares
from sfumato.core.recoding import Recoding
from sfumato.core.release import Release, Result
from sfumato.core.row_clusters import cut, join, recode_clusters
from sfumato.core.run import Run
from sfumato.kinds.trajectories.families.diversity import explain_failure
from sfumato.kinds.trajectories.families.lengths import hideable_rows
from sfumato.kinds.trajectories.guarantees.klm_anonymity import KlmAnonymity
from sfumato.kinds.trajectories.model.histories import TOO_LONG, Trajectories

if TYPE_CHECKING:
    from sfumato.kinds.trajectories.kernels.recode import Outcome

__all__ = ["ClusteredMerging", "DiverseMerging", "Limits", "PlaceMerging"]

_NO_CODES: npt.NDArray[np.int32] = np.empty(0, np.int32)
_NO_COUNTS: npt.NDArray[np.int64] = np.empty(0, np.int64)


class Limits(NamedTuple):
    """What bounds the merging besides k and m; nothing by default.

    Examples
    --------
    >>> Limits(l=2).removable
    -1
    """

    l: int = 1
    constraint: npt.NDArray[np.int32] = _NO_CODES
    node: npt.NDArray[np.int32] = _NO_CODES
    parent: npt.NDArray[np.int32] = _NO_CODES
    leaves: npt.NDArray[np.int64] = _NO_COUNTS
    removable: int = -1


@dataclasses.dataclass(frozen=True)
class PlaceMerging(Method):
    """Base of methods that hide every sequence of up to m places in a crowd of k by merging places.

    A subclass says what it claims and how it recodes the rows that can be hidden.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
    >>> issubclass(SeqAnon, PlaceMerging)
    True
    """

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
        refuse_small_squares(dataset.place_origin, self.k)
        everyone = Trajectories.of(dataset)
        kept = everyone.take(self.hideable(everyone))
        with run.phase("recode"):
            try:
                recoded = self.recode(kept, run)
            except ValueError as error:  # what the kernel refuses: sizes and counts, no labels
                raise ParameterError(f"{type(self).__name__}: {error}") from None
        withheld = {**recoded.withheld, TOO_LONG: len(everyone) - len(kept)}
        return publish(dataset, self, self.claim(dataset), dataclasses.replace(recoded, withheld=withheld), run)

    def apply(self, dataset: Dataset, recoding: Recoding, earlier: Release, unknown: str, run: Run) -> Result:
        """Publish a later batch with the recoding of an earlier release, under its guarantee."""
        recoded = Trajectories.of(dataset).apply(recoding, unknown)
        result = publish(dataset, self, earlier.guarantee, recoded, run)
        return dataclasses.replace(result, release=_with_places(result.release, earlier))

    def merge(self, rows: Trajectories, run: Run, limits: Limits | None = None) -> Outcome:
        """Merge places, the rarest with its nearest, until no sequence is rare or gives a sensitive place away."""
        from sfumato.kinds.trajectories.kernels.recode import Demand, Places, Rows, Tree, recode

        limits = limits or Limits()
        located = rows.locations(type(self).__name__)
        x, y, z = located.points.T
        ordinary, sensitive = rows.ordinary, rows.visited_sensitive
        outcome = recode(
            Rows(ordinary.offsets, ordinary.codes, sensitive.offsets, sensitive.codes),
            Places(x, y, limits.constraint, limits.node, z, located.diameter),
            Tree(limits.parent, limits.leaves),
            Demand(self.k, limits.l, self.sizes(rows), limits.removable),
            run.report("sequences"),
        )
        for name in ("merges", "sequences_checked"):
            run.counters[name] = run.counters.get(name, 0) + getattr(outcome, name)
        return outcome

    def hideable(self, rows: Trajectories) -> npt.NDArray[np.bool_]:
        """Mark the rows that are not too long to hide, or say that some are."""
        return hideable_rows(rows.ordinary.lengths, self.k, self.m, self.infeasible, type(self).__name__)

    def sizes(self, rows: Trajectories) -> tuple[int, ...]:
        """Return the sizes of sequences to repair, in order; longer ones than the rows hold need none."""
        longest = int(rows.ordinary.lengths.max(initial=1))
        return tuple(range(1, max(1, min(self.m, longest)) + 1))


@dataclasses.dataclass(frozen=True)
class DiverseMerging(PlaceMerging):
    """Base of methods that also keep sensitive places from being inferred.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.methods.lm_anon import LmAnon
    >>> issubclass(LmAnon, DiverseMerging)
    True
    """

    promises: ClassVar[tuple[type[Guarantee], ...]] = (KlmAnonymity,)
    needs: ClassVar[tuple[str, ...]] = ("coordinates", "sensitive places")

    l: Annotated[int, Param("One over the largest share that may visit a sensitive place.", ge=2)] = 2

    def claim(self, dataset: Dataset) -> KlmAnonymity:
        """Claim (k,l)^m-anonymity for the sensitive places that were named."""
        return KlmAnonymity(self.k, self.m, self.l, dataset.schema.sensitive)

    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Merge places until no sequence is rare and none gives a sensitive place away."""
        outcome = self.merge(rows, run, Limits(self.l))
        if outcome.status != "done":
            raise explain_failure(rows, self.l, type(self).__name__)
        return rows.recoded(outcome.group)


@dataclasses.dataclass(frozen=True)
class ClusteredMerging(DiverseMerging):
    """Base of methods that first cluster similar people and then recode every cluster on its own.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.methods.zga import Zga
    >>> issubclass(Zga, ClusteredMerging)
    True
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
        hideable_rows(rows.ordinary.lengths, self.k, self.m, "error", type(self).__name__)
        return super().recode(rows, run)


def _with_places(release: Release, earlier: Release) -> Release:
    """Add the places that only the earlier batch visited: they are members of the same values.

    Where coordinates come from the visits, nobody of this batch was there, and none are published.
    """
    if release.places is None or earlier.places is None:
        return release
    if release.places.schema != earlier.places.schema or release.place_origin != earlier.place_origin:
        raise SchemaError("apply: the places of the batch do not have the columns of the release's places.")
    shown = {m for members in release.members().values() for m in members} - set(release.places["place"].to_pylist())
    more = earlier.places.filter(pc.is_in(earlier.places["place"], pa.array(sorted(shown), pa.string())))
    if release.place_origin is not None and release.place_origin.source == CELLS:
        more = pa.table({field.name: _blank(more, field) for field in more.schema}, schema=more.schema)
    return dataclasses.replace(release, places=pa.concat_tables([release.places, more]).sort_by("place"))


def _blank(places: pa.Table, field: pa.Field) -> pa.Array:
    return places.column("place") if field.name == "place" else pa.nulls(places.num_rows, field.type)
