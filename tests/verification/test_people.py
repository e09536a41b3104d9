"""People with several records: the fewest people of a crowd are counted as a plain enumeration counts them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.verification.naive import people as naive

import sfumato as sf
from sfumato.data.record_unit import RecordUnit
from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.hierarchies.derive import balanced
from sfumato.verification.people import find_smallest_group, verify_people

DAY = RecordUnit("day", "days", "person")
LABELS = "abcde"
XY = {label: (float(i), float(i % 2)) for i, label in enumerate(LABELS)}

rows_of_labels = st.lists(st.lists(st.sampled_from(LABELS), min_size=1, max_size=4), min_size=4, max_size=14)


def draw_people(data, rows):
    return data.draw(st.lists(st.sampled_from(["ann", "bob", "cem", "dan"]), min_size=len(rows), max_size=len(rows)))


def plain_count(result):
    """The fewest people by enumeration, from the cells of the release and the owner's row map."""
    release, original = result.release, result.owner_record.original
    people = [original.people[row].as_py() for row in result.owner_record.rows.tolist()]
    guarantee = release.guarantee
    if release.kind == "activity":
        sizes = release.extra_tables["classes"].table.to_pylist()
        return naive.of_groups([i for i, row in enumerate(sizes) for _ in range(list(row.values())[-1])], people)
    if release.kind == "sequences":
        parts = release.table.select(["monitored", "monitored_times"]).to_pylist()
        return naive.of_groups([repr(part) for part in parts], people)
    histories = release.table.column(release.history_column).to_pylist()
    if "clusters" in release.extra_tables:
        clusters = [(c["cluster"], c["parent"], c["size"]) for c in release.extra_tables["clusters"].table.to_pylist()]
        rows = [(row["cluster"], row["chunk"], row["items"]) for row in release.table.to_pylist()]
        originals = original.history().lists()
        return naive.of_chunks(clusters, rows, [originals[r] for r in result.owner_record.rows], people, guarantee.m)
    if hasattr(guarantee, "itemsets"):
        return naive.of_itemsets(histories, people, guarantee.itemsets, release.members())
    if release.kind == "sets":
        return naive.of_sets(histories, people, guarantee.m)
    hidden = set(getattr(guarantee, "sensitive", ()))
    return naive.of_sequences([[v for v in row if v not in hidden] for row in histories], people, guarantee.m)


def trajectories(rows):
    return sf.Dataset.of("trajectories", rows, XY, sensitive=("e",))


def plain_trajectories(rows):
    return sf.Dataset.of("trajectories", rows, XY)


def sets(rows):
    return sf.Dataset.of("sets", rows, hierarchy=balanced(list(LABELS), 2))


def named_sets(rows):
    return sf.Dataset.of("sets", rows, privacy=(("a", "b", "c"), ("d",)), utility=(tuple(LABELS),))


def sequences(rows):
    timed = [[(event, 3 * i + number % 3) for i, event in enumerate(row)] for number, row in enumerate(rows)]
    return sf.Dataset.of("sequences", timed, monitored=("a", "b"))


def activity(rows):
    return sf.Dataset.of("activity", [[row[i % len(row)] for i in range(4)] for row in rows])


CASES = {
    "km-anonymity": (plain_trajectories, lambda k: sf.methods.SeqAnon(k=k, m=2)),
    "klm-anonymity": (trajectories, lambda k: sf.methods.LmAnon(k=k, m=2, l=2)),
    "km-items, generalised": (sets, lambda k: sf.methods.Apriori(k=k, m=2)),
    "km-items, separated": (sets, lambda k: sf.methods.Disassociation(k=k, m=2)),
    "itemset-anonymity": (named_sets, lambda k: sf.methods.Coat(k=k)),
    "group-anonymity": (sequences, lambda k: sf.methods.Hi(k=k)),
    "class-anonymity": (activity, lambda k: sf.methods.Mc(k=k, aggregate="slot")),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@settings(max_examples=40)
@given(data=st.data(), k=st.integers(2, 3))
def test_the_fewest_people_of_a_crowd_are_those_of_a_plain_enumeration(case, data, k):
    build, method = case
    rows = data.draw(rows_of_labels)
    days = build(rows).of_people(draw_people(data, rows), DAY)
    try:
        result = sf.anonymize(days, method(k), secret=bytes([1] * 32))
    except (InfeasibleError, ParameterError):
        return
    found = find_smallest_group(result.release, days, result.owner_record.rows)
    assert found is not None
    assert found.people == plain_count(result)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@settings(max_examples=40)
@given(data=st.data(), k=st.integers(2, 3))
def test_counting_people_gives_every_crowd_k_people_or_says_why_not(case, data, k):
    build, method = case
    rows = data.draw(rows_of_labels)
    days = build(rows).of_people(draw_people(data, rows), DAY)
    try:
        result = sf.anonymize(days, method(k), protect="people", secret=bytes([1] * 32))
    except (InfeasibleError, ParameterError):
        return
    assert (result.release.guarantee.k, result.release.guarantee.count) == (k, "people")
    assert plain_count(result) >= k
    assert verify_people(result.release, days, result.owner_record.rows)
    again = days.of_people(["one"] * len(days), DAY)
    assert verify_people(result.release, again, result.owner_record.rows).outcome == "broken"
