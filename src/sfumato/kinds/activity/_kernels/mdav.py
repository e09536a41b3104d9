"""Groups around people at the rim: MDAV with groups of one size, and l-VMDAV, whose groups grow until diverse."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.activity._kernels.space import (
    Space,
    measure_from_centroid,
    measure_from_person,
    rank_groups,
    take_out,
)
from sfumato.kinds.activity._kernels.windows import (
    MOST,
    SIZE,
    Rule,
    count_most,
    holds,
    is_diverse,
    join,
    leave,
    most_with,
)

__all__ = ["Grown", "grow_groups", "split_evenly"]

_GIVEN_UP = -2


class Grown(NamedTuple):
    """What l-VMDAV made of some people.

    Attributes
    ----------
    groups
        The groups, each a rising array of numbers of people.
    suppressed
        People that are in none.
    extended
        How many people joined a group because it was not diverse without them.

    Examples
    --------
    >>> grown = Grown([np.array([0, 2, 3])], suppressed=np.array([1]), extended=1)
    >>> sum(group.size for group in grown.groups) + grown.suppressed.size
    4
    """

    groups: list[NDArray[np.int64]]
    suppressed: NDArray[np.int64]
    extended: int


def split_evenly(space: Space, rule: Rule, people: NDArray[np.int64], size: int) -> list[NDArray[np.int64]] | None:
    """Split people into groups of a size by MDAV, or find that one of these is not diverse.

    Parameters
    ----------
    space
        The people, numbered from 0.
    rule
        What groups have to fulfil.
    people
        By number in the space: the number by which the rule knows the person.
    size
        How many people a group has; the last one has up to twice as many less one, or else fewer than that many left
        over go together to the group whose centroid is nearest to theirs.

    Returns
    -------
    list[NDArray[np.int64]] or None
        The groups, by numbers in the space; None when one of them is not diverse.

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Section
    3.2.1, steps 1 to 5.
    """
    group, count, doubtful = _pair_off(space, rule, people, size)
    if count < 0:
        return None
    groups = [np.flatnonzero(group == number) for number in range(count)]
    rest = np.flatnonzero(group < 0)
    if rest.size == 0:
        return groups
    if rest.size >= size or not groups:
        groups.append(rest)
        changed = rest
    else:
        nearest = rank_groups(space, groups, rest)[0]
        if doubtful >= 0 and doubtful != nearest:
            return None
        changed = groups[nearest] = np.sort(np.concatenate((groups[nearest], rest)))
    return groups if is_diverse(rule, people[changed]) else None


@njit(cache=True, nogil=True)
def _pair_off(space: Space, rule: Rule, people: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], int, int]:
    """Form groups two by two while there are people for two.

    Returns the groups by person; how many there are, or -1 when one is not diverse; and a group that will be diverse
    only if those left over join it, or -1.
    """
    group = np.full(people.size, -1, np.int64)
    left = np.ones(people.size, np.bool_)
    distance = np.empty(people.size)
    plain_sums, secret_sums = space.plain_sums.copy(), space.secret_sums.copy()
    remaining, count, doubtful = people.size, 0, -1
    spare = people.size % (2 * size)
    if spare >= size:
        spare = 0
    while remaining >= 2 * size:
        central = measure_from_centroid(space, plain_sums, secret_sums, left)
        pivot = _find_farthest(central, left)
        both = np.empty(2 * size, np.int64)
        for half in range(2):
            # The second pivot is the farthest from the first among those still left, which matters only where
            # everybody is equally far.
            if half == 1:
                pivot = _find_farthest(distance, left)
            measure_from_person(space, pivot, distance)
            members = _find_nearest(distance, left, pivot, size)
            most = count_most(rule, people[members]) * rule.denominator
            if most > rule.numerator * size:
                if doubtful >= 0 or most > rule.numerator * (size + spare):
                    return group, -1, -1
                doubtful = count
            group[members] = count
            left[members] = False
            both[half * size : half * size + size] = members
            count += 1
        remaining -= 2 * size
        if remaining >= 2 * size:
            take_out(space.plain, both, plain_sums)
            if space.secret.place.size > 0:
                take_out(space.secret, both, secret_sums)
    return group, count, doubtful


@njit(cache=True, nogil=True)
def _find_farthest(distance: NDArray[np.float64], left: NDArray[np.bool_]) -> int:
    """Find the first of the people left who are farthest."""
    farthest = -1
    for person in range(left.size):
        if left[person] and (farthest < 0 or distance[person] > distance[farthest]):
            farthest = person
    return farthest


@njit(cache=True, nogil=True)
def _find_nearest(distance: NDArray[np.float64], left: NDArray[np.bool_], pivot: int, size: int) -> NDArray[np.int64]:
    """Find the pivot and the nearest of the others left, the first of those equally near, in rising order."""
    others = np.flatnonzero(left)
    others = others[others != pivot]
    near = np.empty(size, np.int64)
    near[0] = pivot
    if size == 1:
        return near
    bound = np.partition(distance[others], size - 2)[size - 2]
    nearer = others[distance[others] < bound]
    equally = others[distance[others] == bound]
    near[1 : nearer.size + 1] = nearer
    near[nearer.size + 1 :] = equally[: size - 1 - nearer.size]
    near.sort()
    return near


def grow_groups(space: Space, rule: Rule, people: NDArray[np.int64], size: int) -> Grown:
    """Form groups of a size, each extended until it is diverse (l-VMDAV), and give up those that cannot be.

    A group that is not diverse takes in, nearest to its first member first, everyone who makes it more diverse. If it
    never becomes diverse its first members are suppressed, and those it had taken in are free again. Fewer people than
    a group needs that are left at the end go one by one to the group with the nearest centroid that stays diverse, or
    are suppressed.

    Parameters
    ----------
    space, rule, people
        As in `split_evenly`.
    size
        How many people a group begins with.

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Section
    3.2.2, with the authors' changes.
    """
    group, count, extended = _grow(space, rule, people, size)
    groups = [np.flatnonzero(group == number) for number in range(count)]
    formed = list(groups)
    for person in np.flatnonzero(group == -1):
        group[person] = _GIVEN_UP
        for number in rank_groups(space, formed, np.array([person])):
            with_person = np.sort(np.append(groups[number], person))
            if is_diverse(rule, people[with_person]):
                groups[number] = with_person
                group[person] = number
                break
    return Grown(groups, np.flatnonzero(group == _GIVEN_UP), extended)


@njit(cache=True, nogil=True)
def _grow(space: Space, rule: Rule, people: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], int, int]:
    """Form groups while there are people for one: by person its number, how many, and how many people extend them."""
    group = np.full(people.size, -1, np.int64)
    left = np.ones(people.size, np.bool_)
    distance = np.empty(people.size)
    central = measure_from_centroid(space, space.plain_sums, space.secret_sums, left)
    remaining, count, extended = people.size, 0, 0
    while remaining >= size:
        pivot = _find_farthest(central, left)
        measure_from_person(space, pivot, distance)
        members = _find_nearest(distance, left, pivot, size)
        left[members] = False
        for person in members:
            join(rule, people[person])
        joined = members[:0]
        if not holds(rule):
            joined = _extend(rule, people, distance, left)
        if holds(rule):
            group[members] = count
            group[joined] = count
            left[joined] = False
            remaining -= joined.size
            extended += joined.size
            count += 1
        else:
            group[members] = _GIVEN_UP
        remaining -= size
        for person in members:
            leave(rule, people[person])
        for person in joined:
            leave(rule, people[person])
    return group, count, extended


@njit(cache=True, nogil=True)
def _extend(
    rule: Rule, people: NDArray[np.int64], distance: NDArray[np.float64], left: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Let those left join the class, nearest first, who lower the largest share of it that marks a window."""
    queue = np.flatnonzero(left)
    queue = queue[np.argsort(distance[queue], kind="mergesort")]
    state = rule.counts.state
    joined = 0
    for person in queue:
        if holds(rule):
            break
        most = most_with(rule.windows, rule.counts.counts, state[MOST], people[person])
        if most * state[SIZE] < state[MOST] * (state[SIZE] + 1):
            join(rule, people[person])
            queue[joined] = person
            joined += 1
    return queue[:joined]
