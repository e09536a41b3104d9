"""ODESA, ESSA and ESSA-joint: the paper's printed example, what the paper forgets, and plain search on small data."""

from fractions import Fraction

import numpy as np
from hypothesis import assume, given
from tests.examples import settings
from tests.kinds.timeline.naive.sanitisation import (
    brute_force,
    dynamic_program,
    error,
    essa,
    greedy,
    keeps,
    needs,
    without,
)
from tests.kinds.timeline.naive.timelines import delete, left, number_of_ways, occurring, small_timelines

import sfumato as sf
from sfumato.kinds.timeline.guarantees import read_delta
from sfumato.release.run import Run

ROWS = [(1, 1, 2, 6), (2, 4, 7, 7), (8, 1, 5, 7), (12, 1, 7, 10), (7, 2, 3, 7)]
"""Occurrences of a to d: Figure 1a is not legible in full, and these fit all that is, and all that Figure 2 prints."""
EXAMPLE = [dict(zip("abcd", row, strict=True)) for row in ROWS]
DELETED = [1, 2, 3, 5, 2]
ERROR = Fraction(5859386427131, 102080190643200)
FIFTH = Fraction(1, 5)
POINTS = [{"a": 1, "b": 2}, {"a": 1}]
SIX_TENTHS = Fraction(3, 5)


def delete_events(points, delta, sensitive=("a",), method=sf.methods.Odesa, events=()):
    """Return the deletions of a method with their exact error, without making a release."""
    data = sf.Dataset.of("timeline", points, sensitive=sensitive, events=events)
    chosen = method(delta=delta)
    task = chosen.task(data)
    return task.deletions(chosen.delete(task, Run(bytes([1] * 32))))


def test_the_printed_example_to_the_last_digit():
    """Figure 2: b_3, b_4 and b_5 are 2, 9 and 13; 1, 2, 3, 5 and 2 occurrences go, at an error of 6e-2."""
    assert needs(EXAMPLE, "a", FIFTH) == [0, 0, 2, 9, 13]
    deletions = delete_events(EXAMPLE, "0.2")
    assert deletions.by_point.tolist() == DELETED
    assert deletions.error() == ERROR and f"{float(ERROR):.0e}" == "6e-02"
    assert dynamic_program(EXAMPLE, "a", FIFTH, "abcd") == (ERROR, DELETED)
    assert deletions.rounded_error() == float(ERROR)
    assert keeps(without(EXAMPLE, "a", DELETED), "a", FIFTH)


def test_the_errors_in_the_cells_of_the_figure():
    """Figure 2a: the least errors of deleting i occurrences from a prefix."""

    def cost(point, deleted):
        return float(error([EXAMPLE[point]], without([EXAMPLE[point]], "a", [deleted]), "abcd"))

    second = [cost(0, 1) + cost(1, 1), cost(1, 2)]
    third = [cost(1, 1) + cost(2, 1), cost(1, 2), cost(2, 2)]
    cells = [cost(0, 1), min(cost(0, 1), cost(1, 1)), min(second), min(third)]
    assert [f"{cell:.1e}" for cell in cells] == ["9.2e-03", "2.4e-03", "1.1e-02", "3.6e-03"]


def test_the_release_of_the_example_holds_what_is_left(tmp_path):
    data = sf.Dataset.of("timeline", EXAMPLE, sensitive=("a",))
    result = sf.anonymize(data, sf.methods.Odesa(delta="1/5"))
    assert result.release.table.column("counts").to_pylist() == [
        [1, 2, 6],
        [4, 7, 7],
        [5, 1, 5, 7],
        [7, 1, 7, 10],
        [5, 2, 3, 7],
    ]
    verdict = sf.write(result, tmp_path / "out", reports=False)
    assert verdict.holds and Fraction(verdict.measured["largest_relative_frequency"]) < FIFTH
    score = next(s for s in sf.measure(tmp_path / "out", data) if s.name == "sanitisation-error")
    assert score.value == float(ERROR)


def test_fewer_deletions_than_a_prefix_needs_must_be_forbidden():
    points = [{"a": 1}, {"a": 2}, {"a": 1, "b": 2}]
    assert needs(points, "a", Fraction(1, 2)) == [1, 3, 3]
    allowed = dynamic_program(points, "a", Fraction(1, 2), "ab")
    printed = dynamic_program(points, "a", Fraction(1, 2), "ab", forbid=False)
    assert printed[0] < allowed[0]
    assert not keeps(without(points, "a", printed[1]), "a", Fraction(1, 2))
    deletions = delete_events(points, "1/2")
    assert deletions.error() == allowed[0]


def test_the_threshold_is_strict_and_exact():
    # 1 of 10 reaches 0.1, which no floating point number is.
    points = [{"a": 1, "b": 9}]
    assert delete_events(points, "0.1").by_point.tolist() == [1]
    assert delete_events(points, "0.1000000000000000001").by_point.tolist() == [0]
    assert read_delta("x", "0.1000000000000000001") > Fraction(1, 10)


