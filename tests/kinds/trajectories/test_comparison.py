import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.naive.metrics import (
    comparisons,
    largest_distance,
    location_distance,
    make_release,
    recode,
)

from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError, SchemaError, SfumatoError
from sfumato.kinds.trajectories.comparison import PlaceComparison
from sfumato.kinds.trajectories.dataset.locations import Locations
from sfumato.kinds.trajectories.metrics.distance import Distance
from sfumato.metrics.comparison import Comparison

DATA = Dataset.of("trajectories", [["a", "b"], ["b", "c"], ["c"]], {"a": (0.0, 0.0), "b": (3.0, 4.0), "c": (3.0, 0.0)})
COARSE = {"a": ("a", "b"), "b": ("a", "b"), "c": ("c",)}
FINE = {"a": ("a",), "b": ("b", "c"), "c": ("b", "c")}


def test_entries_are_matched_in_published_order():
    comparison = recode(DATA, [2, 0], lambda row: COARSE)
    assert comparison.published.lists() == [["c"], ["{a|b}", "{a|b}"]]
    assert comparison.originals.lists() == [["c"], ["a", "b"]]
    labels = [comparison.published.labels[value] for value in comparison.published_values]
    assert labels == ["c", "{a|b}", "{a|b}"]
    assert comparison.sizes.tolist() == [1, 2]
    assert comparison.is_global


def test_suppressed_places_have_no_value():
    comparison = recode(DATA, [0, 1], lambda row: COARSE, suppressed=("c",))
    assert comparison.published_values.tolist() == [0, 0, 0, -1]


def test_a_global_recoding_needs_no_row_map():
    comparison = recode(DATA, [2, 1], lambda row: COARSE, with_rows=False)
    assert comparison.row_map.tolist() == [2, 1]
    assert comparison.published_values.tolist() == [0, 1, 0]


def test_a_record_is_matched_once():
    same = Dataset.of("trajectories", [["a"], ["b"], ["a"]])
    comparison = recode(same, [0, 1, 2], lambda row: COARSE, with_rows=False)
    assert sorted(comparison.row_map.tolist()) == [0, 1, 2]


def test_a_local_recoding_needs_the_row_map():
    comparison = recode(DATA, [0, 1, 2], lambda row: FINE if row else COARSE, with_rows=False)
    assert not comparison.is_global
    with pytest.raises(SfumatoError, match="row map"):
        _ = comparison.row_map
    assert not Distance().applies(comparison)
    with pytest.raises(SfumatoError, match=r"distance: .*row map"):
        Distance().measure(comparison)


@pytest.mark.parametrize("rows", [[0, 0], [0, 3], [-1, 0], [0]])
def test_a_row_map_that_cannot_be_one_is_refused(rows):
    release = make_release([["a", "b"], ["c"]])
    with pytest.raises(ParameterError, match="rows must name"):
        Comparison(DATA, release, np.array(rows))


def test_another_original_is_noticed():
    with pytest.raises(SchemaError, match="published row 2 has another number"):
        _ = Comparison(DATA, make_release([["a", "b"], ["c"]]), np.array([0, 1])).published_values
    with pytest.raises(SchemaError, match="published row 2 does not cover"):
        _ = Comparison(DATA, make_release([["a", "b"], ["b"]]), np.array([0, 2])).member_entries
    with pytest.raises(SchemaError, match="published row 1 is not what"):
        _ = Comparison(DATA, make_release([["a", "c"]])).row_map
    with pytest.raises(SchemaError, match="do not have"):
        _ = Comparison(DATA, make_release([["elsewhere"]])).members


def test_members_of_an_earlier_batch_take_part():
    places = pa.table({"place": ["z"], "x": [0.0], "y": [12.0]})
    known = Comparison(DATA, make_release([["{a|z}", "b"]], {"{a|z}": ("a", "z")}, places=places), np.array([0]))
    assert known.places == ("a", "b", "c", "z")
    assert known.view(PlaceComparison).member_distances[known.member_entries].tolist() == [6.0, 0.0]
    nowhere = Comparison(DATA, make_release([["{a|z}", "b"]], {"{a|z}": ("a", "z")}), np.array([0]))
    assert nowhere.view(PlaceComparison).member_distances[nowhere.member_entries].tolist() == [0.0, 0.0]
    assert nowhere.sizes.tolist() == [2, 1]


@given(comparisons())
def test_member_distances_are_location_distances(comparison):
    group_of = dict(zip(comparison.published.labels, range(len(comparison.sizes)), strict=True))
    groups = comparison.release.members()
    for label, value in group_of.items():
        low, high = comparison.members.offsets[value : value + 2]
        for place, found in zip(
            comparison.members.codes[low:high], comparison.view(PlaceComparison).member_distances[low:high], strict=True
        ):
            name = comparison.places[place]
            assert found == pytest.approx(location_distance(name, groups.get(label, (name,))))


@given(comparisons())
def test_every_entry_is_covered_by_its_value(comparison):
    kept = comparison.published_values >= 0
    assert np.array_equal(comparison.members.codes[comparison.member_entries], comparison.originals.codes[kept])
    assert np.array_equal(comparison.published_values[kept], comparison.published.codes)


@given(comparisons(clusters=1))
def test_a_derived_row_map_fits(comparison):
    derived = Comparison(comparison.original, comparison.release)
    assert len(set(derived.row_map.tolist())) == len(comparison.release)
    assert np.array_equal(derived.published_values[derived.published_values >= 0], comparison.published.codes)
    assert len(derived.member_entries) == len(comparison.published.codes)


def on_plane(points):
    flat = np.array(points, dtype=float).reshape(-1, 2)
    return Locations(np.column_stack([flat, np.zeros(len(flat))]), on_globe=False)


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), max_size=12))
def test_the_largest_distance_is_exact_on_a_grid(points):
    assert on_plane(points).largest_distance() == largest_distance(points)


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=12))
def test_the_largest_distance_is_exact_anywhere(points):
    assert on_plane(points).largest_distance() == pytest.approx(largest_distance(points), rel=1e-9, abs=1e-9)


def test_without_coordinates_all_distances_are_zero():
    plain = Dataset.of("trajectories", [["a", "b"]])
    comparison = recode(plain, [0], lambda row: COARSE)
    assert not comparison.view(PlaceComparison).has_coordinates
    assert comparison.view(PlaceComparison).largest_distance == 0
    with pytest.raises(SfumatoError, match="coordinates"):
        Distance().measure(comparison)
