import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.trajectories.naive import metrics as naive
from tests.kinds.trajectories.naive.metrics import POINTS, comparisons, make_release, recode

from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError, SchemaError, SfumatoError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.trajectories.comparison import PlaceComparison
from sfumato.kinds.trajectories.metrics.average_relative_error import AverageRelativeError
from sfumato.kinds.trajectories.metrics.distance import Distance
from sfumato.kinds.trajectories.metrics.pattern_preservation import (
    PatternPreservation,
    _certain_length,
    _project,
    _Published,
)
from sfumato.kinds.trajectories.metrics.place_counts import PlaceCounts
from sfumato.kinds.trajectories.metrics.place_distance import PlaceDistance
from sfumato.kinds.trajectories.metrics.semantic_penalty import SemanticPenalty
from sfumato.kinds.trajectories.metrics.support_divergence import SupportDivergence
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Score
from sfumato.metrics.workload import Workload

FEW = PatternPreservation(projections=3)
EVERY = [
    AverageRelativeError(),
    Distance(),
    FEW,
    PlaceCounts(),
    PlaceDistance(),
    SemanticPenalty(),
    SupportDivergence(),
]
TREE = Hierarchy.from_parents(
    {"a": "Restaurants", "c": "Restaurants", "e": "Restaurants", "b": "Coffee", "d": "Coffee"}
    | {"Restaurants": "*", "Coffee": "*"}
)
PAPER = [list("dace"), list("baec"), list("ade"), list("bdec"), list("dc"), list("de")]
ALONE = {place: (place,) for place in POINTS}


def with_tree(comparison: Comparison) -> Comparison:
    """Give the original a hierarchy of its places."""
    tree = Hierarchy.from_parents({p: "left" if p < "d" else "right" for p in POINTS} | {"left": "*", "right": "*"})
    rows = comparison.original.history().lists()
    original = Dataset.of("trajectories", rows, POINTS, hierarchy=tree)
    return Comparison(original, comparison.release, comparison.rows, comparison.seed, comparison.workload)


def one_group(group: str, *others: str) -> dict[str, tuple[str, ...]]:
    """Map places to the groups they are in."""
    return {place: tuple(members) for members in (group, *others) for place in members}


# The papers' printed examples.


def test_location_and_trajectory_distance_of_part_4():
    at = {"a": (0.0, 0.0), "a1": (1.0, 0.0), "a2": (0.0, 2.0), "b": (9.0, 9.0)}
    data = Dataset.of("trajectories", [["a", "b"], ["a1", "a2"]], at)
    release = make_release([["{a|a1|a2}", "b"]], {"{a|a1|a2}": ("a", "a1", "a2")})
    comparison = Comparison(data, release, np.array([0]))
    assert comparison.view(PlaceComparison).member_distances[comparison.member_entries].tolist() == [1.0, 0.0]
    assert Distance().measure(comparison).value == 0.5


def test_example_4_of_part_5():
    at = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (-1.0, 0.0), "d": (5.0, 5.0), "e": (6.0, 6.0)}
    data = Dataset.of("trajectories", [list("dace"), ["b"]], at)
    release = make_release([["d", "{a|b|c}", "{a|b|c}", "e"]], {"{a|b|c}": ("a", "b", "c")})
    comparison = Comparison(data, release, np.array([0]))
    assert comparison.view(PlaceComparison).member_distances[comparison.member_entries].tolist() == [0, 2 / 3, 1, 0]
    score = Distance().measure(comparison)
    assert score.value == pytest.approx((0 + 2 / 3 + 1 + 0) / 4)
    assert score.details["normalised"] == pytest.approx(score.value / math.dist((-1, 0), (6, 6)))


def test_semantic_dissimilarity_of_part_4():
    data = Dataset.of("trajectories", [list("ace"), list("bd")], POINTS, hierarchy=TREE)
    release = make_release([["{ace}", "{ad}", "b"]], {"{ace}": tuple("ace"), "{ad}": tuple("ad")})
    assert SemanticPenalty().dissimilarity(Comparison(data, release)).tolist() == [3 / 5, 1.0, 0.0]


