"""The attacker of sets by brute force: every item set, every record, every data set a release could come from."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations, product

Cluster = tuple[str, str | None, int]
Row = tuple[str, int, list[str]]
World = dict[str, list[set[str]]]


def subsets(items: Sequence[str] | set[str], m: int) -> list[frozenset[str]]:
    """All non-empty sets of up to m items."""
    return [frozenset(c) for size in range(1, m + 1) for c in combinations(sorted(items), size)]


def itemset_supports(rows: Sequence[Sequence[str]], m: int) -> Counter[frozenset[str]]:
    return Counter(chosen for row in rows for chosen in subsets(set(row), m))


def matches(record: Sequence[str], known: frozenset[str], members: Mapping[str, Sequence[str]]) -> bool:
    """Each known item has a value that may stand for it; one value may stand for several."""
    return all(any(item in members.get(value, [value]) for value in record) for item in known)


def smallest_sets(
    published: Sequence[Sequence[str]],
    members: Mapping[str, Sequence[str]],
    suppressed: Sequence[str],
    original: Sequence[Sequence[str]],
    m: int,
) -> list[tuple[int, bool]]:
    """For every person: the smallest non-empty set of matching records, and whether something matches none."""
    shown = {item for row in published for value in row for item in members.get(value, [value])}
    answers = []
    for row in original:
        known = {frozenset(s for s in chosen if s in shown or s not in suppressed) for chosen in subsets(set(row), m)}
        counts = [sum(matches(record, chosen, members) for record in published) for chosen in known]
        answers.append((min((n for n in counts if n), default=0), 0 in counts))
    return answers


class Tree:
    """Clusters and chunks as plain lists."""

    def __init__(self, clusters: Sequence[Cluster], rows: Sequence[Row]) -> None:
        self.parent = {name: parent for name, parent, _ in clusters}
        self.size = {name: size for name, _, size in clusters}
        self.leaves = [name for name in self.parent if name not in set(self.parent.values())]
        self.chunks: dict[tuple[str, int], list[frozenset[str]]] = {}
        for cluster, number, items in rows:
            self.chunks.setdefault((cluster, number), []).append(frozenset(items))

    def above(self, name: str) -> list[str]:
        """The cluster itself and its ancestors, upwards."""
        path = [name]
        while (parent := self.parent[path[-1]]) is not None:
            path.append(parent)
        return path

    def domain(self, cluster: str) -> set[str]:
        """Terms in record or shared chunks of a cluster."""
        chunks = (subrecords for (name, number), subrecords in self.chunks.items() if name == cluster and number)
        return set(chain.from_iterable(chain.from_iterable(chunks)))

    def closed(self, leaf: str, joint: str, term: str) -> bool:
        path = self.above(leaf)
        return any(term in self.domain(node) for node in path[: path.index(joint)])

    def may_have(self, leaf: str, cluster: str, subrecord: frozenset[str]) -> bool:
        return cluster in self.above(leaf) and not any(self.closed(leaf, cluster, term) for term in subrecord)


def reconstructions(clusters: Sequence[Cluster], rows: Sequence[Row]) -> Iterator[World]:
    """Every data set that could have been published as these chunks, many of them more than once."""
    tree = Tree(clusters, rows)
    slots = [(leaf, i) for leaf in tree.leaves for i in range(tree.size[leaf])]
    choices = []
    for (cluster, number), subrecords in tree.chunks.items():
        if number:
            ways = {
                tuple(zip(places, subrecords, strict=True))
                for places in permutations(slots, len(subrecords))
                if all(tree.may_have(leaf, cluster, s) for (leaf, _), s in zip(places, subrecords, strict=True))
            }
            choices.append(list({frozenset(Counter(way).items()) for way in ways}))
        else:
            own = [slot for slot in slots if slot[0] == cluster]
            some = [c for n in range(1, len(own) + 1) for c in combinations(own, n)]
            for term in next(iter(subrecords)):
                choices.append([frozenset(((slot, frozenset([term])), 1) for slot in c) for c in some])
    for picked in product(*choices):
        world = {slot: set[str]() for slot in slots}
        for way in picked:
            for (slot, subrecord), _ in way:
                world[slot] |= subrecord
        if all(world.values()):
            yield {leaf: [world[leaf, i] for i in range(tree.size[leaf])] for leaf in tree.leaves}


def most_records(clusters: Sequence[Cluster], rows: Sequence[Row], m: int) -> dict[frozenset[str], int]:
    """For every set of up to m terms that a record could have: the most records that can have it at once."""
    most: dict[frozenset[str], int] = {}
    for world in reconstructions(clusters, rows):
        for chosen, count in itemset_supports([sorted(r) for rs in world.values() for r in rs], m).items():
            most[chosen] = max(most.get(chosen, 0), count)
    return most


def keeps_guarantee(clusters: Sequence[Cluster], rows: Sequence[Row], k: int, m: int) -> bool:
    """Guarantee 1 of the paper, tried out."""
    return all(count >= k for count in most_records(clusters, rows, m).values())


def draw_reconstruction(rng: random.Random, clusters: Sequence[Cluster], rows: Sequence[Row]) -> list[list[str]] | None:
    """Deal subrecords at random, the most restricted first; people leaf by leaf, or None where a deal does not work."""
    tree = Tree(clusters, rows)
    people = {(leaf, i): set[str]() for leaf in tree.leaves for i in range(tree.size[leaf])}
    for (cluster, number), subrecords in tree.chunks.items():
        if number == 0:
            for term in sorted(subrecords[0]):
                own = [slot for slot in people if slot[0] == cluster]
                for slot in rng.sample(own, rng.choice([1, 1, len(own)])):
                    people[slot].add(term)
            continue
        free = set(people)
        homes = [(s, [p for p in people if tree.may_have(p[0], cluster, s)]) for s in subrecords]
        for subrecord, allowed in sorted(homes, key=lambda home: len(home[1])):
            left = sorted(free & set(allowed))
            if not left:
                return None
            slot = rng.choice(left)
            free.discard(slot)
            people[slot] |= subrecord
    return [sorted(people[slot]) for slot in people] if all(people.values()) else None
