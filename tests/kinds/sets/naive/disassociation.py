"""Disassociation as the paper tells it, on plain sets."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from tests.kinds.sets.naive.reconstructions import Published

Record = frozenset
Domain = tuple[int, ...]


def cut_evenly(records: list, smallest: int, largest: int) -> list[list]:
    """Cut a list into parts of about equal size."""
    parts = max(1, min(-(-len(records) // largest), len(records) // smallest))
    size, more = divmod(len(records), parts)
    ends = list(itertools.accumulate(size + (part < more) for part in range(parts)))
    return [records[a:b] for a, b in zip([0, *ends], ends, strict=False)]


def length_bands(records: list[tuple[int, Record]], least: int) -> list[list]:
    """Records of 1, 2 to 3, 4 to 7, ... terms; fewer than the least wait for longer ones, or join the last band."""
    bands, waiting, longest = [], [], 1
    while len(records) > sum(map(len, bands)) + len(waiting):
        inside = [r for r in records if longest <= max(len(r[1]), 1) < 2 * longest]
        waiting = [r for r in records if r in waiting or r in inside]
        if len(waiting) >= least:
            bands, waiting = [*bands, waiting], []
        longest *= 2
    if waiting and bands:
        last = bands.pop()
        return [*bands, [r for r in records if r in last or r in waiting]]
    return [*bands, waiting] if waiting else bands


def horpart(records: list[tuple[int, Record]], smallest: int, largest: int, ignore: frozenset = frozenset()) -> list:
    """Split (row, terms) pairs by their most frequent term; too few records stay with their sibling."""
    if len(records) <= largest:
        return [records]
    support = Counter(term for _, terms in records for term in terms if term not in ignore)
    term = min(support, key=lambda t: (-support[t], t), default=None)
    if term is None or support[term] < smallest:
        return cut_evenly(records, smallest, largest)
    having = [record for record in records if term in record[1]]
    others = [record for record in records if term not in record[1]]
    if len(others) < smallest:
        return horpart(records, smallest, largest, ignore | {term})
    return horpart(having, smallest, largest, ignore | {term}) + horpart(others, smallest, largest, ignore)


def project(records: Iterable[Record], domain: Iterable) -> list[Record]:
    """Return the subrecords that are not empty."""
    wanted = frozenset(domain)
    return [record & wanted for record in records if record & wanted]


def is_km_anonymous(subrecords: list[Record], k: int, m: int) -> bool:
    """Tell whether every combination of up to m terms that occurs occurs k times."""
    counts = Counter(
        combination
        for subrecord in subrecords
        for size in range(1, m + 1)
        for combination in itertools.combinations(sorted(subrecord), size)
    )
    return all(count >= k for count in counts.values())


def is_k_anonymous(subrecords: list[Record], k: int) -> bool:
    """Tell whether every subrecord occurs k times."""
    return all(count >= k for count in Counter(subrecords).values())


def by_support(records: Iterable[Record], terms: Iterable[int]) -> list[int]:
    """Order terms by falling support, then by code."""
    support = Counter(term for record in records for term in record)
    return sorted(terms, key=lambda t: (-support[t], t))


def fill_chunks(ordered: list[int], is_good: Callable[[Domain, list[Domain]], bool]) -> list[Domain]:
    """Fill chunk after chunk with the terms that leave it good; a term that is not good alone is left out."""
    chunks: list[Domain] = []
    remaining = list(ordered)
    while remaining:
        current: Domain = ()
        for term in list(remaining):
            if is_good((*current, term), chunks):
                current += (term,)
                remaining.remove(term)
            elif not current:
                remaining.remove(term)
        if current:
            chunks.append(current)
    return chunks


def is_self_sufficient(records: list[Record], domains: Sequence[Domain], k: int, m: int) -> bool:
    """Tell whether there are enough subrecords to do without a term chunk (Lemma 2)."""
    subrecords = sum(len(project(records, domain)) for domain in domains)
    return bool(domains) and subrecords >= len(records) + k * (min(m, len(domains)) - 1)


def verpart(records: list[Record], k: int, m: int, apart: frozenset = frozenset()) -> tuple[list[Domain], set[int]]:
    """Return the domains of the record chunks, and the term chunk."""
    terms = set().union(*records)
    support = Counter(term for record in records for term in record)
    ordered = [t for t in by_support(records, terms) if support[t] >= k and t not in apart]
    domains = fill_chunks(ordered, lambda domain, _: is_km_anonymous(project(records, domain), k, m))
    rest = terms - set(ordered)
    if not rest and not is_self_sufficient(records, domains, k, m):
        rest = {ordered[-1]}
        domains = [tuple(t for t in domain if t not in rest) for domain in domains]
    return [domain for domain in domains if domain], rest


@dataclasses.dataclass(eq=False)
class Cluster:
    """A leaf with records and a term chunk, or a joint cluster with children; ``domains`` are its chunks."""

    records: list[Record]
    domains: list[Domain]
    terms: set[int] = dataclasses.field(default_factory=set)
    children: tuple[Cluster, ...] = ()

    def leaves(self) -> list[Cluster]:
        return [leaf for child in self.children for leaf in child.leaves()] if self.children else [self]

    def below(self) -> list[Cluster]:
        return [self, *(cluster for child in self.children for cluster in child.below())]

    @property
    def size(self) -> int:
        return sum(len(leaf.records) for leaf in self.leaves())

    def is_closed(self, term: int, leaf: Cluster) -> bool:
        """Tell whether the leaf has the term in a chunk of its own, or shares one with it, inside this tree."""
        return any(leaf in c.leaves() and any(term in domain for domain in c.domains) for c in self.below())


@dataclasses.dataclass(frozen=True)
class Asked:
    k: int
    m: int
    safe: bool = False
    apart: frozenset = frozenset()


def has_room(domain: Domain, pair: tuple[Cluster, Cluster], k: int) -> bool:
    """Tell whether k records of any leaf can be kept free, and what does not fit everywhere still finds a record."""
    leaves = [(leaf, tree) for tree in pair for leaf in tree.leaves()]
    subrecords = [r for leaf, _ in leaves for r in project(leaf.records, leaf.terms & set(domain))]

    def open_to(subrecord: Record) -> set[int]:
        return {at for at, (leaf, tree) in enumerate(leaves) if not any(tree.is_closed(t, leaf) for t in subrecord)}

    fits = [open_to(subrecord) for subrecord in subrecords]
    bound = [where for where in fits if len(where) < len(leaves)]
    sizes = [len(leaf.records) for leaf, _ in leaves]
    return all(
        find_places(bound, [size - k * (at == free) for at, size in enumerate(sizes)]) for free in set().union(*bound)
    )


def find_places(fits: list[set[int]], sizes: list[int]) -> bool:
    """Tell whether everything finds a place of its own, by letting those who have one look for another."""
    holder: dict[tuple[int, int], int] = {}

    def place(one: int, asked: set) -> bool:
        for at in [(leaf, seat) for leaf in sorted(fits[one]) for seat in range(sizes[leaf])]:
            if at not in asked:
                asked.add(at)
                if at not in holder or place(holder[at], asked):
                    holder[at] = one
                    return True
        return False

    return all(place(one, set()) for one in range(len(fits)))


def shared_domains(pair: tuple[Cluster, Cluster], asked: Asked) -> list[Domain]:
    """Return the domains of the shared chunks two trees can have."""
    leaves = [(leaf, tree) for tree in pair for leaf in tree.leaves()]
    held = [set().union(*(leaf.terms for leaf in tree.leaves())) - asked.apart for tree in pair]
    candidates = held[0] & held[1]
    projected = [record & leaf.terms for leaf, _ in leaves for record in leaf.records]
    support = Counter(term for record in projected for term in record)

    def is_good(domain: Domain, before: list[Domain]) -> bool:
        subrecords = project(projected, domain)
        if not is_km_anonymous(subrecords, asked.k, asked.m):
            return False
        conflict = any(tree.is_closed(term, leaf) for term in domain for leaf, tree in leaves)
        if conflict and not (is_k_anonymous(subrecords, asked.k) and has_room(domain, pair, asked.k)):
            return False
        gone = set(domain).union(*before)
        for leaf, _ in leaves:
            if leaf.terms <= gone and not is_self_sufficient(leaf.records, leaf.domains, asked.k, asked.m):
                return False
        if asked.safe:
            for term in domain:
                open_leaves = [leaf for leaf, tree in leaves if not tree.is_closed(term, leaf)]
                if support[term] == sum(len(leaf.records) for leaf in open_leaves):
                    return False
        return True

    return fill_chunks(by_support(projected, candidates), is_good)


def pays(pair: tuple[Cluster, Cluster], domains: list[Domain]) -> bool:
    """Tell whether Equation 1 holds for the terms that are shared."""
    refining = {term for domain in domains for term in domain}
    leaves = [leaf for tree in pair for leaf in tree.leaves() if leaf.terms & refining]
    support = sum(len(record & leaf.terms & refining) for leaf in leaves for record in leaf.records)
    kept = sum(len(leaf.terms & refining) for leaf in leaves)
    records = sum(len(leaf.records) for leaf in leaves)
    return support * records >= kept * sum(tree.size for tree in pair)


def refine(leaves: list[Cluster], asked: Asked, criterion: Callable = pays) -> list[Cluster]:
    """Join neighbours until nothing changes; return the trees."""
    done: list[Cluster] = []
    trees = list(leaves)
    changed = True
    while changed:
        changed = False
        held = {id(tree): set().union(*(leaf.terms for leaf in tree.leaves())) - asked.apart for tree in trees}
        done += [tree for tree in trees if not held[id(tree)]]
        trees = [tree for tree in trees if held[id(tree)]]
        frequency = Counter(term for tree in trees for term in held[id(tree)])

        def content(tree: Cluster, held: dict = held, frequency: Counter = frequency) -> list[tuple[int, int]]:
            return sorted((-frequency[term], term) for term in held[id(tree)])

        trees.sort(key=content)
        following, at = [], 0
        while at < len(trees):
            pair = tuple(trees[at : at + 2])
            domains = shared_domains(pair, asked) if len(pair) == 2 else []
            if domains and criterion(pair, domains):
                gone = {term for domain in domains for term in domain}
                for leaf in (leaf for tree in pair for leaf in tree.leaves()):
                    leaf.terms -= gone
                following.append(Cluster([], domains, children=pair))
                changed, at = True, at + 2
            else:
                following.append(trees[at])
                at += 1
        trees = following
    return done + trees


def find_covers(records: list[Record], domains: list[Domain], terms: set[int]) -> set[int]:
    """Return the terms of record chunks that all records have, unless there is nothing but one record chunk."""
    if len(domains) == 1 and not terms:
        return set()
    return set().union(*domains) & frozenset.intersection(*records)


def exchange(clusters: list[list], covers: list[set[int]], reach: int, per_turn: int) -> int:
    """Exchange (row, terms) pairs between clusters, in place, so that covers go; return how many moved."""
    moved: set[int] = set()
    waiting: list[int] = []
    helpers: list[int] = []

    def shortest(cluster: int, terms: set[int]) -> int | None:
        able = [i for i, (row, has) in enumerate(clusters[cluster]) if row not in moved and not has & terms]
        return min(able, key=lambda i: len(clusters[cluster][i][1]), default=None)

    def swap(one: int, i: int, other: int, j: int) -> None:
        moved.update((clusters[one][i][0], clusters[other][j][0]))
        clusters[one][i], clusters[other][j] = clusters[other][j], clusters[one][i]

    for cluster in range(len(clusters)):
        if not covers[cluster]:
            continue
        for other in waiting[::-1][:reach]:
            here, there = shortest(cluster, covers[other]), shortest(other, covers[cluster])
            if here is not None and there is not None:
                swap(cluster, here, other, there)
                waiting.remove(other)
                helpers += [other, cluster]
                break
        else:
            waiting.append(cluster)
    turns = [len(clusters[helper]) // per_turn for helper in helpers]
    at = 0
    for cluster in waiting:
        for _ in range(min(reach, len(helpers))):
            at = (at + 1) % len(helpers)
            there = shortest(helpers[at], covers[cluster]) if turns[at] else None
            if there is not None:
                swap(cluster, shortest(cluster, set()), helpers[at], there)
                turns[at] -= 1
                break
    return len(moved)


def disassociate(
    rows: list[Record], asked: Asked, smallest: int, largest: int, *, join: bool = True, bands: bool = False
) -> list[Cluster]:
    """Do it all: clusters, chunks, shared chunks. Terms are numbers, lower ones first where supports are equal."""
    if bands:
        parts = length_bands([(row, terms - asked.apart) for row, terms in enumerate(rows)], largest)
        each = [[rows[row] for row, _ in part] for part in parts]
        return [tree for part in each for tree in disassociate(part, asked, smallest, largest, join=join)]
    ordered = sorted(enumerate(rows), key=lambda pair: sorted(pair[1] - asked.apart))
    whole = dict(enumerate(rows))
    parts = horpart([(row, terms - asked.apart) for row, terms in ordered], smallest, largest)
    clusters = [[(row, whole[row]) for row, _ in part] for part in parts]

    def partition() -> list[tuple[list[Record], list[Domain], set[int]]]:
        found = [[terms for _, terms in cluster] for cluster in clusters]
        return [(records, *verpart(records, asked.k, asked.m, asked.apart)) for records in found]

    leaves = partition()
    if asked.safe:
        exchange(clusters, [find_covers(*leaf) for leaf in leaves], reach=64, per_turn=8)
        leaves = partition()
        for _, domains, terms in leaves:
            covers = find_covers(_, domains, terms)
            domains[:] = [d for d in (tuple(t for t in domain if t not in covers) for domain in domains) if d]
            terms |= covers
    trees = [Cluster(*leaf) for leaf in leaves]
    return refine(trees, asked) if join else trees


def publish(trees: list[Cluster]) -> Published:
    """Turn plain trees into what is published."""
    names = {id(cluster): f"c{i}" for i, cluster in enumerate(c for tree in trees for c in tree.below())}
    clusters, rows = [], []

    def walk(cluster: Cluster, parent: str | None) -> None:
        name = names[id(cluster)]
        clusters.append((name, parent, cluster.size))
        if cluster.terms:
            rows.append((name, 0, sorted(cluster.terms)))
        for number, domain in enumerate(cluster.domains, 1):
            for leaf in cluster.leaves():
                own = set(domain) & shared_terms(leaf, cluster) if cluster.children else set(domain)
                rows.extend((name, number, sorted(r)) for r in project(leaf.records, own))
        for child in cluster.children:
            walk(child, name)

    def shared_terms(leaf: Cluster, joint: Cluster) -> set:
        child = next(c for c in joint.children if leaf in c.leaves())
        everything = set().union(*leaf.records)
        return {term for term in everything if not child.is_closed(term, leaf)}

    for tree in trees:
        walk(tree, None)
    return Published(clusters, rows)
