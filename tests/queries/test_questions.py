"""Questions through the front door: people with several records, partitions, categories, names nobody knows."""

from __future__ import annotations

import datetime

import pytest

import sfumato as sf
from sfumato.api.query import query_all
from sfumato.data.record_unit import PERSON
from sfumato.data.time_units import TimeUnit
from sfumato.engines.local import Local
from sfumato.engines.publish import publish_in_partitions
from sfumato.queries.answer import Answer
from sfumato.queries.notes import LeftOut, WholeNote
from sfumato.queries.syntax import QueryError

SECRET = bytes([1] * 32)
TREE = sf.Hierarchy.from_paths([(label, "food" if label in "ab" else "care", "*") for label in "abcd"])
AT = {label: (number, 0.0) for number, label in enumerate("abcd")}


def visits():
    return sf.Dataset.of(
        "trajectories", [list("ab"), list("ac"), list("bd"), list("abcd"), list("cd")], AT, hierarchy=TREE
    )


def test_a_node_of_a_hierarchy_stands_for_its_leaves_of_data_and_of_releases():
    data = visits()
    assert sf.query(data, "count person where food then care").certain == 3
    release = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=SECRET).release
    with pytest.raises(QueryError, match="nothing here is called 'food'"):
        sf.query(release, "count person where food")
    answer = sf.query(release, "count person where food then care", hierarchies={"place": TREE})
    assert answer.certain <= 3 <= answer.possible


def test_published_categories_are_names():
    data = visits()
    release = sf.anonymize(data, sf.methods.SeqAnon(k=4, m=1), secret=SECRET).release
    label, members = next(iter(release.members().items()))
    truth = sf.query(data, f"count person where {' | '.join(members)}").certain
    answer = sf.query(release, f"count person where '{label}'")
    assert answer.certain <= truth <= answer.possible


def test_what_nobody_is_known_to_have_is_possible_only_of_those_left_out():
    data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"], ["c"]])
    with pytest.raises(QueryError, match="nothing here is called 'zoo'"):
        sf.query(data, "count person where zoo")
    answer = sf.query(data, "count person where 'zoo'")
    assert answer.possible == 0
    assert "called 'zoo'" in answer.notes[0]
    assert sf.query(data, "count person where not 'zoo'").certain == 3


def test_removed_places_may_be_anywhere():
    rows = [["a", "b"], ["a", "b"], ["a", "c"]]
    data = sf.Dataset.of(
        "trajectories",
        rows,
        {label: (number, 0.0) for number, label in enumerate("abc")},
        constraints=(("a",), ("b",), ("c",)),
    )
    release = sf.anonymize(data, sf.methods.USeqAnon(k=2, m=1, delta=100.0), secret=SECRET).release
    assert release.suppressed() == ("c",)
    answer = sf.query(release, "count person where c")
    assert (answer.certain, answer.possible) == (0, 3)
    assert "removed" in " ".join(answer.notes)
    between = sf.query(release, "count person where a then c then c then b")
    assert between.possible == 2


def test_people_with_several_records_are_counted_once_where_they_are_known():
    people = ["ann", "ann", "ann", "bob", "bob"]
    data = sf.Dataset.of("sets", [["a"], ["a"], ["b"], ["a"], ["b"]]).of_people(people)
    assert sf.query(data, "count record where a").certain == 3
    assert sf.query(data, "count person where a").certain == 2
    release = sf.anonymize(data, sf.methods.Apriori(k=2, m=1), secret=SECRET, max_suppressed_records=1).release
    answer = sf.query(release, "count person where a")
    assert (answer.certain, answer.possible) == (1, sf.query(release, "count record where a").possible)
    assert "does not link records to people" in " ".join(answer.notes)


def test_time_points_are_nobodys():
    data = sf.Dataset.of("timeline", [{"a": 2, "b": 1}, {"b": 3}], sensitive=("a",))
    with pytest.raises(QueryError, match="do not distinguish people"):
        sf.query(data, "count person where a")
    assert sf.query(data, "count event where b").certain == 4
    with pytest.raises(QueryError, match="one moment"):
        sf.query(data, "count record where a then b")


