"""The methods for daily activities as printed, without shortcuts: lists of groups, and counters."""

from tests.activity.naive.partitions import centroid, level_sizes, mdav, split_levels, square, vmdav


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
    dealt = [person for person in people if any(code in data.sensitive for code in data.rows[person])]
    others = [person for person in people if person not in dealt]
    if not others:
        return []
    size = -(-data.k * len(others) // len(data.rows))
    groups = split_levels(data, others, lengths, level_sizes(size, lengths, fanout), None)
    for below_k in (True, False):
        turn, waiting = 0, []
        for person in dealt:
            for number in [*range(turn, len(groups)), *range(turn)]:
                group = groups[number]
                if (len(group) < data.k or not below_k) and data.diverse([*group, person]):
                    group.append(person)
                    turn = (number + 1) % len(groups)
                    break
            else:
                waiting.append(person)
        dealt = waiting
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


def plain_mdav(table, k):
    """MDAV on numbers: by row the number of its group."""
    left, group, number = list(range(len(table))), [-1] * len(table), 0

    def far(x, y):
        total = 0.0
        for a, b in zip(x, y, strict=True):
            total += (a - b) ** 2
        return total

    def close(pivot):
        nonlocal left, number
        near = sorted(left, key=lambda row: (far(table[row], table[pivot]), row))[:k]
        for row in near:
            group[row] = number
        left = [row for row in left if row not in near]
        number += 1

    def farthest(point):
        return min(left, key=lambda row: (-far(table[row], point), row))

    while len(left) >= 2 * k:
        pair = len(left) >= 3 * k
        centre = [sum(column) / len(left) for column in zip(*(table[row] for row in left), strict=True)]
        pivot = farthest(centre)
        close(pivot)
        if pair:
            close(farthest(table[pivot]))
    for row in left:
        group[row] = number
    return group
