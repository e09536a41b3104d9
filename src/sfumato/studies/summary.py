"""Results of a study as plots and pages need them: repetitions put together, one line per method."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sfumato.metrics.time_series import TimeSeries
from sfumato.studies.results import StudyResult
from sfumato.studies.trials import Trial, TrialResult

__all__ = ["Measure", "Point", "Spread", "describe_success", "list_measures", "list_points"]

_NOTHING = 1e-12


@dataclasses.dataclass(frozen=True)
class Spread:
    """A figure over the repetitions of a cell.

    Examples
    --------
    >>> Spread.of([1.0, 2.0, 6.0])
    Spread(mean=3.0, low=1.0, high=6.0)
    """

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread | None:
        """Return mean and extremes; None of nothing."""
        return cls(sum(values) / len(values), min(values), max(values)) if values else None


@dataclasses.dataclass(frozen=True)
class Point:
    """A method with its values, all repetitions that were done together.

    Parameters
    ----------
    method
        What the method is called.
    line
        What its line is called: the method and, where several parameters vary, the others' values.
    along
        Name of the parameter along which the line is drawn; empty where none varies.
    at
        Value of that parameter.
    values
        All values that vary, in words.
    outcomes
        The repetitions that were done.
    repetitions
        How many there are.
    """

    method: str
    line: str
    along: str
    at: Any
    values: str
    outcomes: tuple[TrialResult, ...]
    repetitions: int

    @property
    def position(self) -> float | str:
        """The value on the axis: a number if it is or looks like one, a text otherwise."""
        number = _as_number(self.at)
        return str(self.at) if number is None else number

    @property
    def name(self) -> str:
        """The method with its values."""
        return f"{self.method}, {self.values}" if self.values else self.method

    def measured(self, name: str) -> Spread | None:
        """Return what a measure found; None where it was not taken."""
        values = [score["value"] for outcome in self.outcomes for score in outcome.scores if score["measure"] == name]
        # What is left of a sum that should be nothing is nothing.
        return Spread.of([0.0 if abs(value) < _NOTHING else value for value in values])

    def risk(self, when: str, what: str = "success") -> Spread | None:
        """Return an attacker's success, or the share of unique people, ``before`` or ``after``."""
        return self._over(lambda outcome: outcome.risk.get(when, {}).get(what))

    def seconds(self, phase: str | None = None) -> Spread | None:
        """Return how long a phase took, or all of them."""
        return self._over(lambda outcome: sum(outcome.seconds.values()) if phase is None else outcome.seconds[phase])

    def memory(self) -> Spread | None:
        """Return the highest memory, in bytes."""
        return self._over(lambda outcome: outcome.peak_memory)

    @property
    def time_series(self) -> TimeSeries | None:
        """What the release of the first repetition answers over time; None where it was not asked."""
        answers = next((outcome.answers for outcome in self.outcomes if outcome.answers), None)
        return None if answers is None else TimeSeries.from_plain(answers)

    def _over(self, figure: Callable[[TrialResult], float | None]) -> Spread | None:
        return Spread.of([value for outcome in self.outcomes if (value := figure(outcome)) is not None])


@dataclasses.dataclass(frozen=True)
class Measure:
    """What a measure is about."""

    name: str
    title: str
    unit: str
    better: str
    explanation: str

    @property
    def is_share(self) -> bool:
        """Whether its values are shares of one."""
        return self.unit.startswith("of ")


def list_points(result: StudyResult) -> list[Point]:
    """Put the repetitions of each cell together, in the order of the study.

    Examples
    --------
    >>> made = [Trial("coat", {"k": k}, turn, varying=("k",)) for k in (2, 5) for turn in (1, 2)]
    >>> trials = [(trial, TrialResult("done")) for trial in made]
    >>> [(point.line, point.at, len(point.outcomes)) for point in list_points(StudyResult(tuple(trials)))]
    [('coat', 2, 2), ('coat', 5, 2)]
    """
    along = {name: _choose_along(own) for name, own in _by_method(result).items()}
    groups: dict[tuple[str, str], list[tuple[Trial, TrialResult]]] = {}
    for trial, outcome in result.trials:
        groups.setdefault((trial.name, repr(dict(trial.parameters))), []).append((trial, outcome))
    return [_make_point(grouped, along[name]) for (name, _), grouped in groups.items()]


def _by_method(result: StudyResult) -> dict[str, list[Trial]]:
    groups: dict[str, list[Trial]] = {}
    for trial, _ in result.trials:
        groups.setdefault(trial.name, []).append(trial)
    return groups


def _choose_along(trials: Sequence[Trial]) -> str:
    """Choose the parameter with most values to draw along; the first of those."""
    counts = {name: len({repr(trial.parameters.get(name)) for trial in trials}) for name in trials[0].varying}
    return max(counts, key=lambda name: counts[name], default="")


def _make_point(grouped: Sequence[tuple[Trial, TrialResult]], along: str) -> Point:
    trial = grouped[0][0]
    values = {name: trial.parameters.get(name) for name in trial.varying}
    others = _format_values({name: value for name, value in values.items() if name != along})
    return Point(
        trial.name,
        f"{trial.name}, {others}" if others else trial.name,
        along,
        values.get(along),
        _format_values(values),
        tuple(outcome for _, outcome in grouped if outcome.is_done),
        len(grouped),
    )


def _format_values(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}\u00a0=\u00a0{value}" for name, value in values.items())


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(Fraction(value)) if isinstance(value, int | float | str) else None
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


_SUCCESSES = {
    "mean_success": (
        "Attacker’s success",
        "How often an attacker picks the right record or value, averaged over everybody attacked.",
    ),
    "largest_relative_frequency": (
        "Highest frequency of a sensitive event",
        "The largest share that a sensitive event reaches among all events seen up to some moment.",
    ),
}


def describe_success(points: Sequence[Point]) -> tuple[str, str]:
    """Name the risk that the points have, and say what it is."""
    for point in points:
        for outcome in point.outcomes:
            success = outcome.risk.get("after", {}).get("of")
            if success in _SUCCESSES:
                return _SUCCESSES[success]
    return _SUCCESSES["mean_success"]


def list_measures(result: StudyResult) -> list[Measure]:
    """Return the measures that were taken: as the study lists them, or those of most cells first."""
    requested = list(result.facts.get("measures", ()))
    measures: dict[str, Measure] = {}
    taken: dict[str, int] = {}
    for _, outcome in result.trials:
        for score in outcome.scores:
            name = score["measure"]
            fields = {part: score[part] for part in ("title", "unit", "better", "explanation")}
            measures.setdefault(name, Measure(name, **{**fields, "title": fields["title"] or name}))
            taken[name] = taken.get(name, 0) + 1
    return sorted(
        measures.values(),
        key=lambda measure: (
            requested.index(measure.name) if measure.name in requested else len(requested),
            -taken[measure.name],
            measure.name,
        ),
    )
