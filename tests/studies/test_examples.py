"""The example studies: all in a reduced form, one of them as it is."""

import dataclasses
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.plugins import metrics_for
from sfumato.studies.plan import plan_study
from sfumato.studies.study_file import read_study
from sfumato.studies.work import TrialRunner

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "studies").glob("*.toml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_method_of_an_example_works_on_its_data(path, tmp_path):
    plan = plan_study(read_study(path))
    job = dataclasses.replace(plan.job, measures=(metrics_for(plan.kind)[-1].name,))
    runner = TrialRunner(plan.job.source.read(), job, tmp_path, quick=0)
    first = {trial.name: trial for trial in reversed(plan.trials)}
    assert {name: runner.run(trial).status for name, trial in first.items()} == dict.fromkeys(first, "done")


@pytest.mark.slow
def test_an_example_runs_as_it_is(tmp_path):
    path = next(path for path in EXAMPLES if path.stem == "timeline")
    result = sf.study(path, out=tmp_path / "out")
    assert result.count() == {"done": 16}
    after = result.to_polars().filter(repetition=1, measure="deleted-share", label="odesa").sort("delta")["risk_after"]
    assert after.is_sorted()
    assert (tmp_path / "out" / "study.html").exists()
