"""How many records a condition holds for: at least, and at most, record by record or block by block."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Truth", "combine_all", "combine_any"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Truth:
    """Of how many of the records of every block a condition holds.

    A block is a single record, or records that cannot be told apart, of which only their number is known.

    Parameters
    ----------
    low, high
        In every original that could have been published so at least ``low``, in none more than ``high``.
    sizes
        Records in every block; None where every block is a single record.

    Examples
    --------
    >>> ill = Truth(np.array([1, 0]), np.array([1, 1]))
    >>> (~ill).low.tolist(), (~ill).high.tolist()
    ([0, 0], [0, 1])
    """

    low: Ints
    high: Ints
    sizes: Ints | None = None

    @classmethod
    def of(cls, certain: npt.NDArray[np.bool_], possible: npt.NDArray[np.bool_]) -> Truth:
        """Take what certainly and what possibly holds of single records."""
        return cls(certain.astype(np.int64), possible.astype(np.int64))

    @classmethod
    def everywhere(cls, records: int) -> Truth:
        """Take something that certainly holds of all records."""
        return cls(np.ones(records, dtype=np.int64), np.ones(records, dtype=np.int64))

    @property
    def most(self) -> Ints:
        """How many records every block has."""
        return np.ones(len(self.low), dtype=np.int64) if self.sizes is None else self.sizes

    def __invert__(self) -> Truth:
        return Truth(self.most - self.high, self.most - self.low, self.sizes)

    def sum_blocks(self, block: Ints, sizes: Ints) -> Truth:
        """Add up records that belong to the same block.

        Examples
        --------
        >>> ill = Truth(np.array([1, 0, 1]), np.array([1, 1, 1]))
        >>> ill.sum_blocks(np.array([0, 0, 1]), np.array([2, 1])).high.tolist()
        [2, 1]
        """
        if self.sizes is not None:
            return self
        low, high = (np.bincount(block, side, minlength=len(sizes)).astype(np.int64) for side in (self.low, self.high))
        return Truth(low, high, sizes)


def combine_all(truths: Sequence[Truth]) -> Truth:
    """Return of how many records all conditions hold, whatever is not known of them together.

    Of blocks of s records, a and b of which meet the two conditions, at least a + b - s meet both. Of single records
    that is the plain *and*.

    Examples
    --------
    >>> ill, old = (Truth(np.array([found]), np.array([found]), np.array([4])) for found in (3, 2))
    >>> both = combine_all([ill, old])
    >>> both.low.tolist(), both.high.tolist()
    ([1], [2])
    """
    first = truths[0]
    low = sum((truth.low for truth in truths[1:]), start=first.low) - (len(truths) - 1) * first.most
    high = np.minimum.reduce([truth.high for truth in truths])
    return Truth(np.maximum(low, 0), high, first.sizes)


def combine_any(truths: Sequence[Truth]) -> Truth:
    """Return of how many records at least one condition holds, whatever is not known of them together.

    Examples
    --------
    >>> ill, old = (Truth(np.array([found]), np.array([found]), np.array([4])) for found in (3, 2))
    >>> some = combine_any([ill, old])
    >>> some.low.tolist(), some.high.tolist()
    ([3], [4])
    """
    return ~combine_all([~truth for truth in truths])
