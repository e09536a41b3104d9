"""Plain twin of the recoding engine: counts everything again after every merge."""

from itertools import combinations
from math import asin, cos, radians, sin, sqrt

RADIUS = 6_371_008.8


def great_circle(one, other):
    """The way along the surface of the earth, by the haversine formula."""
    (lon1, lat1), (lon2, lat2) = (tuple(map(radians, point)) for point in (one, other))
    h = sin((lat2 - lat1) / 2) ** 2 + cos(lat1) * cos(lat2) * sin((lon2 - lon1) / 2) ** 2
    return 2 * RADIUS * asin(sqrt(min(h, 1.0)))


def measure_globe_distances(lonlat, steps, extent):
    """Whole-number distances between all places of the globe."""
    return [[round(great_circle(a, b) * steps / extent) for b in lonlat] for a in lonlat]


def measure_distances(xy):
    """Whole-number distances between all places: rint(distance * 2^q / diagonal)."""
    places = len(xy)
    q = max(q for q in range(31) if places * places * 2**q < 4 * 2**53)
    width = max(x for x, _ in xy) - min(x for x, _ in xy)
    height = max(y for _, y in xy) - min(y for _, y in xy)
    diagonal = sqrt(width * width + height * height) or 1.0
    return [[round(sqrt((x - u) * (x - u) + (y - v) * (y - v)) * 2**q / diagonal) for u, v in xy] for x, y in xy]


def find_ancestors(node, parent):
    """The node and all nodes above it, lowest first."""
    path = [node]
    while parent[path[-1]] >= 0:
        path.append(parent[path[-1]])
    return path


def count_common_leaves(nodes, tree):
    """Leaves below the lowest common ancestor."""
    _, parent, leaves = tree
    paths = [find_ancestors(node, parent) for node in nodes]
    return leaves[next(node for node in paths[0] if all(node in path for path in paths))]


def list_subsequences(row, size):
    """All distinct subsequences of one size."""
    return set(combinations(row, size))


def is_subsequence(short, row):
    """Whether `short` can be had from `row` by deleting."""
    rest = iter(row)
    return all(item in rest for item in short)


class Data:
    """Trajectories seen through the current groups; a group is known by its smallest place, -1 is suppressed."""

    def __init__(self, trajectories, sensitive):
        self.trajectories = trajectories
        self.sensitive = sensitive or [set() for _ in trajectories]
        self.group = {place: place for row in trajectories for place in row}

    def image(self, places):
        return [self.group[place] for place in places if self.group[place] != -1]

    def replace(self, places, group):
        self.group.update(dict.fromkeys(places, group))

    def rows(self):
        return [self.image(row) for row in self.trajectories]

    def members(self, group):
        return [place for place in self.group if self.group[place] == group]

    def groups(self):
        return set(self.group.values()) - {-1}

    def supporters(self, sequence):
        return [number for number, row in enumerate(self.rows()) if is_subsequence(sequence, row)]

    def violates(self, sequence, k, l):
        supporters = self.supporters(sequence)
        if 0 < len(supporters) < k:
            return True
        visits = [code for number in supporters for code in self.sensitive[number]]
        return l > 1 and any(l * visits.count(code) > len(supporters) for code in visits)


def find_nearest(data, l1, distance, constraint, tree):
    """The group nearest to l1 by average linkage, times the leaves under both if there is a tree."""

    def score(l2):
        mine, theirs = data.members(l1), data.members(l2)
        mean = float(sum(distance[a][b] for a in mine for b in theirs)) / float(len(theirs))
        nodes = [tree[0][place] for place in mine + theirs] if tree else []
        return mean * float(count_common_leaves(nodes, tree)) if tree else mean

    others = [l2 for l2 in data.groups() if l2 != l1 and (not constraint or constraint[l2] == constraint[l1])]
    return min(others, key=lambda l2: (score(l2), l2), default=None)


def recode(
    trajectories, xy, k, m, l=1, sensitive=None, constraint=None, tree=None, sizes=None, limit=-1, distance=None
):
    """Group of every place (its smallest code, or -1 when suppressed), or the failure.

    `tree` is (node of each place, parent of each node, leaves below each node). A failure is
    ("infeasible" or "limit", size, support) of the sequence that could not be repaired.
    """
    data = Data(trajectories, sensitive)
    distance = distance or measure_distances(xy)
    suppressed = 0
    while True:
        before = dict(data.group)
        for size in sizes or range(1, m + 1):
            found = set().union(*(list_subsequences(row, size) for row in data.rows()))
            broken = [s for s in found if data.violates(s, k, l)]
            for places in sorted(broken, key=lambda s: (len(data.supporters(s)), s)):
                # A merge may rename a group, and groups are named by places: read s through the mapping again.
                while (s := data.image(places)) and data.violates(s, k, l):
                    l1 = min(s, key=lambda group: (len(data.supporters([group])), group))
                    l2 = find_nearest(data, l1, distance, constraint, tree)
                    if l2 is not None:
                        data.replace(data.members(l1) + data.members(l2), min(l1, l2))
                        continue
                    if limit < 0:
                        return "infeasible", len(s), len(data.supporters(s))
                    suppressed += len(data.members(l1))
                    if suppressed > limit:
                        return "limit", len(s), len(data.supporters(s))
                    data.replace(data.members(l1), -1)
        if l <= 1 or data.group == before:
            return [data.group.get(place, place) for place in range(len(xy))]
