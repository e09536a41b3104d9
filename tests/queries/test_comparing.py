"""How the times of two records, or of two values, lie to each other: on originals, and on releases beside the truth."""

import dataclasses
import tempfile
from itertools import product
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from tests.examples import settings
from tests.queries.naive.fuzzy_time import allens_relation

import sfumato as sf
from sfumato.data.time_units import TimeUnit
from sfumato.engines.local import Local
from sfumato.engines.publish import publish_in_partitions
from sfumato.kinds.sequences.query_bounds import of_dataset
from sfumato.queries.ask import ask as ask_evidence
from sfumato.queries.possible_relations import find_possible, find_possible_prevailing
from sfumato.queries.spatio_temporal import find_prevailing, hold_over_places
from sfumato.queries.time_bounds import Bounds

CARE = [
    [("clinic", 1), ("pharmacy", 5), ("clinic", 4)],
    [("clinic", 6), ("pharmacy", 2), ("clinic", 9)],
    [("clinic", 2), ("clinic", 8)],
]


def ask(data, question):
    return sf.query(data, question).table.to_pylist()


def ends(text):
    first, _, last = text.partition("..")
    return tuple(int(time) if time.lstrip("-").isdigit() else np.datetime64(time, "us") for time in (first, last))


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


def check_relations(data, source, question):
    """Hold the true relation against those that a release calls possible, and the one that it calls certain."""
    (exact,), answer = ask(data, question), sf.query(source, question)
    told = answer.table.to_pylist()
    if exact["relation"] == "none":
        assert not answer.certain
        return
    assert exact["certain"] == exact["possible"] == answer.possible == 1
    assert exact["relation"] in [row["relation"] for row in told]
    assert {row["certain"] for row in told} == {answer.certain}
    if answer.certain:
        assert [row["relation"] for row in told] == [exact["relation"]]
    assert answer.expected == (1 if answer.certain else None)
    for row in told:
        assert row["as_imprecise"] in ["", *(row["relation"] for row in told)]


def check_bounds(data, source, question):
    """Hold the relations and periods that a release tells of against the true ones."""
    (exact,), (told, *_) = ask(data, question), ask(source, question)
    check_relations(data, source, question)
    if not exact["first_certain"] or not told["first_certain"]:
        return False
    for side in ("first", "second"):
        begin, end = ends(exact[f"{side}_certain"])
        (earliest, latest), (from_, to) = ends(told[f"{side}_possible"]), ends(told[f"{side}_certain"])
        assert earliest <= begin <= from_ < to <= end <= latest
    return True


@settings(max_examples=6)
@given(st.lists(st.tuples(*[st.integers(0, 30)] * 3), min_size=20, max_size=30))
def test_periods_of_values_unite_over_the_partitions_of_a_release(times):
    people = [[("clinic", one), ("clinic", other), ("cafe", third)] for one, other, third in times]
    data = sf.Dataset.of("sequences", people, monitored=("clinic",))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        publish_in_partitions(data, sf.methods.Hl(k=2), out, partition_size=10, secret=bytes(32), engine=Local(1))
        assert len(list((out / "release" / "data").iterdir())) > 1
        assert check_bounds(data, out, "relation value clinic and cafe")


def test_a_name_that_only_one_partition_knows_is_compared(tmp_path):
    people = [[("clinic", number), ("cafe" if number > 25 else "bar", number + 1)] for number in range(30)]
    data = sf.Dataset.of("sequences", people, monitored=("clinic",))
    publish_in_partitions(
        data, sf.methods.Hl(k=2), tmp_path / "out", partition_size=10, secret=bytes(32), engine=Local(1)
    )
    assert check_bounds(data, tmp_path / "out", "relation value clinic and cafe")
    with pytest.raises(sf.SfumatoError, match=r"nothing here is called 'caffe'\. Did you mean 'cafe'"):
        sf.query(tmp_path / "out", "relation value clinic and caffe")


