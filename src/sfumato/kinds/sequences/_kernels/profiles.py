"""Profiles of groups, which is all that covering them by intervals depends on, and the table that is filled for it.

A profile is an array with a row for every distinct time of the members' monitored events, rising, and the columns

- ``TIME`` and ``EVENTS``: when, and how many events the members have then;
- ``REACH``: the latest left end such that the interval up to the time holds every member, or `NEVER`;
- ``NODE``: the lowest node above all events at the time, 0 when categories do not count.

Profiles of two groups give that of their union without looking at members. The dynamic programme fills a table with a
row for every distinct time and one more, and the columns

- ``BEFORE``: events before the time;
- ``BEST``: the least loss of what lies before the time, or `LARGEST_LOSS` where no intervals will do;
- ``CHOICE``: the first time of the last interval that attains it;
- ``QUEUE`` and ``SINCE``: left ends that are or will be the best, and the right end from which on each is.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.prices import Prices, join_nodes

__all__ = ["new_table", "unite_profiles"]

TIME, EVENTS, REACH, NODE = range(4)
BEFORE, BEST, CHOICE, QUEUE, SINCE = range(5)

# A left end so early that it stands for "no interval that ends here holds every member".
NEVER = -(1 << 60)


def new_table(times: int) -> NDArray[np.int64]:
    """Make room for the dynamic programme over so many distinct times."""
    return np.empty((times + 1, SINCE + 1), np.int64)


@njit(cache=True, nogil=True)
def unite_profiles(
    profile: NDArray[np.int64], other: NDArray[np.int64], into: NDArray[np.int64], prices: Prices
) -> int:
    """Write the profile of the union of two groups to the front of `into`, and return its length."""
    i, j, n = 0, 0, 0
    reach, across = NEVER, NEVER
    while i < profile.shape[0] or j < other.shape[0]:
        mine = j >= other.shape[0] or (i < profile.shape[0] and profile[i, TIME] <= other[j, TIME])
        yours = i >= profile.shape[0] or (j < other.shape[0] and other[j, TIME] <= profile[i, TIME])
        if mine:
            reach = profile[i, REACH]
        if yours:
            across = other[j, REACH]
        if mine and yours:
            into[n, TIME], into[n, EVENTS] = profile[i, TIME], profile[i, EVENTS] + other[j, EVENTS]
            into[n, NODE] = join_nodes(profile[i, NODE], other[j, NODE], prices) if prices.leaf > 0 else 0
            i += 1
            j += 1
        elif mine:
            into[n, TIME], into[n, EVENTS], into[n, NODE] = profile[i, TIME], profile[i, EVENTS], profile[i, NODE]
            i += 1
        else:
            into[n, TIME], into[n, EVENTS], into[n, NODE] = other[j, TIME], other[j, EVENTS], other[j, NODE]
            j += 1
        into[n, REACH] = min(reach, across)
        n += 1
    return n
