"""Questions about data and releases, wherever they lie: the front door of the language of questions."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError
from sfumato.core.hierarchy import Hierarchy
from sfumato.io.releases import read_release
from sfumato.io.releases.divided import DATA, find_divided, read_divided
from sfumato.io.releases.source import Source, find_release_in
from sfumato.query.answer import Answer
from sfumato.query.asking import ask
from sfumato.query.evidence import Evidence
from sfumato.query.language import parse, parse_lines
from sfumato.query.naming import add_categories
from sfumato.query.syntax import Query, QueryError

__all__ = ["find_evidence", "query", "query_all"]


def query(source: Source | Dataset, question: str, hierarchies: Mapping[str, Hierarchy] | None = None) -> Answer:
    """Ask a question of data or of a release: what is certain, what is possible, and what is to be expected.

    Parameters
    ----------
    source
        The data, or a release: its directory, or a result or release that was not written.
    question
        What is asked; :mod:`sfumato.query.language` says how it is written.
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
    asked = parse_lines(questions) if isinstance(questions, str) else list(questions)
    answers: list[list[Answer | QueryError]] = [[] for _ in asked]
    for evidence in find_evidence(source, hierarchies):
        for found, question in zip(answers, asked, strict=True):
            found.append(_try(evidence, question))
    return [_unite(found) for found in answers]


def _try(evidence: Evidence, question: Query) -> Answer | QueryError:
    try:
        return ask(evidence, question)
    except QueryError as fault:
        # What is unknown to one part of a release may be known to another.
        return fault if fault.name is None else _UnsureError(fault, evidence, question)


class _UnsureError(QueryError):
    """A name that one part of a release does not know, and what it answers if another part does."""

    def __init__(self, fault: QueryError, evidence: Evidence, question: Query) -> None:
        super().__init__(fault.fault, fault.text, fault.at, fault.name)
        self.evidence, self.question = evidence, question

    def answer(self) -> Answer:
        return ask(self.evidence, self.question, lenient=True)


def _unite(found: Sequence[Answer | QueryError]) -> Answer:
    """Add up what the parts of a release answer, if at least one of them understands the question."""
    faults = [fault for fault in found if isinstance(fault, QueryError)]
    firm = next((fault for fault in faults if not isinstance(fault, _UnsureError)), None)
    if faults and (firm is not None or len(faults) == len(found)):
        raise firm or faults[0]
    answers = [one.answer() if isinstance(one, _UnsureError) else one for one in found]
    return functools.reduce(operator.add, [answer for answer in answers if isinstance(answer, Answer)])


def find_evidence(source: Source | Dataset, hierarchies: Mapping[str, Hierarchy] | None = None) -> Iterator[Evidence]:
    """Yield what data or a release say; of a release in parts what every part says."""
    for part in _find_parts(source):
        room = _find_room(part.kind)
        found: Evidence = room.of_dataset(part) if isinstance(part, Dataset) else room.of_release(part)
        yield add_categories(found, hierarchies or {})


def _find_parts(source: Source | Dataset) -> Iterator[Any]:
    if isinstance(source, Dataset):
        yield source
        return
    folder = find_divided(source) if isinstance(source, str | Path) else None
    if folder is None:
        yield find_release_in(source)
        return
    for part in read_divided(folder).parts:
        yield read_release(folder / DATA / part.name)


def _find_room(kind: str) -> Any:
    if not registry.has_room(kind, "evidence"):
        offered = [name for name in registry.all_kinds() if registry.has_room(name, "evidence")]
        raise ParameterError(f"query: data of kind {kind} cannot be asked; those of {', '.join(offered)} can.")
    return registry.find_room(kind, "evidence")
