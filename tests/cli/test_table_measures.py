"""Measures of a table on the command line: their parameters, and what is said of those that need more installed."""

from __future__ import annotations

import json

import pytest

from sfumato.cli import run


@pytest.fixture
def release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + n},{'f' if n % 3 else 'm'},{'retired' if n > 30 else 'works'}" for n in range(60)]
    (tmp_path / "people.csv").write_text("age,sex,job\n" + "\n".join(rows) + "\n", encoding="utf-8")
    read_options = ["--kind", "table", "--quasi", "age,sex", "--sensitive", "job"]
    words = [
        "anonymize",
        "people.csv",
        *read_options,
        "--method",
        "mondrian",
        "-p",
        "k=3",
        "--out",
        "out",
        "--no-report",
    ]
    assert run(words) == 0
    return ["measure", "out", "--original", "people.csv", "--json"]


def test_parameters_reach_their_measures(release, capsys):
    capsys.readouterr()
    assert run([*release, "-p", "queries=7"]) == 0
    found = {score["metric"]: score for score in json.loads(capsys.readouterr().out)["measures"]}
    assert found["attribute-queries"]["queries"] == 7 and 0 < found["ncp"]["value"] < 1
    assert run([*release, "-p", "querys=7"]) == 2
    assert "Did you mean 'queries'" in capsys.readouterr().err


def test_a_label_that_is_not_there_is_refused(release, capsys):
    pytest.importorskip("sklearn")
    assert run([*release, "-p", "label=boat"]) == 2
    assert "no published column 'boat'" in capsys.readouterr().err
    assert run([*release, "-p", "label=sex"]) == 0
    found = {score["metric"]: score for score in json.loads(capsys.readouterr().out.splitlines()[-1])["measures"]}
    assert found["prediction"]["label"] == "sex"


def test_a_workload_asks_for_attributes(release, capsys, tmp_path):
    (tmp_path / "queries.txt").write_text("age=20..29 > sex=f\njob=retired\n", encoding="utf-8")
    capsys.readouterr()
    assert run([*release, "--workload", "queries.txt"]) == 0
    found = {score["metric"]: score for score in json.loads(capsys.readouterr().out)["measures"]}
    assert found["attribute-queries"]["queries"] == 2
