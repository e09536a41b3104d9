"""Hierarchies derived from the places, named where a file could stand."""

import pytest

import sfumato as sf
from sfumato.exceptions import ParameterError, SchemaError


@pytest.fixture
def checkins(tmp_path):
    path = tmp_path / "c.csv"
    rows = []
    for person in range(12):
        for step in range(3):
            place = (person * 7 + step) % 9
            rows.append(f"p{person},{step},v{place},{place % 3},{place // 3}")
    path.write_text("person,time,place,x,y\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("rule", ["grid:2", "quadtree:2", "balanced:3"])
def test_a_derived_hierarchy_serves_sd_seqanon(checkins, rule, tmp_path):
    data = sf.read(checkins, kind="trajectories", hierarchies={"place": rule})
    assert sorted(data.hierarchies["place"].leaf_labels) == sorted(data.history().labels)
    result = sf.anonymize(data, sf.methods.SdSeqAnon(k=3, m=2), secret=bytes([1] * 32))
    assert sf.write(result, tmp_path / "out", reports=False).holds


def test_squares_need_coordinates(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text("person,time,place\na,1,p\nb,1,q\n")
    with pytest.raises(SchemaError, match="needs coordinates"):
        sf.read(path, kind="trajectories", hierarchies={"place": "grid:2"})


def test_one_child_a_node_is_no_hierarchy(checkins):
    with pytest.raises(ParameterError, match="at least 2, got 1"):
        sf.read(checkins, kind="trajectories", hierarchies={"place": "balanced:1"})


def test_anything_else_is_a_file(checkins):
    with pytest.raises(SchemaError, match="there is no such hierarchy file"):
        sf.read(checkins, kind="trajectories", hierarchies={"place": "pyramid:3"})
