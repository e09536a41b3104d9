"""Timelines as arrays: prefixes, peaks, thresholds and errors, against plain counting."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.timeline.naive.sanitisation import error, prefixes
from tests.timeline.naive.timelines import FRACTIONS, left, occurring, small_timelines

import sfumato as sf
from sfumato.kinds.timeline.model import Deletions, Timeline, least_peer, peaks


@settings(max_examples=80)
@given(small_timelines(), st.data())
def test_the_error_of_any_deletions_is_the_sum_over_the_alphabet(instance, data):
    alphabet, rows, _, _ = instance
    timeline = Timeline.of(sf.Dataset.of("timeline", rows, events=tuple(alphabet)))
    removed = np.array([data.draw(st.integers(0, int(count))) for count in timeline.counts], dtype=np.int64)
    deletions = Deletions(timeline, removed)
    exact = error(occurring(rows), left(rows, deletions), alphabet)
    assert deletions.error() == exact
    assert math.isclose(deletions.rounded_error(), float(exact), rel_tol=1e-15, abs_tol=0)


@settings(max_examples=80)
@given(small_timelines(most=3), FRACTIONS)
def test_peaks_are_those_of_the_prefixes(instance, delta):
    alphabet, rows, _, _ = instance
    timeline = Timeline.of(sf.Dataset.of("timeline", rows, events=tuple(alphabet)))
    found = peaks(timeline, range(len(timeline.labels)), delta)
    for event, peak in zip(timeline.labels, found, strict=True):
        shares = [Fraction(s.get(event, 0), max(sum(s.values()), 1)) for s in prefixes(occurring(rows))]
        assert peak.frequency == max(shares)
        assert peak.exposed == sum(share >= delta for share in shares)
        assert peak.point == (shares.index(max(shares)) if max(shares) else None)


@given(FRACTIONS, st.integers(1, 40))
def test_the_peer_of_a_threshold_divides_small_fractions_as_it_does(delta, largest):
    peer = least_peer(delta, largest)
    assert peer.denominator <= max(largest, 1)
    assert peer == min(Fraction(math.ceil(delta * y), y) for y in range(1, largest + 1))


def test_a_release_is_viewed_like_its_data():
    data = sf.Dataset.of("timeline", [{"b": 1, "a": 2}, {}, {"c": 3}], sensitive=("a",))
    result = sf.anonymize(data, sf.methods.Odesa(delta="1"))
    after = Timeline.of_release(result.release)
    assert after.labels == ("a", "b", "c") and after.lengths.tolist() == [3, 3, 6]
    assert Deletions.between(Timeline.of(data), after, result.trace.rows).removed.tolist() == [0, 0, 0]
