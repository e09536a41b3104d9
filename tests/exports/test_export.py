"""Nested exports read back to the same table, in every layout and format that there is; others are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.exports import drawing

import sfumato as sf
from sfumato.data.kind import all_kinds
from sfumato.exceptions import ParameterError, SchemaError, SfumatoError
from sfumato.exports import FORMATS, export_release, list_formats, read_export
from sfumato.release.layouts import LAYOUTS
from sfumato.release.storage import same_cells

PAIRS = [(kind, layout, format) for kind in all_kinds() for layout in LAYOUTS for format in FORMATS]
ALLOWED = [pair for pair in PAIRS if pair[2] in list_formats(*pair[:2])]
ROOT = Path(__file__).parent.parent.parent


def round_trip(release, folder: Path, layout: str, format: str):
    file = folder / f"records.{format}"
    done = export_release(release, file, layout, nested=True, force=True)
    assert (done.layout, done.format) == (layout, format)
    return read_export(file, release, layout)


@pytest.mark.parametrize(("kind", "layout", "format"), ALLOWED)
def test_a_release_survives_export(kind, layout, format, tmp_path):
    @settings(max_examples=40)
    @given(drawing.RELEASES[kind])
    def check(release):
        assert same_cells(round_trip(release, tmp_path, layout, format), release.table, release.columns)

    check()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
def test_separated_sets_survive_export(layout, format, tmp_path):
    @settings(max_examples=20)
    @given(drawing.separated_sets())
    def check(release):
        assert same_cells(round_trip(release, tmp_path, layout, format), release.table, release.columns)

    check()


@pytest.mark.parametrize(("kind", "layout", "format"), sorted(set(PAIRS) - set(ALLOWED)))
def test_other_pairs_are_refused_by_name(kind, layout, format, tmp_path):
    @settings(max_examples=1)
    @given(drawing.RELEASES[kind])
    def check(release):
        with pytest.raises(ParameterError, match=f"{kind}.*{layout}"):
            export_release(release, tmp_path / "records", layout, format)
        assert list(tmp_path.iterdir()) == []

    check()


def test_every_kind_is_drawn():
    assert set(drawing.RELEASES) == set(all_kinds())


def test_the_guide_shows_the_same_matrix():
    text = (ROOT / "docs" / "guide" / "export.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")
    ]
    shown = {row[0].strip("`"): row[1:] for row in rows if row[0].strip("`") in all_kinds()}
    expected = {
        kind: [", ".join(list_formats(kind, layout)) or "no" for layout in ("long", "wide")] for kind in all_kinds()
    }
    assert shown == expected


@settings(max_examples=5)
@given(drawing.separated_sets())
def test_pieces_of_records_are_no_lines_of_spmf(release):
    with pytest.raises(ParameterError, match="spmf numbers records by their lines"):
        export_release(release, Path("never-written.spmf"))
    assert not Path("never-written.spmf").exists()


@pytest.fixture(scope="module")
def walks():
    rows = [["a", "b"], ["a", "b"], ["a", "c"], ["a", "c"]]
    data = sf.Dataset.of("trajectories", rows, {"a": (0, 0), "b": (1, 1), "c": (0, 1)})
    return sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes([1] * 32)).release


def test_a_long_file_has_the_columns_of_an_original(walks, tmp_path):
    file = tmp_path / "visits.csv"
    export_release(walks, file)
    assert file.read_text().splitlines()[0] == "person,visit,place,x,y"
    again = sf.read(file, kind="trajectories", columns={"time": "visit"})
    assert again.history().lists() == walks.history().lists()


def test_nothing_is_replaced_or_left_behind(walks, tmp_path):
    file = tmp_path / "visits.csv"
    export_release(walks, file)
    kept = file.read_bytes()
    with pytest.raises(SfumatoError, match="already exists"):
        export_release(walks, file)
    with pytest.raises(ParameterError, match="GeoJSON"):
        export_release(walks, tmp_path / "visits.geojson")
    with pytest.raises(ParameterError, match="no such directory"):
        export_release(walks, tmp_path / "nowhere" / "visits.csv")
    assert file.read_bytes() == kept
    assert [entry.name for entry in tmp_path.iterdir()] == ["visits.csv"]


def test_a_file_of_other_data_is_refused_without_its_cells(walks, tmp_path):
    for format, text in {
        "csv": "person,visit,place,x,y\n1,Alice,a,0,0\n",
        "jsonl": '{"person": "Alice"}\n',
        "spmf": "Alice -2\n",
        "parquet": "Alice",
        "geojson": '{"type": "Alice"}',
    }.items():
        file = tmp_path / f"visits.{format}"
        file.write_text(text)
        with pytest.raises(SchemaError) as caught:
            read_export(file, walks)
        assert "Alice" not in str(caught.value)


def test_entities_of_xml_are_not_expanded(tmp_path):
    file = tmp_path / "log.xes"
    file.write_text('<!DOCTYPE log [<!ENTITY a "aaaa">]><log><trace>&a;</trace></log>')
    data = sf.Dataset.of("sequences", [[("mail", 3)], [("mail", 8)]], monitored=("mail",))
    release = sf.anonymize(data, sf.methods.Hn(k=2), secret=bytes([1] * 32)).release
    with pytest.raises(SchemaError, match="entities"):
        read_export(file, release)


def test_json_and_parquet_keep_types(walks, tmp_path):
    export_release(walks, tmp_path / "v.jsonl")
    first = json.loads((tmp_path / "v.jsonl").read_text().splitlines()[0])
    assert set(first) == {"person", "visit", "place", "x", "y"} and first["visit"] == 1
    export_release(walks, tmp_path / "v.parquet", "wide")
    assert pq.read_table(tmp_path / "v.parquet").column_names == ["person", "places"]


@settings(max_examples=20)
@given(st.sampled_from(sorted(set(all_kinds()) - {"table", "activity", "snapshots"})).flatmap(drawing.RELEASES.get))
def test_frames_have_the_rows_of_their_layout(release):
    for layout in LAYOUTS:
        rows = release.to_arrow(layout).num_rows
        for nested in (False, True):
            frames = release.to_pandas(layout, nested=nested), release.to_polars(layout, nested=nested)
            assert [len(frame) for frame in frames] == [rows, rows]
