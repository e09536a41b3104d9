"""Measures of timelines against plain counting."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from tests.examples import settings
from tests.kinds.timeline.naive.sanitisation import error, keeps, prefixes
from tests.kinds.timeline.naive.timelines import occurring, small_timelines

import sfumato as sf
from sfumato.exceptions import InfeasibleError, SchemaError
from sfumato.kinds.timeline.comparison import TimelineComparison
from sfumato.kinds.timeline.methods._base.timeline_counts import Deletions, TimelineCounts
from sfumato.kinds.timeline.metrics.deleted_share import DeletedShare
from sfumato.kinds.timeline.metrics.frequent_events import FrequentEvents
from sfumato.kinds.timeline.metrics.ghost_events import GhostEvents
from sfumato.kinds.timeline.metrics.sanitisation_error import SanitisationError
from sfumato.kinds.timeline.metrics.segment_boundaries import SegmentBoundaries, find_boundaries
from sfumato.kinds.timeline.metrics.untouched_time_points import UntouchedTimePoints
from sfumato.metrics.comparison import Comparison


def published(rows, sensitive, alphabet, delta):
    data = sf.Dataset.of("timeline", rows, sensitive=tuple(sensitive), events=tuple(alphabet))
    try:
        result = sf.anonymize(data, sf.methods.Essa(delta=delta))
    except InfeasibleError:
        assume(False)
    after = [{} for _ in rows]
    contents = zip(
        result.owner_record.rows,
        result.release.history().lists(),
        result.release.table.column("counts").to_pylist(),
        strict=True,
    )
    for row, events, counts in contents:
        after[row] = dict(zip(events, counts, strict=True))
    return Comparison(data, result.release, result.owner_record.rows), after


def is_frequent(sums, event, delta):
    return bool(sums.get(event, 0)) and Fraction(sums[event], sum(sums.values())) >= delta


@settings(max_examples=60)
@given(small_timelines(most=4, points=5, sensitive=2))
def test_measures_are_what_plain_counting_finds(instance):
    alphabet, rows, sensitive, delta = instance
    assume(any(occurring(rows)))
    comparison, after = published(rows, sensitive, alphabet, delta)
    before = occurring(rows)
    assert keeps(after, sensitive, delta)
    assert SanitisationError().measure(comparison).value == pytest.approx(float(error(before, after, alphabet)))
    found = TimelineComparison(comparison)
    planned = Deletions(TimelineCounts(found.before), found.removed)
    assert sum(Fraction(*part) for part in found.errors) == planned.error() == error(before, after, alphabet)
    lost = sum(sum(row.values()) for row in before) - sum(sum(row.values()) for row in after)
    assert DeletedShare().measure(comparison).details["occurrences_deleted"] == lost
    same = sum(old == new for old, new in zip(before, after, strict=True))
    assert UntouchedTimePoints().measure(comparison).value == pytest.approx(same / len(rows))
    others = [event for event in alphabet if event not in sensitive and any(event in row for row in before)]
    ghosts = {
        event: sum(
            is_frequent(new, event, delta) and not is_frequent(old, event, delta)
            for old, new in zip(prefixes(before), prefixes(after), strict=True)
        )
        for event in others
    }
    score = GhostEvents().measure(comparison)
    assert score.details == {
        "ghost_events": sum(count > 0 for count in ghosts.values()),
        "ghost_prefixes": sum(ghosts.values()),
        "events": len(others),
    }
    whole = FrequentEvents(prefixes=1).measure(comparison).details
    for name, points in (("frequent_before", before), ("frequent_after", after)):
        sums = list(prefixes(points))[-1]
        assert whole[name] == sum(is_frequent(sums, event, delta) for event in others)


def test_without_a_row_map_time_points_are_found_by_their_time():
    rows = [{"a": 4}, {"a": 1, "b": 9}, {"b": 5}]
    data = sf.Dataset.of("timeline", rows, sensitive=("a",), times=[3, 7, 8])
    result = sf.anonymize(data, sf.methods.Odesa(delta="1/3"), max_suppressed_records=1)
    scores = [
        DeletedShare().measure(Comparison(data, result.release, rows)) for rows in (None, result.owner_record.rows)
    ]
    assert scores[0] == scores[1]
    other = sf.Dataset.of("timeline", rows, sensitive=("a",), times=[3, 5, 6])
    with pytest.raises(SchemaError, match="time points that the original does not have"):
        DeletedShare().measure(Comparison(other, result.release))


def cost(rows, cuts):
    parts = np.split(rows, cuts)
    return sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)


def test_boundaries_are_the_best_of_all():
    rng = np.random.default_rng(5)
    rows = rng.random((9, 3))
    found = find_boundaries(rows, 3)
    best = min(cost(rows, [i, j]) for i in range(1, 9) for j in range(i + 1, 9))
    assert cost(rows, found) == pytest.approx(best)


def test_boundaries_of_equal_blocks_are_the_earliest():
    assert find_boundaries(np.zeros((6, 2)), 3).tolist() == [1, 2]


def test_segments_that_stay_are_found():
    rows = [{"a": 1, "b": 8}] * 30 + [{"a": 1, "c": 8}] * 30 + [{"a": 2, "b": 8}] * 30
    data = sf.Dataset.of("timeline", rows, sensitive=("a",))
    comparison = Comparison(data, sf.anonymize(data, sf.methods.Odesa(delta="1/12")).release)
    score = SegmentBoundaries(segments=3, blocks=30).measure(comparison)
    assert score.value == 1.0 and score.details["boundaries_before"] == [10, 20] == score.details["boundaries_after"]
    assert not SegmentBoundaries(segments=91).applies(comparison)
