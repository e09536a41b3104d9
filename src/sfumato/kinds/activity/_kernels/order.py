"""Classes of people who follow each other when ordered by what they do (MSLD)."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.activity._kernels.levels import GroupingResult
from sfumato.kinds.activity._kernels.windows import Rule, holds, is_diverse, join, leave

__all__ = ["merge_in_order", "rank_people"]


def rank_people(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Rank people by their activities, slots with the fewest distinct activities first; equal people rank equal.

    Examples
    --------
    >>> rank_people(np.array([[2, 0], [1, 1], [0, 0], [1, 1]], np.int32)).tolist()
    [1, 2, 0, 2]
    """
    rank = np.zeros(codes.shape[0], np.int64)
    if rank.size == 0:
        return rank
    span = int(codes.max(initial=0)) + 1
    distinct = _find_done(codes, span).sum(axis=1)
    for slot in np.argsort(distinct, kind="stable"):
        if distinct[slot] > 1:
            values, rank = np.unique(rank * span + codes[:, slot], return_inverse=True)
            if values.size == rank.size:
                break
    return rank.astype(np.int64)


@njit(cache=True, nogil=True)
def _find_done(codes: NDArray[np.int32], activities: int) -> NDArray[np.bool_]:
    """Find by slot and activity whether anybody does it."""
    done = np.zeros((codes.shape[1], activities), np.bool_)
    for person in range(codes.shape[0]):
        for slot in range(codes.shape[1]):
            done[slot, codes[person, slot]] = True
    return done


def merge_in_order(codes: NDArray[np.int32], rule: Rule, k: int) -> GroupingResult:
    """Merge people who do the same, and then those next in order, until classes have k people and are diverse.

    What is left at the end is merged with the last classes until these are so again, which they are at the latest when
    all people are in one.

    References
    ----------
    Parameshwarappa, Chen, Koru, "Anonymization of Daily Activity Data by Using l-diversity Privacy Model", Section 4.3.
    """
    rank = rank_people(codes)
    order = np.argsort(rank, kind="stable")
    groups: list[NDArray[np.int64]] = []
    begin = 0
    for at, person in enumerate(order):
        join(rule, person)
        is_equal = at + 1 < order.size and rank[order[at + 1]] == rank[person]
        if not is_equal and at + 1 - begin >= k and holds(rule):
            groups.append(order[begin : at + 1])
            for member in groups[-1]:
                leave(rule, member)
            begin = at + 1
    rest = order[begin:]
    for member in rest:
        leave(rule, member)
    while rest.size and (rest.size < k or not is_diverse(rule, rest)):
        rest = np.concatenate((groups.pop(), rest))
    return GroupingResult([np.sort(group) for group in (*groups, rest) if group.size], k)