@settings(max_examples=20)
@given(st.lists(st.lists(st.sampled_from("abc"), min_size=6, max_size=6), min_size=2, max_size=6), st.integers(1, 3))
def test_periods_of_activities_of_classes_hold_the_true_ones(days, length):
    data = sf.Dataset.of("activity", days)
    release = sf.anonymize(
        data, sf.methods.Mc(k=2, aggregate=str(length)), secret=bytes(32), max_suppressed_records=1
    ).release
    for asked in ("a and b", "b and c"):
        if not release.suppressed_records:
            check_bounds(data, release, f'relation value "{asked[0]}" and "{asked[-1]}"')


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 6), st.permutations("abc")), min_size=2, max_size=8), st.integers(1, 3))
def test_periods_of_values_of_groups_hold_the_true_ones(drawn, window):
    rows = [(time, "x", value) for time, values in drawn for value in values[:2]]
    data = sf.Dataset.of("snapshots", rows, ("age",), "ill")
    method = sf.methods.Reposition(l=2, window=window)
    release = sf.anonymize(data, method, secret=bytes(32), max_suppressed_records=1).release
    if not release.suppressed_records:
        check_bounds(data, release, 'relation value "a" and "b"')


def test_periods_of_a_timeline_are_those_of_values_not_of_moments():
    data = sf.Dataset.of("timeline", [{"a": 1, "b": 9}, {"b": 9}, {"a": 1, "b": 9}], sensitive=("a",))
    assert ask(data, "relation value a and b")[0]["relation"] == "equals"
    with pytest.raises(sf.SfumatoError, match="is one moment: compare two values"):
        sf.query(data, "relation record 1 and 2")


def test_of_classes_no_single_records_are_compared_and_what_was_left_out_is_said():
    days = sf.Dataset.of("activity", [list("aab"), list("aab"), list("abb"), list("abb")])
    release = sf.anonymize(days, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32)).release
    with pytest.raises(sf.SfumatoError, match="nothing is published here: compare two values"):
        sf.query(release, "relation record 1 and 2")


@pytest.mark.parametrize("suppressed_records", [0, 1])
def test_what_was_left_out_is_said_to_be_in_no_period(suppressed_records):
    told = of_dataset(sf.Dataset.of("sequences", CARE))
    answer = ask_evidence(
        dataclasses.replace(told, suppressed_records=suppressed_records), "relation value clinic and pharmacy"
    )
    assert ("left out of the release is not in the periods shown" in " ".join(answer.notes)) == bool(suppressed_records)


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=8))
def test_the_true_periods_lie_between_what_is_certain_and_what_is_possible(times):
    people = [[("clinic", one), ("clinic", other), ("cafe", third)] for one, other, third in times]
    data = sf.Dataset.of("sequences", people, monitored=("clinic",))
    release = sf.anonymize(data, sf.methods.Hi(k=2), secret=bytes(32), max_suppressed_records=1).release
    check_bounds(data, release, "relation value clinic and cafe")


days = st.lists(
    st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 9)), min_size=1, max_size=4, unique=True),
    min_size=4,
    max_size=9,
)
methods = st.sampled_from([sf.methods.Hl, sf.methods.Hi, sf.methods.Hy, sf.methods.Sa])


@settings(max_examples=60)
@given(days, methods, st.sampled_from([("A",), ("A", "B"), ("A", "B", "C")]), st.sampled_from([None, "day", "month"]))
def test_the_true_relation_is_among_the_possible_ones_and_is_the_certain_one(people, method, monitored, unit):
    data = sf.Dataset.of("sequences", people, monitored=monitored, time_unit=TimeUnit(unit))
    try:
        release = sf.anonymize(data, method(k=2), secret=bytes(32), max_suppressed_records=1).release
    except sf.SfumatoError:
        return
    names = {name for events in people for name, _ in events}
    for one, other in (("A", "B"), ("A", "C"), ("B", "C")):
        if {one, other} <= names:
            check_relations(data, release, f"relation value '{one}' and '{other}'")


@settings(max_examples=60)
@given(days, st.booleans())
def test_the_true_relations_of_two_records_are_among_the_possible_ones(people, dated):
    data = sf.Dataset.of("sequences", people, monitored=("A", "B"), time_unit=TimeUnit("day" if dated else None))
    try:
        result = sf.anonymize(data, sf.methods.Hi(k=2), secret=bytes(32), max_suppressed_records=1)
    except sf.SfumatoError:
        return
    rows = result.owner_record.rows.tolist()
    for one, other in ((0, 1), (1, 2)):
        if other >= len(rows):
            continue
        truth = ask(data, f"relation record {rows[one] + 1} and {rows[other] + 1}")
        answer = sf.query(result.release, f"relation record {one + 1} and {other + 1}")
        told = answer.table.to_pylist()
        exact = {row["of"]: row["relation"] for row in truth}
        for of in {row["of"] for row in told}:
            found = [row for row in told if row["of"] == of]
            if of in exact:
                assert exact[of] in [row["relation"] for row in found]
            else:
                assert of == "shared values" and not found[0]["certain"]
            if found[0]["certain"]:
                assert [row["relation"] for row in found] == [exact[of]]


