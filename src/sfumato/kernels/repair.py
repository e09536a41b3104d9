"""Repair of sequences that too few rows hold: merge the rarest group with its nearest, or suppress it."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kernels.counter import ANY_COUNT, read_key
from sfumato.kernels.linkage import Groups, Linkage, find_nearest, unite_groups
from sfumato.kernels.subsequences import Walk
from sfumato.kernels.tally import Tally, Trips, drop_group, measure_sequence, move_group

__all__ = ["Progress", "Rule", "repair_sequences"]

DONE, INFEASIBLE, BEYOND_LIMIT = range(3)

_SEQUENCES_PER_SLICE = 50_000
_ROWS_PER_SLICE = 200_000


class Rule(NamedTuple):
    """What is demanded.

    Attributes
    ----------
    k
        The least support of a sequence that occurs.
    l
        At most one in l of the rows that hold a sequence may visit any one sensitive code; 0 or 1: no such rule.
    limit
        The most places that may be suppressed, or -1 when none may.
    """

    k: int
    l: int
    limit: int


class Progress(NamedTuple):
    """What has been done, each a single number in an array so that it can be counted up.

    Attributes
    ----------
    position
        The first sequence of the queue that has not been looked at.
    merges, suppressed, checked
        Merges, places suppressed, and looks at a sequence.
    size, support
        Of the sequence that could not be repaired.
    """

    position: NDArray[np.int64]
    merges: NDArray[np.int64]
    suppressed: NDArray[np.int64]
    checked: NDArray[np.int64]
    size: NDArray[np.int64]
    support: NDArray[np.int64]


@njit(cache=True, nogil=True)
def read_image(key: int, groups: Groups, tally: Tally, sequence: NDArray[np.int64]) -> int:
    """Read the sequence behind a key through the current groups; suppressed groups drop out."""
    for digit in range(tally.size - 1, -1, -1):
        group = key % tally.base
        key //= tally.base
        while group >= 0 and groups.forward[group] != group:
            above = groups.forward[group]
            if above >= 0:
                groups.forward[group] = groups.forward[above]
            group = above
        sequence[digit] = group
    return remove_suppressed(sequence, tally.size)


@njit(cache=True, nogil=True)
def remove_suppressed(sequence: NDArray[np.int64], length: int) -> int:
    """Close the gaps that suppressed groups leave, and return the new length."""
    write = 0
    for read in range(length):
        if sequence[read] >= 0:
            sequence[write] = sequence[read]
            write += 1
    return write


@njit(cache=True, nogil=True)
def find_violation(
    trips: Trips, groups: Groups, tally: Tally, rule: Rule, sequence: NDArray[np.int64]
) -> int:
    """Return the support of a sequence that breaks the rule, or -1 when it keeps it."""
    if sequence.size < tally.size:
        enough = ANY_COUNT if tally.codes > 0 else rule.k
        support, most = measure_sequence(trips, groups, sequence, enough)
        return support if 0 < support < rule.k or rule.l * most > support else -1
    key = 0
    for group in sequence:
        key = key * tally.base + group
    support = read_key(tally.support, key)
    if 0 < support < rule.k:
        return support
    for code in range(tally.codes):
        # Codes are ordered by visits: from here on even all visits together would not be too many.
        if rule.l * trips.visits[code] <= support:
            break
        if rule.l * read_key(tally.shared, key * tally.codes + code) > support:
            return support
    return -1


@njit(cache=True, nogil=True)
def find_rarest(groups: Groups, sequence: NDArray[np.int64]) -> int:
    """Find the group of a sequence with the least support; equals go to the smaller code."""
    rarest = sequence[0]
    for group in sequence:
        difference = groups.support[group] - groups.support[rarest]
        if difference < 0 or (difference == 0 and groups.code[group] < groups.code[rarest]):
            rarest = group
    return int(rarest)


@njit(cache=True, nogil=True)
def repair_sequences(
    queue: NDArray[np.int64],
    trips: Trips,
    groups: Groups,
    linkage: Linkage,
    walk: Walk,
    tally: Tally,
    rule: Rule,
    progress: Progress,
) -> tuple[int, Tally]:
    """Repair the next sequences of the queue, for a moment; call again until the queue is done.

    Returns
    -------
    tuple
        `DONE`, `INFEASIBLE` or `BEYOND_LIMIT`, and the tally to go on with.
    """
    sequence = np.empty(tally.size, np.int64)
    last = min(queue.size, progress.position[0] + _SEQUENCES_PER_SLICE)
    rows = 0
    while progress.position[0] < last and rows < _ROWS_PER_SLICE:
        length = read_image(queue[progress.position[0]], groups, tally, sequence)
        progress.position[0] += 1
        while length > 0:
            progress.checked[0] += 1
            support = find_violation(trips, groups, tally, rule, sequence[:length])
            if support < 0:
                break
            rarest = find_rarest(groups, sequence[:length])
            nearest = find_nearest(linkage, groups, rarest)
            gone = rarest
            if nearest < 0:
                progress.size[0], progress.support[0] = length, support
                if rule.limit < 0:
                    return INFEASIBLE, tally
                progress.suppressed[0] += groups.size[rarest]
                if progress.suppressed[0] > rule.limit:
                    return BEYOND_LIMIT, tally
                tally = drop_group(trips, groups, walk, tally, rarest)
            else:
                kept = nearest
                # Only the rows of the group that goes are visited: keep the label of the larger.
                if groups.reach[nearest] < groups.reach[rarest]:
                    kept, gone = rarest, nearest
                tally = move_group(trips, groups, walk, tally, kept, gone)
                unite_groups(linkage, groups, kept, gone)
                progress.merges[0] += 1
            rows += groups.reach[gone]
            for i in range(length):
                if sequence[i] == gone:
                    sequence[i] = groups.forward[gone]
            length = remove_suppressed(sequence, length)
    return DONE, tally
