"""k^m-anonymity of sets: the paper's figures, one damage per condition, and both attackers against brute force."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sets.naive import attack as naive
from tests.sets.verifiers.examples import (
    CHUNKS,
    CLUSTERS,
    PEOPLE,
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
from tests.sets.verifiers.releases import generalised, separated

from sfumato.core.dataset import Dataset
from sfumato.core.errors import VerificationError
from sfumato.core.release import Release
from sfumato.kinds.sets.attacker import attack, attack_original
from sfumato.kinds.sets.guarantees.km_items import KmItems
from sfumato.kinds.sets.published import Chunks
from sfumato.kinds.sets.verifiers.km_items import GUARANTEE, verify, verify_against
from sfumato.kinds.sets.verifiers.reconstructions import largest_supports
from sfumato.kinds.trajectories.guarantees.km_anonymity import KmAnonymity

ENUMERATED = "reconstructions of small clusters keep the claim"
LEAVES, COMBINATIONS = "every leaf has enough records", "every combination in a chunk occurs k times"
FILLING, COPIES = "every leaf fills its records by itself", "chunks with closed items are k-anonymous"
ROOM, CAPACITY = "restricted subrecords leave room", "no chunk has more subrecords than records"
SENSITIVE, COVERING = "sensitive items are in term chunks only", "no item covers a cluster"


def broken(release: Release) -> set[str]:
    """Names of the conditions that fail, without the one that tries what the others conclude."""
    return {name for name, holds in verify(release).checks.items() if not holds} - {ENUMERATED}


def most(clusters: list[Any], rows: list[Any], *items: str) -> int:
    chunks = Chunks.from_rows(clusters, rows)
    supports = largest_supports(chunks, 0, 2, limit=50_000)
    assert supports is not None
    return supports.get(frozenset(chunks.subrecords.labels.index(item) for item in items), 0)


def test_it_says_which_guarantee_it_verifies() -> None:
    assert GUARANTEE is KmItems


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
    verdict = verify(separated(clusters, rows, THREE))
    assert broken(separated(clusters, rows, THREE)) == {FILLING}
    assert verdict.witness == {"check": FILLING, "cluster": "p", "subrecords": 6, "needed": 8}
    assert not verdict.checks[ENUMERATED]
    assert most(clusters, rows, "a", "b") == naive.most_records(clusters, rows, 2)[frozenset("ab")] == 1
    assert verify(separated(*figure_4("z"), THREE)).holds


def test_figure_5_is_refused_or_not_by_the_copies_in_the_shared_chunk() -> None:
    unsafe = figure_5("3 * a o", "o")
    assert broken(separated(*unsafe, THREE)) == {COPIES}
    assert most(*unsafe, "x", "o") == 1
    safe = figure_5("3 * a o", "3 * o")
    assert verify(separated(*safe, THREE)).holds
    assert most(*safe, "x", "o") == 3


def test_restricted_subrecords_can_leave_no_room() -> None:
    """a o must go to q, which leaves one place there: o and z, known of somebody in q, lead to one record."""
    clusters = [("j", None, 5), ("p", "j", 2), ("q", "j", 3)]
    rows = [*chunk("p", 1, "2 * a"), *chunk("q", 0, "z"), *chunk("j", 1, "2 * a", "2 * o")]
    assert broken(separated(clusters, rows)) == {ROOM}
    assert most(clusters, rows, "o", "z") == 1
    assert not naive.keeps_guarantee(clusters, rows, 2, 2)
    wider = [("j", None, 6), ("p", "j", 2), ("q", "j", 4)]
    assert verify(separated(wider, rows)).holds
    assert most(wider, rows, "o", "z") == 2


def test_the_small_release_is_sound() -> None:
    for claim in (KmItems(k=2, m=2), KmItems(k=2, m=2, l=3, sensitive=("z",)), KmItems(k=2, m=2, safe=True)):
        verdict = verify(nested(guarantee=claim))
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
        separated(CLUSTERS, rows_of({key: rows for key, rows in CHUNKS.items() if key != ("p", 0)})),
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
        COVERING,
        {"cluster": "p", "chunk": 2, "value": "c"},
    ),
    "an item that covers a joint cluster": (
        nested(chunk("i", 1, "2 * e f", "4 * e"), guarantee=KmItems(k=2, m=2, safe=True)),
        COVERING,
        {"cluster": "i", "chunk": 1, "value": "e"},
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_each_condition_finds_its_damage_alone(damage: str) -> None:
    release, name, expected = DAMAGES[damage]
    verdict = verify(release)
    assert broken(release) == {name}
    assert not verdict.holds
    assert verdict.witness is not None
    assert verdict.witness["check"] == name
    assert expected.items() <= verdict.witness.items()
    json.dumps(verdict.to_dict())
    assert isinstance(verify_against(release, people(), ROWS).holds, bool)


def test_covering_is_no_secret_where_nothing_else_is_published() -> None:
    safe = KmItems(k=2, m=2, safe=True)
    assert verify(separated([("p", None, 3)], chunk("p", 1, "3 * a b"), safe)).holds
    rows = [*chunk("p", 1, "3 * a"), *chunk("p", 0, "z")]
    assert broken(separated([("p", None, 3)], rows, safe)) == {COVERING}


def test_small_clusters_are_tried() -> None:
    clusters = [(name, None, 3) for name in ("p", "q")]
    rows = [row for name in ("p", "q") for row in (*chunk(name, 1, "2 * a"), *chunk(name, 0, "z"))]
    verdict = verify(separated(clusters, rows))
    assert verdict.holds
    assert verdict.measured["tried_by_reconstruction"] == 2


# Generalised items.

ABC = {"{a|b}": ["a", "b"]}


def test_generalised_sets_are_counted() -> None:
    rows = [["{a|b}", "c"], ["{a|b}", "c"], ["{a|b}"]]
    verdict = verify(generalised(rows, ABC))
    assert verdict.holds
    assert verdict.measured == {"k": 2, "m": 2, "size": 1, "itemsets": 3}
    broken_one = verify(generalised([*rows, ["c", "d"], ["d"]], ABC))
    assert broken_one.witness == {"values": ["c", "d"], "support": 1, "size": 2}
    assert not verify(generalised(rows, ABC, KmItems(k=2, m=2, sensitive=("c",)))).holds


def test_one_value_may_account_for_several_items() -> None:
    release = generalised([["{a|b}"], ["{a|b}"], ["{a|b}", "c"], ["c"]], ABC, KmItems(k=2, m=3))
    data = Dataset.of("sets", [["a", "b"], ["a"], ["b", "c"], ["c"]])
    verdict = verify_against(release, data, np.arange(4))
    assert not verdict.holds
    assert verdict.witness == {"size": 2, "matches": 1, "rows": [3]}
    assert attack(release, data).set_sizes.tolist() == [3, 3, 1, 2]


def test_published_people_match_and_withheld_people_need_not() -> None:
    data = Dataset.of("sets", [["a", "c"], ["b", "c"], ["d"]])
    good = generalised([["{a|b}", "c"]] * 2, ABC, withheld=1)
    assert verify_against(good, data, np.array([0, 1])).holds
    assert verify_against(good, data).holds
    wrong = verify_against(good, data, np.array([0, 2]))
    assert not wrong.checks["published records match"]
    assert not verify_against(good, Dataset.of("sets", PEOPLE)).checks[
        "the original has as many records as the release says"
    ]
    assert not verify_against(good, data, np.array([0, 0])).checks["every record is published at most once"]


def test_suppressed_items_tell_nothing() -> None:
    data = Dataset.of("sets", [["a", "z"], ["a"], ["a", "z"]])
    release = generalised([["a"]] * 3, suppressed=["z"])
    assert verify_against(release, data, np.arange(3)).holds
    assert attack(release, data).set_sizes.tolist() == [3, 3, 3]


ITEMS = "abcdef"
GROUPS = {"P": ["a", "b"], "Q": ["a", "b", "c"], "R": ["d", "e"]}
sets = st.lists(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=5, unique=True), min_size=1, max_size=7)
values = st.lists(
    st.lists(st.sampled_from([*ITEMS[:5], *GROUPS]), min_size=1, max_size=4, unique=True), min_size=1, max_size=7
)


@settings(max_examples=150)
@given(values, sets, st.integers(1, 3))
def test_the_attacker_counts_like_brute_force(published: list[list[str]], original: list[list[str]], m: int) -> None:
    """Any values at all: overlapping ones within a record, and values of which one includes the other."""
    release = generalised(published, GROUPS, KmItems(k=2, m=m), suppressed=["f"], records_in=len(original))
    data = Dataset.of("sets", original)
    expected = naive.smallest_sets(published, GROUPS, ["f"], original, m)
    risk = attack(release, data)
    assert risk.set_sizes.tolist() == [smallest for smallest, _ in expected]
    verdict = verify_against(release, data)
    reached = [smallest for smallest, _ in expected if smallest]
    assert verdict.measured["matches"] == min(reached, default=len(published))
    counted = verify(generalised(published, GROUPS, KmItems(k=2, m=m)))
    assert counted.holds == (min(naive.itemset_supports(published, m).values()) >= 2)


@settings(max_examples=60)
@given(sets, st.integers(1, 3))
def test_the_original_is_attacked_like_by_brute_force(original: list[list[str]], m: int) -> None:
    risks = attack_original(Dataset.of("sets", original), m)
    assert [risk.m for risk in risks] == list(range(1, m + 1))
    expected = naive.smallest_sets(original, {}, [], original, m)
    assert risks[-1].set_sizes.tolist() == [smallest for smallest, _ in expected]
    assert risks[-1].knowledge == "items"


def test_the_random_attacker_never_does_better_than_the_best_one() -> None:
    risk = attack(nested(), people(), ROWS, seed=3)
    assert risk.smallest_anonymity_set >= 2
    assert risk.mean_success_random is not None
    assert risk.mean_success_random <= risk.mean_success <= attack_original(people(), 2)[-1].mean_success


def test_another_guarantee_is_refused() -> None:
    release = figure_2(KmAnonymity(k=2, m=2))
    for act in (verify, lambda r: verify_against(r, people())):
        with pytest.raises(VerificationError, match="claims km-anonymity"):
            act(release)


def test_people_withheld_from_chunks_face_none_or_k() -> None:
    rows = [*PEOPLE, ["h"], ["g", "w"]]
    release = nested(records_in=14, withheld={"too long": 2})
    assert verify_against(release, people(rows), ROWS).holds
    assert attack(release, people(rows), ROWS).set_sizes[12:].tolist() == [0, 0]
    clusters = [*CLUSTERS, ("t", None, 1)]
    rare = nested(chunk("t", 0, "h"), clusters=clusters, records_in=15, withheld={"too long": 2})
    assert not verify_against(rare, people([*PEOPLE, ["z"], ["h"], ["g"]]), np.arange(13)).holds


def test_separated_people_of_whom_something_is_published_nowhere_are_noticed() -> None:
    swapped = [*PEOPLE]
    swapped[0], swapped[8] = ["g"], ["a", "b", "e", "f", "z"]
    verdict = verify_against(nested(), people(swapped), ROWS)
    assert not verdict.checks["published records match"]
    assert "rows" not in (verdict.witness or {})
