"""Coverage of a group by intervals, and the printed lower bounds, by trying everything with exact fractions.

A group is a list of members, a member a list of (time, leaf) events; a tree is a list of parents.
"""

from fractions import Fraction
from itertools import combinations


def climb(node, parent):
    """A node and all above it."""
    return [] if node < 0 else [node, *climb(parent[node], parent)]


def join(nodes, parent):
    """The lowest node above all of them."""
    return next(node for node in climb(nodes[0], parent) if all(node in climb(other, parent) for other in nodes))


def count_leaves(node, parent):
    return sum(node in climb(leaf, parent) for leaf in range(len(parent)) if leaf not in parent)


def cut(times):
    """All ways to cut sorted times into runs."""
    for size in range(len(times)):
        for ends in combinations(range(1, len(times)), size):
            yield [times[a:b] for a, b in zip([0, *ends], [*ends, len(times)], strict=True)]


def price_of(run, group, weights, span, parent):
    """Loss of the events in one run of times, summed up, or None when a member has none there."""
    covered = [[event for event in member if run[0] <= event[0] <= run[-1]] for member in group]
    if not all(covered):
        return None
    events = [event for member in covered for event in member]
    wt, we = weights
    loss = wt * Fraction(run[-1] - run[0], max(1, span))
    if we:
        node = join([leaf for _, leaf in events], parent)
        loss += we * Fraction(count_leaves(node, parent), count_leaves(parent.index(-1), parent))
    return len(events) * loss / (wt + we)


def cover(group, weights=(1, 0), span=1, parent=()):
    """All interval sets that cover a group, with their loss summed over events."""
    times = sorted({time for member in group for time, _ in member})
    for runs in cut(times):
        prices = [price_of(run, group, weights, span, parent) for run in runs]
        if None not in prices:
            yield sum(prices), [(run[0], run[-1]) for run in runs]


def least_loss(group, weights=(1, 0), span=1, parent=()):
    """CP times the number of events."""
    return min(loss for loss, _ in cover(group, weights, span, parent))


def least_loss_stepwise(group, weights=(1, 0), span=1, parent=()):
    """The same for more times: the first run is tried at every length, and the rest likewise."""
    times = sorted({time for member in group for time, _ in member})
    best = [Fraction(0)]
    for end in range(1, len(times) + 1):
        prices = [price_of(times[start:end], group, weights, span, parent) for start in range(end)]
        losses = [best[start] + price for start, price in enumerate(prices) if None not in (price, best[start])]
        best.append(min(losses, default=None))
    return best[-1]


def count_events(*groups):
    return sum(len(member) for group in groups for member in group)


def times_of(group):
    return sorted(time for member in group for time, _ in member)


def bound_by_neighbours(one, other):
    """D_LB as printed, times the span."""
    members = [*one, *other]
    loss = sum(
        max(min(abs(time - near) for near, _ in member) for member in members) for who in members for time, _ in who
    )
    return Fraction(loss, count_events(one, other))


def bound_by_fingerprint(one, other, bits, low, high):
    """D_fp as printed, times the span."""
    width = Fraction(max(1, high - low), bits)
    mine, yours = ({min(bits - 1, (time - low) // width) for time in times_of(group)} for group in (one, other))
    gaps = sum(min(abs(r - s) for s in yours) - 1 for r in mine - yours)
    gaps += sum(min(abs(r - s) for s in mine) - 1 for r in yours - mine)
    return gaps * width / count_events(one, other)


def bound_by_extent(one, others, printed=False):
    """D_Extent times the span: as printed, or with the hollow bridged from both sides."""
    times, sets = times_of(one), [times_of(group) for group in others]
    starts, ends = [other[0] for other in sets], [other[-1] for other in sets]
    if times[-1] <= min(starts):
        return Fraction(min(ends) - times[0])
    if times[0] >= max(ends):
        return Fraction(times[-1] - max(starts))
    low, high = max(starts), min(ends)
    loss = sum(time < min(starts) for time in times) * (min(starts) - times[0])
    loss += sum(time > max(ends) for time in times) * (times[-1] - max(ends))
    inside = [time for time in times if low < time < high]
    hollow = not any(low < time < high for other in sets for time in other)
    if inside and hollow:
        n = len(inside)
        splits = [0, n] if printed else range(n + 1)
        loss += min(
            (k * (inside[k - 1] - low) if k else 0) + ((n - k) * (high - inside[k]) if k < n else 0) for k in splits
        )
    return Fraction(loss, max(len(other) for other in sets) + len(times))
