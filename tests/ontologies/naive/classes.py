"""Things that are the same, by walking along all links; and all pairs that a rule links."""

from __future__ import annotations


def find_classes(pairs):
    """Return the sets of things that can be reached from one another."""
    near = {}
    for a, b in pairs:
        near.setdefault(a, {a}).add(b)
        near.setdefault(b, {b}).add(a)
    classes, seen = [], set()
    for start in near:
        if start not in seen:
            reached, waiting = {start}, [start]
            while waiting:
                for other in near[waiting.pop()] - reached:
                    reached.add(other)
                    waiting.append(other)
            seen |= reached
            classes.append(frozenset(reached))
    return set(classes)


def match_all(left, right):
    """Return every pair of things whose values are equal."""
    return {(a, b) for key in left for a in left[key] for b in right.get(key, ()) if a != b}