def test_penalty_averages_places_then_trajectories():
    data = Dataset.of("trajectories", [list("aceb"), list("d")], POINTS, hierarchy=TREE)
    comparison = recode(data, [1, 0], lambda row: one_group("ace", "b", "d"))
    score = SemanticPenalty().measure(comparison)
    assert score.value == pytest.approx((3 * 3 / 5 / 4 + 0) / 2)
    expected = sum(naive.location_distance(p, "ace") for p in "ace") * 3 / 5 / 4 / 2
    assert score.details["combined_distance"] == pytest.approx(expected)


def test_the_release_of_seqanon_in_the_paper():
    data = Dataset.of("trajectories", PAPER, POINTS, hierarchy=TREE)
    comparison = recode(data, [5, 4, 3, 2, 1, 0], lambda row: one_group("abc", "d", "e"))
    counts = PlaceCounts().measure(comparison)
    assert counts.value == 2
    assert counts.details["generalised"] == 1
    assert counts.details["average_size"] == counts.details["largest_size"] == 3
    assert counts.details["exact_share"] == 10 / 19
    inside = np.mean([math.dist(POINTS[p], POINTS[q]) for p, q in ("ab", "ac", "bc")])
    largest = naive.largest_distance([POINTS[p] for p in "abcde"])
    assert PlaceDistance().measure(comparison).value == pytest.approx(inside / largest)
    # {a,b,c} is in 5 of 6 records, d in 5 and e in 5; the original supports are 3, 2, 4, 5, 5.
    before, after = np.array([3, 2, 4, 5, 5]) / 19, np.array([5, 5, 5, 5, 5]) / 25
    expected = float((before * np.log(before / after)).sum())
    assert SupportDivergence().measure(comparison).value == pytest.approx(expected)


# Fast equals slow.
@given(comparisons())
def test_distance(comparison):
    score = Distance().measure(comparison)
    assert score.value == pytest.approx(naive.distance(comparison))
    pessimistic = naive.distance(comparison, comparison.view(PlaceComparison).largest_distance)
    assert score.details["suppressed_as_largest"] == pytest.approx(pessimistic)
    assert score.details["suppressed_as_largest"] >= score.value - 1e-12
    assert 0 <= score.details["normalised"] <= 1


@given(comparisons())
def test_place_distance(comparison):
    score = PlaceDistance().measure(comparison)
    assert score.details["average_distance"] == pytest.approx(naive.place_distance(comparison))
    assert 0 <= score.value <= 1


@given(comparisons(), st.integers(0, 3))
def test_average_relative_error(comparison, seed):
    workload = Workload.generate(comparison.original, 5, (1, 2, 3), seed)
    asked = Comparison(comparison.original, comparison.release, comparison.rows, seed, workload)
    expected = naive.average_relative_error(comparison, workload.queries)
    assert AverageRelativeError().measure(asked).value == pytest.approx(expected)


@given(comparisons())
def test_support_divergence(comparison):
    score = SupportDivergence(pairs=8).measure(comparison)
    assert score.value == pytest.approx(
        naive.divergence(comparison, [(label,) for label in comparison.history.labels]), abs=1e-12
    )
    sample = Workload.generate(comparison.original, 8, (2,), comparison.seed).queries
    expected = naive.divergence(comparison, sample) if sample else 0.0
    assert score.details["pairs"] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40)
@given(comparisons(), st.sampled_from([0.0, 0.3, 0.6]))
def test_pattern_preservation(comparison, share):
    score = PatternPreservation(projections=3, min_support=share).measure(comparison)
    rows, published = comparison.history.lists(), comparison.published
    before = naive.frequent_patterns(rows, max(1, math.ceil(share * len(rows))))
    kept, spurious = [], []
    for number in range(score.details["projections"]):
        codes = _project(
            _Published(comparison.published, comparison.members), np.random.default_rng([comparison.seed, number])
        )
        projection = [[comparison.places[c] for c in part] for part in np.split(codes, published.offsets[1:-1])]
        after = naive.frequent_patterns(projection, max(1, math.ceil(share * len(published))))
        kept.append(len(before & after) / len(before) if before else 1.0)
        spurious.append(len(after - before) / len(after) if after else 0.0)
    assert score.details["patterns"] == len(before)
    assert score.value == pytest.approx(np.median(kept))
    assert score.details["deviation"] == pytest.approx(np.std(kept))
    assert score.details["spurious"] == pytest.approx(np.median(spurious))
    assert score.details["spurious_deviation"] == pytest.approx(np.std(spurious))


