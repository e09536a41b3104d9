"""Ranges of derived hierarchies: published ones lie apart, end at values they hold, and are counted as they stand."""

from __future__ import annotations

import datetime
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from tests.examples import settings

import sfumato as sf
from sfumato.exceptions import InfeasibleError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.hierarchies.rules import derive_ranges
from sfumato.kinds.table.dataset import attribute_of
from sfumato.kinds.table.methods._base import full_domain
from sfumato.kinds.table.methods._base.level_trees import LevelTree
from sfumato.kinds.table.methods._base.recoded_cells import close_ranges, find_cells
from sfumato.release.recoding import ColumnCells
from sfumato.release.release import Release

METHODS = ("Optimal", "Incognito", "TopDown", "BottomUp")
CENTS = st.integers(0, 60).map(lambda cents: cents / 4)
ODD = st.one_of(st.floats(-5, 5), st.floats(allow_nan=False, allow_infinity=False))
WHOLE = st.one_of(st.integers(-20, 40), st.integers(-(2**53), 2**53))
DATES = st.dates(datetime.date(1990, 1, 1), datetime.date(1993, 12, 31))
VALUES = {"decimal": st.one_of(CENTS, ODD), "int": WHOLE, "date": DATES}
FINES = [21.0] * 6 + [22.5] * 4 + [31.0] * 5 + [35.0] * 5 + [36.0] * 40 + [50.0] * 5 + [71.0] * 5
RULES = ("width:2", "width:5", "frequency:3", "frequency:8", "calendar")


def derive(rule: str, values: list[Any], type: str) -> Hierarchy | None:
    """Derive as readers do; the calendar is for dates."""
    if rule == "calendar" and type != "date":
        return None
    given = [value.isoformat() for value in values] if type == "date" else values
    return derive_ranges(rule, np.array(given), type)


def table(values: list[Any], hierarchy: Hierarchy | None, population: list[Any] | None = None) -> sf.Dataset:
    rows = [(value,) for value in values]
    people = None if population is None else [(value,) for value in population]
    return sf.Dataset.of(
        "table", rows, ("paid",), hierarchies={"paid": hierarchy} if hierarchy else {}, population=people
    )


columns = st.sampled_from(list(VALUES)).flatmap(
    lambda type: st.tuples(st.just(type), st.lists(VALUES[type], min_size=3, max_size=20))
)
pairs = st.sampled_from(list(VALUES)).flatmap(
    lambda type: st.tuples(
        st.just(type), st.lists(VALUES[type], min_size=6, max_size=20), st.lists(VALUES[type], max_size=20)
    )
)


@settings(max_examples=300)
@given(column=columns, rule=st.sampled_from(RULES))
@example(column=("decimal", [21.0] * 3 + [35.5, 36.0] + [50.0] * 3), rule="frequency:8")
@example(column=("decimal", [0.1, 1.1, 2.2, 3.3]), rule="width:2")
@example(column=("decimal", [0.0, 5e-324, 1.0]), rule="width:5")
@example(column=("decimal", [-1.7e308, 0.0, 1.7e308]), rule="frequency:3")
@example(column=("decimal", [2.0**60, 2.0**60 + 256, 2.0**61]), rule="frequency:3")
def test_levels_of_a_derived_hierarchy_are_ranges_that_lie_apart_and_hold_their_ends(column, rule: str) -> None:
    type, values = column
    tree = derive(rule, values, type)
    paid = attribute_of(table(values, tree), "paid")
    level_tree = LevelTree.of(paid)
    axis = paid.axis
    for cut in level_tree.levels[1:-1]:
        half_open = level_tree.cells(cut)
        closed = close_ranges(half_open, paid)
        bounds = [(low, high) for low, high, _ in closed.ranges if low <= high]
        assert all(high < after for (_, high), (after, _) in itertools.pairwise(bounds))
        held = [sum(low <= value <= high for low, high in bounds) for value in axis.tolist()]
        assert held == [1] * len(axis)
        assert find_cells(paid, closed)[0].tolist() == find_cells(paid, half_open)[0].tolist()
        at = half_open.find_values([high for _, high in bounds])
        assert [closed.ranges[number][1] for number in at] == [high for _, high in bounds]


def count_again(release: Release, population: list[Any]) -> list[int]:
    """Count the people of every published class, as a reader does: by the cells of the file."""
    rows = release.extra_tables["population"].table.to_pylist()
    cells = [row["paid"] for row in rows]
    return [
        len(population) if cell is None else sum(cell["lo"] <= p <= cell["hi"] for p in population) for cell in cells
    ]


@settings(max_examples=200)
@given(
    columns=pairs,
    rule=st.sampled_from([*RULES, None]),
    method=st.sampled_from(METHODS),
    k=st.integers(2, 3),
)
@example(columns=("decimal", FINES, FINES), rule="frequency:8", method="TopDown", k=6)
@example(columns=("decimal", [0.0, 0.25, 0.25, 0.5, 0.5, 1.5], [0.3]), rule="width:5", method="BottomUp", k=2)
def test_counts_of_a_population_are_those_of_the_published_ranges(columns, rule, method: str, k: int) -> None:
    type, values, others = columns
    population = [*values, *others]
    tree = None if rule is None else derive(rule, population, type)
    data = table(values, tree, population)
    try:
        made = sf.anonymize(
            data, getattr(sf.methods, method)(k=k, presence=1.0), secret=bytes(32), max_suppressed_records=0.5
        )
    except InfeasibleError:
        assume(False)
    listed = made.release.extra_tables["population"].table.column("people").to_pylist()
    assert listed == count_again(made.release, population)
    assert sf.verify(made.release).outcome == sf.verify(made.release, data).outcome == "holds"


TREE = derive("frequency:8", FINES * 3, "decimal")


def publish(method: str) -> Release:
    data = table(FINES, TREE, FINES * 3)
    return sf.anonymize(data, getattr(sf.methods, method)(k=6, presence=0.5), secret=bytes(32)).release


@pytest.mark.parametrize("method", METHODS)
def test_fines_of_36_are_in_one_range(method: str) -> None:
    release = publish(method)
    listed = release.extra_tables["population"].table.column("people").to_pylist()
    assert listed == count_again(release, FINES * 3) and sum(listed) == len(FINES) * 3
    assert sf.verify(release).outcome == "holds"


def test_a_count_that_nobody_can_count_again_is_refused(monkeypatch) -> None:
    """Ranges that touch hold their common bound both: whoever counts 36 twice counts others than the list says."""
    assert (
        publish("TopDown").extra_tables["population"].table.column("paid").to_pylist().count({"lo": 36.0, "hi": 36.0})
        == 1
    )
    monkeypatch.setattr(full_domain, "close_ranges", lambda cells, *_: cells)
    release = publish("TopDown")
    listed = release.extra_tables["population"].table.column("people").to_pylist()
    assert listed != count_again(release, FINES * 3)
    verdict = sf.verify(release)
    assert verdict.outcome == "broken"
    assert not verdict.checks["nobody of the population fits two classes"]
    assert set(verdict.counterexample) >= {"cells", "other_cells"}


def test_a_later_batch_with_more_digits_is_in_ranges_of_its_own_digits() -> None:
    cells = ColumnCells("paid", "interval", ranges=((21.0, 36.0, False), (36.0, 50.0, False)))
    ends = [
        close_ranges(cells, attribute_of(table(values, None), "paid")).ranges[0][1]
        for values in ([21.0, 40.0], [21.5, 40.0], [21.5, 35.999], [0.1 + 0.2, 40.0])
    ]
    assert ends == [35.0, 35.9, 35.999, float(np.nextafter(36.0, 0))]
