"""Cells of H3 as places, from coordinates or as they are, and their hierarchy."""

from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies import h3 as hexagons

h3 = pytest.importorskip("h3")


@pytest.fixture
def visits(tmp_path):
    lines = ["person,time,lat,lon"]
    lines += [f"{n % 8},{n},{53.1 + n % 5 / 20},{8.2 + n % 3 / 20}" for n in range(60)]
    (tmp_path / "visits.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "visits.csv"


def test_points_lie_in_their_cells(visits, tmp_path):
    data = sf.read(visits, "trajectories", places="h3:7", hierarchies={"place": "h3"})
    expected = {h3.latlng_to_cell(53.1 + i / 20, 8.2 + j / 20, 7) for i in range(5) for j in range(3)}
    assert set(data.history().labels) == expected
    tree = data.hierarchies["place"]
    for label in expected:
        assert tree.ancestors(label)[0] == h3.cell_to_parent(label, 6) and tree.ancestors(label)[-1] == "*"
    assert all(text.startswith("POLYGON ((") for text in data.places["outline"].to_pylist())
    result = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=1), secret=bytes([1] * 32))
    assert sf.write(result, tmp_path / "out", reports=False)
    assert sf.verify(tmp_path / "out", data)


def test_a_column_of_cells_tells_where_places_are(visits, tmp_path):
    derived = sf.read(visits, "trajectories", places="h3:7")
    lines = ["person,place"]
    for person, history in zip(derived.table["person"].to_pylist(), derived.history().lists(), strict=True):
        lines += [f"{person},{place}" for place in history]
    (tmp_path / "cells.csv").write_text("\n".join(lines) + "\n")
    given = sf.read(tmp_path / "cells.csv", "trajectories", places="h3")
    assert given.history().lists() == derived.history().lists()
    where = {row["place"]: (row["lon"], row["lat"]) for row in derived.places.to_pylist()}
    assert where == {row["place"]: (row["lon"], row["lat"]) for row in given.places.to_pylist()}


def test_what_is_no_cell_is_refused_by_row(tmp_path):
    cell = h3.latlng_to_cell(53.1, 8.2, 7)
    (tmp_path / "a.csv").write_text(f"person,place\n7,{cell}\n8,Q7canary\n")
    for options in ({"places": "h3"}, {"hierarchies": {"place": "h3"}}):
        with pytest.raises(SchemaError, match="must be a cell of H3; row 2 is not") as caught:
            sf.read(tmp_path / "a.csv", "trajectories", **options)
        assert "Q7canary" not in str(caught.value)
    (tmp_path / "a.csv").write_text(f"person,place\n7,{cell}\n8,{h3.cell_to_parent(cell, 5)}\n")
    with pytest.raises(SchemaError, match="cells must be of one resolution"):
        sf.read(tmp_path / "a.csv", "trajectories", hierarchies={"place": "h3"})


def test_what_cells_need(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("person,x,y\n7,1,2\n")
    with pytest.raises(SchemaError, match="needs longitude and latitude"):
        sf.read(tmp_path / "a.csv", "trajectories", places="h3:8")
    with pytest.raises(ParameterError, match=r"places= must be .*h3:8"):
        sf.read(tmp_path / "a.csv", "trajectories", places="h3:16")

    monkeypatch.setitem(__import__("sys").modules, "h3", None)
    with pytest.raises(ParameterError, match=r"pip install 'sfumato\[h3\]'"):
        hexagons.draw_hexagons("a.csv", ["x"])
