"""Every measure of every kind says which direction is better and what the ends of its scale mean."""

from __future__ import annotations

import pytest

from sfumato import plugins
from sfumato.metrics.metric import Score

MEASURES = [(kind, metric) for kind in plugins.all_kinds() for metric in plugins.metrics_for(kind)]


@pytest.mark.parametrize(("kind", "metric"), MEASURES, ids=lambda value: getattr(value, "name", value))
def test_every_measure_has_a_scale(kind, metric):
    assert metric.scale.startswith(("lower is better; ", "higher is better; "))
    assert metric.ends.strip() == metric.ends and not metric.ends.endswith(".")
    score = metric.build_score(0.5, {}, metric.unit)
    assert isinstance(score, Score) and score.to_dict()["scale"] == score.scale == metric.scale


@pytest.mark.parametrize(("kind", "metric"), MEASURES, ids=lambda value: getattr(value, "name", value))
def test_unchanged_data_are_at_the_end_that_is_named(kind, metric):
    if isinstance(metric.unchanged, float):
        assert f"{metric.unchanged:g}: " in metric.ends
