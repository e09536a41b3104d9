"""Hierarchies that are derived from the data instead of read: ``grid:4``, ``quadtree:8``, ``balanced:5``."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

from sfumato.core.errors import ParameterError, SchemaError
from sfumato.core.hierarchy import Hierarchy, derive
from sfumato.core.hierarchy.popularity import order_by_popularity

__all__ = ["derive_by_popularity", "derive_hierarchy"]

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)
_RULE = re.compile(r"(grid|quadtree|balanced):(\d{1,6})")


def derive_hierarchy(rule: str, labels: list[str], places: pa.Table | None) -> Hierarchy | None:
    """Derive a hierarchy as a rule says, or return None where the text is no such rule but a file.

    ``grid:4`` halves the map four times each way, ``quadtree:8`` quarters it until no square has more than eight
    places, ``balanced:5`` groups the labels in their natural order (numbers by size, then
    text by its letters) with at most five children a node.

    Examples
    --------
    >>> derive_hierarchy("balanced:2", ["b", "a", "c"], None).height
    2
    >>> derive_hierarchy("balanced:2", ["10", "b", "9", "a"], None).leaf_labels
    ('9', '10', 'a', 'b')
    >>> derive_hierarchy("places.csv", ["a"], None) is None
    True
    """
    found = _RULE.fullmatch(rule)
    if found is None:
        return None
    kind, number = found[1], int(found[2])
    if number < (1 if kind == "quadtree" else 2) and not (kind == "grid" and number == 1):
        raise ParameterError(f"reading: hierarchy {kind}:{number} needs a larger number.")
    if kind == "balanced":
        return derive.balanced(sorted(labels, key=_natural_key), number)
    if places is None or "x" not in places.column_names:
        raise SchemaError(f"reading: hierarchy {kind}:{number} needs coordinates of the places.")
    x, y = (places.column(axis).to_numpy() for axis in ("x", "y"))
    build = derive.grid if kind == "grid" else derive.quadtree
    return build(labels, x, y, number)


def _natural_key(label: str) -> tuple[bool, float, str]:
    """Put numbers by size before text; ``5`` and ``05``, which are equally large, by their spelling."""
    if not _NUMBER.fullmatch(label):
        return True, 0, label
    return False, int(label) if "." not in label else float(label), label


def derive_by_popularity(rule: str, labels: Sequence[str], counts: Sequence[int]) -> Hierarchy | None:
    """Derive a hierarchy from how frequent labels are, or return None where the text is no such rule.

    ``popular:2`` groups the labels from the most frequent to the rarest, with at most two children a node.

    Examples
    --------
    >>> derive_by_popularity("popular:2", ["a", "b", "c"], [1, 5, 3]).leaf_labels
    ('b', 'c', 'a')
    >>> derive_by_popularity("balanced:2", ["a"], [1]) is None
    True
    """
    found = re.fullmatch(r"popular:(\d{1,6})", rule)
    if found is None:
        return None
    if int(found[1]) < 2:
        raise ParameterError(f"reading: hierarchy {rule} needs a larger number.")
    return order_by_popularity(labels, counts, int(found[1]))
