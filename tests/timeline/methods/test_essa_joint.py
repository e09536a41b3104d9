"""Planning together is never worse than one after the other, and optimal on small data."""

import math

import numpy as np
from hypothesis import assume, given, settings
from tests.timeline.naive.sanitisation import brute_force, keeps
from tests.timeline.naive.timelines import delete, left, occurring, small_timelines

import sfumato as sf
from sfumato.core.run import Run
from sfumato.kinds.timeline.kernels.sanitisation_bound import least_error, least_needs
from sfumato.kinds.timeline.kernels.sanitisation_joint import error_of


def number_of_ways(rows, sensitive):
    return math.prod(row.get(event, 0) + 1 for row in rows for event in sensitive)


@settings(max_examples=60)
@given(small_timelines(most=3, points=4, sensitive=3))
def test_it_equals_brute_force_on_small_data(instance):
    alphabet, rows, sensitive, delta = instance
    assume(number_of_ways(rows, sensitive) <= 600)
    deletions, counters = delete(sf.methods.EssaJoint, rows, sensitive, alphabet, delta)
    assert counters["proved_optimal"] == 1 and counters["gap_permille_at_most"] == 0
    assert deletions.error() == brute_force(occurring(rows), sensitive, delta, alphabet)[0]
    assert keeps(left(rows, deletions), sensitive, delta)


@settings(max_examples=40)
@given(small_timelines(most=3, points=4, sensitive=3))
def test_no_solution_stays_below_the_bound(instance):
    alphabet, rows, sensitive, delta = instance
    assume(number_of_ways(rows, sensitive) <= 600)
    data = sf.Dataset.of("timeline", rows, sensitive=tuple(sensitive), events=tuple(alphabet))
    task = sf.methods.EssaJoint(delta=delta).task(data)
    least = least_error(task.occurrences, task.rule, np.arange(len(rows)))
    best, after = brute_force(occurring(rows), sensitive, delta, alphabet)
    assert least <= float(best) * (1 + 1e-12)
    totals = [sum(row.get(event, 0) for row in rows) for event in sensitive]
    gone = [total - sum(row.get(event, 0) for row in after) for total, event in zip(totals, sensitive, strict=True)]
    length = sum(sum(row.values()) for row in rows)
    assert all(least_needs(np.array(totals), length, task.rule) <= gone)


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


def test_the_rounded_error_of_the_kernels_is_the_exact_one():
    rows = [{"a": 3, "b": 2, "c": 5}, {"a": 1, "b": 4}]
    data = sf.Dataset.of("timeline", rows, sensitive=("a", "b"), events=("d",))
    task = sf.methods.EssaJoint(delta="1/9").task(data)
    removed = np.array([2, 1, 1, 3])
    exact = task.deletions(removed).error()
    assert abs(error_of(task.occurrences, removed, task.rule.alphabet) - float(exact)) < 1e-14
