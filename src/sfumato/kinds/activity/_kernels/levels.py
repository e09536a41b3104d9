"""Multi-level clustering: people are split by coarse durations first, and the parts by finer ones.

The leaf level may need larger groups than asked for until all are diverse; how it looks for them is Algorithm 2 of the
paper, with two shortcuts that change nothing: a union of diverse classes is diverse, so a part that is not diverse
needs no attempt; and the part that failed last is tried first.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kinds.activity._kernels.durations import Activities
from sfumato.kinds.activity._kernels.mdav import Grown, grow_groups, split_evenly
from sfumato.kinds.activity._kernels.repair import repair_groups
from sfumato.kinds.activity._kernels.space import Space, build_space
from sfumato.kinds.activity._kernels.windows import Rule, Windows, is_diverse, new_rule

__all__ = ["GroupingResult", "Levels", "grow_at_leaf", "split_and_repair", "split_at_leaf", "split_until_diverse"]


class Levels(NamedTuple):
    """How people are split.

    Attributes
    ----------
    lengths
        By level, from the top to the leaf: slots in an interval.
    fanout
        How many groups of the next level a group is meant for, at least 1.
    weight
        The weight of the sensitive activities in the distance; None: they count like any other.

    Examples
    --------
    >>> Levels(lengths=(48, 12, 1), fanout=2).lengths[-1]
    1
    """

    lengths: tuple[int, ...] = (10_080, 60)
    fanout: int = 5
    weight: float | None = None


class GroupingResult(NamedTuple):
    """Groups, and what it took.

    Attributes
    ----------
    groups
        Disjoint groups of people.
    size
        The size of groups that was asked for at the leaf at last.
    backtracks
        How often that size was raised by one.
    restarts
        How often all began anew from the top.
    extended
        How many people joined a group because it was not diverse without them.
    joined
        How often two groups were made one because one of them was not diverse.

    Examples
    --------
    >>> found = GroupingResult([np.array([0, 2]), np.array([1, 3, 4])], size=2)
    >>> [group.size for group in found.groups], found.backtracks
    ([2, 3], 0)
    """

    groups: list[NDArray[np.int64]]
    size: int
    backtracks: int = 0
    restarts: int = 0
    extended: int = 0
    joined: int = 0


def split_at_leaf(activities: Activities, people: NDArray[np.int64], levels: Levels, size: int) -> GroupingResult:
    """Split people by level, without asking for diversity.

    Examples
    --------
    >>> codes = np.array([[0, 0], [1, 1], [0, 1], [1, 0]], np.int32)
    >>> activities = Activities(codes, 2, np.array([1]))
    >>> [group.tolist() for group in split_at_leaf(activities, np.arange(4), Levels((2, 1)), 2).groups]
    [[0, 2], [1, 3]]

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Algorithm 1.
    """
    return GroupingResult(_split_down(activities, people, levels, _set_sizes(levels, size)), size)


def _set_sizes(levels: Levels, size: int) -> list[int]:
    """Tell the size of groups at every level."""
    depth = len(levels.lengths)
    return [size * levels.fanout ** (depth - 1 - level) for level in range(depth)]


def _split_down(
    activities: Activities, people: NDArray[np.int64], levels: Levels, sizes: list[int]
) -> list[NDArray[np.int64]]:
    """Split people at as many levels as there are sizes."""
    unasked = _make_empty_rule(activities.codes.shape[0])
    parts = [people]
    for length, size in zip(levels.lengths, sizes, strict=False):
        split: list[NDArray[np.int64]] = []
        for part in parts:
            if part.size < 2 * size:
                split.append(part)
                continue
            space = build_space(activities, part, length, levels.weight)
            split += [part[group] for group in split_evenly(space, unasked, part, size) or []]
        parts = split
    return parts


def _make_empty_rule(people: int) -> Rule:
    """Make a rule that holds for every class."""
    nothing = np.empty(0, np.int64)
    return new_rule(Windows(np.zeros(people + 1, np.int64), nothing, nothing, nothing, nothing, 0), 1, 1)


def split_until_diverse(
    activities: Activities, people: NDArray[np.int64], rule: Rule, levels: Levels, size: int
) -> GroupingResult:
    """Split people by level with the smallest groups the search comes to that are all diverse.

    All people together must be diverse: then the search ends, with all of them in one group at the latest.

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Algorithm 2.
    """
    first, restarts = size, 0
    while True:
        sizes = _set_sizes(levels, size)
        parts = _split_down(activities, people, levels, sizes[:-1])
        # Above this size the parts of the level above cannot be split, so all begins anew from the top.
        largest = people.size if len(sizes) == 1 else sizes[-2] // 2
        if all(is_diverse(rule, part) for part in parts):
            attempts = _Attempts(activities, rule, levels, parts)
            size, groups = attempts.split(size, max(size, largest))
            if groups:
                return GroupingResult(groups, size, size - first, restarts)
        size = max(size, largest) + 1
        restarts += 1


def split_and_repair(
    activities: Activities, people: NDArray[np.int64], rule: Rule, levels: Levels, size: int
) -> GroupingResult:
    """Split people by level with groups of one size, and join those that are not diverse with near ones.

    All people together must be diverse: then joining ends, with all of them in one group at the latest.
    """
    groups = _split_down(activities, people, levels, _set_sizes(levels, size))
    repaired, joined = repair_groups(activities, groups, rule, levels.lengths[-1], levels.weight)
    return GroupingResult(repaired, size, joined=joined)


class _Attempts:
    """Attempts to split the same parts into diverse groups, of one size after the other."""

    def __init__(self, activities: Activities, rule: Rule, levels: Levels, parts: list[NDArray[np.int64]]) -> None:
        self.activities, self.rule, self.levels, self.parts = activities, rule, levels, parts
        self.spaces: dict[int, Space] = {}
        self.order = list(range(len(parts)))

    def split(self, size: int, largest: int) -> tuple[int, list[NDArray[np.int64]]]:
        """Split with rising sizes up to the largest; no groups if none will do."""
        while True:
            groups = self._split_all(size)
            if groups or size >= largest:
                return size, groups
            size += 1

    def _split_all(self, size: int) -> list[NDArray[np.int64]]:
        all_groups: list[NDArray[np.int64]] = []
        for at, number in enumerate(self.order):
            groups = self._split_part(number, size)
            if groups is None:
                self.order.insert(0, self.order.pop(at))
                return []
            all_groups += groups
        return all_groups

    def _split_part(self, number: int, size: int) -> list[NDArray[np.int64]] | None:
        part = self.parts[number]
        if part.size < 2 * size:
            return [part]
        if number not in self.spaces:
            self.spaces[number] = build_space(self.activities, part, self.levels.lengths[-1], self.levels.weight)
        groups = split_evenly(self.spaces[number], self.rule, part, size)
        return None if groups is None else [part[group] for group in groups]


def grow_at_leaf(
    activities: Activities, people: NDArray[np.int64], rule: Rule, levels: Levels, size: int
) -> GroupingResult:
    """Split people by level and let groups grow at the leaf until diverse; some people may be left out.

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Algorithm 3.
    """
    groups: list[NDArray[np.int64]] = []
    extended = 0
    for part in _split_down(activities, people, levels, _set_sizes(levels, size)[:-1]):
        space = build_space(activities, part, levels.lengths[-1], levels.weight)
        grown: Grown = grow_groups(space, rule, part, size)
        groups += [part[group] for group in grown.groups]
        extended += grown.extended
    return GroupingResult(groups, size, extended=extended)
