"""How many rows hold each sequence of groups, kept up to date while groups merge or leave."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kernels.counter import Counter, add_keys
from sfumato.kernels.linkage import Groups
from sfumato.kernels.subsequences import Walk, list_keys, start_walk

__all__ = [
    "Tally",
    "Trips",
    "count_rows",
    "drop_group",
    "list_visits",
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
    visits
        How many rows visit each sensitive code, in descending order.
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
    visits: NDArray[np.int64]
    stamp: NDArray[np.int64]


class Tally(NamedTuple):
    """Supports of all sequences of one size.

    Attributes
    ----------
    support
        Rows by sequence key.
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
    shared: Counter
    size: int
    base: int
    codes: int


@njit(cache=True, nogil=True)
def list_visits(
    start: NDArray[np.int64], length: NDArray[np.int64], tokens: NDArray[np.int32], seats: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """List for every seat the rows that hold it, each once: offsets by seat, and rows.

    Examples
    --------
    >>> tokens = np.array([1, 0, 1, 1], np.int32)
    >>> offsets, rows = list_visits(np.array([0, 3]), np.array([3, 1]), tokens, 2)
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
def count_row(trips: Trips, row: int, walk: Walk, tally: Tally, step: int, first: int, second: int) -> Tally:
    """Add `step` for every distinct sequence of a row that holds `first` or `second`, or for all if both are -1."""
    start = trips.start[row]
    tokens = trips.tokens[start : start + trips.length[row]]
    support, shared, size = tally.support, tally.shared, tally.size
    if tokens.size < size:
        return tally
    start_walk(walk, tokens, first, second)
    while True:
        number = list_keys(walk, tokens, size, tally.base)
        if number == 0:
            return Tally(support, shared, size, tally.base, tally.codes)
        support = add_keys(support, walk.keys, number, step)
        if trips.code_offsets[row] < trips.code_offsets[row + 1] and tally.codes > 0:
            for i in range(number):
                walk.keys[i] *= tally.codes
            before = 0
            for visit in range(trips.code_offsets[row], trips.code_offsets[row + 1]):
                for i in range(number):
                    walk.keys[i] += trips.codes[visit] - before
                before = trips.codes[visit]
                shared = add_keys(shared, walk.keys, number, step)


@njit(cache=True, nogil=True)
def count_rows(trips: Trips, walk: Walk, tally: Tally, begin: int, end: int) -> Tally:
    """Count all sequences of a range of rows."""
    for row in range(begin, end):
        tally = count_row(trips, row, walk, tally, 1, -1, -1)
    return tally


@njit(cache=True, nogil=True)
def move_group(trips: Trips, groups: Groups, walk: Walk, tally: Tally, kept: int, other: int) -> Tally:
    """Turn every token `other` into `kept` and keep all counts right; rows without `other` are not visited."""
    tokens = trips.tokens
    trips.stamp[-1] += 1
    seat = groups.head[other]
    while seat >= 0:
        for visit in range(trips.row_offsets[seat], trips.row_offsets[seat + 1]):
            row = trips.rows[visit]
            if trips.stamp[row] == trips.stamp[-1]:
                continue
            trips.stamp[row] = trips.stamp[-1]
            tally = count_row(trips, row, walk, tally, -1, kept, other)
            gained = 1
            for position in range(trips.start[row], trips.start[row] + trips.length[row]):
                if tokens[position] == kept:
                    gained = 0
                elif tokens[position] == other:
                    tokens[position] = kept
            groups.support[kept] += gained
            tally = count_row(trips, row, walk, tally, 1, kept, -1)
        seat = groups.following[seat]
    return tally


@njit(cache=True, nogil=True)
def drop_group(trips: Trips, groups: Groups, walk: Walk, tally: Tally, group: int) -> Tally:
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
            tally = count_row(trips, row, walk, tally, -1, group, -1)
            write = trips.start[row]
            for read in range(trips.start[row], trips.start[row] + trips.length[row]):
                if tokens[read] != group:
                    tokens[write] = tokens[read]
                    write += 1
            trips.length[row] = write - trips.start[row]
        seat = groups.following[seat]
    groups.forward[group] = -1
    return tally


@njit(cache=True, nogil=True)
def measure_sequence(
    trips: Trips, groups: Groups, sequence: NDArray[np.int64], enough: int
) -> tuple[int, int]:
    """Count the rows that hold a sequence, and the largest number of them that visit one sensitive code.

    For sequences that are shorter than those tallied. Counting stops at `enough` rows.
    """
    rarest = sequence[0]
    for group in sequence:
        if groups.support[group] < groups.support[rarest]:
            rarest = group
    shared = np.zeros(trips.visits.size, np.int64)
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
                for code in range(trips.code_offsets[row], trips.code_offsets[row + 1]):
                    shared[trips.codes[code]] += 1
        seat = groups.following[seat]
    most = 0
    for count in shared:
        most = max(most, count)
    return support, most
