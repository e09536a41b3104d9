"""What a published table says about attributes: cells by their forms, bounds attained by some possible table."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.queries.naive.conditions import about_labels, about_numbers, join
from tests.queries.naive.possible_records import bounds, possible_rows

import sfumato as sf
from sfumato.kinds.table.query_bounds import of_dataset, of_release
from sfumato.queries.ask import ask
from sfumato.queries.count import count_bounds
from sfumato.queries.language import parse
from sfumato.queries.plan import Plan
from sfumato.queries.syntax import QueryError

people = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 9)), st.sampled_from([None, "a", "b", "c"])), min_size=2, max_size=6
)


def can_be(release):
    """Return for every record of a release with an age and a city all that each cell can be."""
    for record in release.table.to_pylist():
        found = {}
        for name, cell in record.items():
            if cell is None:
                found[name] = [None, *range(-3, 14)] if name == "age" else ["", "a", "b", "c", "elsewhere"]
            elif isinstance(cell, dict):
                found[name] = [None] if cell["lo"] is None else list(range(cell["lo"], cell["hi"] + 1))
            else:
                found[name] = list(cell)
        yield found


@settings(max_examples=25)
@given(people)
def test_bounds_are_attained_by_some_possible_table(rows):
    data = sf.Dataset.of("table", [(0, "a"), *rows], ("age", "city"))
    release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    records = [[(None, row) for row in possible_rows(cells)] for cells in can_be(release)]
    asked = [*about_numbers("age", 2, 6), *about_labels("city", "ab")]
    both = [question for question in join(asked[0], asked[-1]) if " and " in question[0]]
    told = of_release(release)
    for text, holds in asked + both:
        query = parse(f"count person where {text}")
        found = count_bounds(Plan(told, query.text), query.condition, "record", 0)
        assert found == bounds(records, holds), text


def test_days_are_compared():
    rows = [(datetime.date(2024, month, 1),) for month in (1, 2, 3, 4)]
    data = sf.Dataset.of("table", rows, ("day",))
    assert ask(of_dataset(data), "count person where day < 2024-02-15").certain == 2
    release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    answer = ask(of_release(release), "count person where day < 2024-03-15")
    assert (answer.certain, answer.possible) == (2, 4)


def test_numbers_under_names_are_compared_by_their_members():
    tree = sf.Hierarchy.from_paths([("18", "young", "*"), ("25", "young", "*"), ("60", "old", "*"), ("70", "old", "*")])
    rows = [(18,), (25,), (60,), (70,)]
    data = sf.Dataset.of("table", rows, ("age",), hierarchies={"age": tree})
    release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    assert {cell.as_py() for cell in release.table.column("age")} == {"young", "old"}
    answers = [ask(of_release(release), f"count person where age {what}") for what in ("< 20", "< 40", ">= 60")]
    assert [(answer.certain, answer.possible) for answer in answers] == [(0, 2), (2, 2), (2, 2)]


def test_one_question_serves_labels_that_look_like_numbers_before_and_after():
    rows = [("12345",), ("12346",), ("99999",), ("99999",)]
    data = sf.Dataset.of("table", rows, ("zip",))
    release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    for text, truth in (("zip in {12345, 99999}", 3), ("zip = 99999", 2)):
        assert ask(of_dataset(data), f"count person where {text}").certain == truth
        answer = ask(of_release(release), f"count person where {text}")
        assert answer.certain <= truth <= answer.possible


def test_sensitive_values_are_exact():
    data = sf.Dataset.of("table", [(20, "flu"), (30, "flu"), (40, None)], ("age", "ill"), sensitive=("ill",))
    release = sf.anonymize(data, sf.methods.Mondrian(k=3), secret=bytes(32)).release
    answer = ask(of_release(release), "count person where ill = flu and age < 35")
    assert (answer.certain, answer.possible) == (0, 2)
    assert ask(of_release(release), 'count person where ill = ""').certain == 1


def test_means_of_classes_are_said_not_to_be_used():
    data = sf.Dataset.of("table", [(20,), (21,), (60,), (61,)], ("age",))
    release = sf.anonymize(data, sf.methods.Mdav(k=2), secret=bytes(32)).release
    assert "means" in ask(of_release(release), "count person where age < 21").notes[0]


def test_records_left_out_are_possible():
    tree = sf.Hierarchy.from_paths([("a", "*"), ("b", "*")])
    data = sf.Dataset.of("table", [*[("a",)] * 9, ("b",)], ("city",), hierarchies={"city": tree})
    release = sf.anonymize(data, sf.methods.Optimal(k=2), secret=bytes(32), max_suppressed_records=0.5).release
    assert (len(release), release.records_in) == (9, 10)
    answer = ask(of_release(release), "count person where city = a")
    assert (answer.certain, answer.possible, answer.expected) == (9, 10, 10)
    assert (ask(of_release(release), 'count person where city = "b"').possible) == 1


@pytest.mark.parametrize("text", ["agee < 20", "city < 20", "city = nowhere"])
def test_what_is_unknown_is_said(text):
    data = sf.Dataset.of("table", [(20, "a"), (30, "b")], ("age", "city"))
    with pytest.raises(QueryError):
        ask(of_dataset(data), f"count person where {text}")
