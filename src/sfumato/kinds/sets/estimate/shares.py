"""How many subrecords of restricted chunks are expected in the leaves, chunk by chunk as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.estimate.expected_counts import ExpectedCounts

__all__ = ["ExpectedCountsByChunk", "Shares"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class ExpectedCountsByChunk(Mapping[int, ExpectedCounts]):
    """Restricted chunks and how their subrecords are shared out, each found when it is asked for first.

    Examples
    --------
    >>> found = ExpectedCountsByChunk([3, 5], lambda chunk: chunk * 10)
    >>> list(found), found[5], 4 in found
    ([3, 5], 50, False)
    """

    def __init__(self, chunks: list[int], find: Callable[[int], ExpectedCounts]) -> None:
        self._computed: dict[int, ExpectedCounts | None] = dict.fromkeys(chunks)
        self._find = find

    def __contains__(self, chunk: object) -> bool:
        return chunk in self._computed

    def __getitem__(self, chunk: int) -> ExpectedCounts:
        expected_counts = self._computed[chunk]
        if expected_counts is None:
            expected_counts = self._computed[chunk] = self._find(chunk)
        return expected_counts

    def __iter__(self) -> Iterator[int]:
        return iter(self._computed)

    def __len__(self) -> int:
        return len(self._computed)


class Shares:
    """Tables of restricted chunks, one behind the other in one array: rows are kinds of subrecords, columns leaves.

    Attributes
    ----------
    cells
        How much of a subrecord of a kind is expected in a leaf.
    row_of_subrecord
        Where the row of every subrecord begins in ``cells``.
    first_leaf
        Leaf of the first column of every chunk's table.
    """

    def __init__(self, chunks: Chunks, expected_counts: Mapping[int, ExpectedCounts]) -> None:
        self._chunks, self._expected_counts = chunks, expected_counts
        self._is_computed = np.zeros(len(chunks), dtype=bool)
        self._used = 0
        self.cells = np.empty(1 << 10)
        self.row_of_subrecord = np.full(len(chunks.subrecords), -1, dtype=np.int64)
        self.first_leaf = np.zeros(len(chunks), dtype=np.int64)

    def add(self, chunks: Ints) -> None:
        """Add the tables of chunks that are not here yet."""
        for chunk in np.unique(chunks[~self._is_computed[chunks]]).tolist():
            expected_counts = self._expected_counts[chunk]
            kinds, leaves = expected_counts.expected.shape
            amounts = np.bincount(expected_counts.kind_of_row, minlength=kinds)
            end = self._used + kinds * leaves
            if end > len(self.cells):
                self.cells = np.concatenate([self.cells[: self._used], np.empty(2 * end - self._used)])
            self.cells[self._used : end] = (expected_counts.expected / amounts[:, None]).ravel()
            self.row_of_subrecord[self._chunks.rows(chunk)] = self._used + expected_counts.kind_of_row * leaves
            self.first_leaf[chunk] = expected_counts.first
            self._used = end
            self._is_computed[chunk] = True
