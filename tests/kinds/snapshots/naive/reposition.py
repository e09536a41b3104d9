"""Reposition record by record, and the integer programs it must be as good as.

A record is a pair (value, home): its sensitive value and the snapshot it arrived in. A plan says for every record where
it is published, or None if it is suppressed.
"""

from itertools import pairwise, product

import numpy as np
from scipy.optimize import LinearConstraint, milp


def price(records, plan, mu, beta):
    """The cost of a plan: mu of the distance, or beta of the value."""
    return sum(
        beta[value] if place is None else mu[place - origin]
        for (value, origin), place in zip(records, plan, strict=True)
    )


def is_eligible(values, l):
    return not values or l * max(values.count(v) for v in set(values)) <= len(values)


def is_valid(records, plan, l, places):
    """No snapshot has a value above 1/l, and nothing is published before its time."""
    forward = all(place is None or place >= origin for (_, origin), place in zip(records, plan, strict=True))
    published = [[v for (v, _), at in zip(records, plan, strict=True) if at == place] for place in places]
    return forward and all(is_eligible(values, l) for values in published)


def least_cost_by_enumeration(records, l, mu, beta, snapshots):
    """The cheapest plan of all there are: for a handful of records."""
    choices = [[None, *(p for p in snapshots if p >= origin and p - origin < len(mu))] for _, origin in records]
    return min(price(records, plan, mu, beta) for plan in product(*choices) if is_valid(records, plan, l, snapshots))


def least_cost_by_program(records, l, mu, beta, snapshots, *, fixed=None, bound=()):
    """The cheapest plan by an integer program with one variable per record and place.

    `fixed` gives, by (value, snapshot), the numbers of records that must be published there, for all snapshots but the
    last; `bound` are positions of records that must not be suppressed.
    """
    cells = [(r, p) for r, (_, origin) in enumerate(records) for p in snapshots if origin <= p < origin + len(mu)]
    cells += [(r, None) for r in range(len(records)) if r not in bound]
    if not cells:
        return 0
    cost = [beta[records[r][0]] if p is None else mu[p - records[r][1]] for r, p in cells]
    rows = [([float(r == which) for r, _ in cells], 1, 1) for which in range(len(records))]
    values = sorted({value for value, _ in records})
    for place, value in product(snapshots, values):
        here = np.array([float(p == place) for _, p in cells])
        mine = np.array([float(records[r][0] == value) for r, _ in cells])
        if fixed is not None and place != snapshots[-1]:
            number = fixed.get((value, place), 0)
            rows.append((here * mine, number, number))
        else:
            rows.append((here * (l * mine - 1), -np.inf, 0))
    matrix, low, high = (np.array(part, dtype=float) for part in zip(*rows, strict=True))
    options = {"mip_rel_gap": 0.0}
    found = milp(cost, constraints=LinearConstraint(matrix, low, high), integrality=1, bounds=(0, 1), options=options)
    assert found.status == 0, found.message
    return round(found.fun, 6)


class RecordStream:
    """OptimalReposition with the records themselves, relayed from snapshot to snapshot as printed.

    `published[j][s]` and `suppressed[i][s]` are lists of homes.
    """

    def __init__(self, values, l, mu, beta):
        self.values, self.l, self.mu, self.beta = values, l, mu, beta
        self.published, self.suppressed, self.now = {}, {}, -1

    @property
    def window(self):
        return [j for j in range(self.now - len(self.mu) + 1, self.now + 1) if j in self.published]

    def push(self, arrived):
        self.now += 1
        kept, cut = {s: [self.now] * arrived[s] for s in self.values}, {s: [] for s in self.values}
        while not is_eligible([s for s in self.values for _ in kept[s]], self.l):
            fullest = max(self.values, key=lambda s: len(kept[s]))
            cut[fullest].append(kept[fullest].pop())
        self.published[self.now], self.suppressed[self.now] = kept, cut
        while self._keep_level() + self._lift_level():
            pass

    def relay(self, s, origin):
        """Move a suppressed record to its home, then the latest record of each place to the next place."""
        change = -self.beta[s]
        self.suppressed[origin][s].remove(origin)
        places = [j for j in self.window if j == origin or j == self.now or (j > origin and self.published[j][s])]
        self.published[origin][s].append(origin)
        for here, there in pairwise(places):
            latest = max(self.published[here][s])
            self.published[here][s].remove(latest)
            self.published[there][s].append(latest)
            change += self.mu[there - latest] - self.mu[here - latest]
        return -change

    def _level(self):
        return max((len(origins) for origins in self.published[self.now].values()), default=0)

    def _copy(self):
        return [{j: {s: list(h) for s, h in of.items()} for j, of in part.items()} for part in self._parts()]

    def _parts(self):
        return self.published, self.suppressed

    def _best(self, cap):
        """The largest gain of relaying any suppressed record of the window, by trying them all."""
        best = None
        for s in self.values:
            if len(self.published[self.now][s]) >= cap:
                continue
            for origin in self.window:
                if self.suppressed[origin][s]:
                    before = self._copy()
                    gain = self.relay(s, origin)
                    self.published, self.suppressed = before
                    if best is None or gain > best[0]:
                        best = (gain, s, origin)
        return best

    def _keep_level(self):
        moved = 0
        while (best := self._best(self._level())) is not None and best[0] > 0:
            self.relay(*best[1:])
            moved += 1
        return moved

    def _lift_level(self):
        level, before, gained = self._level(), self._copy(), []
        need = max(1, (level + 1) * self.l - sum(map(len, self.published[self.now].values())))
        while len(gained) < need and (best := self._best(level + 1)) is not None:
            gained.append(self.relay(*best[1:]))
        if len(gained) == need and sum(gained) > 0:
            return len(gained)
        self.published, self.suppressed = before
        return 0

    def cost(self):
        """What the window costs as it stands."""
        moved = sum(self.mu[j - i] for j in self.window for origins in self.published[j].values() for i in origins)
        return moved + sum(self.beta[s] for j in self.window for s in self.values for _ in self.suppressed[j][s])

    def keeps_order(self):
        """Whether no record is published before one of its value that arrived earlier."""
        for s in self.values:
            origins = [sorted(self.published[j][s]) for j in sorted(self.published)]
            flat = [i for group in origins for i in group]
            if flat != sorted(flat):
                return False
        return True
