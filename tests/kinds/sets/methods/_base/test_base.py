"""Methods that generalise items: what they refuse and withhold, which constraints there are, what is applied again."""

import numpy as np
import pytest
from tests.notes import find_note

import sfumato as sf
from sfumato.data.lists import ListColumn
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets.guarantees import ItemsetAnonymity
from sfumato.kinds.sets.methods._base.constraints import cluster_items
from sfumato.release.run import Run

TREE = Hierarchy.from_parents({"a1": "A", "a2": "A", "b1": "B", "b2": "B", "A": "*", "B": "*"})
ROWS = [["a1", "b1"], ["a2", "b1"], ["a2", "b2"], ["a1", "b2"]]
BY_HIERARCHY = [sf.methods.Apriori(k=2, m=2), sf.methods.Lra(k=2, m=2), sf.methods.Vpa(k=2, m=2)]
METHODS = [*BY_HIERARCHY, sf.methods.Coat(k=2), sf.methods.Pcta(k=2)]


def name_of(method):
    return method.name


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_sensitive_items_are_refused(method):
    data = sf.Dataset.of("sets", ROWS, sensitive=("a1",), hierarchy=TREE)
    with pytest.raises(ParameterError, match=f"{type(method).__name__}: has no protection.*disassociation"):
        method.anonymize(data, Run())


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_fewer_than_k_records_with_an_item_is_infeasible(method):
    data = sf.Dataset.of("sets", [["a1"], [], []], hierarchy=TREE)
    with pytest.raises(InfeasibleError, match="only 1 of 3 records have an item, fewer than k=2"):
        method.anonymize(data, Run())


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_empty_records_are_withheld_and_counted(method):
    release = method.anonymize(sf.Dataset.of("sets", [*ROWS, []], hierarchy=TREE), Run()).release
    assert dict(release.suppressed_records) == {"nothing left to publish": 1} and len(release) == 4


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_the_order_of_the_input_makes_no_difference_to_what_is_published(method):
    rng = np.random.default_rng(3)
    rows = [list(rng.choice(["a1", "a2", "b1", "b2"], rng.integers(1, 4), replace=False)) for _ in range(12)]
    found = []
    for order in (range(12), range(11, -1, -1)):
        release = method.anonymize(sf.Dataset.of("sets", [rows[i] for i in order], hierarchy=TREE), Run()).release
        found.append(sorted(release.history().lists()))
        codes = release.history()
        assert all(np.all(np.diff(row) > 0) for row in np.split(codes.codes, codes.offsets[1:-1]))
    assert found[0] == found[1]


def test_a_recoding_is_applied_to_a_later_batch():
    data = sf.Dataset.of("sets", [["a1", "b1"], ["a2", "b1"], ["b1"]], hierarchy=TREE)
    method = sf.methods.Apriori(k=2, m=2)
    result = method.anonymize(data, Run())
    recoding = result.owner_record.recoding
    assert recoding.column == "items" and recoding.groups == (("a1", "a2"), ("b1",), ("b2",))
    batch = sf.Dataset.of("sets", [["b2", "a2", "a1"], ["b2"], ["z"]])
    with pytest.raises(SchemaError, match=r"1 items are not in the recoding; 1 records have them, first rows 3"):
        method.apply(batch, recoding, result.release, "error", Run())
    later = method.apply(batch, recoding, result.release, "suppress", Run()).release
    assert sorted(later.history().lists()) == [["b2"], ["b2", "{a1|a2}"]]
    assert later.suppressed() == ("z",) and dict(later.suppressed_records) == {"nothing left to publish": 1}
    with pytest.raises(ParameterError, match="must be error or suppress"):
        method.apply(batch, recoding, result.release, "ignore", Run())


def test_a_local_recoding_cannot_be_applied():
    data = sf.Dataset.of("sets", ROWS * 3, hierarchy=TREE)
    assert sf.methods.Lra(k=2, m=1, parts=2).anonymize(data, Run()).owner_record.recoding is None


@pytest.mark.parametrize("method", BY_HIERARCHY, ids=name_of)
def test_without_a_hierarchy_items_are_grouped_by_how_frequent_they_are(method):
    run, told = Run(bytes([1] * 32)), Run(bytes([1] * 32))
    data = sf.Dataset.of("sets", ROWS)
    release = method.anonymize(data, run).release
    tree = method.hierarchy(data)
    assert tree.leaf_labels == ("a1", "a2", "b1", "b2")
    again = method.anonymize(sf.Dataset.of("sets", ROWS, hierarchy=tree), told).release
    assert sorted(again.history().lists()) == sorted(release.history().lists())
    assert find_note(run.notes, "hierarchy-derived") and not told.notes


