"""Disassociation on random data: as the plain version does it, and safe in every reconstruction."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sets.naive import disassociation as naive
from tests.sets.naive.reconstructions import Published, broken_knowledge

from sfumato.core.dataset import Dataset
from sfumato.core.run import Run
from sfumato.kinds.sets.methods.disassociation import Disassociation

ROW = st.frozensets(st.sampled_from("abcdefgh"), min_size=1, max_size=4)
ROWS = st.lists(ROW, min_size=4, max_size=30)

MOST_RECORDS = 10
"""Trees of more records have too many reconstructions to try them all."""


def published(release) -> Published:
    """A release as plain lists."""
    clusters = [tuple(row.values()) for row in release.parts["clusters"].table.to_pylist()]
    return Published(clusters, [tuple(row.values()) for row in release.table.to_pylist()])


def forms(found: Published) -> list:
    """The trees without names and in one order: size, chunks as bags of subrecords, children."""
    chunks = found.chunks()
    children: dict = {}
    for name, parent, size in found.clusters:
        children.setdefault(parent, []).append((name, size))

    def form(name: str, size: int) -> tuple:
        own = sorted((number, sorted(map(sorted, rows))) for (owner, number), rows in chunks.items() if owner == name)
        return (size, own, sorted(form(*child) for child in children.get(name, [])))

    return sorted(form(*root) for root in children.get(None, []))


def plain(rows: list, method: Disassociation, sensitive: frozenset = frozenset()) -> Published:
    """What the plain version publishes, with the items back in place of their numbers."""
    support = Counter(item for row in rows for item in row)
    items = sorted(support, key=lambda item: (-support[item], item))
    number = {item: i for i, item in enumerate(items)}
    asked = naive.Asked(method.k, method.m, method.safe, frozenset(number[i] for i in sensitive & set(number)))
    trees = naive.disassociate(
        [frozenset(number[item] for item in row) for row in rows],
        asked,
        method.smallest,
        method.largest,
        join=method.refine,
    )
    found = naive.publish(trees)
    return Published(found.clusters, [(c, n, sorted(items[i] for i in row)) for c, n, row in found.rows])


def anonymize(rows, method: Disassociation, *, seed: int = 1, sensitive: tuple[str, ...] = ()):
    return method.anonymize(
        Dataset.of("sets", [sorted(row) for row in rows], sensitive=sensitive), Run(bytes([seed] * 32))
    )


@pytest.mark.parametrize("safe", [False, True])
@settings(max_examples=80)
@given(rows=ROWS, k=st.integers(2, 4), m=st.integers(1, 3), more=st.integers(1, 4), refine=st.booleans())
def test_chunks_and_trees_are_those_of_the_plain_version(safe, rows, k, m, more, refine):
    method = Disassociation(k=k, m=m, max_cluster=k + more, refine=refine, safe=safe)
    assert forms(published(anonymize(rows, method).release)) == forms(plain(rows, method))


def clustered(rng: random.Random, k: int) -> list:
    """Records of a few clusters that hold some of the same rare items, so that they are joined and joined again."""
    rows = []
    for cluster in range(rng.randint(4, 5) if k == 2 else 3):
        rare = rng.sample("uvwxyz"[: rng.randint(3, 4)], 2)
        for _ in range(rng.randint(k, k + 1)):
            row = {f"{cluster}"} if rng.random() < 0.9 else set()
            row |= {item for item in rare if rng.random() < 0.6}
            rows.append(row or {rng.choice(rare)})
    return rows


@pytest.mark.parametrize("safe", [False, True])
def test_every_knowledge_fits_k_records_of_some_reconstruction(safe):
    rng = random.Random(20)
    nested = joint = 0
    for _ in range(160):
        k = rng.choice([2, 3, 3])
        m = rng.choice([1, 2, 3]) if k == 2 else 2
        rows = clustered(rng, k)
        method = Disassociation(k=k, m=m, max_cluster=k + 1, safe=safe)
        result = anonymize(rows, method)
        found = published(result.release)
        assert forms(found) == forms(plain(rows, method))
        for tree in trees_of(found):
            if tree.clusters[0][2] <= MOST_RECORDS:
                joint += len(tree.clusters) > 1
                nested += len(tree.clusters) > 3
                assert broken_knowledge(tree, k, m) == []
    assert joint >= 60 and nested >= 5


def trees_of(found: Published) -> list[Published]:
    """One release for every tree: what one tree publishes says nothing about the others."""
    split = []
    for root in (name for name, parent, _ in found.clusters if parent is None):
        clusters = [entry for entry in found.clusters if root in found.line(entry[0])]
        clusters.sort(key=lambda entry: entry[1] is not None)
        names = {name for name, _, _ in clusters}
        split.append(Published(clusters, [row for row in found.rows if row[0] in names]))
    return split


@settings(max_examples=60)
@given(rows=ROWS, k=st.integers(2, 3), more=st.integers(1, 6))
def test_safe_releases_have_no_covers(rows, k, more):
    found = published(anonymize(rows, Disassociation(k=k, m=2, max_cluster=k + more, safe=True)).release)
    size = {name: size for name, _, size in found.clusters}
    chunks = found.chunks()
    for owner, number in (at for at in chunks if at[1] > 0):
        alone = found.parent[owner] is None and sum(name == owner for name, _ in chunks) == 1
        if alone and owner in found.leaves():
            continue
        for term in frozenset().union(*chunks[owner, number]):
            room = sum(size[leaf] for leaf in found.leaves(owner) if term not in closed_terms(found, owner, leaf))
            assert sum(term in subrecord for subrecord in chunks[owner, number]) < room


def closed_terms(found: Published, owner: str, leaf: str) -> set:
    """Terms that records of a leaf have from chunks below a cluster."""
    line = found.line(leaf)
    under = line[: line.index(owner)]
    return {item for cluster, number, items in found.rows if number > 0 and cluster in under for item in items}


@settings(max_examples=60)
@given(rows=ROWS, data=st.data())
def test_the_order_of_the_rows_does_not_matter_and_a_seed_repeats_a_release(rows, data):
    method = Disassociation(k=2, m=2, max_cluster=data.draw(st.integers(3, 8)), safe=data.draw(st.booleans()))
    shuffled = data.draw(st.permutations(rows))
    one, other = anonymize(rows, method), anonymize(shuffled, method)
    assert forms(published(one.release)) == forms(published(other.release))
    again = anonymize(rows, method)
    assert again.release.table.equals(one.release.table)
    assert again.release.parts["clusters"].table.equals(one.release.parts["clusters"].table)


@settings(max_examples=80)
@given(rows=ROWS, l=st.integers(1, 4), seed=st.integers(0, 5), safe=st.booleans())
def test_sensitive_items_are_in_term_chunks_only_and_the_trace_tells_who_is_where(rows, l, seed, safe):
    sensitive = ("a", "b")
    method = Disassociation(k=2, m=2, l=l, max_cluster=max(2, l) + 2, safe=safe)
    result = anonymize(rows, method, seed=seed, sensitive=sensitive)
    found = published(result.release)
    assert all(number == 0 for _, number, items in found.rows if set(items) & set(sensitive))
    leaves = found.leaves()
    sizes = [size for name, _, size in found.clusters if name in leaves]
    assert min(sizes) >= max(2, l) and sum(sizes) == len(rows) == len(result.release)
    assert sorted(result.trace.rows.tolist()) == list(range(len(rows)))
    chunks = found.chunks()
    for name, part in zip(
        [name for name, _, _ in found.clusters if name in leaves],
        np.split(result.trace.rows, np.cumsum(sizes)[:-1]),
        strict=True,
    ):
        own = [rows[row] for row in part]
        domains = {number: frozenset().union(*chunks[name, number]) for owner, number in chunks if owner == name}
        for number, domain in domains.items():
            if number > 0:
                assert Counter(naive.project(own, domain)) == Counter(chunks[name, number])
            else:
                assert domain <= frozenset().union(*own)
        line = found.line(name)
        published_items = {i for owner, number, items in found.rows if owner in line for i in items}
        assert frozenset().union(*own) <= published_items
