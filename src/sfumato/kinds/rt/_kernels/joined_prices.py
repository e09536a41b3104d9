"""What a cluster would cost together with each of the others."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.table._kernels.class_bounds import ClassBounds, price_class, price_joined
from sfumato.kinds.table._kernels.prices import Space

__all__ = ["price_clusters", "price_with_seed"]


@njit(cache=True, nogil=True)
def price_clusters(space: Space, bounds: ClassBounds) -> NDArray[np.float64]:
    """Price what every cluster publishes of one record.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.class_bounds import bound_classes
    >>> from sfumato.kinds.table._kernels.prices import RANGE, build_space
    >>> space = build_space(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> price_clusters(space, bound_classes(space, np.array([0, 0, 1]), 2)).tolist()
    [0.25, 0.0]
    """
    prices = np.zeros(bounds.records.size)
    for cluster in range(prices.size):
        prices[cluster] = price_class(space, bounds, cluster)
    return prices


@njit(cache=True, nogil=True)
def price_with_seed(space: Space, bounds: ClassBounds, wanted: NDArray[np.bool_], seed: int) -> NDArray[np.float64]:
    """Price one record of a cluster together with each wanted one; infinite for all others.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.class_bounds import bound_classes
    >>> from sfumato.kinds.table._kernels.prices import RANGE, build_space
    >>> space = build_space(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> bounds = bound_classes(space, np.array([0, 1, 2]), 3)
    >>> price_with_seed(space, bounds, np.array([False, True, True]), 0).tolist()
    [inf, 0.25, 1.0]
    """
    prices = np.full(wanted.size, np.inf)
    for cluster in range(wanted.size):
        if wanted[cluster]:
            prices[cluster] = price_joined(space, bounds, seed, cluster)
    return prices
