"""What several measures of trajectories need to know about an original and its release: how far places are apart."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.kinds.trajectories.dataset import locate
from sfumato.kinds.trajectories.dataset.locations import Locations
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.retained_detail import RetainedDetail, count_different, name_long, name_values, share_of
from sfumato.release.release import Release

__all__ = ["PlaceComparison", "count_retained"]

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class PlaceComparison:
    """An original of trajectories and its release, with where their places are.

    Examples
    --------
    >>> import sfumato as sf
    >>> at = {"a": (0, 0), "b": (1, 0), "c": (4, 0)}
    >>> data = sf.Dataset.of("trajectories", [["a", "c"], ["b", "c"], ["c"]], at)
    >>> result = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32))
    >>> Comparison(data, result.release, result.owner_record.rows).view(PlaceComparison).largest_distance
    4.0
    """

    comparison: Comparison

    @property
    def has_coordinates(self) -> bool:
        """Whether it is known where places are."""
        return self.comparison.original.places is not None and "x" in self.comparison.original.places.column_names

    @cached_property
    def largest_distance(self) -> float:
        """Largest distance between two places: what distances are normalised by.

        It is 0 where all places are at one point or it is not known where.
        """
        if self._others:
            return self._located.largest_distance()
        return self.comparison.full_original.cached("largest distance", self._located.largest_distance)

    @cached_property
    def member_distances(self) -> Floats:
        """Location distance of every member to its value: mean distance to all members, itself included.

        A member that nobody visits here may have no coordinates; it is left out of the mean and has no
        distance (NaN).

        References
        ----------
        Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data, Definition 6.
        """
        distances = np.zeros(len(self.comparison.members.codes))
        for value in np.flatnonzero(self.comparison.generalised):
            group = slice(self.comparison.members.offsets[value], self.comparison.members.offsets[value + 1])
            distances[group] = self._located.mean_distances(self.comparison.members.codes[group])
        return distances

    @property
    def _others(self) -> tuple[str, ...]:
        """Members that nobody visits."""
        return self.comparison.places[len(self.comparison.history.labels) :]

    @cached_property
    def _located(self) -> Locations:
        """Where all places are; those that nobody visits here as the release has them, or nowhere (NaN)."""
        visited, others = (
            self.comparison.full_original.cached("places", lambda: locate(self.comparison.original)),
            self._others,
        )
        if not others:
            return visited
        places = self.comparison.release.places
        axes = {"lon", "lat"} if visited.on_globe else {"x", "y"}
        points: dict[str, list[float]] = {}
        if places is not None and axes <= set(places.column_names):
            named = Locations.of(places.select(["place", *sorted(axes)])).points.tolist()
            points = dict(zip(places.column("place").to_pylist(), named, strict=True))
        other_points = [points.get(place, [np.nan] * 3) for place in others]
        every = np.concatenate([visited.points, np.array(other_points, dtype=np.float64).reshape(-1, 3)])
        return Locations(every, visited.on_globe)


def count_retained(original: Dataset, release: Release) -> RetainedDetail:
    """Count what is left of what there was, for the owner to see where that is little."""
    left = count_different(release.history())
    advice = f"A smaller k or m, {name_long(original.history(), 'visits')}or another method retains more."
    sentence = f"{{had}} places are published as {name_values(left)}."
    return RetainedDetail(count_different(original.history()), left, sentence, advice, share_of(release))
