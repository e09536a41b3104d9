"""What pages say: of what a record is, of what means something for a kind of data, and of what a form refuses."""

from __future__ import annotations

import dataclasses

import pytest
from tests.web.filling import do

from sfumato.queries.language import parse_lines
from sfumato.web.pages.query import _find_example
from sfumato.web.policies import read_recipe, write_recipe


def test_pages_speak_of_days_where_a_record_is_a_day(walk):
    async def steps(user, workspace, fill):
        rows = "".join(f"p{at % 7},2024-01-0{1 + at % 5}T08:00,{'abc'[at % 3]},{at % 3},0\n" for at in range(60))
        (workspace.project.area("data") / "days.csv").write_text("person,time,place,x,y\n" + rows)
        do(workspace.jobs, "look", fresh=False, files={"data": ["days.csv"]}, kind="trajectories")
        recipe = read_recipe(workspace.project, "days.csv")
        options = {**recipe.options, "split": "day"}
        write_recipe(workspace.project, "days.csv", dataclasses.replace(recipe, options=options))
        await user.open("/data/days.csv")
        await user.should_see("A record is a day of a person")
        await user.open("/risk/days.csv")
        await user.should_see("are in one day only")
        await user.should_see("days stand alone")
        await user.open("/anonymise/days.csv?method=seqanon")
        await user.should_see("k counts")
        await user.should_see("counts days, not people")
        await user.should_see("Number of days, at least twice k")

    walk(steps)


def test_a_timeline_is_not_asked_what_means_nothing_for_it(walk):
    async def steps(user, workspace, fill):
        name = do(workspace.jobs, "example", kind="timeline")["name"]
        await user.open(f"/risk/{name}")
        await user.should_see("are in one time point only")
        await user.should_see("An observer of a timeline knows more")
        await user.open(f"/hierarchies/{name}")
        await user.should_see("Hierarchies do not apply to")
        await user.open(f"/anonymise/{name}")
        await user.should_not_see("k counts")
        user.find(marker="anonymise").click()
        await user.should_see("Original and release")
        await user.should_not_see("do not stand beside")
        await user.open(f"/compare/{name}")
        fill("Values", "1/5, 1/20")
        for method in ("essa-joint", "odesa"):
            fill(method, "false")
        user.find("Run the study").click()
        await user.should_see("2 trials: 2 done.")

    walk(steps)


def test_numbers_that_a_form_cannot_take_are_named(walk):
    async def steps(user, workspace, fill):
        name = do(workspace.jobs, "example", kind="sets")["name"]
        for path, label, value, button, told in (
            ("queries", "How many", "0", "draw", "How many must be a whole number from 1 to 10,000."),
            ("queries", "Seed", "x", "draw", "Seed must be a whole number of at least 0."),
            ("compare", "Repetitions", "1.5", "run-the-study", "Repetitions must be a whole number from 1 to 20."),
            ("hierarchies", "Number", "1", "derive", "Number must be a whole number from 2 to 999,999."),
            ("anonymise", "May be left out", "7", "anonymise", "must be a number from 0 to 1."),
        ):
            await user.open(f"/{path}/{name}")
            fill(label, value)
            user.find(marker=button).click()
            await user.should_see(told)
        assert (
            workspace.project.list("workloads")
            == workspace.project.list("studies")
            == workspace.project.list("releases")
            == []
        )

    walk(steps)


@pytest.mark.parametrize(
    "kind", ["table", "sets", "trajectories", "sequences", "timeline", "activity", "rt", "nothing"]
)
def test_questions_that_are_offered_as_examples_can_be_read(kind):
    assert len(parse_lines(_find_example(kind))) == 1
