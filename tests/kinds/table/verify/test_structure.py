"""What a release of a table must look like, one thing wrong at a time."""

import dataclasses
import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.table.given import publish
from tests.kinds.table.naive import promise
from tests.kinds.table.releases import drawn

import sfumato as sf
from sfumato.data.record_unit import RecordUnit
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.table.decode import quasi_columns
from sfumato.kinds.table.verify.k_anonymity import verify
from sfumato.release.release import ExtraTable, PublishedColumn
from sfumato.release.text import ValueFormat
from sfumato.verification.order import verify_order
from sfumato.verification.people import find_smallest_group
from sfumato.verification.structure import verify_structure

TOWNS = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
ROWS = [
    (20, 1.5, datetime.date(2000, 1, 1), "f", "a", "flu", "x"),
    (29, 2.5, datetime.date(2000, 1, 9), "m", "b", "cold", "y"),
    (70, 0.0, datetime.date(2001, 1, 1), None, "c", "flu", "x"),
    (79, 0.0, datetime.date(2001, 1, 1), None, "c", "cough", "y"),
    (55, None, None, "x", "a", "flu", "y"),
    (55, None, None, "x", "b", "gout", "y"),
]
NAMES = ("age", "weight", "born", "sex", "town", "ill", "note")
DATA = sf.Dataset.of("table", ROWS, NAMES, sensitive=("ill",), plain=("note",), hierarchies={"town": TOWNS})
RELEASE = publish(DATA, [0, 0, 1, 1, 2, 2]).release
FORMS = {column.name: column.form for column in RELEASE.columns}


def with_cells(name, cells, form=None):
    """The release with other cells in a column, read by a form."""
    form = form or FORMS[name]
    made = pa.array(cells, pa.string()).dictionary_encode() if form.cell == "category" else pa.array(cells, form.arrow)
    table = RELEASE.table.set_column(RELEASE.table.column_names.index(name), name, made)
    columns = tuple(dataclasses.replace(c, form=form) if c.name == name else c for c in RELEASE.columns)
    return dataclasses.replace(RELEASE, table=table, columns=columns)


def with_values(*rows):
    names = ("column", "value", "member")
    listed = [*[tuple(row.values()) for row in RELEASE.values.to_pylist()], *rows]
    values = pa.table({name: pa.array([row[i] for row in listed], pa.string()) for i, name in enumerate(names)})
    return dataclasses.replace(RELEASE, values=values)


def with_role(name, role):
    columns = tuple(dataclasses.replace(c, role=role) if c.name == name else c for c in RELEASE.columns)
    return dataclasses.replace(RELEASE, columns=columns)


def test_a_sound_release_is_sound():
    assert verify_structure(RELEASE).holds
    assert verify_order(RELEASE).outcome == "holds"
    assert verify(RELEASE).holds


