"""Reading sequences: the formats people have, and times as they are counted."""

import functools
import gzip
import json
import lzma

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.sequences.naive.files import CANARY, GOOD, HEADER, people, plain_read, write_and_read, write_and_refuse
from tests.notes import find_note, find_notes, list_sentences

from sfumato import plugins
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.exports import write_table
from sfumato.generators.taxonomy import taxonomy
from sfumato.kinds.sequences.generators import generate
from sfumato.kinds.sequences.reader import read
from sfumato.readers.hierarchies import write_hierarchy
from sfumato.readers.options import ReadOptions


@pytest.fixture
def reader(tmp_path):
    return functools.partial(write_and_read, tmp_path)


@pytest.fixture
def refuse(tmp_path):
    return functools.partial(write_and_refuse, tmp_path)


# what is read

entry = st.tuples(st.sampled_from(["007", "7", "NA", "é"]), st.integers(-2, 2), st.sampled_from(["a", "b", "1e2"]))


@given(st.lists(entry, min_size=1, max_size=40))
def test_sequences_are_those_of_a_plain_reader(tmp_path_factory, rows):
    text = HEADER + "".join(f"{p},{t},{e}\n" for p, t, e in rows)
    file = tmp_path_factory.mktemp("c") / "clicks.csv"
    file.write_text(text, encoding="utf-8")
    data = read(file, ReadOptions("sequences"))
    expected = plain_read(text)
    assert people(data) == expected
    assert list(people(data)) == list(expected)
    assert data.history().labels == tuple(dict.fromkeys(e for row in expected.values() for e, _ in row))
    assert data.time_unit == TimeUnit()


def test_the_kind_names_the_reader():
    assert plugins.find_kind("sequences").reader.load().read is read


def test_the_table_has_the_documented_columns(reader):
    data = reader(HEADER + "1,5,a\n1,4,b\n", monitored="b")
    assert data.table.schema.types == [
        pa.string(),
        pa.list_(pa.dictionary(pa.int32(), pa.string())),
        pa.list_(pa.int64()),
    ]
    assert [(c.name, c.role) for c in data.schema.columns] == [
        ("person", "identifier"),
        ("events", "history"),
        ("times", "time"),
    ]
    assert data.schema.monitored == ("b",)
    assert ReadOptions.from_dict(data.read_options).monitored == ("b",)


def test_what_was_done_is_noted(reader):
    data = reader("uid,timestamp,url,mood\n1,2020-01-01,a,9\n1,2020-01-01,a,9\n2,2020-01-01,b,9\n", drop=["mood"])
    assert list_sentences(data.notes) == [
        "Read 3 rows of clicks.csv.",
        "Reading `uid` as person.",
        "Reading `timestamp` as time.",
        "Reading `url` as event.",
        "Left out column `mood`.",
        "Times have no time zone and are read as UTC.",
        "Removed 1 duplicate event of the same record and time.",
        "Found 2 people and 2 events of 2 kinds.",
    ]


def test_columns_told_win_over_names_known(reader):
    data = reader("user,time,url,page\n1,3,a,b\n", columns={"event": "page"}, drop=["url"])
    assert people(data) == {"1": [("b", 3)]}


def test_event_logs(reader):
    text = "case:concept:name;concept:name;time:timestamp\nNA;admit;1970-01-01T01:00:01+01:00\n"
    assert people(reader(text)) == {"NA": [("admit", 1)]}
    exported = "Case ID;Activity;Complete Timestamp;Age\nA;triage;1970/01/01 00:00:02.000;85\n"
    assert people(reader(exported, drop="*")) == {"A": [("triage", 2)]}


def test_sessions_of_a_person_are_one_sequence(reader):
    data = reader("user_id,session_id,time,page\n1,x,2,a\n1,y,1,b\n2,x,1,c\n")
    assert people(data) == {"1": [("b", 1), ("a", 2)], "2": [("c", 1)]}
    assert find_note(data.notes, "sessions-joined").columns == ("session_id",)


