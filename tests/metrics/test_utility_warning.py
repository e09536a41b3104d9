"""A release of no use is called so, by thresholds that stand in one place, each on the scale of its measure."""

import pytest

import sfumato as sf
from sfumato import plugins
from sfumato.metrics.metric import Score
from sfumato.metrics.utility_warning import THRESHOLDS, judge_usefulness

METRICS = {(kind, metric.name): metric for kind in plugins.all_kinds() for metric in plugins.metrics_for(kind)}


def test_every_threshold_is_that_of_a_loss_and_has_a_reason():
    for name, threshold in THRESHOLDS.items():
        metrics = [metric for (_, known), metric in METRICS.items() if known == name]
        assert metrics, name
        assert all((metric.better, metric.unchanged) == ("lower", 0.0) for metric in metrics), name
        assert 0 < threshold.useless <= 1 and threshold.reason and "{value}" in threshold.meaning


def test_every_kind_has_a_headline():
    for kind in plugins.all_kinds():
        assert any(known == kind and name in THRESHOLDS and THRESHOLDS[name].is_primary for known, name in METRICS), (
            kind
        )


@pytest.mark.parametrize("name", THRESHOLDS)
def test_the_threshold_itself_is_too_much(name):
    useless = THRESHOLDS[name].useless
    (low,) = judge_usefulness([Score(name, useless)], "A smaller k.")
    assert low.is_warning and low.sentence.startswith("Low utility: ") and low.hint == "A smaller k."
    assert not judge_usefulness([Score(name, useless - 1e-6)]).warnings


def test_what_is_measured_is_said_with_the_parameter_that_helps(tmp_path):
    rows = [(number, "ab"[number % 2]) for number in range(40)]
    data = sf.Dataset.of("table", rows, ("age", "sex"))
    result = sf.anonymize(data, sf.methods.Mondrian(k=40), secret=bytes(32))
    found = {one.about: one for one in sf.measure(result).remaining}
    assert found["ncp"].is_warning and "A smaller k" in found["ncp"].hint
    assert found["leftover"].sentence == (
        "Low utility: 40 different combinations of quasi-identifiers are published as 1 class."
    )
    with pytest.warns(sf.ReleaseWarning, match="Low utility"):
        verdict = sf.write(result, tmp_path / "out")
    assert verdict and {"ncp", "leftover"} <= {one.about for one in verdict.remaining if one.is_warning}
    assert "Low utility" in (tmp_path / "out" / "owner" / "report.html").read_text("utf-8")


def test_a_good_release_has_one_line_about_its_use_and_no_warning():
    data = sf.Dataset.of("table", [(number // 4,) for number in range(80)], ("age",))
    found = sf.measure(sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))).remaining
    assert [one.about for one in found] == ["attribute-queries"] and not found.warnings
