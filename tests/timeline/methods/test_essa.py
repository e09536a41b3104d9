"""ESSA is not optimal, whatever Theorem 4.1 says."""

from fractions import Fraction

from tests.timeline.methods.test_odesa import delete
from tests.timeline.naive.sanitisation import brute_force, essa

import sfumato as sf

POINTS = [{"a": 1, "b": 2}, {"a": 1}]
SIX_TENTHS = Fraction(3, 5)


def test_the_counter_example_with_its_errors():
    assert essa(POINTS, "ab", SIX_TENTHS, "abc")[0] == Fraction(416, 2025)
    best, left = brute_force(POINTS, "ab", SIX_TENTHS, "abc")
    assert (best, left) == (Fraction(13184, 99225), [{"a": 1, "b": 1}, {}])


def test_essa_deletes_everything_and_essa_joint_finds_the_optimum():
    found = delete(POINTS, "0.6", ("a", "b"), sf.methods.Essa, ("c",))
    assert found.error() == Fraction(416, 2025)
    assert found.by_point.tolist() == [3, 1]
    better = delete(POINTS, "0.6", ("a", "b"), sf.methods.EssaJoint, ("c",))
    assert better.error() == Fraction(13184, 99225)
    assert better.by_point.tolist() == [1, 1]


def test_the_order_of_the_sensitive_events_matters():
    points = [{"a": 3, "b": 1}, {"a": 2, "b": 3, "c": 1}, {"b": 2, "c": 2}, {"a": 3, "b": 1, "c": 1}]
    errors = {
        order: delete(points, "2/5", tuple(order), sf.methods.Essa).error() for order in ("abc", "bca", "cab", "bac")
    }
    assert all(found == essa(points, order, Fraction(2, 5), "abc")[0] for order, found in errors.items())
