"""NCP, UL and errors of queries, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kinds.rt.examples import FIGURE_2B, by_hand, customers
from tests.kinds.rt.naive.anonymity import utility_loss

import sfumato as sf
from sfumato.exceptions import SchemaError
from sfumato.kinds.rt.methods.lexicographic import RFirst
from sfumato.kinds.rt.metrics.queries import Queries
from sfumato.kinds.rt.metrics.utility_loss import UtilityLoss
from sfumato.metrics.comparison import Comparison


def compare(workload: sf.Workload | None = None) -> Comparison:
    return Comparison(customers(), by_hand(FIGURE_2B), np.arange(6), workload=workload)


def test_utility_loss_leaves_sensitive_items_out() -> None:
    expected = [utility_loss(sizes) for sizes in ([1, 1, 4], [1, 1, 4], [1, 4], [1, 4], [1], [1, 4])]
    assert UtilityLoss().measure(compare()).value == pytest.approx(np.mean(expected))


def test_queries_on_attributes_items_and_both() -> None:
    asked = sf.Workload((("age=19..22",), ("E",), ("B", "E"), ("gender=Male", "F")))
    score = Queries(sanity=0.0).measure(compare(asked))
    # Ages 19 to 70 are 52 whole numbers, of which 4 are asked for: 6 * 4 / 52 people are expected, 2 are there.
    attributes = abs(6 * 4 / 52 - 2) / 2
    items = (0.0 + abs(3 / 4 - 2) / 2) / 2
    both = abs(4 * 0.5 - 3) / 3
    assert score.details["attributes"] == pytest.approx(attributes)
    assert score.details["items"] == pytest.approx(items)
    assert score.details["both"] == pytest.approx(both)


def test_drawn_queries_are_of_three_sorts_and_exact_data_answer_them() -> None:
    rows = [(n // 2, "fm"[n % 4 // 2]) for n in range(40)]
    data = sf.Dataset.of("rt", rows, ("age", "sex"), [["a", "b"]] * 40)
    result = sf.anonymize(data, RFirst(k=2, transaction="coat"), secret=bytes(32))
    score = Queries(queries=30).measure(Comparison(data, result.release, result.owner_record.rows))
    assert set(score.details) >= {"attributes", "items", "both"}


def test_a_query_about_nothing_known_is_refused() -> None:
    with pytest.raises(SchemaError, match="query 1 of the workload"):
        Queries().measure(compare(sf.Workload((("wine",),))))
