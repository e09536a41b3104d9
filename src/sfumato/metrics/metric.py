"""What a utility measure is, and what it finds."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from sfumato.base.remaining import NOTHING
from sfumato.base.tabular import Tabular, align, list_remaining, show_value, wrap
from sfumato.data.dataset import Dataset
from sfumato.data.kind import OfKind
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.escape import escape_html as escape
from sfumato.escape import tabulate
from sfumato.exceptions import SfumatoError
from sfumato.messages import Message
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.partial_sums import PartialSums
from sfumato.metrics.workload import Workload
from sfumato.params import Parameterised

__all__ = ["Metric", "Operation", "Score", "Scores", "SummedMetric", "describe_scale", "divide", "sum_over_records"]

Better = Literal["lower", "higher"]
Operation = Literal["generalise", "suppress", "withhold"]


@dataclasses.dataclass(frozen=True, repr=False)
class Score(Tabular):
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
    ends
        What its ends mean, such as 0 and 1.
    record
        What a record is, in whose words it is explained.

    Examples
    --------
    >>> score = Score("distance", 0.5, {"normalised": 0.1}, unit="metres", ends="0: exact places")
    >>> score
    distance: 0.5 metres (lower is better; 0: exact places)
      normalised  0.1
    >>> score.to_dict()["scale"]
    'lower is better; 0: exact places'
    """

    name: str
    value: float
    details: dict[str, Any] = dataclasses.field(default_factory=dict)
    better: Better = "lower"
    unit: str = ""
    title: str = ""
    explanation: str = ""
    record: RecordUnit = PERSON
    ends: str = ""

    @property
    def scale(self) -> str:
        """How to read the number: which direction is better, and what its ends mean."""
        return describe_scale(self.better, self.ends)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, one flat row of a table."""
        values = {"metric": self.name, "value": self.value, "better": self.better, "scale": self.scale}
        return {**values, **self.details}

    def _lines(self) -> Iterator[str]:
        yield f"{self.name}: {self._amount} ({self.scale})"
        yield from wrap(self._meaning, "  ")
        yield from self._tabulate(self.details)

    @property
    def _meaning(self) -> str:
        return self.record.fill_in(self.explanation)

    @property
    def _amount(self) -> str:
        return f"{show_value(self.value)} {self.unit}".strip()

    def _repr_html_(self) -> str:
        shown = {f"value ({self.scale})": f"{_shorten(self.value)} {self.unit}", **self.details}
        rows = "".join(
            f"<tr><th>{escape(name.replace('_', ' '))}</th><td>{escape(_shorten(value))}</td></tr>"
            for name, value in shown.items()
        )
        return f"<table><caption>{escape(self.title or self.name)}</caption><tbody>{rows}</tbody></table>"


class Scores(Tabular, list[Score]):
    """What several measures found: a list, which shows itself as one table.

    Examples
    --------
    >>> scores = Scores([Score("distance", 0.5), Score("place-counts", 0.25)])
    >>> scores["distance"].value, scores[1].value
    (0.5, 0.25)
    >>> scores
      measure       value  scale
      distance      0.5    lower is better
      place-counts  0.25   lower is better
    >>> scores.to_frame()["value"].to_list()
    [0.5, 0.25]
    """

    def __init__(self, scores: Iterable[Score] = (), left_out: Mapping[str, str] | None = None) -> None:
        super().__init__(scores)
        self.left_out = dict(left_out or {})
        """Why measures were not taken that could be taken in some partitions of a release only, by their names."""
        self.remaining = NOTHING
        """What they say of the use of the release."""

    def __getitem__(self, which: Any) -> Any:
        """Return a score by its number, or by the name of its measure."""
        if not isinstance(which, str):
            return super().__getitem__(which)
        for score in self:
            if score.name == which:
                return score
        raise KeyError(f"{which!r} was not measured; there are {', '.join(score.name for score in self)}.")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        measured = {"measures": [score.to_dict() for score in self], "remaining": self.remaining.to_dict()}
        return measured | ({"not_measured": dict(self.left_out)} if self.left_out else {})

    def _rows(self) -> list[dict[str, Any]]:
        """Return a row for each measure; details differ from one to the next, and are in :meth:`to_dict`."""
        columns = ("value", "unit", "better", "scale", "title")
        return [
            {
                "metric": score.name,
                **{name: getattr(score, name) for name in columns},
                "explanation": score._meaning,
            }
            for score in self
        ]

    def _lines(self) -> Iterator[str]:
        if not self:
            yield "Nothing was measured."
            return
        rows = [(score.name, score._amount, score.scale) for score in self]
        yield from align(rows, ("measure", "value", "scale"))
        for name, reason in self.left_out.items():
            yield from wrap(f"{name}: {reason}")
        yield from list_remaining(self.remaining)

    def _repr_html_(self) -> str:
        rows = [(score.title or score.name, score._amount, score.scale, score.details) for score in self]
        return tabulate("Utility", ["measure", "value", "scale", "details"], rows) + self.remaining._repr_html_()


def _shorten(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


@dataclasses.dataclass(frozen=True)
class Metric(OfKind, Parameterised, abc.ABC):
    """A utility measure: frozen parameters and a way to score a release against its original.

    A subclass declares ``name``, ``title``, ``unit``, ``better``, ``explanation`` and ``paper``, and writes
    :meth:`score`; where people may be published in partitions, it derives from :class:`SummedMetric` and writes what
    that asks for. The specification of its kind lists it.

    It also declares how to read the number. ``ends`` says what the ends of its scale mean: ``0: nothing lost, 1: all
    lost``, or ``no upper bound``. ``explanation`` says in one line what it means, where ``{one}``,
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
    ends: ClassVar[str] = ""
    paper: ClassVar[str]
    explanation: ClassVar[str]
    unchanged: ClassVar[float | str]
    monotone: ClassVar[tuple[Operation, ...]]
    not_monotone: ClassVar[str] = ""

    def measure(self, comparison: Comparison) -> Score:
        """Score the release, or raise :class:`SfumatoError` where :meth:`obstacle` has something to say."""
        self.refuse_obstacle(comparison)
        score = self.build_score(*self.score(comparison), self.unit_of(comparison))
        return dataclasses.replace(score, record=comparison.release.unit)

    def refuse_obstacle(self, comparison: Comparison) -> None:
        """Raise :class:`SfumatoError` where :meth:`obstacle` has something to say."""
        obstacle = self.obstacle(comparison)
        if obstacle:
            raise SfumatoError(Message(self.name, ": ", obstacle))

    def build_score(self, value: float, details: dict[str, Any], unit: str) -> Score:
        """Return what was found with how to read it."""
        how: dict[str, Any] = {"unit": unit, "title": self.title, "explanation": self.explanation, "ends": self.ends}
        return Score(self.name, float(value), details, self.better, **how)

    @property
    def scale(self) -> str:
        """How to read the number: which direction is better, and what its ends mean."""
        return describe_scale(self.better, self.ends)

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

    def find_workload(self, full_original: FullOriginal) -> Workload:
        """Return the queries that were given, or those drawn from the whole original: the same for every partition."""
        if full_original.workload:
            return full_original.workload
        drawn = full_original.cached(
            ("workload", self), lambda: self.draw_workload(full_original.original, full_original.seed)
        )
        assert drawn is not None
        return drawn

    @abc.abstractmethod
    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Return the value and the details."""


@dataclasses.dataclass(frozen=True)
class SummedMetric(Metric):
    """A measure that counts in every partition of a release, and makes one number of all counts.

    A subclass writes :meth:`partial`, which looks at one partition, and :meth:`combine`, which looks at the sum of all
    partial sums; a release in one piece is the case of one partition. So the score of a release in partitions is that
    of all partitions laid together beside the whole original, and no mean of means.

    Examples
    --------
    >>> from sfumato.kinds.table.metrics.ncp import Ncp
    >>> issubclass(Ncp, SummedMetric), Ncp.averages
    (True, True)
    """

    averages: ClassVar[bool] = False
    """Whether the value is a mean over records or their entries, so that that of all partitions is between theirs."""

    @abc.abstractmethod
    def partial(self, comparison: Comparison) -> PartialSums:
        """Count in one partition what :meth:`combine` needs; how they are added is said there."""

    @abc.abstractmethod
    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:
        """Return the value and the details from the counts of all partitions."""

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Return the value and the details of a release in one piece."""
        return self.combine(self.partial(comparison), comparison.full_original)


def describe_scale(better: str, ends: str) -> str:
    """Return how to read the number of a measure.

    Examples
    --------
    >>> describe_scale("lower", "0: nothing lost, 1: all lost")
    'lower is better; 0: nothing lost, 1: all lost'
    """
    return f"{better} is better" + (f"; {ends}" if ends else "")


def divide(part: float, everything: float) -> float:
    """Return a share; 0 where there is nothing to have a share of.

    Examples
    --------
    >>> divide(1, 4), divide(0, 0)
    (0.25, 0.0)
    """
    return float(part / everything) if everything else 0.0


def sum_over_records(values: npt.NDArray[np.float64], offsets: npt.NDArray[np.int64]) -> float:
    """Average the entries of each record, and add up the records.

    Examples
    --------
    >>> sum_over_records(np.array([1.0, 3.0, 0.0]), np.array([0, 2, 3]))
    2.0
    """
    lengths = np.diff(offsets)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return float((np.bincount(rows, values, minlength=len(lengths)) / np.maximum(lengths, 1)).sum())
