"""What an interval costs for each event it covers, in whole numbers that are compared without rounding."""

from fractions import Fraction
from math import gcd
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["LARGEST_LOSS", "Prices", "is_less", "join_nodes", "measure_depths", "set_prices"]

# Losses stay below this, so that the sum of two never leaves 64 bits; it also stands for "impossible".
LARGEST_LOSS = 1 << 62
_LARGEST_ROUNDING = Fraction(1, 100)
_CLOSE = 1e-14  # floats that differ by more, in proportion, come from fractions that differ the same way

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

    Examples
    --------
    >>> prices = set_prices(1, 0, span=100, events=5)
    >>> prices.time * 25 / prices.whole
    0.25
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
    extent, below = max(1, span), int(leaves.max(initial=1))
    time, leaf = Fraction(repr(float(wt))) * below, Fraction(repr(float(we))) * extent
    measure = _find_common_measure(time, leaf)
    # Rounding down, so that what fits before still fits after.
    measure = max(measure, (time * extent + leaf * below) * max(1, events) / (LARGEST_LOSS - 1))
    prices = time // measure, leaf // measure
    for price, exact in zip(prices, (time, leaf), strict=True):
        if exact - price * measure > exact * _LARGEST_ROUNDING:
            raise OverflowError("losses need more than 64 bits: use times of a coarser resolution")
    return Prices(
        *prices,
        whole=prices[0] * span + prices[1] * below,
        parent=np.ascontiguousarray(parent, np.int32),
        leaves=np.ascontiguousarray(leaves, np.int64),
        depth=measure_depths(parent),
    )


def _find_common_measure(fraction: Fraction, other: Fraction) -> Fraction:
    """Find the largest number of which both are whole multiples."""
    numerator = gcd(fraction.numerator * other.denominator, other.numerator * fraction.denominator)
    return Fraction(numerator, fraction.denominator * other.denominator)


def measure_depths(parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Count the steps from every node to the root; nodes may be in any order.

    Examples
    --------
    >>> measure_depths(np.array([3, 3, 4, 4, -1], np.int32)).tolist()
    [2, 2, 1, 1, 0]
    """
    depth = np.zeros(parent.size, np.int32)
    above = np.array(parent)
    while (climbing := above >= 0).any():
        depth[climbing] += 1
        above[climbing] = parent[above[climbing]]
        if depth.max() > parent.size:
            raise ValueError("the hierarchy has a cycle")
    return depth


@njit(cache=True, nogil=True)
def join_nodes(node: int, other: int, prices: Prices) -> int:
    """Find the lowest node above both.

    Examples
    --------
    >>> tree = set_prices(1, 1, 1, 1, np.array([3, 3, 4, 4, -1], np.int32), np.array([1, 1, 1, 2, 3]))
    >>> int(join_nodes(0, 1, tree)), int(join_nodes(1, 2, tree)), int(join_nodes(2, 2, tree))
    (3, 4, 2)
    """
    while node != other:
        if prices.depth[node] >= prices.depth[other]:
            node = prices.parent[node]
        else:
            other = prices.parent[other]
    return node


@njit(cache=True, nogil=True)
def is_less(amount: int, amount_parts: int, other: int, other_parts: int) -> bool:
    """Whether amount / amount_parts < other / other_parts, exactly; all are at least 0 and the parts above 0.

    Examples
    --------
    >>> is_less(1, 3, 2, 5), is_less(2, 6, 1, 3)
    (True, False)
    """
    near, far = amount / amount_parts, other / other_parts
    if abs(near - far) > _CLOSE * (near + far):
        return near < far
    # Whole parts decide; if they agree, the remainders are compared, upside down.
    while True:
        whole, other_whole = amount // amount_parts, other // other_parts
        if whole != other_whole:
            return whole < other_whole
        amount -= whole * amount_parts
        other -= other_whole * other_parts
        if amount == 0 or other == 0:
            return amount < other
        amount, amount_parts, other, other_parts = other_parts, other, amount_parts, amount
