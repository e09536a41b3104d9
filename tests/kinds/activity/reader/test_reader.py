"""Activity data are read as one activity per slot, whatever form they come in."""

import functools
import itertools
import json
import lzma

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity.naive.files import ADL, GOOD, HEADER, fill_second_by_second, write_and_read
from tests.notes import find_note, list_sentences

from sfumato import plugins
from sfumato.data.time_units import TimeUnit
from sfumato.kinds.activity.reader import read
from sfumato.kinds.activity.reader.episodes import Calendar, Episodes, fill_slots, split_episodes
from sfumato.kinds.activity.reader.homes import ARAS_ACTIVITIES
from sfumato.readers.options import ReadOptions


@pytest.fixture
def reader(tmp_path):
    return functools.partial(write_and_read, tmp_path)


def people(data):
    return data.table.column("person").to_pylist()


def by_hour(data):
    """What the first person does, a label per hour."""
    return data.history().lists()[0][:: (data.time_unit.unit == "minute" and 60) or 1]


def test_the_kind_names_the_reader():
    assert plugins.find_kind("activity").reader.load().read is read


def test_episodes_fill_minutes(reader):
    data = reader(HEADER + GOOD)
    assert data.kind == "activity"
    assert [(c.name, c.role) for c in data.schema.columns] == [("person", "identifier"), ("activities", "history")]
    assert data.time_unit == TimeUnit("minute", 19723 * 1440)
    assert data.history().lists() == [["sleep"] * 480 + ["work"] * 960]
    assert data.read_options["kind"] == "activity"


@pytest.mark.parametrize("resolution, slots", [("second", 86_400), ("minute", 1_440), ("hour", 24), ("day", 1)])
def test_a_slot_is_what_the_resolution_says(reader, resolution, slots):
    data = reader(HEADER + GOOD, resolution=resolution)
    assert len(data.history().codes) == slots
    assert data.time_unit.unit == resolution


