"""Questions about data and releases, wherever they lie: the front door of the language of questions."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.kind import find_kind
from sfumato.exceptions import ParameterError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.queries.answer import Answer
from sfumato.queries.ask import ask
from sfumato.queries.categories import add_categories
from sfumato.queries.language import parse, parse_lines
from sfumato.queries.published_view import PublishedView
from sfumato.queries.relation_queries import Periods
from sfumato.queries.syntax import Query, QueryError
from sfumato.queries.times import Span
from sfumato.release.locate import Source, find_release_in
from sfumato.release.partitioned import DATA, find_divided, name_partition, read_divided
from sfumato.release.release import Release
from sfumato.release.storage import read_release

__all__ = ["query", "query_all"]

_OWN_NUMBERS = (
    "query: every partition of a release numbers its own records, so that two of them are compared by asking their "
    "partition. Two values are compared over all partitions: relation value A and B."
)


def query(source: Source | Dataset, question: str, hierarchies: Mapping[str, Hierarchy] | None = None) -> Answer:
    """Ask a question of data or of a release: what is certain, what is possible, and what is to be expected.

    Parameters
    ----------
    source
        The data, or a release: its directory, or a result or release that was not written.
    question
        What is asked; :mod:`sfumato.queries.language` says how it is written.
    hierarchies
        Hierarchies whose nodes are used as names, by column; data bring their own.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = [[("clinic", 3), ("pharmacy", 5)], [("clinic", 4), ("pharmacy", 30)]]
    >>> data = sf.Dataset.of("sequences", people, monitored=("clinic",))
    >>> sf.query(data, "count person where clinic and then pharmacy within 7")
    Answer(1 certain, 1 possible, 1 expected people)
    >>> release = sf.anonymize(data, sf.methods.Hi(k=2), secret=bytes(32)).release
    >>> sf.query(release, "count person where clinic before 4").possible
    2
    """
    return query_all(source, [parse(question)], hierarchies)[0]


def query_all(
    source: Source | Dataset,
    questions: str | Sequence[Query],
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> list[Answer]:
    """Ask several questions, one per line of a text; a text may have remarks after ``#``.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("trajectories", [["cafe", "clinic"], ["clinic"]])
    >>> [answer.certain for answer in query_all(data, "count person where cafe\\ncount person where not cafe")]
    [1, 1]
    """
    queries = parse_lines(questions) if isinstance(questions, str) else list(questions)
    partitions = _find_partitions(source)
    span = None
    if len(partitions) > 1 and any(question.bucket is not None for question in queries):
        span = _join_spans([view.history.span for view in _read(partitions, {}) if view.history is not None])
    answers: list[list[Answer | QueryError]] = [[] for _ in queries]
    for view in _read(partitions, hierarchies or {}):
        for partition_answers, question in zip(answers, queries, strict=True):
            partition_answers.append(_try(view, question, span))
    return [_unite(partition_answers) for partition_answers in answers]


def _join_spans(spans: Sequence[Span | None]) -> Span | None:
    """Return the time from the first moment of all partitions to the last: all are cut into the same stretches."""
    existing = [span for span in spans if span is not None]
    return (min(first for first, _ in existing), max(last for _, last in existing)) if existing else None


def _try(view: PublishedView, question: Query, span: Span | None) -> Answer | QueryError:
    try:
        return ask(view, question, span=span)
    except QueryError as fault:
        # What is unknown to one partition of a release may be known to another.
        if fault.name is None:
            return fault
        return _UnsureError(fault, lambda: ask(view, question, lenient=True, span=span))


class _UnsureError(QueryError):
    """A name that one partition of a release does not know, and how to answer if another partition does."""

    def __init__(self, fault: QueryError, answer: Callable[[], Answer]) -> None:
        super().__init__(fault.fault, fault.question, fault.position, fault.name)
        self.answer = answer


def _unite(partition_answers: Sequence[Answer | QueryError]) -> Answer:
    """Add up what the partitions of a release answer, if at least one of them understands the question."""
    faults = [fault for fault in partition_answers if isinstance(fault, QueryError)]
    firm = next((fault for fault in faults if not isinstance(fault, _UnsureError)), None)
    if faults and (firm is not None or len(faults) == len(partition_answers)):
        # A partition that has something of a similar name suggests it.
        raise firm or next((fault for fault in faults if "Did you mean" in fault.fault), faults[0])
    answers = [outcome.answer() if isinstance(outcome, _UnsureError) else outcome for outcome in partition_answers]
    if len(answers) > 1 and any(isinstance(outcome, Answer) and _is_of_records(outcome) for outcome in answers):
        raise ParameterError(_OWN_NUMBERS)
    named = [
        _name_partition(answer, number) if len(partition_answers) > 1 else answer
        for number, answer in enumerate(answers)
        if isinstance(answer, Answer)
    ]
    return functools.reduce(operator.add, named)


def _is_of_records(answer: Answer) -> bool:
    """Tell whether an answer is how the times of two records lie to each other."""
    return answer.counted == "relations" and not isinstance(answer, Periods)


def _name_partition(answer: Answer, number: int) -> Answer:
    """Say in which partition the records of a table are: every partition numbers its own."""
    if answer.table is None or "record" not in answer.table.column_names:
        return answer
    partition = pa.array([name_partition(number)] * answer.table.num_rows, pa.string())
    return dataclasses.replace(answer, table=answer.table.add_column(0, "part", partition))


def _find_partitions(source: Source | Dataset) -> list[Any]:
    """Return data or a release, or where the partitions of one lie."""
    if isinstance(source, Dataset):
        return [source]
    folder = find_divided(source) if isinstance(source, str | Path) else None
    if folder is None:
        return [find_release_in(source)]
    return [folder / DATA / partition.name for partition in read_divided(folder).partitions]


def _read(partitions: Sequence[Any], hierarchies: Mapping[str, Hierarchy]) -> Iterator[PublishedView]:
    """Yield what data or partitions of a release say, one after the other."""
    for partition in partitions:
        data = partition if isinstance(partition, Dataset | Release) else read_release(partition)
        bounds = find_kind(data.kind).query_bounds.load()
        view = bounds.of_dataset(data) if isinstance(data, Dataset) else bounds.of_release(data)
        yield add_categories(view, hierarchies)
