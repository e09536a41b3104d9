"""Measures of what cells and classes lose, against counting by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.table.given_classes import TREE, compare, make_people, people_rows
from tests.kinds.table.naive import measures as naive

import sfumato as sf
from sfumato.exceptions import SchemaError, SfumatoError
from sfumato.kinds.table.comparison import TableComparison, count_retained
from sfumato.kinds.table.metrics.average_class_size import AverageClassSize
from sfumato.kinds.table.metrics.discernibility import Discernibility
from sfumato.kinds.table.metrics.entropy_loss import EntropyLoss
from sfumato.kinds.table.metrics.ncp import Ncp
from sfumato.kinds.table.metrics.precision import Precision
from sfumato.metrics.comparison import Comparison

ROWS = [
    (20, 1.5, "f", "Spain", "flu"),
    (24, 1.5, "f", "Italy", "cold"),
    (None, 1.8, "m", "Norway", "flu"),
    (60, 2.0, None, "Chile", "cough"),
    (60, 2.0, "x", "Chile", "cough"),
]
CLASSES = [0, 0, 1, 2, -1]


@st.composite
def comparisons(draw):
    rows = draw(people_rows())
    group = [0, *(draw(st.lists(st.integers(-1, 3), min_size=len(rows) - 1, max_size=len(rows) - 1)))]
    return compare(make_people(rows), group, k=draw(st.integers(2, len(rows))))


@given(comparisons())
def test_losses_are_those_counted_by_hand(comparison):
    data, release = comparison.original, comparison.release
    assert Ncp().measure(comparison).value == pytest.approx(naive.ncp(data, release))
    assert Precision().measure(comparison).value == pytest.approx(naive.precision(data, release))
    assert Discernibility().measure(comparison).value == naive.discernibility(data, release)
    assert AverageClassSize().measure(comparison).value == pytest.approx(naive.average_class_size(data, release))
    bits = EntropyLoss().measure(comparison).value
    assert bits == pytest.approx(naive.entropy_loss(data, release, comparison.rows.tolist()))


@given(comparisons())
def test_losses_stay_in_their_range(comparison):
    for metric in (Ncp(), Precision(), EntropyLoss()):
        score = metric.measure(comparison)
        assert 0 <= score.value <= 1 + 1e-12
        assert all(-1e-12 <= share <= 1 + 1e-12 for share in score.details["by_attribute"].values())
    assert 0 < Discernibility().measure(comparison).details["share_of_worst"] <= 1
    k = comparison.release.guarantee.k
    assert 1 / k <= AverageClassSize().measure(comparison).value <= len(comparison.original) / k


def test_a_small_release_by_hand():
    comparison = compare(make_people(ROWS), CLASSES)
    details = Ncp().measure(comparison).details
    # Ages: 4 of 40 twice, a missing one, an exact one, a withheld one. Origins: South has 2 of 4 leaves.
    assert details["by_attribute"] == pytest.approx({"age": 0.24, "height": 0.2, "sex": 0.2, "origin": 0.4})
    assert details["exact_share"] == 12 / 16 and details["withheld_share"] == 0.2
    # South is one of three levels up.
    assert Precision().measure(comparison).details["by_attribute"]["origin"] == pytest.approx(1 - (2 / 3 + 1) / 5)
    assert Discernibility().measure(comparison).value == 4 + 1 + 1 + 5
    assert AverageClassSize().measure(comparison).value == pytest.approx(5 / 3 / 2)


def test_a_range_wider_than_the_column_loses_no_more_than_a_suppressed_one():
    data = sf.Dataset.of("table", [(20,), (21,)], ("age",))
    comparison = compare(data, [0, 0])
    wide = comparison.release.table.column("age").to_pylist()
    assert wide == [{"lo": 20, "hi": 21}] * 2
    assert Ncp().measure(comparison).value == 1.0


def test_without_the_row_map_only_bits_are_missing():
    data = make_people(ROWS)
    comparison = Comparison(data, compare(data, CLASSES).release)
    assert Ncp().applies(comparison) and not EntropyLoss().applies(comparison)
    with pytest.raises(SfumatoError, match="row map"):
        EntropyLoss().measure(comparison)


def test_another_original_is_refused_by_column():
    release = compare(make_people(ROWS), CLASSES).release
    other = sf.Dataset.of("table", [(1,)] * 5, ("years",))
    with pytest.raises(SchemaError, match="'age'"):
        _ = Comparison(other, release).view(TableComparison).columns


def test_little_left_is_said_with_numbers():
    data = sf.Dataset.of("table", [(n, "a") for n in range(100)], ("age", "city"))
    found = count_retained(data, compare(data, [0] * 100).release)
    assert found.is_low_utility and str(found).startswith("100 different combinations")
    assert not count_retained(data, compare(data, [n // 5 for n in range(100)], k=5).release).is_low_utility


def test_a_hierarchy_has_the_levels_it_has():
    assert TREE.height == 3
