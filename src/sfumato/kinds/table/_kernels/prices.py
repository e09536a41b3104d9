"""What it costs to publish values together: NCP of pairs of records, and of the hulls of classes.

Values of an attribute are numbered so that neighbours are consecutive; -1 is a missing one. Every attribute then has a
price of the values from ``a`` to ``b`` that can only grow when the span grows:

- a range costs its share of the column's range;
- below a tree, the lowest common ancestor of ``a`` and ``b`` is the largest of those of neighbours between them, so the
  price is the largest step from one value to the next, found in constant time in a table of largest steps;
- two labels without a tree cost two of all labels, a step that is everywhere the same; a class pays for all it has.

Missing among missing costs nothing, missing with anything else the whole weight of the attribute.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["RANGE", "SET", "TREE", "Space", "build_space", "price_pair", "price_records", "take_rows"]

RANGE, TREE, SET = 0, 1, 2


class Space(NamedTuple):
    """Records as numbered values, and what values cost together; make one with :func:`build_space`.

    Attributes
    ----------
    codes
        By record and attribute: the number of the value, -1 for a missing one.
    form, size, weight
        By attribute: whether values are published as ranges, nodes of a tree or sets; how many values there are; what
        the whole domain costs.
    scale
        By attribute: what one unit on the axis costs; 0 where there is no axis.
    start, flat
        Where an attribute begins in `flat`: its axis, or its largest steps over 1, 2, 4, ... neighbours.
    level
        By distance of two numbers: which of the largest steps to look at.

    Examples
    --------
    >>> space = build_space(np.array([[0], [1], [-1]]), [RANGE], [np.array([20.0, 30.0])], [1.0])
    >>> space.codes.shape, space.size.tolist()
    ((3, 1), [2])
    """

    codes: NDArray[np.int32]
    form: NDArray[np.int64]
    size: NDArray[np.int64]
    weight: NDArray[np.float64]
    scale: NDArray[np.float64]
    start: NDArray[np.int64]
    flat: NDArray[np.float64]
    level: NDArray[np.int64]


def build_space(
    codes: NDArray[np.int32],
    forms: Sequence[int],
    values: Sequence[NDArray[np.float64]],
    weights: Sequence[float],
) -> Space:
    """Lay out records for the kernels.

    Parameters
    ----------
    codes
        By record and attribute: the number of the value, -1 for a missing one.
    forms
        `RANGE`, `TREE` or `SET`, by attribute.
    values
        Of a range: where its values lie, rising. Else: the share of all leaves, or labels, that a value and the next
        one have together; one less than there are values.
    weights
        What the whole domain of an attribute costs.

    Examples
    --------
    >>> animals = np.array([0.4, 1.0, 0.6])  # cat and dog are 2 of 5 leaves, dog and ant have only the root in common
    >>> space = build_space(np.array([[0], [1], [2], [3]]), [TREE], [animals], [1.0])
    >>> price_pair(space, 0, 0, 1), price_pair(space, 0, 1, 3)
    (0.4, 1.0)
    """
    flat, start, size, scale, at = [], [], [], [], 0
    for form, given, weight in zip(forms, values, weights, strict=True):
        numbers = np.asarray(given, np.float64)
        part = numbers if form == RANGE else np.concatenate([level * weight for level in _largest_steps(numbers)])
        span = float(numbers[-1] - numbers[0]) if form == RANGE and len(numbers) else 0.0
        flat.append(part)
        start.append(at)
        size.append(len(numbers) + (form != RANGE))
        scale.append(weight / span if span > 0 else 0.0)
        at += len(part)
    widest = max([*size, 2])
    return Space(
        np.ascontiguousarray(codes, np.int32),
        np.array(forms, np.int64),
        np.array(size, np.int64),
        np.array(weights, np.float64),
        np.array(scale, np.float64),
        np.array(start, np.int64),
        np.concatenate([*flat, np.zeros(1)]),
        np.array([max(distance.bit_length() - 1, 0) for distance in range(widest)], np.int64),
    )


def _largest_steps(steps: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the largest of 1, 2, 4, ... steps from every one, each row as long as there are values."""
    row = np.append(steps, 0.0)
    rows, span = [row], 1
    while 2 * span <= len(steps):
        row = np.maximum(row, np.append(row[span:], np.zeros(span)))
        rows.append(row)
        span *= 2
    return rows


def take_rows(space: Space, rows: NDArray[np.int64]) -> Space:
    """Return the space of some records, at the same prices.

    Examples
    --------
    >>> space = build_space(np.array([[0], [1], [-1]]), [RANGE], [np.array([20.0, 30.0])], [1.0])
    >>> take_rows(space, np.array([2, 0])).codes.ravel().tolist()
    [-1, 0]
    """
    return space._replace(codes=np.ascontiguousarray(space.codes[rows]))


@njit(cache=True, nogil=True)
def price_pair(space: Space, d: int, a: int, b: int) -> float:
    """Price two values of an attribute that are published together.

    Examples
    --------
    >>> space = build_space(np.array([[0], [2]]), [RANGE], [np.array([20.0, 25.0, 40.0])], [2.0])
    >>> price_pair(space, 0, 0, 1), price_pair(space, 0, -1, 1), price_pair(space, 0, -1, -1)
    (0.5, 2.0, 0.0)
    """
    if a == b:
        return 0.0
    if a < 0 or b < 0:
        return float(space.weight[d])
    low, high = min(a, b), max(a, b)
    at = space.start[d]
    if space.form[d] == RANGE:
        price = (space.flat[at + high] - space.flat[at + low]) * space.scale[d]
    else:
        level = space.level[high - low]
        at += level * space.size[d]
        price = max(space.flat[at + low], space.flat[at + high - (1 << level)])
    return float(min(price, space.weight[d]))


@njit(cache=True, nogil=True)
def price_records(space: Space, record: NDArray[np.int32], other: NDArray[np.int32]) -> float:
    """Price two records that are published alike: the sum over their attributes, in the order of the columns.

    Examples
    --------
    >>> codes = np.array([[0, 0], [1, 1]], np.int32)
    >>> space = build_space(codes, [RANGE, SET], [np.array([20.0, 30.0, 40.0]), np.array([0.5, 0.5, 0.5])], [1.0, 1.0])
    >>> price_records(space, space.codes[0], space.codes[1])
    1.0
    """
    total = 0.0
    for d in range(record.size):
        total += price_pair(space, d, record[d], other[d])
    return total
