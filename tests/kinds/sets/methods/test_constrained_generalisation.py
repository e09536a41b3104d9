"""COAT and PCTA: examples small enough to follow by hand, and releases that keep both kinds of constraints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import ITEMS, check_truth, published_sets, rows_of_items, sizes
from tests.kinds.sets.naive.generalisation import is_km, is_protected

import sfumato as sf
from sfumato.exceptions import InfeasibleError
from sfumato.release.run import Run

ROWS = [["a", "x"], ["a", "x"], ["b", "x"], ["c"], ["c"], ["c"]]


def release_of(method, rows, **constraints):
    return method.anonymize(sf.Dataset.of("sets", rows, **constraints), Run(bytes([3] * 32))).release


@pytest.mark.parametrize("method", [sf.methods.Coat, sf.methods.Pcta])
def test_a_rare_item_joins_the_one_with_which_it_loses_least(method):
    # b with a: 3 * 3 rows. With x: 3 * 3, but a comes first. With c: 3 * 4.
    release = release_of(method(k=2, m=1), ROWS)
    assert release.members() == {"{a|b}": ("a", "b")}
    assert sorted(release.history().lists()) == [["c"]] * 3 + [["x", "{a|b}"]] * 3
    assert release.columns[1].form.meaning == "at least one of"


@pytest.mark.parametrize("method", [sf.methods.Coat, sf.methods.Pcta])
def test_a_utility_constraint_decides_with_whom(method):
    assert release_of(method(k=2, m=1), ROWS, utility=(("b", "c"), ("a", "x"))).members() == {"{b|c}": ("b", "c")}


@pytest.mark.parametrize("method", [sf.methods.Coat, sf.methods.Pcta])
def test_an_item_that_may_join_nobody_is_suppressed(method):
    release = release_of(method(k=2, m=1), ROWS, utility=(("a", "c"), ("b",), ("x",)))
    assert release.suppressed() == ("b",) and release.members() == {} and len(release) == 6
    with pytest.raises(InfeasibleError, match=r"1 of 9 entries \(11.1%, 1 items\).*suppression_limit=0.1 allows"):
        release_of(method(k=2, m=1, suppression_limit=0.1), ROWS, utility=(("a", "c"), ("x",)))


def test_a_record_without_any_item_left_is_withheld():
    release = release_of(
        sf.methods.Coat(k=2, m=1, suppression_limit=0.25), [["a"], ["a"], ["a"], ["b"]], utility=(("a",),)
    )
    assert dict(release.suppressed_records) == {"nothing left to publish": 1} and len(release) == 3


def test_coat_takes_the_rarest_item_of_a_pair_and_pcta_the_cheapest_union():
    # {a, b} is in one row. With a: b or c cost 3 * 6, and b comes first. With b: c costs 3 * 5, and then two rows
    # hold a and one of b and c.
    rows = [["a", "b"], ["a", "c"], ["a"], ["b", "c"], ["b", "c"], ["b", "c"], ["d"], ["d"], ["d"], ["d"]]
    privacy = (("a", "b"),)
    assert release_of(sf.methods.Coat(k=2), rows, privacy=privacy).members() == {"{a|b}": ("a", "b")}
    assert release_of(sf.methods.Pcta(k=2), rows, privacy=privacy).members() == {"{b|c}": ("b", "c")}


@pytest.mark.parametrize("method", [sf.methods.Coat, sf.methods.Pcta])
def test_only_the_given_itemsets_are_protected(method):
    rows = [["a", "b"], ["a"], ["c", "b"], ["b"], ["d"]]
    release = release_of(method(k=2), rows, privacy=(("b", "a"), ("b", "nowhere")))
    # d is in one row only, and so is c, but nobody asked to protect them.
    assert ["d"] in release.history().lists()
    assert release.guarantee.to_dict()["parameters"] == {"k": 2, "itemsets": (("a", "b"), ("b", "nowhere"))}


@pytest.mark.parametrize("method", [sf.methods.Coat, sf.methods.Pcta])
def test_an_itemset_in_no_row_is_protected_when_unions_make_it_appear(method):
    # a and b are never together. For {c, d}, c joins a: then one row, c and b, holds what {a, b} is published as.
    rows = [["a"], ["a", "d"], ["c", "d"], ["c", "b"], ["d"], ["d"], ["b"], ["b"], ["b"]]
    privacy = (("a", "b"), ("c", "d"))
    release = release_of(method(k=2), rows, privacy=privacy)
    published = {member: value for value, members in release.meanings().items() for member in members}
    assert all(is_protected(release.history().lists(), published, itemset, 2) for itemset in privacy)


@settings(max_examples=25)
@given(
    rows_of_items,
    st.lists(st.integers(0, 2), min_size=ITEMS, max_size=ITEMS),
    sizes,
    st.lists(st.sets(st.integers(0, ITEMS), min_size=1, max_size=3), max_size=4),
    st.sampled_from(["Coat", "Pcta"]),
)
def test_releases_of_constraint_methods_keep_both_kinds_of_constraints(rows, constraint, k, itemsets, name):
    utility = tuple(tuple(str(i) for i in range(ITEMS) if constraint[i] == group) for group in sorted(set(constraint)))
    privacy = tuple(tuple(map(str, itemset)) for itemset in itemsets)
    rows = rows * 2
    data = sf.Dataset.of("sets", [[str(item) for item in row] for row in rows], privacy=privacy, utility=utility)
    method = getattr(sf.methods, name)(k=k, suppression_limit=1.0)
    if len(data) < k:
        return
    try:
        result = method.anonymize(data, Run(bytes([1] * 32)))
    except InfeasibleError as error:
        assert "nothing is left to publish" in str(error)
        return
    check_truth(data, result)
    values, meanings = published_sets(result)
    assert all(any(set(members) <= set(group) for group in utility) for members in meanings.values())
    published = dict.fromkeys(result.release.suppressed())
    published |= {member: value for value, members in meanings.items() for member in members}
    if privacy:
        assert all(is_protected(list(values.values()), published, itemset, k) for itemset in privacy)
        assert result.release.guarantee.itemsets == tuple(sorted({tuple(sorted(itemset)) for itemset in privacy}))
    else:
        assert is_km(list(values.values()), k, 2)
