"""Fuzzy intervals and volumes as plain sets of time points; relations read off the statements about these sets.

Corners are whole numbers, so that half steps tell all sets apart: an open stretch between neighbours is its middle.
"""

from itertools import product

HALVES = [number / 2 for number in range(-1, 14)]

INVERSES = {
    "before": "after",
    "meets": "met_by",
    "overlaps": "overlapped_by",
    "starts": "started_by",
    "during": "contains",
    "finishes": "finished_by",
}


def sets_of(corners):
    """Return the interior, the boundary and the closure of an interval with these four corners."""
    a, b, c, d = corners
    interior = {t for t in HALVES if b < t < c}
    closure = {t for t in HALVES if a <= t <= d}
    return interior, closure - interior, closure


def is_before(earlier, later):
    """Every point of the one set lies before every point of the other."""
    return all(x < y for x in earlier for y in later)


def seven_relations(one, other):
    """Return which of the seven printed statements hold of two intervals; `overlaps` as corrected."""
    (inside_a, edge_a, all_a), (inside_b, edge_b, all_b) = sets_of(one), sets_of(other)
    share = bool(inside_a & inside_b)
    only_a, only_b = inside_a - all_b, inside_b - all_a
    statements = {
        "before": is_before(all_a, all_b),
        "meets": bool(edge_a & edge_b) and is_before(inside_a, inside_b),
        "overlaps": share and bool(only_a) and bool(only_b) and is_before(only_a, only_b),
        "starts": share and not only_a and bool(only_b) and is_before(all_a, only_b),
        "during": all_a <= inside_b,
        "finishes": share and not only_a and bool(only_b) and is_before(only_b, all_a),
        "equals": share and inside_a <= all_b and inside_b <= all_a,
    }
    return {name for name, holds in statements.items() if holds}


def all_relations(one, other):
    """Return which of the thirteen relations hold of two intervals."""
    inverse = {INVERSES[name] for name in seven_relations(other, one) if name != "equals"}
    return seven_relations(one, other) | inverse


def overlaps_as_printed(one, other):
    """The statement of `overlaps` in the paper's words: what only A has lies before all of A."""
    (inside_a, _, all_a), (inside_b, _, all_b) = sets_of(one), sets_of(other)
    only_a, only_b = inside_a - all_b, inside_b - all_a
    return bool(inside_a & inside_b) and bool(only_a) and bool(only_b) and is_before(only_a, all_a)


def allens_relation(start_a, end_a, start_b, end_b):
    """Return Allen's relation of two exact intervals, by the order of their ends."""
    if end_a < start_b or end_b < start_a:
        return "before" if end_a < start_b else "after"
    if end_a == start_b or end_b == start_a:
        return "meets" if end_a == start_b else "met_by"
    if (start_a, end_a) == (start_b, end_b):
        return "equals"
    if start_a == start_b:
        return "starts" if end_a < end_b else "started_by"
    if end_a == end_b:
        return "finishes" if start_a > start_b else "finished_by"
    if start_a < start_b:
        return "overlaps" if end_a < end_b else "contains"
    return "during" if end_a < end_b else "overlapped_by"


def seven_volume_relations(one, other):
    """Return which of the seven printed statements about volumes hold; a volume is a mapping of places to corners."""
    shared = [place for place in one if place in other]
    local = {place: all_relations(one[place], other[place]) for place in shared}
    inside_a, inside_b = ({(s, t) for s in shared for t in sets_of(volume[s])[0]} for volume in (one, other))

    def everywhere(name):
        return all(name in local[place] for place in shared)

    def somewhere(name):
        return any(name in local[place] for place in shared)

    overlaps = somewhere("overlaps")
    paired = any("finishes" in local[s] and "starts" in local[t] for s, t in product(shared, shared) if s != t)
    equals = (somewhere("equals") or paired) and not overlaps
    # `starts` and `finishes` exclude each other; where both are found, neither stands for the whole.
    statements = {
        "before": everywhere("before"),
        "during": everywhere("during"),
        "meets": somewhere("meets") and not inside_a & inside_b,
        "starts": everywhere("starts") or (somewhere("starts") and not somewhere("finishes") and not equals),
        "finishes": everywhere("finishes") or (somewhere("finishes") and not somewhere("starts") and not equals),
        "equals": equals,
        "overlaps": overlaps,
    }
    return {name for name, holds in statements.items() if holds}


def thirteen_as_printed(one, other):
    """The seven statements for A and B, and six of them for B and A; equality is asked one way only."""
    inverse = {INVERSES[name] for name in seven_volume_relations(other, one) if name != "equals"}
    return seven_volume_relations(one, other) | inverse


def thirteen_both_ways(one, other):
    """The same, with volumes equal if the statement holds of A and B or of B and A."""
    equal = {"equals"} & seven_volume_relations(other, one)
    return thirteen_as_printed(one, other) | equal
