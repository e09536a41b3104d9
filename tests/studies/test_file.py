"""A study file is refused with the place of what is wrong, before anything runs; a good one says what is run."""

from pathlib import Path

import pytest

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.studies.plan import plan_study
from sfumato.studies.study_file import list_trials, read_study

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "studies").glob("*.toml"))

GOOD = """title = "Two"
[data]
kind = "table"
generate = { size = 100, seed = 1 }
identifier = ["person"]

[[method]]
name = "mondrian"
l = 2

[[method]]
name = "cluster"
vary = { k = [3] }

[vary]
k = [2, 5]

[study]
repetitions = 2
memory = "2GB"
"""


def write(tmp_path, old="", new=""):
    assert old in GOOD
    path = tmp_path / "study.toml"
    path.write_text(GOOD.replace(old, new, 1) if old else GOOD)
    return path


def test_cells_come_in_the_order_of_the_file(tmp_path):
    study = read_study(write(tmp_path))
    assert [(trial.name, trial.parameters["k"], trial.repetition) for trial in list_trials(study)] == [
        ("mondrian", 2, 1),
        ("mondrian", 2, 2),
        ("mondrian", 5, 1),
        ("mondrian", 5, 2),
        ("cluster", 3, 1),
        ("cluster", 3, 2),
    ]
    plan = plan_study(study)
    assert plan.limits.memory == 2_000_000_000
    assert plan.varying == ("k",)


def test_several_parameters_make_a_grid(tmp_path):
    path = write(tmp_path, "k = [2, 5]\n", "k = { start = 2, end = 6, step = 2 }\nl = [1, 2]\n")
    path.write_text(path.read_text().replace("l = 2\n", "").replace("repetitions = 2", "repetitions = 1"))
    chosen = [(c.name, c.parameters["k"], c.parameters["l"]) for c in list_trials(read_study(path))]
    grid = [("mondrian", k, l) for k in (2, 4, 6) for l in (1, 2)]
    assert chosen == [*grid, ("cluster", 3, 1), ("cluster", 3, 2)]


WRONG = {
    "kind": ('kind = "table"', 'kind = "tabel"', "line 3", "tabel"),
    "method": ('name = "cluster"', 'name = "clustre"', "line 12", "Did you mean 'cluster'"),
    "method of another kind": ('name = "cluster"', 'name = "coat"', "line 12", "no method 'coat' for table"),
    "parameter": ("l = 2", "ll = 2", "line 9", "there is no parameter 'll'"),
    "value": ("l = 2", "l = 0", "line 9", "l must be at least 1"),
    "varying parameter": ("k = [2, 5]", "kk = [2, 5]", "line 16 ([vary], kk)", "there is no parameter 'kk'"),
    "own varying parameter": ("vary = { k = [3] }", "vary = { q = [3] }", "line 13", "'q'"),
    "values": ("k = [2, 5]", "k = 5", "line 16", "list of values"),
    "value twice": ("k = [2, 5]", "k = [2, 2]", "line 16", "twice"),
    "fixed and varying": ("vary = { k = [3] }", "k = 3\nvary = { k = [3] }", "[[method]] 2", "both fixed and varied"),
    "missing parameter": ("k = [2, 5]", "t = [0.5]", "[[method]] 1", "k must be given"),
    "same name twice": ('name = "cluster"', 'name = "mondrian"', "[[method]] 2", "label"),
    "reading option": ('identifier = ["person"]', "identifer = ['person']", "line 5", "Did you mean identifier"),
    "generator": ("size = 100", "size = 0", "[data]", "size must be at least 1"),
    "no data": ("generate = { size = 100, seed = 1 }", "", "[data]", "either path"),
    "option": ("repetitions = 2", "repetitons = 2", "line 19", "Did you mean 'repetitions'"),
    "repetitions": ("repetitions = 2", "repetitions = 0", "line 19", "greater than"),
    "memory": ('memory = "2GB"', 'memory = "lots"', "line 20", "2GB"),
    "section": ("[study]", "[sutdy]", "line 18", "Did you mean 'study'"),
    "measures": ("repetitions = 2", "measures = ['npc']", "line 19", "Did you mean 'ncp'"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_refused_with_its_place(tmp_path, wrong):
    old, new, place, told = WRONG[wrong]
    with pytest.raises(ParameterError) as refused:
        read_study(write(tmp_path, old, new))
    assert "study.toml" in str(refused.value)
    assert place in str(refused.value)
    assert told in str(refused.value)


def test_a_missing_file_is_refused(tmp_path):
    path = write(tmp_path, "generate = { size = 100, seed = 1 }", 'path = "people.csv"')
    with pytest.raises(SchemaError, match="people"):
        plan_study(read_study(path))
    with pytest.raises(SchemaError, match="nowhere"):
        read_study(tmp_path / "nowhere.toml")


def test_paths_are_relative_to_the_file(tmp_path):
    (tmp_path / "people.csv").write_text("age\n1\n")
    (tmp_path / "queries.csv").write_text("age=1\n")
    path = write(tmp_path, "generate = { size = 100, seed = 1 }", 'path = "people.csv"')
    path.write_text(path.read_text() + 'workload = "queries.csv"\n')
    plan = plan_study(read_study(path))
    assert plan.job.source.path == str(tmp_path / "people.csv")
    assert plan.job.workload.queries == (("age=1",),)


def test_there_is_an_example_for_every_kind():
    from sfumato.plugins import all_kinds

    assert sorted(path.stem for path in EXAMPLES) == sorted(all_kinds())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_compare_three_methods_along_something(path):
    plan = plan_study(read_study(path))
    assert plan.kind == path.stem
    assert len({trial.name for trial in plan.trials}) >= 3
    assert len(plan.varying) == 1
    assert len({str(trial.parameters[plan.varying[0]]) for trial in plan.trials}) >= 4


def test_data_and_files_named_by_options_decide_the_key(tmp_path):
    (tmp_path / "people.csv").write_text("person,age\na,1\n")
    (tmp_path / "age.csv").write_text("1,*\n")
    hierarchy = 'hierarchies = { age = "age.csv" }\nidentifier'
    path = write(tmp_path, "generate = { size = 100, seed = 1 }\nidentifier", f'path = "people.csv"\n{hierarchy}')
    seen = {plan_study(read_study(path)).job.digest}
    for name, text in (("people.csv", "person,age\na,2\n"), ("age.csv", "1,any\n")):
        (tmp_path / name).write_text(text)
        seen.add(plan_study(read_study(path)).job.digest)
    assert len(seen) == 3
    path.write_text(path.read_text().replace("repetitions = 2", "repetitions = 3"))
    assert plan_study(read_study(path)).job.digest in seen
