"""Further tables of a release: written, declared, read back, and checked."""

import dataclasses
import json

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.exceptions import SchemaError
from sfumato.release.release import ExtraTable, PublishedColumn
from sfumato.release.storage import read_release, write_release
from sfumato.release.text import ValueFormat
from sfumato.verification.structure import verify_structure

EXTRA_TABLES = "parts are the declared ones"


@pytest.fixture
def release():
    data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 1)})
    made = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes([1] * 32)).release
    columns = (
        PublishedColumn("group", "group", ValueFormat("exact")),
        PublishedColumn("parent", "parent", ValueFormat("exact")),
        PublishedColumn("size", "size", ValueFormat("exact", "int64")),
    )
    table = pa.table({"group": ["=g;1", "*"], "parent": pa.array([None, "=g;1"], pa.string()), "size": [2, 1]})
    return dataclasses.replace(made, extra_tables={"groups": ExtraTable(columns, table)})


def test_extra_tables_are_read_back_exactly(release, tmp_path):
    write_release(release, tmp_path)
    again = read_release(tmp_path)
    assert again.extra_tables["groups"].table.to_pydict() == release.extra_tables["groups"].table.to_pydict()
    assert again.extra_tables["groups"].columns == release.extra_tables["groups"].columns
    assert verify_structure(again).counterexample == {"check": EXTRA_TABLES, "part": "groups", "allowed": []}


def test_a_missing_extra_table_is_an_error(release, tmp_path):
    write_release(release, tmp_path)
    (tmp_path / "groups.csv").unlink()
    with pytest.raises(SchemaError, match="missing"):
        read_release(tmp_path)


@pytest.mark.parametrize("name", ["../groups", "data", "values", ""])
def test_an_extra_table_cannot_point_elsewhere(release, tmp_path, name):
    write_release(release, tmp_path)
    manifest = json.loads((tmp_path / "release.json").read_text())
    manifest["parts"] = {name: manifest["parts"]["groups"]}
    (tmp_path / "release.json").write_text(json.dumps(manifest))
    with pytest.raises(SchemaError, match="plain name"):
        read_release(tmp_path)


def test_an_extra_table_of_another_type_is_found():
    data = sf.Dataset.of("sets", [["a", "b"], ["a", "b"]])
    made = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2)).release
    extra_table = made.extra_tables["clusters"]
    wrong = extra_table.table.set_column(2, "size", pa.array(["2"] * extra_table.table.num_rows))
    damaged = dataclasses.replace(made, extra_tables={"clusters": ExtraTable(extra_table.columns, wrong)})
    assert not verify_structure(damaged).checks[EXTRA_TABLES]


def test_the_manifest_cannot_claim_other_numbers(release, tmp_path):
    plain = dataclasses.replace(release, extra_tables={})
    write_release(plain, tmp_path)
    manifest = json.loads((tmp_path / "release.json").read_text())
    manifest["records"]["published"] = 3
    (tmp_path / "release.json").write_text(json.dumps(manifest))
    assert not verify_structure(read_release(tmp_path)).checks["counts agree"]
