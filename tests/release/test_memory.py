"""A result in memory is checked as its folder would be, and nothing else than the folder's bytes counts."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.damage.releases import RELEASES, SECRET, rt, sequences, sets, snapshots, table, timeline, trajectories

import sfumato as sf
from sfumato.attacks.risk import Findings
from sfumato.exceptions import ParameterError
from sfumato.formats.memory import MemoryPlace
from sfumato.release import inventory
from sfumato.release.readme import render_page
from sfumato.release.release import OwnerRecord
from sfumato.release.storage import read_release, write_release

MADE = {
    "trajectories": lambda: (trajectories(), sf.methods.SeqAnon(k=3, m=2)),
    "sequences": lambda: (sequences(), sf.methods.Hi(k=3)),
    "sets": lambda: (sets(), sf.methods.Pcta(k=4, m=2)),
    "separated sets": lambda: (sets(), sf.methods.Disassociation(k=3, m=2)),
    "timeline": lambda: (timeline(), sf.methods.Essa(delta="1/5")),
    "table": lambda: (table(), sf.methods.Mondrian(k=4)),
    "rt": lambda: (rt(), sf.methods.RFirst(k=5, m=2, transaction="pcta")),
    "snapshots": lambda: (snapshots(), sf.methods.Reposition(l=2, window=3)),
}


@pytest.fixture(scope="module")
def made():
    known: dict[str, sf.Result] = {}

    def get(name: str) -> sf.Result:
        if name not in known:
            known[name] = sf.anonymize(*MADE[name](), secret=SECRET)
        return known[name]

    return get


@pytest.mark.filterwarnings("ignore::sfumato.exceptions.ReleaseWarning")
@pytest.mark.parametrize("name", MADE)
def test_memory_holds_the_bytes_of_the_folder(made, name, tmp_path):
    result = made(name)
    sf.write(result, tmp_path / "out", reports=False)
    place = MemoryPlace()
    write_release(result.release, place)
    written = {file.name: file.read_bytes() for file in (tmp_path / "out" / "release").iterdir()}
    assert {file.name: file.read_bytes() for file in place.iterdir()} == written
    alone, counted = sf.verify(result.release), sf.verify(result)
    assert alone.to_dict() == sf.verify(tmp_path / "out" / "release").to_dict()
    assert counted.to_dict() == sf.verify(tmp_path / "out", result.owner_record.original).to_dict()
    assert counted


@pytest.mark.filterwarnings("ignore::sfumato.exceptions.ReleaseWarning")
@pytest.mark.parametrize("name", ["trajectories", "table"])
def test_attacks_and_measures_are_those_of_the_folder(made, name, tmp_path):
    result = made(name)
    original = result.owner_record.original
    sf.write(result, tmp_path / "out", reports=False)
    assert sf.attack(result).to_dict() == sf.attack(tmp_path / "out", original).to_dict()
    assert isinstance(sf.attack_beyond(result), Findings)
    there = [score.to_dict() for score in sf.measure(tmp_path / "out", original)]
    assert [score.to_dict() for score in sf.measure(result)] == there
    with pytest.raises(ParameterError, match="original"):
        sf.attack(result.release)


def test_an_original_in_another_order_is_known_again(made):
    result = made("trajectories")
    original = result.owner_record.original
    turned = dataclasses.replace(original, table=original.table.take(pa.array(range(len(original))[::-1])))
    verdict = sf.verify(result, turned)
    assert verdict and "another order" in verdict.measured["original"]


def test_a_broken_result_is_found_in_memory(made):
    release = made("trajectories").release
    lone = dataclasses.replace(release, table=release.table.slice(0, 4), records_in=4)
    assert sf.verify(lone).outcome == "broken"
    swapped = dataclasses.replace(
        made("trajectories").owner_record, rows=np.roll(made("trajectories").owner_record.rows, 1)
    )
    assert sf.verify(sf.Result(release, swapped)).outcome == "broken"


def test_whatever_lies_in_memory_is_looked_at(made):
    release = made("trajectories").release
    place = MemoryPlace()
    write_release(release, place)
    (place / "names.csv").write_bytes(b"Alice")
    found = inventory.check_folder(read_release(place), place)
    assert found.undeclared == ("names.csv: a file that is not declared",)


@pytest.mark.parametrize("name", MADE)
def test_the_page_is_about_the_release_alone(made, name):
    release = made(name).release
    page = render_page(release).decode()
    assert "original" not in page.replace(release.guarantee.statement(release.unit), "")
    assert all(f"`{file}" in page for file in ("data.parquet", "data.csv", "values.csv", "release.json"))
    assert all(f"`{column.name}`" in page for column in release.columns)
    assert all(f"`{part}.csv`" in page and "a further table" not in page for part in release.extra_tables)
    assert all(tool in page for tool in ("pandas", "Polars", "R:", "DuckDB", "Spark"))


@pytest.mark.parametrize("name", MADE)
def test_what_the_page_shows_of_python_works(made, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    release = made(name).release
    write_release(release, tmp_path)
    blocks = (tmp_path / "README.md").read_text().split("```python\n")[1:]
    code = [block.split("```")[0] for block in blocks]
    assert len(code) == 3
    for text in code[:2]:
        names: dict = {}
        exec(text, names)
        assert len(names["records"]) == release.table.num_rows


def test_the_damaged_page_is_found(tmp_path):
    RELEASES["km-anonymity"](tmp_path / "out")
    page = tmp_path / "out" / "release" / "README.md"
    page.write_text(page.read_text().replace("places", "Alice", 1))
    verdict = sf.verify(tmp_path / "out")
    assert verdict.outcome == "undeclared" and verdict.undeclared == (
        "README.md: line 3 is not what a release says there",
    )


@pytest.mark.parametrize("name", MADE)
def test_a_reason_for_withholding_says_nothing_else(made, name, tmp_path):
    release = made(name).release
    gone = {"Ann was ill in May": 1}
    write_release(dataclasses.replace(release, suppressed_records=gone, records_in=len(release) + 1), tmp_path)
    assert sf.verify(tmp_path).undeclared == ("release.json: a reason for withholding that no method gives",)


def test_a_trace_shows_nothing_of_anybody(made):
    result = made("trajectories")
    shown = repr(result.owner_record)
    assert shown.startswith("OwnerRecord(") and "p0" not in shown and "[" not in shown
    assert repr(OwnerRecord(rows=np.array([1, 0]))) == "OwnerRecord(2 rows; 0.00 seconds)"
    assert "p0" not in result.owner_record.original._repr_html_()


@pytest.mark.parametrize("name", MADE)
def test_notebooks_see_tables(made, name):
    result = made(name)
    for shown in (result, result.release, sf.verify(result), sf.attack_beyond(result), sf.measure(result)):
        assert "<table" in shown._repr_html_() or "<p>" in shown._repr_html_()


def test_places_in_memory_are_like_paths():
    place = MemoryPlace()
    with (place / "a" / "b.csv").open("wb") as file:
        file.write(b"x")
    assert (place / "a").is_dir() and (place / "a" / "b.csv").is_file() and not (place / "a").is_file()
    assert (place / "a" / "b.csv").with_suffix(".parquet").name == "b.parquet"
    assert (place / "a" / "b.csv").stat().st_size == 1
    with pytest.raises(FileNotFoundError):
        (place / "nothing").read_bytes()
    assert not Path("a").exists()
