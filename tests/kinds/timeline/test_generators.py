"""Generated timelines."""

import pyarrow.compute as pc
import pytest

from sfumato.exceptions import ParameterError
from sfumato.kinds.timeline.generators import MODELS, OPTIONS, generate


def test_it_has_the_shape_that_is_asked_for():
    table = generate(3000, seed=1, events=50, mean_events=6.0, step="day", start="2023-02-01")
    assert len(pc.unique(table["time"])) == 3000
    assert pc.min(table["time"]).as_py().isoformat() == "2023-02-01T00:00:00+00:00"
    assert pc.sum(table["count"]).as_py() / 3000 == pytest.approx(6.0, rel=0.05)
    assert set(table["event"].to_pylist()) == {f"event{i:02}" for i in range(1, 51)}
    assert pc.min(table["count"]).as_py() >= 1
    assert generate(5, seed=1, mean_events=1.0)["count"].to_pylist() == [1] * 5


def shares(table):
    """Return the share of every event."""
    sums = table.group_by("event").aggregate([("count", "sum")]).sort_by("event")["count_sum"].to_numpy()
    return sums / sums.sum()


def test_popularity_is_skewed():
    found = shares(generate(4000, seed=2, events=40, drift=0.0))
    assert found[0] > 3 * found[9] > 6 * found[39]


def test_popularity_drifts_between_segments():
    apart = []
    for drift in (0.0, 1.0):
        table = generate(4000, seed=2, events=40, drift=drift, segments=2)
        middle = table["time"].unique().sort()[2000]
        halves = [shares(table.filter(pc.equal(pc.less(table["time"], middle), first))) for first in (True, False)]
        apart.append(abs(halves[0] - halves[1]).sum())
    assert apart[1] > 5 * apart[0]


def test_models_have_options():
    assert set(OPTIONS) == set(MODELS) == {"segments"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0}, "size must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"model": "zipf"}, "no model 'zipf'"),
        ({"events": 0}, "events must be at least 1"),
        ({"drift": 2}, "drift must be at most 1"),
        ({"step": "week"}, "step must be"),
        ({"evnts": 3}, "no option 'evnts'"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        generate(**{"size": 10, "seed": 1, **options})
