"""Bounds over the chunks of a disassociated release: safe everywhere, and attained where clusters are not joined."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from tests.examples import settings
from tests.kinds.sets.drawing import disassociations
from tests.kinds.sets.releases import disassociated
from tests.queries.naive.disassociated import bounds_by_trying

from sfumato.kinds.sets.query_bounds import of_release
from sfumato.queries.ask import ask
from sfumato.queries.expected import know_mean
from sfumato.queries.language import parse
from sfumato.queries.plan import Plan
from sfumato.queries.published_view import Link, Selection


def judge(told, tests):
    """Return what is certain and possible of records that have, for each test, one of its items."""
    labels = told.history.names.labels
    links = [[Link(Selection(np.isin(labels, sorted(test))))] for test in tests]
    truth = told.history.judge_all(links)
    assert (truth.low <= truth.high).all() and (truth.high <= truth.sizes).all()
    return int(truth.low.sum()), int(truth.high.sum())


def forms_of(records):
    """Return single items, pairs, triples and alternatives, a few of each."""
    items = sorted({item for record in records for item in record})
    pairs, triples = list(combinations(items, 2)), list(combinations(items, 3))
    found = [[{item}] for item in items] + [[{a}, {b}] for a, b in pairs[:6]] + [[{a, b}] for a, b in pairs[:4]]
    return found + [[{a}, {b}, {c}] for a, b, c in triples[:3]]


def small(clusters, most=6):
    """Tell whether all data sets that fit can be tried."""
    return sum(size for _, parent, size in clusters if parent is None) <= most


@settings(max_examples=25)
@given(disassociations())
def test_bounds_hold_in_every_possible_original(given_release):
    clusters, rows, records = given_release
    assume(small(clusters))
    told = of_release(disassociated(clusters, rows))
    for tests in forms_of(records):
        low, high = judge(told, tests)
        smallest, most = bounds_by_trying(clusters, rows, tests)
        truth = sum(all(test & set(record) for test in tests) for record in records)
        assert low <= smallest <= truth <= most <= high
        if all(parent is None for _, parent, _ in clusters) or (len(tests) == 1 and len(tests[0]) == 1):
            assert (low, high) == (smallest, most)


@settings(max_examples=40)
@given(disassociations())
def test_the_truth_is_within_the_bounds(given_release):
    clusters, rows, records = given_release
    told = of_release(disassociated(clusters, rows))
    for tests in forms_of(records):
        low, high = judge(told, tests)
        assert low <= sum(all(test & set(record) for test in tests) for record in records) <= high


JOINED = [("j", None, 8), ("p", "j", 4), ("q", "j", 4)]


def test_a_shared_chunk_gives_every_subrecord_once():
    rows = [*[("p", 1, ["a"])] * 4, *[("q", 1, ["a"])] * 4, *[("j", 1, ["s"])] * 3]
    assert judge(of_release(disassociated(JOINED, rows)), [{"a"}, {"s"}]) == (3, 3)


def test_parts_of_two_shared_chunks_meet_no_more_often_than_the_scarcer_one():
    rows = [*[("p", 1, ["a"])] * 4, *[("q", 1, ["a"])] * 4, *[("j", 1, ["s"])] * 5, *[("j", 2, ["t"])] * 6]
    found = of_release(disassociated(JOINED, rows))
    assert judge(found, [{"a"}, {"s"}, {"t"}]) == bounds_by_trying(JOINED, rows, [{"a"}, {"s"}, {"t"}]) == (3, 5)


def test_items_of_different_trees_are_never_together():
    rows = [*[("p", 1, ["a"])] * 2, *[("q", 1, ["b"])] * 2]
    told = of_release(disassociated([("p", None, 2), ("q", None, 2)], rows))
    assert judge(told, [{"a"}, {"b"}]) == (0, 0)
    assert ask(told, "count person where a or b").possible == 4


def test_subrecords_must_be_left_for_other_records():
    rows = [*[("p", 1, ["a"])] * 2, *[("p", 2, ["b"])] * 2]
    # Four subrecords for three records: only one record can have two of them.
    assert judge(of_release(disassociated([("p", None, 3)], rows)), [{"a"}, {"b"}]) == (1, 1)


def test_questions_are_answered_with_the_mean_over_reconstructions():
    rows = [*[("p", 1, ["a"])] * 3, *[("p", 2, ["b", "c"])] * 2, ("p", 0, ["z"])]
    release = disassociated([("p", None, 4)], rows)
    answer = ask(of_release(release), "count person where a and b")
    assert (answer.certain, answer.possible, answer.expected) == (1, 2, pytest.approx(1.5))
    assert "reconstructions" in answer.notes[-1]


FORMS = ["a and not b", "a or b", "a|b", "not (a and b) or c", "not a", "a and b and c", "a|b and not z"]


@pytest.mark.parametrize("text", FORMS)
def test_means_are_those_of_many_drawn_originals(text):
    rows = [*[("p", 1, ["a"])] * 3, *[("p", 2, ["b", "c"])] * 2, ("p", 0, ["z"])]
    told = of_release(disassociated([("p", None, 4)], rows))
    query = parse(f"count person where {text}")
    known = know_mean(Plan(told, query.text), query.condition, "record")
    random, everything = np.random.default_rng(5), Selection.everything(len(told.history.names.labels))
    drawn = [Plan(told.draw(random, everything), query.text).judge(query.condition).low.sum() for _ in range(600)]
    assert known == pytest.approx(np.mean(drawn), abs=0.12)


def test_of_many_alternatives_the_mean_is_drawn():
    rows = [*[("p", 1, [item]) for item in "abcdefgh"], *[("p", 2, ["z"])] * 3]
    told = of_release(disassociated([("p", None, 9)], rows))
    answer = ask(told, "count person where a|b|c|d|e|f|g or z")
    assert 7 <= answer.certain <= answer.expected <= answer.possible == 9


def test_items_are_counted():
    rows = [*[("p", 1, ["a"])] * 3, *[("p", 2, ["b", "c"])] * 2, ("p", 0, ["z"])]
    answer = ask(of_release(disassociated([("p", None, 4)], rows)), "count event where a|z")
    assert (answer.certain, answer.possible) == (4, 7)


def test_withheld_records_are_possible():
    release = disassociated(
        [("p", None, 2)], [*[("p", 1, ["a"])] * 2], records_in=5, suppressed_records={"nothing left": 3}
    )
    answer = ask(of_release(release), "count person where a")
    assert (answer.certain, answer.possible, answer.expected) == (2, 5, 5)
