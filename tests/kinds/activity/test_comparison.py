"""Activity data beside their release: intervals are found again, and another original is refused."""

import pytest
from tests.kinds.activity.naive.releases import compare, people, publish

from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import SchemaError
from sfumato.kinds.activity.comparison import ActivityComparison
from sfumato.metrics.comparison import Comparison

HOURS = TimeUnit("hour", 19723 * 24)


@pytest.mark.parametrize("dated", [True, False])
def test_intervals_are_read_from_numbers_and_from_times(dated):
    data = people([["a", "b", "a", "b"], ["a", "a", "b", "b"]], time_unit=HOURS if dated else None)
    found = compare(data, [[0, 1]], 2, dated=dated).view(ActivityComparison)
    assert found.edges.tolist() == [0, 2, 4]
    (only,) = found.classes()
    assert only.shares.tolist() == [[0.75, 0.25], [0.25, 0.75]]
    assert only.rows.tolist() == [0, 1]


def test_another_original_is_refused():
    data = people([["a", "b"], ["b", "a"]], time_unit=HOURS)
    release, rows = publish(data, [[0, 1]], dated=True)
    strangers = people([["x", "y"], ["y", "x"]], time_unit=HOURS)
    with pytest.raises(SchemaError, match="data it was made from"):
        list(Comparison(strangers, release, rows).view(ActivityComparison).classes())
    later = people([["a", "b"], ["b", "a"]], time_unit=TimeUnit("hour", HOURS.origin + 1))
    with pytest.raises(SchemaError, match="published intervals"):
        list(Comparison(later, release, rows).view(ActivityComparison).classes())
