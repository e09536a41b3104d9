"""Attackers who know some items: against brute force, and a sample of people as everybody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import baskets
from tests.kinds.sets.examples import ROWS, nested, people
from tests.kinds.sets.naive import attack as naive

from sfumato.data.dataset import Dataset
from sfumato.kinds.sets import attacks as known_items
from sfumato.kinds.sets.attacks import attack, attack_original

ITEMS = "abcdef"
sets = st.lists(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=5, unique=True), min_size=1, max_size=7)


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


@settings(max_examples=30)
@given(baskets, st.integers(1, 2))
def test_a_sample_of_people_is_attacked_as_everybody_is(rows, m):
    data = Dataset.of("sets", [row or ["a"] for row in rows])
    whole = known_items.attack_original(data, m)[-1]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(known_items, "_EXACT", 0)
        patched.setattr(known_items, "_DRAWN", 3)
        some = known_items.attack_original(data, m)[-1]
    if len(rows) <= 3:
        assert some.set_sizes.tolist() == whole.set_sizes.tolist()
        assert some.sampling == ""
    else:
        drawn = known_items.draw_people(len(rows), 3, 0)
        assert some.set_sizes.tolist() == whole.set_sizes[drawn].tolist()
        assert some.sampling.startswith(f"measured on 3 of {len(rows)} people, ±")
        assert some.to_dict()["sampling"] == some.sampling
    assert whole.sampling == ""
