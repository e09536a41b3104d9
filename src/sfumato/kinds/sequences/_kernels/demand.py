"""What groups have to fulfil, whether any can, and what came of it.

(g,l)-diversity and a least number of people are one rule: as both are asked of the same groups, the least number is the
larger one of k and l.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.clusters import MOST_BITS, PAIRS_BEGIN, PAIRS_END, PEOPLE, Store
from sfumato.kinds.sequences._kernels.covers import Monitored
from sfumato.kinds.sequences._kernels.windows import Keyed, Unmonitored, find_fullest, key_pairs, sweep_pairs

__all__ = ["Demand", "Outcome", "Rule", "fulfils", "refuse", "set_rule"]


class Demand(NamedTuple):
    """What groups have to fulfil.

    Attributes
    ----------
    k
        The least number of people in a group; 0: not asked for.
    l, g
        At most one in l of a group does any unmonitored event within any window of length g, and a group has at least
        l people; l is 0 when not asked for.
    bits
        How many bits a fingerprint has, from 1 to 62; it has no influence on the groups.

    Examples
    --------
    >>> Demand(l=4, g=3600)
    Demand(k=0, l=4, g=3600, bits=32)
    """

    k: int = 0
    l: int = 0
    g: int = 0
    bits: int = 32


class Rule(NamedTuple):
    """What a group has to fulfil.

    Attributes
    ----------
    people
        The least number of members.
    l, gap
        At most one in l of the members may do an event within a window of this length; l is 0 when not asked for.

    Examples
    --------
    >>> one_person = Monitored(np.array([0, 1]), np.array([7]))
    >>> did = Unmonitored(np.array([0, 2]), np.array([0, 1], np.int32), np.array([3, 9]))
    >>> set_rule(one_person, did, Demand(k=5, l=2, g=60), np.array([0]))[0]
    Rule(people=5, l=2, gap=6)
    """

    people: int
    l: int
    gap: int


class Outcome(NamedTuple):
    """The groups, or why there are none.

    Attributes
    ----------
    status
        ``done``; ``too few`` when there are fewer people than a group needs; ``not diverse`` when even all people in
        one group are not diverse enough.
    group
        By person: the number of the group, counted from 0 in the order of the first members; all 0 when not done.
    most, event, start
        When not diverse: how many do the event that too many do, which one it is, and when the first window of length g
        begins in which so many do it. 0, -1 and 0 otherwise.
    counts
        What was counted on the way, by name.

    Examples
    --------
    >>> Outcome("not diverse", np.zeros(11, np.int64), most=4, event=2).largest_l
    2
    """

    status: Literal["done", "too few", "not diverse"]
    group: NDArray[np.int64]
    most: int = 0
    event: int = -1
    start: int = 0
    counts: Mapping[str, int] = {}

    @property
    def largest_l(self) -> int:
        """The largest l that is feasible when the one asked for is not; 0 otherwise."""
        return self.group.size // self.most if self.most else 0


def set_rule(
    monitored: Monitored, unmonitored: Unmonitored, demand: Demand, order: NDArray[np.int64]
) -> tuple[Rule, Keyed]:
    """Put a demand as a rule, and the unmonitored pairs as it looks at them: none when diversity is not asked for.

    Raises
    ------
    OverflowError
        If events and times do not fit 62 bits; times of a coarser resolution will do.
    ValueError
        If someone has no monitored event, the order is no permutation, or the demand is out of range.
    """
    people = monitored.offsets.size - 1
    if people and np.diff(monitored.offsets).min() < 1:
        raise ValueError("everyone must have at least one monitored event")
    if order.size != people or (np.bincount(order, minlength=people) != 1).any():
        raise ValueError("the order must be a permutation of the people")
    if max(demand.k, demand.l) < 1 or min(demand.k, demand.l, demand.g) < 0 or not 1 <= demand.bits <= MOST_BITS:
        raise ValueError(f"k or l must be positive, g not negative, and bits from 1 to {MOST_BITS}")
    keyed = Keyed(np.zeros(people + 1, np.int64), np.empty(0, np.int64), 0, 1, 0)
    if demand.l > 0:
        keyed = key_pairs(unmonitored, demand.g)
    return Rule(max(demand.k, demand.l), demand.l, keyed.gap), keyed


def refuse(people: int, keyed: Keyed, rule: Rule) -> Outcome | None:
    """Say why there can be no groups. If all people in one group are diverse enough, there are."""
    largest = np.zeros(people, np.int64)
    if 0 < people < rule.people:
        return Outcome("too few", largest)
    if people == 0 or rule.l == 0:
        return None
    fullest = find_fullest(keyed, largest)
    most = int(fullest.most[0])
    if rule.l * most <= people:
        return None
    return Outcome("not diverse", largest, most, int(fullest.event[0]), int(fullest.start[0]))


@njit(cache=True, nogil=True)
def fulfils(store: Store, rule: Rule, cluster: int, person_counts: NDArray[np.int32]) -> bool:
    """Whether a cluster is large and diverse enough; the tally, by person, is all zero, and is so again."""
    card = store.cards[cluster]
    people, begin, end = card[PEOPLE], card[PAIRS_BEGIN], card[PAIRS_END]
    if people < rule.people or rule.l == 0:
        return bool(people >= rule.people)
    most, _ = sweep_pairs(store.key[begin:end], store.person[begin:end], rule.gap, person_counts)
    return bool(rule.l * most <= people)
