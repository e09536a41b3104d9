"""A question as a tree: what is counted, under which condition, and where in the text each part stands."""

from __future__ import annotations

import dataclasses

from sfumato.escape import make_visible
from sfumato.exceptions import ParameterError

__all__ = [
    "Both",
    "Comparison",
    "Condition",
    "Either",
    "Neither",
    "Query",
    "QueryError",
    "Sequel",
    "Step",
    "Window",
    "Word",
]


class QueryError(ParameterError):
    """A question that cannot be understood, with the place in its text.

    Parameters
    ----------
    fault
        What is wrong.
    question, position
        The question, and where in it.
    name
        The name that is not known, where that is the fault.

    Examples
    --------
    >>> raise QueryError("expected a name", "count person where", 18)
    Traceback (most recent call last):
        ...
    sfumato.queries.syntax.QueryError: query: expected a name
      count person where
                        ^
    """

    def __init__(self, fault: str, question: str, position: int, name: str | None = None) -> None:
        self.fault, self.question, self.position, self.name = fault, question, position, name
        super().__init__(f"query: {fault}\n" + "\n".join(self.pointer))

    @property
    def pointer(self) -> tuple[str, str]:
        """The question, and below it a mark at the fault."""
        before = make_visible(self.question[: self.position])
        return f"  {make_visible(self.question)}", f"  {' ' * len(before)}^"


@dataclasses.dataclass(frozen=True)
class Word:
    """A name, number, date or length of time as it is written, and where.

    Parameters
    ----------
    text
        What is written, without quotes.
    at
        Where it begins in the text of the question, from 0.
    quoted
        Whether it stands in quotes: then it is a name, whatever it looks like.

    Examples
    --------
    >>> Word("clinic", 19).text
    'clinic'
    """

    text: str
    at: int
    quoted: bool = False


@dataclasses.dataclass(frozen=True)
class Window:
    """When something happened: ``before``, ``after`` or ``during`` a first and a last moment.

    Examples
    --------
    >>> Window("before", Word("2024-03-01", 8), Word("2024-03-01", 8)).relation
    'before'
    """

    relation: str
    first: Word
    last: Word


@dataclasses.dataclass(frozen=True)
class Step:
    """An event that happened, one of some names, perhaps in a window and within some time of the step before.

    No names are any event.

    Examples
    --------
    >>> Step((Word("clinic", 0), Word("hospital", 7))).within is None
    True
    """

    names: tuple[Word, ...]
    windows: tuple[Window, ...] = ()
    within: Word | None = None
    at: int = 0


@dataclasses.dataclass(frozen=True)
class Sequel:
    """Events that happened one after the other.

    Examples
    --------
    >>> len(Sequel((Step((Word("clinic", 0),)), Step((Word("pharmacy", 16),)))).steps)
    2
    """

    steps: tuple[Step, ...]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """An attribute, or a window where the name turns out to be that of an event.

    Parameters
    ----------
    name
        Of the attribute.
    relation
        ``=``, ``<``, ``<=``, ``>``, ``>=``, ``in`` for one of several values, ``range`` for a first and a last one.
    values
        What it is compared with.

    Examples
    --------
    >>> Comparison(Word("age", 0), "range", (Word("20", 7), Word("29", 11))).relation
    'range'
    """

    name: Word
    relation: str
    values: tuple[Word, ...]


@dataclasses.dataclass(frozen=True)
class Both:
    """All of some conditions.

    Examples
    --------
    >>> Both(()).parts
    ()
    """

    parts: tuple[Condition, ...]


@dataclasses.dataclass(frozen=True)
class Either:
    """At least one of some conditions.

    Examples
    --------
    >>> Either(()).parts
    ()
    """

    parts: tuple[Condition, ...]


@dataclasses.dataclass(frozen=True)
class Neither:
    """A condition that does not hold.

    Examples
    --------
    >>> Neither(Both(())).part
    Both(parts=())
    """

    part: Condition


Condition = Sequel | Comparison | Both | Either | Neither


@dataclasses.dataclass(frozen=True)
class Query:
    """A question.

    Parameters
    ----------
    verb
        ``count``, ``first``, ``last`` or ``relation``.
    noun
        What is counted: ``person``, ``record``, ``event`` or what a record is called.
    condition
        What must hold; None where everything counts.
    bucket
        Length of the stretches of time that are counted apart; None where there is one count.
    parties
        For a relation: the two whose times are compared.
    text
        The question as it was written.

    Examples
    --------
    >>> Query("count", Word("person", 6), None, None, (), "count person").verb
    'count'
    """

    verb: str
    noun: Word
    condition: Condition | None
    bucket: Word | None
    parties: tuple[Word, ...]
    text: str
