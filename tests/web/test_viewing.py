"""Rows page by page: a page of very many rows is right, and no other rows are read for it."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

import sfumato as sf
from sfumato.web.tasks.view import _GROUP, PAGE, read_page, write_view

_MANY = 1_000_000
_READ = """
import json, os, pathlib, sys
import pyarrow as pa
from sfumato.web.tasks.view import read_page
pages = [read_page(pathlib.Path(sys.argv[1]), int(number)) for number in sys.argv[2:]]
print(json.dumps([pa.default_memory_pool().max_memory(), *pages]), flush=True)
os._exit(0)
"""


def test_a_page_of_a_million_rows_is_read_alone(tmp_path):
    path = tmp_path / "view.parquet"
    numbers = np.arange(_MANY)
    table = pa.table({"age": pa.array(numbers % 97).cast(pa.string()), "row": pa.array(numbers).cast(pa.string())})
    pq.write_table(table, path, row_group_size=_GROUP)
    pages = (0, 12_345, _MANY // PAGE - 1)
    # In a process of its own: threads of Arrow may give memory back after a page was read.
    told = subprocess.run([sys.executable, "-c", _READ, path, *map(str, pages)], capture_output=True, check=True)
    most, *found = json.loads(told.stdout)
    assert 0 < most < table.nbytes / 20
    for number, (names, rows) in zip(pages, found, strict=True):
        assert names == ["age", "row"]
        assert [row[1] for row in rows] == [str(PAGE * number + at) for at in range(PAGE)]
    assert read_page(path, _MANY // PAGE) == (["age", "row"], [])


@settings(max_examples=15)
@given(st.lists(st.lists(st.sampled_from(["wine", "<b>", "a,b"]), min_size=1, max_size=20), min_size=1, max_size=60))
def test_pages_together_are_all_rows(tmp_path_factory, baskets):
    path = tmp_path_factory.mktemp("view") / "view.parquet"
    dataset = sf.Dataset.of("sets", baskets)
    count = write_view(dataset, path)
    pages = [read_page(path, number)[1] for number in range(-(-count // PAGE))]
    assert count == len(baskets) and all(len(page) == PAGE for page in pages[:-1])
    assert [row[0] for page in pages for row in page] == [f"p{at}" for at in range(count)]
