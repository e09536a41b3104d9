"""Methods that merge places: who can be hidden at all, how the kernel is called, how it is published."""

from __future__ import annotations

import abc
import dataclasses
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.kinds.trajectories import KIND
from sfumato.kinds.trajectories.dataset.histories import Trajectories
from sfumato.kinds.trajectories.encode import publish_batch, publish_trajectories
from sfumato.kinds.trajectories.encode.places import refuse_small_squares
from sfumato.kinds.trajectories.encode.recoding import apply_recoding
from sfumato.messages import Message, MethodName, parameter
from sfumato.params import Param
from sfumato.release.encode import Recoded
from sfumato.release.recoding import Recoding, SavedRecoding
from sfumato.release.release import Release, Result
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.trajectories._kernels.recode import Outcome

__all__ = ["TOO_LONG", "Limits", "PlaceMerging", "explain_failure", "hideable_rows"]

_, TOO_LONG = KIND.suppression_reasons
"""Why a record is suppressed that nothing could hide."""

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
    """Base of methods that hide every sequence of up to m places in a group of k by merging places.

    A subclass says what it claims and how it recodes the rows that can be hidden.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
    >>> data = Dataset.of("trajectories", [["a"], ["b"], ["a", "b"]], {"a": (0, 0), "b": (1, 0)})
    >>> release = SeqAnon(k=2, m=2, infeasible="suppress").anonymize(data, Run(bytes(32))).release
    >>> release.history().lists(), release.suppressed_records
    ([['{a|b}'], ['{a|b}']], {'more places than enough others have': 1})
    """

    k: Annotated[int, Param("Smallest number of records that match what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of places an attacker knows, in order.", ge=1)]
    infeasible: Annotated[
        str,
        Param(
            "Records with more places than enough others have: refuse the data (error) or suppress them (suppress).",
            choices=("error", "suppress"),
        ),
    ] = "error"

    @abc.abstractmethod
    def build_guarantee(self, dataset: Dataset) -> Guarantee:
        """Return what the release will guarantee."""

    @abc.abstractmethod
    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Recode the rows that can be hidden."""

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim."""
        self.accept(dataset, self.k)
        refuse_small_squares(dataset.place_origin, self.k)
        everyone = Trajectories.of(dataset)
        hideable = everyone.take(self.hideable(everyone))
        with run.phase("recode"):
            try:
                recoded = self.recode(hideable, run)
            except ValueError as error:  # what the kernel refuses: sizes and counts, no labels
                raise ParameterError(Message(self.message_name, f": {error}")) from None
        suppressed_records = {**recoded.suppressed_records, TOO_LONG: len(everyone) - len(hideable)}
        recoded = dataclasses.replace(recoded, suppressed_records=suppressed_records)
        return publish_trajectories(dataset, self, self.build_guarantee(dataset), recoded, run)

    def apply(self, dataset: Dataset, recoding: SavedRecoding, earlier: Release, unknown: str, run: Run) -> Result:
        """Publish a later batch with the recoding of an earlier release, under its guarantee."""
        recoded = apply_recoding(Trajectories.of(dataset), Recoding.expect(recoding), unknown)
        return publish_batch(dataset, self, recoded, earlier, run)

    def merge(self, rows: Trajectories, run: Run, limits: Limits | None = None) -> Outcome:
        """Merge places, the rarest with its nearest, until no sequence is rare or gives a sensitive place away."""
        from sfumato.kinds.trajectories._kernels.recode import Demand, Places, Rows, Tree, recode

        limits = limits or Limits()
        located = rows.locations(self.message_name)
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
        return hideable_rows(rows.ordinary.lengths, self.k, self.m, self.infeasible, self.message_name)

    def sizes(self, rows: Trajectories) -> tuple[int, ...]:
        """Return the sizes of sequences to repair, in order; longer ones than the rows hold need none."""
        longest = int(rows.ordinary.lengths.max(initial=1))
        return tuple(range(1, max(1, min(self.m, longest)) + 1))


def hideable_rows(
    lengths: npt.NDArray[np.int64], k: int, m: int, infeasible: str, owner: str | MethodName
) -> npt.NDArray[np.bool_]:
    """Mark the rows that can be hidden among k others of at least their length.

    When fewer than k rows (but some) have length i or more, for an i up to m, merging everything into one
    place still leaves a sequence of i places that fewer than k rows contain. ``infeasible="error"`` says
    so; ``infeasible="suppress"`` leaves those rows out. Fewer than k rows are never enough, even if there is no
    place in them by which they could be distinguished.

    Examples
    --------
    >>> hideable_rows(np.array([1, 1, 2]), k=2, m=2, infeasible="suppress", owner="SeqAnon").tolist()
    [True, True, False]
    """
    hideable = np.ones(len(lengths), dtype=bool)
    for size in range(m, 0, -1):
        long_enough = hideable & (lengths >= size)
        count = int(long_enough.sum())
        if not 0 < count < k:
            continue
        if infeasible == "error":
            raise InfeasibleError(
                Message(
                    owner,
                    f": {count} of {len(lengths)} records have {size} or more places, fewer than k={k}; no "
                    "generalisation "
                    "helps.",
                ),
                option="infeasible",
                hint=Message(
                    "Suppress these records: ",
                    parameter("infeasible", "suppress"),
                    ", or use a smaller ",
                    parameter("k"),
                    " or ",
                    parameter("m"),
                    ".",
                ),
            )
        hideable &= lengths < size
    left = int(hideable.sum())
    if left < k:
        raise InfeasibleError(
            Message(
                owner,
                f": {left} of {len(lengths)} records are left after those with too many places are suppressed, fewer "
                f"than k={k}.",
            ),
            option="k",
            hint=Message("Use a smaller ", parameter("k"), " or ", parameter("m"), ", or more data."),
        )
    return hideable


def explain_failure(rows: Trajectories, l: int, owner: str | MethodName) -> InfeasibleError:
    """Say how frequent the most frequent sensitive place is, and which l the data allow.

    Examples
    --------
    >>> data = Dataset.of("trajectories", [["a", "f"], ["a", "f"], ["a"]], sensitive=("f",))
    >>> print(explain_failure(Trajectories.of(data), 2, "LmAnon"))
    LmAnon: 2 of 3 records visit the same sensitive place, more than 1 in l=2; no generalisation helps. No l of 2 or \
more is possible on these data; name fewer sensitive places.
    """
    counts = np.bincount(rows.visited_sensitive.codes, minlength=1)
    most, people = int(counts.max()), len(rows)
    largest = people // most if most else 0
    hint = (
        Message("Use ", parameter("l", largest), ".")
        if largest >= 2
        else Message("No l of 2 or more is possible on these data; name fewer sensitive places.")
    )
    return InfeasibleError(
        Message(
            owner,
            f": {most} of {people} records visit the same sensitive place, more than 1 in l={l}; no generalisation "
            "helps.",
        )
        if most * l > people
        else Message(
            owner,
            f": records that share ordinary places visit a sensitive place more often than 1 in l={l} (overall {most} "
            f"of {people}).",
        ),
        option="l",
        hint=hint
        if most * l > people
        else Message("Use a smaller ", parameter("l"), " or ", parameter("m"), ", or fewer clusters."),
    )
