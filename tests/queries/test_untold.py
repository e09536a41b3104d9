"""Questions about what no published record tells anything of: there is no number to expect."""

import functools
import json
import operator

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.data.coded import ValueSets
from sfumato.data.record_unit import PERSON
from sfumato.metrics.time_series import TimeSeries
from sfumato.queries.answer import Answer
from sfumato.queries.ask import ask
from sfumato.queries.columns import CodedAttribute
from sfumato.queries.events import MANY, Events
from sfumato.queries.published_view import Names, PublishedView, Values
from sfumato.reports.answers import list_numbers


def make_table(hidden=(True, True), suppressed_records=0):
    """Return what a release tells whose ages are hidden, or some of them, and whose cities are all hidden."""
    ranges = np.array([20, 40]), np.array([29, 49]), np.zeros(2, bool), np.array(hidden)
    ages = CodedAttribute(ValueSets.of_ranges(*ranges, "integer"), np.arange(2))
    cities = CodedAttribute(ValueSets.of_labels((), [()], [0]), np.zeros(2, np.int64))
    sex = CodedAttribute(ValueSets.of_labels(("f", "m"), [(0, 1)]), np.zeros(2, np.int64), Names(("f", "m")))
    return PublishedView(PERSON, 2, suppressed_records, attributes={"age": ages, "city": cities, "sex": sex})


@pytest.mark.parametrize(
    "question", ["age >= 20", "not age < 30", "city = 'Rome'", "sex = f and age < 30", "sex = f or not city = 'Rome'"]
)
def test_nothing_is_expected_of_a_column_of_which_nothing_is_published(question):
    answer = ask(make_table(), f"count record where {question}")
    assert (answer.certain, answer.possible, answer.expected) == (0, 2, None)
    assert [note for note in answer.notes if note.startswith("nothing is published of '")]
    assert not [note for note in answer.notes if "drawn at random" in note]
    assert json.loads(json.dumps(answer.to_dict()))["expected"] is None
    assert "nothing expected" in repr(answer)


def test_something_is_expected_of_what_some_record_tells():
    assert ask(make_table(), "count record where sex = f").expected is not None
    assert ask(make_table((True, False)), "count record where age >= 40").expected == 2


def test_nothing_is_expected_where_all_records_were_left_out():
    nobody = PublishedView(
        PERSON, 0, 3, attributes={"age": CodedAttribute(ValueSets.single((), np.zeros(0), "integer"), np.zeros(0, int))}
    )
    answer = ask(nobody, "count record where age < 30")
    assert (answer.certain, answer.possible, answer.expected) == (0, 3, None)


def make_events():
    """Return events of which the bars were removed from all records, and may have been at any time of them."""
    values = Values.of([(0,), (1,)])
    return Events.of(
        2, [0, 1, 0, 1], [0, 0, 1, 1], values, Names(("cafe", "bar")), "number", lo=[3, 5, 1, 1], hi=[3, 5, 9, 9],
        least=[1, 1, 0, 0], most=[1, 1, MANY, MANY],
    )  # fmt: skip


@pytest.mark.parametrize("question", ["bar", "cafe and bar", "cafe then bar", "bar by 5"])
def test_nothing_is_expected_of_events_that_were_removed_from_all_records(question):
    answer = ask(PublishedView(PERSON, 2, history=make_events()), f"count record where {question}")
    assert (answer.certain, answer.possible, answer.expected) == (0, 2, None)
    if answer.table is not None:
        assert answer.table.column("expected").null_count == answer.table.num_rows
    assert "nothing is published of 'bar'" in " ".join(answer.notes)


def test_first_times_of_removed_events_say_that_nothing_is_published_of_them():
    answer = ask(PublishedView(PERSON, 2, history=make_events()), "first bar")
    assert answer.expected is None
    assert "nothing is published of 'bar'" in " ".join(answer.notes)


def test_a_place_that_was_removed_from_a_release_is_not_expected_to_be_nowhere():
    where = {label: (number, 0.0) for number, label in enumerate("abc")}
    rows, alone = [["a", "b"], ["a", "b"], ["a", "c"]], (("a",), ("b",), ("c",))
    data = sf.Dataset.of("trajectories", rows, where, constraints=alone)
    release = sf.anonymize(data, sf.methods.USeqAnon(k=2, m=1, delta=100.0), secret=bytes(32)).release
    assert sf.query(release, "count person where c").expected is None
    assert sf.query(release, "count person where a").expected == 3


def test_a_partition_of_which_nothing_is_expected_is_like_the_others_and_the_note_goes():
    partitions = [make_table((True, False)), make_table()]
    answers = [ask(partition, "count record where age >= 40") for partition in partitions]
    for order in (answers, answers[::-1]):
        both = functools.reduce(operator.add, order)
        assert (both.certain, both.possible, both.expected) == (1, 4, 4.0)
        assert not [note for note in both.notes if "nothing is published" in note]
    assert (answers[1] + answers[1]).expected is None


def test_bars_of_a_partition_of_which_nothing_is_expected_are_like_those_of_the_others():
    bars = {"from": [0], "before": [5], "certain": [0], "possible": [4]}
    told, silent = (pa.table({**bars, "expected": pa.array([mean], pa.float64())}) for mean in (2.0, None))
    one, other = (
        Answer("q", "people", 0, 4, table.column("expected")[0].as_py(), table, total=4) for table in (told, silent)
    )
    for both in (one + other, other + one):
        assert both.table.column("expected").to_pylist() == [4.0]
    assert (other + other).table.column("expected").to_pylist() == [None]


def test_a_course_of_which_nothing_is_expected_can_be_written():
    time_series = TimeSeries("bar", "people", False, (0, 5), (0,), (2,), (None,), (1,))
    assert TimeSeries.from_plain(json.loads(json.dumps(time_series.to_plain()))) == time_series
    assert list_numbers(time_series)[0][2] == "–"
