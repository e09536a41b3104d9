"""Event sequence sanitisation written plainly, with exact fractions: the dynamic program and brute force."""

import itertools
from fractions import Fraction

HALF = Fraction(1, 2)


def smoothed(point, alphabet):
    """Probability of every event of the alphabet at a time point, smoothed by one half."""
    total = sum(point.get(event, 0) + HALF for event in alphabet)
    return {event: (point.get(event, 0) + HALF) / total for event in alphabet}


def error(before, after, alphabet):
    """Squared change of smoothed probabilities, summed over events and time points."""
    found = Fraction(0)
    for old, new in zip(before, after, strict=True):
        p, q = smoothed(old, alphabet), smoothed(new, alphabet)
        found += sum((p[event] - q[event]) ** 2 for event in alphabet)
    return found


def prefixes(points):
    """Counts of every prefix."""
    sums = {}
    for point in points:
        for event, count in point.items():
            sums[event] = sums.get(event, 0) + count
        yield dict(sums)


def keeps(points, sensitive, delta):
    """Tell whether no sensitive event that occurs reaches delta in any prefix."""
    for sums in prefixes(points):
        total = sum(sums.values())
        if any(sums.get(s, 0) and Fraction(sums[s], total) >= delta for s in sensitive):
            return False
    return True


def needs(points, event, delta):
    """Least deletions for every prefix, found by trying."""
    found = []
    for sums in prefixes(points):
        count, total = sums.get(event, 0), sum(sums.values())
        b = 0
        while b < count and Fraction(count - b, total - b) >= delta:
            b += 1
        found.append(b)
    return found


def without(points, event, deleted):
    """Return the time points after deleting occurrences of an event."""
    return [
        {e: c - (k if e == event else 0) for e, c in point.items() if c - (k if e == event else 0) > 0}
        for point, k in zip(points, deleted, strict=True)
    ]


def dynamic_program(points, event, delta, alphabet, *, forbid=True):
    """The paper's ODESA: best deletions of i occurrences from every prefix, for every i.

    With forbid=False it is the program as printed. That sees to it that a prefix has what it needs only for the first
    one, and that one which needs something has anything at all.
    """
    need = needs(points, event, delta)
    most = max(need, default=0)
    best = {0: (Fraction(0), ())}
    for j, point in enumerate(points):
        costs = [
            error([point], without([point], event, [k]), alphabet) for k in range(min(point.get(event, 0), most) + 1)
        ]
        step = {}
        for i, (cost, deleted) in best.items():
            for k in range(len(costs)):
                least = need[j] if forbid or j == 0 else min(need[j], 1)
                if not least <= i + k <= most:
                    continue
                reached = (cost + costs[k], (*deleted, k))
                if i + k not in step or reached[0] < step[i + k][0]:
                    step[i + k] = reached
        best = step
    cost, deleted = best[most]
    return cost, list(deleted)


def greedy(points, event, delta, alphabet):
    """Walk the prefixes and take the cheapest next deletion seen so far, the later of equal ones."""
    deleted = [0] * len(points)

    def rise(t):
        one, two = (error([points[t]], without([points[t]], event, [deleted[t] + more]), alphabet) for more in (0, 1))
        return two - one

    for j, need in enumerate(needs(points, event, delta)):
        while sum(deleted) < need:
            open_points = [t for t in range(j + 1) if deleted[t] < points[t].get(event, 0)]
            deleted[min(open_points, key=lambda t: (rise(t), -t))] += 1
    return deleted


def essa(points, sensitive, delta, alphabet):
    """The paper's ESSA: one event after the other, until every prefix holds."""
    now = points
    while not keeps(now, sensitive, delta):
        for event in sensitive:
            now = without(now, event, greedy(now, event, delta, alphabet))
    return error(points, now, alphabet), now


def brute_force(points, sensitive, delta, alphabet, cover=1):
    """Try every way to delete occurrences of sensitive events, and return the least error and its way.

    With a cover above 1 only ways count in which enough other events have each sensitive event's counts.
    """
    cells = [(t, s, point[s]) for t, point in enumerate(points) for s in sensitive if point.get(s, 0)]
    best = None
    for chosen in itertools.product(*(range(count + 1) for _, _, count in cells)):
        after = [dict(point) for point in points]
        for (t, s, _), k in zip(cells, chosen, strict=True):
            after[t][s] -= k
        after = [{e: c for e, c in point.items() if c} for point in after]
        covered = cover == 1 or all(is_covered(after, s, sensitive, cover) for s in sensitive)
        if covered and keeps(after, sensitive, delta):
            found = error(points, after, alphabet)
            if best is None or found < best[0]:
                best = found, after
    return best


def is_covered(points, event, sensitive, cover):
    """Tell whether an event is gone, or as frequent as cover-1 that are not sensitive in every prefix."""
    shares = {}
    for name in {name for point in points for name in point}:
        shares[name] = [Fraction(sums.get(name, 0), max(sum(sums.values()), 1)) for sums in prefixes(points)]
    others = [name for name in shares if name not in sensitive and shares[name] == shares.get(event)]
    return event not in shares or len(others) >= cover - 1
