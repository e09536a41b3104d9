"""Generalisation of sets of items, step by step with plain sets.

Rows are sets of numbers. Trees are lists of parents, leaves first, each node with a higher number than those below.
"""

from itertools import chain, combinations, product


def count_itemsets(rows, size):
    """How many rows hold each itemset of a size."""
    counts = {}
    for row in rows:
        for itemset in combinations(sorted(row), size):
            counts[itemset] = counts.get(itemset, 0) + 1
    return counts


def is_km(rows, k, m):
    """Whether every set of up to m values of a row is in at least k rows."""
    return all(count >= k for size in range(1, m + 1) for count in count_itemsets(rows, size).values())


def list_subsets(itemset):
    items = sorted(set(itemset))
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


def is_protected(rows, published, itemset, k):
    """Whether no row or at least k hold the published values of every non-empty subset of an itemset."""
    for subset in list_subsets(itemset):
        values = {published[item] for item in subset if published.get(item) is not None}
        support = sum(values <= set(row) for row in rows)
        if values and 0 < support < k:
            return False
    return True


class Tree:
    def __init__(self, parent, leaves):
        self.parent, self.leaves = parent, leaves
        self.below = [{leaf for leaf in range(leaves) if node in self.path(leaf)} for node in range(len(parent))]

    def path(self, node):
        found = [node]
        while self.parent[found[-1]] >= 0:
            found.append(self.parent[found[-1]])
        return found


def price(tree, rows, node):
    size = len(tree.below[node])
    return size * sum(len(row & tree.below[node]) for row in rows) if size > 1 else 0


def move_cut(rows, tree, k, m, cut=None, allowed=lambda node: True):
    """The node each leaf is published as, and how many rare itemsets no move helped."""
    cut = list(range(tree.leaves)) if cut is None else list(cut)
    left = 0
    for size in range(1, m + 1):
        counts = count_itemsets([{min(tree.below[cut[leaf]]) for leaf in row} for row in rows], size)
        rare = sorted((count, itemset) for itemset, count in counts.items() if count < k)
        for _, itemset in rare:
            image = sorted({cut[leaf] for leaf in itemset}, key=lambda node: min(tree.below[node]))
            published = [{cut[leaf] for leaf in row} for row in rows]
            if len(image) < size or sum(set(image) <= row for row in published) >= k:
                continue
            move = choose_move(rows, tree, k, cut, image, allowed)
            left += not move
            for node in move:
                for leaf in tree.below[node]:
                    cut[leaf] = node
    return cut, left


def choose_move(rows, tree, k, cut, image, allowed):
    paths = [[node for at, node in enumerate(tree.path(start)) if at == 0 or allowed(node)] for start in image]
    best, move = None, ()
    for targets in list(product(*paths))[1:]:
        kept = {node for node in targets if not any(other in tree.path(node)[1:] for other in targets)}
        cost = 0
        for node in kept:
            published = {cut[leaf] for leaf in tree.below[node]}
            cost += price(tree, rows, node) - sum(price(tree, rows, old) for old in published)
        support = sum(all(row & tree.below[node] for node in kept) for row in rows)
        if support >= k and (best is None or cost < best):
            best, move = cost, kept
    return move


def group_items(rows, constraint, k, tried, wanted, *, helping=False):
    """The first item of the group of each item, None where it is suppressed.

    `wanted` is a list of itemsets to protect, or the size up to which all are.
    """
    groups = [{item} for item in range(len(constraint))]
    if isinstance(wanted, int):
        for size in range(1, wanted + 1):
            repair(rows, groups, constraint, k, tried, count_itemsets(publish(rows, groups), size), helping)
    else:
        subsets = {subset for itemset in wanted for subset in list_subsets(itemset)}
        before = None
        while before != groups:
            before = list(groups)
            for size in sorted({len(subset) for subset in subsets}):
                counts = count_wanted(rows, groups, [subset for subset in subsets if len(subset) == size])
                repair(rows, groups, constraint, k, tried, counts, helping)
    first = {item: min(group) for group in groups for item in group}
    return [first.get(item) for item in range(len(constraint))]


def count_wanted(rows, groups, subsets):
    """How many rows hold what itemsets are published as; itemsets that have become smaller are left out."""
    first = {item: min(group) for group in groups for item in group}
    images = {tuple(sorted({first[item] for item in s})) for s in subsets if set(s) <= set(first)}
    published = publish(rows, groups)
    size = len(subsets[0])
    return {s: sum(set(s) <= row for row in published) for s in images if len(s) == size}


def repair(rows, groups, constraint, k, tried, counts, helping):
    """Protect the rare itemsets, rarest first."""
    for _, itemset in sorted((count, itemset) for itemset, count in counts.items() if 0 < count < k):
        protect(rows, groups, itemset, constraint, k, tried, helping)


def publish(rows, groups):
    first = {item: min(group) for group in groups for item in group}
    return [{first[item] for item in row if item in first} for row in rows]


def holders(rows, group):
    return {number for number, row in enumerate(rows) if row & group}


def protect(rows, groups, itemset, constraint, k, tried, helping):
    """Unite or drop groups until an itemset is frequent, or has become smaller."""
    while True:
        members = [group for group in groups if group & set(itemset)]
        if len(members) < len(itemset):
            return
        held = len(set.intersection(*(holders(rows, group) for group in members)))
        if held >= k:
            return
        members.sort(key=lambda group: (len(holders(rows, group)), min(group)))
        choices = []
        for rank, group in enumerate(members[:tried]):
            for other in groups:
                same = constraint[min(group)] == constraint[min(other)]
                if other is not group and same and holders(rows, other):
                    help = min(count_help(rows, members, group, other, k), k - held)
                    loss = (2 ** len(group | other) - 1) * len(holders(rows, group | other))
                    choices.append((-help, loss, rank, min(other), group, other))
        if not helping or all(choice[0] == 0 for choice in choices):
            choices = [(0, *choice[1:]) for choice in choices]
        if not choices:
            groups.remove(members[0])
            continue
        _, _, _, _, group, other = min(choices, key=lambda choice: choice[:4])
        groups.remove(group)
        groups.remove(other)
        groups.append(group | other)


def count_help(rows, members, group, other, k):
    """How many more rows hold an itemset when one of its groups is united with another; enough if it is one of them."""
    if other in members:
        return k
    rest = [member for member in members if member is not group]
    return sum(bool(row & other) and not row & group and all(row & member for member in rest) for row in rows)
