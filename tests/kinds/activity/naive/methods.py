"""The methods for daily activities as printed, without shortcuts: durations one by one, centroids as fractions."""

import math
from fractions import Fraction


def durations(row, q, length, kept=None):
    """Slots spent on every kept activity in every interval."""
    kept = range(q) if kept is None else kept
    parts = [row[begin : begin + length] for begin in range(0, len(row), length)]
    return [sum(code == activity for code in part) for part in parts for activity in kept]


def square(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))


def centroid(vectors):
    return [Fraction(sum(column), len(vectors)) for column in zip(*vectors, strict=True)]


def may_fill(row, activity, gap):
    """Whether somebody may do the activity in all of these slots: seen doing it, and nothing else."""
    return activity in row and all(code in (activity, gap) for code in row)


def largest_share(rows, sensitive, delta, gap=None):
    """The largest share of some people who may do a sensitive activity throughout delta slots, whenever they begin."""
    most = 0
    for activity in sensitive:
        for start in range(len(rows[0]) - delta + 1):
            most = max(most, sum(may_fill(row[start : start + delta], activity, gap) for row in rows))
    return Fraction(most, len(rows))


class Data:
    """What everybody did, and what is asked for."""

    def __init__(self, rows, q, sensitive, k, epsilon, delta, gap=None):
        self.rows, self.q, self.sensitive = rows, q, sensitive
        self.k, self.epsilon, self.delta, self.gap = k, epsilon, delta, gap

    def share(self, people):
        return largest_share([self.rows[person] for person in people], self.sensitive, self.delta, self.gap)

    def diverse(self, people):
        return self.share(people) <= self.epsilon

    def metric(self, length, weight):
        """Vectors of everybody, and the distance between two such vectors."""
        open_ones = [a for a in range(self.q) if weight is None or a not in self.sensitive]
        plain = [durations(row, self.q, length, open_ones) for row in self.rows]
        if weight is None:
            return [[*vector] for vector in plain], square
        secret = [durations(row, self.q, length, self.sensitive) for row in self.rows]
        width = len(plain[0])

        def distance(x, y):
            first, second = square(x[:width], y[:width]), square(x[width:], y[width:])
            return math.sqrt(float(first)) - weight * math.sqrt(float(second))

        return [a + b for a, b in zip(plain, secret, strict=True)], distance


def mdav(data, people, size, length, weight):
    """Groups of a size, two at a time; few left over go to the nearest group."""
    vectors, distance = data.metric(length, weight)
    left, groups = sorted(people), []
    while len(left) >= 2 * size:
        middle = centroid([vectors[person] for person in left])
        pivot = min(left, key=lambda person: (-distance(vectors[person], middle), person))
        first = _nearest(vectors, distance, left, pivot, size)
        left = [person for person in left if person not in first]
        other = min(left, key=lambda person: (-distance(vectors[person], vectors[pivot]), person))
        second = _nearest(vectors, distance, left, other, size)
        left = [person for person in left if person not in second]
        groups += [first, second]
    if not left:
        return groups
    if len(left) >= size or not groups:
        return [*groups, left]
    middle = centroid([vectors[person] for person in left])
    nearest = min(groups, key=lambda group: distance(centroid([vectors[person] for person in group]), middle))
    nearest += left
    return groups


def _nearest(vectors, distance, left, pivot, size):
    others = [person for person in left if person != pivot]
    others.sort(key=lambda person: (distance(vectors[person], vectors[pivot]), person))
    return [pivot, *others[: size - 1]]


def vmdav(data, people, size, length, weight):
    """Groups extended until diverse; those that never are lose the people they began with."""
    vectors, distance = data.metric(length, weight)
    middle = centroid([vectors[person] for person in people])
    left, groups, extended = sorted(people), [], 0
    while len(left) >= size:
        pivot = min(left, key=lambda person: (-distance(vectors[person], middle), person))
        seeds = _nearest(vectors, distance, left, pivot, size)
        left = [person for person in left if person not in seeds]
        group = list(seeds)
        for person in sorted(left, key=lambda person: (distance(vectors[person], vectors[pivot]), person)):
            if data.diverse(group):
                break
            if data.share([*group, person]) < data.share(group):
                group.append(person)
        if data.diverse(group):
            extended += len(group) - size
            groups.append(group)
            left = [person for person in left if person not in group]
    formed = [centroid([vectors[person] for person in group]) for group in groups]
    for person in left:
        ranked = sorted(range(len(groups)), key=lambda number: distance(formed[number], vectors[person]))
        fitting = [number for number in ranked if data.diverse([*groups[number], person])]
        if fitting:
            groups[fitting[0]].append(person)
    return groups, extended


