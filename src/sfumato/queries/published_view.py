"""What data or a release say about the original, in columns: the common ground of all kinds of data.

An original is evidence, too: of every event and every attribute it says exactly what there was. A release says less:
a value that stands for several, an interval for a time, a value that was removed and may have been anywhere. Whoever
asks gets bounds that hold in every original that says the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from sfumato.data.record_unit import RecordUnit
from sfumato.queries.three_valued import Truth, combine_all
from sfumato.queries.time_bounds import TimeBounds
from sfumato.queries.times import Span

__all__ = [
    "Attribute",
    "AttributeCondition",
    "Columns",
    "History",
    "Knowing",
    "Link",
    "Names",
    "PublishedView",
    "Selection",
    "Values",
]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True, eq=False)
class Selection:
    """Some of the values of a column, those asked for.

    Parameters
    ----------
    inside
        Marks them, by code.
    unseen
        Whether values are asked for, too, that nobody is known to have.
    whole
        Whether everything is asked for, known or not.

    Examples
    --------
    >>> Selection(np.array([True, False])).inside.tolist()
    [True, False]
    """

    inside: Flags
    unseen: bool = False
    whole: bool = False

    @classmethod
    def everything(cls, values: int) -> Selection:
        """Select all values, known or not."""
        return cls(np.ones(values, dtype=bool), True, True)


@dataclasses.dataclass(frozen=True, eq=False)
class Names:
    """What values are called: the values themselves, and categories that stand for several.

    Parameters
    ----------
    labels
        The values by code.
    categories
        Names that stand for several values, with the names of these.

    Examples
    --------
    >>> names = Names(("cafe", "bar", "clinic"), {"drinks": ("cafe", "bar", "pub")})
    >>> names.find("drinks").inside.tolist(), names.find("clinc")
    ([True, True, False], None)
    """

    labels: tuple[str, ...]
    categories: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self.labels)}

    def find(self, name: str) -> Selection | None:
        """Return what a name stands for; None where nothing is called so."""
        if name not in self._codes and name not in self.categories:
            return None
        members = (name,) if name in self._codes else self.categories[name]
        inside = np.zeros(len(self.labels), dtype=bool)
        codes = [self._codes[member] for member in members if member in self._codes]
        inside[codes] = True
        return Selection(inside, len(codes) < len(members))

    def all(self) -> list[str]:
        """List all names."""
        return [*self.labels, *self.categories]


@dataclasses.dataclass(frozen=True, eq=False)
class Values:
    """Published values, each one of its members.

    Parameters
    ----------
    starts, members
        Value v is one of the codes ``members[starts[v]:starts[v + 1]]``.
    open
        Marks values that may be something else as well.

    Examples
    --------
    >>> values = Values.of([(0,), (0, 1)])
    >>> chosen = Selection(np.array([True, False]))
    >>> values.must(chosen).tolist(), values.can(chosen).tolist()
    ([True, False], [True, True])
    """

    starts: Ints
    members: Ints
    open: Flags

    @classmethod
    def of(cls, members: Sequence[Sequence[int]], open_: Sequence[int] = ()) -> Values:
        """Take the members of every value; ``open_`` are the values that may be something else as well."""
        starts = np.concatenate([[0], np.cumsum([len(codes) for codes in members])]).astype(np.int64)
        flat = np.array([code for codes in members for code in codes], dtype=np.int64)
        is_open = np.zeros(len(members), dtype=bool)
        is_open[list(open_)] = True
        return cls(starts, flat, is_open)

    @classmethod
    def exact(cls, number: int) -> Values:
        """Take values that are what they are."""
        return cls(np.arange(number + 1), np.arange(number), np.zeros(number, dtype=bool))

    @property
    def sizes(self) -> Ints:
        """Number of members of every value."""
        return np.diff(self.starts)

    def _count(self, selection: Selection) -> Ints:
        hits = np.concatenate([[0], np.cumsum(selection.inside[self.members])])
        return np.asarray(np.diff(hits[self.starts]), dtype=np.int64)

    def must(self, selection: Selection) -> Flags:
        """Mark the values that are one of those asked for, whichever member they are."""
        return np.asarray((self._count(selection) == self.sizes) & (selection.whole | ~self.open))

    def can(self, selection: Selection) -> Flags:
        """Mark the values that may be one of those asked for."""
        return np.asarray((self._count(selection) > 0) | (self.open & selection.unseen))

    def draw(self, values: Ints, random: np.random.Generator) -> Ints:
        """Draw a member of each of some values, all equally likely."""
        sizes = self.sizes[values]
        return self.members[self.starts[values] + (random.random(len(values)) * sizes).astype(np.int64)]


@dataclasses.dataclass(frozen=True, eq=False)
class Link:
    """One event of a question: one of some values, in a window, and how soon after the one before.

    Examples
    --------
    >>> Link(Selection(np.array([True]))).within is None
    True
    """

    selection: Selection
    window: Span | None = None
    within: int | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class AttributeCondition:
    """What is asked of an attribute: some of its values, or numbers of a closed range.

    Examples
    --------
    >>> AttributeCondition(span=(20, 29)).selection is None
    True
    """

    selection: Selection | None = None
    span: tuple[float, float] | None = None


class History(Protocol):
    """What is known of the events of all records: a list of timed events, classes of people, chunks of sets."""

    @property
    def names(self) -> Names:
        """What the events are called."""

    @property
    def timing(self) -> str:
        """``moment`` (microseconds since 1970), ``number``, ``position`` (an order without times) or ``none``."""

    @property
    def size(self) -> int:
        """How much there is to look at: it decides how many originals are drawn."""

    @property
    def span(self) -> Span | None:
        """The first and the last moment of what is told; None where nothing is."""

    def judge(self, links: Sequence[Link]) -> Truth:
        """Tell of how many records the events happened one after the other."""

    def judge_all(self, tests: Sequence[Sequence[Link]]) -> Truth:
        """Tell of how many records all of several such things hold."""

    def count(self, link: Link) -> tuple[int, float]:
        """Return how many such events there are at least and at most, over all records."""

    def time_bounds(self, link: Link) -> TimeBounds:
        """Return from when to when such events happened, over all records."""

    def publishes(self, selection: Selection) -> bool:
        """Tell whether anything is published of some values, and not only that they were removed or may be anywhere."""

    def draw(self, random: np.random.Generator, wanted: Selection) -> History:
        """Draw an original that could have been published so, exactly; only events that may be wanted matter."""


@runtime_checkable
class Knowing(Protocol):
    """A history of sets that knows means over the originals it would draw."""

    def expect(self, items: Sequence[int]) -> float:
        """Return the mean number of records that have all of some items."""


class Attribute(Protocol):
    """What is known of one attribute of all records."""

    @property
    def names(self) -> Names:
        """What its values are called; no labels where they are numbers."""

    @property
    def numeric(self) -> bool:
        """Whether values are numbers or dates, so that they can be compared."""

    @property
    def dated(self) -> bool:
        """Whether they are dates, counted in days since 1970."""

    @property
    def is_published(self) -> bool:
        """Whether some record tells anything of it."""

    def judge(self, question: AttributeCondition) -> Truth:
        """Tell of how many records it has a value that was asked for."""

    def draw(self, random: np.random.Generator) -> Attribute:
        """Draw an original that could have been published so, exactly and record by record."""


class Columns(Mapping[str, Attribute]):
    """Attributes by name, each read or drawn when it is asked for first: a question is about few of them.

    Examples
    --------
    >>> columns = Columns(("age", "city"), lambda name: name.upper())
    >>> list(columns), columns["age"], "sex" in columns
    (['age', 'city'], 'AGE', False)
    """

    def __init__(self, names: Sequence[str], read: Callable[[str], Attribute]) -> None:
        self._names, self._read = tuple(names), read
        self._attributes: dict[str, Attribute] = {}

    @property
    def used(self) -> int:
        """How many of them were asked for so far."""
        return len(self._attributes)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> Attribute:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._attributes:
            self._attributes[name] = self._read(name)
        return self._attributes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclasses.dataclass(frozen=True, eq=False)
class PublishedView:
    """What data or a release say about the original.

    Parameters
    ----------
    unit
        What a record is.
    records
        Number of records told of.
    suppressed_records
        Records that the release leaves out: nothing is known of them.
    history
        Their events; None where there are none.
    attributes
        Their attributes by name.
    people
        Whose each record is, from 0; None where that is not known. Only originals say it.
    exact
        Whether this is an original.
    block, sizes
        Where something is known of blocks of records only: the block of every record, and how many records each has.
    ordered
        Whether a record can have one event after another; not where a record is a single moment.
    notes
        What an answer should say about this evidence.
    drawn
        How originals are drawn, in a sentence, where it is not as usual.
    units
        What moments may be counted in, such as ``day``, the shortest first; none where only exact times tell, or times
        are numbers.

    Examples
    --------
    >>> from sfumato.data.record_unit import PERSON
    >>> PublishedView(PERSON, 3, suppressed_records=1).total
    4
    """

    unit: RecordUnit
    records: int
    suppressed_records: int = 0
    history: History | None = None
    attributes: Mapping[str, Attribute] = dataclasses.field(default_factory=dict)
    people: Ints | None = None
    exact: bool = False
    block: Ints | None = None
    sizes: Ints | None = None
    ordered: bool = True
    notes: tuple[str, ...] = ()
    drawn: str = ""
    units: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many records the original had."""
        return self.records + self.suppressed_records

    def combine(self, truths: Sequence[Truth]) -> Truth:
        """Return of how many records all of some conditions hold; those of single records meet first."""
        single = [truth for truth in truths if truth.sizes is None]
        combined = [truth for truth in truths if truth.sizes is not None]
        if single and combined:
            assert self.block is not None and self.sizes is not None
            return combine_all([combine_all(single).sum_blocks(self.block, self.sizes), *combined])
        return combine_all(single or combined)

    def draw(self, random: np.random.Generator, wanted: Selection) -> PublishedView:
        """Draw an original that could have been published so, without the records that were left out."""
        return dataclasses.replace(
            self,
            suppressed_records=0,
            history=None if self.history is None else self.history.draw(random, wanted),
            attributes=Columns(tuple(self.attributes), lambda name: self.attributes[name].draw(random)),
            exact=True,
        )
