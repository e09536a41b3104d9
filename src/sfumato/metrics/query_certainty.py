"""How much questions are left open by a release: the base of a measure that every kind of data has."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np

from sfumato.data.dataset import Dataset
from sfumato.data.kind import all_kinds, find_kind
from sfumato.data.select import take_rows
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums
from sfumato.params import Param
from sfumato.queries.columns import CodedAttribute
from sfumato.queries.count import count_bounds
from sfumato.queries.events import Events
from sfumato.queries.language import parse, parse_lines
from sfumato.queries.plan import Plan
from sfumato.queries.published_view import Attribute, PublishedView
from sfumato.queries.syntax import Query, QueryError
from sfumato.queries.times import format_time

__all__ = ["QueryCertainty", "draw_questions", "quote"]

Random = np.random.Generator

_ENOUGH = 2_000_000
"""Entries of an original among which questions are drawn."""


@dataclasses.dataclass(frozen=True)
class QueryCertainty(SummedMetric):
    """Measure how many records are possible but not certain in the answers to questions, as a share of all records.

    Questions are those of ``sfumato query``: drawn about values, times and attributes that records of the original
    have, or given. The same seed draws the same questions, whatever the release.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (21, "f"), (30, "m"), (31, "m")], ("age", "sex"))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    >>> metric = QueryCertainty(ask="count person where age in 20..20")
    >>> metric.measure(Comparison(data, release)).value
    0.5
    """

    kinds: ClassVar[tuple[str, ...]] = all_kinds()
    name: ClassVar[str] = "query-certainty"
    title: ClassVar[str] = "Open questions: possible but not certain"
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: every answer is certain, 1: nothing is known"
    paper: ClassVar[str] = ""
    explanation: ClassVar[str] = (
        "Share of the records of which the release leaves open whether they count, over questions about the original. "
        "0 where every answer is certain, 1 where nothing is known."
    )
    unchanged: ClassVar[float | str] = (
        "A release says less than the original even where nothing was changed: that something may have been removed, "
        "or which values a group has together."
    )
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "A value that loses a member says more of those that are left, and so do its records."

    questions: Annotated[int, Param("Number of questions drawn where none are given.", ge=1)] = 40
    ask: Annotated[str, Param("Questions of your own that count records or people, one per line.")] = ""

    def partial(self, comparison: Comparison) -> PartialSums:
        """Ask the release, and see how far what is possible lies from what is certain."""
        published = find_kind(comparison.original.kind).query_bounds.load().of_release(comparison.release)
        questions = comparison.full_original.cached(
            ("questions", self), lambda: self._choose_questions(comparison.full_original, published)
        )
        widths = np.array([_find_width(published, question) for question in questions], dtype=np.float64)
        return {"widths": widths, "records": published.total}

    def _choose_questions(self, full_original: FullOriginal, published: PublishedView) -> list[Query]:
        """Return the questions that were given, or draw some about the whole original: the same for all partitions."""
        if questions := parse_lines(self.ask):
            return questions
        original = (
            find_kind(full_original.original.kind).query_bounds.load().of_dataset(_choose_rows(full_original.original))
        )
        # A release may count its times otherwise than the original: then windows mean nothing to both.
        timings = {side.history.timing for side in (original, published) if side.history is not None}
        return draw_questions(original, self.questions, full_original.seed, windows=len(timings) == 1)

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Return the share of records that questions leave open, on average."""
        widths = partial["widths"] / max(partial["records"], 1)
        if not len(widths):
            return 0.0, {"questions": 0}
        return float(widths.mean()), {
            "questions": len(widths),
            "median": float(np.median(widths)),
            "largest": float(widths.max()),
            "answered_exactly": int((widths == 0).sum()),
        }


