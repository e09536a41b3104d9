"""What the releases of a study answer over time: in cells, in tables beside the results, in plots, on the page."""

import json
import re
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.metrics.time_series import TimeSeries
from sfumato.studies.page import write_page
from sfumato.studies.plots import list_figures, save_plots
from sfumato.studies.results import StudyResult, read_results
from sfumato.studies.source import HeldSource
from sfumato.studies.trials import PHASES, Job, Trial, TrialResult
from sfumato.studies.work import TrialRunner

HOSTILE = "</script><b>\u202e"


def people(number=40):
    rows = [[("mail", 3 * at % 90), ("news", 2 * at), ("mail", 50 + at)] for at in range(number)]
    return sf.Dataset.of("sequences", rows, monitored=("mail",))


def made_up(labels=("hl",), ks=(2, 3, 5, 9), turns=(1,), value="mail", dated=True):
    edges = ("2024-01-01", "2024-01-02", "2024-01-03") if dated else (0, 5, 10)
    trials = []
    for label in labels:
        for k in ks:
            for turn in turns:
                time_series = TimeSeries(value, "people", dated, edges, (1, 0), (2 + k, 5), (1.5, 1.0 + turn), (2, 1))
                outcome = TrialResult(
                    "done", answers=time_series.to_plain(), seconds=dict.fromkeys(PHASES, 0.1), published=9
                )
                trials.append((Trial("hl", {"k": k}, turn, label, ("k",) if len(ks) > 1 else ()), outcome))
    return StudyResult(tuple(trials), {"planned": len(trials), "kind": "sequences"})


def drawn(result):
    return [figure for figure in list_figures(result) if figure.section == "answers"]


@pytest.mark.parametrize("measures", [(), ("query-certainty",)])
def test_a_cell_is_asked_over_time_and_the_truth_lies_between(tmp_path, measures):
    runner = TrialRunner(people(), Job(HeldSource(people()), measures=measures), tmp_path, quick=0)
    outcome = TrialResult.from_json(runner.run(Trial("hl", {"k": 3})).to_json())
    time_series = TimeSeries.from_plain(outcome.answers)
    assert (time_series.value, time_series.counted, sum(time_series.truth) > 40) == ("mail", "people", True)
    for row in time_series.list_rows():
        assert row["certain"] <= row["truth"] <= row["possible"]
        assert row["certain"] <= row["expected"] <= row["possible"]


def test_studies_of_other_measures_or_without_times_are_not_asked(tmp_path):
    runner = TrialRunner(people(), Job(HeldSource(people()), measures=("interval-loss",)), tmp_path, quick=0)
    assert runner.run(Trial("hl", {"k": 3})).answers == {}
    baskets = sf.Dataset.of("sets", [["bread"], ["bread"], ["wine"], ["wine"]])
    outcome = TrialRunner(baskets, Job(HeldSource(baskets)), tmp_path, quick=0).run(Trial("apriori", {"k": 2, "m": 1}))
    assert (outcome.status, outcome.answers) == ("done", {})


@pytest.mark.slow
def test_the_numbers_lie_beside_the_results_and_come_out_the_same_when_resumed(tmp_path):
    asked = {"vary": {"k": [2, 4]}, "measures": ["query-certainty"], "workers": 1, "out": tmp_path / "out"}
    first = sf.study(people(), [sf.methods.Hl(k=2)], **asked)
    table = pq.read_table(tmp_path / "out" / "answers.parquet")
    assert table.equals(first.answers)
    assert table.column_names[4:] == [
        "k", "counted", "value", "from", "before", "certain", "possible", "expected", "truth"
    ]  # fmt: skip
    kept = (tmp_path / "out" / "answers.csv").read_bytes()
    assert len(kept.splitlines()) == table.num_rows + 1
    (tmp_path / "out" / "answers.csv").unlink()
    assert sf.study(people(), [sf.methods.Hl(k=2)], **asked).answers.equals(table)
    assert (tmp_path / "out" / "answers.csv").read_bytes() == kept
    assert read_results(tmp_path / "out").answers.equals(table)


def test_tables_of_an_earlier_run_do_not_stay(tmp_path):
    made_up().write(tmp_path)
    assert (tmp_path / "answers.csv").exists()
    StudyResult((), {}).write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.csv", "results.parquet"]


def test_every_method_has_a_plot_of_three_of_its_values_and_all_reach_equally_high():
    figures = drawn(made_up(labels=("one", "two"), turns=(1, 2)))
    assert [figure.name for figure in figures] == ["answers-1", "answers-2"]
    assert figures[0].title == "People with “mail” over time: one"
    assert "the first one" in figures[0].caption
    for figure in figures:
        spec = json.dumps(figure.spec())
        assert sorted(set(re.findall(r"k\\u00a0=\\u00a0(\d)", spec))) == ["2", "5", "9"]
        assert '"domain": [0, 11]' in spec
        # Of two repetitions the first is drawn.
        assert {row[3] for row in figure.rows} == {"1.5", "2"}
    assert len(figures[0].rows) == 3 * 2


@pytest.mark.parametrize("dated", [True, False])
def test_where_nothing_varies_there_is_one_band(tmp_path, dated):
    result = made_up(ks=(4,), dated=dated)
    (figure,) = drawn(result)
    assert [row[0] for row in figure.rows] == ["hl", "hl"]
    paths = save_plots(result, tmp_path / "plots", "svg")
    (picture,) = [path for path in paths if path.name == "answers-1.svg"]
    assert picture.read_bytes().startswith(b"<svg")


def test_the_page_has_them_and_hostile_values_stay_texts():
    page = write_page(made_up(value=HOSTILE, labels=("a",)))
    assert "Queries of the release" in page
    assert "answers.csv" in page
    assert "<b>\u202e" not in page
    assert "\u202e" not in page
    assert "Queries of the release" not in write_page(
        StudyResult(((Trial("hl", {"k": 2}), TrialResult("refused", "no.")),), {})
    )


def test_a_parameter_called_like_a_column_is_kept_apart():
    time_series = TimeSeries("a", "people", False, (0, 5), (1,), (2,), (1.5,), (2,))
    trial = Trial("x", {"value": 7}, 1, "", ("value",))
    table = StudyResult(((trial, TrialResult("done", answers=time_series.to_plain())),)).answers
    assert (table["parameter_value"].to_pylist(), table["value"].to_pylist()) == ([7], ["a"])


def test_studies_are_written_where_polars_is_not_installed(tmp_path):
    code = (
        "import sys; sys.modules['polars'] = None\n"
        "from sfumato.studies.results import StudyResult\n"
        f"StudyResult(()).write({str(tmp_path)!r})\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert (tmp_path / "results.csv").read_text().startswith("method,label,")
