"""Room beside subrecords that do not fit everywhere, by Hall's condition over the sets of leaves they fit.

Subrecords that fit the same leaves are one pattern. Records of any k can be kept free in a leaf, and all subrecords
still find records of their own, exactly if for every choice of patterns their subrecords and k more are at most the
records of the leaves that one of them fits.

References
----------
Hall, "On Representatives of Subsets", 1935.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["MOST_PATTERNS", "Patterns", "add_pattern", "has_capacity", "make_patterns"]

MOST_PATTERNS = 12
"""With more there are too many choices; there is no telling then whether there is room."""


class Patterns(NamedTuple):
    """Which leaves subrecords fit, and how many subrecords have to be put there.

    Attributes
    ----------
    fits
        By pattern and leaf.
    supply
        By pattern: the subrecords.
    number
        One number: how many patterns there are.
    """

    fits: NDArray[np.bool_]
    supply: NDArray[np.int64]
    number: NDArray[np.int64]


@njit(cache=True, nogil=True)
def make_patterns(leaves: int) -> Patterns:
    """Make room for patterns over some leaves."""
    return Patterns(
        np.zeros((MOST_PATTERNS, leaves), np.bool_), np.zeros(MOST_PATTERNS, np.int64), np.zeros(1, np.int64)
    )


@njit(cache=True, nogil=True)
def add_pattern(patterns: Patterns, fits: NDArray[np.bool_], supply: int) -> bool:
    """Add subrecords that fit some leaves; False if there are too many patterns. Those that fit everywhere are free.

    Examples
    --------
    >>> patterns = make_patterns(2)
    >>> add_pattern(patterns, np.array([True, False]), 3), add_pattern(patterns, np.array([True, True]), 3)
    (True, True)
    >>> patterns.supply[: patterns.number[0]].tolist()
    [3]
    """
    if fits.all():
        return True
    for i in range(patterns.number[0]):
        if _are_equal(patterns.fits[i], fits):
            patterns.supply[i] += supply
            return True
    if patterns.number[0] == MOST_PATTERNS:
        return False
    patterns.fits[patterns.number[0]] = fits
    patterns.supply[patterns.number[0]] = supply
    patterns.number[0] += 1
    return True


@njit(cache=True, nogil=True)
def _are_equal(pattern: NDArray[np.bool_], other: NDArray[np.bool_]) -> bool:
    """Compare until something differs, without an array in between: patterns are compared millions of times."""
    for leaf in range(pattern.size):  # noqa: SIM110
        if pattern[leaf] != other[leaf]:
            return False
    return True


@njit(cache=True, nogil=True)
def has_capacity(patterns: Patterns, sizes: NDArray[np.int64], k: int) -> bool:
    """Tell whether k records can be kept free in any leaf that some subrecord fits, and all still find a place.

    Examples
    --------
    Two patterns of three subrecords, each with a leaf of its own of five records: together they would not fit in one.

    >>> patterns = make_patterns(2)
    >>> all(add_pattern(patterns, np.array(fits), 3) for fits in ([True, False], [False, True]))
    True
    >>> has_capacity(patterns, np.array([5, 5]), 2), has_capacity(patterns, np.array([5, 5]), 3)
    (True, False)
    """
    number = patterns.number[0]
    choices = 1 << number
    # Records of the leaves that only patterns of a choice fit, then of all leaves that none outside the choice fits.
    inside = np.zeros(choices, np.int64)
    for leaf in range(sizes.size):
        mask = 0
        for i in range(number):
            mask |= int(patterns.fits[i, leaf]) << i
        inside[mask] += sizes[leaf]
    for i in range(number):
        for choice in range(choices):
            if choice >> i & 1:
                inside[choice] += inside[choice ^ 1 << i]
    supply = np.zeros(choices, np.int64)
    for choice in range(1, choices):
        lowest = 0
        while not choice >> lowest & 1:
            lowest += 1
        supply[choice] = supply[choice & (choice - 1)] + patterns.supply[lowest]
        if supply[choice] + k > inside[choices - 1] - inside[choices - 1 - choice]:
            return False
    return True
