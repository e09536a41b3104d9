"""Reading timelines: counted, as event logs, and what is wrong with them."""

import pytest
from tests.notes import find_note

import sfumato as sf
from sfumato.exceptions import ParameterError, SchemaError


@pytest.fixture
def read(tmp_path):
    def reader(text, name="events.csv", **options):
        path = tmp_path / name
        path.write_text(text)
        return sf.read(path, kind="timeline", **options)

    return reader


def contents(data):
    return [
        dict(zip(events, counts, strict=True))
        for events, counts in zip(data.history().lists(), data.table.column("counts").to_pylist(), strict=True)
    ]


def test_counts_are_added_up_and_put_in_time_order(read):
    data = read("time,event,count\n5,a,2\n3,b,1\n5,a,4\n5,b,1\n")
    assert contents(data) == [{"b": 1}, {"a": 6, "b": 1}]
    assert data.table.column("time").to_pylist() == [3, 5]
    assert str(data.notes[-1]) == "Found 2 time points with 8 occurrences of 2 events."


def test_an_event_log_is_counted_by_its_rows(read):
    text = "case:concept:name,concept:name,time:timestamp\n1,buy,2024-03-04T10:00:31Z\n2,buy,2024-03-04T10:59:00Z\n"
    data = read(text + "3,pay,2024-03-04T11:00:00Z\n", resolution="hour", sensitive=["buy"])
    assert contents(data) == [{"buy": 2}, {"pay": 1}]
    assert data.time_unit.unit == "hour" and data.schema.sensitive == ("buy",)
    assert data.schema.columns[0].role == "time"
    assert find_note(data.notes, "no-count-column")
    assert find_note(data.notes, "columns-left-out").columns == ("case:concept:name",)
    assert str(find_note(data.notes, "times-truncated")) == "Truncated 2 times to the hour."


@pytest.mark.parametrize(("resolution", "points"), [("second", 4), ("minute", 3), ("hour", 2), ("day", 1), (None, 4)])
def test_the_resolution_decides_what_a_time_point_is(read, resolution, points):
    text = "time,event\n2024-01-01T10:00:01,a\n2024-01-01T10:00:02,a\n2024-01-01T10:01:00,a\n2024-01-01T11:00:00,b\n"
    assert len(read(text, resolution=resolution)) == points


def test_a_time_point_without_events_is_a_row_only_where_the_file_asks_for_it(read):
    assert len(read("time,event,count\n1,a,2\n3,a,1\n")) == 2
    asked = read("time,event,count\n1,a,2\n2,z,0\n3,a,1\n")
    assert contents(asked) == [{"a": 2}, {}, {"a": 1}]
    assert asked.history().labels == ("a", "z")


def test_json_lines_and_other_names_are_read(read):
    data = read('{"when": 1, "what": "a", "n": 3}\n', "events.jsonl", columns={"time": "when", "event": "what"})
    assert contents(data) == [{"a": 3}]
    assert dict(data.read_options)["columns"] == {"time": "when", "event": "what"}


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("time,count\n1,2\n", {}, "no column for the event"),
        ("event,count\na,2\n", {}, "no column for the time"),
        ("time,event,count\n", {}, "no rows below the header|there are no rows|empty"),
        ("time,event,count\n1,a,-2\n1,b,3\n", {}, "'count' must hold whole numbers from 0 to .* row 1"),
        ("time,event,count\n1,a,2\n1,b,3.5\n", {}, "'count' must hold whole numbers from 0 to .* row 2"),
        ("time,event,count\n1,a,x\n", {}, "'count' must hold numbers"),
        ("time,event,count\n1,a,nan\n", {}, "finite"),
        ("time,event,count\n1,a,\n", {}, "'count' has empty cells"),
        ("time,event,count\n1,,2\n", {}, "'event' has empty cells"),
        ("time,event,count\n1.5,a,2\n", {}, "times must be dates, or whole numbers"),
        ("time,event,count\n1,a,2\n", {"resolution": "day"}, "resolution='day' needs dates"),
        ("time,event,count\n1,a,2\n", {"sensitive": ["b"]}, "has a value that does not occur in the data"),
        ("time,event,count,shop\n1,a,2,x\n", {}, "column 'shop' has no role"),
        ("time,event,count\n1,a,9007199254740000\n2,a,9007199254740000\n", {}, "add up to at most"),
    ],
)
def test_bad_files_are_refused_with_the_reason(read, text, options, message):
    with pytest.raises(SchemaError, match=message):
        read(text, **options)


def test_unknown_options_are_refused(read):
    with pytest.raises(ParameterError, match="no option 'resolutoin'"):
        read("time,event\n1,a\n", resolutoin="day")
