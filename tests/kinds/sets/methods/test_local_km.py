"""local-km for sets: examples to follow by hand, and what every release of it keeps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import check_truth, hierarchies, published_sets, rows_of_items, sizes
from tests.kinds.sets.naive.local_km import is_anonymous

import sfumato as sf
from sfumato.exceptions import ParameterError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets.metrics.item_loss import ItemLoss
from sfumato.kinds.sets.verify.km_items import verify, verify_against
from sfumato.metrics.comparison import Comparison
from sfumato.release.run import Run

TREE = Hierarchy.from_parents({"a1": "A", "a2": "A", "b1": "B", "b2": "B", "A": "*", "B": "*"})
SECRET = bytes([1] * 32)


def publish(method, rows, hierarchy=TREE):
    """Published rows in the order of the original ones."""
    result = method.anonymize(sf.Dataset.of("sets", rows, hierarchy=hierarchy), Run(SECRET))
    found, _ = published_sets(result)
    return [found.get(row) for row in range(len(rows))]


def loss_of(method, data):
    result = method.anonymize(data, Run(SECRET))
    return ItemLoss().measure(Comparison(data, result.release, result.owner_record.rows)).value


def test_only_as_many_records_pay_for_a_rare_item_as_it_takes():
    found = publish(sf.methods.LocalKmItems(k=2, m=1), [["a1"]] * 4 + [["a2"]])
    assert sorted(map(sorted, found)) == [["a1"]] * 3 + [["{a1|a2}"]] * 2
    assert found[4] == {"{a1|a2}"}


def test_a_record_may_hold_a_label_within_another():
    # a2 is in one record only: another one has A with it.
    found = publish(sf.methods.LocalKmItems(k=2, m=1), [["a1", "a2"], ["a1"], ["a1"], ["a1"]])
    assert found[0] == {"a1", "{a1|a2}"}
    assert sorted(map(sorted, found[1:])) == [["a1"], ["a1"], ["{a1|a2}"]]


def test_frequent_items_stay_as_they_are():
    rows = [["a1", "b1"]] * 3 + [["a2"]] * 3
    assert publish(sf.methods.LocalKmItems(k=3, m=2), rows) == [set(row) for row in rows]


def test_what_is_preferred_must_be_known():
    with pytest.raises(ParameterError, match="prefer must be"):
        sf.methods.LocalKmItems(k=2, m=2, prefer="speed")


def test_it_is_found_by_its_name_and_kind():
    assert sf.methods.find("local-km", "sets") is sf.methods.LocalKmItems


def test_it_has_no_recoding_to_apply():
    result = sf.methods.LocalKmItems(k=2, m=1).anonymize(sf.Dataset.of("sets", [["a1"], ["a1"]], hierarchy=TREE), Run())
    assert result.owner_record.recoding is None


@settings(max_examples=60)
@given(
    rows_of_items,
    hierarchies(),
    sizes,
    st.integers(1, 3),
    st.sampled_from(["loss", "exact"]),
    st.permutations(range(28)),
)
def test_releases_keep_their_promise_and_lose_no_more_than_apriori(rows, hierarchy, k, m, prefer, order):
    rows = [[str(item) for item in sorted(row)] for row in rows * 2]
    if len(rows) < k:
        return
    data = sf.Dataset.of("sets", rows, hierarchy=hierarchy)
    method = sf.methods.LocalKmItems(k=k, m=m, prefer=prefer)
    result = method.anonymize(data, Run(SECRET))
    assert is_anonymous([set(record) for record in result.release.history().lists()], k, m)
    check_truth(data, result)
    assert loss_of(method, data) <= loss_of(sf.methods.Apriori(k=k, m=m), data)
    counters = result.owner_record.counters
    assert counters["loss"] <= counters.get("loss_before_swap", counters["loss"]) <= counters["loss_of_cut"]
    assert verify(result.release).holds and verify_against(result.release, data, result.owner_record.rows).holds
    again = method.anonymize(data, Run(SECRET))
    assert again.release.table.to_pylist() == result.release.table.to_pylist()
    shuffled = sf.Dataset.of("sets", [rows[i] for i in order if i < len(rows)], hierarchy=hierarchy)
    other = method.anonymize(shuffled, Run(SECRET)).release
    assert sorted(other.history().lists()) == sorted(result.release.history().lists())


@pytest.mark.slow
@pytest.mark.large
def test_records_of_a_thousand_items_take_memory_that_grows_with_the_data(monkeypatch):
    from sfumato.kinds.sets._kernels.local_labels import make_counts

    counts = make_counts(2000, 1, 2)
    assert counts.pairs.size == 2000 and counts.sets.slots.size < 5000
    rows = [[f"i{n:04}" for n in range(row, 1000 + row)] for row in range(12)]
    data = sf.Dataset.of("sets", rows)
    monkeypatch.setattr("sfumato.kinds.sets.methods.local_km._MOST_SETS", 1000)
    result = sf.methods.LocalKmItems(k=3, m=2).anonymize(data, Run(SECRET))
    assert result.owner_record.counters["began_at_root"] == 1 and "moves" not in result.owner_record.counters
    check_truth(data, result)
    assert verify(result.release).holds


def test_labels_are_not_exchanged_where_their_sets_are_too_many(monkeypatch):
    rows = [["a1", "b1"]] * 3 + [["a2", "b2"]] * 3 + [["a1", "b2"]]
    data = sf.Dataset.of("sets", rows, hierarchy=TREE)
    method = sf.methods.LocalKmItems(k=2, m=2)
    assert "swap_left_out" not in method.anonymize(data, Run(SECRET)).owner_record.counters
    monkeypatch.setattr("sfumato.kinds.sets.methods.local_km._MOST_SWAPPED", 1)
    result = method.anonymize(data, Run(SECRET))
    assert result.owner_record.counters["swap_left_out"] == 1 and result.owner_record.counters["gained_by_swap"] == 0
    assert verify(result.release).holds
