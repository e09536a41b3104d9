"""Synthetic sequences: reproducible, of the wanted size and shape, and refused when asked wrongly."""

from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.exceptions import ParameterError
from sfumato.generators.taxonomy import taxonomy
from sfumato.kinds.sequences.generators import generate


def lengths_of(table):
    return np.array(table["person"].value_counts().field("counts"))


def seconds_of(table):
    return table["time"].cast(pa.int64()).to_numpy()


def events_of(table):
    return np.array(table["event"].to_pylist())


def steps_within_people(table):
    """Return the seconds between each event of a person and the next one."""
    person = np.array(table["person"].to_pylist())
    return np.diff(seconds_of(table))[person[1:] == person[:-1]]


def test_table_has_the_documented_columns():
    table = generate(20, seed=3)
    assert table.schema == pa.schema(
        [("person", pa.string()), ("time", pa.timestamp("s", tz="UTC")), ("event", pa.string())]
    )
    assert all(column.null_count == 0 for column in table.columns)


def test_tables_are_the_same_on_every_machine():
    table = generate(50, seed=1, events=100, mean_events=2).slice(0, 4)
    assert table["person"].to_pylist() == ["p0000001", "p0000002", "p0000002", "p0000002"]
    assert table["event"].to_pylist() == ["site72", "site09", "site02", "site02"]
    assert [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in table["time"].to_pylist()] == [
        "2024-01-07 22:12:04",
        "2024-01-20 11:30:58",
        "2024-01-20 11:31:10",
        "2024-01-20 11:31:47",
    ]


@settings(max_examples=30)
@given(
    size=st.integers(1, 40),
    seed=st.integers(0, 2**64),
    portals=st.integers(0, 3),
    share=st.floats(0, 1),
    session=st.floats(1, 9),
    days=st.integers(1, 3),
)
def test_rows_are_ordered_and_nobody_does_two_things_at_once(size, seed, portals, share, session, days):
    options = {"portals": portals, "portal_share": share, "mean_session": session, "days": days}
    table = generate(size, seed, events=20, mean_events=9, start="2024-05-01", **options)
    people = table["person"].to_pylist()
    assert people == sorted(people)
    assert len(set(people)) == size
    assert (steps_within_people(table) >= 1).all()
    assert {moment.date() for moment in table["time"].to_pylist()} <= {date(2024, 5, 1 + day) for day in range(days)}


@pytest.mark.parametrize("mean", [1.0, 2.5, 30.0])
def test_people_have_the_wanted_average_length(mean):
    lengths = lengths_of(generate(20_000, seed=1, mean_events=mean, max_events=500))
    assert lengths.min() >= 1
    assert lengths.max() <= 500
    assert lengths.mean() == pytest.approx(mean, rel=0.06)


def test_lengths_are_heavy_tailed():
    lengths = lengths_of(generate(10_000, seed=1))
    assert lengths.mean() == pytest.approx(61, rel=0.1)
    assert np.median(lengths) < 30
    assert np.quantile(lengths, 0.999) > 40 * np.median(lengths)
    assert lengths.max() <= 8_600


def test_every_mean_up_to_the_largest_number_of_clicks_is_possible():
    assert (lengths_of(generate(50, seed=1, mean_events=9, max_events=9)) == 9).all()
    assert (lengths_of(generate(50, seed=1, mean_events=1, max_events=9)) == 1).all()
    assert (lengths_of(generate(50, seed=1, mean_events=1, max_events=1)) == 1).all()


def test_a_second_for_every_click_is_enough():
    table = generate(1, seed=1, days=1, mean_events=86_400, max_events=86_400)
    assert (steps_within_people(table) == 1).all()
    assert table.num_rows == 86_400


def test_popularity_of_sites_is_skewed_unless_told_otherwise():
    def counts(**options):
        table = generate(5_000, seed=1, events=506, mean_events=20, max_events=100, **options)
        events = table["event"].value_counts()
        names = np.array(events.field("values").to_pylist())
        return dict(zip(names, np.array(events.field("counts")), strict=True))

    skewed = counts()
    assert skewed["site001"] > 50 * np.median(list(skewed.values()))
    assert skewed["site001"] > 1.5 * skewed["site002"] > skewed["site003"]
    sites = [count for name, count in counts(skew=0).items() if name.startswith("site")]
    assert len(sites) == 500
    assert max(sites) < 5 * np.median(sites)


@pytest.mark.parametrize(
    ("share", "session"), [(0.0, 6.0), (0.08, 6.0), (0.5, 6.0), (0.99, 6.0), (1.0, 3.0), (0.5, 1.2), (0.3, 1.0)]
)
def test_portals_have_their_share_of_clicks(share, session):
    events = events_of(generate(2_000, seed=1, portal_share=share, mean_session=session, mean_events=20))
    portal = np.char.startswith(events, "portal")
    assert portal.mean() == pytest.approx(share, abs=0.01)
    if share:
        assert set(events[portal]) == {f"portal{number}" for number in range(1, 7)}


def test_no_portals_at_all():
    assert not np.char.startswith(events_of(generate(50, seed=1, portals=0)), "portal").any()


