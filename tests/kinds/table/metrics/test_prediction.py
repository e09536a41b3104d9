"""What models learn from a release, and what is said where nothing can be learnt."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.table.given_classes import compare
from tests.kinds.table.metrics.test_losses import comparisons

import sfumato as sf
from sfumato.api.calls import measure_release
from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.comparison.features import MOST_LABELS, Features
from sfumato.kinds.table.metrics.prediction import Prediction
from sfumato.metrics.comparison import Comparison
from sfumato.plugins import metrics_for

NAMES = ("age", "sex", "job")


def make_workers(people=120, seed=1):
    """Old people are retired, and a few others."""
    generator = np.random.default_rng(seed)
    ages, sexes = generator.integers(20, 90, people), generator.choice(["f", "m"], people)
    rows = [
        (int(age), str(sex), "retired" if age > 60 or generator.random() < 0.05 else "works")
        for age, sex in zip(ages, sexes, strict=True)
    ]
    return sf.Dataset.of("table", rows, NAMES, sensitive=("job",))


@pytest.fixture
def learns():
    pytest.importorskip("sklearn")


def test_an_exact_release_teaches_what_the_original_teaches(learns):
    data = make_workers()
    details = Prediction().measure(compare(data, range(len(data)))).details
    for model in ("logistic_regression", "random_forest"):
        assert details[model] == details[f"{model}_of_original"] > details["most_frequent"]
    assert details["label"] == "job" and details["records"] == 120


def test_a_release_that_says_nothing_teaches_nothing(learns):
    data = make_workers()
    score = Prediction().measure(compare(data, [0] * len(data)))
    assert score.value <= score.details["logistic_regression_of_original"] - 0.1
    assert score.value <= score.details["most_frequent"] + 0.1


def test_classes_of_neighbours_teach_nearly_everything(learns):
    data = make_workers()
    ages = np.array([int(age) for age in data.table.column("age").to_pylist()])
    group = np.argsort(np.argsort(ages, kind="stable")) // 5
    details = Prediction().measure(compare(data, group.tolist(), k=5)).details
    assert details["random_forest"] > details["most_frequent"] + 0.1


def test_the_same_seed_gives_the_same_folds(learns):
    data = make_workers()
    comparison = compare(data, [n // 4 for n in range(len(data))])
    assert Prediction().measure(comparison) == Prediction().measure(comparison)
    other = Comparison(data, comparison.release, comparison.rows, seed=7)
    assert Prediction().measure(comparison).details != Prediction().measure(other).details
    assert Prediction(records=50).measure(comparison).details["records"] == 50


def test_any_column_can_be_the_label_and_teaches_where_it_is_exact(learns):
    data = make_workers()
    exact = Prediction(label="sex").measure(compare(data, range(len(data)))).details
    assert exact["label"] == "sex" and exact["random_forest"] == exact["random_forest_of_original"]
    hidden = Prediction(label="sex").measure(compare(data, [0] * len(data)))
    assert hidden.value == 0.0  # nobody ever says which sex a record has
    scores = measure_release(compare(data, range(len(data))), {"label": "sex"})
    assert next(score for score in scores if score.name == "prediction").details["label"] == "sex"


@pytest.mark.parametrize(
    ("label", "told"),
    [("boat", "no published column 'boat'"), ("age", "different values"), (None, "no sensitive column")],
)
def test_what_cannot_be_predicted_is_said(learns, label, told):
    data = make_workers(400)
    if label is None:
        data = sf.Dataset.of("table", [(n,) for n in range(40)], ("age",))
    comparison = compare(data, range(len(data)))
    assert told in Prediction(label=label).obstacle(comparison)
    assert all(score.name != "prediction" for score in measure_release(comparison)) or label
    if label is not None:
        with pytest.raises(SfumatoError, match=told):
            measure_release(comparison, {"label": label})


def test_without_the_library_a_sentence_is_left(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "sklearn" else find(name))
    data = make_workers()
    comparison = compare(data, range(len(data)))
    assert "pip install 'sfumato[learn]'" in Prediction().obstacle(comparison)
    assert "prediction" not in {score.name for score in measure_release(comparison)}
    with pytest.raises(SfumatoError, match="scikit-learn"):
        measure_release(comparison, {"label": "job"})


def test_parameters_go_to_the_measures_that_declare_them():
    found = {metric.name: metric for metric in metrics_for("table", {"label": "sex", "queries": "7"})}
    assert found["prediction"].label == "sex" and found["attribute-queries"].queries == 7
    with pytest.raises(ParameterError, match="Did you mean 'label'"):
        metrics_for("table", {"lable": "sex"})


def test_features_of_labels_are_one_of_many_and_rare_ones_are_together():
    rows = [(f"city {n:03}",) for n in range(60) for _ in range(2 if n < 50 else 1)] + [(None,)]
    data = sf.Dataset.of("table", rows, ("city",))
    exact = Features(compare(data, range(len(data))).view(TableComparison).columns[0])
    assert exact.of_original.shape == (len(rows), MOST_LABELS + 2)
    assert (exact.of_original.sum(axis=1) == 1).all() and exact.of_original[:, -2].sum() == 10
    assert exact.of_original[-1, -1] == 1
    pairs = Features(compare(data, [n // 2 for n in range(len(data))]).view(TableComparison).columns[0])
    assert (pairs.draw(np.random.default_rng(1).random(len(data))).sum(axis=1) == 1).all()


def test_features_of_numbers_with_a_hierarchy_of_labels_lie_on_the_axis():
    tree = sf.Hierarchy.from_paths([(str(n), f"{n // 5 * 5}+", "*") for n in range(20)])
    data = sf.Dataset.of("table", [(0,), (4,), (10,), (None,)], ("age",), hierarchies={"age": tree})
    found = Features(compare(data, [0, 0, 1, 2]).view(TableComparison).columns[0])
    assert found.of_original.tolist() == [[0, 0], [0.4, 0], [1, 0], [0.5, 1]]
    drawn = sorted(found.draw(np.random.default_rng(1).random(4)).tolist())
    assert [0.5, 1] in drawn and [1, 0] in drawn
    assert all(place in (0, 0.1, 0.2, 0.3, 0.4) for place, missing in drawn[:2])


@given(comparisons(), st.integers(0, 5))
def test_values_are_drawn_from_their_cells(comparison, seed):
    rows = comparison.rows
    for column in comparison.view(TableComparison).columns:
        features = Features(column)
        drawn = features.draw(np.random.default_rng(seed).random(len(rows)))
        assert drawn.shape[1] == features.of_original.shape[1] and np.isfinite(drawn).all()
        exact = column.exact[column.published.codes]
        assert drawn[exact] == pytest.approx(features.of_original[rows][exact])
        if column.attribute.axis is not None:
            (low, high), suppressed = column.values.bounds, column.values.suppressed
            axis = column.attribute.axis
            span = max(axis[-1] - axis[0], 1e-9)
            place = drawn[:, 0] * span + axis[0]
            inside = (place >= low[column.published.codes] - 1e-9) & (place <= high[column.published.codes] + 1e-9)
            missing = drawn[:, 1] == 1
            assert (inside | missing | suppressed[column.published.codes]).all()
