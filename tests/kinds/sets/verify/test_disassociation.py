"""Conditions of disassociated releases: the paper's figures, one damage per condition, and the argument itself.

Chunks that keep the conditions keep the guarantee, by trying every possible original. These chunks are drawn at random
and belong to no method: leaves of few records, nested joint clusters, terms that are closed for some leaves, chunks
that are full.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from math import factorial, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.examples import (
    CHUNKS,
    CLUSTERS,
    QUERIES,
    ROWS,
    THREE,
    chunk,
    figure_2,
    figure_3,
    figure_4,
    figure_5,
    nested,
    people,
    rows_of,
)
from tests.kinds.sets.naive import attack as naive
from tests.kinds.sets.naive.attack import Cluster, Row, Tree, draw_reconstruction, most_records
from tests.kinds.sets.releases import disassociated, random_chunks

from sfumato.checks.subsequences import support
from sfumato.data.dataset import Dataset
from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.kinds.sets.knowledge.chunks import ChunkRecords
from sfumato.kinds.sets.knowledge.set_support import digits
from sfumato.kinds.sets.knowledge.sources import Sources
from sfumato.kinds.sets.verify.disassociation import verify_disassociation
from sfumato.kinds.sets.verify.km_items import verify, verify_against
from sfumato.kinds.sets.verify.reconstructions import largest_supports
from sfumato.release.release import Release
from sfumato.verification.structure import verify_structure

ENUMERATED = "reconstructions of small clusters keep the claim"
LEAVES, COMBINATIONS = "every leaf has enough records", "every combination in a chunk occurs k times"
FILLING, COPIES = "every leaf fills its records by itself", "chunks with closed items are k-anonymous"
ROOM, CAPACITY = "restricted subrecords leave room", "no chunk has more subrecords than records"
SENSITIVE, COVERS = "sensitive items are in term chunks only", "no item covers a cluster"


def broken(release: Release) -> set[str]:
    """Names of the conditions that fail, without the one that tries what the others conclude."""
    return {name for name, holds in verify(release).checks.items() if not holds} - {ENUMERATED}


def most(clusters: list[Any], rows: list[Any], *items: str) -> int:
    chunks = Chunks.from_rows(clusters, rows)
    supports = largest_supports(chunks, 0, 2, limit=50_000)
    assert supports is not None
    return supports.get(frozenset(chunks.subrecords.labels.index(item) for item in items), 0)


def test_figure_2_is_3_2_anonymous() -> None:
    verdict = verify(figure_2())
    assert verdict.holds
    assert verdict.measured | {"tried_by_reconstruction": 0} == {
        "k": 3,
        "m": 2,
        "clusters": 2,
        "joint_clusters": 0,
        "chunks": 5,
        "tried_by_reconstruction": 0,
    }
    against = verify_against(figure_2(), Dataset.of("sets", QUERIES), np.arange(10))
    assert against.holds
    assert against.measured["matches"] == 3
    assert broken(figure_2(KmItems(k=4, m=2))) >= {COMBINATIONS}
    assert broken(figure_2(KmItems(k=3, m=3))) == {COMBINATIONS}


def test_figure_3_with_a_shared_chunk_is_3_2_anonymous() -> None:
    verdict = verify(figure_3())
    assert verdict.holds
    assert verdict.measured["joint_clusters"] == 1
    assert verify_against(figure_3(), Dataset.of("sets", QUERIES), np.arange(10)).holds


def test_figure_4_is_refused_for_want_of_subrecords() -> None:
    clusters, rows = figure_4()
    verdict = verify(disassociated(clusters, rows, THREE))
    assert broken(disassociated(clusters, rows, THREE)) == {FILLING}
    assert verdict.counterexample == {"check": FILLING, "cluster": "p", "subrecords": 6, "needed": 8}
    assert not verdict.checks[ENUMERATED]
    assert most(clusters, rows, "a", "b") == naive.most_records(clusters, rows, 2)[frozenset("ab")] == 1
    assert verify(disassociated(*figure_4("z"), THREE)).holds


def test_figure_5_is_refused_or_not_by_the_copies_in_the_shared_chunk() -> None:
    unsafe = figure_5("3 * a o", "o")
    assert broken(disassociated(*unsafe, THREE)) == {COPIES}
    assert most(*unsafe, "x", "o") == 1
    safe = figure_5("3 * a o", "3 * o")
    assert verify(disassociated(*safe, THREE)).holds
    assert most(*safe, "x", "o") == 3


def test_restricted_subrecords_can_leave_no_room() -> None:
    """a o must go to q, which leaves one place there: o and z, known of somebody in q, lead to one record."""
    clusters = [("j", None, 5), ("p", "j", 2), ("q", "j", 3)]
    rows = [*chunk("p", 1, "2 * a"), *chunk("q", 0, "z"), *chunk("j", 1, "2 * a", "2 * o")]
    assert broken(disassociated(clusters, rows)) == {ROOM}
    assert most(clusters, rows, "o", "z") == 1
    assert not naive.keeps_guarantee(clusters, rows, 2, 2)
    wider = [("j", None, 6), ("p", "j", 2), ("q", "j", 4)]
    assert verify(disassociated(wider, rows)).holds
    assert most(wider, rows, "o", "z") == 2


def test_the_small_release_is_sound() -> None:
    for guarantee in (KmItems(k=2, m=2), KmItems(k=2, m=2, l=3, sensitive=("z",)), KmItems(k=2, m=2, safe=True)):
        verdict = verify(nested(guarantee=guarantee))
        assert verdict.holds
        assert all(verdict.checks.values())
    verdict = verify_against(nested(), people(), ROWS)
    assert verdict.holds
    assert verdict.measured["matches"] == 2


DAMAGES: dict[str, tuple[Release, str, dict[str, Any]]] = {
    "a leaf of one": (
        nested(chunk("t", 0, "v"), clusters=[*CLUSTERS, ("t", None, 1)]),
        LEAVES,
        {"cluster": "t", "size": 1},
    ),
    "a leaf smaller than l": (
        nested(guarantee=KmItems(k=2, m=2, l=4, sensitive=("w",))),
        LEAVES,
        {"cluster": "p", "size": 3},
    ),
    "a rare item": (nested(chunk("p", 2, "c")), COMBINATIONS, {"cluster": "p", "chunk": 2, "values": ["c"]}),
    "a rare pair": (
        nested(chunk("p", 1, "a b", "a", "b")),
        COMBINATIONS,
        {"cluster": "p", "chunk": 1, "values": ["a", "b"], "support": 1},
    ),
    "a rare pair in a shared chunk": (nested(chunk("i", 1, "e f", "e", "f")), COMBINATIONS, {"cluster": "i"}),
    "an empty term chunk": (
        disassociated(CLUSTERS, rows_of({key: rows for key, rows in CHUNKS.items() if key != ("p", 0)})),
        FILLING,
        {"cluster": "p", "subrecords": 4, "needed": 5},
    ),
    "nothing of its own": (
        nested(chunk("j", 1, "4 * o"), clusters=[("j", None, 14), *CLUSTERS[1:], ("t", "j", 2)]),
        FILLING,
        {"cluster": "t", "subrecords": 0},
    ),
    "too few copies": (nested(chunk("j", 1, "3 * a o", "o")), COPIES, {"cluster": "j", "chunk": 1, "copies": 1}),
    "closed by a shared chunk": (nested(chunk("j", 1, "3 * e o", "o")), COPIES, {"cluster": "j", "copies": 1}),
    "no room": (
        nested(
            chunk("j", 1, "4 * a o", "2 * o"),
            chunk("r", 1, "2 * g"),
            clusters=[("j", None, 8), *CLUSTERS[1:4], ("r", "j", 2)],
        ),
        ROOM,
        {"cluster": "j", "chunk": 1, "room": 1},
    ),
    "no place at all": (
        nested(chunk("r", 1, "3 * a"), chunk("q", 1, "2 * a")),
        ROOM,
        {"cluster": "j", "chunk": 1, "room": -2},
    ),
    "too many subrecords": (
        nested(chunk("p", 2, "4 * c")),
        CAPACITY,
        {"cluster": "p", "chunk": 2, "subrecords": 4, "size": 3},
    ),
    "a sensitive item in a record chunk": (
        nested(guarantee=KmItems(k=2, m=2, sensitive=("g",))),
        SENSITIVE,
        {"cluster": "r", "chunk": 1, "value": "g"},
    ),
    "a sensitive item in a shared chunk": (
        nested(guarantee=KmItems(k=2, m=2, sensitive=("o",))),
        SENSITIVE,
        {"cluster": "j", "value": "o"},
    ),
    "an item that covers a leaf": (
        nested(chunk("p", 2, "3 * c"), guarantee=KmItems(k=2, m=2, safe=True)),
        COVERS,
        {"cluster": "p", "chunk": 2, "value": "c"},
    ),
    "an item that covers a joint cluster": (
        nested(chunk("i", 1, "2 * e f", "4 * e"), guarantee=KmItems(k=2, m=2, safe=True)),
        COVERS,
        {"cluster": "i", "chunk": 1, "value": "e"},
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_each_condition_finds_its_damage_alone(damage: str) -> None:
    release, name, expected = DAMAGES[damage]
    verdict = verify(release)
    assert broken(release) == {name}
    assert not verdict.holds
    assert verdict.counterexample is not None
    assert verdict.counterexample["check"] == name
    assert expected.items() <= verdict.counterexample.items()
    json.dumps(verdict.to_dict())
    assert isinstance(verify_against(release, people(), ROWS).holds, bool)


def test_a_cover_is_no_secret_where_nothing_else_is_published() -> None:
    safe = KmItems(k=2, m=2, safe=True)
    assert verify(disassociated([("p", None, 3)], chunk("p", 1, "3 * a b"), safe)).holds
    rows = [*chunk("p", 1, "3 * a"), *chunk("p", 0, "z")]
    assert broken(disassociated([("p", None, 3)], rows, safe)) == {COVERS}


def test_small_clusters_are_tried() -> None:
    clusters = [(name, None, 3) for name in ("p", "q")]
    rows = [row for name in ("p", "q") for row in (*chunk(name, 1, "2 * a"), *chunk(name, 0, "z"))]
    verdict = verify(disassociated(clusters, rows))
    assert verdict.holds
    assert verdict.measured["tried_by_reconstruction"] == 2


Drawn = tuple[int, int, list[Cluster], list[Row]]
CONDITIONS = 7


def accepted(drawn: Drawn) -> bool:
    """Whether the conditions hold, whatever trying reconstructions says."""
    k, m, clusters, rows = drawn
    release = disassociated(clusters, rows, KmItems(k=k, m=m))
    if not rows or not verify_structure(release).holds:
        return False
    checks = verify_disassociation(release, KmItems(k=k, m=m)).checks
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
        if not rows or not verify_structure(disassociated(clusters, rows)).holds:
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
        if rows and verify_structure(disassociated(clusters, rows)).holds and tiny(drawn):
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
    release = disassociated(clusters, rows, KmItems(k=k, m=m))
    assert verify_against(release, data, people).holds
    assert verify_against(release, data).holds
    records = ChunkRecords.of(release, data, people)
    owner, itemsets = records.known_items.row_of_token, records.known_items
    assert len(owner) == sum(map(len, original))
    for size in range(1, min(m, max(map(len, original))) + 1):
        keys, _ = support(itemsets, size)
        columns = digits(keys, size, len(itemsets.labels))
        anywhere, at_home = records.count(keys, size), records.own_clusters().count(keys, size)
        for i in range(len(keys)):
            known_items = frozenset(records.label(int(column[i])) for column in columns)
            assert k <= at_home[i] <= anywhere[i] <= supports[known_items]
