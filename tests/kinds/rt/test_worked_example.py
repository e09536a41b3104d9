"""The example of the paper: what is caught, what holds, and what the methods make of it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kinds.rt.examples import (
    FIGURE_1B,
    FIGURE_2A,
    FIGURE_2B,
    FIGURE_2C,
    FIGURE_2D,
    NAMES,
    PEOPLE,
    PRODUCTS,
    SENSITIVE,
    by_hand,
    customers,
)
from tests.kinds.rt.naive.anonymity import candidates

import sfumato as sf
from sfumato import plugins
from sfumato.kinds.rt.attacks import attack
from sfumato.kinds.rt.decode import PublishedRecords
from sfumato.kinds.rt.guarantees import KKmAnonymity
from sfumato.kinds.rt.knowledge.value_sets import ValueSets
from sfumato.kinds.rt.verify.faithful import verify_faithful
from sfumato.kinds.rt.verify.kkm_anonymity import verify, verify_against

SECRET = bytes([1] * 32)


def test_parts_that_are_anonymous_separately_are_caught_together() -> None:
    release = by_hand(FIGURE_1B)
    verdict = verify(release)
    assert not verdict.holds
    assert verdict.measured["k"] == 1
    assert verdict.counterexample is not None
    assert verdict.counterexample["support"] == 1
    assert verdict.counterexample["quasi"] in (
        {"age": "[28..39]", "origin": "Europe", "gender": "Female"},
        {"age": "[55..70]", "origin": "Africa", "gender": "*"},
    )


def test_jim_is_singled_out_by_his_attributes_and_one_product() -> None:
    release = by_hand(FIGURE_1B)
    verdict = verify_against(release, customers())
    assert verdict.counterexample is not None
    assert verdict.counterexample["fitting"] == 1
    cells = [tuple(row[name] for name in NAMES) for row in release.table.to_pylist()]
    values = [set(row) for row in release.history().lists()]
    members = {"Europe": ["France", "Greece", "Germany", "Spain"], "Africa": ["Algeria", "Nigeria"]}
    members |= {value: list(items) for value, items in release.members().items()}
    assert candidates(cells, values, members, PEOPLE[5], ()) == [4, 5]
    assert candidates(cells, values, members, PEOPLE[5], ("F",)) == [5]
    assert verdict.counterexample["rows"] == [3, 4, 5, 6]
    assert verdict.counterexample["items_known"] == 1
    assert attack(release, customers()).set_sizes.tolist() == [2, 2, 1, 1, 1, 1]


def test_the_class_of_ann_and_jim_with_f_is_among_what_is_caught() -> None:
    sets = ValueSets(PublishedRecords.of(by_hand(FIGURE_1B)))
    keys, supports = sets.count(1)
    caught = [sets.describe(int(key), 1) for key in keys[supports < 2]]
    assert {"quasi": {"age": "[55..70]", "origin": "Africa", "gender": "*"}, "values": ["F"]} in caught


@pytest.mark.parametrize("rows", [FIGURE_2A, FIGURE_2B, FIGURE_2C, FIGURE_2D])
def test_the_four_groupings_are_as_anonymous_as_stated(rows) -> None:
    release = by_hand(rows)
    assert verify(release).holds
    assert verify_against(release, customers()).holds


def test_the_groupings_keep_what_people_bought_where_the_paper_does() -> None:
    """Figures 2b, 2c and 2d publish what was bought; 2a and 2d hide Mary and Zoe behind items that hold theirs."""
    for rows in (FIGURE_2A, FIGURE_2B, FIGURE_2C, FIGURE_2D):
        assert verify_faithful(by_hand(rows), customers(), np.arange(6)).holds


def test_diversity_holds_where_each_of_two_has_another_sensitive_product() -> None:
    guarantee = KKmAnonymity(2, 2, 2, NAMES, SENSITIVE)
    assert verify(by_hand(FIGURE_2A, guarantee)).holds
    broken = verify(by_hand(FIGURE_2B, guarantee))
    assert not broken.holds
    assert broken.counterexample is not None
    assert broken.counterexample["with_a_sensitive_item"] * 2 > broken.counterexample["support"]


@pytest.mark.parametrize("name", ["rfirst", "tfirst", "rum-bound", "tum-bound"])
@pytest.mark.parametrize("transaction", ["apriori", "coat"])
def test_methods_give_anonymous_releases(name: str, transaction: str) -> None:
    method = plugins.find_method(name)(k=2, m=2, transaction=transaction)
    result = sf.anonymize(customers(), method, secret=SECRET)
    assert verify(result.release).holds
    assert verify_faithful(result.release, customers(), result.owner_record.rows).holds
    assert verify_against(result.release, customers(), result.owner_record.rows).holds


def test_rfirst_groups_people_as_the_paper_does() -> None:
    result = sf.anonymize(customers(), sf.methods.RFirst(k=2, m=2), secret=SECRET)
    cells = result.release.table.select(["age", "origin", "gender"]).to_pylist()
    groups: dict[str, set[int]] = {}
    for row, cell in zip(result.owner_record.rows.tolist(), cells, strict=True):
        groups.setdefault(str(cell), set()).add(row)
    assert sorted(map(sorted, groups.values())) == [[0, 1], [2, 3], [4, 5]]


def test_tfirst_in_one_group_keeps_items_and_hides_attributes() -> None:
    """As in Figure 2b: all attributes are suppressed, and E and F stay exact."""
    result = sf.anonymize(customers(), sf.methods.TFirst(k=2, m=2, parts=1), secret=SECRET)
    assert set(result.release.table["gender"].to_pylist()) == {None}
    published = {label for row in result.release.history().lists() for label in row}
    assert {"E", "F", "{A|B|C|D}"} <= published
    assert [sorted(row) for row in PRODUCTS]
