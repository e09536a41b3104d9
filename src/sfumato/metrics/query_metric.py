"""Measures that ask COUNT queries, and the time ranges such queries may have.

A query is a line of a workload. A part ``time=LOW..HIGH`` asks for a range of time, both ends included, either of which
may be left out: numbers where the times of the data are numbers, else dates such as ``2024-03-01`` or
``2024-03-01T08:30``, or a time of day such as ``08:30`` where days have no date.
"""

from __future__ import annotations

import abc
import dataclasses
import datetime
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.time_units import MONTHS, TimeUnit, count_units, find_moments
from sfumato.exceptions import SchemaError
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums
from sfumato.metrics.workload import Workload, find_errors
from sfumato.params import Param

__all__ = [
    "QueryMetric",
    "TimeRange",
    "collect_answers",
    "describe_errors",
    "draw_range",
    "judge_answers",
    "split_time",
]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_TIME = "time="
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND = datetime.timedelta(microseconds=1)


class TimeRange(NamedTuple):
    """From when to when, both included, in units of a clock; None where an end is open.

    Examples
    --------
    >>> TimeRange.read("1970-01-02..", TimeUnit("day"))
    TimeRange(first=1, last=None)
    >>> TimeRange(3, 7).holds(np.array([2, 3, 7, 8])).tolist()
    [False, True, True, False]
    """

    first: int | None = None
    last: int | None = None

    @classmethod
    def read(cls, text: str, time_unit: TimeUnit, owner: str = "query") -> TimeRange:
        """Read what a query says, or raise :class:`SchemaError`."""
        low, dots, high = text.partition("..")
        try:
            ends = [
                _read_moment(end.strip(), time_unit) if end.strip() else None for end in (low, high if dots else low)
            ]
        except ValueError:
            what = "numbers" if time_unit.unit is None else "dates such as 2024-03-01T08:30"
            raise SchemaError(f"{owner}: time must be a range of {what}, such as time=FROM..TO.") from None
        first, last = ends[0], ends[1]
        if first is not None and last is not None and last < first:
            raise SchemaError(f"{owner}: the range of time ends before it begins.")
        return cls(first, last)

    def format_condition(self, time_unit: TimeUnit) -> str:
        """Write the part of a query.

        Examples
        --------
        >>> TimeRange(60, 90).format_condition(TimeUnit("minute"))
        'time=1970-01-01T01:00..1970-01-01T01:30'
        """
        ends = ["" if end is None else _format_time(end, time_unit) for end in self]
        return f"{_TIME}{ends[0]}..{ends[1]}"

    def holds(self, times: Ints) -> npt.NDArray[np.bool_]:
        """Tell which times lie in the range."""
        is_inside = np.ones(len(times), dtype=bool)
        if self.first is not None:
            is_inside &= times >= self.first
        if self.last is not None:
            is_inside &= times <= self.last
        return is_inside

    def overlap(self, low: Ints, high: Ints) -> Floats:
        """Return the share of closed intervals that lies in the range, every unit of time in them being as likely.

        Examples
        --------
        >>> TimeRange(3, None).overlap(np.array([1, 4]), np.array([4, 4])).tolist()
        [0.5, 1.0]
        """
        first = low if self.first is None else np.maximum(low, self.first)
        last = high if self.last is None else np.minimum(high, self.last)
        return np.asarray(np.maximum(last - first + 1, 0) / (high - low + 1), dtype=np.float64)


