"""Every measure keeps what it declares: what it gives on unchanged data, and what never makes it better."""

from __future__ import annotations

import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.kinds.worsening import EVERY
from tests.examples import settings

from sfumato import plugins
from sfumato.metrics.metric import Metric, Operation

METRICS = [metric for kind in sorted({shape.kind for shape in EVERY}) for metric in plugins.metrics_for(kind)]
ROUNDING = 1e-9
WITHOUT = {
    "Sets": {"multilevel-itemsets"},
    "Tables": {"microaggregation-error", "prediction", "weighted-queries", "weighted-shares"},
    "Activity": {"weighted-durations"},
}
"""What cannot be measured on such data: no hierarchy, no class means, too few records to learn from, no weights."""


def test_no_measure_is_left_out() -> None:
    every = [metric for kind in plugins.all_kinds() for metric in plugins.metrics_for(kind)]
    assert {type(metric) for metric in every} == {type(metric) for metric in METRICS}


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_measure_says_how_to_read_it(metric: Metric) -> None:
    declared = type(metric)
    assert isinstance(declared.unchanged, float) or declared.unchanged.endswith("."), "a value, or a sentence why none"
    possible = {step for shape in EVERY if shape.kind in metric.kinds for step in shape.steps}
    assert set(declared.monotone) <= possible <= set(typing.get_args(Operation))
    if possible - set(declared.monotone):
        assert declared.not_monotone.endswith("."), "a sentence that says why it is monotone under no more"


@pytest.mark.parametrize("shape", EVERY, ids=lambda shape: shape.__name__)
def test_unchanged_data_give_what_is_declared(shape: typing.Any) -> None:
    measured = set()

    @settings(max_examples=40)
    @given(st.data())
    def unchanged(data: st.DataObject) -> None:
        comparison = shape.draw(data.draw).publish()
        for metric in plugins.metrics_for(shape.kind):
            if not metric.applies(comparison):
                continue
            value = metric.measure(comparison).value
            measured.add(metric.name)
            if isinstance(metric.unchanged, float):
                assert value == pytest.approx(metric.unchanged, abs=ROUNDING), metric.name

    unchanged()
    form = {"Sets": "records", "SeparatedSets": "chunks"}.get(shape.__name__)
    expected = {
        metric for metric in plugins.metrics_for(shape.kind) if form in (*getattr(metric, "forms", (form,)), None)
    }
    assert measured == {metric.name for metric in expected} - WITHOUT.get(shape.__name__, set())


@pytest.mark.parametrize("shape", EVERY, ids=lambda shape: shape.__name__)
def test_a_worse_release_never_measures_better(shape: typing.Any) -> None:
    @settings(max_examples=60)
    @given(st.data())
    def worsen(data: st.DataObject) -> None:
        state = shape.draw(data.draw)
        for step in data.draw(st.lists(st.sampled_from(shape.steps), max_size=3)):
            state = state.step(data.draw, step)
        step = data.draw(st.sampled_from(shape.steps))
        was, now = state.publish(), state.step(data.draw, step).publish()
        for metric in plugins.metrics_for(shape.kind):
            if step in metric.monotone and metric.applies(was) and metric.applies(now):
                better, worse = metric.measure(was).value, metric.measure(now).value
                if metric.better == "higher":
                    better, worse = worse, better
                assert worse >= better - ROUNDING, (metric.name, step)

    worsen()