def test_a_relation_of_blurred_times_is_not_certain():
    people = [[("A", 1), ("A", 4)], [("A", 4), ("A", 7), ("C", 6)], [("A", 14), ("C", 14)], [("A", 12), ("C", 3)]]
    data = sf.Dataset.of("sequences", people, monitored=("A",), time_unit=TimeUnit("day"))
    release = sf.anonymize(data, sf.methods.Hl(k=2), secret=bytes(32)).release
    truth, answer = (sf.query(source, "relation value A and C") for source in (data, release))
    assert truth.table.column("relation").to_pylist() == ["finished by"] and truth.certain == 1
    assert (answer.certain, answer.possible, answer.expected) == (0, 1, None)
    assert {"finished by", "equals"} <= set(answer.table.column("relation").to_pylist())
    assert set(answer.table.column("as_imprecise").to_pylist()) == {"equals"}


def test_a_relation_that_all_blurred_times_have_is_certain():
    people = [[("A", 1), ("C", 20)], [("A", 3), ("C", 30)], [("A", 2)], [("A", 4)]]
    data = sf.Dataset.of("sequences", people, monitored=("A",), time_unit=TimeUnit("day"))
    answer = sf.query(sf.anonymize(data, sf.methods.Hl(k=4), secret=bytes(32)).release, "relation value A and C")
    assert (answer.certain, answer.possible, answer.expected) == (1, 1, 1)
    assert answer.table.column("relation").to_pylist() == ["before"]


def test_an_event_lasts_one_step_of_the_times():
    people = [[("A", 0), ("B", 1)], [("A", 0), ("C", 2)]]
    data = sf.Dataset.of("sequences", people, time_unit=TimeUnit("day"))
    (meets,), (before,) = (ask(data, f"relation value A and {name}") for name in "BC")
    assert (meets["relation"], meets["first_certain"]) == ("meets", "1970-01-01..1970-01-02")
    assert before["relation"] == "before"
    months = sf.Dataset.of("sequences", [[("A", 1), ("B", 2)]], time_unit=TimeUnit("month"))
    (row,) = ask(months, "relation value A and B")
    assert (row["relation"], row["first_certain"]) == ("meets", "1970-02-01..1970-03-01")


def test_a_release_does_not_say_how_long_a_step_is():
    told = of_dataset(sf.Dataset.of("sequences", [[("A", 0), ("B", 1)]], time_unit=TimeUnit("day")))
    answer = ask_evidence(dataclasses.replace(told, units=()), "relation value A and B")
    assert answer.table.column("relation").to_pylist() == ["before", "meets"] and answer.certain == 0


def test_what_was_left_out_leaves_relations_open():
    told = dataclasses.replace(of_dataset(sf.Dataset.of("sequences", [[("A", 0), ("B", 5)]])), suppressed_records=1)
    answer = ask_evidence(told, "relation value A and B")
    assert answer.certain == 0
    assert set(answer.table.column("relation").to_pylist()) >= {"before", "overlaps", "equals"}


def test_what_never_happened_has_no_relation():
    data = sf.Dataset.of("sequences", CARE)
    answer = sf.query(data, "relation value clinic and 'zoo'")
    assert (answer.certain, answer.possible, answer.expected) == (0, 0, 0)
    assert answer.table.column("relation").to_pylist() == ["none"]


corners = st.lists(st.integers(0, 5), min_size=4, max_size=4).map(sorted).map(lambda four: Bounds(*four))


@settings(max_examples=60)
@given(corners, corners)
def test_the_possible_relations_are_those_of_all_exact_periods(one, other):
    def list_all(bounds):
        firsts, lasts = (range(bounds[at], bounds[at + 1] + 1) for at in (0, 2))
        return [(first, last + 1) for first in firsts for last in lasts if first <= last]

    truth = {allens_relation(*a, *b) for a in list_all(one) for b in list_all(other)}
    assert set(find_possible(one, other)) == truth


def test_volumes_may_prevail_as_any_choice_of_local_relations_does():
    sure, perhaps = [("before", "during"), ("meets",)], [("starts", "after")]
    chosen = [[*one, *more] for one in product(*sure) for more in ((), ("starts",), ("after",))]
    truth = {find_prevailing(hold_over_places(names)) for names in chosen}
    assert find_possible_prevailing(sure, perhaps, ()) == (truth, False)
    assert find_possible_prevailing([], [], ("before",)) == ({"before"}, True)
