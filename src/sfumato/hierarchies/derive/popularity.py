"""Hierarchies that group labels of similar frequency."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.hierarchies.derive import balanced
from sfumato.hierarchies.hierarchy import Hierarchy

__all__ = ["order_by_popularity"]


def order_by_popularity(labels: Sequence[str], counts: Sequence[int], fanout: int) -> Hierarchy:
    """Group labels from the most frequent to the rarest, so that no node has more than ``fanout`` children.

    Rare labels are then generalised with rare ones, and frequent ones may stay unchanged. Equally frequent labels are
    in alphabetical order.

    Examples
    --------
    >>> order_by_popularity(["salt", "milk", "beer", "wine"], [1, 9, 2, 2], fanout=2)
    Hierarchy below *: 4 of 7 nodes are leaves, height 2
    *
      g/0
        milk
        beer
      g/1
        wine
        salt
    """
    ranked = sorted(zip(labels, counts, strict=True), key=lambda pair: (-pair[1], pair[0]))
    return balanced([label for label, _ in ranked], fanout)
