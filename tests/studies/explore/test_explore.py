"""Exploring data, from a file to a policy that runs."""

import tomllib

import pytest

import sfumato as sf
from sfumato import plugins
from sfumato.cli import run
from sfumato.exceptions import ParameterError
from sfumato.studies import compilation
from sfumato.studies import run as runner
from sfumato.studies.explore.candidates import list_candidates

PEOPLE = [(20 + number % 9, "fm"[number % 2], ("flu", "cold", "cough")[number % 3]) for number in range(120)]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,sex,ill\n" + "".join(f"{age},{sex},{ill}\n" for age, sex, ill in PEOPLE))
    return path


def test_a_file_becomes_a_policy_that_runs_and_holds(table, tmp_path):
    found = sf.explore(
        table, "table", out=tmp_path / "out", methods=["mondrian", "cluster"], workers=1,
        quasi=["age", "sex"], sensitive=["ill"],
    )  # fmt: skip
    assert {point.trial.method for point in found.tried} == {"mondrian", "cluster"}
    assert 1 <= len(found.choices) <= 3 and found.choices[0].role == "balanced"
    assert set(found.table.column("status").to_pylist()) == {"done"}
    policy = tomllib.loads((tmp_path / "out" / "policy.toml").read_text())
    assert policy["method"]["name"] == found.picked.tried.trial.method
    assert run(["run", str(tmp_path / "out" / "policy.toml"), "--json"]) == 0
    assert sf.verify(tmp_path / "out" / "published").holds
    page = (tmp_path / "out" / "explore.html").read_text()
    assert "people.csv" in page and "<script" not in page and "balanced choice" in page
    assert (tmp_path / "out" / "results.csv").exists()


def test_an_exploration_that_is_there_is_not_replaced(table, tmp_path):
    words = ["explore", str(table), "--kind", "table", "--quasi", "age,sex", "--sensitive", "ill", "--out",
             str(tmp_path / "out"), "--method", "mondrian", "--workers", "1", "--json"]  # fmt: skip
    assert run(words) == 0
    kept = (tmp_path / "out" / "results.csv").read_bytes()
    (tmp_path / "other.csv").write_text("age,sex,ill\n" + "20,f,flu\n" * 9)
    assert run([words[0], str(tmp_path / "other.csv"), *words[2:]]) == 2
    assert (tmp_path / "out" / "results.csv").read_bytes() == kept


def test_what_cannot_be_tried_is_said_with_what_would_help():
    clicks = sf.Dataset.of("sequences", [[("mail", 1)], [("mail", 2)]])
    with pytest.raises(ParameterError, match=r"need monitored events \(monitored\)"):
        sf.explore(clicks)
    with pytest.raises(ParameterError, match="there is no method"):
        sf.explore(sf.Dataset.of("sets", [["a"], ["b"]]), methods=["mondrain"])
    with pytest.raises(ParameterError, match="mondrian is not a method for sets"):
        sf.explore(sf.Dataset.of("sets", [["a"], ["b"]]), methods=["mondrian"])
    with pytest.raises(ParameterError, match="There is no measure"):
        sf.explore(sf.Dataset.of("sets", [["a"], ["b"]]), measure="beauty")
    with pytest.raises(ParameterError, match="kind= is missing"):
        sf.explore("people.csv")


@pytest.mark.parametrize("kind", plugins.all_kinds())
def test_every_kind_declares_what_to_try(kind):
    declared = plugins.find_kind(kind)
    methods = plugins.methods_for(kind)
    assert declared.recommended and set(declared.recommended) <= set(methods)
    assert declared.primary_metrics and set(declared.primary_metrics) <= {
        metric.name for metric in plugins.metrics_for(kind)
    }
    names = {parameter for method in methods.values() for parameter in method.__dataclass_fields__}
    assert set(declared.default_grid) <= names


def test_candidates_come_from_what_methods_declare_and_data_have():
    plain = sf.Dataset.of("table", [(20, "f"), (30, "m")], ("age", "sex"))
    told = sf.Dataset.of("table", [(20, "f"), (30, "m")], ("age", "sex"), sensitive=("sex",))
    assert {trial.parameters["l"] for trial in list_candidates(plain).rest} == {1}
    assert {trial.parameters["l"] for trial in list_candidates(told).rest} == {1, 2}
    places = sf.Dataset.of("trajectories", [["a"], ["b"]], {"a": (0, 0), "b": (1, 1)})
    found = list_candidates(places)
    assert found.first[0].method == "local-km"
    assert found.lacking["lm-anon"] == "sensitive places (sensitive)" and "u-seqanon" in found.lacking


def test_when_time_is_up_what_is_left_is_counted(monkeypatch):
    data = sf.Dataset.of("table", [row[:2] for row in PEOPLE], ("age", "sex"))
    monkeypatch.setattr("sfumato.studies.explore._Request._try", lambda self, trials, *others: list(trials))
    found = sf.explore(data, workers=1)
    assert not found.choices and found.unrun and "were not tried" in found.sentences[-1]
    assert "nothing" in repr(found)


@pytest.mark.slow
def test_nothing_is_compiled_while_candidates_are_timed(monkeypatch):
    order = []
    run_samples, run_trials = compilation.run_samples, runner.run_trials

    def warm(work, *rest):
        order.append(sorted(trial.method for _, trial in work))
        return run_samples(work, *rest)

    def timed(trials, *rest, **named):
        order.append(sorted(trial.method for trial in trials))
        return run_trials(trials, *rest, **named)

    monkeypatch.setattr(compilation, "run_samples", warm)
    monkeypatch.setattr(runner, "run_trials", timed)
    data = sf.Dataset.of("table", [(20 + n % 7, "fm"[n % 2]) for n in range(40)], ("age", "sex"))
    sf.explore(data, seconds=60, workers=1, methods=["mondrian"])
    assert order[:2] == [["mondrian"], ["mondrian"]]
