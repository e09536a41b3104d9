"""Classes of records by the book: every record looked at again for every step, values as they stand in the table."""

import dataclasses


@dataclasses.dataclass
class Column:
    """A column with all it has; a tree is a dictionary of parents, without one labels are published as sets."""

    cells: list
    parents: dict | None = None
    weight: float = 1.0

    def path(self, value):
        """Return a value and all above it."""
        found = [value]
        while found[-1] in self.parents:
            found.append(self.parents[found[-1]])
        return found

    def leaves(self, node):
        """Return the leaves below a node."""
        inner = set(self.parents.values())
        everything = set(self.parents) | inner
        return {value for value in everything - inner if node in self.path(value)}

    def meet(self, values):
        """Return the lowest node above all values."""
        paths = [self.path(value) for value in values]
        return next(node for node in paths[0] if all(node in path for path in paths))

    def hull(self, values):
        """Return what is published for values together; None for nothing at all."""
        known = {value for value in values if value is not None}
        if not known:
            return "missing"
        if None in values:
            return None
        if self.parents is not None:
            root = self.path(next(iter(known)))[-1]
            node = self.meet(known)
            return None if node == root else node
        if isinstance(next(iter(known)), str):
            every = set(self.cells)
            return None if known == every and len(known) > 1 else frozenset(known)
        return (min(known), max(known))

    def price(self, values):
        """Return the NCP of values that are published together, times the weight."""
        known = {value for value in values if value is not None}
        if len(set(values)) == 1:
            return 0.0
        if None in values:
            return self.weight
        if self.parents is not None:
            root = self.path(next(iter(known)))[-1]
            return self.weight * (len(self.leaves(self.meet(known))) / len(self.leaves(root)))
        everything = {value for value in self.cells if value is not None}
        if isinstance(next(iter(known)), str):
            return self.weight * (len(known) / len(everything))
        return min((max(known) - min(known)) * (self.weight / (max(everything) - min(everything))), self.weight)


def price_rows(columns, rows):
    """Return what rows cost that are published alike."""
    total = 0.0
    for column in columns:
        total += column.price([column.cells[row] for row in rows])
    return total


def hull_of(columns, rows):
    """Return the published cells of rows together."""
    return tuple(column.hull([column.cells[row] for row in rows]) for column in columns)


def plain_cluster(columns, k, at_a_time=None):
    """CLUSTER without any index: the classes as lists of rows; seeds are the first rows that are left."""
    left = list(range(len(columns[0].cells)))
    clusters = []
    while len(left) >= k:
        cluster = [left.pop(0)]
        while len(cluster) < k:
            near = sorted(left, key=lambda row: (price_rows(columns, [*cluster, row]), row))[: at_a_time or k - 1]
            cluster += near
            left = [row for row in left if row not in near]
        clusters.append(cluster)
    if not clusters:
        return [left]
    for row in left:
        best = min(range(len(clusters)), key=lambda c: (price_rows(columns, [*clusters[c], row]), c))
        clusters[best].append(row)
    return clusters


def merge_equal(columns, clusters):
    """Join the clusters that publish the same cells."""
    found = {}
    for cluster in clusters:
        found.setdefault(hull_of(columns, cluster), []).extend(cluster)
    return list(found.values())


def cheapest_partner(columns, clusters, c):
    """Return the class whose joining adds least to the loss of all records; of equal ones the first."""

    def added(other):
        both = [*clusters[c], *clusters[other]]
        alone = len(clusters[c]) * price_rows(columns, clusters[c])
        alone += len(clusters[other]) * price_rows(columns, clusters[other])
        return len(both) * price_rows(columns, both) - alone

    return min((other for other in range(len(clusters)) if other != c and clusters[other]), key=lambda o: (added(o), o))
