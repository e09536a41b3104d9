"""Hidden delays the plain way: the linear program with every value in it, and fates told record by record."""

from collections import Counter
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog


def spread(counts):
    """Values in an order whose prefixes have less than one record of a value too many or too few.

    At every place the value whose next record is due first, among those whose next record may come already.
    """
    total, given, order = sum(counts), [0] * len(counts), []
    for place in range(total):
        ready = [
            (-(-(given[v] + 1) * total // counts[v]), v)
            for v in range(len(counts))
            if given[v] < counts[v] and given[v] * total // counts[v] <= place
        ]
        v = min(ready)[1]
        given[v] += 1
        order.append(v)
    return order


def largest_deviation(order, counts):
    """The largest difference between how often a value is in a prefix and its due share of it."""
    total, worst = len(order), Fraction(0)
    for end in range(total + 1):
        seen = Counter(order[:end])
        worst = max([worst, *(abs(seen[v] - Fraction(end * count, total)) for v, count in enumerate(counts))])
    return worst


def best_plan(day_counts, left, l, window, now, time):
    """The most that can be gained by publishing what is left, in snapshots from ``time`` to ``now``; all values count.

    ``day_counts`` gives values of each home snapshot; ``left`` how many of its records are not published yet. A record
    that is d snapshots late is worth window - d.
    """
    moves = [(s, t) for s in day_counts for t in range(max(s, time), min(s + window - 1, now) + 1)]
    values = sorted({v for counts in day_counts.values() for v in counts})
    rows, limits = [], []
    for s in day_counts:
        rows.append([1.0 if origin == s else 0.0 for origin, _ in moves])
        limits.append(left[s])
    for t in range(time, now + 1):
        for v in values:
            share = {s: counts[v] / sum(counts.values()) for s, counts in day_counts.items()}
            rows.append([(l * share[origin] - 1) if target == t else 0.0 for origin, target in moves])
            limits.append(0)
    worth = [window - (t - s) for s, t in moves]
    if not moves:
        return 0.0
    return -linprog([-w for w in worth], A_ub=np.array(rows), b_ub=np.array(limits), method="highs").fun


def cohorts(people, published):
    """Values of the records of one snapshot that share a fate.

    ``people`` are (time, value); ``published`` says for each where it is published, None if nowhere.
    """
    found = {}
    for (time, value), where in zip(people, published, strict=True):
        found.setdefault((time, "missing" if where is None else where - time), Counter())[value] += 1
    return found


def telling_cohorts(people, published, l):
    """Cohorts in which a value has more than the larger of 1/l and its share of the snapshot, and two records more."""
    days = {}
    for time, value in people:
        days.setdefault(time, Counter())[value] += 1
    return [
        (time, fate, value)
        for (time, fate), counts in cohorts(people, published).items()
        for value, count in counts.items()
        if count > max(Fraction(1, l), Fraction(days[time][value], sum(days[time].values()))) * sum(counts.values()) + 2
    ]