def _choose_rows(original: Dataset) -> Dataset:
    """Return as many records as questions need to be drawn from; all but of very large data."""
    entries = len(original)
    if any(column.role == "history" for column in original.schema.columns):
        entries = len(original.view_history().codes)
    if entries <= _ENOUGH:
        return original
    step = -(-entries // _ENOUGH)
    return take_rows(original, np.arange(0, len(original), step, dtype=np.int64))


def _find_width(view: PublishedView, question: Query) -> float:
    plan = Plan(view, question.text, lenient=True)
    noun = plan.find_noun(question.noun) if question.verb == "count" else "event"
    if noun == "event" or question.bucket is not None:
        raise QueryError("query-certainty counts records or people: count record where ...", question.text, 0)
    low, high = count_bounds(plan, question.condition, noun, question.noun.at)
    return high - low


def draw_questions(view: PublishedView, number: int, seed: int, *, windows: bool = True) -> list[Query]:
    """Draw questions about what records of an original have, the same ones for the same seed.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.trajectories.query_bounds import of_dataset
    >>> data = sf.Dataset.of("trajectories", [["cafe", "clinic"], ["cafe", "clinic"]])
    >>> [question.text for question in draw_questions(of_dataset(data), 2, seed=0)]
    ['count record where "clinic"', 'count record where "cafe" and then "clinic"']
    """
    random = np.random.default_rng(seed)
    draws = list(_list_draws(view, windows=windows))
    texts = [draws[at % len(draws)](random) for at in range(number)] if draws else []
    return [parse(f"count record where {text}") for text in dict.fromkeys(texts)]


def _list_draws(view: PublishedView, *, windows: bool) -> Iterator[Callable[[Random], str]]:
    """Yield ways of asking, each of which draws a condition."""
    history = view.history
    if isinstance(history, Events) and history.size:
        timed = windows and history.timing in {"moment", "number"}
        yield partial(_draw_event, history, timed=timed)
        if history.timing == "none":
            yield partial(_draw_two_events, history, " and ")
        elif view.ordered:
            yield partial(_draw_two_events, history, " and then ")
    for name, attribute in view.attributes.items():
        yield partial(_draw_attribute, name, attribute)
        if isinstance(history, Events) and history.size:
            yield partial(_draw_event_and_attribute, history, name, attribute)


def quote(name: str) -> str:
    """Write a name as questions do.

    Examples
    --------
    >>> print(quote('the "old" clinic'))
    "the ""old"" clinic"
    """
    return '"' + name.replace('"', '""') + '"'


def _name(events: Events, entry: int) -> str:
    return quote(events.names.labels[events.values.members[events.values.starts[events.value[entry]]]])


def _draw_event(events: Events, random: Random, *, timed: bool) -> str:
    """Ask for an event, in a window around it where there are times: short and long ones are equally likely."""
    entry = int(random.integers(events.size))
    if not timed or events.span is None:
        return _name(events, entry)
    dated, (first, last) = events.timing == "moment", events.span
    half_width = int(np.exp(random.random() * np.log(max((last - first) / 2, 1))))
    begin, end = int(events.lo[entry]) - half_width, int(events.hi[entry]) + half_width
    return f"{_name(events, entry)} during {format_time(begin, dated=dated)}..{format_time(end, dated=dated)}"


def _draw_event_and_attribute(events: Events, name: str, attribute: Attribute, random: Random) -> str:
    return f"{_name(events, int(random.integers(events.size)))} and {_draw_attribute(name, attribute, random)}"


def _draw_two_events(events: Events, word: str, random: Random) -> str:
    """Ask for two events of one record, in their order."""
    entry = int(random.integers(events.size))
    begin, end = np.searchsorted(events.record, [events.record[entry], events.record[entry] + 1])
    first, second = sorted((entry, int(random.integers(begin, end))), key=lambda at: int(events.lo[at]))
    if first == second:
        return _name(events, entry)
    return f"{_name(events, first)}{word}{_name(events, second)}"


def _draw_attribute(name: str, attribute: Attribute, random: Random) -> str:
    """Ask for a label of an attribute, or for a range between two of its numbers."""
    places = None
    if isinstance(attribute, CodedAttribute):
        places = attribute.places if attribute.values.low is None else attribute.values.low
    if places is not None:
        numbers = np.unique(np.asarray(places, dtype=np.float64))
        numbers = numbers[np.isfinite(numbers)]
        if not len(numbers):
            return f"{quote(name)} = {'1970' if attribute.dated else 0}"
        low, high = np.sort(numbers[random.integers(0, len(numbers), 2)])
        if attribute.dated:
            first, last = np.array([low, high]).astype(np.int64).astype("datetime64[D]").tolist()
            return f"{quote(name)} in {first}..{last}"
        return f"{quote(name)} in {low:.17g}..{high:.17g}"
    labels = attribute.names.labels
    return f"{quote(name)} = {quote(labels[int(random.integers(len(labels)))]) if labels else quote('')}"
