"""The fewest and the most records that have some items, over every data set that could be the original."""

import itertools

from tests.kinds.sets.naive.reconstructions import FILLED, Published, _give


def bounds_by_trying(clusters, rows, tests):
    """Return the smallest and the largest number of records that have, for each test, one of its items.

    Subrecords are given to different records in every way; every item of a term chunk to some records of its leaf, at
    least one; no record may be left with nothing.
    """
    from collections import Counter

    published = Published(clusters, rows)
    known = sorted({item for test in tests for item in test})
    bit = {item: 4 << at for at, item in enumerate(known)}
    leaves, chunks = published.leaves(), published.chunks()
    size = {name: size for name, _, size in clusters}
    worlds = {tuple((0,) * size[leaf] for leaf in leaves)}
    for _, fits in published.open_leaves():
        given = Counter((sum(bit.get(item, 0) for item in s), open_to) for s, open_to in fits)
        worlds = {world for before in worlds for world in _give(before, given)}
    masks = [sum(bit[item] for item in test) for test in tests]
    smallest, most = None, None
    ways = {}
    for world in worlds:
        counts = []
        for leaf, records in zip(leaves, world, strict=True):
            if (leaf, records) not in ways:
                terms = frozenset().union(*chunks.get((leaf, 0), []))
                ways[leaf, records] = _count_ways(records, terms, bit, masks)
            counts.append(ways[leaf, records])
        if all(counts):
            low, high = sum(min(found) for found in counts), sum(max(found) for found in counts)
            smallest = low if smallest is None else min(smallest, low)
            most = high if most is None else max(most, high)
    return smallest, most


def _count_ways(records, terms, bit, masks):
    """Return all numbers of records of a leaf that can pass the tests, whoever gets the items of its term chunk."""
    asked = [item for item in sorted(terms) if item in bit]
    loose = len(terms) > len(asked)
    found = set()
    subsets = [c for n in range(1, len(records) + 1) for c in itertools.combinations(range(len(records)), n)]
    for chosen in itertools.product(subsets, repeat=len(asked)):
        filled = list(records)
        for item, owners in zip(asked, chosen, strict=True):
            for owner in owners:
                filled[owner] |= bit[item] | FILLED
        if loose or all(record & FILLED for record in filled):
            found.add(sum(all(record & mask for mask in masks) for record in filled))
    return found