def test_a_prefix_of_nothing_but_the_event_loses_it_all():
    deletions = delete_events([{"a": 3}, {"a": 1, "b": 9}], "1/2")
    assert deletions.by_point.tolist() == [3, 0]


@settings(max_examples=150)
@given(small_timelines())
def test_odesa_equals_the_dynamic_program(instance):
    alphabet, rows, sensitive, delta = instance
    deletions, _ = delete(sf.methods.Odesa, rows, sensitive, alphabet, delta)
    assert deletions.error() == dynamic_program(occurring(rows), sensitive, delta, alphabet)[0]
    assert keeps(left(rows, deletions), sensitive, delta)
    assert deletions.by_point.tolist() == greedy(occurring(rows), sensitive, delta, alphabet)


def test_the_counter_example_with_its_errors():
    assert essa(POINTS, "ab", SIX_TENTHS, "abc")[0] == Fraction(416, 2025)
    best, left = brute_force(POINTS, "ab", SIX_TENTHS, "abc")
    assert (best, left) == (Fraction(13184, 99225), [{"a": 1, "b": 1}, {}])


def test_essa_deletes_everything_and_essa_joint_finds_the_optimum():
    found = delete_events(POINTS, "0.6", ("a", "b"), sf.methods.Essa, ("c",))
    assert found.error() == Fraction(416, 2025)
    assert found.by_point.tolist() == [3, 1]
    better = delete_events(POINTS, "0.6", ("a", "b"), sf.methods.EssaJoint, ("c",))
    assert better.error() == Fraction(13184, 99225)
    assert better.by_point.tolist() == [1, 1]


def test_the_order_of_the_sensitive_events_matters():
    points = [{"a": 3, "b": 1}, {"a": 2, "b": 3, "c": 1}, {"b": 2, "c": 2}, {"a": 3, "b": 1, "c": 1}]
    errors = {
        order: delete_events(points, "2/5", tuple(order), sf.methods.Essa).error()
        for order in ("abc", "bca", "cab", "bac")
    }
    assert all(found == essa(points, order, Fraction(2, 5), "abc")[0] for order, found in errors.items())


@settings(max_examples=60)
@given(small_timelines(most=3, points=5, sensitive=4))
def test_essa_equals_the_papers_round_robin(instance):
    alphabet, rows, sensitive, delta = instance
    deletions, _ = delete(sf.methods.Essa, rows, sensitive, alphabet, delta)
    expected, after = essa(occurring(rows), sensitive, delta, alphabet)
    assert deletions.error() == expected == error(occurring(rows), left(rows, deletions), alphabet)
    assert left(rows, deletions) == after
    assert keeps(after, sensitive, delta)


@settings(max_examples=60)
@given(small_timelines(most=3, points=4, sensitive=3))
def test_it_equals_brute_force_on_small_data(instance):
    alphabet, rows, sensitive, delta = instance
    assume(number_of_ways(rows, sensitive) <= 600)
    deletions, counters = delete(sf.methods.EssaJoint, rows, sensitive, alphabet, delta)
    assert counters["proved_optimal"] == 1 and counters["gap_permille_at_most"] == 0
    assert deletions.error() == brute_force(occurring(rows), sensitive, delta, alphabet)[0]
    assert keeps(left(rows, deletions), sensitive, delta)


@settings(max_examples=25)
@given(small_timelines(most=4, points=40, sensitive=4))
def test_it_is_never_worse_than_essa_on_longer_data(instance):
    alphabet, rows, sensitive, delta = instance
    essa, _ = delete(sf.methods.Essa, rows, sensitive, alphabet, delta)
    joint, counters = delete(sf.methods.EssaJoint, rows, sensitive, alphabet, delta)
    assert joint.error() <= essa.error()
    assert keeps(left(rows, joint), sensitive, delta)
    assert counters["saved_permille_of_essa"] >= 0 <= counters["gap_permille_at_most"]


def test_a_large_timeline_is_improved_and_the_gap_is_reported():
    rng = np.random.default_rng(3)
    rows = [{f"e{i}": int(c) for i, c in enumerate(rng.poisson(1.2, 12)) if c} for _ in range(150)]
    sensitive = tuple(f"e{i}" for i in range(6))
    data = sf.Dataset.of("timeline", rows, sensitive=sensitive)
    run = Run(bytes([1] * 32))
    result = sf.anonymize(data, sf.methods.EssaJoint(delta="0.06"), run=run)
    assert run.counters["proved_optimal"] == 0
    assert run.counters["saved_permille_of_essa"] > 0
    assert 0 < run.counters["gap_permille_at_most"] < 1000
    assert sf.anonymize(data, sf.methods.EssaJoint(delta="0.06")).release.table.equals(result.release.table)
