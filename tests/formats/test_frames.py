"""Data frames are read like files with the same cells, and what they hold is never quoted."""

from __future__ import annotations

import datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.frames import make_file, to_table

DAY = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
VISITS = {
    "person": ["p1", "p1", "p2", "p2"],
    "time": [DAY, DAY + datetime.timedelta(hours=1)] * 2,
    "place": ["home", "work", "home", "café"],
    "x": [0.0, 1.5, 0.0, 2.0],
    "y": [0.0, 1.0, 0.0, 2.0],
}


class Interchange:
    """A table that only speaks the older protocol."""

    def __init__(self, frame) -> None:
        self._frame = frame

    def __dataframe__(self, *arguments, **options):
        return self._frame.__dataframe__(*arguments, **options)


FRAMES = {
    "pandas": lambda: pd.DataFrame(VISITS),
    "pandas, with an index": lambda: pd.DataFrame(VISITS).set_index("person"),
    "pandas, categories": lambda: pd.DataFrame(VISITS).astype({"person": "category", "place": "category"}),
    "polars": lambda: pl.DataFrame(VISITS),
    "polars, categories": lambda: pl.DataFrame(VISITS).with_columns(pl.col("place").cast(pl.Categorical)),
    "arrow": lambda: pa.table(VISITS),
    "arrow, views": lambda: pa.table({**VISITS, "place": pa.array(VISITS["place"], pa.string_view())}),
    "interchange": lambda: Interchange(pa.table(VISITS)),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_is_read_like_a_file(name, tmp_path):
    pq.write_table(pa.table(VISITS), tmp_path / "visits.parquet")
    expected = sf.read(tmp_path / "visits.parquet", kind="trajectories")
    found = sf.read(FRAMES[name](), kind="trajectories")
    assert found.table.to_pylist() == expected.table.to_pylist()
    assert found.places.to_pylist() == expected.places.to_pylist()
    assert str(found.notes[0]) == "Read 4 rows of data frame."


KINDS = {
    "sets": ({"person": ["1", "1", "2"], "item": ["wine", "bread", "wine"]}, {}),
    "sequences": ({"person": ["1", "2"], "time": [3, 8], "event": ["mail", "mail"]}, {"monitored": "mail"}),
    "table": ({"age": [30, 40], "ill": ["flu", "cold"]}, {"quasi": "age", "sensitive": "ill"}),
    "rt": ({"age": [30, 40], "products": ["wine|bread", "wine"]}, {"quasi": "age", "items": "products"}),
    "timeline": ({"time": [1, 2], "event": ["a", "b"], "count": [2, 3]}, {"sensitive": "a"}),
    "snapshots": (
        {"time": [1, 1], "age": ["3", "4"], "ill": ["flu", "cold"]},
        {"columns": {"qi": "age"}, "sensitive": "ill"},
    ),
    "activity": ({"person": ["1"], "start": [0], "end": [3], "activity": ["sleep"]}, {}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_takes_frames(kind):
    cells, options = KINDS[kind]
    assert len(sf.read(pd.DataFrame(cells), kind=kind, **options)) >= 1


def test_an_index_without_a_name_is_left_out_with_a_note():
    frame = pd.DataFrame(VISITS, index=[5, 3, 9, 1])
    data = sf.read(frame, kind="trajectories")
    assert data.notes[0].code == "index-left-out"


def test_what_is_wrong_is_said_without_a_value():
    mixed = pd.DataFrame({"person": ["Alice", 3, object()], "place": ["a", "b", "c"]})
    with pytest.raises(SchemaError, match="column 'person'") as caught:
        sf.read(mixed, kind="trajectories")
    assert "Alice" not in str(caught.value) and caught.value.__cause__ is None
    twice = pd.DataFrame([["a", "b"]], columns=["person", "person"])
    with pytest.raises(SchemaError, match="'person'"):
        sf.read(twice, kind="trajectories")
    with pytest.raises(SchemaError, match="data frame: there are no rows"):
        sf.read(pd.DataFrame({"person": [], "place": []}), kind="trajectories")
    with pytest.raises(ParameterError, match="delimiter= does not apply to a data frame"):
        sf.read(pd.DataFrame(VISITS), kind="trajectories", delimiter=";")
    with pytest.raises(SchemaError, match="'place' has empty cells in row 2"):
        sf.read(pd.DataFrame({"person": ["a", "b"], "place": ["x", None]}), kind="trajectories")


def test_many_equal_cells_are_no_suspicious_file():
    frame = pa.table({"person": ["p"] * 300_000, "item": pa.array(["wine"] * 300_000).dictionary_encode()})
    assert make_file(frame).stat().st_size > 300_000
    assert to_table(frame).schema.field("item").type == pa.string()
