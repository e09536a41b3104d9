"""Repair of sequences that too few rows hold: merge the rarest group with its nearest, or suppress it."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import ANY_COUNT, read_key
from sfumato.kinds.trajectories._kernels.groups import Groups
from sfumato.kinds.trajectories._kernels.linkage import Linkage, find_nearest, unite_groups
from sfumato.kinds.trajectories._kernels.sequence_counts import (
    SequenceCounts,
    Trips,
    drop_group,
    measure_sequence,
    move_group,
)
from sfumato.kinds.trajectories._kernels.subsequences import Walk

__all__ = ["Progress", "Rule", "repair_sequences"]

DONE, INFEASIBLE, OVER_LIMIT = range(3)


class Rule(NamedTuple):
    """What is demanded.

    Attributes
    ----------
    k
        The least support of a sequence that occurs.
    l
        At most one in l of the rows that hold a sequence may visit any one sensitive code; 0 or 1: no rule.
    limit
        The most places that may be suppressed, or -1 when none may.
    pace
        How many sequences to look at, and rows to change, before a call returns.
    """

    k: int
    l: int
    limit: int
    pace: int


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
def breaks_rule(sequence_counts: SequenceCounts, rule: Rule, key: int, support: int) -> bool:
    """Whether a sequence of the size tallied, with this support, breaks the rule."""
    if 0 < support < rule.k:
        return True
    # Most sequences have so few sensitive visits in all that no code needs a look.
    if sequence_counts.codes == 0 or rule.l * read_key(sequence_counts.visits, key) <= support:
        return False
    most = 0
    for code in range(sequence_counts.codes):
        most = max(most, read_key(sequence_counts.shared, key * sequence_counts.codes + code))
    return rule.l * most > support


@njit(cache=True, nogil=True)
def skip_satisfied(
    queue: NDArray[np.int64],
    begin: int,
    end: int,
    forward: NDArray[np.int32],
    sequence_counts: SequenceCounts,
    rule: Rule,
) -> int:
    """Find the next sequence of the queue that may break the rule under the current groups, or `end`.

    Almost all sequences have been repaired by earlier merges, so this loop is where the time goes.
    """
    for position in range(begin, end):
        rest, image, weight = queue[position], 0, 1
        for _ in range(sequence_counts.size):
            above = rest // sequence_counts.base
            group = int(forward[rest - above * sequence_counts.base])
            if group < 0:
                return position
            image += group * weight
            weight *= sequence_counts.base
            rest = above
        if breaks_rule(sequence_counts, rule, image, read_key(sequence_counts.support, image)):
            return position
    return end


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
def read_image(key: int, groups: Groups, sequence_counts: SequenceCounts, sequence: NDArray[np.int64]) -> int:
    """Read the sequence behind a key through the current groups, and return its length without suppressed groups."""
    for digit in range(sequence_counts.size - 1, -1, -1):
        sequence[digit] = groups.forward[key % sequence_counts.base]
        key //= sequence_counts.base
    length: int = remove_suppressed(sequence, sequence_counts.size)
    return length


@njit(cache=True, nogil=True)
def find_violation(
    trips: Trips, groups: Groups, sequence_counts: SequenceCounts, rule: Rule, sequence: NDArray[np.int64]
) -> int:
    """Return the support of a sequence that breaks the rule, or -1 when it keeps it."""
    if sequence.size < sequence_counts.size:
        enough = ANY_COUNT if sequence_counts.codes > 0 else rule.k
        support, most = measure_sequence(trips, groups, sequence, sequence_counts.codes, enough)
        return support if 0 < support < rule.k or rule.l * most > support else -1
    key = 0
    for group in sequence:
        key = key * sequence_counts.base + group
    support = read_key(sequence_counts.support, key)
    return support if breaks_rule(sequence_counts, rule, key, support) else -1


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
def merge_groups(
    trips: Trips, groups: Groups, linkage: Linkage, walk: Walk, sequence_counts: SequenceCounts, group: int, other: int
) -> SequenceCounts:
    """Make one group of two, and count the rows again that this changes."""
    # Only the rows of the group that goes are visited: keep the label of the larger.
    target, gone = (group, other) if groups.total_rows[group] >= groups.total_rows[other] else (other, group)
    sequence_counts = move_group(trips, groups, walk, sequence_counts, target, gone)
    unite_groups(linkage, groups, target, gone)
    return sequence_counts


@njit(cache=True, nogil=True)
def repair_sequences(
    queue: NDArray[np.int64],
    trips: Trips,
    groups: Groups,
    linkage: Linkage,
    walk: Walk,
    sequence_counts: SequenceCounts,
    rule: Rule,
    progress: Progress,
) -> tuple[int, SequenceCounts]:
    """Repair the next sequences of the queue, for a moment; call again until the queue is done.

    Returns
    -------
    tuple
        `DONE`, `INFEASIBLE` or `OVER_LIMIT`, and the counts to go on with.
    """
    sequence = np.empty(sequence_counts.size, np.int64)
    work = 0
    while progress.position[0] < queue.size and work < rule.pace:
        begin, end = progress.position[0], min(queue.size, progress.position[0] + rule.pace - work)
        position = skip_satisfied(queue, begin, end, groups.forward, sequence_counts, rule)
        progress.position[0] = position
        progress.checked[0] += position - begin
        work += position - begin
        if position == end:
            break
        progress.position[0] += 1
        work += 1
        length = read_image(queue[position], groups, sequence_counts, sequence)
        while length > 0:
            progress.checked[0] += 1
            support = find_violation(trips, groups, sequence_counts, rule, sequence[:length])
            if support < 0:
                break
            rarest = find_rarest(groups, sequence[:length])
            nearest = find_nearest(linkage, groups, rarest)
            if nearest >= 0:
                work += min(groups.total_rows[rarest], groups.total_rows[nearest])
                sequence_counts = merge_groups(trips, groups, linkage, walk, sequence_counts, rarest, nearest)
                progress.merges[0] += 1
            else:
                progress.size[0], progress.support[0] = length, support
                if rule.limit < 0:
                    return INFEASIBLE, sequence_counts
                work += groups.total_rows[rarest]
                progress.suppressed[0] += groups.size[rarest]
                if progress.suppressed[0] > rule.limit:
                    return OVER_LIMIT, sequence_counts
                sequence_counts = drop_group(trips, groups, walk, sequence_counts, rarest)
            for i in range(length):
                sequence[i] = groups.forward[sequence[i]]
            length = remove_suppressed(sequence, length)
    return DONE, sequence_counts
