"""Verdicts, attacks and measures of every kind have one text, one frame and plain values."""

from __future__ import annotations

import json
import re
import sys

import pandas as pd
import polars as pl
import pytest
from tests.release.test_flat import METHODS

import sfumato as sf
from sfumato.base.tabular import align, show_value
from sfumato.base.verdict import Verdict
from sfumato.exceptions import ParameterError
from sfumato.formats.frames import make_frame

CODE = re.compile(r"[{}]|\w+\(\w+=|array\(|Fraction|None|True|False|\d\.\d{6}")
"""What Python writes for itself."""


@pytest.fixture(scope="module", params=METHODS)
def results(request):
    data, method = METHODS[request.param]()
    result = sf.anonymize(data, method, secret=bytes(32))
    return {
        "verify": sf.verify(result),
        "attack": sf.attack(result),
        "attack_beyond": sf.attack_beyond(result),
        "attack_rising": sf.attack_rising(result),
        "attack_together": sf.attack_together(result, result),
        "measure": sf.measure(result),
        "score": sf.measure(result)[0],
    }


def test_texts_are_tables_in_plain_words(results):
    for name, result in results.items():
        text = repr(result)
        # Labels such as {a|b} are published; nothing else has braces.
        assert not CODE.search(re.sub(r"\{[^{}:']*\|[^{}:']*\}", "", text)), (name, text)
        assert all(len(line) <= 120 for line in text.split("\n") if "  " not in line.strip()), (name, text)
        assert str(result) == text


def test_measures_say_their_scale(results):
    lines = repr(results["measure"]).split("\n")
    for score in results["measure"]:
        assert any(score.name in line and f"{score.better} is better" in line for line in lines)
    assert set(results["measure"].to_frame()["better"]) <= {"lower", "higher"}
    assert "{" not in "".join(results["measure"].to_frame()["explanation"])


def test_frames_have_a_row_for_each_thing(results):
    frames = {name: result.to_frame() for name, result in results.items()}
    assert all(isinstance(frame, pd.DataFrame) for frame in frames.values())
    assert len(frames["measure"]) == len(results["measure"])
    assert len(frames["attack"]) == len(frames["attack_together"]) == len(frames["score"]) == 1
    assert len(frames["attack_beyond"]) == len(results["attack_beyond"])
    rising = results["attack_rising"]
    assert frames["attack_rising"]["when"].tolist() == [when for when, found in rising.items() for _ in found]
    verdict = results["verify"]
    assert frames["verify"]["passed"].dropna().tolist() == list(verdict.checks.values())


def test_plain_values_are_json(results):
    for result in results.values():
        assert json.loads(json.dumps(result.to_dict(), default=str))


def test_frames_are_of_polars_where_pandas_is_missing(monkeypatch):
    verdict = Verdict(True, {"k": 5, "diversity": "distinct"}, {"k": 7, "share": 0.5})
    monkeypatch.setitem(sys.modules, "pandas", None)
    frame = verdict.to_frame()
    assert isinstance(frame, pl.DataFrame) and frame["name"].to_list() == ["k", "diversity", "share"]
    assert frame["claimed"].to_list() == ["5", "distinct", None] and frame["measured"].to_list() == [7.0, None, 0.5]
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ParameterError, match="neither pandas nor polars is installed"):
        verdict.to_frame()


def test_no_rows_are_an_empty_frame():
    assert make_frame([]).empty


def test_what_breaks_a_claim_is_shown():
    verdict = Verdict(
        False,
        {"k": 5, "l": None},
        {"k": 2},
        {"rows": [1, 2]},
        {"counts": False, "structure": True},
        unsettled=("Some files are missing.",),
        undeclared=("notes.txt",),
        warnings=("Look at this.",),
        method_note="Labels were drawn.",
    )
    assert repr(verdict).split("\n") == [
        "Broken: the release does not keep its guarantee. Do not publish it.",
        "Some files are missing.",
        "Not declared: notes.txt.",
        "  parameter  claimed  measured",
        "  k          5        2",
        "Failed: counts",
        "Counterexample: rows: 1, 2",
        "Warning: Look at this.",
        "About the method (cannot be verified from the files): Labels were drawn.",
    ]


def test_hidden_characters_are_visible():
    assert "\x1b" not in repr(Verdict(True, {"k": "\x1b[2J"}, {}))
    assert list(align([("a\x1b", "b")])) == [r"  a\u{1b}  b"]


def test_values_have_few_digits():
    assert [show_value(value) for value in (1 / 3, 12345, 1e6, 0.0)] == ["0.3333", "12,345", "1,000,000", "0"]
    assert show_value([0.5, {"a": 1 / 3}], is_share=True) == "50 %, a: 33.3 %"
