"""Longer walks of a simulated user: constraints, batches, exports, queries in studies, hierarchies, steps, values."""

from __future__ import annotations

import asyncio
import tomllib

import pytest
from tests.web.filling import do

import sfumato as sf
from sfumato.exceptions import ParameterError
from sfumato.readers.hierarchies import read_hierarchy
from sfumato.web.policies import Recipe, read_recipe, resolve_files, write_recipe
from sfumato.web.project import Project


def test_constraints_are_kept_used_and_obeyed(walk):
    """What the page writes makes `coat` put together only what may go together."""

    async def steps(user, workspace, fill):
        (workspace.project.area("data") / "baskets.csv").write_text(
            "person,item\n"
            + "".join(f"{person},{item}\n" for person in range(6) for item in ("ab" if person else "cd"))
        )
        do(workspace.jobs, "look", fresh=False, files={"data": ["baskets.csv"]}, kind="sets")
        for name, lines in (("utility", "a,c\nb,d"), ("privacy", "a\nc")):
            await user.open("/hierarchies")
            fill("Name", name)
            fill("One group per line, items separated by commas", lines)
            user.find(marker="keep").click()
            await user.should_see(f"{name}.txt")
            fill("Data", "baskets.csv")
            fill("As", name)
            user.find(marker="use").click()
            await asyncio.sleep(0.1)
            assert user.notify.messages == []
            await user.should_see("Check the configuration")
        policy = tomllib.loads(workspace.project.policy_of("baskets.csv").read_text())
        assert policy["data"]["constraints"] == {
            "utility": "../constraints/utility.txt",
            "privacy": "../constraints/privacy.txt",
        }
        await user.open("/anonymise/baskets.csv?method=coat")
        fill("k", "2")
        user.find(marker="anonymise").click()
        await user.should_see("the guarantee holds")
        release = sf.read_release(workspace.project.area("releases") / "baskets-coat")
        published = {value for row in release.table.column("items").to_pylist() for value in row}
        assert published and not any("a" in value and "b" in value for value in published)

    walk(steps)


def test_a_later_batch_is_published_with_the_same_recoding(walk):
    async def steps(user, workspace, fill):
        for name, people in (("first.csv", range(12)), ("later.csv", range(4, 16))):
            rows = "".join(f"{person},{item}\n" for person in people for item in "abcd"[person % 3 :])
            (workspace.project.area("data") / name).write_text("person,item\n" + rows)
        do(workspace.jobs, "look", fresh=False, files={"data": ["first.csv"]}, kind="sets")
        asked = {"method": "apriori", "parameters": {"k": 3, "m": 2}, "out": "first"}
        do(workspace.jobs, "publish", files={"data": ["first.csv"]}, **asked)
        await user.open("/releases/first")
        await user.should_see("Publish a later batch")
        user.find("Publish the batch").click()
        await user.should_see("Choose the data of the batch.")
        fill("The batch", "later.csv")
        fill("Name of the release", "second")
        user.find("Publish the batch").click()
        await user.should_see("the guarantee holds")
        await user.should_see("the recoding of first")
        assert sf.verify(workspace.project.area("releases") / "second").holds

    walk(steps)


def test_releases_are_exported_in_the_formats_of_their_kind(walk):
    async def steps(user, workspace, fill):
        name = do(workspace.jobs, "example", kind="sets")["name"]
        asked = {"method": "apriori", "parameters": {"k": 3, "m": 2}, "out": "mine"}
        do(workspace.jobs, "publish", files={"data": [name]}, **asked)
        await user.open("/releases")
        await user.should_see(f"apriori, {sf.read_release(workspace.project.area('releases') / 'mine').guarantee}")
        for choice in ("long.spmf", "long.csv", "wide.jsonl", "wide.parquet"):
            await user.open("/releases/mine")
            fill("Format", choice)
            user.find(marker="export").click()
            layout, _, format = choice.partition(".")
            await user.should_see(f"Download mine-{layout}.{format}")
            release = sf.read_release(workspace.project.area("releases") / "mine")
            exported = workspace.project.area("exports") / f"mine-{layout}.{format}"
            assert sf.read_export(exported, release, layout=layout).num_rows == len(release)
        await user.open("/releases/mine")
        fill("Format", "long.../../../x")
        user.find(marker="export").click()
        await user.should_see("Choose one of the listed formats")

    walk(steps)


