"""Groups of records whose sensitive values are known together: how many have which, but not who."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.data.coded import ValueSets
from sfumato.kinds.snapshots.decode import PublishedSnapshots
from sfumato.queries.columns import CodedAttribute
from sfumato.queries.events import Events
from sfumato.queries.published_view import AttributeCondition, Link, Names, Selection, Values
from sfumato.queries.three_valued import Truth
from sfumato.queries.time_bounds import TimeBounds
from sfumato.queries.times import Span

__all__ = ["GroupedValue", "Groups"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Groups:
    """Sensitive values of groups of records as events; the records of a group were published at one time.

    Parameters
    ----------
    group, sizes
        Group of every record, and number of records of every group.
    lo, hi
        When the records of every group may have arisen.
    pair_group, pair_value, pair_count
        How many records of a group have which value.
    names, timing
        Of the values and the times.

    Examples
    --------
    >>> groups = Groups(np.array([0, 0, 0]), np.array([3]), np.array([4]), np.array([5]), np.array([0, 0]),
    ...     np.array([0, 1]), np.array([2, 1]), Names(("cold", "flu")), "number")
    >>> cold = groups.names.find("cold")
    >>> [groups.judge([Link(cold, window)]).low.tolist() for window in (None, (4, 9), (5, 9))]
    [[2], [2], [0]]
    """

    group: Ints
    sizes: Ints
    lo: Ints
    hi: Ints
    pair_group: Ints
    pair_value: Ints
    pair_count: Ints
    names: Names
    timing: str

    @classmethod
    def of(cls, published: PublishedSnapshots, first: Ints, timing: str) -> Groups:
        """Take published groups, and when their records may have arisen at the earliest."""
        return cls(
            published.group,
            published.sizes,
            first,
            published.group_time,
            published.pair_group,
            published.pair_value,
            published.pair_count,
            Names(published.labels),
            timing,
        )

    @property
    def size(self) -> int:
        """How much there is to look at."""
        return len(self.group)

    @property
    def span(self) -> Span | None:
        """The first and the last published moment."""
        return (int(self.lo.min()), int(self.hi.max())) if len(self.lo) else None

    def count_values(self, selection: Selection) -> Ints:
        """Return how many records of every group have one of some values."""
        counted = self.pair_count * selection.inside[self.pair_value]
        return np.bincount(self.pair_group, counted, minlength=len(self.sizes)).astype(np.int64)

    def judge(self, links: Sequence[Link]) -> Truth:
        """Return how many records of every group have a value, in a window; a record is one moment, so of one link."""
        counts = self.count_values(links[0].selection)
        low = high = counts
        if links[0].window is not None:
            first, last = links[0].window
            low = np.where((self.lo >= first) & (self.hi <= last), counts, 0)
            high = np.where((self.hi >= first) & (self.lo <= last) & (first <= last), counts, 0)
        if len(links) > 1:
            low = high = np.zeros_like(counts)
        return Truth(low, high, self.sizes)

    def judge_all(self, tests: Sequence[Sequence[Link]]) -> Truth:
        """Return how many records of every group meet all of several such conditions: each has one value only."""
        links = [links[0] for links in tests]
        both = np.logical_and.reduce([link.selection.inside for link in links])
        windows = [link.window for link in links if link.window is not None]
        shared = (max(first for first, _ in windows), min(last for _, last in windows)) if windows else None
        return self.judge([Link(Selection(both), shared)])

    def count(self, link: Link) -> tuple[int, float]:
        """Return how many such events there are: every record has one."""
        truth = self.judge([link])
        return int(truth.low.sum()), float(truth.high.sum())

    def time_bounds(self, link: Link) -> TimeBounds:
        """Return from when to when records with such values arose: each some time before its group was published."""
        having = self.count_values(link.selection) > 0
        lo, hi = self.lo[having], self.hi[having]
        return TimeBounds.of(lo, hi, lo, hi)

    def publishes(self, selection: Selection) -> bool:  # noqa: ARG002
        """Every group tells all of its values."""
        return True

    def draw(self, random: np.random.Generator, wanted: Selection) -> Events:  # noqa: ARG002
        """Draw an original: within every group values are dealt out to its records by chance."""
        rows, value = self.assign_values(random)
        early, late = self.lo[self.group[rows]], self.hi[self.group[rows]]
        time = early + (random.random(len(rows)) * (late - early + 1)).astype(np.int64)
        exact = Values.exact(len(self.names.labels))
        return Events.of(len(self.group), rows, value, exact, self.names, self.timing, lo=time)

    def assign_values(self, random: np.random.Generator) -> tuple[Ints, Ints]:
        """Return all records and a value for each, so that every group has those it has."""
        rows = np.lexsort((random.random(len(self.group)), self.group))
        return rows, np.repeat(self.pair_value, self.pair_count)


@dataclasses.dataclass(frozen=True, eq=False)
class GroupedValue:
    """The sensitive value of records as an attribute, known of groups only.

    Examples
    --------
    >>> groups = Groups(np.array([0, 0, 0]), np.array([3]), np.array([4]), np.array([5]), np.array([0, 0]),
    ...     np.array([0, 1]), np.array([2, 1]), Names(("cold", "flu")), "number")
    >>> GroupedValue(groups).judge(AttributeCondition(groups.names.find("flu"))).low.tolist()
    [1]
    """

    groups: Groups

    @property
    def names(self) -> Names:
        """What the values are called."""
        return self.groups.names

    @property
    def numeric(self) -> bool:
        """Values are names."""
        return False

    @property
    def dated(self) -> bool:
        """Values are names."""
        return False

    @property
    def is_published(self) -> bool:
        """Every group tells all of its values."""
        return True

    def judge(self, question: AttributeCondition) -> Truth:
        """Return how many records of every group have a value that was asked for."""
        selection = question.selection
        counts = np.zeros_like(self.groups.sizes) if selection is None else self.groups.count_values(selection)
        return Truth(counts, counts, self.groups.sizes)

    def draw(self, random: np.random.Generator) -> CodedAttribute:
        """Draw the value of every record."""
        rows, value = self.groups.assign_values(random)
        assigned = np.empty(len(rows), dtype=np.int64)
        assigned[rows] = value
        labels = self.names.labels
        return CodedAttribute(
            ValueSets.of_labels(labels, [[code] for code in range(len(labels))]), assigned, self.names
        )
