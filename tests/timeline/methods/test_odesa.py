"""ODESA on the paper's printed example, and what the paper's program forgets."""

from fractions import Fraction

import numpy as np
import pytest
from tests.timeline.naive.sanitisation import dynamic_program, error, keeps, needs, without

import sfumato as sf
from sfumato.kinds.timeline.guarantees.prefix_frequency import read_delta
from sfumato.kinds.timeline.model import Timeline

ROWS = [(2, 3, 4, 1), (4, 3, 5, 2), (6, 2, 4, 3), (9, 3, 4, 2), (5, 4, 6, 3)]
EXAMPLE = [dict(zip("abcd", row, strict=True)) for row in ROWS]
ERROR = Fraction(886070811391, 6467642438400)
FIFTH = Fraction(1, 5)


def delete(points, delta, sensitive=("a",), method=sf.methods.Odesa, events=()):
    """Return the deletions of a method with their exact error, without making a release."""
    data = sf.Dataset.of("timeline", points, sensitive=sensitive, events=events)
    chosen = method(delta=delta)
    task = chosen.task(data)
    return task.deletions(chosen.delete(task, sf.core.run.Run(bytes([1] * 32))))


def test_the_printed_example_to_the_last_digit():
    assert needs(EXAMPLE, "a", FIFTH) == [1, 2, 6, 13, 14]
    deletions = delete(EXAMPLE, "0.2")
    assert deletions.by_point.tolist() == [1, 3, 4, 5, 1]
    assert deletions.error() == ERROR
    assert dynamic_program(EXAMPLE, "a", FIFTH, "abcd") == (ERROR, [1, 3, 4, 5, 1])
    assert deletions.rounded_error() == float(ERROR)


def test_the_release_of_the_example_holds_what_is_left(tmp_path):
    data = sf.Dataset.of("timeline", EXAMPLE, sensitive=("a",))
    result = sf.anonymize(data, sf.methods.Odesa(delta="1/5"))
    assert result.release.table.column("counts").to_pylist() == [
        [1, 3, 4, 1],
        [1, 3, 5, 2],
        [2, 2, 4, 3],
        [4, 3, 4, 2],
        [4, 4, 6, 3],
    ]
    verdict = sf.write(result, tmp_path / "out", reports=False)
    assert verdict.holds and Fraction(verdict.measured["largest_relative_frequency"]) < FIFTH
    score = next(s for s in sf.measure(tmp_path / "out", data) if s.name == "sanitisation-error")
    assert score.value == float(ERROR)


def test_the_deletions_printed_in_the_figure_leave_the_event_above_the_threshold():
    # After 1 + 2 + 3 + 5 deletions 10 of 46 occurrences in the fourth prefix are left.
    printed = [1, 2, 3, 5, 2]
    assert not keeps(without(EXAMPLE, "a", printed), "a", FIFTH)


def test_fewer_deletions_than_a_prefix_needs_must_be_forbidden():
    points = [{"a": 1}, {"a": 2}, {"a": 1, "b": 2}]
    assert needs(points, "a", Fraction(1, 2)) == [1, 3, 3]
    allowed = dynamic_program(points, "a", Fraction(1, 2), "ab")
    printed = dynamic_program(points, "a", Fraction(1, 2), "ab", forbid=False)
    assert printed[0] < allowed[0]
    assert not keeps(without(points, "a", printed[1]), "a", Fraction(1, 2))
    deletions = delete(points, "1/2")
    assert deletions.error() == allowed[0]


def test_the_threshold_is_strict_and_exact():
    # 1 of 10 reaches 0.1, which no floating point number is.
    points = [{"a": 1, "b": 9}]
    assert delete(points, "0.1").by_point.tolist() == [1]
    assert delete(points, "0.1000000000000000001").by_point.tolist() == [0]
    assert read_delta("x", "0.1000000000000000001") > Fraction(1, 10)


def test_a_prefix_of_nothing_but_the_event_loses_it_all():
    deletions = delete([{"a": 3}, {"a": 1, "b": 9}], "1/2")
    assert deletions.by_point.tolist() == [3, 0]


@pytest.mark.parametrize("k", range(5))
def test_the_cost_of_k_deletions_needs_no_loop_over_the_alphabet(k):
    point = {"a": 4, "b": 3, "c": 1}
    alphabet = "abcdef"
    n, f = Fraction(8) + 3, 4
    others = sum((Fraction(point.get(e, 0)) + Fraction(1, 2)) ** 2 for e in alphabet if e != "a")
    cost = (others + (n - f - Fraction(1, 2)) ** 2) * (1 / (n - k) - 1 / n) ** 2
    assert cost == error([point], without([point], "a", [k]), alphabet)
    timeline = Timeline.of(sf.Dataset.of("timeline", [point], events=tuple(alphabet)))
    assert sf.core.timelines.Deletions(timeline, np.array([k, 0, 0])).error() == cost
