"""Which of the classes that may match what is known of somebody do: their intervals hold the known events, in order.

Examples
--------
>>> times, events, none = np.array([3, 9, 5]), np.array([0, 0, 1]), np.array([[3]], np.uint8)
>>> cover = np.array([0, 1, 2]), np.array([1, 8]), np.array([6, 9]), np.array([0, 0]), none
>>> offsets, classes = keep_covering(
...     np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.array([0, 2, 3]), times, events, *cover, False
... )
>>> offsets.tolist(), classes.tolist()
([0, 0, 1], [0])
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["keep_covering"]

Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def keep_covering(
    offsets: Ints,
    classes: Ints,
    known_begin: Ints,
    times: Ints,
    events: Ints,
    cover_begin: Ints,
    lo: Ints,
    hi: Ints,
    categories: Ints,
    masks: NDArray[np.uint8],
    partial: bool,
) -> tuple[Ints, Ints]:
    """Keep the classes every interval of which holds something known, and which hold all of that, unless partial.

    Parameters
    ----------
    offsets, classes
        Classes that may match, knowledge after knowledge; they are overwritten.
    known_begin, times, events
        Known events of every knowledge, in order of their times.
    cover_begin, lo, hi, categories
        Intervals of every class, which ascend and do not meet, and their categories.
    masks
        Events of every category as bits, eight a byte, the lowest first.
    """
    starts, retained = np.zeros(offsets.size, np.int64), 0
    for knowledge in range(offsets.size - 1):
        for number in range(offsets[knowledge], offsets[knowledge + 1]):
            group = classes[number]
            at, end = cover_begin[group], cover_begin[group + 1]
            matches, used = True, False
            for entry in range(known_begin[knowledge], known_begin[knowledge + 1]):
                while at < end and hi[at] < times[entry] and matches:
                    matches, used = used, False
                    at += 1
                event = events[entry]
                if at < end and lo[at] <= times[entry] and (masks[categories[at], event >> 3] >> (event & 7)) & 1:
                    used = True
                elif not partial:
                    matches = False
                if not matches:
                    break
            if matches and (at == end or (used and at + 1 == end)):
                classes[retained] = group
                retained += 1
        starts[knowledge + 1] = retained
    return starts, classes[:retained].copy()
