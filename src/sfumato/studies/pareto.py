"""The risk-utility front: choices that no other choice beats in both."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["find_front"]


def find_front(risks: Sequence[float], values: Sequence[float], better: str = "lower") -> list[int]:
    """Return which points are on the front, in the order of rising risk; equal points are all on it or none is.

    Parameters
    ----------
    risks
        An attacker's success, lower being better.
    values
        What a measure gives.
    better
        Whether ``lower`` or ``higher`` values are better.

    Examples
    --------
    >>> find_front([0.5, 0.2, 0.2, 0.1], [0.1, 0.3, 0.4, 0.3])
    [3, 0]
    """
    costs = [value if better == "lower" else -value for value in values]
    order = sorted(range(len(costs)), key=lambda point: (risks[point], costs[point]))
    front: list[int] = []
    for point in order:
        if not front or costs[point] < costs[front[-1]] or _same(point, front[-1], risks, costs):
            front.append(point)
    return front


def _same(point: int, other: int, risks: Sequence[float], costs: Sequence[float]) -> bool:
    return risks[point] == risks[other] and costs[point] == costs[other]