@pytest.mark.parametrize("method", BY_HIERARCHY, ids=name_of)
def test_a_hierarchy_must_know_every_item(method):
    with pytest.raises(SchemaError, match=r"2 distinct values are not leaves of their hierarchy \(rows 2, 4\)"):
        method.anonymize(sf.Dataset.of("sets", [["a1"], ["a1", "z"], ["z"], ["y"]], hierarchy=TREE), Run())


@pytest.mark.parametrize("text", ["nonsense", "level", "level:-1", "similarity:0", "given:3", ""])
def test_a_way_to_find_utility_constraints_must_be_known(text):
    with pytest.raises(ParameterError, match="Coat: utility must be auto, given, none, level:N or similarity:N"):
        sf.methods.Coat(k=2, utility=text)


def test_given_constraints_must_be_there_and_make_sense():
    data = sf.Dataset.of("sets", ROWS)
    with pytest.raises(SchemaError, match="Coat: privacy='given' needs privacy constraints"):
        sf.methods.Coat(k=2, privacy="given").anonymize(data, Run())
    with pytest.raises(SchemaError, match="Pcta: utility='given' needs utility constraints"):
        sf.methods.Pcta(k=2, utility="given").anonymize(data, Run())
    with pytest.raises(SchemaError, match="needs a hierarchy of the items"):
        sf.methods.Pcta(k=2, utility="level:1").anonymize(data, Run())
    twice = sf.Dataset.of("sets", ROWS, utility=(("a1", "a2"), ("b1", "a1")))
    with pytest.raises(SchemaError, match="utility constraint 2 repeats an item of constraint 1"):
        sf.methods.Coat(k=2).anonymize(twice, Run())
    long = sf.Dataset.of("sets", ROWS, privacy=(("a1",), tuple(f"i{i}" for i in range(17))))
    with pytest.raises(SchemaError, match="privacy constraint 2 has 17 items; from 1 to 16"):
        sf.methods.Coat(k=2).anonymize(long, Run())


def test_constraints_that_were_given_are_used_unless_told_otherwise():
    data = sf.Dataset.of("sets", ROWS, privacy=(("a1", "b1"),), utility=(("a1", "a2"), ("b1", "b2")))
    assert sf.methods.Coat(k=2).anonymize(data, Run()).release.guarantee == ItemsetAnonymity(2, (("a1", "b1"),))
    release = sf.methods.Coat(k=3, m=1, privacy="all", utility="none").anonymize(data, Run()).release
    assert release.guarantee.name == "km-items" and release.members() == {
        "{a1|b1}": ("a1", "b1"),
        "{a2|b2}": ("a2", "b2"),
    }


def test_utility_constraints_from_a_level_of_the_hierarchy():
    rows = [["a1"], ["a2"], ["b1"], ["b2"]]
    data = sf.Dataset.of("sets", rows, hierarchy=TREE)
    members = sf.methods.Coat(k=2, m=1, utility="level:1").anonymize(data, Run()).release.members()
    assert sorted(members.values()) == [("a1", "a2"), ("b1", "b2")]
    with pytest.raises(InfeasibleError, match="4 of 4 entries"):
        sf.methods.Coat(k=2, m=1, utility="level:2").anonymize(data, Run())
    with pytest.raises(InfeasibleError, match="nothing is left to publish"):
        sf.methods.Coat(k=2, m=1, utility="level:9", suppression_limit=1.0).anonymize(data, Run())


def test_utility_constraints_from_items_that_come_together():
    rows = [["tea", "milk"], ["tea", "milk"], ["tea"], ["beer", "nuts"], ["beer"], ["beer"], ["salt"]]
    sets = ListColumn.from_lists(rows)
    assert dict(zip(sets.labels, cluster_items(sets, 2).tolist(), strict=True)) == {
        "tea": 0, "milk": 0, "beer": 1, "nuts": 1, "salt": 0,
    }  # fmt: skip
    assert sorted(cluster_items(sets, 9).tolist()) == [0, 1, 2, 3, 4]
    data = sf.Dataset.of("sets", rows)
    release = sf.methods.Coat(k=2, m=1, utility="similarity:2").anonymize(data, Run()).release
    # Salt is with neither and goes to the group of beer, which comes before tea; with nuts it loses 3 * 2.
    assert release.members() == {"{nuts|salt}": ("nuts", "salt")}
