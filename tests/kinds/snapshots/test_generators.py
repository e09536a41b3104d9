"""Generated snapshots."""

import pytest
from tests.kinds.snapshots.naive.people import cases, publish_cases

from sfumato.exceptions import ParameterError
from sfumato.kinds.snapshots.comparison import SnapshotComparison
from sfumato.kinds.snapshots.generators import generate
from sfumato.kinds.snapshots.report import plots
from sfumato.metrics.comparison import Comparison

DATA, RESULT, COMPARISON = publish_cases()


def test_the_same_seed_gives_the_same_records():
    assert generate(300, 5, snapshots=9).equals(generate(300, 5, snapshots=9))
    assert not generate(300, 5, snapshots=9).equals(generate(300, 6, snapshots=9))


@pytest.mark.parametrize("unit", ["day", "hour", "minute"])
def test_generated_records_are_in_the_order_of_time(unit):
    table = generate(500, 2, snapshots=20, unit=unit)
    times = table["time"].to_pylist()
    assert times == sorted(times) and table.num_rows == 500
    assert len(set(times)) <= 20


def shares(**options):
    found = SnapshotComparison(Comparison(cases(4000, **options), RESULT.release))
    return plots._largest_shares(found.original_counts)


def test_outbreaks_make_snapshots_skewed():
    assert shares(outbreaks=0.5, burst=4.0).mean() > shares(outbreaks=0.0).mean() + 0.1


@pytest.mark.parametrize(
    "options", [{"snapshots": 0}, {"unit": "year"}, {"values": "x"}, {"skw": 1}, {"model": "none"}]
)
def test_the_generator_refuses_what_it_cannot_do(options):
    with pytest.raises(ParameterError, match="generate snapshots"):
        generate(10, 1, **options)
