"""How many people every crowd of a guarantee has, by looking at every record for every piece of knowledge."""

from itertools import combinations


def contains(history, known):
    """Tell whether a history has the known values in this order."""
    rest = iter(history)
    return all(value in rest for value in known)


def of_sequences(histories, people, m):
    """Fewest people whose histories contain a sequence of up to m values of some history."""
    found = [len(set(people))]
    for history in histories:
        for size in range(1, m + 1):
            for known in combinations(history, size):
                found.append(len({who for other, who in zip(histories, people, strict=True) if contains(other, known)}))
    return min(found)


def of_sets(records, people, m):
    """Fewest people whose records have up to m values of some record."""
    found = [len(set(people))]
    for record in records:
        for size in range(1, m + 1):
            for known in combinations(sorted(set(record)), size):
                found.append(len({who for other, who in zip(records, people, strict=True) if set(known) <= set(other)}))
    return min(found)


def of_itemsets(records, people, itemsets, members):
    """Fewest people, but somebody, whose records may have some items of a named itemset."""

    def may_have(record, item):
        return any(item in members.get(value, (value,)) for value in record)

    found = [len(set(people))]
    for itemset in itemsets:
        told = [item for item in itemset if any(may_have(record, item) for record in records)]
        for size in range(1, len(told) + 1):
            for known in combinations(told, size):
                who = {
                    person
                    for record, person in zip(records, people, strict=True)
                    if all(may_have(record, item) for item in known)
                }
                if who:
                    found.append(len(who))
    return min(found)


def of_groups(groups, people):
    """Fewest people of a group."""
    by_group = {}
    for group, person in zip(groups, people, strict=True):
        by_group.setdefault(group, set()).add(person)
    return min(len(members) for members in by_group.values())


def of_chunks(clusters, rows, records, people, m):
    """Fewest people of a leaf, or of those whose items in one chunk include some known ones.

    ``clusters`` are (name, parent, size), ``rows`` are (cluster, chunk, items); ``records`` and ``people`` come leaf by
    leaf. An item of a record is in a chunk of its leaf or, if none there has it, of the nearest cluster above.
    """
    parent = {name: above for name, above, _ in clusters}
    leaves = [(name, size) for name, _, size in clusters if name not in set(parent.values())]
    held = {}
    for cluster, chunk, items in rows:
        for item in items:
            held[cluster, item] = chunk
    leaf_of = [name for name, size in leaves for _ in range(size)]
    found = [len(set(people)), of_groups(leaf_of, people)]
    inside = {}
    for number, (leaf, record, person) in enumerate(zip(leaf_of, records, people, strict=True)):
        for item in set(record):
            cluster = leaf
            while (cluster, item) not in held:
                cluster = parent[cluster]
            if held[cluster, item] != 0:
                inside.setdefault((cluster, held[cluster, item]), {}).setdefault((number, person), set()).add(item)
    for subrecords in inside.values():
        for items in subrecords.values():
            for size in range(1, m + 1):
                for known in combinations(sorted(items), size):
                    found.append(len({who for (_, who), other in subrecords.items() if set(known) <= other}))
    return min(found)
