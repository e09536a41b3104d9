"""Random numbers with heavy tails."""

import numpy as np
import numpy.typing as npt

__all__ = ["accumulate_zipf", "draw_long_tailed", "pick"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

_TAIL = 1.6  # exponent of the lengths of records: most are short, a few very long


def draw_long_tailed(uniform: Floats, mean: float, largest: int) -> Longs:
    """Draw lengths of records from a power law, from 1 to the largest, with the wanted mean.

    Examples
    --------
    >>> draw_long_tailed(np.array([0.0, 0.5, 0.9, 0.9999]), mean=8.0, largest=1000).tolist()
    [1, 3, 16, 1000]
    """
    steps = np.arange(1, largest, dtype=np.float64)
    low, high = -30.0, 100.0
    for _ in range(80):
        scale = float(np.exp((low + high) / 2))
        # The mean of a whole number is the sum of the chances to reach 1, 2, and so on.
        if 1.0 + ((1.0 + steps / scale) ** -_TAIL).sum() < mean:
            low = (low + high) / 2
        else:
            high = (low + high) / 2
    beyond_first = scale * ((1.0 - uniform) ** (-1.0 / _TAIL) - 1.0)
    return 1 + np.minimum(beyond_first, largest - 1.0).astype(np.int64)


def accumulate_zipf(count: int, skew: float) -> Floats:
    """Return the cumulative weights of ranks 1 to count by Zipf's law.

    Examples
    --------
    >>> accumulate_zipf(3, 1.0).round(2).tolist()
    [1.0, 1.5, 1.83]
    """
    return np.cumsum(np.arange(1, count + 1, dtype=np.float64) ** -skew)


def pick(cumulative: Floats, uniform: Floats) -> Ints:
    """Draw indices with the given cumulative weights.

    Examples
    --------
    >>> pick(np.array([1.0, 1.5, 1.75]), np.array([0.1, 0.6, 0.9])).tolist()
    [0, 1, 2]
    """
    index = np.searchsorted(cumulative, uniform * cumulative[-1], side="right")
    picked: Ints = np.minimum(index, cumulative.size - 1).astype(np.int32)
    return picked
