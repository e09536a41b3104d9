"""Synthetic sets: the wanted sizes, patterns that go together, and the same for the same seed."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.exceptions import ParameterError
from sfumato.generators.taxonomy import taxonomy
from sfumato.kinds.sets.generators import baskets, generate


def sets_of(table):
    found = {}
    for row in table.to_pylist():
        found.setdefault(row["person"], []).append(row["item"])
    return found


def lengths_of(table):
    return np.array(table["person"].value_counts().field("counts"))


def counts_of(table):
    return np.sort(np.array(table["item"].value_counts().field("counts")))[::-1]


def test_the_table_has_the_documented_columns():
    table = generate(20, seed=1)
    assert table.schema == pa.schema([("person", pa.string()), ("item", pa.string())])
    assert all(column.null_count == 0 for column in table.columns)


def test_tables_are_the_same_on_every_machine():
    table = generate(50, seed=1, items=100, mean_length=2, patterns=20).slice(0, 4)
    assert table["person"].to_pylist() == ["p0000001", "p0000002", "p0000002", "p0000003"]
    assert table["item"].to_pylist() == ["item040", "item048", "item050", "item040"]


@settings(max_examples=30)
@given(
    size=st.integers(1, 40),
    seed=st.integers(0, 2**64),
    items=st.integers(1, 30),
    share=st.floats(0, 1),
    corruption=st.floats(0, 1),
    correlation=st.floats(0, 1),
    length=st.floats(1, 9),
)
def test_everybody_has_a_set_in_order(size, seed, items, share, corruption, correlation, length):
    options = {"corruption": corruption, "correlation": correlation, "pattern_length": length, "patterns": 7}
    table = generate(size, seed, items=items, mean_length=1 + share * (items - 1), **options)
    found = sets_of(table)
    assert len(found) == size
    assert list(found) == sorted(found)
    assert all(row == sorted(set(row)) for row in found.values())
    assert {item for row in found.values() for item in row} <= {
        f"item{number:0{len(str(items))}d}" for number in range(1, items + 1)
    }


@pytest.mark.parametrize("mean", [1.0, 2.5, 10.0, 40.0])
def test_baskets_have_the_wanted_average_length(mean):
    lengths = lengths_of(generate(10_000, seed=1, mean_length=mean, patterns=2_000))
    assert lengths.min() >= 1
    assert lengths.mean() == pytest.approx(mean, rel=0.03)
    assert lengths.var() == pytest.approx(mean - 1, rel=0.06, abs=1e-9)


def test_chunks_of_baskets_follow_one_another(monkeypatch):
    monkeypatch.setattr(baskets, "_CHUNK", 64)
    table = generate(200, seed=1, patterns=100)
    assert len(sets_of(table)) == 200
    assert lengths_of(table).mean() == pytest.approx(10, rel=0.1)


def test_a_basket_that_patterns_cannot_fill_stays_smaller():
    table = generate(50, seed=1, items=100, patterns=1, pattern_length=1, mean_length=50)
    assert table.num_rows == 50
    assert len(table["item"].unique()) == 1


def test_nearly_all_items_are_bought_and_some_more_often():
    counts = counts_of(generate(20_000, seed=1, items=1_000, patterns=2_000))
    assert len(counts) > 950
    assert counts[0] > 3 * np.median(counts) > 10 * counts[-1]


def count_pairs(table):
    """Count how often the most frequent pair of items is bought together, as a share of the baskets."""
    pairs = {}
    found = sets_of(table)
    for row in found.values():
        for i, one in enumerate(row):
            for two in row[i + 1 :]:
                pairs[one, two] = pairs.get((one, two), 0) + 1
    return max(pairs.values()) / len(found)


def test_what_goes_together_is_bought_together_unless_patterns_are_corrupted():
    options = {"items": 1_000, "patterns": 50, "mean_length": 6, "correlation": 0}
    whole = count_pairs(generate(2_000, seed=1, corruption=0, **options))
    broken = count_pairs(generate(2_000, seed=1, corruption=1, **options))
    assert whole > 0.05
    assert whole > 1.5 * broken


def test_correlated_patterns_share_items():
    def bought(correlation):
        return len(counts_of(generate(3_000, seed=1, items=5_000, patterns=200, correlation=correlation)))

    assert bought(1.0) < 0.7 * bought(0.0)


def test_items_are_numbered_with_equal_width():
    assert {len(item) for item in generate(300, seed=1, items=1_000)["item"].to_pylist()} == {8}


def test_a_taxonomy_serves_items():
    table = generate(50, seed=1, items=60, patterns=40)
    tree = taxonomy(table["item"].to_pylist(), 5, 1)
    assert sorted(tree.leaf_labels) == sorted(set(table["item"].to_pylist()))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0}, "size must be at least 1, got 0"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"size": "many"}, "size must be a whole number, got 'many'"),
        ({"model": "basket"}, "there is no model 'basket'. Did you mean 'baskets'"),
        ({"item": 3}, "model baskets has no option 'item'. Did you mean 'items'"),
        ({"items": 0}, "items must be at least 1"),
        ({"items": 5, "mean_length": 6}, "mean_length must be at most 5, which is items, got 6"),
        ({"patterns": 0}, "patterns must be at least 1"),
        ({"pattern_length": 0.5}, "pattern_length must be at least 1"),
        ({"correlation": 1.5}, "correlation must be at most 1"),
        ({"corruption": "nan"}, "corruption must be a number"),
    ],
)
def test_wrong_wishes_are_refused(options, message):
    with pytest.raises(ParameterError) as caught:
        generate(**{"size": 5, "seed": 1, **options})
    assert "generate sets: " in str(caught.value)
    assert message in str(caught.value)