def test_sessions_without_people_are_records(reader):
    data = reader("session_id,time,page\nx,2,a\ny,1,b\n")
    assert people(data) == {"x": [("a", 2)], "y": [("b", 1)]}
    assert find_note(data.notes, "no-person-column").columns == ("session_id",)


def test_foursquare_and_gowalla_check_ins(reader):
    line = "470\t49bbd\t4bf58\tCaf\xe9\t40.7198\t-74.0025\t-240\tThu Jan 01 00:00:09 +0000 1970\n"
    data = reader(line.encode("latin-1"), "TSMC.txt")
    assert people(data) == {"470": [("49bbd", 9)]}
    assert find_note(data.notes, "text-decoded").details == {"encoding": "latin-1"}
    assert not find_notes(reader(line, "TSMC.txt").notes, "text-decoded")
    data = reader("0\t1970-01-01T00:00:07Z\t30.23\t-97.79\t22847\n", "gowalla.txt")
    assert people(data) == {"0": [("22847", 7)]}


def test_parquet_and_json_lines_give_the_same(reader, tmp_path):
    rows = [{"person": 7, "time": 2, "event": "a"}, {"person": 7, "time": 1, "event": "b"}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "c.parquet")
    one = read(tmp_path / "c.parquet", ReadOptions("sequences"))
    two = reader("\n".join(map(json.dumps, rows)), "c.jsonl")
    assert people(one) == people(two) == {"7": [("b", 1), ("a", 2)]}


def test_packed_files_and_categories(reader, tmp_path):
    assert people(reader(gzip.compress((HEADER + "1,2,a\n").encode()), "c.csv.gz")) == {"1": [("a", 2)]}
    assert people(reader(lzma.compress((HEADER + "1,2,a\n").encode()), "c.csv.xz")) == {"1": [("a", 2)]}
    table = pa.table({"person": pa.array(["x"]).dictionary_encode(), "time": [1], "event": ["a"]})
    pq.write_table(table, tmp_path / "c.parquet")
    assert people(read(tmp_path / "c.parquet", ReadOptions("sequences"))) == {"x": [("a", 1)]}


@pytest.mark.parametrize("name", ["clicks.csv", "clicks.parquet", "clicks.jsonl"])
def test_generated_sequences_come_back(tmp_path, name):
    table = generate(40, seed=2, events=30, mean_events=8)
    write_table(table, tmp_path / name)
    write_hierarchy(taxonomy(table["event"].to_pylist(), 3, 1), tmp_path / "tree.csv", "arx")
    data = read(
        tmp_path / name,
        ReadOptions("sequences", monitored=("portal1", "portal2"), hierarchies={"event": str(tmp_path / "tree.csv")}),
    )
    assert data.time_unit == TimeUnit("second")
    assert len(data) == 40
    assert [event for row in data.history().lists() for event in row] == table["event"].to_pylist()
    assert data.times().tolist() == table["time"].cast(pa.int64()).to_pylist()
    assert set(data.hierarchies["event"].leaf_labels) == set(data.history().labels)


def test_a_taxonomy_is_derived_from_the_events(reader):
    data = reader(HEADER + "1,1,b\n1,2,a\n2,3,c\n", hierarchies={"event": "fanout:2"})
    assert data.hierarchies["event"].leaf_labels == ("a", "b", "c")
    assert data.hierarchies["event"].height == 2
    with pytest.raises(SchemaError, match="The rule of this name is not for these values"):
        reader(HEADER + "1,1,b\n", hierarchies={"event": "width:2"})


# times


def test_zones_become_utc(reader):
    data = reader(HEADER + "1,1970-01-01T02:00:05+02:00,a\n1,1969-12-31T19:00:06-05:00,b\n")
    assert people(data) == {"1": [("a", 5), ("b", 6)]}
    assert data.time_unit == TimeUnit("second")
    assert not find_notes(data.notes, "times-without-zone")


