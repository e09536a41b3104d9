"""Groups that are not diverse are joined with near ones, and all others stay as small as they are.

A union of diverse groups is diverse, and everybody together is: so joining comes to an end with diverse groups.
"""

import numpy as np
from numpy.typing import NDArray

from sfumato.kinds.activity._kernels.durations import Activities, number_selected, sum_durations
from sfumato.kinds.activity._kernels.windows import Rule, is_diverse

__all__ = ["repair_groups"]


def repair_groups(
    activities: Activities, groups: list[NDArray[np.int64]], rule: Rule, length: int, weight: float | None
) -> tuple[list[NDArray[np.int64]], int]:
    """Join every group that is not diverse with the nearest one that makes it so, or with the nearest one at all.

    The first group that is not diverse goes first; those that are joined are looked at again in its place. Where the
    distance is weighted, people who do a sensitive activity at the same time count as far apart here too.

    Parameters
    ----------
    activities
        What everybody did.
    groups
        Disjoint groups of people, together diverse.
    rule
        What groups have to fulfil.
    length
        Slots in an interval, by whose durations groups are compared.
    weight
        The weight of the sensitive activities in the distance; None: they count like any other.

    Returns
    -------
    tuple[list[NDArray[np.int64]], int]
        The groups, each rising, and how often two were joined.

    Examples
    --------
    >>> from sfumato.kinds.activity._kernels.windows import find_windows, new_rule
    >>> codes = np.array([[0, 0], [0, 1], [2, 2], [2, 2], [1, 1], [1, 1]], np.int32)
    >>> rule = new_rule(find_windows(codes, np.array([2]), 2), 1, 2)
    >>> groups = [np.array([0, 1]), np.array([2, 3]), np.array([4, 5])]
    >>> found, joined = repair_groups(Activities(codes, 3, np.array([2])), groups, rule, 1, None)
    >>> [group.tolist() for group in found], joined
    ([[0, 1, 2, 3], [4, 5]], 1)
    """
    groups = list(groups)
    spaces = _centroids(activities, groups, length, weight)
    sizes = np.array([group.size for group in groups], np.float64)
    bad = [number for number, group in enumerate(groups) if not is_diverse(rule, group)]
    alive = np.ones(len(groups), dtype=bool)
    joined = 0
    while bad:
        number = bad[0]
        ranked = _rank(spaces, sizes, alive, number, weight)
        partner = next(
            (other for other in ranked if is_diverse(rule, np.concatenate((groups[number], groups[other])))), ranked[0]
        )
        groups[number] = np.sort(np.concatenate((groups[number], groups[partner])))
        for sums in spaces:
            sums[number] += sums[partner]
        sizes[number] += sizes[partner]
        alive[partner] = False
        joined += 1
        bad = [other for other in bad if other != partner and (other != number or not is_diverse(rule, groups[number]))]
    return [group for group, is_alive in zip(groups, alive, strict=True) if is_alive], joined


def _centroids(
    activities: Activities, groups: list[NDArray[np.int64]], length: int, weight: float | None
) -> list[NDArray[np.float64]]:
    """Add up the durations of every group: of all activities, or of the open and the sensitive ones apart."""
    people = np.concatenate(groups)
    group = np.repeat(np.arange(len(groups)), [group.size for group in groups])
    everything = np.arange(activities.activities)
    parts = [everything]
    if weight is not None:
        parts = [np.setdiff1d(everything, activities.sensitive), activities.sensitive]
    columns = [number_selected(activities.activities, part) for part in parts]
    return [sum_durations(activities.codes, length, column, people, group) for column in columns]


def _rank(
    spaces: list[NDArray[np.float64]],
    sizes: NDArray[np.float64],
    alive: NDArray[np.bool_],
    number: int,
    weight: float | None,
) -> list[int]:
    """Rank the other groups by the distance of their centroid from that of a group, earlier ones first."""
    others = np.flatnonzero(alive)
    others = others[others != number]
    far = [_gaps(sums, sizes, others, number) for sums in spaces]
    distance = far[0] if weight is None else np.sqrt(far[0]) - weight * np.sqrt(far[1])
    return [int(other) for other in others[np.argsort(distance, kind="stable")]]


def _gaps(
    sums: NDArray[np.float64], sizes: NDArray[np.float64], others: NDArray[np.int64], number: int
) -> NDArray[np.float64]:
    """Return the squared distances of centroids: whole numbers, as long as they fit, over squares of sizes."""
    apart = sums[others] * sizes[number] - sums[number] * sizes[others, None]
    return np.asarray((apart * apart).sum(axis=1) / (sizes[others] * sizes[number]) ** 2)