@given(comparisons())
def test_projections_choose_members(comparison):
    codes = _project(_Published(comparison.published, comparison.members), np.random.default_rng(0))
    for code, value in zip(codes, comparison.published.codes, strict=True):
        low, high = comparison.members.offsets[value : value + 2]
        assert code in comparison.members.codes[low:high]


# Bounds and edges.


@settings(max_examples=40)
@given(comparisons())
def test_every_value_is_finite_and_serialisable(comparison):
    comparison = with_tree(comparison)
    for metric in EVERY:
        assert metric.applies(comparison)
        found = metric.measure(comparison).to_dict()
        assert found["metric"] == metric.name and found["better"] == metric.better
        assert all(math.isfinite(v) for v in found.values() if not isinstance(v, str))
        json.dumps(found)
    assert 0 <= SemanticPenalty().measure(comparison).value <= 1


@settings(max_examples=40)
@given(comparisons())
def test_an_identical_release_loses_nothing(comparison):
    comparison = with_tree(comparison)
    same = recode(comparison.original, list(range(len(comparison.original)))[::-1], lambda row: ALONE)
    scores = {metric.name: metric.measure(same) for metric in EVERY}
    for name in ("distance", "place-distance", "semantic-penalty", "average-relative-error", "support-divergence"):
        assert scores[name].value == 0
    assert scores["support-divergence"].details["pairs"] == 0
    assert scores["pattern-preservation"].value == 1
    assert scores["pattern-preservation"].details["spurious"] == 0
    assert scores["place-counts"].value == len(comparison.history.labels)


EDGES = {
    "one record": recode(Dataset.of("trajectories", [["a"]], POINTS), [0], lambda row: ALONE),
    "all suppressed but one": recode(
        Dataset.of("trajectories", [list("abcde"), list("bcd")], POINTS), [0], lambda row: ALONE, tuple("bcde")
    ),
    "all at one point": recode(
        Dataset.of("trajectories", [["a", "b"], ["b"]], {"a": (1.0, 1.0), "b": (1.0, 1.0)}),
        [0, 1],
        lambda row: one_group("ab"),
    ),
    "nobody published": Comparison(Dataset.of("trajectories", [["a", "b"]], POINTS), make_release([])),
    "nobody at all": Comparison(Dataset.of("trajectories", [], {}), make_release([])),
}


@pytest.mark.parametrize("edge", EDGES)
def test_edges_are_finite(edge):
    for metric in EVERY:
        if metric.applies(EDGES[edge]):
            found = metric.measure(EDGES[edge]).to_dict()
            assert all(math.isfinite(v) for v in found.values() if not isinstance(v, str)), metric.name


def test_suppression_costs():
    data = Dataset.of("trajectories", [list("abc"), list("abd")], POINTS)
    kept = recode(data, [0, 1], lambda row: ALONE)
    removed = recode(data, [0, 1], lambda row: ALONE, suppressed=("a",))
    assert PlaceCounts().measure(removed).details["suppressed"] == 1
    assert SupportDivergence().measure(removed).value > SupportDivergence().measure(kept).value
    assert SupportDivergence().measure(removed).details["without_counterpart"] == 1
    assert AverageRelativeError().measure(removed).value > 0
    score = Distance().measure(removed)
    assert score.value == 0 and score.details["suppressed_entries"] == 2
    assert score.details["suppressed_as_largest"] == pytest.approx(score.details["largest_distance"] / 3)


def test_withheld_records_count_as_error():
    data = Dataset.of("trajectories", [["a"], ["a"], ["a"], ["a"]], POINTS)
    assert AverageRelativeError().measure(recode(data, [0, 1, 2], lambda row: ALONE)).value == 0.25


