"""Plain twins for itemsets: mining by trying all subsets, chunks by projecting, means by enumerating."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction


def best_itemsets(rows, count, related=lambda a, b: False):
    """Return the best (support, itemset) pairs: by support, then size, then items."""
    counts = Counter(
        items for row in rows for size in range(1, len(row) + 1) for items in itertools.combinations(sorted(row), size)
    )
    kept = {
        items: support
        for items, support in counts.items()
        if not any(related(a, b) for a, b in itertools.combinations(items, 2))
    }
    ranked = sorted(kept.items(), key=lambda entry: (-entry[1], len(entry[0]), entry[0]))
    return [(support, items) for items, support in ranked[:count]]


def count_records(records, itemset):
    return sum(set(itemset) <= set(record) for record in records)


def leaves_of(clusters):
    parents = {parent for _, parent, _ in clusters}
    return [(name, size) for name, _, size in clusters if name not in parents]


def source_of(clusters, rows, leaf, item):
    """Return (cluster, chunk) a leaf's records get an item from, None for none: the first on the way up."""
    above = {name: parent for name, parent, _ in clusters}
    node = leaf
    while node is not None:
        for name, chunk, items in rows:
            if name == node and item in items:
                return node, chunk
        node = above[node]
    return None


def misfits(clusters, rows, records):
    """Return what keeps records (cluster by cluster) from being a possible original; nothing if they are one."""
    found, start = [], 0
    bags = {(name, chunk): Counter() for name, chunk, _ in rows}
    for leaf, size in leaves_of(clusters):
        for record in records[start : start + size]:
            if not record:
                found.append("empty record")
            parts = {}
            for item in record:
                parts.setdefault(source_of(clusters, rows, leaf, item), set()).add(item)
            for source, part in parts.items():
                if source is None:
                    found.append("item from nowhere")
                elif source[1] == 0:
                    bags[source].update((item,) for item in part)
                else:
                    bags[source][tuple(sorted(part))] += 1
        start += size
    if start != len(records):
        found.append("number of records")
    for (name, chunk), bag in bags.items():
        published = [tuple(sorted(items)) for n, c, items in rows if (n, c) == (name, chunk)]
        if chunk == 0:
            if set(bag) != {(item,) for items in published for item in items}:
                found.append("term chunk")
        elif bag != Counter(published):
            found.append("chunk")
    return found


def mean_support(size, chunks, terms, itemset):
    """Return the mean number of records with an itemset in one leaf, over all equally likely placements."""
    records = range(size)
    ways = [list(itertools.permutations(records, len(chunk))) for chunk in chunks] + [list(records)] * len(terms)
    total, weight = Fraction(0), 0
    for way in itertools.product(*ways):
        filled = [set() for _ in records]
        for chunk, places in zip(chunks, way, strict=False):
            for items, place in zip(chunk, places, strict=True):
                filled[place] |= set(items)
        for term, place in zip(terms, way[len(chunks) :], strict=True):
            filled[place].add(term)
        empty = [record for record in records if not filled[record]]
        if empty and not terms:
            continue
        weight += 1
        total += count_records([record for record in filled if record], itemset)
        if len(itemset) == 1 and itemset[0] in terms:
            total += Fraction(len(empty), len(terms))
    return total / weight
