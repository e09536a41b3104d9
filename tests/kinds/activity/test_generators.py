"""Synthetic activity data: whole days without gaps, routines of seed people, vacations where they belong."""

import datetime
import itertools

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.notes import find_notes

import sfumato as sf
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.exports import write_table
from sfumato.kinds.activity.generators import MODELS, generate
from sfumato.kinds.activity.generators.routines import ACTIVITIES, builtin_routines, learn_routines


def frame(table):
    return pl.from_arrow(table).with_columns(minutes=(pl.col("end") - pl.col("start")).dt.total_minutes())


def test_the_table_has_the_documented_columns():
    table = generate(5, seed=1)
    stamp = pa.timestamp("s", tz="UTC")
    assert table.schema == pa.schema(
        [("person", pa.string()), ("start", stamp), ("end", stamp), ("activity", pa.string())]
    )
    assert all(column.null_count == 0 for column in table.columns)


def test_tables_are_the_same_on_every_machine():
    rows = generate(4, seed=1, model="long-weekend").slice(0, 3).to_pylist()
    assert [(row["activity"], row["end"].strftime("%H:%M")) for row in rows] == [
        ("Sleeping", "02:49"),
        ("Toileting", "02:50"),
        ("Sleeping", "06:32"),
    ]


@settings(max_examples=12)
@given(
    size=st.integers(1, 12),
    seed=st.integers(0, 2**64),
    model=st.sampled_from(sorted(MODELS)),
    days=st.integers(7, 15),
    share=st.floats(0, 1),
    borrow=st.floats(0, 1),
    activities=st.integers(1, 30),
)
def test_episodes_fill_all_days_without_gaps(size, seed, model, days, share, borrow, activities):
    options = {"days": days, "borrow": borrow, "activities": activities}
    if model != "plain":
        options["vacation_share"] = share
    if model == "long-vacation":
        options["days"] = 14
    rows = frame(generate(size, seed, model, **options)).to_dicts()
    found = {}
    for row in rows:
        found.setdefault(row["person"], []).append(row)
    assert len(found) == size
    for mine in found.values():
        assert mine[0]["start"].hour == mine[0]["start"].minute == 0
        assert all(a["end"] == b["start"] and a["activity"] != b["activity"] for a, b in itertools.pairwise(mine))
        assert all(row["minutes"] >= 1 for row in mine)
        assert sum(row["minutes"] for row in mine) == options["days"] * 1440
    assert len({row["activity"] for row in rows} - {"Vacation"}) <= activities


def test_shares_of_an_hour_are_those_of_the_routine():
    routines = builtin_routines()
    table = frame(generate(400, seed=1, model="plain", days=7, borrow=0.0))
    night = table.filter((pl.col("start").dt.hour() <= 3) & (pl.col("activity") == "Sleeping"))
    assert night["person"].n_unique() == 400
    assert len(routines.labels) == len(ACTIVITIES) == 27
    assert np.allclose(routines.first[:, -1], 1)
    away = routines.change[..., -1]
    assert np.allclose(away + routines.stay, 1)


def test_people_live_like_their_seeds_but_for_an_hour_now_and_then():
    def working(borrow):
        # Seed person 2 studies; seed person 1 never does.
        table = frame(generate(40, seed=1, model="plain", days=7, borrow=borrow))
        first = table.filter(pl.col("person").str.slice(1).cast(pl.Int64) % 4 == 1)
        return first.filter(pl.col("activity") == "Studying")["minutes"].sum()

    assert working(0.0) == 0
    assert 0 < working(0.1) < working(0.6)