def test_the_same_in_parquet_and_json_lines(reader, tmp_path):
    rows = [dict(zip(("person", "start", "end", "activity"), line.split(","), strict=True)) for line in GOOD.split()]
    lines = "\n".join(map(json.dumps, rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "d.parquet")
    expected = reader(HEADER + GOOD)
    for data in (reader(lines, "d.jsonl"), read(tmp_path / "d.parquet", ReadOptions("activity"))):
        assert data.table.equals(expected.table)
        assert data.time_unit == expected.time_unit


def test_a_file_may_be_packed_and_columns_renamed(reader):
    text = "who;from;until;what\n" + GOOD.replace(",", ";")
    data = reader(lzma.compress(text.encode()), "d.csv.xz", columns={"person": "who", "activity": "what"})
    assert by_hour(data)[7:9] == ["sleep", "work"]
    assert "Reading `from` as start." in list_sentences(data.notes)


def test_everybody_has_the_same_slots_and_gaps_are_an_activity(reader):
    data = reader(HEADER + GOOD + "8,2024-01-02T12:00,2024-01-03T06:00,sleep\n", resolution="hour")
    first, second = data.history().lists()
    assert first == ["sleep"] * 8 + ["work"] * 16 + ["(gap)"] * 48
    assert second == ["(gap)"] * 36 + ["sleep"] * 18 + ["(gap)"] * 18
    assert find_note(data.notes, "unknown-time").details == {"share": "70.8", "name": "(gap)"}


def test_gaps_have_the_name_given_which_may_be_an_activity(reader):
    rest = "7,2024-01-01T00:00,2024-01-01T08:00,sleep\n"
    assert by_hour(reader(HEADER + rest, gap="away"))[-1] == "away"
    both = reader(HEADER + rest + "8,2024-01-01T00:00,2024-01-02T00:00,home\n", gap="home", resolution="hour")
    assert set(both.history().lists()[0]) == {"sleep", "home"}
    assert len(both.history().labels) == 2


def test_without_gaps_there_is_no_such_activity(reader):
    assert reader(HEADER + GOOD).history().labels == ("sleep", "work")


@pytest.mark.parametrize(
    "start, hours",
    [
        ("2024-01-01", ["sleep"] * 8 + ["work"] * 16),
        ("2023-12-31", ["(gap)"] * 24 + ["sleep"] * 8 + ["work"] * 16),
        ("2024-01-01T06:00", ["sleep"] * 2 + ["work"] * 16 + ["(gap)"] * 6),
        ("06:00", ["(gap)"] * 18 + ["sleep"] * 8 + ["work"] * 16 + ["(gap)"] * 6),
    ],
)
def test_the_first_slot_may_be_told(reader, start, hours):
    data = reader(HEADER + GOOD, start=start, resolution="hour")
    assert data.history().lists() == [hours]


def test_what_lies_before_the_start_is_cut_and_noted(reader):
    notes = reader(HEADER + GOOD, start="2024-01-01T09:00").notes
    assert find_note(notes, "episodes-before-start").counts == {"episodes": 2}


def test_a_slot_holds_what_takes_most_of_it(reader):
    rows = "7,2024-01-01T00:00:00,2024-01-01T00:00:31,a\n7,2024-01-01T00:00:31,2024-01-01T00:01:30,b\n"
    data = reader(HEADER + rows + "7,2024-01-01T00:01:50,2024-01-01T00:02:10,c\n")
    assert data.history().lists()[0][:3] == ["a", "b", "(gap)"]
    assert find_note(data.notes, "activities-lost").counts == {"activities": 1}


def test_zones_become_utc_and_days_may_begin_elsewhere(reader):
    rows = "7,2024-07-01T22:00Z,2024-07-02T22:00Z,a\n"
    data = reader(HEADER + rows, resolution="hour")
    assert data.history().lists()[0].count("(gap)") == 24
    berlin = reader(HEADER + rows, resolution="hour", zone="Europe/Berlin")
    assert berlin.history().lists() == [["a"] * 24]
    assert find_note(berlin.notes, "local-times").details == {"zone": "Europe/Berlin", "offset": "+2"}


def test_numbers_are_slots(reader):
    data = reader(HEADER + "7,10,13,a\n7,13,14,b\n8,11,12,a\n")
    assert data.history().lists() == [["a", "a", "a", "b"], ["(gap)", "a", "(gap)", "(gap)"]]
    assert data.time_unit == TimeUnit(None, 10)


def test_numbers_with_a_resolution_count_it_from_a_monday(reader):
    data = reader(HEADER + "7,0,5,a\n", resolution="hour")
    assert data.time_unit == TimeUnit("hour", 96)
    assert data.history().lists()[0] == ["a"] * 5 + ["(gap)"] * 19


def test_numbers_may_begin_at_a_start(reader):
    assert reader(HEADER + "7,10,13,a\n", start="8").history().lists() == [["(gap)", "(gap)", "a", "a", "a"]]


def test_faults_are_mended_if_told(reader):
    rows = "7,2024-01-01T00:00,2024-01-01T08:30,a\n7,2024-01-01T08:00,2024-01-02T00:00,b\n"
    wrong = "7,2024-01-01T05:00,2024-01-01T04:00,c\n7,2024-01-01T05:00,2024-01-01T05:00,d\n"
    data = reader(HEADER + rows + wrong, faults="mend", resolution="hour")
    assert data.history().lists() == [["a"] * 8 + ["b"] * 16]
    assert [(note.code, note.counts) for note in data.notes if "episodes" in note.counts] == [
        ("backward-episodes-left-out", {"episodes": 1}),
        ("empty-episodes-left-out", {"episodes": 1}),
        ("overlaps-cut", {"episodes": 1}),
    ]


def test_days_and_weeks_may_be_people(reader):
    rows = "7,2024-01-01T20:00,2024-01-03T04:00,a\n8,2024-01-08T00:00,2024-01-09T00:00,b\n"
    days = reader(HEADER + rows, split="day", resolution="hour")
    assert people(days) == ["7/2024-01-01", "7/2024-01-02", "7/2024-01-03", "8/2024-01-08"]
    assert days.history().lists()[2] == ["a"] * 4 + ["(gap)"] * 20
    assert days.time_unit == TimeUnit("hour", 0)
    weeks = reader(HEADER + rows, split="week", resolution="hour")
    assert people(weeks) == ["7/2024-W01", "8/2024-W02"]
    assert len(weeks.history().codes) == 2 * 168
    assert weeks.time_unit == TimeUnit("hour", 96)


def test_days_that_are_people_may_begin_at_another_hour(reader):
    rows = "7,2024-01-01T04:00,2024-01-02T04:00,a\n"
    days = reader(HEADER + rows, split="day", resolution="hour", start="04:00")
    assert people(days) == ["7/2024-01-01"]
    assert days.history().lists() == [["a"] * 24]
    assert days.time_unit == TimeUnit("hour", 4)


def test_without_a_person_there_is_one(reader):
    data = reader("start,end,activity\n1,2,a\n2,3,b\n")
    assert len(data) == 1
    assert "one person" in str(find_note(data.notes, "no-person-column"))


def test_sensitive_activities_are_known(reader):
    assert reader(HEADER + GOOD, sensitive=("work",)).schema.sensitive == ("work",)


def test_diaries_begin_at_midnight_or_when_told(reader):
    text = "person,activity,minutes\n7,a,60\n8,b,1440\n7,b,90\n"
    data = reader(text)
    assert data.history().lists()[0] == ["a"] * 60 + ["b"] * 90 + ["(gap)"] * 1290
    assert data.time_unit == TimeUnit("minute", 5760)
    assert reader(text, start="06:00").time_unit == TimeUnit("minute", 5760 + 360)
    assert reader(text, start="2024-01-01T06:00").time_unit == TimeUnit("minute", 19723 * 1440 + 360)


def test_diaries_of_the_american_survey_begin_at_four(reader):
    data = reader("tucaseid,tiercode,dur\n1,10101,870\n1,110101,570\n2,10101,1440\n")
    assert data.history().labels == ("010101", "110101")
    assert data.time_unit == TimeUnit("minute", 5760 + 240)


def test_totals_in_place_of_diaries_are_noted(reader):
    rows = "".join(
        f"{person},{code},240\n" for person in range(4) for code in (10101, 10201, 20101, 50101, 60101, 120303)
    )
    assert find_note(reader("tucaseid,tiercode,dur\n" + rows).notes, "perhaps-totals")


def test_columns_may_be_slots(reader):
    text = "person,t1,t2,t3\n7,a,a,b\n8,b,,a\n"
    data = reader(text)
    assert data.history().lists() == [["a", "a", "b"], ["b", "(gap)", "a"]]
    assert people(data) == ["7", "8"]
    assert data.time_unit == TimeUnit()
    assert reader(text, resolution="hour", start="2024-01-01T06:00").time_unit == TimeUnit("hour", 19723 * 24 + 6)


def test_columns_named_by_times_say_how_long_they_are(reader):
    data = reader("00:00,00:20,00:40\na,b,b\nb,b,a\n")
    assert data.time_unit == TimeUnit("minute", 5760)
    assert data.history().lists()[0] == ["a"] * 20 + ["b"] * 40
    assert people(data) == ["row 1", "row 2"]
    dated = reader("2024-01-01,2024-01-02\na,b\n")
    assert dated.time_unit == TimeUnit("day", 19723)
    night = reader("22:00,23:00,00:00\na,b,b\n", start="2024-01-01")
    assert night.time_unit == TimeUnit("hour", 19723 * 24 + 22)


def test_columns_that_are_slots_may_be_told_and_others_left_out(reader):
    text = "id,weight,Jul.93,Aug.93\n1,0.3,school,work\n2,0.4,work,work\n"
    data = reader(text, slots="Jul.93:Aug.93", columns={"person": "id"}, drop=("weight",))
    assert data.history().lists() == [["school", "work"], ["work", "work"]]
    assert reader("age,t1,t2\n40,a,b\n", drop=("*",)).history().lists() == [["a", "b"]]


def test_a_slot_column_of_parquet_may_be_empty(tmp_path):
    pq.write_table(pa.table({"t1": pa.array([None, None]), "t2": ["a", None]}), tmp_path / "t.parquet")
    data = read(tmp_path / "t.parquet", ReadOptions("activity", gap="?"))
    assert data.history().lists() == [["?", "a"], ["?", "?"]]


def test_adl_files_are_a_home_each(reader, tmp_path):
    night = "2011-11-28 02:00:00\t\t2011-11-28 10:00:00\t\tSleeping\t\t\n"
    one = ADL + night + "2011-11-28 10:00:00 \t2011-11-29 01:00:00\tSpare_Time/TV"
    data = reader(one, "A_ADLs.txt", resolution="hour")
    assert people(data) == ["A_ADLs"]
    assert data.history().lists()[0] == ["(gap)"] * 2 + ["Sleeping"] * 8 + ["Spare_Time/TV"] * 15 + ["(gap)"] * 23
    write_and_read(tmp_path, one, "homes/A.txt")
    write_and_read(tmp_path, one.replace("Sleeping", "Reading"), "homes/B.txt")
    both = read(tmp_path / "homes", ReadOptions("activity", split="day", resolution="hour"))
    assert people(both) == ["A/2011-11-28", "A/2011-11-29", "B/2011-11-28", "B/2011-11-29"]


def aras(first, second, seconds=86_400):
    line = "0 1 " * 10
    return "\n".join(
        f"{line}{first} {second}" if i < seconds // 2 else f"{line}{second} {first} " for i in range(seconds)
    )


def test_aras_files_are_a_day_of_two_people(reader, tmp_path):
    write_and_read(tmp_path, aras(11, 12), "house/DAY_2.txt")
    data = write_and_read(tmp_path, aras(1, 2), "house/DAY_10.txt", resolution="hour")
    assert people(data) == ["resident 1", "resident 2"]
    assert data.history().lists()[0] == ["Other"] * 12 + ["Going Out"] * 12
    both = read(tmp_path / "house", ReadOptions("activity", resolution="hour", start="2012-01-02"))
    assert both.history().lists()[1] == [
        *["Watching TV"] * 12, *["Sleeping"] * 12, *["Going Out"] * 12, *["Other"] * 12
    ]  # fmt: skip
    assert both.time_unit == TimeUnit("hour", 15_341 * 24)
    days = read(tmp_path / "house", ReadOptions("activity", resolution="hour", split="day"))
    assert len(days) == 4
    assert len(ARAS_ACTIVITIES) == 27


def test_an_aras_day_that_is_cut_short_ends_in_a_gap(reader):
    data = reader(aras(1, 1, 3_600), "DAY_1.txt", resolution="hour", format="aras")
    assert data.history().lists()[0] == ["Other"] + ["(gap)"] * 23


@settings(max_examples=200)
@given(st.data())
def test_slots_are_filled_as_second_by_second(data):
    unit, slots = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 5))
    rows, expected = [], []
    count = data.draw(st.integers(1, 3))
    for person in range(count):
        cuts = sorted(data.draw(st.sets(st.integers(0, unit * slots), max_size=8)))
        pairs = list(itertools.pairwise(cuts))
        mine = [(a, b, data.draw(st.integers(0, 2))) for a, b in pairs if data.draw(st.booleans())]
        rows += [(person, activity, a, b) for a, b, activity in mine]
        expected += fill_second_by_second(mine, unit, slots, 3)
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    episodes = Episodes(columns[0], columns[1].astype(np.int32), columns[2] + 9, columns[3] + 9, np.arange(len(rows)))
    assert fill_slots(episodes, count, Calendar(9, unit, slots, TimeUnit()), 3).tolist() == expected


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 60)), min_size=1), st.integers(1, 24))
def test_split_pieces_are_the_episodes_again(spans, period):
    begin = np.array([a for a, _ in spans])
    end = begin + np.array([length for _, length in spans])
    numbers = np.arange(len(spans))
    pieces, which = split_episodes(Episodes(numbers, numbers.astype(np.int32), begin, end, numbers), -50, period)
    assert ((pieces.begin >= 0) & (pieces.end <= period) & (pieces.end > pieces.begin)).all()
    seconds = [
        (int(p), int(-50 + w * period + t))
        for p, a, b, w in zip(pieces.person, pieces.begin, pieces.end, which, strict=True)
        for t in range(a, b)
    ]
    assert sorted(seconds) == [(p, t) for p, (a, b) in enumerate(zip(begin, end, strict=True)) for t in range(a, b)]


def test_many_people_and_slots_are_read_quickly_enough_to_be_tested(reader):
    lines = [f"{p},{s},{s + 60},a{s % 7}" for p in range(200) for s in range(0, 10_080, 60)]
    data = reader(HEADER + "\n".join(lines) + "\n", resolution="minute")
    assert len(data.history().codes) == 200 * 10_080
