"""What an observer of prefixes knows, against plain counting."""

from fractions import Fraction

from hypothesis import given
from tests.examples import settings
from tests.kinds.timeline.naive.sanitisation import prefixes
from tests.kinds.timeline.naive.timelines import FRACTIONS, occurring, small_timelines

import sfumato as sf
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.kinds.timeline.knowledge import find_occurrences, find_peaks


@settings(max_examples=80)
@given(small_timelines(most=3), FRACTIONS)
def test_peaks_are_those_of_the_prefixes(instance, delta):
    alphabet, rows, _, _ = instance
    timeline = Timeline.of(sf.Dataset.of("timeline", rows, events=tuple(alphabet)))
    found = find_peaks(timeline, range(len(timeline.labels)), delta)
    for event, peak in zip(timeline.labels, found, strict=True):
        shares = [Fraction(s.get(event, 0), max(sum(s.values()), 1)) for s in prefixes(occurring(rows))]
        assert peak.frequency == max(shares)
        assert peak.exposed == sum(share >= delta for share in shares)
        assert peak.point == (shares.index(max(shares)) if max(shares) else None)


@settings(max_examples=60)
@given(small_timelines(most=2, points=3))
def test_events_have_the_same_shape_exactly_if_their_counts_agree_everywhere(instance):
    alphabet, rows, _, _ = instance
    timeline = Timeline.of(sf.Dataset.of("timeline", rows, events=tuple(alphabet)))
    shapes = [found.shape for found in find_occurrences(timeline, range(len(timeline.labels)))]
    for one, event in zip(shapes, timeline.labels, strict=True):
        for other, another in zip(shapes, timeline.labels, strict=True):
            assert (one == other) == all(row.get(event, 0) == row.get(another, 0) for row in rows)
