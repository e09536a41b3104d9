"""Where a long line of people is cut that lies in many sorted pieces, none of which has to be in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from sfumato.data.sort_key import ANYWHERE, Keys
from sfumato.release.partition_plan import Line

__all__ = ["Slices", "count_placed", "cut_pieces", "find_splits", "pack_keys"]

Ints = npt.NDArray[np.int64]
Packed = npt.NDArray[np.bytes_]
Slices = tuple[tuple[int, int, int], ...]
"""What a partition has of the pieces: piece, first and one after the last."""

_SAMPLES = 20_000


def pack_keys(keys: Keys, chances: npt.NDArray[np.uint64]) -> Packed:
    """Return keys, with the random numbers that order equal ones, as texts of bytes in the same order.

    Examples
    --------
    >>> packed = pack_keys(np.array([1, 256, 1], np.uint64), np.array([7, 0, 3], np.uint64))
    >>> np.argsort(packed).tolist()
    [2, 0, 1]
    """
    both = np.stack([keys, chances], axis=1).astype(">u8")
    return np.frombuffer(both.tobytes(), "S16")


def count_placed(piece: Packed) -> int:
    """Return how many of a sorted piece have a place in the line."""
    return int(np.searchsorted(piece, pack_keys(np.array([ANYWHERE]), np.zeros(1, np.uint64))[0]))


def cut_pieces(pieces: Sequence[Callable[[], Packed]], most: int) -> list[Slices]:
    """Cut a line that lies in sorted pieces as :meth:`Plan.cut` of the plan cuts it: what each partition has of them.

    Pieces are given as what loads them, and are never in memory at the same time.

    Examples
    --------
    >>> one, other = (pack_keys(np.array(keys, np.uint64), np.zeros(2, np.uint64)) for keys in ([1, 9], [2, 8]))
    >>> cut_pieces([lambda: one, lambda: other], 2)
    [((0, 0, 1), (1, 0, 1)), ((0, 1, 2), (1, 1, 2))]
    """
    counts = [(len(piece), count_placed(piece)) for piece in (load() for load in pieces)]
    placed = sum(count for _, count in counts)
    line = Line.of(sum(count for count, _ in counts), placed, most)
    inside, beside = line.ends()
    splits = find_splits(pieces, np.concatenate([[0], inside, [placed], placed + beside]))
    first, second = splits[: line.partitions + 1], splits[line.partitions + 1 :]
    slices = []
    for partition in range(line.partitions):
        spans = [(first[partition], first[partition + 1]), (second[partition], second[partition + 1])]
        slices.append(
            tuple(
                (piece, int(begin[piece]), int(end[piece]))
                for begin, end in spans
                for piece in range(len(pieces))
                if begin[piece] < end[piece]
            )
        )
    return slices


def find_splits(pieces: Sequence[Callable[[], Packed]], ranks: Ints) -> Ints:
    """Return, for every rank in the line that sorted pieces make together, how many of each piece come before it.

    A sample of the pieces brackets every rank, and only what lies between the brackets is sorted.

    Examples
    --------
    >>> pieces = [lambda: np.array([b"a", b"d"], "S16"), lambda: np.array([b"b", b"c"], "S16")]
    >>> find_splits(pieces, np.array([0, 3])).tolist()
    [[0, 0], [1, 2]]
    """
    ends = np.array([len(load()) for load in pieces])
    step = max(int(ends.sum()) // _SAMPLES, 1)
    samples = np.sort(np.concatenate([np.array(load()[::step]) for load in pieces]))
    before = np.stack([np.searchsorted(load(), samples).astype(np.int32) for load in pieces], axis=1)
    upper = np.searchsorted(before.sum(axis=1), ranks, side="right")
    bounds = np.concatenate([np.zeros((1, len(pieces)), np.int64), before, ends[None]])
    low, high = bounds[upper], bounds[upper + 1]
    windows: list[list[Packed]] = [[] for _ in ranks]
    for number, load in enumerate(pieces):
        piece = load()
        for at, window in enumerate(windows):
            window.append(np.array(piece[low[at, number] : high[at, number]]))
    splits = np.empty((len(ranks), len(pieces)), np.int64)
    for at, window in enumerate(windows):
        owner = np.repeat(np.arange(len(pieces)), [len(section) for section in window])
        order = np.argsort(np.concatenate(window), kind="stable")[: ranks[at] - low[at].sum()]
        splits[at] = low[at] + np.bincount(owner[order], minlength=len(pieces))
    return splits
