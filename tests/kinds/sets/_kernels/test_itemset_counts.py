"""Counts of itemsets that follow unions of items."""

import numpy as np
import pytest
from tests.kinds.sets.naive import generalisation as plain

import sfumato as sf
from sfumato.exceptions import ParameterError
from sfumato.kinds.sets._kernels import itemset_counts
from sfumato.kinds.sets._kernels.baskets import fill_baskets
from sfumato.kinds.sets._kernels.itemset_counts import count_itemsets, list_rare, read_support, unite_codes
from sfumato.release.run import Run


def test_too_many_combinations_to_count_are_refused(monkeypatch):
    labels = [f"i{i}" for i in range(60)]
    rows = [labels[:11]] * 2 + [[label] for label in labels[11:]] * 2
    with pytest.raises(ParameterError, match="Coat: 60 items have too many combinations of 11; choose a smaller m"):
        sf.methods.Coat(k=2, m=11).anonymize(sf.Dataset.of("sets", rows), Run())
    monkeypatch.setattr(itemset_counts, "MAX_ITEMSETS", 10_000)
    baskets = fill_baskets(np.array([0, 60]), np.arange(60, dtype=np.int32), np.arange(60), 5_000)
    with pytest.raises(ValueError, match="hold more than 10,000 different combinations of 3 items; choose a smaller m"):
        count_itemsets(baskets, 3)


def test_counts_follow_unions_and_long_rows():
    rows = [list(range(40)), list(range(20, 60)), [1, 59]]
    offsets = np.cumsum([0, *map(len, rows)])
    baskets = fill_baskets(offsets, np.concatenate(rows).astype(np.int32), np.arange(60), 60)
    itemset_counts = count_itemsets(baskets, 3)
    assert read_support(baskets, itemset_counts, np.array([20, 30, 39])) == 2
    itemset_counts = unite_codes(baskets, itemset_counts, 59, 0)
    assert read_support(baskets, itemset_counts, np.array([0, 20, 39])) == 2
    assert baskets.lengths.tolist() == [40, 40, 2] and baskets.support[0] == 3
    itemsets, supports = list_rare(baskets, itemset_counts, 2)
    assert supports.max() == 1 and itemsets.shape[1] == 3


def test_counts_follow_unions_when_the_table_has_to_grow():
    rows = [set(range(24)), set(range(24, 48)), {7, 30, 47}]
    offsets = np.cumsum([0, *map(len, rows)])
    codes = np.array([code for row in rows for code in sorted(row)], dtype=np.int32)
    # So many codes that the counts do not fit a plain array.
    baskets = fill_baskets(offsets, codes, np.arange(48), 5_000)
    itemset_counts = count_itemsets(baskets, 3)
    room = itemset_counts.counter.slots.size
    for code in range(12):
        itemset_counts = unite_codes(baskets, itemset_counts, code, 24 + code)
        rows = [{24 + code if held == code else held for held in row} for row in rows]
    assert itemset_counts.counter.slots.size > room > 0
    for itemset, support in plain.count_itemsets(rows, 3).items():
        assert read_support(baskets, itemset_counts, np.array(itemset)) == support