def test_most_people_use_a_portal_and_each_prefers_one():
    table = generate(2_000, seed=1)
    portal = table.filter(pa.array(np.char.startswith(events_of(table), "portal")))
    assert 0.6 < len(portal["person"].unique()) / 2_000 < 1.0
    pairs = portal.group_by(["person", "event"]).aggregate([([], "count_all")])
    favourite = pairs.group_by("person").aggregate([("count_all", "max"), ("count_all", "sum")])
    often = favourite["count_all_sum"].to_numpy() >= 10
    assert np.median((favourite["count_all_max"].to_numpy() / favourite["count_all_sum"].to_numpy())[often]) > 0.6


def test_days_and_weeks_have_a_rhythm():
    seconds = seconds_of(generate(5_000, seed=1, days=28, start="2024-01-01"))
    hour = seconds // 3600 % 24
    assert (hour == 18).sum() > 5 * (hour == 3).sum()
    weekend = (seconds // 86_400 + 3) % 7 >= 5  # 1970 began on a Thursday
    morning = hour == 8
    assert morning[~weekend].mean() > 2 * morning[weekend].mean()


def test_clicks_come_in_sessions():
    steps = steps_within_people(generate(2_000, seed=1, mean_session=6.0, pause=45))
    inside = steps < 600
    assert inside.mean() == pytest.approx(5 / 6, abs=0.05)
    assert steps[inside].mean() == pytest.approx(45, rel=0.15)
    assert np.median(steps[~inside]) > 7_200
    alone = steps_within_people(generate(2_000, seed=1, mean_session=1.0, mean_events=5))
    assert (alone < 600).mean() < 0.1


def test_sessions_often_begin_at_a_portal():
    table = generate(2_000, seed=1)
    person = np.array(table["person"].to_pylist())
    opens = np.append(True, (np.diff(seconds_of(table)) > 1_800) | (person[1:] != person[:-1]))
    portal = np.char.startswith(events_of(table), "portal")
    assert portal[opens].mean() > 3 * portal[~opens].mean()


def test_sessions_that_overlap_are_shuffled_together():
    steps = steps_within_people(generate(50, seed=1, days=1, mean_events=400, max_events=400, mean_session=40))
    assert (steps == 1).mean() < 0.1


def test_people_return_to_their_sites():
    table = generate(500, seed=1, events=100_000, skew=0, portals=0)
    distinct = table.group_by(["person", "event"]).aggregate([]).num_rows
    assert distinct < 0.7 * table.num_rows


def test_sites_are_numbered_with_equal_width():
    events = set(events_of(generate(300, seed=1, events=1_006)))
    assert {len(event) for event in events if event.startswith("site")} == {8}
    assert "site0001" in events


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0}, "size must be at least 1, got 0"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"size": "many"}, "size must be a whole number, got 'many'"),
        ({"model": "click"}, "there is no model 'click'. Did you mean 'clicks'"),
        ({"evnts": 3}, "model clicks has no option 'evnts'. Did you mean 'events'"),
        ({"events": 1}, "events must be at least 2"),
        ({"portals": 5, "events": 5}, "portals must be at most 4"),
        ({"portal_share": 1.5}, "portal_share must be at most 1"),
        ({"portal_share": "nan"}, "portal_share must be a number"),
        ({"mean_events": 0.5}, "mean_events must be at least 1"),
        ({"mean_events": 20, "max_events": 10}, "mean_events must be at most 10, which is max_events, got 20"),
        ({"days": 1, "max_events": 86_401}, "max_events must be at most 86400, one a second for 1 days"),
        ({"mean_session": 0}, "mean_session must be at least 1"),
        ({"pause": 0}, "pause must be at least 1"),
        ({"start": "tomorrow"}, "start must be a date like 2024-01-31"),
    ],
)
def test_wrong_wishes_are_refused(options, message):
    with pytest.raises(ParameterError) as caught:
        generate(**{"size": 5, "seed": 1, **options})
    assert "generate sequences: " in str(caught.value)
    assert message in str(caught.value)


# Taxonomies


@settings(max_examples=30)
@given(count=st.integers(1, 200), fanout=st.integers(2, 9), seed=st.integers(0, 2**64))
def test_a_taxonomy_holds_every_event_in_categories_of_the_wanted_size(count, fanout, seed):
    events = [f"site{number}" for number in range(count)]
    tree = taxonomy(events, fanout, seed)
    assert sorted(tree.leaf_labels) == sorted(events)
    children = np.bincount(tree.parent[tree.parent >= 0], minlength=1)
    assert children.max() <= fanout
    assert tree == taxonomy([*reversed(events), *events], fanout, seed)


def test_taxonomies_differ_by_seed_and_mix_popular_with_rare():
    events = [f"site{number:03d}" for number in range(500)]
    one, two = taxonomy(events, 5, 1), taxonomy(events, 5, 2)
    assert one != two
    assert list(one.leaf_labels) != sorted(one.leaf_labels)
    parts = [one.members(child) for child in one.children(one.labels[-1])]
    means = [np.mean([int(label[4:]) for label in part]) for part in parts]
    assert max(means) - min(means) < 200


@pytest.mark.parametrize(
    ("fanout", "seed", "message"), [(1, 1, "fanout must be at least 2"), (2, -1, "taxonomy: seed")]
)
def test_wrong_taxonomies_are_refused(fanout, seed, message):
    with pytest.raises(ParameterError, match=message):
        taxonomy(["a", "b"], fanout, seed)
