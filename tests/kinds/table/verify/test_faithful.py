"""Cells hold what their records have, whatever the classes are; what is changed is found."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.table.given import publish
from tests.kinds.table.naive import promise
from tests.kinds.table.releases import drawn, members_of, people_of

import sfumato as sf
from sfumato.kinds.table.decode import quasi_columns
from sfumato.kinds.table.verify.faithful import verify_faithful

CELLS = "cells hold what their records have"


@given(drawn())
def test_hulls_hold_their_records(made):
    data, result = made
    assert verify_faithful(result.release, data, result.owner_record.rows).holds


@given(drawn(), st.randoms())
def test_cells_hold_what_plain_reading_says(made, random):
    """Rows of another order are judged as by reading cell after cell."""
    data, result = made
    rows = result.owner_record.rows.copy()
    random.shuffle(rows)
    found = verify_faithful(result.release, data, rows)
    people, quasi = people_of(data), [column.name for column in quasi_columns(result.release)]
    members = members_of(result.release)
    fits = [
        all(promise.fits(record[q], people[row][q], members.get(q, {}), None) for q in quasi)
        for record, row in zip(result.release.table.to_pylist(), rows, strict=True)
    ]
    assert found.checks[CELLS] == all(fits)
    if not all(fits) and found.counterexample["check"] == CELLS:
        assert not fits[found.counterexample["rows"][0] - 1]
    same = [r["ill"] == people[row]["ill"] for r, row in zip(result.release.table.to_pylist(), rows, strict=True)]
    assert found.checks["sensitive and plain values are the original ones"] == all(same)


def test_columns_are_those_of_the_original_in_its_order():
    data = sf.Dataset.of("table", [(1, "a"), (1, "b")], ("age", "ill"), sensitive=("ill",))
    result = publish(data, [0, 0])
    release = result.release
    turned = dataclasses.replace(release, columns=release.columns[::-1], table=release.table.select(["ill", "age"]))
    assert "in its order" in verify_faithful(turned, data, result.owner_record.rows).counterexample["check"]
    other = sf.Dataset.of("table", [(1, "a"), (1, "b")], ("years", "ill"), sensitive=("ill",))
    assert "in its order" in verify_faithful(release, other, result.owner_record.rows).counterexample["check"]


def test_withheld_records_are_counted():
    data = sf.Dataset.of("table", [(1,), (1,), (9,)], ("age",))
    result = publish(data, [0, 0, -1])
    assert verify_faithful(result.release, data, result.owner_record.rows).holds
    more = sf.Dataset.of("table", [(1,), (1,), (9,), (9,)], ("age",))
    assert (
        verify_faithful(result.release, more, result.owner_record.rows).counterexample["check"]
        == "withheld records are counted"
    )


@pytest.mark.parametrize("rows", [[0, 0], [0, 7], [0]])
def test_a_row_map_that_is_none_is_found(rows):
    data = sf.Dataset.of("table", [(1,), (1,)], ("age",))
    found = verify_faithful(publish(data, [0, 0]).release, data, np.array(rows))
    assert found.counterexample["check"] == "every record is published at most once"


def test_class_means_are_recounted_to_the_last_digit():
    rows = [(20, 0.1), (23, 0.2), (25, 0.3), (60, 1.5), (61, 1.7), (66, 1.9)]
    data = sf.Dataset.of("table", rows, ("age", "height"))
    result = sf.anonymize(data, sf.methods.Mdav(k=3), secret=bytes([1] * 32))
    assert verify_faithful(result.release, data, result.owner_record.rows).holds
    extra_table = result.release.extra_tables["means"]
    means = extra_table.table.column("mean_height").to_numpy() * (1 + 1e-15)
    table = extra_table.table.set_column(
        extra_table.table.column_names.index("mean_height"), "mean_height", pa.array(means)
    )
    changed = dataclasses.replace(result.release, extra_tables={"means": dataclasses.replace(extra_table, table=table)})
    assert "means" in verify_faithful(changed, data, result.owner_record.rows).counterexample["check"]
