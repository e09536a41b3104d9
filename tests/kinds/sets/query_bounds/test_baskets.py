"""Records with generalised items: bounds that some possible original attains, and draws that are possible."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.releases import generalised
from tests.queries.naive.conditions import about_items
from tests.queries.naive.possible_records import bounds, possible_sets

from sfumato.kinds.sets.query_bounds import of_release
from sfumato.queries.ask import ask
from sfumato.queries.count import count_bounds
from sfumato.queries.language import parse
from sfumato.queries.plan import Plan
from sfumato.queries.published_view import Selection

GROUPS = {"P": ("a", "b"), "Q": ("b", "c", "d"), "R": ("c", "d")}
rows_of_values = st.lists(st.lists(st.sampled_from(["P", "Q", "R", "a", "c"]), unique=True), min_size=1, max_size=4)


@settings(max_examples=25)
@given(rows_of_values, st.sampled_from([(), ("e",), ("e", "f")]), st.integers(0, 2))
def test_bounds_are_attained_by_some_possible_original(rows, removed, suppressed_records):
    told = of_release(generalised(rows, GROUPS, suppressed=removed, suppressed_records=suppressed_records))
    records = [[(found, None) for found in possible_sets(row, GROUPS, removed)] for row in rows]
    for text, holds in about_items("abce"):
        truth = told_bounds(told, text)
        certain, possible = bounds(records, holds, suppressed_records)
        assert truth[0] <= certain <= possible <= truth[1]
        if " or " not in text:
            # "a or b" is asked part by part; "a|b" asks for both at once.
            assert truth == (certain, possible), text
    answer = ask(told, 'count person where "a" and not "b"')
    assert answer.expected is None or answer.certain <= answer.expected <= answer.possible


def told_bounds(told, text):
    """Return what is certain and possible without drawing originals."""
    query = parse(f"count person where {text}")
    return count_bounds(Plan(told, query.text), query.condition, "record", 0)


@settings(max_examples=25)
@given(rows_of_values, st.sampled_from(["a", "bc", "abcd", "e"]))
def test_items_are_counted_once_in_a_record(rows, wanted):
    told = of_release(generalised(rows, GROUPS, suppressed=("e",)))
    names = "|".join(f'"{item}"' for item in wanted)
    query = parse(f"count event where {names}")
    low, high = count_bounds(Plan(told, query.text), query.condition, "event", 0)
    numbers = [[len(found & set(wanted)) for found in possible_sets(row, GROUPS, ("e",))] for row in rows]
    assert low <= sum(map(min, numbers)) and high == sum(map(max, numbers))


@settings(max_examples=25)
@given(rows_of_values, st.integers(0, 2**20))
def test_drawn_records_are_possible(rows, seed):
    history = of_release(generalised(rows, GROUPS)).history
    drawn = history.draw(np.random.default_rng(seed), Selection.everything(len(history.names.labels)))
    found = [set() for _ in rows]
    for record, value in zip(drawn.record.tolist(), drawn.value.tolist(), strict=True):
        found[record].add(history.names.labels[value])
    assert all(items in possible_sets(row, GROUPS) for row, items in zip(rows, found, strict=True))


def test_items_that_others_publish_by_their_name_are_less_likely_hidden():
    told = of_release(generalised([["P"], *[["a"]] * 15, *[["P"]] * 200], GROUPS))
    answers = [ask(told, f"count person where {item}") for item in "ab"]
    # Weights 1/2 and 1: a third and two thirds, and at least one of them.
    assert answers[0].expected - 15 < 0.6 * answers[1].expected
    assert [answer.certain for answer in answers] == [15, 0]


def test_the_names_of_values_can_be_asked_for():
    told = of_release(generalised([["P"], ["Q"], ["a"]], GROUPS))
    answer = ask(told, "count person where P")
    assert (answer.certain, answer.possible) == (2, 3)


def test_removed_items_may_be_anywhere():
    told = of_release(generalised([["a"], ["c"]], suppressed=("z",)))
    answer = ask(told, "count person where z")
    assert (answer.certain, answer.possible) == (0, 2)
    assert "removed" in answer.notes[0]
