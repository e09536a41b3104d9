"""What methods for timelines take, refuse, claim and publish."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.timeline.naive.timelines import FRACTIONS
from tests.notes import list_sentences

import sfumato as sf
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.kinds.timeline._kernels.sanitisation import LARGEST
from sfumato.kinds.timeline.encode import NOTHING_LEFT
from sfumato.kinds.timeline.methods._base.deletion import least_peer
from sfumato.plugins import find_method

METHODS = ["odesa", "essa", "essa-joint"]
ROWS = [{"a": 2, "b": 3}, {"a": 5}, {"a": 1, "b": 4}]


def data(rows=None, sensitive=("a",), **options):
    return sf.Dataset.of("timeline", ROWS if rows is None else rows, sensitive=sensitive, **options)


@pytest.mark.parametrize("name", METHODS)
def test_a_time_point_of_which_nothing_is_left_is_withheld(name, tmp_path):
    original = data()
    with pytest.raises(InfeasibleError, match="1 of 3 records are suppressed"):
        sf.anonymize(original, find_method(name)(delta="1/10"))
    result = sf.anonymize(original, find_method(name)(delta="1/10"), max_suppressed_records=1)
    assert result.release.suppressed_records == {NOTHING_LEFT: 1}
    assert result.owner_record.rows.tolist() == [0, 2]
    assert result.release.history().lists() == [["b"], ["b"]]
    sf.write(result, tmp_path / "out")
    assert sf.verify(tmp_path / "out", original=original).holds


@pytest.mark.parametrize("name", METHODS)
def test_where_time_points_may_be_empty_it_stays(name, tmp_path):
    original = data([*ROWS, {"a": 0}])
    result = sf.anonymize(original, find_method(name)(delta="1/10"))
    assert result.release.suppressed_records == {} and result.release.history().lists() == [["b"], [], ["b"], []]
    sf.write(result, tmp_path / "out")
    assert sf.verify(tmp_path / "out", original=original).holds


@pytest.mark.parametrize("name", METHODS)
def test_nothing_left_at_all_is_refused(name):
    with pytest.raises(InfeasibleError, match=r"delta=0.5 deletes all 3 occurrences.* larger delta"):
        sf.anonymize(data([{"a": 2}, {"a": 1}]), find_method(name)(delta="0.5"))


@pytest.mark.parametrize("name", METHODS)
def test_nothing_is_deleted_where_nothing_must(name):
    rare = data([{"a": 1, "b": 30}] * 3)
    result = sf.anonymize(rare, find_method(name)(delta="0.1"))
    assert result.release.table.column("counts").to_pylist() == rare.table.column("counts").to_pylist()
    assert result.owner_record.counters["occurrences_deleted"] == 0


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    "delta", ["0", "1.01", "-0.1", "1/0", "many", "", "1e-5", "0.1%", 0, 2, 1.5, True, None, "1/2/3"]
)
def test_thresholds_that_make_no_sense_are_refused(name, delta):
    with pytest.raises(ParameterError, match="delta must be"):
        find_method(name)(delta=delta)


def test_a_threshold_is_kept_as_it_was_written():
    assert sf.methods.Odesa(delta="1/5").delta == "1/5"
    assert sf.methods.Odesa(delta=0.2).parameters() == {"delta": "0.2", "cover": 1}
    with pytest.raises(ParameterError, match="cover must be at least 1"):
        sf.methods.Odesa(delta="0.2", cover=0)


@pytest.mark.parametrize("name", METHODS)
def test_sensitive_events_must_be_there(name):
    method = find_method(name)(delta="0.2")
    with pytest.raises(SchemaError, match="needs sensitive events"):
        sf.anonymize(data(sensitive=()), method)
    with pytest.raises(SchemaError, match="1 of the 2 sensitive events do not occur") as error:
        sf.anonymize(data(sensitive=("a", "zebra")), method)
    assert "zebra" not in str(error.value)
    with pytest.raises(SchemaError, match="no time point"):
        sf.anonymize(data([]), method)
    with pytest.raises(SchemaError, match="no event occurs"):
        sf.anonymize(data([{"a": 0}]), method)
    with pytest.raises(SchemaError, match="works on timeline, got trajectories"):
        sf.anonymize(sf.Dataset.of("trajectories", [["a"]]), method)


def test_odesa_is_for_one_event():
    with pytest.raises(ParameterError, match=r"one sensitive event, got 2\. Use the method essa"):
        sf.anonymize(data(sensitive=("a", "b")), sf.methods.Odesa(delta="0.2"))


def test_too_many_occurrences_are_refused():
    with pytest.raises(ParameterError, match="must be at most"):
        sf.anonymize(data([{"a": 1, "b": LARGEST}]), sf.methods.Odesa(delta="0.2"))
    close = data([{"a": 9, "b": LARGEST - 20}])
    assert len(sf.anonymize(close, sf.methods.Odesa(delta="1/30000000")).release) == 1


def test_sensitive_events_are_named_in_the_claim_and_with_covers_among_others():
    twins = [{"s": 3, "t": 2, "b": 9}, {"s": 1, "b": 9}]
    plain = sf.anonymize(data(twins, ("s",)), sf.methods.Odesa(delta="1/4")).release
    assert plain.guarantee.events == ("s",)
    hidden = sf.anonymize(data(twins, ("s",)), sf.methods.Odesa(delta="1/4", cover=2)).release
    assert hidden.guarantee.events == ("s", "t")
    assert hidden.table.column("counts").to_pylist() == [[9, 2, 2], [9]]
    assert (
        "in every prefix as at least 1 other named event. The names do not show which are sensitive."
        in hidden.guarantee.statement()
    )


def test_an_event_that_finds_no_cover_goes_and_is_not_named():
    crowd = [{"s": 3, "t": 2, "b": 9, "lone": 1}, {"s": 1, "b": 9, "lone": 5}]
    run = sf.Run()
    release = sf.anonymize(data(crowd, ("s", "lone")), sf.methods.Essa(delta="1/4", cover=2), run=run).release
    assert release.guarantee.events == ("s", "t")
    assert "lone" not in release.history().labels and release.suppressed() == ()
    sentence = "Deleted 8 of 30 occurrences (26.7 %); 1 of 2 sensitive events has none left."
    assert list_sentences(run.notes) == [sentence]


def test_a_cover_that_leaves_nothing_to_promise_is_refused_with_the_share():
    with pytest.raises(InfeasibleError, match=r"all 5 occurrences of the 1 sensitive event \("):
        sf.anonymize(data([{"a": 2, "b": 9}, {"a": 3, "b": 9}], ("a",)), sf.methods.Essa(delta="1/2", cover=3))


def test_how_much_was_deleted_is_always_said():
    run = sf.Run()
    sf.anonymize(data([{"s": 3, "b": 9}], ("s",)), sf.methods.Odesa(delta="1/2"), run=run)
    assert list_sentences(run.notes) == ["Deleted 0 of 12 occurrences (0 %)."]


def test_dates_are_published_as_dates(tmp_path):
    original = data(times=[19_000, 19_001, 19_005], time_unit=TimeUnit("day"))
    sf.write(sf.anonymize(original, sf.methods.Odesa(delta="1/3")), tmp_path / "out")
    text = (tmp_path / "out" / "release" / "data.csv").read_text()
    assert text.splitlines()[0] == "time,events,counts" and "2022-01-08T00:00:00Z" in text
    assert sf.verify(tmp_path / "out", original=original).holds


def test_the_release_says_nothing_about_the_order_in_which_events_were_first_seen():
    result = sf.anonymize(data([{"z": 4, "a": 1, "m": 3}]), sf.methods.Odesa(delta="1/2"))
    assert result.release.history().labels == ("a", "m", "z")


@given(FRACTIONS, st.integers(1, 40))
def test_the_peer_of_a_threshold_divides_small_fractions_as_it_does(delta, largest):
    peer = least_peer(delta, largest)
    assert peer.denominator <= max(largest, 1)
    assert peer == min(Fraction(math.ceil(delta * y), y) for y in range(1, largest + 1))
