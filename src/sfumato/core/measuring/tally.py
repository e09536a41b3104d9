"""Sums that measures take of the parts of a release, and how those of two parts become one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["Facts", "Least", "Most", "Tally", "add_tallies"]

Tally = Mapping[str, Any]
"""What a measure counts, by name: numbers and arrays are added, and so on as :func:`add_tallies` says."""


class Most(float):
    """A number of which the largest counts.

    Examples
    --------
    >>> add_tallies({"longest": Most(3)}, {"longest": Most(5)})
    {'longest': 5.0}
    """


class Least(float):
    """A number of which the smallest counts.

    Examples
    --------
    >>> add_tallies({"smallest": Least(3)}, {"smallest": Least(5)})
    {'smallest': 3.0}
    """


class Facts(dict[Any, Any]):
    """What is known of things by name: it is the same wherever the thing occurs, and counts once.

    Examples
    --------
    >>> add_tallies({"sizes": Facts(ab=2)}, {"sizes": Facts(ab=2, cde=3)})
    {'sizes': {'ab': 2, 'cde': 3}}
    """


def add_tallies(one: Tally, other: Tally) -> dict[str, Any]:
    """Return the tally of two parts together; what only one of them has stays as it is.

    Numbers and arrays are added, sets united, lists laid one after the other, dictionaries added name by name.

    Examples
    --------
    >>> add_tallies({"records": 2, "by": {"age": 1.5}, "rows": [1]}, {"records": 3, "by": {"age": 1.0}, "rows": [2]})
    {'records': 5, 'by': {'age': 2.5}, 'rows': [1, 2]}
    """
    united = dict(one)
    for name, value in other.items():
        united[name] = _add(united[name], value) if name in united else value
    return united


def _add(one: Any, other: Any) -> Any:
    if isinstance(one, Most | Least):
        return max(one, other) if isinstance(one, Most) else min(one, other)
    if isinstance(one, Facts):
        return Facts({**one, **other})
    if isinstance(one, dict):
        return add_tallies(one, other)
    if isinstance(one, set):
        return one | other
    if isinstance(one, np.ndarray) and one.shape != other.shape:
        raise ValueError(f"tallies of parts must have the same shape, got {one.shape} and {other.shape}")
    return one + other
