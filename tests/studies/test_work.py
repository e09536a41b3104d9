"""The work of one cell, in this process."""

import dataclasses
import pickle

import pytest
from tests.studies.traps import people

import sfumato as sf
from sfumato.params import build
from sfumato.plugins import find_method
from sfumato.studies.source import GeneratedSource, HeldSource
from sfumato.studies.trials import PHASES, Job, Trial
from sfumato.studies.work import TrialRunner

BASKETS = {"size": 80, "seed": 1, "items": 12, "mean_length": 3.0}


def make_trial(name, kind, repetition=1, **parameters):
    return Trial(name, build(find_method(name, kind), parameters).parameters(), repetition)


def make_runner(source, folder, **more):
    return TrialRunner(source.read(), Job(source, **more), folder, quick=0)


def test_a_cell_is_measured_attacked_and_timed_and_leaves_nothing(tmp_path):
    outcome = make_runner(HeldSource(people()), tmp_path).run(make_trial("mondrian", "table", k=5))
    assert outcome.status == "done"
    assert {"ncp", "precision", "discernibility"} <= {score["measure"] for score in outcome.scores}
    assert list(outcome.seconds) == list(PHASES)
    assert outcome.peak_memory > 1_000_000
    assert outcome.risk["before"]["smallest"] < 5 <= outcome.risk["after"]["smallest"]
    assert outcome.published == outcome.records == 60
    assert list(tmp_path.iterdir()) == []


def test_the_same_cell_gives_the_same_and_another_repetition_other_queries(tmp_path):
    runner = make_runner(HeldSource(people()), tmp_path, measures=("attribute-queries",))
    one, again, other = (runner.run(make_trial("mondrian", "table", turn, k=5)).scores for turn in (1, 1, 2))
    assert one == again
    assert [score["measure"] for score in one] == ["attribute-queries"]
    assert one != other


@pytest.mark.parametrize(("m", "known"), [(None, (1, 2)), (2, (2, 2))])
def test_one_attacker_for_all_where_the_study_says_how_much_is_known(tmp_path, m, known):
    runner = make_runner(GeneratedSource("sets", BASKETS), tmp_path, m=m, measures=("item-loss",))
    found = [runner.run(make_trial("apriori", "sets", k=4, m=size)).risk for size in (1, 2)]
    assert tuple(risk["before"]["m"] for risk in found) == known
    assert tuple(risk["after"]["m"] for risk in found) == known


def test_measures_take_parameters(tmp_path):
    source = HeldSource(people())
    runner = make_runner(source, tmp_path, measures=("attribute-queries",), measure_parameters={"queries": 20})
    assert runner.run(make_trial("mondrian", "table", k=5)).status == "done"


def test_datasets_with_hierarchies_can_be_sent_to_other_processes(tmp_path):
    (tmp_path / "a.csv").write_text("age,sex\n" + "".join(f"{20 + n % 30},{'fm'[n % 2]}\n" for n in range(60)))
    options = {"quasi": ["age", "sex"], "hierarchies": {"age": "width:5", "sex": "flat"}}
    source = HeldSource(sf.read(tmp_path / "a.csv", "table", **options))
    sent = pickle.loads(pickle.dumps(source))
    assert sent.digest() == source.digest()
    assert sent.read().table.equals(source.dataset.table)
    assert make_runner(sent, tmp_path).run(make_trial("optimal", "table", k=3)).status == "done"


@pytest.mark.slow
def test_a_study_in_memory_can_be_resumed(tmp_path):
    methods = [sf.methods.Mondrian(k=2), sf.methods.Mondrian(k=2, l=1, cut="relaxed")]
    first = sf.study(people(), methods, vary={"k": [2, 3]}, measures=["ncp"], out=tmp_path / "out", workers=1)
    assert sorted({trial.name for trial, _ in first.trials}) == ["mondrian (cut=relaxed)", "mondrian (cut=strict)"]
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "cells").iterdir()}
    again = sf.study(people(), methods, vary={"k": [2, 3]}, measures=["ncp"], out=tmp_path / "out", workers=1)
    assert again.table.equals(first.table)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "cells").iterdir()} == kept


def test_what_a_study_does_not_know_is_refused():
    with pytest.raises(sf.ParameterError, match="repetitons"):
        sf.study(people(), [sf.methods.Mondrian(k=2)], repetitons=2)
    with pytest.raises(sf.ParameterError, match="needs at least one method"):
        sf.study(people(), [])
    with pytest.raises(sf.ParameterError, match="no parameter 'm'"):
        sf.study(people(), [sf.methods.Mondrian(k=2)], vary={"m": [2]})
    with pytest.raises(sf.ParameterError, match="takes no methods or options beside a study file"):
        sf.study("study.toml", [sf.methods.Mondrian(k=2)])


def test_labels_do_not_decide_what_is_run_again():
    trial = make_trial("mondrian", "table", k=5)
    assert trial.key("x") == dataclasses.replace(trial, label="mine", varying=("k",)).key("x")
    assert trial.key("x") != trial.key("y")
