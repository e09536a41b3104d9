"""The long layout is the one that is laid out row by row, and is put together again in any order of records."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.exports import drawing
from tests.release.naive.layouts import arrange_long

from sfumato.exceptions import ParameterError
from sfumato.release.layouts import arrange_records, collect_entries
from sfumato.release.storage import same_cells

WITH_LISTS = {name: drawing.RELEASES[name] for name in ("trajectories", "sequences", "sets", "timeline", "rt")}
WITH_LISTS["separated sets"] = drawing.separated_sets()


@pytest.mark.parametrize("name", WITH_LISTS)
def test_long_is_row_by_row(name):
    @settings(max_examples=40)
    @given(WITH_LISTS[name])
    def check(release):
        layout_table = arrange_records(release, "long")
        where = [column.name for column in layout_table.columns if column.role == "coordinate"]
        assert layout_table.table.drop_columns(where).to_pylist() == arrange_long(release)

    check()


@pytest.mark.parametrize("name", WITH_LISTS)
def test_records_may_come_in_any_order(name):
    @settings(max_examples=30)
    @given(WITH_LISTS[name], st.randoms(use_true_random=False))
    def check(release, random):
        table = arrange_records(release, "long").table
        records = arrange_long(release)
        key = (
            next(iter(records[0])) if name in {"separated sets", "rt"} else ("time" if name == "timeline" else "person")
        )
        names = list(dict.fromkeys(record[key] for record in records))
        random.shuffle(names)
        order = [row for who in names for row, record in enumerate(records) if record[key] == who]
        found = collect_entries(release, table.take(pa.array(order)))
        if name in {"separated sets", "rt"}:
            assert same_cells(found, release.table, release.columns)
        else:
            assert sorted(map(str, found.to_pylist())) == sorted(map(str, release.table.to_pylist()))

    check()


@pytest.mark.parametrize("name", ["table", "activity", "snapshots"])
def test_records_without_lists_have_no_long_layout(name):
    @settings(max_examples=2)
    @given(drawing.RELEASES[name])
    def check(release):
        with pytest.raises(ParameterError, match=f"{name} holds no list"):
            arrange_records(release, "long")
        with pytest.raises(ParameterError, match="layout= must be one of wide, long"):
            arrange_records(release, "tall")

    check()
