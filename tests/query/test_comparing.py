"""How the times of two records, or of two values, lie to each other: on originals, and on releases beside the truth."""

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import sfumato as sf

CARE = [
    [("clinic", 1), ("pharmacy", 5), ("clinic", 4)],
    [("clinic", 6), ("pharmacy", 2), ("clinic", 9)],
    [("clinic", 2), ("clinic", 8)],
]


def ask(data, question):
    return sf.query(data, question).table.to_pylist()


def ends(text):
    first, _, last = text.partition("..")
    return int(first), int(last)


def test_two_records_are_compared_at_the_values_they_share_and_as_wholes():
    whole, shared, *places = ask(sf.Dataset.of("sequences", CARE), "relation record 1 and 2")
    assert (whole["of"], whole["relation"], whole["first_certain"]) == ("all values", "overlaps", "1..6")
    # Before at the clinic and after at the pharmacy: no relation stands for both.
    assert (shared["of"], shared["relation"]) == ("shared values", "none that prevails")
    assert {row["of"]: row["relation"] for row in places} == {"clinic": "before", "pharmacy": "after"}


def test_one_relation_prevails_where_all_shared_values_have_it():
    rows = ask(sf.Dataset.of("sequences", [[("a", 1), ("b", 5)], [("a", 3), ("b", 9)]]), "relation record 1 and 2")
    assert [(row["of"], row["relation"]) for row in rows] == [
        ("all values", "overlaps"),
        ("shared values", "before"),
        ("a", "before"),
        ("b", "before"),
    ]


def test_two_values_are_compared_over_all_records():
    (row,) = ask(sf.Dataset.of("sequences", CARE), "relation value pharmacy and clinic")
    assert (row["relation"], row["first_possible"], row["second_possible"]) == ("during", "2..6", "1..10")


def test_what_cannot_be_compared_is_said():
    data = sf.Dataset.of("sequences", CARE)
    with pytest.raises(sf.SfumatoError, match="numbered from 1 to 3"):
        sf.query(data, "relation record 1 and 4")
    with pytest.raises(sf.SfumatoError, match="no times"):
        sf.query(sf.Dataset.of("trajectories", [["a", "b"]]), "relation value a and b")
    with pytest.raises(sf.SfumatoError, match="two records or two values"):
        sf.query(data, "relation pair 1 and 2")


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=8))
def test_the_true_periods_lie_between_what_is_certain_and_what_is_possible(times):
    people = [[("clinic", one), ("clinic", other), ("cafe", third)] for one, other, third in times]
    data = sf.Dataset.of("sequences", people, monitored=("clinic",))
    release = sf.anonymize(data, sf.methods.Hi(k=2), secret=bytes(32), withhold_at_most=1).release
    (exact,) = ask(data, "relation value clinic and cafe")
    (told,) = ask(release, "relation value clinic and cafe")
    if told["relation"] == "not told":
        return
    for side in ("first", "second"):
        begin, end = ends(exact[f"{side}_certain"])
        (earliest, latest), (from_, to) = ends(told[f"{side}_possible"]), ends(told[f"{side}_certain"])
        assert earliest <= begin <= from_ < to <= end <= latest