@pytest.mark.slow
def test_queries_of_ones_own_are_used_in_a_study(walk):
    async def steps(user, workspace, fill):
        name = do(workspace.jobs, "example", kind="table")["name"]
        drawn = do(workspace.jobs, "queries", files={"data": [name]}, count=5, seed=3)["name"]
        await user.open(f"/workload/{drawn}")
        await user.should_see("5 queries")
        await user.open(f"/compare/{name}")
        fill("Values", "4")
        fill("Queries for measures", drawn)
        for method in ("optimal", "bottom-up"):
            fill(method, "false")
        user.find("Run the study").click()
        await user.should_see("1 trials: 1 done.")
        study = tomllib.loads((workspace.project.area("studies") / "table-example-k.toml").read_text())
        assert study["study"]["workload"] == f"../workloads/{drawn}"
        assert (workspace.project.area("studies") / "table-example-k" / "results.csv").is_file()

    walk(steps)


@pytest.mark.slow
def test_a_study_begins_with_methods_that_have_what_they_need(walk):
    async def steps(user, workspace, fill):
        name = do(workspace.jobs, "example", kind="sequences")["name"]
        await user.open(f"/compare/{name}")
        fill("Values", "5")
        user.find("Run the study").click()
        await user.should_see("3 trials: 3 done.")

    walk(steps)


@pytest.mark.parametrize(
    ("kind", "of", "rule", "number"),
    [
        ("table", "age", "width", "8"),
        ("table", "age", "frequency", "4"),
        ("table", "zip", "mask", ""),
        ("trajectories", "place", "grid", "3"),
        ("trajectories", "place", "quadtree", "20"),
        ("sets", "item", "popular", "2"),
        ("sequences", "event", "fanout", "50"),
    ],
)
def test_hierarchies_are_derived_by_rules(walk, kind, of, rule, number):
    async def steps(user, workspace, fill):
        name = do(workspace.jobs, "example", kind=kind)["name"]
        await user.open(f"/hierarchies/{name}")
        fill("Attribute", of)
        fill("Rule", rule)
        fill("Number", number)
        user.find(marker="derive").click()
        await user.should_see("nodes, height")
        assert len(workspace.project.list("hierarchies")) == 1

    walk(steps)


def test_dates_are_put_together_by_the_calendar(walk):
    async def steps(user, workspace, fill):
        rows = "".join(f"{person},2024-0{1 + person % 9}-1{person % 5},x\n" for person in range(30))
        (workspace.project.area("data") / "births.csv").write_text("person,born,job\n" + rows)
        do(workspace.jobs, "look", fresh=False, files={"data": ["births.csv"]}, kind="table")
        recipe = read_recipe(workspace.project, "births.csv")
        assert "born" in recipe.options["quasi"]
        await user.open("/hierarchies/births.csv")
        await user.should_see("born")
        fill("Attribute", "born")
        fill("Rule", "calendar")
        user.find(marker="derive").click()
        await user.should_see("nodes, height")

    walk(steps)


def test_a_tree_is_edited_and_every_edit_is_checked(walk):
    async def steps(user, workspace, fill):
        path = workspace.project.area("hierarchies") / "towns.csv"
        path.write_text("a;north;all\nb;north;all\nc;south;all\n")

        async def edit(button, **given):
            await user.open("/hierarchy/towns.csv")
            for label, (value, at) in given.items():
                fill(label.replace("_", " "), value, at)
            user.find(marker=button.lower()).click()
            await asyncio.sleep(0.05)

        await edit("Rename", Node=("north", 0), New_label=("<b>north</b>", 0))
        await edit("Add", New_value=("d", 0), Below_this_node=("south", 0))
        await edit("Move", Node=("a", 1), Under_this_node=("south", 0))
        await edit("Delete", Node=("c", 2))
        tree = read_hierarchy(path)
        assert sorted(tree.leaf_labels) == ["a", "b", "d"]
        assert tree.ancestors("a")[0] == tree.ancestors("d")[0] == "south" and tree.ancestors("b")[0] == "<b>north</b>"
        before = path.read_bytes()
        await edit("Move", Node=("south", 1), Under_this_node=("a", 0))
        await edit("Rename", Node=("nowhere", 0), New_label=("x", 0))
        await edit("Add", New_value=("a", 0), Below_this_node=("south", 0))
        assert path.read_bytes() == before

    walk(steps)