@pytest.mark.parametrize(
    ("resolution", "times", "cut"),
    [(None, [-1, 90_061], 1), ("second", [-1, 90_061], 1), ("minute", [-1, 1_501], 2), ("hour", [-1, 25], 2),
     ("day", [-1, 1], 2)],
)  # fmt: skip
def test_dates_are_cut_to_the_resolution(reader, resolution, times, cut):
    options = {"resolution": resolution} if resolution else {}
    data = reader(HEADER + "1,1970-01-02T01:01:01.000Z,a\n1,1969-12-31T23:59:59.5Z,b\n", **options)
    assert data.times().tolist() == times
    assert data.time_unit == TimeUnit(resolution or "second")
    note = find_note(data.notes, "times-truncated")
    assert (note.counts, note.details) == ({"times": cut}, {"unit": resolution or "second"})


def test_what_coincides_after_cutting_counts_once_and_stands_in_the_order_of_names(reader):
    text = HEADER + "1,2020-01-01T00:00:40,b\n1,2020-01-01T00:00:10,a\n1,2020-01-01T00:00:20,b\n"
    data = reader(text, resolution="minute")
    assert data.history().lists() == [["a", "b"]]
    assert find_note(data.notes, "duplicate-events-removed").counts == {"events": 1}
    assert reader(text).history().lists() == [["a", "b", "b"]]


def test_dates_and_timestamps_of_parquet(tmp_path):
    moments = pa.array([1_500, -500], pa.timestamp("ms", tz="Europe/Athens"))
    pq.write_table(pa.table({"person": ["x", "x"], "time": moments, "event": ["a", "b"]}), tmp_path / "c.parquet")
    assert people(read(tmp_path / "c.parquet", ReadOptions("sequences"))) == {"x": [("b", -1), ("a", 1)]}
    days = pa.array([3], pa.date32())
    pq.write_table(pa.table({"person": ["x"], "time": days, "event": ["a"]}), tmp_path / "c.parquet")
    assert people(read(tmp_path / "c.parquet", ReadOptions("sequences", resolution="day"))) == {"x": [("a", 3)]}


def test_whole_numbers_stay_numbers(reader):
    data = reader(HEADER + f"1,{2**53},a\n1,-7,b\n")
    assert people(data) == {"1": [("b", -7), ("a", 2**53)]}
    assert data.time_unit == TimeUnit()
    assert people(reader(HEADER + "1,3.0,a\n1,1e2,b\n")) == {"1": [("a", 3), ("b", 100)]}


def test_days_written_as_numbers(reader):
    text = HEADER + "1,19700103,a\n1,20240229,b\n"
    plain = reader(text)
    assert plain.time_unit == TimeUnit()
    assert plain.times().tolist() == [19_700_103, 20_240_229]
    assert find_note(plain.notes, "times-like-dates")
    dates = reader(text, resolution="day")
    assert dates.time_unit == TimeUnit("day")
    assert dates.times().tolist() == [2, int(np.datetime64("2024-02-29").astype(int))]
    assert not find_notes(reader(HEADER + "1,20230229,a\n").notes, "times-like-dates")


# what the owner says about events


def test_monitored_events(reader, tmp_path):
    (tmp_path / "monitored.txt").write_text("b\n\nc\n")
    text = HEADER + "1,1,c\n2,1,b\n3,1,a\n"
    assert reader(text).schema.monitored == ()
    assert reader(text, monitored=["a", f"@{tmp_path / 'monitored.txt'}"]).schema.monitored == ("a", "b", "c")
    assert reader(text, monitored="*").schema.monitored == ("a", "b", "c")


def test_monitored_events_must_occur(refuse, tmp_path):
    (tmp_path / "monitored.txt").write_text(f"{CANARY}\n{CANARY}nowhere\n")
    assert "does not occur in the data (entry 2)" in refuse(HEADER + GOOD, monitored=[CANARY, f"{CANARY}nowhere"])
    told = refuse(HEADER + GOOD, monitored=f"@{tmp_path / 'monitored.txt'}")
    assert "(line 2 of" in told


