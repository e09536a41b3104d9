"""What makers count of a timeline, against plain counting."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.timeline.naive.sanitisation import error, prefixes, without
from tests.kinds.timeline.naive.timelines import left, occurring, small_timelines

import sfumato as sf
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.kinds.timeline.methods._base.timeline_counts import Deletions, TimelineCounts


def counts(rows, alphabet):
    return TimelineCounts(Timeline.of(sf.Dataset.of("timeline", rows, events=tuple(alphabet))))


@settings(max_examples=60)
@given(small_timelines())
def test_totals_lengths_and_places_are_what_plain_counting_finds(instance):
    alphabet, rows, _, _ = instance
    found = counts(rows, alphabet)
    assert found.totals.tolist() == [sum(row.values()) for row in rows]
    assert found.lengths.tolist() == [sum(sums.values()) for sums in prefixes(occurring(rows))]
    places = found.places(range(len(alphabet)))
    for code, event in enumerate(found.timeline.labels):
        own = slice(places.offsets[code], places.offsets[code + 1])
        there = [(point, row[event]) for point, row in enumerate(occurring(rows)) if event in row]
        assert list(zip(places.points[own].tolist(), places.counts[own].tolist(), strict=True)) == there


@settings(max_examples=80)
@given(small_timelines(), st.data())
def test_the_error_of_any_deletions_is_the_sum_over_the_alphabet(instance, data):
    alphabet, rows, _, _ = instance
    counted = counts(rows, alphabet)
    removed = np.array([data.draw(st.integers(0, int(count))) for count in counted.timeline.counts], dtype=np.int64)
    deletions = Deletions(counted, removed)
    exact = error(occurring(rows), left(rows, deletions), alphabet)
    assert deletions.error() == exact
    assert math.isclose(deletions.rounded_error(), float(exact), rel_tol=1e-15, abs_tol=0)


@pytest.mark.parametrize("k", range(5))
def test_the_cost_of_k_deletions_needs_no_loop_over_the_alphabet(k):
    point = {"a": 4, "b": 3, "c": 1}
    alphabet = "abcdef"
    n, f = Fraction(8) + 3, 4
    others = sum((Fraction(point.get(e, 0)) + Fraction(1, 2)) ** 2 for e in alphabet if e != "a")
    cost = (others + (n - f - Fraction(1, 2)) ** 2) * (1 / (n - k) - 1 / n) ** 2
    assert cost == error([point], without([point], "a", [k]), alphabet)
    assert Deletions(counts([point], alphabet), np.array([k, 0, 0])).error() == cost
