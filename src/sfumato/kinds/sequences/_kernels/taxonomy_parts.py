"""Parts of people who are alike in what they did and in when they did it.

People are split in two by the distance of their events, each part in two by time, and so on while a part is large
enough. Where the paper leaves it open:

- People stand in the order of a permutation. The first of a part is the one it is split about, and goes to the end of
  its half; the farthest from them is the other pole, the first of equals. Who is as near to one as to the other goes to
  the other, as printed.
- A part whose people all did the same events is not split by events.
- Splitting by time halves a part along the Hilbert curve of first and last times: two clusters of at least half the
  people are two halves.
- Parts that are not large enough are split neither way.

References
----------
R. Sherkat, J. Li, N. Mamoulis, "Efficient timestamped event sequence anonymization", Section 5.1 and Algorithm 4.
"""

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.prices import is_less
from sfumato.kinds.sequences._kernels.taxonomy_distance import Branches, Pivot, load_pivot, match_cost, new_pivot

__all__ = ["split_people"]


def split_people(
    branches: Branches,
    leaves: NDArray[np.int64],
    rank: NDArray[np.int64],
    order: NDArray[np.int64],
    capacity: int,
    report: Callable[[int], None],
) -> tuple[NDArray[np.int64], int]:
    """Split people by events and by time in turns, while a part has at least `capacity` of them.

    Parameters
    ----------
    branches
        The events of every person.
    leaves
        Number of leaves below each node.
    rank
        By person: the place in the order of time.
    order
        All people in a random order; afterwards part by part.
    capacity
        The least number of people in a part that is split.
    report
        Called with the number of people whose part is final.

    Returns
    -------
    tuple
        Where the parts end in `order`, and how many event distances were computed.

    Examples
    --------
    >>> from sfumato.kinds.sequences._kernels.taxonomy_distance import build_branches
    >>> parent, leaves = np.array([4, 4, 5, 5, 6, 6, -1], np.int32), np.array([1, 1, 1, 1, 2, 2, 4])
    >>> branches = build_branches(np.arange(5), np.array([0, 2, 1, 3], np.int32), parent)
    >>> order = np.array([1, 0, 2, 3])
    >>> split_people(branches, leaves, np.arange(4), order, 4, lambda _: None), order.tolist()
    ((array([2, 4]), 8), [3, 1, 0, 2])
    """
    pivot = new_pivot(leaves.size)
    # The next part is the last of the list; by events first, then by time.
    waiting = [(0, order.size, True)]
    ends: list[int] = []
    distances = 0
    while waiting:
        begin, end, by_events = waiting.pop()
        if end - begin < capacity:
            ends.append(end)
            report(end)
            continue
        part = order[begin:end]
        if by_events:
            middle = begin + int(_split_by_events(part, branches, leaves, pivot))
            distances += part.size if middle == begin else 2 * part.size
        else:
            middle = begin + part.size // 2
            early = rank[part] < np.partition(rank[part], part.size // 2)[part.size // 2]
            order[begin:end] = np.concatenate((part[early], part[~early]))
        halves = [(begin, middle), (middle, end)] if begin < middle < end else [(begin, end)]
        waiting += [(low, high, not by_events) for low, high in reversed(halves)]
    return np.array(ends, np.int64), distances


@njit(cache=True, nogil=True)
def _split_by_events(part: NDArray[np.int64], branches: Branches, leaves: NDArray[np.int64], pivot: Pivot) -> int:
    """Put those nearer to the first person than to the farthest from them to the front, and return how many they are.

    Both halves keep their order, but the first person goes to the end of theirs. Returns 0 when all did the same.
    """
    size = np.empty(part.size, np.int64)
    cost = np.empty(part.size, np.int64)
    far_cost = np.empty(part.size, np.int64)
    load_pivot(branches, part[0], pivot)
    far = 0
    for at in range(part.size):
        size[at] = branches.events[branches.begin[part[at]]]
        cost[at] = match_cost(branches, part[at], leaves, pivot)
        if is_less(cost[far], size[far] + size[0], cost[at], size[at] + size[0]):
            far = at
    # At the least distance every event is matched by itself.
    if cost[far] == size[far] + size[0]:
        return 0
    load_pivot(branches, part[far], pivot)
    for at in range(part.size):
        far_cost[at] = match_cost(branches, part[at], leaves, pivot)
    near = np.empty(part.size, np.int64)
    others = np.empty(part.size, np.int64)
    first, nears, rest = part[0], 0, 0
    for at in range(1, part.size):
        if is_less(cost[at], size[at] + size[0], far_cost[at], size[at] + size[far]):
            near[nears] = part[at]
            nears += 1
        else:
            others[rest] = part[at]
            rest += 1
    near[nears] = first
    part[: nears + 1] = near[: nears + 1]
    part[nears + 1 :] = others[:rest]
    return nears + 1
