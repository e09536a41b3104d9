"""The methods for daily activities, from plain arrays to classes.

All take what everybody did and a `Demand`, and return an `Outcome`. Those that split by level take `Levels`. All are
deterministic: where people or groups are equally far the first one counts.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kinds.activity._kernels.durations import Activities
from sfumato.kinds.activity._kernels.levels import (
    GroupingResult,
    Levels,
    grow_at_leaf,
    split_and_repair,
    split_at_leaf,
    split_until_diverse,
)
from sfumato.kinds.activity._kernels.order import merge_in_order
from sfumato.kinds.activity._kernels.round_robin import assign_round_robin
from sfumato.kinds.activity._kernels.windows import Rule, find_fullest, find_windows, new_rule

__all__ = [
    "Demand",
    "Outcome",
    "l_mdav",
    "l_vmdav",
    "mc",
    "mc_l_mdav",
    "mc_l_mdav_repaired",
    "mc_l_vmdav",
    "mc_rr",
    "msld",
]

UNAGGREGATED = Levels(lengths=(1,), fanout=1, weight=None)


class Demand(NamedTuple):
    """What classes have to fulfil.

    Attributes
    ----------
    k
        The least number of people in a class, at least 1.
    delta
        Slots in a window, which begins at any slot.
    numerator, denominator
        Epsilon as a fraction: the largest share of a class that may do a sensitive activity throughout a window.

    Examples
    --------
    >>> demand = Demand(k=10, delta=48 * 60)
    >>> demand.numerator / demand.denominator
    0.75
    """

    k: int = 10
    delta: int = 2880
    numerator: int = 3
    denominator: int = 4


class Outcome(NamedTuple):
    """The classes, or why there are none.

    Attributes
    ----------
    status
        ``done``; ``too few`` when there are fewer people than a class needs; ``not diverse`` when even all people in
        one class are not diverse.
    label
        By person: the number of the class, counted from 0 in the order of the first members, or -1 for someone who is
        suppressed; all -1 when not done.
    size
        The size of groups that was asked for at last.
    backtracks, restarts, extended
        How often that size was raised by one, how often all began anew from the top, and how many people joined a
        group because it was not diverse without them.
    joined
        How often two classes were made one because one of them was not diverse.
    activity, start, most_people
        When not diverse: which of the sensitive activities, the first slot of the first window that the most
        people spend on it, and how many these are. -1, -1 and 0 otherwise.

    Examples
    --------
    >>> activities = Activities(np.array([[0, 0], [1, 1]], np.int32), 2, np.array([1]))
    >>> msld(activities, Demand(k=2, delta=2, numerator=1, denominator=3))[2:]
    (0, 0, 0, 0, 0, 0, 0, 1)
    """

    status: Literal["done", "too few", "not diverse"]
    label: NDArray[np.int64]
    size: int = 0
    backtracks: int = 0
    restarts: int = 0
    extended: int = 0
    joined: int = 0
    activity: int = -1
    start: int = -1
    most_people: int = 0


def l_mdav(activities: Activities, demand: Demand, levels: Levels = UNAGGREGATED) -> Outcome:
    """Group by MDAV, with groups larger by one until all are diverse.

    Examples
    --------
    >>> codes = np.array([[0, 0, 0], [0, 0, 1], [2, 2, 2], [2, 2, 1]], np.int32)
    >>> outcome = l_mdav(Activities(codes, 3, np.array([2])), Demand(k=2, delta=2, numerator=1, denominator=2))
    >>> outcome.label.tolist(), outcome.backtracks
    ([0, 0, 0, 0], 1)

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Section
    3.2.1.
    """
    return mc_l_mdav(activities, demand, levels._replace(lengths=levels.lengths[-1:]))


def l_vmdav(activities: Activities, demand: Demand, levels: Levels = UNAGGREGATED) -> Outcome:
    """Group around people at the rim, each group extended until it is diverse; people may be suppressed.

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Section
    3.2.2.
    """
    return mc_l_vmdav(activities, demand, levels._replace(lengths=levels.lengths[-1:]))


def msld(activities: Activities, demand: Demand) -> Outcome:
    """Group people who follow each other when ordered by what they do, slots with the fewest activities first.

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Section
    4.3; Mehta, Rao, "Improved l-diversity: Scalable anonymization approach for privacy preserving big data
    publishing".
    """
    return _classify(activities, demand, lambda rule: merge_in_order(activities.codes, rule, demand.k))


def mc(activities: Activities, k: int, levels: Levels) -> Outcome:
    """Group by MDAV at one level after the other, for k-anonymity only.

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Algorithm 1.
    """
    people = np.arange(activities.codes.shape[0])
    if people.size < k:
        return Outcome("too few", np.full(people.size, -1, np.int64))
    return _conclude(split_at_leaf(activities, people, levels, k), people.size)


def mc_l_mdav(activities: Activities, demand: Demand, levels: Levels) -> Outcome:
    """Group by MDAV at one level after the other, with larger groups at the leaf until all are diverse.

    Examples
    --------
    >>> codes = np.array([[0, 0, 0], [0, 0, 1], [2, 2, 2], [2, 2, 1]], np.int32)
    >>> levels = Levels(lengths=(3, 1), fanout=2, weight=1.0)
    >>> mc_l_mdav(Activities(codes, 3, np.array([2])), Demand(2, 2, 1, 2), levels).label.tolist()
    [0, 1, 0, 1]

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Algorithm 2;
    with a weight it is MC-l-MDAV-WD.
    """
    people = np.arange(activities.codes.shape[0])
    return _classify(activities, demand, lambda rule: split_until_diverse(activities, people, rule, levels, demand.k))


def mc_l_mdav_repaired(activities: Activities, demand: Demand, levels: Levels) -> Outcome:
    """Group by MDAV at one level after the other, and join groups that are not diverse with near ones.

    Examples
    --------
    >>> codes = np.array([[0, 0, 0], [0, 0, 1], [2, 2, 2], [2, 2, 1]], np.int32)
    >>> levels = Levels(lengths=(3, 1), fanout=2)
    >>> mc_l_mdav_repaired(Activities(codes, 3, np.array([2])), Demand(2, 2, 1, 2), levels).label.tolist()
    [0, 0, 0, 0]
    """
    people = np.arange(activities.codes.shape[0])
    return _classify(activities, demand, lambda rule: split_and_repair(activities, people, rule, levels, demand.k))


def mc_l_vmdav(activities: Activities, demand: Demand, levels: Levels) -> Outcome:
    """Group by MDAV at one level after the other, and by l-VMDAV at the leaf; people may be suppressed.

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Algorithm 3;
    with a weight it is MC-l-VMDAV-WD.
    """
    people = np.arange(activities.codes.shape[0])
    return _classify(activities, demand, lambda rule: grow_at_leaf(activities, people, rule, levels, demand.k))


def mc_rr(activities: Activities, demand: Demand, levels: Levels) -> Outcome:
    """Group those who do nothing sensitive level by level and deal the others to the groups; some may be suppressed.

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Algorithm 4.
    """
    people = np.arange(activities.codes.shape[0])
    return _classify(activities, demand, lambda rule: assign_round_robin(activities, people, rule, levels, demand.k))


def _classify(activities: Activities, demand: Demand, group: Callable[[Rule], GroupingResult]) -> Outcome:
    """Look at all people as one class first, then group them; if that leaves everybody out, they are that class."""
    people = np.arange(activities.codes.shape[0])
    nobody = np.full(people.size, -1, np.int64)
    if people.size < demand.k:
        return Outcome("too few", nobody)
    windows = find_windows(activities.codes, activities.sensitive, demand.delta, activities.gap)
    activity, start, most_people = find_fullest(windows, people)
    if most_people * demand.denominator > demand.numerator * people.size:
        return Outcome("not diverse", nobody, activity=activity, start=start, most_people=most_people)
    grouping = group(new_rule(windows, demand.numerator, demand.denominator))
    if not grouping.groups:
        grouping = grouping._replace(groups=[people])
    return _conclude(grouping, people.size)


def _conclude(grouping: GroupingResult, people: int) -> Outcome:
    """Number the classes by their first members."""
    label = np.full(people, -1, np.int64)
    for number, group in enumerate(sorted(grouping.groups, key=lambda group: int(group[0]))):
        label[group] = number
    return Outcome(
        "done", label, grouping.size, grouping.backtracks, grouping.restarts, grouping.extended, grouping.joined
    )
