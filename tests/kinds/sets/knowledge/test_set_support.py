"""Records that hold a set, counted by bits, by records and by a table."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.sets.drawing import LABELS, baskets

from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.knowledge import set_support
from sfumato.kinds.sets.knowledge.set_support import SetSupport, count_sets


@given(
    baskets,
    st.integers(1, 3),
    st.sampled_from([0.0, 1e9]),
    st.sampled_from([0.0, 0.05, 0.2, 1e9]),
    st.sampled_from([64, 128, 1 << 16]),
)
def test_supports_of_sets_by_bits_by_records_and_by_table(rows, size, words_per_set, words_per_record, at_once):
    records = ListColumn.from_lists([*rows, list(LABELS)]).distinct()
    sets = list(itertools.combinations(range(len(LABELS)), size))
    held = [set(row) for row in records.lists()]
    names = [{records.labels[code] for code in chosen} for chosen in sets]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(set_support, "_WORDS_PER_SET", words_per_set)
        patched.setattr(set_support, "_WORDS_PER_RECORD", words_per_record)
        patched.setattr(set_support, "_ROWS", at_once)
        patched.setattr(set_support, "_CELLS", 3)
        asked = SetSupport(records)
        columns = [np.array(column) for column in zip(*sets, strict=True)]
        expected = [sum(chosen <= row for row in held) for chosen in names]
        assert asked.count(columns).tolist() == expected
        pairs = sorted(
            pair for which, rows in asked.holders(columns) for pair in zip(which.tolist(), rows.tolist(), strict=True)
        )
    assert pairs == sorted((i, r) for i, chosen in enumerate(names) for r, row in enumerate(held) if chosen <= row)
    assert count_sets(records, size) == sum(expected)


def test_bits_of_many_records_are_taken_in_portions():
    rows = [["a", "b"] if number % 3 else ["a"] for number in range(200)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(set_support, "_ROWS", 64)
        asked = SetSupport(ListColumn.from_lists(rows))
        assert asked.count([np.array([0]), np.array([1])]).tolist() == [sum(len(row) == 2 for row in rows)]


@pytest.mark.parametrize("words_per_record", [0.0, 0.01, 0.02, 5.0], ids=["searched", "bits", "both", "met"])
def test_pairs_of_few_and_of_many_records_are_counted_alike(words_per_record):
    rng = np.random.default_rng(1)
    rows = [[str(item) for item in np.flatnonzero(rng.random(12) < 0.6 / np.arange(1, 13) ** 0.3)] for _ in range(150)]
    pairs = list(itertools.combinations(range(12), 2))
    records = ListColumn.from_lists([[str(item) for item in range(12)], *rows])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(set_support, "_WORDS_PER_SET", 1e9)
        patched.setattr(set_support, "_WORDS_PER_RECORD", words_per_record)
        patched.setattr(set_support, "_ROWS", 128)
        found = SetSupport(records).count([np.array(column) for column in zip(*pairs, strict=True)])
    held = [set(row) for row in records.lists()]
    assert found.tolist() == [sum({str(a), str(b)} <= row for row in held) for a, b in pairs]
