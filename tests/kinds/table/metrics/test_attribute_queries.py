"""COUNT queries on attributes: how conditions are read, and how far off answers are."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.table.given_classes import NAMES, compare, make_people
from tests.kinds.table.metrics.test_losses import ROWS, comparisons
from tests.kinds.table.naive import measures as naive

import sfumato as sf
from sfumato.exceptions import SchemaError
from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.comparison.queries import draw_queries, select, split_query
from sfumato.kinds.table.dataset import attribute_of
from sfumato.kinds.table.metrics.attribute_queries import AttributeQueries
from sfumato.metrics.comparison import Comparison


def ask(comparison, *query, sanity=0.001):
    found = Comparison(comparison.original, comparison.release, comparison.rows, workload=sf.Workload((query,)))
    return AttributeQueries(sanity=sanity).measure(found).value


@given(comparisons(), st.integers(0, 10))
def test_errors_are_those_counted_by_hand(comparison, seed):
    workload = draw_queries(comparison.view(TableComparison).queried_attributes, 5, seed)
    for query in workload.queries:
        conditions, rest = split_query(query, NAMES)
        assert not rest
        by_hand = naive.count_error(comparison.original, comparison.release, conditions, 0.1)
        assert ask(comparison, *query, sanity=0.1) == pytest.approx(by_hand)


@given(comparisons(), st.integers(0, 10))
def test_drawn_queries_match_a_record_and_are_read_back(comparison, seed):
    workload = draw_queries(comparison.view(TableComparison).queried_attributes, 10, seed)
    assert len(workload) and sf.Workload.from_csv(workload.to_csv()) == workload
    for query in workload.queries:
        conditions, _ = split_query(query, NAMES)
        records = [
            dict(zip(NAMES, row, strict=True))
            for row in zip(*(naive.values_of(comparison.original, name) for name in NAMES), strict=True)
        ]
        assert any(all(naive.matches(row[name], text) for name, text in conditions.items()) for row in records)


@pytest.mark.parametrize(
    ("query", "error"),
    [
        (["age=20..24"], 0.0),
        (["age=20"], abs(2 / 5 - 1)),
        (["age=..24"], 0.0),
        (["age=25.."], 1 / 2),  # one of two is withheld
        (["age="], 0.0),
        (["origin=Spain"], 0.0),
        (["origin=South"], 0.0),
        (["origin=Europe|Chile"], 1 / 5),
        (["sex=f|m"], 0.0),
        (["sex="], 0.0),
        (["ill=cough"], 1 / 2),
        (["age=20..24", "ill=flu"], 0.0),
        (["height=1.6..2.0"], 1 / 3),
    ],
)
def test_conditions_by_hand(query, error):
    comparison = compare(make_people(ROWS), [0, 0, 1, 2, -1])
    assert ask(comparison, *query) == pytest.approx(error)


def test_dates_are_asked_for_as_dates():
    days = [(datetime.date(2024, 1, day),) for day in (1, 2, 11, 20)]
    data = sf.Dataset.of("table", days, ("day",))
    comparison = compare(data, [0, 0, 1, 1])
    assert ask(comparison, "day=2024-01-01..2024-01-02") == 0.0
    assert ask(comparison, "day=2024-01-11..2024-01-15") == 0.0  # half of ten days, of two records
    assert ask(comparison, "day=2024-01-11") == pytest.approx(0.8)


@pytest.mark.parametrize("query", [("age=young",), ("origin=Atlantis",), ("origin=Spain|",), ("day=1",), ("wine",)])
def test_what_cannot_be_asked_is_refused_without_the_value(query):
    comparison = compare(make_people(ROWS), [0, 0, 1, 2, 2])
    if query == ("origin=Spain|",):
        assert ask(comparison, *query) >= 0  # Spain, or missing
        return
    with pytest.raises(SchemaError, match="query 1 of the workload") as refused:
        ask(comparison, *query)
    assert "young" not in str(refused.value) and "Atlantis" not in str(refused.value)


def test_a_column_asked_twice_is_refused():
    with pytest.raises(SchemaError, match="each column once"):
        ask(compare(make_people(ROWS), [0, 0, 1, 2, 2]), "age=20..", "age=..30")


def test_labels_with_signs_in_them():
    data = sf.Dataset.of("table", [("a|b",), ("c=d",), ("c=d",)], ("x=y",))
    comparison = compare(data, [0, 1, 1])
    assert ask(comparison, "x=y=a|b") == 0 and ask(comparison, "x=y=c=d") == 0
    assert select(attribute_of(data, "x=y"), "a|b").labels == {"a|b"}
    for seed in range(5):
        workload = draw_queries(comparison.view(TableComparison).queried_attributes, 5, seed)
        assert all(ask(comparison, *query) == 0 for query in workload.queries)