FORM, CELLS, RANGES = (
    "columns are the declared ones",
    "cells are values, and none is empty",
    "ranges run from low to high",
)
SETS, LABELS = "sets are sorted, and missing values stand alone", "generalised labels lie inside each other or apart"
OWN = "generalised values have members of their own"
half = {"lo": 1.5, "hi": 1.5}
WRONG = {
    "exact quasi-identifier": (with_cells("age", [1, 1, 2, 2, 3, 3], ValueFormat("exact", "int64")), FORM),
    "a range of texts": (with_cells("age", [{"lo": "a", "hi": "b"}] * 6, ValueFormat("interval")), FORM),
    "a set of numbers": (with_cells("sex", [[1]] * 6, ValueFormat("set", "int64")), FORM),
    "at least one of": (with_cells("sex", [["f"]] * 6, ValueFormat("set", meaning="at least one of")), FORM),
    "a plain set": (with_cells("note", [["f"]] * 6, ValueFormat("set")), FORM),
    "a time": (with_cells("ill", [datetime.datetime(2000, 1, 1)] * 6, ValueFormat("exact", "timestamp")), FORM),
    "an identifier": (with_role("note", "identifier"), FORM),
    "a history": (with_role("note", "history"), FORM),
    "a role of nobody's": (with_role("note", "alice"), FORM),
    "no quasi-identifier": (
        dataclasses.replace(RELEASE, columns=RELEASE.columns[5:], table=RELEASE.table.select(["ill", "note"])),
        FORM,
    ),
    "empty sensitive cell": (with_cells("ill", ["flu"] * 5 + [None]), CELLS),
    "no number": (with_cells("weight", [half] * 5 + [{"lo": float("nan"), "hi": 1.0}]), CELLS),
    "endless": (with_cells("weight", [half] * 5 + [{"lo": 1.0, "hi": float("inf")}]), CELLS),
    "minus zero": (with_cells("weight", [half] * 5 + [{"lo": -0.0, "hi": 0.0}]), CELLS),
    "a label that is none": (with_cells("sex", [["f"]] * 5 + [["f", None]]), CELLS),
    "backwards": (with_cells("age", [{"lo": 2, "hi": 1}] * 6), RANGES),
    "one bound": (with_cells("age", [{"lo": 2, "hi": None}] * 6), RANGES),
    "the other bound": (with_cells("born", [{"lo": None, "hi": datetime.date(2000, 1, 1)}] * 6), RANGES),
    "not sorted": (with_cells("sex", [["m", "f"]] * 6), SETS),
    "twice": (with_cells("sex", [["m", "m"]] * 6), SETS),
    "empty": (with_cells("sex", [[]] * 6), SETS),
    "missing beside others": (with_cells("sex", [["", "m"]] * 6), SETS),
    "overlapping": (with_values(("town", "B", "b"), ("town", "B", "c")), LABELS),
    "a label among members": (with_values(("town", "B", "A"), ("town", "B", "c")), LABELS),
    "a missing member": (with_values(("town", "B", ""), ("town", "B", "c")), LABELS),
    "a missing label": (with_values(("town", "", "d"), ("town", "", "e")), LABELS),
    "one member": (with_values(("town", "B", "c")), OWN),
    "the same members": (with_values(("town", "B", "a"), ("town", "B", "b")), OWN),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(name):
    release, check = WRONG[name]
    verdict = verify_structure(release)
    assert not verdict.holds
    assert verdict.counterexample["check"] == check
    assert not verify(release).holds


def test_days_beyond_the_calendar_are_no_dates():
    days = pa.array([2**30] * 6, pa.int32()).cast(pa.date32())
    cells = pa.StructArray.from_arrays([days, days], names=["lo", "hi"])
    table = RELEASE.table.set_column(2, "born", cells)
    assert verify_structure(dataclasses.replace(RELEASE, table=table)).counterexample["check"] == CELLS


def test_a_null_in_a_dictionary_is_no_label():
    coded = pa.DictionaryArray.from_arrays(pa.array([0] * 6, pa.int32()), pa.array([None], pa.string()))
    table = RELEASE.table.set_column(4, "town", coded)
    assert verify_structure(dataclasses.replace(RELEASE, table=table)).counterexample["check"] == CELLS


@pytest.mark.parametrize(
    "rows",
    [
        [("town", "Z", "y"), ("town", "Z", "z")],
        [("ill", "Z", "flu"), ("ill", "Z", "cold")],
        [("town", None, "z")],
    ],
    ids=["of nobody", "of a column that is exact", "removed"],
)
def test_values_that_nothing_needs_are_not_declared(rows):
    assert verify_order(with_values(*rows)).outcome == "undeclared"


def test_parts_that_nothing_calls_for_are_refused():
    extra_table = ExtraTable((PublishedColumn("who", "plain", ValueFormat("exact")),), pa.table({"who": ["alice"]}))
    for name in ("population", "sensitive-order", "means", "names"):
        assert not verify_structure(dataclasses.replace(RELEASE, extra_tables={name: extra_table})).holds


def test_the_claim_names_the_columns_that_play_the_part():
    guarantee = dataclasses.replace(RELEASE.guarantee, quasi=("age",))
    verdict = verify_structure(dataclasses.replace(RELEASE, guarantee=guarantee))
    assert verdict.counterexample["check"] == "the claim is about the columns that play the part"


@given(drawn(), st.data())
def test_the_fewest_people_of_a_class(made, source):
    data, result = made
    whose = source.draw(st.lists(st.sampled_from(["ann", "bob", "cem"]), min_size=len(data), max_size=len(data)))
    owned = data.of_people(whose)
    quasi = [column.name for column in quasi_columns(result.release)]
    rows = [
        {**record, "whose": whose[row]}
        for record, row in zip(result.release.table.to_pylist(), result.owner_record.rows, strict=True)
    ]
    smallest = min(len({row["whose"] for row in group}) for group in promise.classes(rows, quasi))
    assert find_smallest_group(result.release, owned, result.owner_record.rows).people == smallest


def test_people_are_counted_where_that_is_asked_for(tmp_path):
    rng = np.random.default_rng(2)
    rows = [(int(age),) for age in rng.integers(20, 60, 60)]
    stays = sf.Dataset.of("table", rows, ("age",)).of_people(
        [f"p{i // 3}" for i in range(60)], RecordUnit("stay", "stays", "patient")
    )
    result = sf.anonymize(stays, sf.methods.Mondrian(k=3), secret=bytes([1] * 32), protect="people")
    sf.write(result, tmp_path / "out", reports=False)
    assert sf.verify(tmp_path / "out").outcome == "unsettled"
    verdict = sf.verify(tmp_path / "out", stays)
    assert verdict.outcome == "holds" and verdict.measured["fewest_people"] >= 3
