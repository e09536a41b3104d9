"""One parent for each, said as a sentence."""

from __future__ import annotations


def longest_way(above, node):
    """Return the longest way up from a node; there are no circles."""
    return max((1 + longest_way(above, high) for high in above[node]), default=0)


def choose_parent(above, node, choice):
    """Return the first parent, or of the farthest from the top the first."""
    if not above[node]:
        return None
    if choice == "first":
        return above[node][0]
    farthest = max(longest_way(above, high) for high in above[node])
    return next(high for high in above[node] if longest_way(above, high) == farthest)


def has_circle(above):
    """Tell whether somebody can come back to where they began."""

    def reach(node, target, seen):
        return any(
            high == target or (high not in seen and reach(high, target, seen | {high})) for high in above.get(node, ())
        )

    return any(reach(node, node, frozenset()) for node in above)
