"""Plain twin of the refinement of groups: measures and counts everything again for every step that is tried.

Places are numbered from 0. ``label`` gives every place its group, from 1; ``steps`` are distances in whole steps and
``weight`` the whole-number weights; ``list_nodes(places)`` gives parts of a group, in the order to try them.
"""

from collections import Counter
from itertools import combinations

LEAST, MOST_TRIED, MOST_ROUNDS = 1e-6, 8, 5


def keeps_group_sizes(records, label, k, m):
    """Whether every sequence of up to m groups that occurs is in k records."""
    support = Counter()
    for record in records:
        row = [label[place] for place in record]
        support.update({s for size in range(1, m + 1) for s in combinations(row, size)})
    return all(count >= k for count in support.values())


def refine(records, label, steps, weight, k, m, list_nodes):
    label = list(label)
    places = range(len(label))

    def members(group):
        return [p for p in places if label[p] == group]

    def cost(some):
        total = sum(weight[p] * sum(steps[p][q] for q in some) for p in some)
        return float(total) / float(len(some)) if some else 0.0

    def gain(moved, new):
        old, there = members(label[moved[0]]), members(new)
        before = cost(old) + cost(there)
        after = cost([p for p in old if p not in moved]) + cost(there + moved)
        return before - after if before - after > LEAST * before else 0.0

    def try_move(moved, new):
        old = label[moved[0]]
        for place in moved:
            label[place] = new
        if keeps_group_sizes(records, label, k, m):
            return True
        for place in moved:
            label[place] = old
        return False

    def find_free():
        return min(set(range(1, len(label) + 2)) - set(label))

    def split():
        changed = False
        for group in sorted(range(len(label) + 1), key=lambda g: -cost(members(g))):
            some = members(group)
            for node in list_nodes(some) if len(some) > 1 else []:
                for part in sorted({label[p] for p in node}):
                    chosen = [p for p in node if label[p] == part]
                    if len(chosen) < len(members(part)) and gain(chosen, find_free()) > 0:
                        changed |= try_move(chosen, find_free())
        return changed

    def move():
        changed = False
        own = {p: sum(steps[p][q] for q in members(label[p])) for p in places}
        for place in sorted(places, key=lambda p: -(weight[p] * (own[p] / len(members(label[p]))))):
            if len(members(label[place])) == 1:
                continue
            ways = {g: gain([place], g) for g in {*label, find_free()} - {label[place]}}
            best = sorted((g for g in ways if ways[g] > 0), key=lambda g: (-ways[g], g))[:MOST_TRIED]
            changed |= any(try_move([place], new) for new in best)
        return changed

    for _ in range(MOST_ROUNDS):
        if not any([split(), move()]):
            break
    return label


def measure_loss(records, label, distance):
    """What the records lose: the mean distance of every visit to the places of its group, over each record."""
    places = {place for record in records for place in record}
    groups = {p: [q for q in places if label[q] == label[p]] for p in places}
    return sum(
        sum(sum(distance[p][q] for q in groups[p]) / len(groups[p]) for p in record) / len(record) for record in records
    )
