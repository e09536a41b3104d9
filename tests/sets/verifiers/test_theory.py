"""The argument itself: chunks that keep the conditions keep the guarantee, by trying every possible original.

The chunks are drawn at random and belong to no method: leaves of few records, nested joint clusters, terms that are
closed for some leaves, chunks that are full.
"""

from __future__ import annotations

import random
from collections import Counter
from math import factorial, prod

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sets.naive.attack import Cluster, Row, Tree, draw_reconstruction, most_records
from tests.sets.verifiers.releases import random_chunks, separated

from sfumato.checking.structure import verify_structure
from sfumato.checking.subsequences import support
from sfumato.core.dataset import Dataset
from sfumato.kinds.sets.guarantees.km_items import KmItems
from sfumato.kinds.sets.knowledge.chunks import ChunkRecords
from sfumato.kinds.sets.knowledge.items import digits
from sfumato.kinds.sets.knowledge.sources import Sources
from sfumato.kinds.sets.published import Chunks
from sfumato.kinds.sets.verifiers.disassociated import verify_chunks
from sfumato.kinds.sets.verifiers.km_items import verify_against
from sfumato.kinds.sets.verifiers.reconstructions import largest_supports

Drawn = tuple[int, int, list[Cluster], list[Row]]

CONDITIONS = 7


def accepted(drawn: Drawn) -> bool:
    """Whether the conditions hold, whatever trying reconstructions says."""
    k, m, clusters, rows = drawn
    release = separated(clusters, rows, KmItems(k=k, m=m))
    if not rows or not verify_structure(release).holds:
        return False
    checks = verify_chunks(release, KmItems(k=k, m=m)).checks
    assert len(checks) == CONDITIONS + 1
    return all(list(checks.values())[:CONDITIONS])


def sound(seed: int) -> tuple[random.Random, Drawn]:
    """Draw until the conditions hold."""
    rng = random.Random(seed)
    while True:
        drawn = random_chunks(rng)
        if accepted(drawn):
            return rng, drawn


def supports_of(drawn: Drawn, limit: int = 1_000) -> dict[frozenset[str], int] | None:
    _, m, clusters, rows = drawn
    chunks = Chunks.from_rows(clusters, rows)
    found = largest_supports(chunks, 0, m, limit)
    labels = chunks.subrecords.labels
    return None if found is None else {frozenset(labels[t] for t in terms): n for terms, n in found.items()}


@settings(max_examples=100)
@given(st.integers(0, 10**9))
def test_chunks_that_keep_the_conditions_keep_the_guarantee(seed: int) -> None:
    _, drawn = sound(seed)
    supports = supports_of(drawn)
    if supports is not None:
        assert supports, "somebody can have been published so"
        assert min(supports.values()) >= drawn[0]


def test_what_is_drawn_is_worth_trying() -> None:
    """Nested joint clusters and closed terms occur among what is accepted, broken promises among what is not."""
    seen: Counter[str] = Counter()
    rng = random.Random(11)
    for _ in range(160):
        drawn = random_chunks(rng)
        k, _, clusters, rows = drawn
        if not rows or not verify_structure(separated(clusters, rows)).holds:
            continue
        if accepted(drawn):
            seen["nested"] += len({parent for _, parent, _ in clusters}) > 2
            seen["closed"] += len(Sources(Chunks.from_rows(clusters, rows)).restricted_chunks) > 0
        else:
            supports = supports_of(drawn, 200)
            seen["broken"] += bool(supports) and min(supports.values()) < k
    assert min(seen["nested"], seen["closed"], seen["broken"]) >= 3


def tiny(drawn: Drawn) -> bool:
    """Whether writing out all assignments is quick: permutations of records for every chunk."""
    _, _, clusters, rows = drawn
    tree = Tree(clusters, rows)
    n = sum(tree.size[leaf] for leaf in tree.leaves)
    ways = [factorial(n) // factorial(n - len(c)) if i else 2 ** (n * len(c[0])) for (_, i), c in tree.chunks.items()]
    return n <= 6 and all(len(c) <= n for c in tree.chunks.values()) and prod(ways) <= 200_000


def test_merging_equal_records_while_trying_changes_nothing() -> None:
    rng = random.Random(3)
    tried = 0
    while tried < 30:
        drawn = random_chunks(rng)
        _, m, clusters, rows = drawn
        if rows and verify_structure(separated(clusters, rows)).holds and tiny(drawn):
            tried += 1
            assert supports_of(drawn) == most_records(clusters, rows, m)


@settings(max_examples=50)
@given(st.integers(0, 10**9))
def test_candidates_are_at_least_k_and_never_more_than_there_can_be(seed: int) -> None:
    rng, drawn = sound(seed)
    k, m, clusters, rows = drawn
    original = next((d for _ in range(20) if (d := draw_reconstruction(rng, clusters, rows))), None)
    supports = supports_of(drawn)
    if original is None or supports is None:
        return
    data, people = Dataset.of("sets", original), np.arange(len(original))
    release = separated(clusters, rows, KmItems(k=k, m=m))
    assert verify_against(release, data, people).holds
    assert verify_against(release, data).holds
    records = ChunkRecords.of(release, data, people)
    owner, itemsets = records.known.row_of_token, records.known
    assert len(owner) == sum(map(len, original))
    for size in range(1, min(m, max(map(len, original))) + 1):
        keys, _ = support(itemsets, size)
        columns = digits(keys, size, len(itemsets.labels))
        anywhere, at_home = records.count(keys, size), records.own_clusters().count(keys, size)
        for i in range(len(keys)):
            known = frozenset(records.label(int(column[i])) for column in columns)
            assert k <= at_home[i] <= anywhere[i] <= supports[known]
