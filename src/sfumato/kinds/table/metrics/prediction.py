"""How well a model that learnt from the release predicts."""

from __future__ import annotations

import dataclasses
import importlib.util
import warnings
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.table.comparison import NEEDS_ROWS, TableComparison
from sfumato.kinds.table.comparison.features import Features
from sfumato.kinds.table.comparison.losses import ComparedColumn
from sfumato.messages import Message, parameter
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import Facts, PartialSums
from sfumato.params import Param

__all__ = ["Prediction"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_MIN_RECORDS = 20
_MOST_CLASSES = 50
_NOT_INSTALLED = "needs scikit-learn, which is not installed: pip install 'sfumato[learn]'."
_MODELS = ("logistic_regression", "random_forest")


@dataclasses.dataclass(frozen=True)
class Prediction(SummedMetric):
    """Measure how often models that learn from the release guess a column of original records right.

    A logistic regression and a random forest learn the label from the quasi-identifiers of published records, of each
    cell a value drawn from all it may stand for. They are asked about original records they have not seen, in folds
    that depend on the seed alone. The same models that learn from the original instead
    (``..._of_original``), and always guessing the most frequent value (``most_frequent``), say how to read that. A
    record that is suppressed teaches nothing, and is asked about like any other. With more than `records` records, so
    many are drawn.

    The label is the first sensitive column, or the column asked for. One that is a quasi-identifier itself teaches only
    where it is published exactly.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [(age, "retired" if age > 64 else "works") for age in range(20, 90)]
    >>> data = sf.Dataset.of("table", rows, ("age", "job"), sensitive=("job",))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=5), secret=bytes(32))
    >>> comparison = Comparison(data, result.release, result.owner_record.rows)
    >>> obstacle = Prediction().obstacle(comparison)
    >>> obstacle is None or obstacle.startswith("needs scikit-learn")
    True
    """

    name: ClassVar[str] = "prediction"
    title: ClassVar[str] = "Accuracy of predictions learnt from the release"
    explanation = (
        "Share of correct predictions of a column by models trained on the release, averaged over a "
        "logistic regression and a random forest. Suppressed {many} are predicted but not trained on."
    )
    unit: ClassVar[str] = "of the predictions"
    better: ClassVar[Better] = "higher"
    ends: ClassVar[str] = "1: every guess is right, 0: none is"
    paper: ClassVar[str] = "Iyengar, Transforming data to satisfy privacy constraints (2002)"
    unchanged: ClassVar[float | str] = (
        "It is the accuracy of models trained on the original, which depends on the data."
    )
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "A model may predict better by chance, or because coarser cells prevent overfitting."

    label: Annotated[str | None, Param("Column to predict; by default the first sensitive one.")] = None
    folds: Annotated[int, Param("Number of folds of cross-validation.", ge=2, le=20)] = 3
    records: Annotated[int, Param("Largest number of records for training and testing.", ge=_MIN_RECORDS)] = 5000
    trees: Annotated[int, Param("Number of trees of the random forest.", ge=1)] = 20

    def lacks(self) -> str | None:
        """Say what is not installed."""
        return None if importlib.util.find_spec("sklearn") else _NOT_INSTALLED

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why nothing can be learnt here, or return None when something can."""
        reason = super().obstacle(comparison) or self.lacks() or (NEEDS_ROWS if comparison.rows is None else None)
        return reason or self._refuse_label(comparison.view(TableComparison))

    def _refuse_label(self, view: TableComparison) -> str | None:
        records = len(view.comparison.full_original.original)
        if records < _MIN_RECORDS:
            return f"needs at least {_MIN_RECORDS} records for training, got {records}."
        name = self._label(view)
        if name is None:
            return Message(
                "there is no sensitive column to predict; name a column: ", parameter("label", "COLUMN"), "."
            )
        if name not in view.by_name:
            return f"there is no published column {name!r}; choose from {', '.join(view.by_name)}."
        if not [column for column in view.columns if column.name != name]:
            return "there is no quasi-identifier to predict from."
        values = int((view.by_name[name].frequencies > 0).sum())
        if not 2 <= values <= _MOST_CLASSES:
            return f"column {name!r} has {values:,} different values; a label has 2 to {_MOST_CLASSES}."
        return None

    def _label(self, view: TableComparison) -> str | None:
        if self.label is not None:
            return self.label
        roles = {column.name: column.role for column in view.comparison.release.columns}
        return next((column.name for column in view.exact if roles[column.name] == "sensitive"), None)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Keep what those of the drawn records that are in this partition teach."""
        view = comparison.view(TableComparison)
        name = str(self._label(view))
        return {"label": Facts(name=name), "lessons": [_Lesson.of(view, view.by_name[name], self._draw(view))]}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:
        """Let models learn from both, and ask them about original records they have not seen."""
        lesson = _Lesson.unite(partial["lessons"])
        right = {kind: 0 for model in _MODELS for kind in (model, f"{model}_of_original")} | {"most_frequent": 0}
        test_count = 0
        for test, others in self._split(full_original):
            truth = lesson.label[test]
            test_count += len(test)
            values, counts = np.unique(lesson.label[others], return_counts=True)
            right["most_frequent"] += int((truth == values[counts.argmax()]).sum())
            for kind, features, labels in lesson.teach(others):
                for model in _MODELS:
                    predictions = self._predict(model, features, labels, lesson.original[test], full_original.seed)
                    right[model + kind] += int((predictions == truth).sum())
        shares = {kind: number / max(test_count, 1) for kind, number in right.items()}
        return sum(shares[model] for model in _MODELS) / len(_MODELS), {
            "label": partial["label"]["name"],
            **shares,
            "records": test_count,
            "folds": self.folds,
        }

    def _draw(self, view: TableComparison) -> Ints:
        """Return the drawn rows of the whole original, in their order."""
        return np.sort(self._permute(view.comparison.full_original))

    def _permute(self, full_original: FullOriginal) -> Ints:
        return np.random.default_rng(full_original.seed).permutation(len(full_original.original))[: self.records]

    def _split(self, full_original: FullOriginal) -> Iterator[tuple[Ints, Ints]]:
        """Draw folds: which of the drawn records are asked about, and the others."""
        drawn = self._permute(full_original)
        place = np.argsort(np.argsort(drawn, kind="stable"), kind="stable")
        for part in np.array_split(place, self.folds):
            yield np.sort(part), np.sort(np.setdiff1d(place, part))

    def _predict(self, model: str, features: Floats, labels: Ints, test_features: Floats, seed: int) -> Ints:
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from threadpoolctl import threadpool_limits

        if not len(labels):
            return np.full(len(test_features), -2, dtype=np.int64)
        classes = len(np.unique(labels))
        if classes == 1:
            return np.full(len(test_features), labels[0], dtype=np.int64)
        if model == "random_forest":
            learner = RandomForestClassifier(self.trees, min_samples_leaf=3, random_state=seed)
        else:
            learner = LogisticRegression(max_iter=100, solver="newton-cholesky" if classes == 2 else "lbfgs")
        # These are small problems: threads would only wait for each other.
        with warnings.catch_warnings(), threadpool_limits(1):
            # A model that has not settled after so many steps is as good as it gets.
            warnings.simplefilter("ignore")
            return np.asarray(learner.fit(features, labels).predict(test_features), dtype=np.int64)


@dataclasses.dataclass(frozen=True, eq=False)
class _Lesson:
    """What can be learnt from the drawn records of a partition: features before and after, and the label of each."""

    at: Ints
    """Which of the drawn records these are."""
    original: Floats
    published: Floats
    label: Ints
    is_labelled: npt.NDArray[np.bool_]
    """Whether a record is published with its label exact; if not, what is published of it teaches nothing."""

    @classmethod
    def of(cls, view: TableComparison, label: ComparedColumn, drawn: Ints) -> _Lesson:
        comparison = view.comparison
        chosen = np.arange(view.records) if comparison.chosen is None else comparison.chosen
        rows = np.flatnonzero(np.isin(chosen, drawn))
        at = np.searchsorted(drawn, chosen[rows])
        record = np.full(view.records, -1, dtype=np.int64)
        exact = label.exact[label.codes]
        record[comparison.row_map[exact]] = np.flatnonzero(exact)
        is_labelled = record[rows] >= 0
        columns = [column for column in view.columns if column.name != label.name]
        # By original row, so that the same cells teach the same in whatever order they are published.
        chances = np.random.default_rng([comparison.seed, 1]).random((len(columns), len(drawn)))[:, at]
        before, after = [], []
        for column, chance in zip(columns, chances, strict=True):
            published = dataclasses.replace(column.published, codes=column.codes[record[rows[is_labelled]]])
            features = Features(ComparedColumn(column.attribute.take(rows), published, column.frequencies))
            before.append(features.of_original)
            drawn_features = np.zeros_like(features.of_original)
            drawn_features[is_labelled] = features.draw(chance[is_labelled])
            after.append(drawn_features)
        labels = label.attribute.codes[rows].astype(np.int64)
        return cls(at, np.column_stack(before), np.column_stack(after), labels, is_labelled)

    @classmethod
    def unite(cls, partitions: Sequence[_Lesson]) -> _Lesson:
        """Return the lessons of all partitions, in the order of the drawn records."""
        order = np.argsort(np.concatenate([partition.at for partition in partitions]), kind="stable")
        fields = (field.name for field in dataclasses.fields(cls))
        return cls(*(np.concatenate([getattr(partition, name) for partition in partitions])[order] for name in fields))

    def teach(self, rows: Ints) -> Iterator[tuple[str, Floats, Ints]]:
        """Yield what the release and what the original say about some of the drawn records."""
        there = rows[self.is_labelled[rows]]
        yield "", self.published[there], self.label[there]
        yield "_of_original", self.original[rows], self.label[rows]