def test_everybody_is_certain_whoever_was_left_out():
    data = sf.Dataset.of("timeline", [{"a": 1}, {"b": 9}], sensitive=("a",))
    release = sf.anonymize(data, sf.methods.Essa(delta="1/2"), secret=SECRET, max_suppressed_records=1).release
    assert release.suppressed_records
    answer = sf.query(release, "count record")
    assert (answer.certain, answer.possible) == (2, 2)


def test_answers_of_partitions_add_up(tmp_path):
    rows = [[(label, 10 * number + at) for at, label in enumerate("abc"[number % 3 :])] for number in range(60)]
    data = sf.Dataset.of("sequences", rows, monitored=("a",))
    publish_in_partitions(
        data,
        sf.methods.Hl(k=2),
        tmp_path / "out",
        partition_size=20,
        secret=SECRET,
        engine=Local(1),
        max_suppressed_records=1,
    )
    asked = "count person where a\ncount person where b then c within 5\ncount person where b by 100\nfirst c"
    with pytest.raises(sf.ParameterError, match="numbers its own records"):
        sf.query(tmp_path / "out", "relation record 1 and 2")
    for truth, answer in zip(query_all(data, asked), query_all(tmp_path / "out", asked), strict=True):
        assert answer.certain <= truth.certain <= answer.possible
        assert answer.certain <= answer.expected <= answer.possible
        if answer.table is not None and "from" in answer.table.column_names:
            bars = {row["from"]: row for row in answer.table.to_pylist()}
            for row in truth.table.to_pylist():
                assert bars[row["from"]]["certain"] <= row["certain"] <= bars[row["from"]]["possible"]
        elif answer.table is not None:
            numbers = [(row["part"], row["record"]) for row in answer.table.to_pylist()]
            assert len(set(numbers)) == len(numbers)
    with pytest.raises(QueryError, match="nothing here is called 'bb'"):
        sf.query(tmp_path / "out", "count person where bb")


def test_windows_that_cannot_be_are_empty_also_for_what_may_have_been_at_any_time():
    data = sf.Dataset.of("sequences", [[("a", 1), ("b", 2)], [("a", 5), ("b", 6)]], monitored=("a",))
    release = sf.anonymize(data, sf.methods.Sa(k=2), secret=SECRET, max_suppressed_records=1).release
    for source in (data, release):
        answer = sf.query(source, "count person where a before 2 after 4")
        assert answer.certain == 0
        assert answer.possible == sum(release.suppressed_records.values()) * (source is release)


def test_dates_and_numbers_are_not_mixed_up():
    dated = sf.Dataset.of("sequences", [[("a", 19_000)]], monitored=("a",), time_unit=TimeUnit("day"))
    assert sf.query(dated, "count person where a during 2022-01-08").certain == 1
    assert sf.query(dated, "count person where a during 2022-01-08T00:00:00Z").certain == 1
    assert sf.query(dated, "count person where a before 2022-01-08").certain == 0
    with pytest.raises(QueryError, match="expected a date"):
        sf.query(dated, "count person where a before 19000 ")
    with pytest.raises(QueryError, match="no times"):
        sf.query(visits(), "count person where a before 3")
    with pytest.raises(QueryError, match="no order"):
        sf.query(sf.Dataset.of("sets", [["a", "b"]]), "count person where a then b")


def test_a_package_and_a_function_share_the_name():
    import sfumato.queries.language  # noqa: F401

    assert callable(sf.query)
    assert sf.query(visits(), "count person").certain == 5


def born(*days):
    return sf.Dataset.of("table", [(datetime.date.fromisoformat(day),) for day in days], ("born",))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("born = 1980-03", 2),
        ("born <= 1980-03", 3),
        ("born < 1980-03", 1),
        ("born > 1980-03", 1),
        ("born >= 1980-03", 3),
        ("born in 1980..1980", 3),
        ("born > 1975", 3),
        ("born in 1980-03-31..1980-12", 2),
        ("born != 1980", 1),
    ],
)
def test_a_date_of_an_attribute_is_all_of_it(asked, expected):
    data = born("1975-01-01", "1980-03-01", "1980-03-31", "1980-12-31")
    assert sf.query(data, f"count person where {asked}").certain == expected
    release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=SECRET).release
    answer = sf.query(release, f"count person where {asked}")
    assert answer.certain <= expected <= answer.possible


