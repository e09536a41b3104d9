"""Named itemsets: counted like by brute force, one damage per check."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.examples import nested
from tests.kinds.sets.naive.attack import matches, subsets
from tests.kinds.sets.releases import generalised

from sfumato.base.guarantee import read_guarantee
from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError, VerificationError
from sfumato.kinds.sets.attacks import attack
from sfumato.kinds.sets.guarantees import ItemsetAnonymity, KmItems
from sfumato.kinds.sets.knowledge import named as named_items
from sfumato.kinds.sets.verify.itemset_anonymity import COUNTED, RECORDS, verify, verify_against
from sfumato.kinds.sets.verify.structure import find_smallest_groups

GROUPS = {"P": ["a", "b"]}
CLAIM = ItemsetAnonymity(k=2, itemsets=(("a", "c"), ("b", "d")))
ROWS = [["P", "c"], ["P", "c"], ["P"], ["e"]]
ORIGINAL = [["a", "c"], ["b", "c"], ["a", "d"], ["e"]]


def test_it_says_which_guarantee_it_verifies() -> None:
    manifest = json.loads(json.dumps(CLAIM.to_dict()))
    assert read_guarantee("sets", manifest) == CLAIM


def test_items_that_are_not_named_may_be_rare() -> None:
    release = generalised(ROWS, GROUPS, CLAIM, suppressed=["d"])
    verdict = verify(release)
    assert verdict.holds
    assert verdict.measured == {"k": 2, "itemsets": 2}
    assert verify_against(release, Dataset.of("sets", ORIGINAL), np.arange(4)).holds
    assert attack(release, Dataset.of("sets", ORIGINAL)).set_sizes.tolist() == [2, 2, 3, 4]


def test_a_rare_part_of_an_itemset_is_found() -> None:
    verdict = verify(generalised([["P", "c"], ["P"], ["P"], ["c"]], GROUPS, CLAIM))
    assert not verdict.checks[COUNTED]
    assert verdict.counterexample == {"values": ["P", "c"], "support": 1}
    # Together in no record, but one of them is rare.
    alone = verify(generalised([["a"], ["a"], ["c"]], {}, CLAIM))
    assert alone.counterexample == {"values": ["c"], "support": 1}


def test_published_people_match() -> None:
    release = generalised(ROWS, GROUPS, CLAIM, suppressed=["d"], suppressed_records=1)
    data = Dataset.of("sets", [*ORIGINAL, ["c", "e"]])
    assert verify_against(release, data, np.arange(4)).holds
    assert verify_against(release, data).holds
    missing = generalised([["a"], ["a"], ["c"], ["c"]], {}, CLAIM)
    person = Dataset.of("sets", [["a", "c"], ["a"], ["c"], ["c"]])
    assert verify(missing).holds
    assert not verify_against(missing, person, np.arange(4)).checks["published records match"]
    assert not verify_against(missing, person).checks["published records match"]
    other = Dataset.of("sets", ORIGINAL[:3])
    assert not verify_against(missing, other).checks["the original has as many records as the release says"]
    assert not verify_against(missing, person, np.zeros(4, int)).checks["every record is published at most once"]


def test_chunks_and_other_claims_are_refused() -> None:
    verdict = verify(nested(guarantee=CLAIM))
    assert not verdict.holds
    assert not verdict.checks[RECORDS]
    with pytest.raises(VerificationError, match="claims km-items"):
        verify(generalised(ROWS, GROUPS, KmItems(k=2, m=2)))
    assert not verify(generalised([["a", "a"], ["a"]], {}, CLAIM)).holds


records = st.lists(
    st.lists(st.sampled_from(["P", "a", "c", "d", "e"]), min_size=1, max_size=4, unique=True), min_size=1, max_size=8
)
named = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4, unique=True), min_size=1, max_size=3)


@settings(max_examples=150)
@given(records, named, st.integers(2, 4))
def test_itemsets_are_counted_like_by_brute_force(rows: list[list[str]], itemsets: list[list[str]], k: int) -> None:
    guarantee = ItemsetAnonymity(k=k, itemsets=tuple(map(tuple, itemsets)))
    shown = {item for row in rows for value in row for item in GROUPS.get(value, [value])}
    counts = [
        sum(matches(row, known & shown, GROUPS) for row in rows)
        for itemset in itemsets
        for known in subsets(set(itemset), len(itemset))
    ]
    verdict = verify(generalised(rows, GROUPS, guarantee))
    assert verdict.measured["k"] == min([n for n in counts if n] + [len(rows)])
    assert verdict.holds == all(n == 0 or n >= k for n in [*counts, len(rows)])


THIRTY = tuple(f"i{number:02}" for number in range(30))


def all_but_one(times: int = 2) -> list[list[str]]:
    """Records with all of thirty items but one: any thirty never meet, any fewer do."""
    return [[item for item in THIRTY if item != missing] for missing in THIRTY] * times


def test_a_wide_constraint_whose_items_never_meet_is_judged() -> None:
    """Its parts are a thousand million; what records have together of it are thirty combinations."""
    guarantee = ItemsetAnonymity(k=2, itemsets=(THIRTY,))
    release = generalised(all_but_one(), {}, guarantee)
    data = Dataset.of("sets", all_but_one())
    assert verify(release).measured == {"k": 2, "itemsets": 1} and verify(release).holds
    assert verify_against(release, data, np.arange(60)).measured == {"matches": 2, "knowledges": 30}
    assert attack(release, data).set_sizes.tolist() == [2] * 60
    smallest_groups = list(find_smallest_groups(release, data, np.arange(60), np.repeat([0, 1], 30)))
    assert {(group_size.people, group_size.records) for group_size in smallest_groups} == {(2, 2)} and len(
        smallest_groups
    ) == 30
    rare = verify(generalised(all_but_one(), {}, ItemsetAnonymity(k=100, itemsets=(THIRTY,))))
    assert rare.counterexample == {"values": list(THIRTY[1:]), "support": 2}


def test_items_that_meet_in_too_many_ways_are_refused_by_verifiers_and_attackers(monkeypatch) -> None:
    monkeypatch.setattr(named_items, "_MOST_PAIRS", 899)
    guarantee = ItemsetAnonymity(k=2, itemsets=(THIRTY,))
    rows = [*all_but_one(), *([item] for item in THIRTY)]
    release, data = generalised(rows, {}, guarantee), Dataset.of("sets", rows)
    for judge in (verify, lambda found: verify_against(found, data), lambda found: attack(found, data)):
        with pytest.raises(ParameterError, match="30 items of a named itemset occur together in 60 ways, too many"):
            judge(release)
    monkeypatch.setattr(named_items, "_MOST_PAIRS", 60 * 60)
    assert verify(release).holds and verify_against(release, data).holds


@settings(max_examples=150)
@given(
    rows=st.lists(st.lists(st.sampled_from("abcdP"), max_size=4, unique=True), min_size=1, max_size=10),
    k=st.integers(2, 4),
)
def test_the_rarest_part_is_that_of_brute_force(rows: list[list[str]], k: int) -> None:
    members = {"P": ["b", "x"]}
    release = generalised(rows, members, ItemsetAnonymity(k=k, itemsets=(("a", "b", "c", "x"),)))
    held = [{item for value in row for item in members.get(value, [value])} for row in rows]
    holders = {"a": {"a"}, "b": {"b", "P"} & {value for row in rows for value in row}, "c": {"c"}, "x": {"P"}}
    counts = [sum(have.issuperset(some) for have in held) for some in subsets("abcx", 4)]
    verdict = verify(release)
    smallest = min([len(rows), *filter(None, counts)])
    assert verdict.measured["k"] == smallest
    if smallest < min(k, len(rows)) and "values" in verdict.counterexample:
        shared = set(verdict.counterexample["values"])
        # A record has a part of the constraint if it has one of the values of each of its items.
        parts = [some for some in subsets("abcx", 4) if {value for item in some for value in holders[item]} == shared]
        assert any(sum(have.issuperset(some) for have in held) == smallest for some in parts)
