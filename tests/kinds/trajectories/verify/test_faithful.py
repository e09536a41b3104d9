"""Nothing invented, nothing swapped: damages that keep the structure but not the truth."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.naive.attack import is_faithful
from tests.kinds.trajectories.verify.examples import ABC, SIX
from tests.kinds.trajectories.verify.releases import make_release, people_table, recode, values_table

from sfumato.data.dataset import Dataset
from sfumato.kinds.trajectories.guarantees import KmAnonymity
from sfumato.kinds.trajectories.verify.faithful import verify_faithful
from sfumato.kinds.trajectories.verify.km_anonymity import verify, verify_against
from sfumato.release.release import Release

ORDER = np.array([3, 0, 5, 1, 4, 2])
CONTAINS = "every value contains the original place"
COMPLETE = "nothing is added or missing"
NO_DUPLICATES = "every record is published at most once"
COUNTED = "withheld records are counted"
UNNAMED = "no original name is a pseudonym"


def published() -> list[list[str]]:
    return [recode(SIX[row], ABC) for row in ORDER]


def release_of(rows: list[list[str]], **changes: Any) -> Release:
    return dataclasses.replace(make_release(rows, ABC, KmAnonymity(k=2, m=2)), **changes)


def test_a_true_release_is_faithful() -> None:
    verdict = verify_faithful(release_of(published()), Dataset.of("trajectories", SIX), ORDER)
    assert verdict.holds
    assert verdict.counterexample is None
    assert set(verdict.checks) == {NO_DUPLICATES, COMPLETE, CONTAINS, COUNTED, UNNAMED}


Rows = list[list[str]]


def split_value(rows: Rows) -> None:
    rows[0][0] = "{a|b}"


def exact_value(rows: Rows) -> None:
    rows[0][0] = "b"


def wrong_exact_value(rows: Rows) -> None:
    rows[0][0] = "a"


def extra_visit(rows: Rows) -> None:
    rows[1].append("d")


def dropped_visit(rows: Rows) -> None:
    rows[1].pop()


def reordered(rows: Rows) -> None:
    rows[2].reverse()


def swapped_people(rows: Rows) -> None:
    rows[2], rows[4] = rows[4], rows[2]


def swapped_values(rows: Rows) -> None:
    rows[2][1], rows[4][1] = rows[4][1], rows[2][1]


def unknown_value(rows: Rows) -> None:
    rows[5][1] = "nowhere"


@pytest.mark.parametrize(
    ("damage", "counterexample"),
    [
        (wrong_exact_value, {"check": CONTAINS, "rows": [1], "position": 1, "value": "a"}),
        (extra_visit, {"check": COMPLETE, "rows": [2], "published_visits": 5, "original_visits": 4}),
        (dropped_visit, {"check": COMPLETE, "rows": [2], "published_visits": 3, "original_visits": 4}),
        (reordered, {"check": CONTAINS, "rows": [3], "position": 1, "value": "e"}),
        (swapped_people, {"check": CONTAINS, "rows": [3], "position": 2, "value": "{a|b|c}"}),
        (swapped_values, {"check": CONTAINS, "rows": [3], "position": 2, "value": "{a|b|c}"}),
        (unknown_value, {"check": CONTAINS, "rows": [6], "position": 2, "value": "nowhere"}),
    ],
)
def test_untrue_records_are_found(damage: Callable[[Rows], None], counterexample: dict[str, Any]) -> None:
    rows = published()
    damage(rows)
    verdict = verify_faithful(release_of(rows), Dataset.of("trajectories", SIX), ORDER)
    assert not verdict.holds
    assert verdict.counterexample == counterexample


@pytest.mark.parametrize("damage", [split_value, exact_value, wrong_exact_value, unknown_value])
def test_records_that_stand_out_break_the_guarantee(damage: Callable[[Rows], None]) -> None:
    rows = published()
    damage(rows)
    release = release_of(rows, values=values_table({**ABC, "{a|b}": ["a", "b"]}))
    verdict = verify(release)
    assert not verdict.holds
    assert verdict.counterexample is not None
    assert verdict.counterexample["support"] == 1
    assert isinstance(verify_against(release, Dataset.of("trajectories", SIX)).holds, bool)


def test_a_true_but_finer_record_is_faithful_yet_breaks_the_guarantee() -> None:
    rows = published()
    exact_value(rows)
    release = release_of(rows)
    assert verify_faithful(release, Dataset.of("trajectories", SIX), ORDER)
    assert not verify(release)


def test_a_dropped_member_makes_records_untrue() -> None:
    release = release_of(published(), values=values_table({"{a|b|c}": ["a", "b"]}))
    data = Dataset.of("trajectories", SIX)
    verdict = verify_faithful(release, data, ORDER)
    assert verdict.counterexample == {"check": CONTAINS, "rows": [1], "position": 4, "value": "{a|b|c}"}
    assert not verify_against(release, data, ORDER).checks["published records match"]


def test_a_record_published_twice() -> None:
    rows = [*published(), published()[0]]
    data = Dataset.of("trajectories", SIX)
    verdict = verify_faithful(release_of(rows), data, np.append(ORDER, 3))
    assert verdict.counterexample == {"check": NO_DUPLICATES, "rows": [1, 7]}
    assert not verdict.checks[COUNTED]


@pytest.mark.parametrize(
    ("rows", "counterexample"),
    [
        (ORDER[:5], {"check": NO_DUPLICATES, "published": 6, "mapped": 5}),
        (ORDER + 1, {"check": NO_DUPLICATES, "rows": [3]}),
        (ORDER - 1, {"check": NO_DUPLICATES, "rows": [2]}),
        (ORDER.astype(float), {"check": NO_DUPLICATES, "published": 6, "mapped": 6}),
        (np.zeros(6, dtype=int), {"check": NO_DUPLICATES, "rows": [1, 2]}),
    ],
)
def test_wrong_row_maps(rows: Any, counterexample: dict[str, Any]) -> None:
    verdict = verify_faithful(release_of(published()), Dataset.of("trajectories", SIX), rows)
    assert not verdict.holds
    assert verdict.counterexample == counterexample


@pytest.mark.parametrize("changes", [{"records_in": 7}, {"suppressed_records": {"too long": 1}}])
def test_wrong_counts(changes: dict[str, Any]) -> None:
    release = release_of(published(), **changes)
    verdict = verify_faithful(release, Dataset.of("trajectories", SIX), ORDER)
    assert not verdict.checks[COUNTED]
    assert verdict.counterexample is not None
    assert verdict.counterexample["people"] == 6


def test_original_names_must_not_be_published() -> None:
    table = people_table(published(), ["x0", "x1", "x2", "p4", "x4", "x5"])
    verdict = verify_faithful(release_of(published(), table=table), Dataset.of("trajectories", SIX), ORDER)
    assert verdict.counterexample == {"check": UNNAMED, "rows": [4]}


def test_exactly_the_suppressed_places_are_missing() -> None:
    data = Dataset.of("trajectories", [["a", "z", "b"], ["b", "z"]])
    rows = np.array([0, 1])
    assert verify_faithful(make_release([["a", "b"], ["b"]], suppressed=["z"]), data, rows)
    assert not verify_faithful(make_release([["a", "b"], ["b"]]), data, rows)
    half = verify_faithful(make_release([["a", "z", "b"], ["b"]], suppressed=["z"]), data, rows)
    assert half.counterexample == {"check": COMPLETE, "rows": [1], "published_visits": 3, "original_visits": 2}


def test_unreadable_releases_are_not_judged_further() -> None:
    table = pa.table({"person": [f"x{i}" for i in range(6)], "places": ["d"] * 6})
    verdict = verify_faithful(release_of(published(), table=table), Dataset.of("trajectories", SIX), ORDER)
    assert not verdict.holds
    assert not verdict.checks["readable"]


def test_people_of_the_original_may_be_called_by_numbers_too() -> None:
    rows = [["a"], ["a"], ["a"]]
    original = Dataset.of("trajectories", rows)
    original = Dataset(original.schema, original.table.set_column(0, "person", pa.array(["3", "1", "7"])))
    counted = make_release(rows, table=people_table(rows, ["1", "2", "3"]))
    assert verify_faithful(counted, original, np.array([2, 0, 1])).checks[UNNAMED]
    chosen = make_release(rows, table=people_table(rows, ["3", "2", "1"]))
    assert not verify_faithful(chosen, original, np.array([2, 0, 1])).checks[UNNAMED]


places = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3)


@given(st.lists(places, min_size=1, max_size=4), st.data())
def test_every_record_is_compared(original: Rows, data: st.DataObject) -> None:
    groups, gone = {"P": ["a", "b"], "Q": ["b", "c"]}, ["d"]
    values = st.lists(st.sampled_from(["P", "Q", "a", "b", "c", "d"]), max_size=3)
    rows = [data.draw(st.one_of(values, st.just([p for p in row if p != "d"]))) for row in original]
    release = make_release(rows, groups, suppressed=gone)
    verdict = verify_faithful(release, Dataset.of("trajectories", original), np.arange(len(rows)))
    assert verdict.holds == all(is_faithful(row, true, groups, gone) for row, true in zip(rows, original, strict=True))
