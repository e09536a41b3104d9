"""How many frequent sequential patterns an analyst of the release still finds."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums
from sfumato.params import Param

if TYPE_CHECKING:
    from sfumato.kinds.trajectories._kernels.patterns import Patterns

__all__ = ["PatternPreservation"]

_MOST_PATTERNS = 200_000


@dataclasses.dataclass(frozen=True)
class PatternPreservation(SummedMetric):
    """Measure the share of frequent sequential patterns kept, and the share of spurious ones.

    A projection of the release replaces every generalised place, at every position on its own, by a
    random member. Patterns are frequent when at least `min_support` of the records, of the original or
    of the published ones, contain them. The value is the median over the projections of the share of the
    original's patterns that are frequent in the projection; ``spurious`` is the median share of a
    projection's patterns that are not frequent in the original. Standard deviations stand beside them.
    Where there are no patterns, none is lost and none is spurious.

    Patterns are as long as the data have them, up to the length at which fewer than 200,000 patterns per
    length are certain whatever the records hold; ``length_limit`` says which length that was.

    Examples
    --------
    >>> import sfumato as sf
    >>> at = {"a": (0, 0), "b": (1, 0), "c": (4, 0)}
    >>> data = sf.Dataset.of("trajectories", [["a", "c"], ["b", "c"], ["c"]], at)
    >>> result = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32))
    >>> PatternPreservation().measure(Comparison(data, result.release)).details["patterns"]
    5

    References
    ----------
    Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data, Section 5 (Measures).
    """

    name: ClassVar[str] = "pattern-preservation"
    title: ClassVar[str] = "Frequent sequential patterns retained"
    explanation = "Share of the frequent sequences of places that the release still shows."
    unit: ClassVar[str] = "of the patterns"
    better: ClassVar[Better] = "higher"
    ends: ClassVar[str] = "1: all patterns are found, 0: none is"
    paper: ClassVar[str] = (
        "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), Section 5"
    )
    unchanged: ClassVar[float | str] = 1.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = (
        "Values are read as random members, and a coarser release may show a pattern by chance."
    )

    projections: Annotated[int, Param("Number of random projections.", ge=1)] = 20
    min_support: Annotated[float, Param("Smallest share of records that contain a frequent pattern.", ge=0, le=1)] = (
        0.01
    )

    def partial(self, comparison: Comparison) -> PartialSums:
        """Keep the published records as numbers: what is frequent is only known of all partitions together."""
        return {"published": [_Published(comparison.published, comparison.members)]}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:
        """Mine the original once and every projection."""
        from sfumato.kinds.trajectories._kernels.patterns import frequent_patterns

        history, release = full_original.original.history(), _unite(partial["published"], full_original)
        published = release.records
        floors = [max(1, math.ceil(self.min_support * len(rows))) for rows in (history, published)]
        longest = max(int(history.lengths.max(initial=1)), 1)
        for rows, floor in zip((history, published), floors, strict=True):
            longest = _certain_length(rows, floor, longest)
        original = frequent_patterns(history.offsets, history.codes, floors[0], longest)
        # Without generalised places all projections are the release itself.
        rounds = self.projections if (release.members.lengths > 1).any() else 1
        preserved, spurious = np.ones(rounds), np.zeros(rounds)
        for number in range(rounds):
            codes = _project(release, np.random.default_rng([full_original.seed, number]))
            patterns = frequent_patterns(published.offsets, codes, floors[1], longest)
            shared = _count_shared(original, patterns)
            preserved[number] = shared / len(original.supports) if len(original.supports) else 1.0
            spurious[number] = 1 - shared / len(patterns.supports) if len(patterns.supports) else 0.0
        return float(np.median(preserved)), {
            "deviation": float(preserved.std()),
            "spurious": float(np.median(spurious)),
            "spurious_deviation": float(spurious.std()),
            "patterns": len(original.supports),
            "length_limit": longest,
            "projections": rounds,
        }


def _certain_length(histories: ListColumn, floor: int, longest: int) -> int:
    """Return the longest length, at most `longest`, for which there are certainly few enough patterns.

    F patterns, each in `floor` records at least, need F x floor places to be; a record offers one per
    choice of its positions, and no more than F. The count of pairs bounds the work of mining, too.
    """
    from scipy.special import comb

    lengths, times = np.unique(histories.lengths, return_counts=True)
    for length in range(2, longest + 1):
        offered = np.minimum(comb(lengths, length), _MOST_PATTERNS) @ times
        if offered >= _MOST_PATTERNS * floor:
            return length - 1
    return longest


@dataclasses.dataclass(frozen=True, eq=False)
class _Published:
    """Published records over values, and the members of every value over the places of the whole original."""

    records: ListColumn
    members: ListColumn


def _unite(partitions: list[_Published], full_original: FullOriginal) -> _Published:
    """Lay the records of partitions one after the other; members that nobody visits are numbered after all places."""
    if len(partitions) == 1:
        return partitions[0]
    place_count = len(full_original.original.view_history().labels)
    others = {
        label: place_count + at
        for at, label in enumerate(sorted({x for p in partitions for x in p.members.labels[place_count:]}))
    }
    entries, lengths, codes, sizes, first = [], [], [], [], 0
    for partition in partitions:
        entries.append(partition.records.codes + np.int32(first))
        lengths.append(partition.records.lengths)
        place = np.append(
            np.arange(place_count), [others[label] for label in partition.members.labels[place_count:]]
        ).astype(np.int32)
        codes.append(place[partition.members.codes])
        sizes.append(partition.members.lengths)
        first += len(partition.members)
    begins, ends = (np.concatenate([[0], np.cumsum(np.concatenate(arrays))]) for arrays in (lengths, sizes))
    return _Published(ListColumn(begins, np.concatenate(entries), ()), ListColumn(ends, np.concatenate(codes), ()))


def _project(release: _Published, generator: np.random.Generator) -> npt.NDArray[np.int32]:
    """Replace every published value by a random member."""
    values, members = release.records.codes, release.members
    chosen = (generator.random(len(values)) * members.lengths[values]).astype(np.int64)
    places: npt.NDArray[np.int32] = members.codes[members.offsets[values] + chosen]
    return places


def _count_shared(patterns: Patterns, other: Patterns) -> int:
    """Count the patterns that both have."""
    width = int(max(np.diff(patterns.offsets).max(initial=0), np.diff(other.offsets).max(initial=0)))
    return int(np.isin(_rows(patterns, width), _rows(other, width), assume_unique=True).sum())


def _rows(patterns: Patterns, width: int) -> npt.NDArray[np.void]:
    """Return every pattern as one opaque cell of equal width."""
    lengths = np.diff(patterns.offsets)
    table = np.full((len(lengths), max(width, 1)), -1, dtype=np.int32)
    row = np.repeat(np.arange(len(lengths)), lengths)
    table[row, np.arange(len(row)) - patterns.offsets[row]] = patterns.values
    return table.view(np.dtype((np.void, table.shape[1] * 4))).ravel()
