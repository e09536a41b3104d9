"""Sums that measures take of the partitions of a release, and how those of two partitions become one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["Facts", "Least", "Most", "PartialSums", "add_partial_sums"]

PartialSums = Mapping[str, Any]
"""What a measure counts, by name: numbers and arrays are added, and so on as :func:`add_partial_sums` says."""


class Most(float):
    """A number of which the largest counts.

    Examples
    --------
    >>> add_partial_sums({"longest": Most(3)}, {"longest": Most(5)})
    {'longest': 5.0}
    """


class Least(float):
    """A number of which the smallest counts.

    Examples
    --------
    >>> add_partial_sums({"smallest": Least(3)}, {"smallest": Least(5)})
    {'smallest': 3.0}
    """


class Facts(dict[Any, Any]):
    """What is known of things by name: it is the same wherever the thing occurs, and counts once.

    Examples
    --------
    >>> add_partial_sums({"sizes": Facts(ab=2)}, {"sizes": Facts(ab=2, cde=3)})
    {'sizes': {'ab': 2, 'cde': 3}}
    """


def add_partial_sums(partial: PartialSums, other: PartialSums) -> dict[str, Any]:
    """Return the sums of two partitions together; what only one of them has stays as it is.

    Numbers and arrays are added, sets united, lists laid one after the other, dictionaries added name by name.

    Examples
    --------
    >>> first = {"records": 2, "by": {"age": 1.5}, "rows": [1]}
    >>> add_partial_sums(first, {"records": 3, "by": {"age": 1.0}, "rows": [2]})
    {'records': 5, 'by': {'age': 2.5}, 'rows': [1, 2]}
    """
    merged = dict(partial)
    for name, value in other.items():
        merged[name] = _add(merged[name], value) if name in merged else value
    return merged


def _add(value: Any, other: Any) -> Any:
    if isinstance(value, Most | Least):
        return max(value, other) if isinstance(value, Most) else min(value, other)
    if isinstance(value, Facts):
        return Facts({**value, **other})
    if isinstance(value, dict):
        return add_partial_sums(value, other)
    if isinstance(value, set):
        return value | other
    if isinstance(value, np.ndarray) and value.shape != other.shape:
        raise ValueError(f"tallies of partitions must have the same shape, got {value.shape} and {other.shape}")
    return value + other