def _read_moment(text: str, time_unit: TimeUnit) -> int:
    if time_unit.unit is None:
        return int(text)
    # A time of day alone is one of the first day: diaries of one day have no other.
    moment = datetime.datetime.fromisoformat(f"1970-01-01T{text}" if text[2:3] == ":" else text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return int(count_units(time_unit.unit, np.array([(moment - _EPOCH) // _MICROSECOND]))[0])


def _format_time(time: int, time_unit: TimeUnit) -> str:
    if time_unit.unit is None:
        return str(time)
    moment = _EPOCH + int(find_moments(time_unit.unit, np.array([time]))[0]) * _MICROSECOND
    if time_unit.unit == "day" or time_unit.unit in MONTHS:
        return moment.date().isoformat()
    return moment.replace(tzinfo=None).isoformat(timespec="seconds" if time_unit.unit == "second" else "minutes")


def split_time(query: tuple[str, ...], time_unit: TimeUnit, owner: str) -> tuple[tuple[str, ...], TimeRange]:
    """Return the parts of a query without its range of time, and the range.

    Examples
    --------
    >>> split_time(("mail", "time=3..7"), TimeUnit(), "query 1")
    (('mail',), TimeRange(first=3, last=7))
    """
    when = [part for part in query if part.startswith(_TIME)]
    if len(when) > 1:
        raise SchemaError(f"{owner}: give one range of time.")
    rest = tuple(part for part in query if not part.startswith(_TIME))
    return rest, TimeRange.read(when[0][len(_TIME) :], time_unit, owner) if when else TimeRange()


def draw_range(time: int, earliest: int, latest: int, generator: np.random.Generator) -> TimeRange:
    """Draw a range that holds a time: short ones are as likely as long ones, up to half of all there is.

    Examples
    --------
    >>> found = draw_range(50, 0, 99, np.random.default_rng(1))
    >>> 0 <= found.first <= 50 <= found.last <= 99
    True
    """
    span = latest - earliest + 1
    length = max(1, int(np.exp(generator.random() * np.log(max(span / 2, 1)))))
    first = max(earliest, time - int(generator.integers(0, length)))
    return TimeRange(first, min(latest, max(time, first + length - 1)))


@dataclasses.dataclass(frozen=True)
class QueryMetric(SummedMetric):
    """Measure ARE, the average relative error of COUNT queries: a kind says how they are drawn and answered.

    The relative error of a query is |estimate - truth| divided by the truth, or by the sanity bound where the truth is
    smaller: a share of everything that could be counted, so that rare queries do not dominate.

    Examples
    --------
    >>> from sfumato.kinds.timeline.metrics.average_relative_error import AverageRelativeError
    >>> issubclass(AverageRelativeError, QueryMetric), AverageRelativeError(queries=20).queries
    (True, 20)
    """

    name: ClassVar[str] = "average-relative-error"
    title: ClassVar[str] = "Average relative error of COUNT queries (ARE)"
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact counts, 1: off by as much as the count itself"
    paper: ClassVar[str] = ""
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = (
        "An estimate that is further from the truth in one respect may be nearer to it by chance."
    )

    queries: Annotated[int, Param("Number of queries drawn where no workload is given.", ge=1)] = 100
    sanity: Annotated[float, Param("Smallest true answer to divide by, as a share of records.", ge=0)] = 0.001

    @abc.abstractmethod
    def draw_workload(self, original: Dataset, seed: int) -> Workload:
        """Draw queries that some record of the original keeps."""

    @abc.abstractmethod
    def answer(self, comparison: Comparison, workload: Workload) -> tuple[Floats, Floats]:
        """Return the true answers, and those estimated from the release."""

    def count_all(self, comparison: Comparison) -> int:
        """Return how many there are to count at all: records, if a kind says nothing else."""
        return len(comparison.original)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Ask original and release the same queries."""
        workload = self.find_workload(comparison.full_original)
        return collect_answers(*self.answer(comparison, workload), self.count_all(comparison)) if len(workload) else {}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare the answers of all partitions together."""
        if not partial:
            return 0.0, {"queries": 0}
        errors, bound = judge_answers(partial, self.sanity)
        return describe_errors(errors, bound)


def collect_answers(truth: Floats, estimate: Floats, records: int) -> dict[str, Any]:
    """Return the answers to queries in one partition, and how many there are to count at all."""
    return {"truth": truth, "estimate": estimate, "records": records}


def judge_answers(partial: PartialSums, sanity: float, estimate: str = "estimate") -> tuple[Floats, float]:
    """Return the relative errors of the answers of all partitions together, and the sanity bound.

    Examples
    --------
    >>> judge_answers(collect_answers(np.array([4.0]), np.array([3.0]), 10), 0.1)[0].tolist()
    [0.25]
    """
    bound = sanity * partial["records"]
    return find_errors(partial["truth"], partial[estimate], bound), bound


def describe_errors(errors: Floats, bound: float) -> tuple[float, dict[str, Any]]:
    """Return the mean of relative errors, and what stands behind it.

    Examples
    --------
    >>> describe_errors(np.array([0.5, 0.1]), 2.0)
    (0.3, {'queries': 2, 'median': 0.3, 'largest': 0.5, 'sanity_bound': 2.0})
    """
    none = not len(errors)
    return 0.0 if none else float(errors.mean()), {
        "queries": len(errors),
        "median": 0.0 if none else float(np.median(errors)),
        "largest": float(errors.max(initial=0.0)),
        "sanity_bound": bound,
    }