def test_steps_of_every_sort_are_taken_and_undone(walk):
    async def steps(user, workspace, fill):
        rows = "".join(f"{at},{20 + at},{'mf'[at % 2]},x{at}\n" for at in range(40))
        (workspace.project.area("data") / "people.csv").write_text("nr,age,sex,note\n" + rows)
        do(workspace.jobs, "look", fresh=False, files={"data": ["people.csv"]}, kind="table")
        options = read_recipe(workspace.project, "people.csv").options
        for verb, rest in (("rename", "note=remark"), ("drop", "remark"), ("filter", "age=25..50")):
            await user.open("/data/people.csv")
            fill("Step", verb)
            fill("With", rest)
            user.find("Add the step").click()
            await user.should_see(f"{verb} {rest}")
        await user.open("/data/people.csv")
        fill("Column", "sex")
        fill("Values", "m=male\nf=female")
        user.find(marker="recode").click()
        await user.should_see("replace sex:f=female")
        assert do(workspace.jobs, "look", fresh=False, files={"data": ["people.csv"]}, kind="")["rows"] == 26
        kept = ["rename note=remark", "drop remark", "filter age=25..50", "replace sex:m=male", "replace sex:f=female"]
        assert read_recipe(workspace.project, "people.csv").options["steps"] == kept
        before = read_recipe(workspace.project, "people.csv").options["quasi"]
        assert "remark" not in before and "note" not in before
        for left in range(4, -1, -1):
            await user.open("/data/people.csv")
            user.find("Undo the last step").click()
            await user.should_see("Check the configuration")
            assert len(read_recipe(workspace.project, "people.csv").options.get("steps", ())) == left
        assert read_recipe(workspace.project, "people.csv").options == options

    walk(steps)


def test_sensitive_and_monitored_values_are_kept(walk):
    async def steps(user, workspace, fill):
        name = do(workspace.jobs, "example", kind="sequences")["name"]
        recipe = read_recipe(workspace.project, name)
        dataset = sf.read(workspace.project.find("data", name), recipe.kind, **recipe.options)
        labels = [str(label) for label in dataset.history().labels[:2]]
        await user.open(f"/hierarchies/{name}")
        await user.should_see("Sensitive and monitored values")
        fill("monitored", ", ".join(labels))
        user.find("Keep the values").click()
        await user.should_see("Check the configuration")
        assert read_recipe(workspace.project, name).options["monitored"] == labels
        await user.open(f"/hierarchies/{name}")
        fill("monitored", "@/etc/passwd")
        user.find("Keep the values").click()
        await user.should_see("The project has no such file")
        assert read_recipe(workspace.project, name).options["monitored"] == labels

    walk(steps)


@pytest.mark.parametrize(
    "options",
    [
        {"hierarchies": {"item": "/etc/passwd"}},
        {"hierarchies": {"item": "../../outside.csv"}},
        {"constraints": {"utility": "/etc/passwd"}},
        {"places_file": "../outside.csv"},
        {"population": "/etc/passwd"},
        {"item_file": "nowhere.csv"},
        {"sensitive": ["@/etc/passwd"]},
        {"monitored": ["@../../outside.csv"]},
        {"places": "regions:/etc/passwd,outside=drop"},
        {"steps": ["recode item=/etc/passwd"]},
    ],
)
def test_options_from_the_browser_name_files_of_the_project_only(tmp_path, options):
    project = Project.open(tmp_path / "project")
    (tmp_path / "outside.csv").write_text("a;b\n")
    (project.area("data") / "baskets.csv").write_text("person,item\n1,a\n")
    recipe = Recipe("sets", options, "apriori", {"k": 2, "m": 2})
    with pytest.raises(ParameterError):
        write_recipe(project, "baskets.csv", recipe)
    assert not project.policy_of("baskets.csv").exists()


def test_files_of_the_project_are_found_by_their_names(tmp_path):
    project = Project.open(tmp_path / "project")
    path = project.area("hierarchies") / "towns.csv"
    path.write_text("a;all\n")
    for given in ("towns.csv", str(path)):
        assert resolve_files(project, {"hierarchies": {"place": given}}) == {"hierarchies": {"place": str(path)}}
    assert resolve_files(project, {"sensitive": ["@towns.csv", "flu"]})["sensitive"] == [f"@{path}", "flu"]
