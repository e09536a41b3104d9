"""Sharing out subrecords among clusters that are not all open to them."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import SchemaError

__all__ = ["ExpectedCounts"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_ROUNDS = 500
_TOLERANCE = 1e-9


@dataclasses.dataclass(frozen=True, eq=False)
class ExpectedCounts:
    """How many subrecords of each kind are expected in each leaf.

    Subrecords of a kind may go to the same leaves. Their expected numbers are in proportion to the leaves' sizes,
    with leaves that would get more than they have records held at their size; where that does not come out even,
    numbers of a maximum flow are taken as they are.

    Parameters
    ----------
    kind_of_row
        Kind of every subrecord.
    expected
        Expected number of subrecords of each kind (row) in each leaf (column).
    sizes
        Records of each leaf.
    first
        Number of the first leaf.
    is_open
        Which leaves each kind may go to.

    Examples
    --------
    >>> both_open = np.array([[True, True], [False, True]])
    >>> found = ExpectedCounts.of(both_open, np.array([0, 0, 1]), np.array([2, 2]), first=0)
    >>> found.expected.tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """

    kind_of_row: Ints
    expected: Floats
    sizes: Ints
    first: int
    is_open: Flags

    @classmethod
    def of(cls, is_open: Flags, kind_of_row: Ints, sizes: Ints, first: int) -> ExpectedCounts:
        """Find expected numbers that fit. Raise :class:`SchemaError` where there are none."""
        amounts = np.bincount(kind_of_row, minlength=len(is_open))
        expected = _in_proportion(is_open, amounts, sizes)
        if expected is None:
            expected = _by_flow(is_open, amounts, sizes)
        return cls(kind_of_row, expected, sizes, first, is_open)


def _in_proportion(is_open: Flags, amounts: Ints, sizes: Ints) -> Floats | None:
    """Share out by size, and by less than size where a leaf would get too much; None if that does not settle."""
    if not is_open.any(axis=1).all():
        return None
    weights = sizes.astype(np.float64)
    for _ in range(_ROUNDS):
        shares = is_open * weights
        expected: Floats = amounts[:, None] * shares / shares.sum(axis=1, keepdims=True)
        load = expected.sum(axis=0)
        if (load <= sizes * (1 + _TOLERANCE / 10)).all():
            return expected
        weights = weights * np.minimum(1.0, sizes / np.maximum(load, _TOLERANCE))
    return None


def _by_flow(is_open: Flags, amounts: Ints, sizes: Ints) -> Floats:
    """Find whole numbers that fit by a maximum flow from kinds to leaves."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    kinds, leaves = is_open.shape
    source, sink = kinds + leaves, kinds + leaves + 1
    kind, leaf = np.nonzero(is_open)
    tails = np.concatenate([np.full(kinds, source), kind, kinds + np.arange(leaves)])
    heads = np.concatenate([np.arange(kinds), kinds + leaf, np.full(leaves, sink)])
    limits = np.concatenate([amounts, amounts[kind], sizes]).astype(np.int32)
    network = csr_array((limits, (tails, heads)), shape=(sink + 1, sink + 1))
    flow = maximum_flow(network, source, sink)
    if flow.flow_value < amounts.sum():
        raise SchemaError(
            "No data can have led to this release: a shared chunk has more subrecords than its clusters have records.",
            hint="Verify the release first.",
        )
    numbers: Floats = flow.flow.toarray()[:kinds, kinds : kinds + leaves].astype(np.float64)
    return numbers
