"""How many rows hold each sequence of groups, kept up to date while groups merge or leave."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import Counter, add_keys
from sfumato.kinds.trajectories._kernels.groups import Groups
from sfumato.kinds.trajectories._kernels.subsequences import Walk, list_keys, start_walk

__all__ = [
    "SequenceCounts",
    "Trips",
    "count_rows",
    "drop_group",
    "list_rows_by_seat",
    "measure_sequence",
    "move_group",
    "relabel_rows",
]


class Trips(NamedTuple):
    """Rows of group labels, the rows of every seat, and the sensitive codes of every row.

    Attributes
    ----------
    start, length, tokens
        Row r is ``tokens[start[r] : start[r] + length[r]]``; rows shrink in place.
    row_offsets, rows
        Seat s occurs in the rows ``rows[row_offsets[s] : row_offsets[s + 1]]``.
    code_offsets, codes
        Row r visits the sensitive codes ``codes[code_offsets[r] : code_offsets[r + 1]]``.
    stamp
        By row: the last sweep that met it; one more entry at the end counts the sweeps.
    """

    start: NDArray[np.int64]
    length: NDArray[np.int64]
    tokens: NDArray[np.int32]
    row_offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    code_offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    stamp: NDArray[np.int64]


class SequenceCounts(NamedTuple):
    """Supports of all sequences of one size.

    Attributes
    ----------
    support
        Rows by sequence key.
    visits
        Visits to sensitive codes, of all rows that hold a sequence, by sequence key.
    shared
        Rows by sequence key and sensitive code, ``key * codes + code``.
    size
        Groups in a sequence.
    base
        Keys are numbers to this base, one digit per group.
    codes
        Number of sensitive codes; 0 when nobody asks for diversity.
    """

    support: Counter
    visits: Counter
    shared: Counter
    size: int
    base: int
    codes: int


@njit(cache=True, nogil=True)
def list_rows_by_seat(
    start: NDArray[np.int64], length: NDArray[np.int64], tokens: NDArray[np.int32], seats: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """List for every seat the rows that hold it, each once: offsets by seat, and rows.

    Examples
    --------
    >>> tokens = np.array([1, 0, 1, 1], np.int32)
    >>> offsets, rows = list_rows_by_seat(np.array([0, 3]), np.array([3, 1]), tokens, 2)
    >>> offsets.tolist(), rows.tolist()
    ([0, 1, 3], [0, 0, 1])
    """
    latest = np.full(seats, -1, np.int64)
    offsets = np.zeros(seats + 1, np.int64)
    for row in range(start.size):
        for position in range(start[row], start[row] + length[row]):
            seat = tokens[position]
            if latest[seat] != row:
                latest[seat] = row
                offsets[seat + 1] += 1
    offsets = np.cumsum(offsets)
    rows = np.empty(offsets[-1], np.int32)
    latest[:] = -1
    fill = offsets.copy()
    for row in range(start.size):
        for position in range(start[row], start[row] + length[row]):
            seat = tokens[position]
            if latest[seat] != row:
                latest[seat] = row
                rows[fill[seat]] = row
                fill[seat] += 1
    return offsets, rows


@njit(cache=True, nogil=True)
def relabel_rows(trips: Trips, relabel: NDArray[np.int32], longest_run: int) -> None:
    """Give every token its new label and cut runs of one label down to `longest_run` tokens.

    Sequences of at most `longest_run` tokens find the same rows afterwards.
    """
    for row in range(trips.start.size):
        start = trips.start[row]
        write, run = start, 0
        for read in range(start, start + trips.length[row]):
            token = relabel[trips.tokens[read]]
            run = run + 1 if write > start and trips.tokens[write - 1] == token else 1
            if run <= longest_run:
                trips.tokens[write] = token
                write += 1
        trips.length[row] = write - start


@njit(cache=True, nogil=True)
def count_row(
    row: NDArray[np.int32],
    codes: NDArray[np.int32],
    walk: Walk,
    sequence_counts: SequenceCounts,
    step: int,
    first: int,
    second: int,
) -> SequenceCounts:
    """Add `step` for every distinct sequence of a row that holds `first` or `second`, or for all if both are -1."""
    if row.size < sequence_counts.size:
        return sequence_counts
    support, visits, shared = sequence_counts.support, sequence_counts.visits, sequence_counts.shared
    start_walk(walk, row, first, second)
    while True:
        number = list_keys(walk, row, sequence_counts.size, sequence_counts.base)
        if number == 0:
            return SequenceCounts(
                support, visits, shared, sequence_counts.size, sequence_counts.base, sequence_counts.codes
            )
        support = add_keys(support, walk.keys, number, step)
        if codes.size == 0:
            continue
        visits = add_keys(visits, walk.keys, number, step * codes.size)
        for i in range(number):
            walk.keys[i] *= sequence_counts.codes
        before = 0
        for code in codes:
            for i in range(number):
                walk.keys[i] += code - before
            before = code
            shared = add_keys(shared, walk.keys, number, step)


@njit(cache=True, nogil=True)
def get_row(trips: Trips, row: int) -> NDArray[np.int32]:
    """Return the tokens of a row, as a view."""
    return trips.tokens[trips.start[row] : trips.start[row] + trips.length[row]]


@njit(cache=True, nogil=True)
def get_codes(trips: Trips, row: int) -> NDArray[np.int32]:
    """Return the sensitive codes of a row, as a view."""
    return trips.codes[trips.code_offsets[row] : trips.code_offsets[row + 1]]


@njit(cache=True, nogil=True)
def count_rows(trips: Trips, walk: Walk, sequence_counts: SequenceCounts, begin: int, end: int) -> SequenceCounts:
    """Count all sequences of a range of rows."""
    for row in range(begin, end):
        sequence_counts = count_row(get_row(trips, row), get_codes(trips, row), walk, sequence_counts, 1, -1, -1)
    return sequence_counts


@njit(cache=True, nogil=True)
def move_group(
    trips: Trips, groups: Groups, walk: Walk, sequence_counts: SequenceCounts, target: int, other: int
) -> SequenceCounts:
    """Turn every token `other` into `target` and keep all counts right; rows without `other` are not visited."""
    tokens = trips.tokens
    trips.stamp[-1] += 1
    seat = groups.head[other]
    while seat >= 0:
        for visit in range(trips.row_offsets[seat], trips.row_offsets[seat + 1]):
            row = trips.rows[visit]
            if trips.stamp[row] == trips.stamp[-1]:
                continue
            trips.stamp[row] = trips.stamp[-1]
            sequence_counts = count_row(
                get_row(trips, row), get_codes(trips, row), walk, sequence_counts, -1, target, other
            )
            gained = 1
            for position in range(trips.start[row], trips.start[row] + trips.length[row]):
                if tokens[position] == target:
                    gained = 0
                elif tokens[position] == other:
                    tokens[position] = target
            groups.support[target] += gained
            sequence_counts = count_row(
                get_row(trips, row), get_codes(trips, row), walk, sequence_counts, 1, target, -1
            )
        seat = groups.following[seat]
    return sequence_counts


@njit(cache=True, nogil=True)
def drop_group(trips: Trips, groups: Groups, walk: Walk, sequence_counts: SequenceCounts, group: int) -> SequenceCounts:
    """Remove every token of a group, with the sequences that hold it, and mark the group as suppressed."""
    tokens = trips.tokens
    trips.stamp[-1] += 1
    seat = groups.head[group]
    while seat >= 0:
        groups.label[seat] = -1
        for visit in range(trips.row_offsets[seat], trips.row_offsets[seat + 1]):
            row = trips.rows[visit]
            if trips.stamp[row] == trips.stamp[-1]:
                continue
            trips.stamp[row] = trips.stamp[-1]
            sequence_counts = count_row(
                get_row(trips, row), get_codes(trips, row), walk, sequence_counts, -1, group, -1
            )
            write = trips.start[row]
            for read in range(trips.start[row], trips.start[row] + trips.length[row]):
                if tokens[read] != group:
                    tokens[write] = tokens[read]
                    write += 1
            trips.length[row] = write - trips.start[row]
        seat = groups.following[seat]
    for label in range(groups.forward.size):
        if groups.forward[label] == group:
            groups.forward[label] = -1
    return sequence_counts


@njit(cache=True, nogil=True)
def measure_sequence(
    trips: Trips, groups: Groups, sequence: NDArray[np.int64], codes: int, enough: int
) -> tuple[int, int]:
    """Count the rows that hold a sequence, and the most of them that visit one of `codes` sensitive codes.

    For sequences that are shorter than those tallied. Counting may stop at `enough` rows.
    """
    rarest = sequence[0]
    for group in sequence:
        if groups.support[group] < groups.support[rarest]:
            rarest = group
    shared = np.zeros(codes, np.int64)
    support = 0
    trips.stamp[-1] += 1
    seat = groups.head[rarest]
    while seat >= 0 and support < enough:
        for visit in range(trips.row_offsets[seat], trips.row_offsets[seat + 1]):
            row = trips.rows[visit]
            if trips.stamp[row] == trips.stamp[-1]:
                continue
            trips.stamp[row] = trips.stamp[-1]
            matched = 0
            for position in range(trips.start[row], trips.start[row] + trips.length[row]):
                if matched < sequence.size and trips.tokens[position] == sequence[matched]:
                    matched += 1
            if matched == sequence.size:
                support += 1
                for code in get_codes(trips, row):
                    shared[code] += 1
        seat = groups.following[seat]
    return support, int(shared.max()) if codes > 0 else 0
