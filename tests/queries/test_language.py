"""What can be asked, and what is said to whoever writes it otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.metrics.query_certainty import quote
from sfumato.queries.language import parse, parse_lines
from sfumato.queries.syntax import Both, Comparison, Either, Neither, QueryError, Sequel, Window, Word
from sfumato.queries.times import cut_buckets, format_time, read_length, read_period, read_window

DAY = 86_400_000_000


def point(text):
    """The column that an error points at, and what it says."""
    with pytest.raises(QueryError) as found:
        parse(text)
    return found.value.position, found.value.fault


def test_and_binds_closer_than_or_and_then_closer_than_and():
    condition = parse("count person where a then b and c or not (d or e)").condition
    assert isinstance(condition, Either)
    both, neither = condition.parts
    assert isinstance(both, Both) and isinstance(neither, Neither)
    assert [len(part.steps) for part in both.parts] == [2, 1]
    assert isinstance(neither.part, Either)


def test_and_then_is_then():
    one, other = (parse(f"count person where a {word} b").condition for word in ("then", "and then"))
    assert [step.names[0].text for step in one.steps] == [step.names[0].text for step in other.steps] == ["a", "b"]


def test_a_comparison_names_one_value_several_or_a_range():
    found = parse("count record where diagnosis in {flu, 'hay fever'} and age >= 20 and age in 20..29").condition
    several, least, between = found.parts
    assert [word.text for word in several.values] == ["flu", "hay fever"]
    assert isinstance(least, Comparison) and least.relation == ">="
    assert isinstance(between, Sequel) and between.steps[0].windows[0].last.text == "29"


def test_case_of_words_of_the_language_does_not_matter_but_that_of_names_does():
    assert parse("COUNT Person WHERE Clinic THEN clinic").condition.steps[0].names[0].text == "Clinic"


@settings(max_examples=80)
@given(st.text(min_size=1, max_size=12))
def test_any_name_can_be_quoted(name):
    assert parse(f"count person where {quote(name)} then 'x'").condition.steps[0].names[0].text == name


@pytest.mark.parametrize(
    "name", ["and", "then", "before", "by", "count", "O'Hare", "24/7 shop", "a..b", "=cmd", "<b>", "#1"]
)
def test_names_like_words_and_signs_of_the_language_stand_in_quotes(name):
    assert parse_lines(f"count person where {quote(name)}  # a remark")[0].condition.steps[0].names[0].text == name


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ("", 0, "a question begins with count, first, last, relation, found the end"),
        ("cont person", 0, "Did you mean 'count'?"),
        ("count", 5, "expected what to count"),
        ("count person where", 18, "expected the name of an event, found the end"),
        ("count person where clinic and", 29, "expected the name of an event"),
        ("count person where before 3", 19, "a word of the language"),
        ("count person where clinic within 3d", 26, "once, after 'then'"),
        ("count person where clinic then b within 3d within 4d", 43, "once, after 'then'"),
        ("count person where (clinic", 26, "expected ')'"),
        ("count person where clinic during", 32, "expected a time"),
        ("count person where 'clinic", 19, "never closed"),
        ("count person where age in {1, 2", 31, "expected ',' or '}'"),
        ("count person where clinic by", 28, "expected a length of time"),
        ("count person clinic", 13, "expected 'where', 'by' or the end"),
        ("count person where a ! b", 21, "means nothing here"),
        ("relation record 1 2", 18, "expected 'and'"),
        ("first", 5, "expected the name of an event"),
    ],
)
def test_errors_point_at_the_column_and_say_what_was_expected(text, at, said):
    found, fault = point(text)
    assert found == at
    assert said in fault


def test_an_error_in_a_file_names_the_line():
    with pytest.raises(QueryError, match="line 3: expected the name of an event"):
        parse_lines("# first\ncount person\ncount person where\n")


@settings(max_examples=60)
@given(st.text(max_size=30))
def test_no_text_breaks_the_parser(text):
    try:
        parse(text)
    except QueryError as fault:
        assert 0 <= fault.position <= len(text)


def span(text):
    first, last = read_period(Word(text, 0), text, dated=True)
    return format_time(first, dated=True), format_time(last + 1, dated=True)


@pytest.mark.parametrize(
    ("written", "first", "after"),
    [
        ("2024", "2024-01-01", "2025-01-01"),
        ("2024-02", "2024-02-01", "2024-03-01"),
        ("2023-12", "2023-12-01", "2024-01-01"),
        ("2024-02-29", "2024-02-29", "2024-03-01"),
        ("2024-03-31T02", "2024-03-31T02:00:00", "2024-03-31T03:00:00"),
        ("2024-03-31T02:30", "2024-03-31T02:30:00", "2024-03-31T02:31:00"),
        ("2024-03-31T02:30:59", "2024-03-31T02:30:59", "2024-03-31T02:31:00"),
        ("2024-03-31T02:30:59.25", "2024-03-31T02:30:59.250000", "2024-03-31T02:30:59.260000"),
        ("2024-01-01T00:30+01:00", "2023-12-31T23:30:00", "2023-12-31T23:31:00"),
        ("2024-01-01T00:30-0230", "2024-01-01T03:00:00", "2024-01-01T03:01:00"),
        ("1969-12-31", "1969-12-31", "1970-01-01"),
    ],
)
def test_a_time_is_all_of_what_is_written(written, first, after):
    assert span(written) == (first, after)


@pytest.mark.parametrize(
    "written", ["2023-02-29", "2024-13", "2024-00-01", "2024-01-01T24:00", "0000", "24-1-1", "today"]
)
def test_dates_that_do_not_exist_are_refused(written):
    with pytest.raises(QueryError):
        read_period(Word(written, 0), written, dated=True)


def test_windows_leave_out_what_is_named_before_and_after():
    named = Word("2024-03-01", 0), Word("2024-03-05", 0)
    first, last = read_window(Window("during", *named), "", dated=True)
    assert last - first + 1 == 5 * DAY
    assert read_window(Window("before", *named), "", dated=True)[1] == first - 1
    assert read_window(Window("after", *named), "", dated=True)[0] == last + 1
    with pytest.raises(QueryError, match="ends before it begins"):
        read_window(Window("during", *named[::-1]), "", dated=True)


def test_lengths_have_units_where_times_have():
    assert [read_length(Word(text, 0), text, dated=True) // 3_600_000_000 for text in ("36h", "2d", "1w", "90min")] == [
        36,
        48,
        168,
        1,
    ]
    for text, dated in (("3", True), ("3mo", True), ("3d", False), ("-3", False), ("d", True)):
        with pytest.raises(QueryError):
            read_length(Word(text, 0), text, dated=dated)


def test_stretches_cover_the_span_in_calendar_order():
    first, last = (read_period(Word(day, 0), "", dated=True)[0] for day in ("2024-01-31", "2024-03-01"))
    cuts = cut_buckets(Word("month", 0), "", (first, last), dated=True)
    assert [format_time(int(cut), dated=True) for cut in cuts] == [
        "2024-01-01",
        "2024-02-01",
        "2024-03-01",
        "2024-04-01",
    ]
    weeks = cut_buckets(Word("week", 0), "", (first, last), dated=True)
    assert format_time(int(weeks[0]), dated=True) == "2024-01-29", "a Monday"
    with pytest.raises(QueryError, match="Choose a longer one"):
        cut_buckets(Word("1s", 0), "", (first, last), dated=True)


@pytest.mark.parametrize("zone", ["+14:30", "-99:00", "+01:60"])
def test_zones_that_do_not_exist_are_refused(zone):
    with pytest.raises(QueryError, match="no such zone"):
        read_period(Word(f"2024-03-01T12:00{zone}", 0), "", dated=True)


@pytest.mark.parametrize("inside", ["(" * 60 + "a" + ")" * 60, "not " * 5_000 + "a"])
def test_what_is_nested_too_deep_is_refused(inside):
    assert "inside of each other" in point(f"count person where {inside}")[1]
    assert parse(f"count person where {'(' * 50}a{')' * 50}").condition is not None


@pytest.mark.parametrize("written", ["-7d", "7 d", "d", "\u0667d", "1.5h", ""])
def test_lengths_that_are_none_are_refused(written):
    with pytest.raises(QueryError, match="length of time"):
        read_length(Word(written, 0), "", dated=True)