def test_the_sanity_bound_tames_rare_queries():
    data = Dataset.of("trajectories", [["a"]] * 9 + [["b"]], POINTS)
    comparison = recode(data, list(range(10)), lambda row: one_group("ab"))
    asked = Comparison(data, comparison.release, None, 0, Workload((("b",),)))
    assert AverageRelativeError().measure(asked).value == 4
    assert AverageRelativeError(sanity=0.4).measure(asked).value == 1


def test_queries_about_unknown_places_are_refused():
    data = Dataset.of("trajectories", [["a"]], POINTS)
    asked = Comparison(data, make_release([["a"]]), None, 0, Workload((("a",), ("a", "secret"))))
    with pytest.raises(SchemaError, match="query 2") as caught:
        AverageRelativeError().measure(asked)
    assert "secret" not in str(caught.value)


def test_measures_say_what_they_need():
    plain = Comparison(Dataset.of("trajectories", [["a"]]), make_release([["a"]]))
    for metric in (Distance(), PlaceDistance()):
        assert "coordinates" in metric.obstacle(plain)
        with pytest.raises(SfumatoError, match="coordinates"):
            metric.measure(plain)
    assert "hierarchy" in SemanticPenalty().obstacle(plain)
    assert (
        "combined_distance"
        not in SemanticPenalty()
        .measure(Comparison(Dataset.of("trajectories", [["a"]], hierarchy=TREE), make_release([["a"]])))
        .details
    )


def test_penalty_of_a_local_recoding_needs_no_row_map():
    data = Dataset.of("trajectories", [list("ab"), list("ac")], POINTS, hierarchy=TREE)
    local = recode(data, [0, 1], lambda row: one_group("ac", "b") if row else one_group("ab"), with_rows=False)
    score = SemanticPenalty().measure(local)
    assert score.value == pytest.approx((1 + 3 / 5) / 2)
    assert "combined_distance" not in score.details


def test_bad_parameters():
    with pytest.raises(ParameterError, match="projections must be at least 1"):
        PatternPreservation(projections=0)
    with pytest.raises(ParameterError, match="min_support must be at most 1"):
        PatternPreservation(min_support=2.0)
    with pytest.raises(ParameterError, match="queries must be at least 1"):
        AverageRelativeError(queries=0)


def test_long_equal_records_do_not_explode():
    places = {f"p{i}": (float(i), 0.0) for i in range(60)}
    data = Dataset.of("trajectories", [list(places)] * 5, places)
    comparison = recode(data, list(range(5)), lambda row: {p: (p,) for p in places})
    score = PatternPreservation().measure(comparison)
    assert score.value == 1 and score.details["length_limit"] == 3
    assert score.details["patterns"] == 60 + math.comb(60, 2) + math.comb(60, 3)


def test_the_certain_length_bounds_the_number_of_patterns(monkeypatch):
    monkeypatch.setattr("sfumato.kinds.trajectories.metrics.pattern_preservation._MOST_PATTERNS", 30)
    generator = np.random.default_rng(5)
    for floor in (1, 2, 3):
        rows = [[str(i) for i in generator.integers(12, size=generator.integers(1, 7))] for _ in range(8)]
        data = Dataset.of("trajectories", rows)
        longest = _certain_length(data.history(), floor, 6)
        for length in range(2, longest + 1):
            found = naive.frequent_patterns(rows, floor)
            assert sum(len(pattern) == length for pattern in found) < 30


def test_the_same_seed_gives_the_same_scores():
    data = Dataset.of("trajectories", PAPER, POINTS)
    one, two = (recode(data, list(range(6)), lambda row: one_group("abc", "d", "e"), seed=4) for _ in range(2))
    for metric in (AverageRelativeError(), FEW, SupportDivergence()):
        assert metric.measure(one).to_dict() == metric.measure(two).to_dict()


def test_scores_show_themselves():
    score = Score("distance", 0.123456, {"normalised": 0.5}, unit="m", title="D < 1")
    assert repr(score) == "distance: 0.1235 m (lower is better)\n  normalised  0.5"
    assert repr(Score("x", 1.0)) == "x: 1 (lower is better)"
    assert "D &lt; 1" in score._repr_html_() and "0.1235 m" in score._repr_html_()
