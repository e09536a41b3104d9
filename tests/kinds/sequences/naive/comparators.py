"""Plain twins of aligned and symmetric groups: every alignment is tried, losses are fractions."""

from fractions import Fraction
from itertools import combinations, pairwise

from tests.kinds.sequences.naive.taxonomy import list_leaves


class Costs:
    """The loss of an interval for each event it covers, between 0 and 1."""

    def __init__(self, wt, we, span, parent=()):
        self.wt, self.we, self.span = Fraction(wt), Fraction(we), span
        self.below = {node: list_leaves(node, parent) for node in range(len(parent))}

    def find_category(self, leaves):
        """The smallest category above all leaves, 0 when events do not count."""
        if not self.we:
            return 0
        return min((len(below), node) for node, below in self.below.items() if set(leaves) <= below)[1]

    def lose(self, times, leaves):
        length = Fraction(max(times) - min(times), self.span)
        category = self.find_category(leaves)
        size = Fraction(len(self.below[category]), max(map(len, self.below.values()))) if self.we else 0
        return (self.wt * length + self.we * size) / (self.wt + self.we)


class Slot:
    """An interval: the events of its members, one of each, as (time, leaf)."""

    def __init__(self, events):
        self.events = list(events)

    def times(self):
        return [time for time, _ in self.events]

    def leaves(self):
        return [leaf for _, leaf in self.events]


def are_disjoint(slots):
    ordered = sorted((min(slot.times()), max(slot.times())) for slot in slots)
    return all(one[1] < other[0] for one, other in pairwise(ordered))


def gain_most(slots, points, costs, last=False):
    """The most each event can gain by matching slots with points in order; with `last`, both last ones are matched."""
    best = None if last else Fraction(0)
    for size in range(1, min(len(slots), len(points)) + 1):
        for rows in combinations(range(len(slots)), size):
            for columns in combinations(range(len(points)), size):
                if last and (rows[-1], columns[-1]) != (len(slots) - 1, len(points) - 1):
                    continue
                widened = [Slot([*slots[i].events, points[j]]) for i, j in zip(rows, columns, strict=True)]
                if are_disjoint(widened):
                    gain = sum(1 - costs.lose(slot.times(), slot.leaves()) for slot in widened)
                    best = gain if best is None else max(best, gain)
    return best


def match_pairs(slots, points, costs):
    """The pairs of a best alignment: from the end, match if that is best, else drop the slot, else the point."""
    pairs = []
    rows, columns = len(slots), len(points)
    while rows and columns:
        best = gain_most(slots[:rows], points[:columns], costs)
        if gain_most(slots[:rows], points[:columns], costs, last=True) == best:
            rows, columns = rows - 1, columns - 1
            pairs.insert(0, (rows, columns))
            start = min([*slots[rows].times(), points[columns][0]])
            while rows and max(slots[rows - 1].times()) >= start:
                rows -= 1
            while columns and points[columns - 1][0] >= start:
                columns -= 1
        elif gain_most(slots[: rows - 1], points[:columns], costs) == best:
            rows -= 1
        else:
            columns -= 1
    return pairs


class Group:
    """People whose events share slots."""

    def __init__(self, person, points):
        self.people, self.events = [person], len(points)
        times = sorted({time for time, _ in points})
        self.slots = [Slot([min(point for point in points if point[0] == time)]) for time in times]

    def lose_with(self, points, costs):
        """Loss per event once someone has joined; suppressed events lose 1."""
        gain = gain_most(self.slots, points, costs) * (len(self.people) + 1)
        return 1 - gain / (self.events + len(points))

    def join(self, person, points, costs):
        pairs = match_pairs(self.slots, points, costs)
        self.slots = [Slot([*self.slots[i].events, points[j]]) for i, j in pairs]
        self.people.append(person)
        self.events += len(points)


def align_groups(rows, costs, k, permutation):
    """TA; rows are lists of (time, leaf)."""
    rows = [sorted(row) for row in rows]
    free = [person for person in permutation if rows[person]]
    if len(free) < k:
        return None
    groups = []
    while len(free) >= k:
        group = Group(free[0], rows[free.pop(0)])
        while len(group.people) < k:
            nearest = min(free, key=lambda person: (group.lose_with(rows[person], costs), free.index(person)))
            group.join(nearest, rows[nearest], costs)
            free.remove(nearest)
        groups.append(group)
    for person in free:
        min(groups, key=lambda group: group.lose_with(rows[person], costs)).join(person, rows[person], costs)
    return groups


def mirror_groups(keys, k, permutation):
    """SA: sets of people; keys of people who do not take part are None."""
    members = [person for person, key in enumerate(keys) if key is not None]
    if len(members) < k:
        return None
    curve = sorted(members, key=lambda person: (keys[person], person))
    groups = []
    for person in permutation:
        if keys[person] is None or any(person in group for group in groups):
            continue
        # Of two neighbours equally near, the one before comes first; among equal keys, the one next along the curve.
        place = curve.index(person)
        before, after = curve[:place][::-1], curve[place + 1 :]
        hiding = {person}
        while len(hiding) < k:
            if not after or (before and keys[person] - keys[before[0]] <= keys[after[0]] - keys[person]):
                hiding.add(before.pop(0))
            else:
                hiding.add(after.pop(0))
        for group in [group for group in groups if group & hiding]:
            groups.remove(group)
            hiding |= group
        groups.append(hiding)
    return groups
