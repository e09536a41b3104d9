"""REFINE on arrays against the plain version, and whether its rules are enough, and needed."""

import random

import numpy as np
import pytest
from tests.kinds.sets.drawing import index_of
from tests.kinds.sets.naive import disassociation as naive
from tests.kinds.sets.naive.reconstructions import broken_knowledge

from sfumato.kinds.sets._kernels.joint_clusters import Forest, Rules
from sfumato.kinds.sets._kernels.refinement import join_clusters
from sfumato.kinds.sets._kernels.vertical_partition import partition_terms

TERMS = 12


def leaves_of(clusters: list[list[frozenset]], k: int, m: int) -> list[naive.Cluster]:
    return [naive.Cluster(records, *naive.verpart(records, k, m)) for records in clusters]


def fast_forms(clusters: list[list[frozenset]], k: int, m: int, safe: bool) -> list:
    """The trees the kernels make: domains of the chunks and the children, in one order."""
    *_, index = index_of(clusters, TERMS)
    nothing = np.zeros(TERMS, np.bool_)
    forest = join_clusters(index, partition_terms(index, nothing, k, m).chunk, nothing, Rules(k, m, safe))
    made = int(forest.made[0])
    return sorted(_form(forest, index, cluster) for cluster in range(made) if forest.parent[cluster] < 0)


def _form(forest: Forest, index, cluster: int) -> tuple:
    own = np.flatnonzero(forest.node == cluster)
    domains = {(int(forest.chunk[e]), int(index.term[e])) for e in own}
    children = [forest.left[cluster], forest.right[cluster]] if forest.left[cluster] >= 0 else []
    return (int(forest.size[cluster]), sorted(domains), sorted(_form(forest, index, child) for child in children))


def plain_form(tree: naive.Cluster) -> tuple:
    domains = {(number, term) for number, domain in enumerate(tree.domains, 1) for term in domain}
    domains |= {(0, term) for term in tree.terms}
    return (tree.size, sorted(domains), sorted(plain_form(child) for child in tree.children))


def random_clusters(rng: random.Random, k: int, most: int) -> list[list[frozenset]]:
    """Clusters over few terms, so that what is rare in one is frequent in the next."""
    terms, clusters = rng.randint(2, 5), []
    for number in range(rng.randint(3, most)):
        share = rng.choice([0.3, 0.5, 0.8])
        records = []
        for _ in range(rng.randint(k, k + 1)):
            record = {term for term in range(terms) if rng.random() < share}
            if rng.random() < 0.3:
                record.add(8 + number % 4)
            records.append(frozenset(record or {rng.randrange(terms)}))
        clusters.append(records)
    return clusters


def has_conflict(tree: naive.Cluster) -> bool:
    """Tell whether a shared chunk has a term that is published below it."""
    return any(
        child.is_closed(term, leaf)
        for joint in tree.below()
        for child in joint.children
        for leaf in child.leaves()
        for domain in joint.domains
        for term in domain
    )


@pytest.mark.parametrize("safe", [False, True])
def test_clusters_are_joined_as_in_the_plain_version(safe):
    rng = random.Random(3)
    conflicts = nested = 0
    for _ in range(250):
        k, m = rng.randint(2, 4), rng.randint(1, 3)
        clusters = random_clusters(rng, k, most=8)
        trees = naive.refine(leaves_of(clusters, k, m), naive.Asked(k, m, safe))
        assert fast_forms(clusters, k, m, safe) == sorted(map(plain_form, trees))
        conflicts += any(map(has_conflict, trees))
        nested += any(child.children for tree in trees for child in tree.children)
    assert conflicts >= 10 and nested >= 30


def test_the_rules_alone_keep_every_knowledge_at_k_records():
    """Whatever is joined: Equation 1 is about use, not about safety."""
    rng = random.Random(8)
    conflicts = 0
    for _ in range(150):
        k = rng.choice([2, 2, 2, 3])
        clusters = random_clusters(rng, k, most=4 if k == 2 else 3)
        trees = naive.refine(leaves_of(clusters, k, 2), naive.Asked(k, 2), lambda pair, domains: True)
        for tree in trees:
            if has_conflict(tree):
                conflicts += 1
                assert broken_knowledge(naive.publish([tree]), k, 2) == []
    assert conflicts >= 10
