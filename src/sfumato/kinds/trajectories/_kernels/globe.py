"""Distances along the surface of a globe, from straight lines through it.

Only sums, products and square roots are used, which come out the same on every machine; the arc sine of a library
does not.
"""

import numpy as np
from numba import njit

__all__ = ["measure_arc"]

_QUARTER_TURN = np.pi / 2
# (asin(t) / t - 1) / t^2 as a polynomial in t^2 up to t = 1/2, highest power first, interpolated at
# Chebyshev nodes: the angle is off by less than 1e-15.
_SERIES = (
    0.027829256924715908,
    -0.006769180297851564,
    0.015416738661852756,
    0.010298139331015673,
    0.014139391270212145,
    0.017337369860880168,
    0.022372997479206697,
    0.03038191801571925,
    0.04464285756665667,
    0.0749999999973843,
    0.16666666666666918,
)


@njit(cache=True, nogil=True)
def measure_arc(chord: float, diameter: float) -> float:
    """Return the way along the surface between two points, given the straight line between them.

    Examples
    --------
    >>> round(measure_arc(1.0, 1.0) / np.pi, 12), measure_arc(0.0, 1.0)
    (0.5, 0.0)
    """
    sine = min(chord / diameter, 1.0)
    # Beyond a sixth of a turn, the angle is a quarter of a turn less twice that of a smaller sine.
    is_wide = sine > 0.5
    square = (1.0 - sine) * 0.5 if is_wide else sine * sine
    series = 0.0
    for coefficient in _SERIES:
        series = series * square + coefficient
    root = np.sqrt(square)
    angle = root + root * square * series
    arc: float = diameter * (_QUARTER_TURN - 2.0 * angle if is_wide else angle)
    return arc
