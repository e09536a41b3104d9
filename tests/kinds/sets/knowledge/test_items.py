"""Records that match a set of items: the lean ways equal trying everything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.sets.drawing import LABELS, baskets
from tests.kinds.sets.naive.attack import smallest_sets

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.knowledge import items as knowledge
from sfumato.kinds.sets.knowledge.items import ItemRecords
from sfumato.kinds.sets.knowledge.search import best_knowledge


@st.composite
def recoded(draw: Any) -> tuple[list[list[str]], dict[str, list[str]], list[str], list[list[str]]]:
    """Records published under groups of items, some withheld, some items removed; and other people beside them."""
    people = draw(baskets)
    groups = draw(st.lists(st.integers(0, 3), min_size=len(LABELS), max_size=len(LABELS)))
    members: dict[str, list[str]] = {}
    for item, group in zip(LABELS, groups, strict=True):
        members.setdefault(f"G{group}", []).append(item)
    value_of = {item: value for value, items in members.items() for item in items}
    gone = draw(st.sets(st.sampled_from(LABELS), max_size=2))
    kept = draw(st.lists(st.booleans(), min_size=len(people), max_size=len(people)))
    published = [
        sorted({value_of[item] for item in row if item not in gone})
        for row, here in zip(people, kept, strict=True)
        if here
    ]
    return published, members, sorted(gone), people


@given(recoded(), st.integers(1, 3))
def test_the_least_knowledge_is_the_least_of_everybodys(drawn, m):
    published, members, gone, people = drawn
    records = ItemRecords(ListColumn.from_lists(published), members, gone, ListColumn.from_lists(people))
    lean, plain = records.least_knowledge(m), best_knowledge(records, m)
    assert lean.unmatched.tolist() == plain.unmatched.tolist()
    least = [int(found.smallest[found.smallest > 0].min(initial=len(published))) for found in (lean, plain)]
    assert least[0] == least[1]
    if all(people):
        naive = smallest_sets(published, members, gone, people, m)
        assert plain.smallest.tolist() == [smallest for smallest, _ in naive]


NESTED = {"AB": list("ab"), "AD": list("abcd"), "EF": list("ef"), "ALL": list("abcdefg")}


@st.composite
def nested(draw: Any) -> tuple[list[list[str]], list[list[str]], list[int]]:
    """Records whose items are published as themselves or as one of several values around them; and who is who."""
    people = draw(baskets)
    rows = draw(st.lists(st.sampled_from(range(len(people))), unique=True))
    published = []
    for row in rows:
        labels = set()
        for item in people[row]:
            above = [value for value, members in NESTED.items() if item in members]
            labels.add(draw(st.sampled_from([item, *above])))
        published.append(sorted(labels))
    return published, people, rows


@given(nested(), st.integers(1, 3))
def test_records_with_nested_values_are_counted_as_by_trying_all(drawn, m):
    published, people, _ = drawn
    records = ItemRecords(ListColumn.from_lists(published), NESTED, (), ListColumn.from_lists(people))
    found = best_knowledge(records, m)
    if all(people):
        naive = smallest_sets(published, NESTED, (), people, m)
        assert found.smallest.tolist() == [smallest for smallest, _ in naive]


@pytest.fixture(scope="module")
def any_number_is_too_many():
    """Let the search for everybody's best knowledge count as too dear."""
    before, knowledge._EXACT = knowledge._EXACT, -1
    yield
    knowledge._EXACT = before


@given(nested(), st.integers(1, 3), st.integers(1, 4))
def test_what_is_proved_from_published_sets_is_never_more_than_what_matches(any_number_is_too_many, drawn, m, k):
    published, people, rows = drawn
    records = ItemRecords(ListColumn.from_lists(published), NESTED, (), ListColumn.from_lists(people))
    lean, plain = records.least_knowledge(m, np.array(rows, np.int64), k), best_knowledge(records, m)
    assert lean.unmatched.tolist() == plain.unmatched.tolist()
    assert (lean.smallest <= plain.smallest).all()
    least = [int(found.smallest[found.smallest > 0].min(initial=len(published))) for found in (lean, plain)]
    assert (least[0] >= k) == (least[1] >= k)


def test_of_long_records_the_rarest_items_are_tried():
    rows = [[f"i{n}" for n in range(40)]] * 3 + [["i0", "rare"]]
    original = ItemRecords.of_original(Dataset.of("sets", rows))
    assert best_knowledge(original, 2, most_items=2).smallest.tolist() == [3, 3, 3, 1]
    assert best_knowledge(original, 2, most_items=2).tried < best_knowledge(original, 2).tried
