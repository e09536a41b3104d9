"""The page of a study and its plots, from outcomes that are made up."""

import base64
import hashlib
import json
import re

import pytest

from sfumato.exceptions import ParameterError
from sfumato.studies.page import write_page
from sfumato.studies.plots import find_front, list_figures, save_plots
from sfumato.studies.results import StudyResult
from sfumato.studies.trials import PHASES, Trial, TrialResult

HOSTILE = "</script><script>alert(1)</script>\u202e"


def outcome(value, risk, seconds=0.1):
    score = {
        "measure": "ncp",
        "value": value,
        "better": "lower",
        "unit": "",
        "title": "Loss",
        "explanation": "How much.",
    }
    after = {"of": "mean_success", "success": risk, "unique": 0.0, "smallest": 5, "knowledge": "attributes", "m": None}
    risks = {"before": {**after, "success": 0.9, "unique": 0.8, "smallest": 1}, "after": after}
    return TrialResult(
        "done", scores=(score,), seconds=dict.fromkeys(PHASES, seconds), peak_memory=10**8, risk=risks, records=100,
        published=100, withheld=0, guarantee="5-anonymity",
    )  # fmt: skip


def result(labels=("a", "b"), ks=(2, 5, 10), turns=(1, 2)):
    trials = [
        (Trial("mondrian", {"k": k, "l": 1}, turn, label, ("k",)), outcome(0.1 * k + 0.01 * turn + at, 1 / k))
        for at, label in enumerate(labels)
        for k in ks
        for turn in turns
    ]
    failed = (
        Trial("mondrian", {"k": 400, "l": 1}, 1, labels[0], ("k",)),
        TrialResult("infeasible", "there is no way."),
    )
    data = {"records": 100, "unit": {"one": "person", "many": "people"}, "notes": ["3 rows had no age."]}
    return StudyResult((*trials, failed), {"title": "Mine", "kind": "table", "planned": len(trials) + 2, "data": data})


def test_the_front_is_what_no_other_point_beats_in_both():
    risks, values = [0.5, 0.2, 0.2, 0.1, 0.1], [0.1, 0.3, 0.4, 0.3, 0.3]
    beaten = [
        any((r <= risk and v <= value) and (r < risk or v < value) for r, v in zip(risks, values, strict=True))
        for risk, value in zip(risks, values, strict=True)
    ]
    assert sorted(find_front(risks, values)) == [at for at, lost in enumerate(beaten) if not lost]
    assert find_front(risks, [-value for value in values], "higher") == find_front(risks, values)


def test_every_plot_is_drawn_from_the_numbers():
    figures = {figure.name: figure for figure in list_figures(result())}
    assert set(figures) == {
        "risk-success-k", "risk-unique-k", "measure-ncp-k", "front-ncp", "time-k", "time-by-phase"
    }  # fmt: skip
    lines = figures["measure-ncp-k"].spec()
    assert [layer["mark"]["type"] for layer in lines["layer"]] == ["area", "line", "point"]
    rows = next(iter(lines["datasets"].values())) if "datasets" in lines else lines["data"]["values"]
    first = next(row for row in rows if row["line"] == "a" and row["at"] == 2)
    assert first["mean"] == pytest.approx(0.215)
    assert (first["low"], first["high"]) == (pytest.approx(0.21), pytest.approx(0.22))
    assert "original" in json.dumps(figures["risk-success-k"].spec())
    assert [row[0].replace("\u00a0", " ") for row in figures["front-ncp"].rows] == ["a, k = 10", "a, k = 5", "a, k = 2"]


def test_nothing_varies_is_drawn_as_bars():
    trials = tuple((Trial("mondrian", {"k": 5}, 1, label), outcome(0.1, 0.2)) for label in "ab")
    figures = {figure.name: figure for figure in list_figures(StudyResult(trials))}
    assert figures["measure-ncp"].spec()["mark"]["type"] == "bar"


@pytest.mark.parametrize(("form", "begins"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("pdf", b"%PDF")])
def test_pictures_are_written(tmp_path, form, begins):
    paths = save_plots(result(turns=(1,)), tmp_path / "plots", form)
    assert len(paths) == 6
    assert all(path.read_bytes().startswith(begins) for path in paths)


def test_nothing_done_is_said():
    failed = StudyResult(((Trial("mondrian", {"k": 5}), TrialResult("crashed", "its process ended.")),), {"planned": 1})
    assert "its process ended." in write_page(failed)
    with pytest.raises(ParameterError, match="no finished trial to plot"):
        save_plots(failed, None, "png")


def test_the_page_says_what_was_found_and_loads_nothing():
    page = write_page(result())
    words = re.sub(r"<script.*?</script>|<style.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL).replace("\u00a0", " ")
    for told in (
        "Mine", "100 people", "2 methods, 14 trials: 12 done, 1 without a result", "1 not run yet", "In short",
        "Lowest risk: a, k = 10", "there is no way.", "No release can keep the guarantee", "3 rows had no age.",
        "Risk before and after", "Numbers behind this plot",
    ):  # fmt: skip
        assert told in words, told
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy.startswith("default-src 'none'")
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    assert len(scripts) == 2
    for script in scripts:
        assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in policy
    without = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"<[^>]+\b(?:src|href)=['\"](?!#)", without)


def test_hostile_labels_stay_texts():
    page = write_page(result(labels=(HOSTILE, "b")))
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert page.count("<script>") == 2


def test_the_table_is_tidy():
    table = result().table
    assert table.num_rows == 13
    assert table.column_names[:5] == ["method", "label", "parameters", "repetition", "k"]
    assert set(table["status"].to_pylist()) == {"done", "infeasible"}
    assert table.filter(table["k"].combine_chunks().cast("int64").to_numpy() == 400)["value"].to_pylist() == [None]
    assert "12 done, 1 infeasible" in result()._repr_html_()


def test_values_of_several_types_become_texts_and_reserved_names_are_kept_apart():
    trials = tuple(
        (Trial("x", {"delta": delta, "value": 1}, 1, "", ("delta", "value")), TrialResult("refused", "no."))
        for delta in ("1/4", 0.5)
    )
    table = StudyResult(trials).table
    assert table["delta"].to_pylist() == ["1/4", "0.5"]
    assert table["parameter_value"].to_pylist() == [1, 1]
    assert table["value"].to_pylist() == [None, None]
