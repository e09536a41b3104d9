"""Recoding of all records alike, by the book: every choice of levels is tried, classes are lists of row numbers."""

import itertools
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field

SLACK = 1e-10


@dataclass
class Asked:
    """What every class must keep; sensitive columns are lists of values, the tree of each maps child to parent."""

    k: int
    l: int = 1
    diversity: str = "distinct"
    c: float = 0.0
    t: float | None = None
    distance: str = "equal"
    presence: float | None = None
    sensitive: list = field(default_factory=list)
    trees: list = field(default_factory=list)
    population: list = field(default_factory=list)


def generalise(row, level_trees, levels):
    """Return what a row is published as; a ladder is a list of levels, each a list of nodes by value."""
    return tuple(level_tree[level][value] for value, level_tree, level in zip(row, level_trees, levels, strict=True))


def is_diverse(values, asked):
    counts = sorted(Counter(values).values(), reverse=True)
    if asked.diversity == "distinct":
        return len(counts) >= asked.l
    if asked.diversity == "entropy":
        shares = [count / sum(counts) for count in counts]
        return -sum(share * math.log(share) for share in shares) >= math.log(asked.l) - SLACK
    return counts[0] < asked.c * sum(counts[asked.l - 1 :])


def how_far(values, everybody, asked, tree):
    """Return the distance of the distribution of values from that of everybody's."""
    mine, all_of = Counter(values), Counter(everybody)
    extra = {v: mine[v] / len(values) - all_of[v] / len(everybody) for v in sorted(all_of)}
    if asked.distance == "equal":
        return sum(map(abs, extra.values())) / 2
    if asked.distance == "ordered":
        carried = list(itertools.accumulate(extra.values()))[:-1]
        return sum(map(abs, carried)) / max(len(extra) - 1, 1)
    children = defaultdict(list)
    for child, parent in tree.items():
        children[parent].append(child)

    def height(node):
        return 1 + max(map(height, children[node])) if children[node] else 0

    spent = 0.0

    def carry(node):
        nonlocal spent
        if not children[node]:
            return extra.get(node, 0.0)
        parts = [carry(child) for child in children[node]]
        up, down = sum(p for p in parts if p > 0), -sum(p for p in parts if p < 0)
        spent += height(node) / height("*") * min(up, down)
        return sum(parts)

    carry("*")
    return spent


def suppress(rows, publish, asked):
    """Return the rows that are withheld; closeness is asked again and again of what is still published."""
    classes = defaultdict(list)
    for at, row in enumerate(rows):
        classes[publish(row)].append(at)
    people = Counter(map(publish, asked.population))
    left = []
    for cell, members in classes.items():
        holds = len(members) >= asked.k
        if asked.l > 1:
            holds = holds and all(is_diverse([column[at] for at in members], asked) for column in asked.sensitive)
        if asked.presence is not None:
            holds = holds and people[cell] > 0 and len(members) / people[cell] <= asked.presence
        if holds:
            left.append(members)
    while asked.t is not None:
        everybody = [at for members in left for at in members]
        close = [
            members
            for members in left
            if all(
                how_far([column[at] for at in members], [column[at] for at in everybody], asked, tree)
                <= asked.t + SLACK
                for column, tree in itertools.zip_longest(asked.sensitive, asked.trees)
            )
        ]
        if len(close) == len(left):
            break
        left = close
    return set(range(len(rows))) - {at for members in left for at in members}


def price(rows, level_trees, prices, levels, lost, loss, k):
    """Return what a choice of levels costs; prices are those of cells, by level and value."""
    if loss == "cells":
        total = 0.0
        for at, row in enumerate(rows):
            for value, price_of, level in zip(row, prices, levels, strict=True):
                total += price_of[-1 if at in lost else level][value]
        return total / len(rows)
    sizes = Counter(generalise(row, level_trees, levels) for at, row in enumerate(rows) if at not in lost)
    if loss == "discernibility":
        return (sum(size**2 for size in sizes.values()) + len(lost) * len(rows)) / len(rows) ** 2
    return len(rows) / len(sizes) / k


def feasible_levels(rows, level_trees, top, asked, limit):
    """Return what every choice of levels withholds that publishes something and withholds at most the limit."""
    found = {}
    for levels in itertools.product(*(range(high + 1) for high in top)):
        lost = suppress(rows, lambda row, levels=levels: generalise(row, level_trees, levels), asked)
        if len(lost) <= limit and len(lost) < len(rows):
            found[levels] = lost
    return found


def minimal_levels(found):
    """Return the choices of levels with no other one that is nowhere higher."""
    return {
        levels
        for levels in found
        if not any(other != levels and all(o <= h for o, h in zip(other, levels, strict=True)) for other in found)
    }
