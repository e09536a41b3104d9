"""What an interval costs for each event it covers, in whole numbers."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["LARGEST_LOSS", "Prices", "join_nodes", "set_prices"]

# Losses stay below this, so that the sum of two never leaves 64 bits; it also stands for "impossible".
LARGEST_LOSS = 1 << 62
_LARGEST_ROUNDING = Fraction(1, 100)

NO_NODES: NDArray[np.int32] = np.empty(0, np.int32)
NO_LEAVES: NDArray[np.int64] = np.empty(0, np.int64)


class Prices(NamedTuple):
    """What an interval costs per event covered: ``time * length + leaf * leaves below its category``.

    Whole numbers, so that equal losses are equal however they were summed up, and a lower bound never exceeds
    the loss it bounds by a rounding error.

    Attributes
    ----------
    time, leaf
        Price of one unit of length and of one leaf; with a leaf price of 0 categories are not looked at.
    whole
        Price of an interval as long as the data with the root as its category: a loss of 1.
    parent, leaves, depth
        The hierarchy of events, by node: the parent (-1 for the root), the leaves below, the steps from the root.
    """

    time: int
    leaf: int
    whole: int
    parent: NDArray[np.int32]
    leaves: NDArray[np.int64]
    depth: NDArray[np.int32]


def set_prices(
    wt: float,
    we: float,
    span: int,
    events: int,
    parent: NDArray[np.int32] = NO_NODES,
    leaves: NDArray[np.int64] = NO_LEAVES,
) -> Prices:
    """Turn the weights of time and of events into the smallest whole numbers in the same proportion.

    Parameters
    ----------
    wt, we
        Weights of time and of events, not negative and not both zero.
    span
        Length of the time covered by the data, by which lengths are normalised.
    events
        How many monitored events there are in all: with many, prices are rounded so that losses fit 64 bits.
    parent, leaves
        The hierarchy of events; not needed when `we` is 0.

    Raises
    ------
    OverflowError
        If 64 bits do not hold the losses even so; times of a coarser resolution will do.
    ValueError
        If a weight is negative, both are zero, or events have a weight but no hierarchy.

    Examples
    --------
    >>> set_prices(1, 0, span=100, events=5)[:3]
    (1, 0, 100)
    >>> set_prices(1, 0.5, 100, 5, np.array([2, 2, -1], np.int32), np.array([1, 1, 2]))[:3]
    (1, 25, 150)
    """
    if min(wt, we) < 0 or wt + we == 0:
        raise ValueError("weights must not be negative, and one of them must be positive")
    if we > 0 and leaves.size == 0:
        raise ValueError("events have a weight but no hierarchy")
    below = int(leaves.max(initial=1))
    time, leaf = Fraction(repr(float(wt))) * below, Fraction(repr(float(we))) * max(1, span)
    shared = Fraction(*_find_common_measure(time, leaf))
    largest = (time * max(1, span) + leaf * below) * max(1, events)
    if largest / shared >= LARGEST_LOSS:
        shared = largest / (LARGEST_LOSS - events * (max(1, span) + below))
    prices = round(time / shared), round(leaf / shared)
    if any(abs(price * shared - exact) > exact * _LARGEST_ROUNDING for price, exact in zip(prices, (time, leaf), strict=True)):
        raise OverflowError("losses need more than 64 bits: use times of a coarser resolution")
    return Prices(
        *prices,
        whole=prices[0] * span + prices[1] * below,
        parent=np.ascontiguousarray(parent, np.int32),
        leaves=np.ascontiguousarray(leaves, np.int64),
        depth=_measure_depths(parent),
    )
