"""What is promised of a table, from the definitions, row by row and with fractions; slow and plain.

A published record is a dictionary of cells. Equal cells of quasi-identifiers make a class.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction


def classes(rows, quasi):
    """The records of every class."""
    found = {}
    for row in rows:
        found.setdefault(tuple(repr(row[name]) for name in quasi), []).append(row)
    return list(found.values())


def k_of(rows, quasi):
    return min(len(group) for group in classes(rows, quasi))


def distinct_l(rows, quasi, sensitive):
    return min(len({row[sensitive] for row in group}) for group in classes(rows, quasi))


def entropy(rows, quasi, sensitive):
    """Smallest entropy of a class."""
    smallest = math.inf
    for group in classes(rows, quasi):
        counts = Counter(row[sensitive] for row in group)
        shares = [count / len(group) for count in counts.values()]
        smallest = min(smallest, math.fsum(-share * math.log(share) for share in shares))
    return smallest


def is_recursive(rows, quasi, sensitive, c, l):
    """Whether r1 < c (rl + ... + rm) in every class, c being the number that is written."""
    for group in classes(rows, quasi):
        counts = sorted(Counter(row[sensitive] for row in group).values(), reverse=True)
        if not counts[0] < Fraction(repr(c)) * sum(counts[l - 1 :]):
            return False
    return True


def shares(group, sensitive):
    counts = Counter(row[sensitive] for row in group)
    return {value: Fraction(count, len(group)) for value, count in counts.items()}


def earth_movers(one, other, cost):
    """Least work from one distribution to the other, as a linear program solved by trying all of its corners.

    Shares are whole numbers of a small unit here, so that the cheapest assignment of units is the cheapest plan.
    """
    unit = math.lcm(*(share.denominator for share in (*one.values(), *other.values())))
    left = [value for value, share in one.items() for _ in range(int(share * unit))]
    right = [value for value, share in other.items() for _ in range(int(share * unit))]
    assert len(left) == len(right)
    from scipy.optimize import linear_sum_assignment

    price = [[float(cost(a, b)) for b in right] for a in left]
    rows, columns = linear_sum_assignment(price)
    return sum((cost(left[i], right[j]) for i, j in zip(rows, columns, strict=True)), Fraction(0)) / unit


def equal_cost(one, other):
    return Fraction(int(one != other))


def ordered_cost(order):
    def cost(one, other):
        return Fraction(abs(order.index(one) - order.index(other)), max(len(order) - 1, 1))

    return cost


def tree_cost(parents):
    """Height of the lowest common ancestor over the height of the tree."""

    def path(node):
        found = [node]
        while parents[found[-1]] is not None:
            found.append(parents[found[-1]])
        return found

    def height(node):
        below = [child for child, above in parents.items() if above == node]
        return 1 + max(map(height, below)) if below else 0

    root = next(node for node, above in parents.items() if above is None)

    def cost(one, other):
        ancestor = next(node for node in path(one) if node in path(other))
        return Fraction(height(ancestor), max(height(root), 1))

    return cost


def closeness(rows, quasi, sensitive, cost):
    """Largest distance of a class from all records."""
    overall = shares(rows, sensitive)
    return max(earth_movers(shares(group, sensitive), overall, cost) for group in classes(rows, quasi))


def fits(cell, value, members, values):
    """Whether a published cell may stand for an original value; None is missing."""
    if cell is None:
        return True
    if isinstance(cell, dict):
        if cell["lo"] is None:
            return value is None
        return value is not None and cell["lo"] <= value <= cell["hi"]
    if isinstance(cell, list):
        return ("" if value is None else value) in cell
    return ("" if value is None else str(value)) in members.get(cell, [cell])


def candidates(rows, quasi, person, members):
    """Published records whose cells all hold what is known of a person."""
    return [row for row in rows if all(fits(row[q], person[q], members.get(q, {}), None) for q in quasi)]


def presence(rows, quasi, population, members):
    """Largest share of the people of the population who fit a class that have a record in it."""
    worst = Fraction(0)
    for group in classes(rows, quasi):
        people = [p for p in population if all(fits(group[0][q], p[q], members.get(q, {}), None) for q in quasi)]
        worst = max(worst, Fraction(len(group), len(people)) if people else math.inf)
    return worst


def unique_columns(rows, quasi, size):
    """Share of people whom every set of columns makes unique, the largest first."""
    found = {}
    for chosen in itertools.combinations(quasi, size):
        counts = Counter(tuple(row[name] for name in chosen) for row in rows)
        found[chosen] = sum(counts[tuple(row[name] for name in chosen)] == 1 for row in rows) / len(rows)
    return found
