"""Plain twin of local recoding: counts everything again whenever it asks, one record and one sequence after the other.

A tree is a list of ways: ``ways[place]`` holds (node, cost) from the place itself to the root. Records are lists of
places, and ``levels[r][i]`` says how far up its way visit i of record r is published. ``secrets[r]`` is the set of
sensitive places that record r visits; none in any record means that there is no rule about them.
"""

from collections import Counter
from itertools import combinations


class Recoding:
    def __init__(self, records, ways, k, l, m, secrets, levels=None):
        self.records, self.ways, self.k, self.l, self.m, self.secrets = records, ways, k, l, m, secrets
        self.levels = [list(row) for row in levels] if levels else [[0] * len(row) for row in records]
        self.diverse = any(secrets)
        self.root = ways[0][-1][0]
        self.below = {}
        for place, way in enumerate(ways):
            for node, _ in way:
                self.below.setdefault(node, set()).add(place)

    # What is published, and who holds what.

    def node(self, r, i, level=None):
        return self.ways[self.records[r][i]][self.levels[r][i] if level is None else level][0]

    def cost(self, r, i, level=None):
        return self.ways[self.records[r][i]][self.levels[r][i] if level is None else level][1]

    def labels(self, r, levels=None):
        return [self.node(r, i, None if levels is None else levels[i]) for i in range(len(self.records[r]))]

    def sequences(self, labels):
        return {s for size in range(1, self.m + 1) for s in combinations(labels, size)}

    def count(self, without=None):
        """How many records hold each sequence, and how many of them visit each sensitive place."""
        support, visitors = Counter(), Counter()
        for r in range(len(self.records)):
            if r != without:
                for s in self.sequences(self.labels(r)):
                    support[s] += 1
                    visitors.update((s, place) for place in self.secrets[r])
        return support, visitors

    def places(self):
        return sorted(set().union(*self.secrets)) if self.secrets else []

    def is_broken(self, counts, s, t):
        support, visitors = counts
        return support[s] > 0 and (support[s] < t or any(self.l * visitors[s, p] > support[s] for p in self.places()))

    # RAISE

    def raise_all(self):
        """Raise until nothing is broken; False where nothing helps."""
        m = self.m
        for self.m in range(min(2, m), m + 1):
            for t in range(2, self.k + 1):
                if not self.raise_to(t):
                    self.m = m
                    return False
        return True

    def raise_to(self, t):
        while True:
            counts = self.count()
            wanted = [self.hit(r, self.broken_positions(r, counts, t)) for r in range(len(self.records))]
            if wanted == self.levels:
                if not self.more_roots(counts, t, wanted):
                    return False
                if wanted == self.levels:
                    return True
            for r, levels in enumerate(wanted):
                self.levels[r] = self.lift(r, levels) if self.diverse and levels != self.levels[r] else levels

    def broken_positions(self, r, counts, t):
        labels = self.labels(r)
        return [
            at
            for size in range(1, self.m + 1)
            for at in combinations(range(len(labels)), size)
            if any(labels[i] != self.root for i in at) and self.is_broken(counts, tuple(labels[i] for i in at), t)
        ]

    def step(self):
        """What a level costs on average, at least 1."""
        rises = [max(0, way[i + 1][1] - way[i][1]) for way in self.ways for i in range(len(way) - 1)]
        return max(1, int(sum(rises) / len(rises))) if rises else 1

    def hit(self, r, broken):
        levels = list(self.levels[r])
        while broken:
            best = None
            for i in range(len(levels)):
                through = sum(i in at for at in broken)
                if not through or self.levels[r][i] + 1 == len(self.ways[self.records[r][i]]):
                    continue
                gain = through * (3 if self.levels[r][i] else 2)
                price = 3 * self.step() + 10 * max(0, self.cost(r, i, self.levels[r][i] + 1) - self.cost(r, i))
                if best is None or gain * best[1] > best[0] * price:
                    best = gain, price, i
            if best is None:
                break
            levels[best[2]] += 1
            broken = [at for at in broken if best[2] not in at]
        return levels

    def lift(self, r, levels):
        """Raise what lies inside another label of the record."""
        levels = list(levels)
        for i in range(len(levels)):
            inside = self.below[self.node(r, i, levels[i])]
            for j, place in enumerate(self.records[r]):
                if place in inside:
                    up = next(h for h, (node, _) in enumerate(self.ways[place]) if node == self.node(r, i, levels[i]))
                    levels[j] = max(levels[j], up)
        return levels

    def more_roots(self, counts, t, wanted):
        """Let the cheapest other records have more roots where a sequence of roots is broken; False if none is left."""
        support, visitors = counts
        for size in range(1, self.m + 1):
            s = (self.root,) * size
            if not self.is_broken(counts, s, t):
                continue
            missing, secret = t - support[s], None
            for place in self.places():
                if self.l * visitors[s, place] - support[s] > missing:
                    missing, secret = self.l * visitors[s, place] - support[s], place
            prices = []
            for r in range(len(self.records)):
                steps = self.root_steps(r)
                if len(steps) >= size > sum(step < 0 for step in steps) and secret not in self.secrets[r]:
                    prices.append((sum(max(0, step) for step in sorted(steps)[:size]), r))
            for _, r in sorted(prices)[:missing]:
                steps = self.root_steps(r)
                for i in sorted(range(len(steps)), key=lambda i: (steps[i], i))[:size]:
                    wanted[r][i] = len(self.ways[self.records[r][i]]) - 1
            return bool(prices)
        return True

    def root_steps(self, r):
        way = [self.ways[place] for place in self.records[r]]
        return [
            -1 if self.levels[r][i] == len(way[i]) - 1 else max(0, way[i][-1][1] - self.cost(r, i))
            for i in range(len(way))
        ]

    # LOWER

    def lower_all(self):
        visits = Counter(place for row in self.records for place in row)
        popular = {node: sum(visits[p] for p in places) for node, places in self.below.items()}
        for node in sorted(self.below, key=lambda node: (node >= len(self.ways), -popular[node], node)):
            self.lower_to(node)

    def level_of(self, place, node):
        return next((h for h, (other, _) in enumerate(self.ways[place]) if other == node), None)

    def lower_to(self, node):
        chosen = set()
        for r, row in enumerate(self.records):
            for i, place in enumerate(row):
                level = self.level_of(place, node)
                if level is not None and level < self.levels[r][i] and self.cost(r, i, level) < self.cost(r, i):
                    chosen.add((r, i))
        chosen = self.hopeful(self.kept_apart(chosen, node), node)
        chosen = self.kept_apart(chosen, node)
        former = [list(levels) for levels in self.levels]
        for r, i in chosen:
            self.levels[r][i] = self.level_of(self.records[r][i], node)
        taken = True
        while taken:
            taken = False
            for r, i in sorted(chosen):
                if self.levels[r][i] == former[r][i]:
                    continue
                counts = self.count()
                if self.goes_through_broken(counts, self.labels(r), i) or self.goes_through_broken(
                    counts, self.labels(r, former[r]), i
                ):
                    if self.diverse:
                        self.levels[r] = list(former[r])
                    self.levels[r][i] = former[r][i]
                    taken = True

    def goes_through_broken(self, counts, labels, i, k=None):
        return any(
            self.is_broken(counts, tuple(labels[j] for j in at), k or self.k)
            for size in range(1, self.m + 1)
            for at in combinations(range(len(labels)), size)
            if i in at
        )

    def kept_apart(self, chosen, node):
        """Where places are sensitive, no record may hold a label inside another: all of a record go down, or none."""
        if not self.diverse:
            return chosen
        kept = set()
        for r in range(len(self.records)):
            mine = {(r, i) for i in range(len(self.records[r])) if (r, i) in chosen}
            above = sum(self.below[label] > self.below[node] for label in self.labels(r))
            if len(mine) == above:
                kept |= mine
        return kept

    def hopeful(self, chosen, node):
        """Leave out visits in a pair that stays rare even if all others go down; once, in a triple too."""
        support, _ = self.count()
        looked = False
        while chosen:
            if support[node,] + len({r for r, _ in chosen}) < self.k:
                return set()
            hopeless = self.list_hopeless(chosen, node, support, 2)
            if not hopeless and self.m >= 3 and not looked:
                looked = True
                hopeless = self.list_hopeless(chosen, node, support, 3)
            if not hopeless:
                return chosen
            chosen = chosen - hopeless
        return chosen

    def list_hopeless(self, chosen, node, support, size):
        labels = [
            [node if (r, i) in chosen else self.node(r, i) for i in range(len(row))]
            for r, row in enumerate(self.records)
        ]
        before, after = Counter(), Counter()
        for r in range(len(self.records)):
            mine = [i for i in range(len(labels[r])) if (r, i) in chosen]
            before.update({label for i in mine for label in labels[r][:i]})
            after.update({label for i in mine for label in labels[r][i + 1 :]})

        def stays_rare(r, i, others):
            s = tuple(labels[r][j] for j in sorted([i, *others]))
            return support[s] + min((before if j < i else after)[labels[r][j]] for j in others) < self.k

        found = set()
        for r, i in sorted(chosen):
            rest = [j for j in range(len(labels[r])) if j != i]
            if self.m >= size and any(stays_rare(r, i, others) for others in combinations(rest, size - 1)):
                found.add((r, i))
                labels[r][i] = self.node(r, i)  # those after it reckon with its staying where it is
        return found

    # SWAP

    def swap_all(self):
        for r in range(len(self.records)):
            self.swap(r)

    def swap(self, r):
        n = len(self.records[r])
        counts = self.count(without=r)
        frozen = [self.goes_through_broken(counts, self.labels(r), i) for i in range(n)]
        for i in range(n):
            for level in range(len(self.ways[self.records[r][i]])):
                if frozen[i] or self.cost(r, i, level) >= self.cost(r, i):
                    continue
                levels = self.rearrange(r, i, level, frozen, counts)
                if levels is None or self.price(r, levels) >= self.price(r, self.levels[r]):
                    continue
                labels, changed = self.labels(r, levels), [a != b for a, b in zip(levels, self.levels[r], strict=True)]
                if all(
                    self.fits(r, counts, tuple(labels[j] for j in at))
                    for size in range(3, self.m + 1)
                    for at in combinations(range(n), size)
                    if any(changed[j] for j in at)
                ):
                    self.levels[r] = levels
                    break

    def price(self, r, levels):
        return sum(self.cost(r, i, level) for i, level in enumerate(levels))

    def fits(self, r, counts, s):
        support, visitors = counts
        return support[s] + 1 >= self.k and all(
            self.l * (visitors[s, place] + (place in self.secrets[r])) <= support[s] + 1 for place in self.places()
        )

    def fit_together(self, r, counts, levels, i, j):
        one, two = (self.node(r, at, levels[at]) for at in sorted((i, j)))
        if not self.fits(r, counts, (one,)) or i == j:
            return self.fits(r, counts, (one,))
        if self.diverse and one != two and self.below[one] & self.below[two]:
            return False
        return self.m < 2 or self.fits(r, counts, (one, two))

    def rearrange(self, r, i, level, frozen, counts):
        """Give visit i a level, raise what conflicts to the first that fits, lower what now fits; None if stuck."""
        levels = list(self.levels[r])
        levels[i] = level
        n = len(levels)
        if not self.fit_together(r, counts, levels, i, i):
            return None
        conflict = {j for j in range(n) if j != i and not self.fit_together(r, counts, levels, i, j)}
        if any(frozen[j] for j in conflict):
            return None
        for j in sorted(conflict):
            while True:
                levels[j] += 1
                if levels[j] == len(self.ways[self.records[r][j]]):
                    return None
                if all(self.fit_together(r, counts, levels, j, h) for h in range(n) if h == j or h not in conflict):
                    break
            conflict.discard(j)
        for j in range(n):
            here = levels[j]
            for lower in range(0 if frozen[j] or j == i else here):
                levels[j] = lower
                if self.cost(r, j, lower) < self.cost(r, j, here) and all(
                    self.fit_together(r, counts, levels, j, h) for h in range(n)
                ):
                    break
                levels[j] = here
        return levels


def recode_from_below(recoding):
    """RAISE, then LOWER and SWAP, twice for pairs, and LOWER."""
    if not recoding.raise_all():
        return None
    refine(recoding, "LSLSL" if recoding.m < 3 else "LSL")
    return recoding.levels


def refine(recoding, steps):
    for step in steps:
        (recoding.lower_all if step == "L" else recoding.swap_all)()