@pytest.mark.parametrize("value", ["12000", "nan", "inf", "NaT", "today", "1980-13", "yesterday"])
def test_what_is_no_date_is_not_taken_for_one(value):
    with pytest.raises(QueryError, match=r"are dates|no such date"):
        sf.query(born("1975-01-01", "1980-03-01"), f"count person where born > {value}")


@pytest.mark.parametrize("value", ["nan", "inf", "1980-03-01", "\u0663", "old", "1_000"])
def test_what_is_no_number_is_not_taken_for_one(value):
    data = sf.Dataset.of("table", [(20,), (30,)], ("age",))
    with pytest.raises(QueryError, match="are numbers"):
        sf.query(data, f"count person where age > {value}")


@pytest.mark.parametrize("number", ["0", "3", "\u00b2", "9" * 5_000, "-1", "x"])
def test_records_that_there_are_not_are_refused(number):
    data = sf.Dataset.of("sequences", [[("a", 1)], [("a", 2)]])
    with pytest.raises(QueryError, match="numbered from 1 to 2"):
        sf.query(data, f"relation record 1 and {number}")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("count person where CLINIC", "Did you mean 'clinic'"),
        ("count person where night shift", "A name of several words stands in quotes"),
        ("count patients", "Count one of person, record, event"),
    ],
)
def test_whoever_slips_is_told_how_it_is_written(question, said):
    people = [[("clinic", 1), ("night shift", 2)], *[[("clinic", 2)]] * 9]
    with pytest.raises(QueryError, match=said):
        sf.query(sf.Dataset.of("sequences", people), question)


def publish_uneven_partitions(folder):
    """Publish a table in partitions of which one has a value that the others do not have."""
    rows = [(number, "rare" if number < 4 else "frequent") for number in range(40)]
    data = sf.Dataset.of("table", rows, ("age", "ill"), plain=("ill",))
    publish_in_partitions(data, sf.methods.Mondrian(k=2), folder, partition_size=10, secret=bytes(32), engine=Local(1))


def test_a_name_that_one_partition_lacks_is_not_said_to_be_unknown(tmp_path):
    publish_uneven_partitions(tmp_path / "out")
    partitions = sorted((tmp_path / "out" / "release" / "data").iterdir())
    assert any(
        "nothing here is known" in " ".join(sf.query(partition, "count record where ill = 'rare'").notes)
        for partition in partitions
    )
    answer = sf.query(tmp_path / "out", "count record where ill = rare")
    assert answer.certain == 4
    assert not [note for note in answer.notes if "nothing here is known" in note]
    unknown = sf.query(tmp_path / "out", "count record where ill = 'rar' or ill = 'rare'")
    assert [note for note in unknown.notes if "known" in note] == [
        "nothing here is known to be called 'rar': check the name."
    ]


def test_notes_of_partitions_unite_to_what_is_true_of_the_whole():
    both = Answer("q", "people", 1, 2, 1.0, notes=(WholeNote("nobody."), LeftOut(PERSON, 1))) + Answer(
        "q", "people", 1, 2, 1.0, notes=(LeftOut(PERSON, 2), "same.")
    )
    assert both.notes == (LeftOut(PERSON, 3), "same.")


def test_an_unknown_name_of_a_relation_is_said_to_be_unknown_if_no_partition_knows_it(tmp_path):
    people = [[("clinic", number), ("cafe" if number > 25 else "bar", number + 1)] for number in range(30)]
    data = sf.Dataset.of("sequences", people, monitored=("clinic",))
    publish_in_partitions(
        data, sf.methods.Hl(k=2), tmp_path / "out", partition_size=10, secret=bytes(32), engine=Local(1)
    )
    strange, known = (
        sf.query(tmp_path / "out", f"relation value clinic and '{name}'").notes for name in ("zoo", "cafe")
    )
    assert "called 'zoo'" in " ".join(strange) and "called" not in " ".join(known)
