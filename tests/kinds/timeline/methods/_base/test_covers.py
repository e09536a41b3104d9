"""With covers: optimal for one event, and for several where all choices are tried."""

import math

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.timeline.naive.sanitisation import brute_force, is_covered, keeps
from tests.kinds.timeline.naive.timelines import FRACTIONS, delete, left, occurring

import sfumato as sf


@st.composite
def alike(draw, sensitive=1):
    """Draw timelines in which covers are likely: few different count vectors."""
    points = draw(st.integers(1, 3))
    vector = st.lists(st.integers(0, 2), min_size=points, max_size=points)
    vectors = draw(st.lists(vector, min_size=1, max_size=2))
    others = draw(st.lists(st.sampled_from(vectors), min_size=1, max_size=4))
    own = draw(st.lists(vector, min_size=1, max_size=sensitive))
    raised = [[a + b for a, b in zip(row, draw(st.sampled_from(vectors)), strict=True)] for row in own]
    columns = {f"s{i}": row for i, row in enumerate(raised)} | {f"o{i}": row for i, row in enumerate(others)}
    rows = [{event: column[t] for event, column in columns.items()} for t in range(points)]
    return rows, [f"s{i}" for i in range(len(own))], list(columns), draw(FRACTIONS), draw(st.integers(2, 3))


@settings(max_examples=50)
@given(alike())
def test_one_event_is_cut_down_at_least_error(instance):
    rows, sensitive, alphabet, delta, cover = instance
    assume(math.prod(row[event] + 1 for row in rows for event in sensitive) <= 400)
    deletions, _ = delete(sf.methods.Odesa, rows, sensitive, alphabet, delta, cover=cover)
    assert deletions.error() == brute_force(occurring(rows), sensitive, delta, alphabet, cover)[0]


@settings(max_examples=40)
@given(alike(sensitive=2))
def test_several_events_are_cut_down_together_at_least_error(instance):
    rows, sensitive, alphabet, delta, cover = instance
    assume(math.prod(row[event] + 1 for row in rows for event in sensitive) <= 300)
    essa, _ = delete(sf.methods.Essa, rows, sensitive, alphabet, delta, cover=cover)
    joint, counters = delete(sf.methods.EssaJoint, rows, sensitive, alphabet, delta, cover=cover)
    for deletions in (essa, joint):
        after = left(rows, deletions)
        assert keeps(after, sensitive, delta)
        assert all(is_covered(after, event, sensitive, cover) for event in sensitive)
    assert counters["proved_optimal"] == 1
    assert joint.error() <= essa.error()
    assert joint.error() == brute_force(occurring(rows), sensitive, delta, alphabet, cover)[0]