def test_people_follow_the_chances_of_their_seed_minute_by_minute(tmp_path):
    # People with the same seed person become one, who lives longer.
    number = pl.col("person").str.slice(1).cast(pl.Int64) - 1
    shift = pl.duration(days=10 * (number // 4))
    lives = frame(generate(240, seed=1, model="plain", days=10, borrow=0.0)).with_columns(
        pl.col("start") + shift, pl.col("end") + shift, person=(number % 4).cast(pl.String)
    )
    lives.drop("minutes").write_parquet(tmp_path / "lives.parquet")
    given, learnt = builtin_routines(), learn_routines(tmp_path / "lives.parquet")
    order = [learnt.labels.index(label) if label in learnt.labels else -1 for label in given.labels]
    for person, hour in itertools.product(range(4), range(24)):
        code = given.labels.index("Toileting")
        assert given.stay[person, hour, code] == pytest.approx(learnt.stay[person, hour, order[code]], abs=0.12)
        chances = np.diff(given.change[person, hour, code], prepend=0.0)
        found = np.diff(learnt.change[person, hour, order[code]], prepend=0.0)
        seen = np.array([found[at] if at >= 0 else 0.0 for at in order])
        assert np.abs(chances - seen).max() < 0.12
    asleep, at = given.labels.index("Sleeping"), learnt.labels.index("Sleeping")
    assert given.stay[:, 4, asleep] == pytest.approx(learnt.stay[:, 4, at], abs=0.003)


def test_means_are_near_those_of_the_paper():
    table = frame(generate(200, seed=1, model="plain", days=14))
    means = dict(table.group_by("activity").agg(pl.col("minutes").sum() / 200 / 14).iter_rows())
    assert 360 < means["Sleeping"] < 540
    assert 2 < means["Having Conversation"] < 6
    assert 8 < means["Talking on the Phone"] < 20


def away_of(table):
    return frame(table).filter(pl.col("activity") == "Vacation")


def test_long_weekends_end_with_a_sunday_and_last_two_days():
    away = away_of(generate(1_000, seed=1, model="long-weekend"))
    assert len(away) == away["person"].n_unique() == 350
    assert set(away["end"]) == {datetime.datetime(2024, 1, 8, tzinfo=datetime.UTC)}
    days = away["minutes"] / 1440
    assert days.mean() == pytest.approx(2.0, abs=0.08)
    assert days.std() == pytest.approx(0.5, abs=0.06)


def test_any_sunday_of_several_weeks_may_end_a_vacation():
    away = away_of(generate(200, seed=1, model="long-weekend", days=21))
    assert away["end"].n_unique() == 3


def test_long_vacations_lie_around_the_holidays():
    away = away_of(generate(2_000, seed=1, model="long-vacation", activities=3))
    days = away["minutes"] / 1440
    assert len(away) == 700
    short, long = days.filter(days < 3.5), days.filter(days >= 3.5)
    assert short.mean() == pytest.approx(2.0, abs=0.1)
    assert long.mean() == pytest.approx(6.0, abs=0.35)
    assert len(long) / len(days) == pytest.approx(1 / 3, abs=0.05)
    for holiday in (datetime.datetime(2023, 12, 25, 12), datetime.datetime(2024, 1, 1, 12)):
        moment = holiday.replace(tzinfo=datetime.UTC)
        assert away.filter((pl.col("start") <= moment) & (pl.col("end") > moment)).height > 200


def test_the_share_of_people_away_is_as_wished():
    assert len(away_of(generate(200, seed=1, vacation_share=0.5))) == 100
    assert len(away_of(generate(200, seed=1, vacation_share=0.0))) == 0


def test_the_rarest_activities_become_other():
    found = set(generate(50, seed=1, model="plain", activities=5)["activity"].to_pylist())
    assert found == {"Sleeping", "Going Out", "Watching TV", "Studying", "Other"}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_seeds_may_come_from_a_file(tmp_path, suffix):
    file = tmp_path / f"seeds.{suffix}"
    write_table(generate(3, seed=1, model="plain", days=20), file)
    routines = learn_routines(file)
    assert routines.stay.shape == (3, 24, len(routines.labels))
    table = generate(30, seed=2, model="plain", seeds=file, days=7)
    original = frame(generate(3, seed=1, model="plain", days=20))
    asleep = [
        d.filter(pl.col("activity") == "Sleeping")["minutes"].sum() / d["minutes"].sum()
        for d in (frame(table), original)
    ]
    assert asleep[0] == pytest.approx(asleep[1], rel=0.1)


def test_seeds_of_two_activities_follow_each_other(tmp_path):
    file = tmp_path / "seeds.csv"
    halves = [(f"2024-01-01 {hour:02}:{minute:02}:00", minute) for hour in range(24) for minute in (0, 30)]
    rows = [f"a,{moment},{moment},{'xy'[minute // 30]}\n" for moment, minute in halves]
    file.write_text("person,start,end,activity\n" + "".join(rows))
    table = frame(generate(50, seed=1, model="plain", seeds=file, days=2))
    assert set(table["activity"]) == {"x", "y"}
    assert table["minutes"].mean() == pytest.approx(30, rel=0.2)


def test_a_generated_file_can_be_read(tmp_path):
    write_table(generate(10, seed=1), tmp_path / "a.csv")
    data = sf.read(tmp_path / "a.csv", kind="activity", sensitive=["Vacation"])
    assert len(data) == 10
    assert len(data.history().codes) == 10 * 10_080
    assert not find_notes(data.notes, "unknown-time")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"size": 0}, "size must be at least 1, got 0"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"model": "long-week"}, "there is no model 'long-week'. Did you mean 'long-weekend'"),
        ({"day": 3}, "model long-weekend has no option 'day'. Did you mean 'days'"),
        ({"days": 0}, "days must be at least 1"),
        ({"days": 3}, "needs a Sunday among the days"),
        ({"vacation_share": 1.5}, "vacation_share must be at most 1"),
        ({"borrow": "nan"}, "borrow must be a number"),
        ({"start": "yesterday"}, "start must be a date"),
        ({"model": "long-vacation", "start": "2024-03-01"}, "needs 25 December and 1 January among the days"),
        ({"model": "plain", "vacation_share": 0.5}, "model plain has no option 'vacation_share'"),
    ],
)
def test_wrong_wishes_are_refused(options, message):
    with pytest.raises(ParameterError) as caught:
        generate(**{"size": 5, "seed": 1, **options})
    assert "generate activity: " in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "content", ["", "a,b\n1,2\n", "person,start,end,activity\n1,noon,1,x\n", "person,start,end,activity\n"]
)
def test_wrong_seeds_are_refused(tmp_path, content):
    file = tmp_path / "seeds.csv"
    file.write_text(content)
    with pytest.raises(SchemaError, match=r"columns person, start, end and activity|two episodes"):
        generate(5, seed=1, seeds=file)
    with pytest.raises(SchemaError, match=r"columns person, start, end and activity|two episodes"):
        generate(5, seed=1, seeds=tmp_path / "nothing.csv")
