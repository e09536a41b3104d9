"""What a utility measure is, and what it finds."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.errors import SfumatoError
from sfumato.core.kind import OfKind
from sfumato.core.measuring.comparison import Comparison
from sfumato.core.measuring.workload import Workload
from sfumato.core.params import Parameterised
from sfumato.core.visible import escape_html as escape
from sfumato.core.visible import tabulate

__all__ = ["MEAN_OF_PARTS", "Metric", "Operation", "Score", "Scores", "mean_over_records", "unite_scores"]

MEAN_OF_PARTS = "mean_of_parts"
"""Detail of a score that says of how many parts it is the mean."""

Better = Literal["lower", "higher"]
Operation = Literal["generalise", "suppress", "withhold"]


@dataclasses.dataclass(frozen=True)
class Score:
    """What a measure found: one number to compare, and what stands behind it.

    Parameters
    ----------
    name
        Name of the measure.
    value
        The number, always finite.
    details
        Further numbers, by name.
    better, unit, title, explanation
        How to read the number.

    Examples
    --------
    >>> score = Score("distance", 0.5, {"normalised": 0.1}, unit="metres")
    >>> score
    Score(distance: 0.5 metres, lower is better; normalised=0.1)
    >>> score.to_dict()
    {'metric': 'distance', 'value': 0.5, 'better': 'lower', 'normalised': 0.1}
    """

    name: str
    value: float
    details: dict[str, Any] = dataclasses.field(default_factory=dict)
    better: Better = "lower"
    unit: str = ""
    title: str = ""
    explanation: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, one flat row of a table."""
        return {"metric": self.name, "value": self.value, "better": self.better, **self.details}

    def __repr__(self) -> str:
        details = ", ".join(f"{name}={_shorten(value)}" for name, value in self.details.items())
        value = f"{_shorten(self.value)} {self.unit}".strip()
        return f"Score({self.name}: {value}, {self.better} is better{'; ' * bool(details)}{details})"

    def _repr_html_(self) -> str:
        shown = {f"value ({self.better} is better)": f"{_shorten(self.value)} {self.unit}", **self.details}
        rows = "".join(
            f"<tr><th>{escape(name.replace('_', ' '))}</th><td>{escape(_shorten(value))}</td></tr>"
            for name, value in shown.items()
        )
        return f"<table><caption>{escape(self.title or self.name)}</caption><tbody>{rows}</tbody></table>"


class Scores(list[Score]):
    """What several measures found, shown as one table in a notebook.

    Examples
    --------
    >>> scores = Scores([Score("distance", 0.5), Score("place-counts", 0.25)])
    >>> scores["distance"].value, scores[1].value
    (0.5, 0.25)
    """

    def __getitem__(self, which: Any) -> Any:
        """Return a score by its number, or by the name of its measure."""
        if not isinstance(which, str):
            return super().__getitem__(which)
        for score in self:
            if score.name == which:
                return score
        raise KeyError(f"{which!r} was not measured; there are {', '.join(score.name for score in self)}.")

    def _repr_html_(self) -> str:
        rows = [
            (score.title or score.name, f"{_shorten(score.value)} {score.unit}".strip(), score.better, score.details)
            for score in self
        ]
        return tabulate("What it is still good for", ["measure", "value", "better", "details"], rows)


def unite_scores(parts: Sequence[tuple[int, Scores]]) -> Scores:
    """Return the scores of the parts of a release, each given with its number of records, as one score a measure.

    The value is the mean of what is found in the parts, by their records; the least and the most stand beside it. Each
    part is measured against its own people, their ranges and their number, so that this is no score of the whole.

    Examples
    --------
    >>> unite_scores([(3, Scores([Score("distance", 0.5)])), (1, Scores([Score("distance", 0.1)]))])
    [Score(distance: 0.4, lower is better; mean_of_parts=2, least=0.1, most=0.5)]
    """
    found: dict[str, list[tuple[int, Score]]] = {}
    for records, scores in parts:
        for score in scores:
            found.setdefault(score.name, []).append((records, score))
    united = Scores()
    for each in found.values():
        values = [score.value for _, score in each]
        total = max(sum(records for records, _ in each), 1)
        mean = math.fsum(records * score.value for records, score in each) / total
        details = {MEAN_OF_PARTS: len(each), "least": min(values), "most": max(values)}
        united.append(dataclasses.replace(each[0][1], value=mean, details=details))
    return united


def _shorten(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


@dataclasses.dataclass(frozen=True)
class Metric(OfKind, Parameterised, abc.ABC):
    """A utility measure: frozen parameters and a way to score a release against its original.

    A subclass declares ``name``, ``title``, ``unit``, ``better``, ``explanation`` and ``paper``, and writes
    :meth:`score`. Its module names it: ``METRIC = TheClass``.

    It also declares how to read the number. ``explanation`` says in one line what it means, where ``{one}``,
    ``{many}`` and ``{whose}`` stand for what a record is. ``unchanged`` is what it gives when the data are published as
    they are, or a sentence that says why that is no fixed number. ``monotone`` lists what never makes it better when
    done to a release on top: to *generalise* further (larger values, longer intervals, larger classes, later records,
    chunks split in two), to *suppress* a value everywhere, to *withhold* a record. ``not_monotone`` says why it lists
    no more.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.metrics.average_relative_error import AverageRelativeError
    >>> AverageRelativeError(queries=20).better
    'lower'
    """

    name: ClassVar[str]
    title: ClassVar[str]
    unit: ClassVar[str]
    better: ClassVar[Better]
    paper: ClassVar[str]
    explanation: ClassVar[str]
    unchanged: ClassVar[float | str]
    monotone: ClassVar[tuple[Operation, ...]]
    not_monotone: ClassVar[str] = ""

    def measure(self, comparison: Comparison) -> Score:
        """Score the release, or raise :class:`SfumatoError` where :meth:`obstacle` has something to say."""
        obstacle = self.obstacle(comparison)
        if obstacle:
            raise SfumatoError(f"{self.name}: {obstacle}")
        value, details = self.score(comparison)
        unit = self.unit_of(comparison)
        return Score(self.name, float(value), details, self.better, unit, self.title, self.explanation)

    def unit_of(self, comparison: Comparison) -> str:  # noqa: ARG002
        """Return what the number counts here, where that depends on the data."""
        return self.unit

    def applies(self, comparison: Comparison) -> bool:
        """Tell whether this measure can be taken here."""
        return self.obstacle(comparison) is None

    def lacks(self) -> str | None:
        """Say what must be installed for this measure to be taken anywhere, or return None when nothing is missing."""
        return None

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why this measure cannot be taken here, or return None when it can."""
        kind = comparison.original.kind
        return None if kind in self.kinds else f"measures {', '.join(self.kinds)}, got {kind}."

    def draw_workload(self, original: Dataset, seed: int) -> Workload | None:  # noqa: ARG002
        """Draw the COUNT queries that this measure asks where it is given none; None where it asks none."""
        return None

    @abc.abstractmethod
    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Return the value and the details."""


def mean_over_records(values: npt.NDArray[np.float64], offsets: npt.NDArray[np.int64]) -> float:
    """Average the entries of each record, then the records; 0 where there are none.

    Examples
    --------
    >>> mean_over_records(np.array([1.0, 3.0, 0.0]), np.array([0, 2, 3]))
    1.0
    """
    lengths = np.diff(offsets)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    means = np.bincount(rows, values, minlength=len(lengths)) / np.maximum(lengths, 1)
    return float(means.mean()) if len(means) else 0.0
