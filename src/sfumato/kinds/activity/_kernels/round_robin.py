"""People who do a sensitive activity, dealt round robin to groups of people who do not (MC-RR)."""

from fractions import Fraction

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.activity._kernels.durations import Activities, number_selected, sum_durations
from sfumato.kinds.activity._kernels.levels import GroupingResult, Levels, split_at_leaf
from sfumato.kinds.activity._kernels.windows import Rule, Windows, most_with

__all__ = ["assign_round_robin"]


def assign_round_robin(
    activities: Activities, people: NDArray[np.int64], rule: Rule, levels: Levels, k: int
) -> GroupingResult:
    """Group those who do nothing sensitive by level and deal the others to these groups, one each in turn.

    The others, in order, go to the next group in turn that has fewer than k people and stays diverse; whoever finds
    none goes to the next group in turn that stays diverse, or is left out. Groups that still have fewer than k people
    are then merged with the group whose centroid is nearest at the leaf; one with no other to merge with is left out.

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Algorithm 4.
    """
    column = number_selected(activities.activities, activities.sensitive)
    concerned = _find_concerned(activities.codes, people, column)
    others, assigned = people[~concerned], people[concerned]
    if others.size == 0:
        return GroupingResult([], 0)
    # Rounded up, so that there are never more groups than all people can fill.
    size = -(-k * others.size // people.size)
    groups = split_at_leaf(activities, others, levels, size).groups
    sizes = np.array([group.size for group in groups])
    home = _assign_people(rule, sizes, assigned, k)
    groups = [np.sort(np.concatenate((group, assigned[home == at]))) for at, group in enumerate(groups)]
    return GroupingResult(_merge_small(activities, groups, levels.lengths[-1], k), size)


@njit(cache=True, nogil=True)
def _find_concerned(
    codes: NDArray[np.int32], people: NDArray[np.int64], column: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Find the people who do a numbered activity at all, be it for one slot."""
    concerned = np.zeros(people.size, np.bool_)
    for at in range(people.size):
        for code in codes[people[at]]:
            if column[code] >= 0:
                concerned[at] = True
                break
    return concerned


@njit(cache=True, nogil=True)
def _assign_people(rule: Rule, sizes: NDArray[np.int64], assigned: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Deal people to groups nobody of which marks a window so far: by person the group, or -1."""
    groups = sizes.size
    counts = np.zeros((groups, rule.windows.total), np.int64)
    most, sizes = np.zeros(groups, np.int64), sizes.copy()
    home = np.full(assigned.size, -1, np.int64)
    for limit in (k, sizes.sum() + assigned.size + 1):
        turn = 0
        for at in range(assigned.size):
            if home[at] >= 0:
                continue
            for step in range(groups):
                group = (turn + step) % groups
                if sizes[group] >= limit:
                    continue
                peak = most_with(rule.windows, counts[group], most[group], assigned[at])
                if peak * rule.denominator <= rule.numerator * (sizes[group] + 1):
                    _mark(rule.windows, counts[group], assigned[at])
                    most[group] = peak
                    sizes[group] += 1
                    home[at] = group
                    turn = group + 1
                    break
    return home


@njit(cache=True, nogil=True)
def _mark(windows: Windows, counts: NDArray[np.int64], person: int) -> None:
    """Count the windows a person marks."""
    for at in range(windows.offsets[person], windows.offsets[person + 1]):
        counts[windows.first[at] : windows.stop[at]] += 1


def _merge_small(
    activities: Activities, groups: list[NDArray[np.int64]], length: int, k: int
) -> list[NDArray[np.int64]]:
    """Merge groups of fewer than k people, in order, with the nearest; diverse groups stay so."""
    small = [at for at, group in enumerate(groups) if group.size < k]
    if not small:
        return groups
    groups = list(groups)
    members = np.concatenate(groups)
    owner = np.repeat(np.arange(len(groups)), [group.size for group in groups])
    column = number_selected(activities.activities, np.arange(activities.activities))
    sums = sum_durations(activities.codes, length, column, members, owner)
    present = [True] * len(groups)
    for at in small:
        if groups[at].size >= k:
            continue
        present[at] = False
        nearest = _find_nearest(sums, groups, present, at)
        if nearest >= 0:
            groups[nearest] = np.sort(np.concatenate((groups[nearest], groups[at])))
            sums[nearest] += sums[at]
    return [group for group, stays in zip(groups, present, strict=True) if stays]


def _find_nearest(sums: NDArray[np.float64], groups: list[NDArray[np.int64]], present: list[bool], at: int) -> int:
    """Find the present group whose centroid is nearest to that of a group; -1 if there is none."""
    nearest, least = -1, Fraction(0)
    norms, products = np.einsum("ij,ij->i", sums, sums), sums @ sums[at]
    own = groups[at].size
    for other, stays in enumerate(present):
        if not stays:
            continue
        size = groups[other].size
        gap = size * size * int(norms[at]) + own * own * int(norms[other]) - 2 * own * size * int(products[other])
        distance = Fraction(gap, size * size)
        if nearest < 0 or distance < least:
            nearest, least = other, distance
    return nearest