def split_levels(data, people, lengths, sizes, weight):
    """Multi-level clustering without diversity."""
    parts = [list(people)]
    for length, size in zip(lengths, sizes, strict=True):
        parts = [group for part in parts for group in mdav(data, part, size, length, weight)]
    return parts


def level_sizes(size, lengths, fanout):
    return [size * fanout ** (len(lengths) - 1 - level) for level in range(len(lengths))]


def mc(data, lengths, fanout, weight=None):
    return split_levels(data, range(len(data.rows)), lengths, level_sizes(data.k, lengths, fanout), weight)


def mc_l_mdav(data, lengths, fanout, weight=None):
    """Algorithm 2: the leaf size grows; where parts cannot be split with it, all begins anew."""
    people = range(len(data.rows))
    sizes = level_sizes(data.k, lengths, fanout)
    backtracks = restarts = 0
    parts = split_levels(data, people, lengths[:-1], sizes[:-1], weight)
    while True:
        groups = [group for part in parts for group in mdav(data, part, sizes[-1], lengths[-1], weight)]
        if all(data.diverse(group) for group in groups):
            return groups, sizes[-1], backtracks, restarts
        sizes[-1] += 1
        backtracks += 1
        if len(lengths) > 1 and 2 * sizes[-1] > sizes[-2]:
            sizes = level_sizes(sizes[-1], lengths, fanout)
            restarts += 1
            parts = split_levels(data, people, lengths[:-1], sizes[:-1], weight)


def mc_l_mdav_repaired(data, lengths, fanout, weight=None):
    """Algorithm 1, then the first group that is not diverse joins the nearest that makes it so, until all are."""
    vectors, distance = data.metric(lengths[-1], weight)
    groups = [sorted(group) for group in mc(data, lengths, fanout, weight)]
    joined = 0
    while True:
        bad = [at for at, group in enumerate(groups) if not data.diverse(group)]
        if not bad:
            return groups, joined
        middle = centroid([vectors[person] for person in groups[bad[0]]])
        others = [group for at, group in enumerate(groups) if at != bad[0]]
        others.sort(key=lambda group: distance(centroid([vectors[person] for person in group]), middle))
        partner = next((group for group in others if data.diverse(groups[bad[0]] + group)), others[0])
        groups[bad[0]] = sorted(groups[bad[0]] + partner)
        groups.remove(partner)
        joined += 1


def mc_l_vmdav(data, lengths, fanout, weight=None):
    """Algorithm 3."""
    groups, extended = [], 0
    sizes = level_sizes(data.k, lengths, fanout)
    for part in split_levels(data, range(len(data.rows)), lengths[:-1], sizes[:-1], weight):
        found, joined = vmdav(data, part, data.k, lengths[-1], weight)
        groups += found
        extended += joined
    return groups, extended


def mc_rr(data, lengths, fanout):
    """Algorithm 4, dealing in turn."""
    people = range(len(data.rows))
    assigned = [person for person in people if any(code in data.sensitive for code in data.rows[person])]
    others = [person for person in people if person not in assigned]
    if not others:
        return []
    size = -(-data.k * len(others) // len(data.rows))
    groups = split_levels(data, others, lengths, level_sizes(size, lengths, fanout), None)
    for below_k in (True, False):
        turn, waiting = 0, []
        for person in assigned:
            for number in [*range(turn, len(groups)), *range(turn)]:
                group = groups[number]
                if (len(group) < data.k or not below_k) and data.diverse([*group, person]):
                    group.append(person)
                    turn = (number + 1) % len(groups)
                    break
            else:
                waiting.append(person)
        assigned = waiting
    vectors, _ = data.metric(lengths[-1], None)
    number = 0
    while number < len(groups):
        small = groups[number]
        others = groups[:number] + groups[number + 1 :]
        if len(small) >= data.k:
            number += 1
            continue
        middle = centroid([vectors[person] for person in small])
        ranked = sorted(others, key=lambda group: square(centroid([vectors[person] for person in group]), middle))
        for group in ranked:
            if data.diverse(group + small):
                group += small
                break
        groups = others
    return groups


def msld(data):
    """Sorted by the slots with the fewest activities; equal people together, then merged along the order."""
    slots = range(len(data.rows[0]))
    by_variety = sorted(slots, key=lambda slot: len({row[slot] for row in data.rows}))
    keys = {person: [row[slot] for slot in by_variety] for person, row in enumerate(data.rows)}
    order = sorted(keys, key=lambda person: (keys[person], person))
    groups, current = [], []
    for at, person in enumerate(order):
        current.append(person)
        last = at + 1 == len(order) or keys[order[at + 1]] != keys[person]
        if last and len(current) >= data.k and data.diverse(current):
            groups.append(current)
            current = []
    while current and (len(current) < data.k or not data.diverse(current)):
        current = groups.pop() + current
    return groups + [current] * bool(current)