def test_hierarchy_must_know_every_event(refuse, reader, tmp_path):
    (tmp_path / "tree.csv").write_text("a;Food;*\nb;Food;*\n")
    tree = {"event": str(tmp_path / "tree.csv")}
    assert reader(HEADER + "1,1,a\n", hierarchies=tree).hierarchies["event"].leaf_labels == ("a", "b")
    told = refuse(HEADER + f"1,5,a\n1,4,{CANARY}\n1,6,b\n1,1,{CANARY}e\n", hierarchies=tree)
    assert "hierarchy of event: 2 distinct values are not leaves of their hierarchy" in told
    assert "(rows 2, 4)" in told
    assert "hierarchies= of sequences can be of event only, got 'url'" in refuse(
        HEADER + GOOD, error=ParameterError, hierarchies={"url": "tree.csv"}
    )


@pytest.mark.parametrize(
    "options",
    [{"sensitive": "a"}, {"constraints": {"utility": "x"}}, {"places": "grid:1m"}, {"places_file": "p.csv"},
     {"split": "day"}, {"zone": "Europe/Athens"}, {"coordinates": "plane"}],
)  # fmt: skip
def test_options_of_other_kinds_are_refused(options):
    with pytest.raises(ParameterError, match=f"{next(iter(options))}= does not apply to sequences"):
        ReadOptions.of("sequences", options)


@pytest.mark.parametrize("option", ["monitored", "resolution", "user_key", "query"])
def test_options_of_sequences_are_refused_for_trajectories(option):
    value = {"monitored": "a", "resolution": "day", "user_key": "host", "query": "keep"}[option]
    with pytest.raises(ParameterError, match=f"{option}= does not apply to trajectories"):
        ReadOptions.of("trajectories", {option: value})
    read_options = ReadOptions.of("sequences", {option: value})
    assert ReadOptions.from_dict(json.loads(json.dumps(read_options.to_dict()))) == read_options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"resolution": "minutes"},
            "resolution= must be one of second, minute, hour, day.*Did you mean resolution='minute'",
        ),
        ({"user_key": "agent"}, "user_key= must be one of host, user, host\\+agent"),
        ({"query": None}, "query= must be text"),
        ({"monitored": 3}, "monitored= must be a list of texts"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ParameterError, match=message):
        ReadOptions.of("sequences", options)


# SPMF


def test_spmf_sequences_with_times(reader):
    text = "@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n<0> 1 -1 <4> 2 3 -1 -2\n-2\n<-5> 2 -1 <-7> 1 -1 -2\n"
    data = reader(text, "s.txt")
    assert people(data) == {"1": [("apple", 0), ("2", 4), ("3", 4)], "3": [("apple", -7), ("2", -5)]}
    assert find_note(data.notes, "empty-records-left-out").counts == {"sequences": 1}
    assert data.time_unit == TimeUnit()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<1> 1 -1 -2\n<1> 1 -1 2 -1 -2\n", "line 2 has an item without a time"),
        ("<1> 1 -1 -2\n<1> 1 -1\n", "line 2 must end with -2"),
        ("<1> 1 -1 -2\n<1> 1 -1 -2 -2\n", "line 2 must end with -2"),
        (f"<1> 1 -1 -2\n<1> {CANARY} -1 -2\n", "line 2 may only have"),
        ("<1> 1 -1 -2\n<1234567890123456789> 1 -1 -2\n", "line 2 may only have"),
        ("#\n<1> 1 -1 -2\n<123456789012345678> 1 -1 -2\n", "column 'time'.* look at row 3"),
        (f"@ITEM=1={CANARY}\n@ITEM=2={CANARY}\n<1> 1 -1 -2\n", "same name"),
        ("-2\n", "no sequences"),
    ],
)
def test_bad_spmf_names_the_line(reader, text, message):
    with pytest.raises(SchemaError, match=message) as caught:
        reader(text, "s.txt", format="spmf")
    assert CANARY not in str(caught.value)
