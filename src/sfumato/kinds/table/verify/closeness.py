"""How far the sensitive values of every class are from those of all records, counted anew from the definitions.

The distance is the least work that moves the distribution P of a class to the distribution Q of all records (the earth
mover's distance), where moving a share from one value to another costs:

- equal: 1 between any two values. It is half the sum of |p(v) - q(v)|.
- ordered: the steps between them, of m - 1 from the lowest to the highest of the m values that occur. It is the sum
  over i of |p(1) - q(1) + ... + p(i) - q(i)|, over m - 1.
- hierarchical: the height of their lowest common ancestor, of that of the tree. At an inner node of height h, what its
  children have too much is moved to those that have too little, as far as the smaller of the two goes; it costs h / H.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from sfumato.kinds.table.dataset import MISSING
from sfumato.kinds.table.verify.diversity import SLACK, ClassValues, Judged
from sfumato.progress import track

__all__ = ["judge_closeness", "measure_equal", "measure_hierarchical", "measure_ordered"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_CELLS = 1 << 22
"""Pairs of classes and values looked at in one go."""


def judge_closeness(distances: Floats, t: float) -> Judged:
    """Find the class that is farthest away.

    Examples
    --------
    >>> judge_closeness(np.array([0.1, 0.25]), 0.2)
    Judged(measured={'t': 0.25}, worst=1, holds=False)
    """
    worst = int(np.argmax(distances))
    return Judged({"t": round(float(distances[worst]), 6)}, worst, bool(distances[worst] <= t + SLACK))


def measure_equal(values: ClassValues) -> Floats:
    """Measure every class where any two values are equally far apart.

    Examples
    --------
    >>> four = ClassValues(*np.array([[0, 1, 1], [0, 0, 1], [2, 1, 1]]), np.array([2, 2]), ("cold", "flu"))
    >>> measure_equal(four).tolist()
    [0.25, 0.25]
    """
    classes, overall = len(values.sizes), values.overall[values.value]
    inside = np.bincount(values.group, np.abs(values.share - overall), minlength=classes)
    covered = np.bincount(values.group, overall, minlength=classes)
    # Values that a class does not have differ by all of their share.
    return np.asarray((inside + np.maximum(1 - covered, 0)) / 2)


def measure_ordered(values: ClassValues, order: list[str]) -> Floats:
    """Measure every class where values lie in an order; ``order`` lists those that occur.

    Examples
    --------
    >>> four = ClassValues(*np.array([[0, 1, 1], [0, 0, 2], [2, 1, 1]]), np.array([2, 2]), ("low", "mid", "top"))
    >>> measure_ordered(four, ["low", "mid", "top"]).tolist()
    [0.25, 0.25]
    """
    place = {label: at for at, label in enumerate(order)}
    at = np.array([place[str(label)] for label in values.labels], np.int64)
    distances = np.zeros(len(values.sizes))
    for first, apart in _spread(values, at, len(order)):
        moved = np.abs(np.cumsum(apart, axis=1)).sum(axis=1)
        distances[first : first + len(apart)] = moved / max(len(order) - 1, 1)
    return distances


def measure_hierarchical(values: ClassValues, parents: Mapping[str, str]) -> Floats:
    """Measure every class where values are leaves of a tree, given by the node above every node.

    Examples
    --------
    >>> four = ClassValues(*np.array([[0, 1, 1], [0, 1, 2], [2, 1, 1]]), np.array([2, 2]), ("a", "b", "c"))
    >>> measure_hierarchical(four, {"a": "A", "b": "A", "A": "*", "c": "*", "*": ""}).tolist()
    [0.375, 0.375]
    """
    nodes = _sort_upwards(parents)
    number = {label: at for at, label in enumerate(nodes)}
    height = [0] * len(nodes)
    for node, label in enumerate(nodes[:-1]):
        above = number[parents[label]]
        height[above] = max(height[above], height[node] + 1)
    at = np.array([number[str(label)] for label in values.labels], np.int64)
    distances = np.zeros(len(values.sizes))
    for first, extra in _spread(values, at, len(nodes)):
        too_much, too_little = np.zeros_like(extra), np.zeros_like(extra)
        for node, label in enumerate(nodes):
            moved = np.minimum(too_much[:, node], too_little[:, node])
            distances[first : first + len(extra)] += moved * height[node] / max(height[-1], 1)
            if parents[label] != MISSING:
                above = number[parents[label]]
                too_much[:, above] += np.maximum(extra[:, node], 0)
                too_little[:, above] += np.maximum(-extra[:, node], 0)
                extra[:, above] += extra[:, node]
    return distances


def _sort_upwards(parents: Mapping[str, str]) -> list[str]:
    """Return nodes so that each comes before the one above it, the root last."""
    below: dict[str, list[str]] = {}
    for label, above in parents.items():
        below.setdefault(above, []).append(label)
    nodes = list(below.get(MISSING, []))
    for label in nodes:
        nodes.extend(below.get(label, []))
    return nodes[::-1]


def _spread(values: ClassValues, at: Ints, width: int) -> Iterator[tuple[int, Floats]]:
    """Yield the first of some classes, and what each value has there more than in all records, in portions."""
    overall = np.zeros(width)
    np.add.at(overall, at, values.overall)
    step = max(1, _CELLS // max(width, 1))
    for first in track("compare values", range(0, len(values.sizes), step)):
        last = min(first + step, len(values.sizes))
        low, high = np.searchsorted(values.group, [first, last])
        apart = np.tile(-overall, (last - first, 1))
        np.add.at(apart, (values.group[low:high] - first, at[values.value[low:high]]), values.share[low:high])
        yield first, apart
