"""Plain twins of the taxonomy distance and of the groups formed by it: everything is tried, in fractions."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import inf

from tests.kinds.sequences.naive.covers import count_events, price_of
from tests.kinds.sequences.naive.time_groups import fulfils


def list_leaves(node, parent):
    """The leaves below a node; leaves are the nodes that are nobody's parent."""
    children = [child for child, above in enumerate(parent) if above == node]
    return {leaf for child in children for leaf in list_leaves(child, parent)} if children else {node}


def event_distance(one, other, parent):
    """Definition 4 as it stands: the cheapest set of categories that covers all events, each category hit by both."""
    a, b = Counter(one), Counter(other)
    if not a or not b:
        return 0 if not a and not b else inf
    below = {node: list_leaves(node, parent) for node in range(len(parent))}
    total = len(below[list(parent).index(-1)])
    usable = [node for node in below if below[node] & set(a) and below[node] & set(b)]
    best = inf
    for size in range(1, len(usable) + 1):
        for categories in combinations(usable, size):
            if not set(a) | set(b) <= set().union(*(below[node] for node in categories)):
                continue
            cost = sum(
                len(below[node]) * sum(m[e] for m in (a, b) for e in below[node] & set(m)) for node in categories
            )
            best = min(best, Fraction(cost, total * (a.total() + b.total())))
    return best


def event_distance_recursive(one, other, parent, node=None):
    """Algorithm 5 for any number of children, read literally; the cost is not yet divided."""
    node = list(parent).index(-1) if node is None else node
    if not one or not other:
        return 0 if not one and not other else inf
    children = [child for child, above in enumerate(parent) if above == node]
    cost = len(list_leaves(node, parent)) * (len(one) + len(other))
    if not children:
        return cost
    parts = []
    for child in children:
        below = list_leaves(child, parent)
        parts.append(([e for e in one if e in below], [e for e in other if e in below], child))
    if any(bool(a) != bool(b) for a, b, _ in parts):
        return cost
    return sum(event_distance_recursive(a, b, parent, child) for a, b, child in parts)


def distance(one, other, parent):
    """The distance of two people who did something."""
    leaves = len(list_leaves(list(parent).index(-1), parent))
    return Fraction(event_distance_recursive(one, other, parent), leaves * (len(one) + len(other)))


def split_by_events(people, events, parent):
    """PARTITION: about the first person and the farthest from them; one part when all did the same."""
    first = people[0]
    far = max(people, key=lambda person: distance(events[first], events[person], parent))  # the first of equals
    if set(map(frozenset, (events[person] for person in people))) == {frozenset(events[first])}:
        return [people]
    near = [
        person
        for person in people
        if distance(events[person], events[first], parent) < distance(events[person], events[far], parent)
    ]
    return [[*(person for person in near if person != first), first], [p for p in people if p not in near]]


def split_by_time(people, rank):
    """REFINE: two halves, the smaller first."""
    early = sorted(people, key=lambda person: rank[person])[: len(people) // 2]
    return [[person for person in people if person in early], [person for person in people if person not in early]]


def split_people(people, events, parent, rank, room, by_events=True):
    """Parts of fewer than `room` people."""
    if len(people) < room:
        return [people]
    halves = split_by_events(people, events, parent) if by_events else split_by_time(people, rank)
    return [part for half in halves for part in split_people(half, events, parent, rank, room, not by_events)]


def group_by_taxonomy(rows, pairs, parent, weights, span, demand, permutation, rank):
    """ET; rows are lists of (time, leaf), pairs lists of (event, time). None when there is no way."""
    k, l, g = demand
    people = [person for person in permutation if rows[person]]
    if not people or not fulfils(people, pairs, k, l, g):
        return None
    events = [[leaf for _, leaf in row] for row in rows]
    parts = split_people(people, events, parent, rank, 2 * max(k, l))
    groups = {min(part): frozenset(part) for part in parts}

    @cache
    def lose(union):
        members = [rows[person] for person in union]
        times = sorted({time for row in members for time, _ in row})
        best = [Fraction(0)]
        for end in range(1, len(times) + 1):
            prices = [price_of(times[begin:end], members, weights, span, parent) for begin in range(end)]
            best.append(min((best[i] + price for i, price in enumerate(prices) if price is not None), default=inf))
        return best[-1] / count_events(members)

    for number in sorted(groups):
        while number in groups and not fulfils(groups[number], pairs, k, l, g):
            rest = sorted(groups.keys() - {number})
            nearest = min(rest, key=lambda other: lose(groups[number] | groups[other]))
            union = groups.pop(number) | groups.pop(nearest)
            number = min(union)
            groups[number] = union
    return groups
