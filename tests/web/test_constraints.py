"""Walks of a simulated user with constraints: edited, checked against data, taken back, and obeyed by pcta."""

from __future__ import annotations

import asyncio

import pytest
from tests.web.filling import do

import sfumato as sf
from sfumato.exceptions import ParameterError
from sfumato.web.constraints import can_undo, digest_text, find_uses, save_rows, undo_save
from sfumato.web.policies import read_recipe
from sfumato.web.project import Project

_BASKETS = "person,item\n" + "".join(
    f"{person},{item}\n" for person in range(9) for item in (("tea", "rye") if person else ("wine", "bread"))
)


def _begin(workspace, text):
    """Put baskets and a file of constraints into the project; return where that file lies."""
    (workspace.project.area("data") / "baskets.csv").write_text(_BASKETS)
    do(workspace.jobs, "look", fresh=False, files={"data": ["baskets.csv"]}, kind="sets")
    path = workspace.project.area("constraints") / "mine.txt"
    path.write_text(text)
    return path


def test_rows_are_changed_added_deleted_and_taken_back(walk):
    async def steps(user, workspace, fill):
        path = _begin(workspace, "tea;wein\n\nrye;bread\nunheard\n")
        here = "/constraints/mine.txt?data=baskets.csv&sort=utility"
        before = path.read_bytes()
        await user.open(here)
        await user.should_see("baskets.csv can be read with it, as utility constraints.")
        await user.should_see("2 values of the file are not in the data")
        await user.should_see("nearest value of the data")
        await user.should_see("1 of 4 values of the data are in no row")
        await user.should_see("One or more of them: 8 people.")
        await user.should_not_see("Undo the last save")
        fill("Row 1", "tea, wine")
        fill("Delete row 4", "true")
        fill("New rows", "cheese\n")
        user.find(marker="check-and-save").click()
        await user.should_see("Undo the last save")
        assert path.read_text() == "tea,wine\nrye,bread\ncheese\n"
        recipe = read_recipe(workspace.project, "baskets.csv")
        read = sf.read(workspace.project.find("data", "baskets.csv"), "sets", constraints={"utility": str(path)})
        assert recipe is not None and set(read.constraints["utility"]) == {("tea", "wine"), ("rye", "bread")}
        await user.open(here)
        user.find(marker="undo-the-last-save").click()
        await user.should_not_see("Undo the last save")
        assert path.read_bytes() == before

    walk(steps)


def test_what_no_data_can_be_read_with_is_not_saved(walk):
    async def steps(user, workspace, fill):
        path = _begin(workspace, "tea,wine\nrye,bread\n")
        before, here = path.read_bytes(), "/constraints/mine.txt?data=baskets.csv&sort=utility"
        refused = (
            ({"Row 1": "tea, rye"}, "Row 1 and row 2 share a value"),
            ({"New rows": "beer\n\ntea"}, "Row 1 and new row 3 share a value"),
            ({"Row 2": 'rye, "bread'}, "Row 2: quotes must stand around a whole value"),
            ({"Delete row 1": "true", "Row 2": " , "}, "Constraints need at least one row."),
            ({}, "Nothing was changed."),
        )
        for given, told in refused:
            await user.open(here)
            for label, value in given.items():
                fill(label, value)
            user.find(marker="check-and-save").click()
            await user.should_see(told)
            assert path.read_bytes() == before
        await user.open(here)
        fill("Row 1", "tea")
        user.find(marker="cancel").click()
        await asyncio.sleep(0.1)
        assert path.read_bytes() == before
        await user.open(here)
        fill("Row 1", "tea")
        path.write_text("written elsewhere\n")
        user.find(marker="check-and-save").click()
        await user.should_see("changed after the page was opened")
        assert path.read_text() == "written elsewhere\n"

    walk(steps)


def test_a_reader_s_refusal_is_shown_and_the_rows_can_be_mended(walk):
    async def steps(user, workspace, fill):
        path = _begin(workspace, "tea,rye\ntea,wine\n")
        await user.open("/constraints/mine.txt?data=baskets.csv&sort=utility")
        await user.should_see("entries repeat an item")
        await user.should_see("Values in several rows")
        fill("Row 2", "wine")
        user.find(marker="check-and-save").click()
        await user.should_see("can be read with it")
        assert path.read_text() == "tea,rye\nwine\n"
        await user.open("/constraints/mine.txt?data=baskets.csv&sort=privacy")
        await user.should_see("All of them: 8 people.")
        await user.should_see("All of them: 1 person.")

    walk(steps)


