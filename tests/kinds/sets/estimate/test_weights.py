"""A value's support is divided among its members: as plain twins and all originals say, and with a smaller error."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.estimate.asking import estimate
from tests.kinds.sets.naive.supports import average, expect, left, weigh
from tests.kinds.sets.releases import generalised

import sfumato as sf
from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.estimate.supports import count_supports
from sfumato.kinds.sets.estimate.weights import Places, weigh_left, weigh_members
from sfumato.kinds.sets.generators import generate

NESTED = {"AB": "ab", "CD": "cd", "AD": "abcd", "EF": "ef", "ALL": "abcdef"}
GROUPS = {name: tuple(members) for name, members in NESTED.items()}


@st.composite
def nested_rows(draw: st.DrawFn) -> list[list[str]]:
    """Records with values inside values, every one of which has a member that no finer one of its record stands for."""
    values = st.lists(st.sampled_from([*GROUPS, *"abcdef"]), min_size=1, max_size=5, unique=True)
    rows = draw(st.lists(values, min_size=1, max_size=8))
    return [[value for value in sorted(row) if left(value, row, GROUPS)] for row in rows]


@settings(max_examples=200)
@given(nested_rows())
def test_expected_supports_are_those_of_the_plain_twin(rows):
    asked = [list(items) for size in (1, 2, 3) for items in combinations("abcdefg", size)]
    found = estimate(generalised(rows, GROUPS), asked)
    assert found.tolist() == pytest.approx([expect(rows, GROUPS, itemset) for itemset in asked])


@settings(max_examples=100)
@given(nested_rows())
def test_items_are_expected_as_often_as_in_the_originals_in_which_every_value_adds_one(rows):
    weights = weigh(rows, GROUPS)
    oracle = [sum(average(row, GROUPS, weights, [item]) for row in rows) for item in "abcdef"]
    found = estimate(generalised(rows, GROUPS), [[item] for item in "abcdef"])
    assert found.tolist() == pytest.approx(oracle)
    assert found.sum() == pytest.approx(sum(map(len, rows)))


@settings(max_examples=100)
@given(nested_rows())
def test_what_finer_values_leave_is_what_their_members_do_not_weigh(rows):
    history = ListColumn.from_lists(rows)
    weights = weigh(rows, GROUPS)
    expected = [sum(weights[value][item] for item in left(value, row, GROUPS)) for row in rows for value in row]
    tokens = Places.of(history.codes, len(history.labels))
    assert weigh_left(history, tokens, weigh_members(history, GROUPS)).tolist() == pytest.approx(expected)


def test_a_group_beside_one_of_its_members_stands_for_the_others():
    release = generalised([["a", "AB"], ["a", "AB"], ["c"]], GROUPS)
    assert estimate(release, [["a"], ["b"], ["a", "b"]]).tolist() == [2, 2, 2]
    third = estimate(generalised([["c", "AD"]], {"AD": tuple("abcd")}), [["a"], ["b"], ["c"], ["d"]])
    assert third.tolist() == pytest.approx([1 / 3, 1 / 3, 1, 1 / 3])


def test_overlapping_values_that_are_not_nested_never_expect_more_than_is_possible():
    groups = {"ab": ("a", "b"), "bc": ("b", "c"), "abc": ("a", "b", "c")}
    found = estimate(generalised([["ab", "bc", "abc"]] * 3, groups), [["a"], ["b"], ["c"], ["a", "b", "c"]])
    assert (found <= 3).all() and (found > 0).all()


def test_members_that_finer_groups_publish_are_less_often_hidden():
    rows = [["AB"]] * 15 + [["AD"]] * 8
    found = estimate(generalised(rows, GROUPS), [["a"], ["c"]])
    assert found.tolist() == pytest.approx([expect(rows, GROUPS, "a"), expect(rows, GROUPS, "c")])
    assert found[1] > 2 and found[0] < 7.5 + 2


def expect_by_exact_items(release, items):
    """Divide values among all their members by how often these are published exactly: what was done before."""
    rows, groups = release.history().lists(), release.members()
    exact = {item: sum(row.count(item) for row in rows) for item in items}
    weight = {item: (1 + exact[item]) ** -0.25 for item in items}

    def chance(item, row):
        fitting = [groups.get(value, (value,)) for value in row if item in groups.get(value, (value,))]
        finest = min(fitting, key=len, default=())
        return weight[item] / sum(weight[other] for other in finest) if len(finest) > 1 else float(len(finest))

    return np.array([sum(chance(item, row) for row in rows) for item in items])


@pytest.mark.parametrize(("k", "skew"), [(5, 0.8), (20, 0.8), (5, 0.0), (20, 1.3)])
def test_single_items_of_local_km_are_counted_better_than_by_exact_items_alone(k, skew):
    table = generate(1000, seed=1, items=60, mean_length=4.0, skew=skew)
    baskets: dict[str, list[str]] = {}
    for person, item in zip(table["person"].to_pylist(), table["item"].to_pylist(), strict=True):
        baskets.setdefault(person, []).append(item)
    data = sf.Dataset.of("sets", list(baskets.values()))
    release = sf.anonymize(data, sf.methods.LocalKmItems(k=k, m=2), secret=bytes(32)).release
    items = sorted({item for basket in baskets.values() for item in basket})
    truth = count_supports(data.history(), [[item] for item in items])
    scale = np.maximum(truth, 1)
    errors = [
        float((np.abs(found - truth) / scale).mean())
        for found in (estimate(release, [[item] for item in items]), expect_by_exact_items(release, items))
    ]
    assert errors[0] < 0.9 * errors[1], errors
