"""What is to be expected of records with generalised items, record by record, and over all originals that fit.

Rows are sets of published values; groups are the members of those that stand for several.
"""

from itertools import product
from math import prod


def members_of(value, groups):
    return set(groups.get(value, (value,)))


def left(value, row, groups):
    """The members of a value that no finer value of its record stands for."""
    own = members_of(value, groups)
    finer = [members_of(other, groups) for other in row if members_of(other, groups) < own]
    return own.difference(*finer)


def weigh(rows, groups):
    """The weight of every member of every value: less the more often finer values publish it."""
    published = {value for row in rows for value in row}
    count = {value: sum(value in row for row in rows) for value in published}
    weights = {}
    for value in sorted(published, key=lambda value: len(members_of(value, groups))):
        own = members_of(value, groups)
        finer = [other for other in weights if len(members_of(other, groups)) < len(own)]
        weights[value] = {}
        for item in own:
            seen = sum(count[o] * weights[o].get(item, 0) / sum(weights[o].values()) for o in finer)
            weights[value][item] = (1 + seen) ** -0.25
    return weights


def chance(item, row, groups, weights):
    """How likely a record has an item: its share of the finest value that stands for it."""
    fitting = [value for value in row if item in members_of(value, groups)]
    if not fitting:
        return 0.0
    value = min(fitting, key=lambda value: len(members_of(value, groups)))
    return weights[value][item] / sum(weights[value][other] for other in left(value, row, groups))


def expect(rows, groups, itemset):
    """How many records are expected to hold an itemset, every item on its own."""
    weights = weigh(rows, groups)
    return sum(prod(chance(item, row, groups, weights) for item in set(itemset)) for row in rows)


def average(row, groups, weights, itemset):
    """The same of one record, over all sets it may be: every value adds one of the members that are left to it."""
    choices = [[(item, weights[value][item]) for item in sorted(left(value, row, groups))] for value in sorted(row)]
    total = held = 0.0
    for chosen in product(*choices):
        weight = prod(share for _, share in chosen)
        total += weight
        held += weight * (set(itemset) <= {item for item, _ in chosen})
    return held / total