def test_words_between_blanks_are_edited_only_beside_data(walk):
    async def steps(user, workspace, fill):
        path = _begin(workspace, "tea rye\n")
        await user.open("/constraints/mine.txt")
        await user.should_see("Choose data to see and edit its rows.")
        await user.should_not_see("Check and save")
        fill("Data", "baskets.csv")
        user.find(marker="check").click()
        await user.should_see("Check and save")
        fill("Row 1", "tea")
        user.find(marker="check-and-save").click()
        await user.should_see("Undo the last save")
        assert path.read_text() == "tea\n"

    walk(steps)


def test_long_files_are_edited_page_by_page(walk):
    async def steps(user, workspace, fill):
        path = _begin(workspace, "".join(f"item{number},more{number}\n" for number in range(60)))
        await user.open("/constraints/mine.txt?data=-&rows=3")
        await user.should_see("60 rows; page 3 of 3")
        fill("Row 60", "changed")
        user.find(marker="check-and-save").click()
        await user.should_see("Undo the last save")
        lines = path.read_text().splitlines()
        assert len(lines) == 60 and lines[59] == "changed" and lines[0] == "item0,more0"

    walk(steps)


def test_pcta_publishes_under_constraints_made_on_the_page(walk):
    """Named itemsets are hidden among k, only what may go together does, and the release is verified."""

    async def steps(user, workspace, fill):
        _begin(workspace, "spare\n").unlink()
        for sort, lines in (("utility", "tea, wine\nrye, bread"), ("privacy", "wine\nwine, bread")):
            await user.open("/hierarchies")
            fill("Name", sort)
            fill("One group per line, items separated by commas", lines)
            user.find(marker="keep").click()
            await user.should_see("Check and save")
            fill("Data", "baskets.csv")
            fill("As", sort)
            user.find(marker="use").click()
            await user.should_see("Check the configuration")
            assert find_uses(workspace.project, f"{sort}.txt") == [("baskets.csv", sort)]
        await user.open("/anonymise/baskets.csv?method=pcta")
        fill("k", "3")
        fill("privacy", "given")
        fill("utility", "given")
        user.find(marker="anonymise").click()
        await user.should_see("the guarantee holds")
        out = workspace.project.area("releases") / "baskets-pcta"
        release = sf.read_release(out)
        assert release.guarantee.name == "itemset-anonymity" and release.guarantee.k == 3
        published = {value for row in release.table.column("items").to_pylist() for value in row}
        assert "wine" not in published
        for value, members in release.members().items():
            assert set(members) <= {"tea", "wine"} or set(members) <= {"rye", "bread"}, value
        original = sf.read(workspace.project.find("data", "baskets.csv"), "sets")
        assert sf.verify(out).holds and sf.attack(out, original).smallest_anonymity_set >= 3
        await user.open("/releases/baskets-pcta?do=verify&data=baskets.csv")
        await user.should_see("the guarantee holds")

    walk(steps)


@pytest.fixture
def project(tmp_path):
    project = Project.open(tmp_path / "project")
    (project.area("constraints") / "mine.txt").write_bytes(b"caf\xe9\n")
    return project


def test_undoing_restores_every_byte_and_only_what_was_saved_here(project):
    path = project.area("constraints") / "mine.txt"
    for text in ("one", "two"):
        save_rows(project, "mine.txt", [("row 1", (text,))], digest_text(path.read_bytes()))
    undo_save(project, "mine.txt")
    assert path.read_text() == "one\n"
    undo_save(project, "mine.txt")
    assert path.read_bytes() == b"caf\xe9\n" and not can_undo(project, "mine.txt")
    save_rows(project, "mine.txt", [("row 1", ("one",))], digest_text(path.read_bytes()))
    path.write_text("changed elsewhere\n")
    with pytest.raises(ParameterError, match="cannot be undone"):
        undo_save(project, "mine.txt")
    assert path.read_text() == "changed elsewhere\n"
