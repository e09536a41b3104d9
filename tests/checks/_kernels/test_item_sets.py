"""Records of classes with sets of items: what is compiled counts as plain Python does."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.checks._kernels.item_sets import count_records

VALUES, ITEMS, PEOPLE = 4, 5, 4


def flatten(rows: list[list[int]]) -> tuple[Any, Any]:
    return np.cumsum([0, *map(len, rows)]), np.array([cell for row in rows for cell in row], np.int64)


value_sets = st.lists(st.lists(st.integers(0, VALUES - 1), max_size=3, unique=True), min_size=1, max_size=9)
meanings = st.lists(st.lists(st.integers(0, ITEMS - 1), max_size=3, unique=True), min_size=VALUES, max_size=VALUES)
questions = st.lists(st.lists(st.integers(0, ITEMS), max_size=2, unique=True), min_size=1, max_size=6)


@settings(max_examples=200)
@given(value_sets, meanings, questions, st.data())
def test_records_are_counted_as_in_plain_python(
    records: list[list[int]], members: list[list[int]], sets: list[list[int]], data: st.DataObject
) -> None:
    groups = data.draw(st.integers(1, 3))
    group = data.draw(st.lists(st.integers(0, groups - 1), min_size=len(records), max_size=len(records)))
    fitting = data.draw(st.lists(st.lists(st.integers(0, PEOPLE - 1), unique=True), min_size=groups, max_size=groups))
    known = data.draw(st.lists(st.lists(st.integers(0, len(sets) - 1), max_size=4), min_size=PEOPLE, max_size=PEOPLE))
    secret = np.array(data.draw(st.lists(st.booleans(), min_size=2 * len(records), max_size=2 * len(records))))
    secret = secret.reshape(2, -1)
    own = [[row for row in range(len(records)) if group[row] == number] for number in range(groups)]
    may_have = [{item for value in values for item in members[value]} for values in records]
    counts, having = [], []
    for person, asked in enumerate(known):
        rows = [row for number in range(groups) if person in fitting[number] for row in own[number]]
        for question in asked:
            left = [row for row in rows if may_have[row] >= set(sets[question])]
            counts.append(len(left))
            having.append([int(secret[thing, left].sum()) for thing in range(2)])
    padded = np.array([[*items, *[-1] * (2 - len(items))] for items in sets])
    arrays = (*flatten(own), *flatten(fitting), *flatten(records), *flatten(members), *flatten(known), padded)
    found = count_records(*arrays, secret)
    assert found[0].tolist() == counts
    assert found[1].T.tolist() == having
