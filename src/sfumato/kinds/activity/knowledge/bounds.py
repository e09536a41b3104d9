"""How many people of a class do an activity throughout a window of time, bounded by what is published.

A window is so many consecutive slots, whenever it begins. What is published of a class of n people is how many of their
slots in each interval go into an activity: of the ``n * length`` slots of interval j, ``done[j]`` go into it and
``other[j]`` into something else. Two theorems say what this tells about the people who do it throughout a window.

**From above.** A window takes ``part[j]`` slots of interval j. At most ``min(n, min_j done[j] // part[j])`` people do
the activity throughout it, and so many can. *Proof.* Each of t such people spends ``part[j]`` slots of interval j on
it, so ``t * part[j] <= done[j]``. If this holds for all j, let t people do it throughout; what is left of ``done[j]``
has room in the other slots of the interval, for all slots together are ``n * length >= done[j]``.

**From below.** Take a span of whole intervals that has room for r windows one after the other, and let e be the sum of
``other`` over it. Then in some window of the span at least ``n - e // r`` people do the activity throughout, and the
largest such number over all spans is attained: no more can be concluded. *Proof.* Whoever does not do it throughout a
window spends a slot of it on something else. The r windows share no slot, so one of them has at most ``e // r`` such
slots, and as few people. Conversely, let N be at most ``e // r`` for every span. Write H(t) for the slots before time t
that are spent on something else, over all people. It is given where intervals begin, and may be chosen elsewhere if it
never falls. Let H(t) be the least that is at least H(t - 1) and, from one window's length on, H(t - window) + N. Where
an interval begins this asks for at most what is given, for a chain of r such steps from one beginning to another spans
r windows. So every window has at least N such slots. Give them to the people in turn, in order of time: any N of them
that follow each other belong to N people, and at most n - N are left who do it throughout a window. (A slot with more
than n of them has some to spare for others of its interval.) If the length of an interval divides r windows, a longer
span is made of two, and one of these says as much; so r need not be larger.

Rounded shares make ``done`` and ``other`` ranges, of which the end is taken that makes the bound hold.

**Unknown time** is neither. Who is seen doing the activity in a window and nothing else *may* do it throughout, and is
compared with those who are *seen* in it at all. From above: people who may take slots of the activity or unknown ones,
at least one of the former; people who are not seen take unknown slots only; and people seen doing something else are at
least as many as what has no room outside the window takes. From below: at most ``unknown // window`` people of a span
are not seen in some window of it. These bounds hold, and are those above where nothing is unknown.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.kinds.activity.decode import PublishedClasses, measure_intervals
from sfumato.kinds.activity.knowledge.windows import WindowCounts, slide_minimum

__all__ = ["Bounded", "PublishedTime", "Within"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_NEARLY = 1e-6
"""Far above the rounding of a share times a number of slots, and far below one slot."""


class Within(NamedTuple):
    """A range of whole numbers by class and interval.

    Attributes
    ----------
    least, most
        Its ends.
    """

    least: Ints
    most: Ints

    @classmethod
    def of_shares(cls, shares: Floats, total: Ints, error: float) -> Within:
        """Return how many slots a share of all of them may be, if it is rounded by less than an error.

        Examples
        --------
        >>> Within.of_shares(np.array([[0.33]]), np.array([[30]]), 0.01)
        Within(least=array([[10]]), most=array([[10]]))
        """
        least = np.ceil((shares - error) * total - _NEARLY).astype(np.int64)
        most = np.floor((shares + error) * total + _NEARLY).astype(np.int64)
        return cls(np.clip(least, 0, total), np.clip(most, 0, total))


class Bounded(NamedTuple):
    """What can be concluded for certain: in some window of a span so many of a class may do it, of so many seen.

    Attributes
    ----------
    owner
        Which class.
    first, stop
        Intervals of the span, from the first to before the last.
    people, seen
        At least so many, of at least so many.

    Examples
    --------
    >>> found = Bounded(owner=0, first=0, stop=3, people=1, seen=1)
    >>> found.people / found.seen
    1.0
    """

    owner: int
    first: int
    stop: int
    people: int
    seen: int


class PublishedTime(NamedTuple):
    """How much time of classes goes into an activity, as published.

    Attributes
    ----------
    sizes
        People of every class.
    lengths
        Slots of every interval: all equal, but for the last one, which may be shorter.
    done, unknown
        Slots of a class and interval that go into the activity, and of which nothing is known.
    hidden
        Of which classes and intervals nothing is published.
    """

    sizes: Ints
    lengths: Ints
    done: Within
    unknown: Within
    hidden: Flags

    @classmethod
    def of(cls, published: PublishedClasses, label: str, guarantee: Any) -> PublishedTime:
        """Read the time that goes into an activity off the published shares of it, and of unknown time.

        Parameters
        ----------
        published
            The classes.
        label
            The activity.
        guarantee
            What says how many slots there are (``slots``, and ``slot`` in an interval), how shares are rounded
            (``digits``) and what unknown time is called (``gap``).
        """
        lengths = measure_intervals(guarantee.slots, guarantee.slot)
        total = published.sizes[:, None] * lengths
        error = 0.0 if guarantee.digits is None else 10.0**-guarantee.digits
        nothing = np.zeros_like(total)
        unknown = Within(nothing, nothing)
        if guarantee.gap is not None:
            unknown = Within.of_shares(published.shares_of(guarantee.gap), total, error)
        done = Within.of_shares(published.shares_of(label), total, error)
        return cls(published.sizes, lengths, done, unknown, published.find_hidden(guarantee.gap))

    def bound_from_above(self, owner: int, window: int) -> WindowCounts:
        """Return by window in which something is published the most who may do it throughout, and the fewest seen.

        Examples
        --------
        >>> done, none = np.array([[4, 3, 4, 2]]), np.zeros((1, 4), np.int64)
        >>> time = PublishedTime(np.array([2]), np.array([2] * 4), Within(done, done), Within(none, none), none > 0)
        >>> time.bound_from_above(0, 3).may.tolist()
        [2, 1, 1, 2, 2, 1]
        """
        people, slots = int(self.sizes[owner]), int(self.lengths.sum())
        if window > slots:
            return WindowCounts(np.zeros(0, np.int64), np.zeros(0, np.int64))
        cut = _Cut(self.lengths, window)
        done, unknown = self.done.most[owner], self.unknown.most[owner]
        may = np.minimum(cut.least_of(done + unknown), people)
        seen = np.full(len(may), people, dtype=np.int64)
        if unknown.any():
            others = cut.most_needed(people * self.lengths - done - unknown, people)
            may = np.minimum(np.minimum(may, cut.sum_of(done)), people - others)
            seen = np.maximum(people - cut.least_of(unknown), may + others)
        shown = cut.all_shown(self.hidden[owner])
        return WindowCounts(may[shown], seen[shown])

    def bound_from_below(self, window: int, epsilon: Fraction) -> Bounded | None:
        """Return a span in which more than a share of a class may do it throughout some window, whoever they are.

        Examples
        --------
        >>> done, none = np.array([[2, 1, 2]]), np.zeros((1, 3), np.int64)
        >>> time = PublishedTime(np.array([1]), np.array([2] * 3), Within(done, done), Within(none, none), none > 0)
        >>> time.bound_from_below(3, Fraction(1, 2))
        Bounded(owner=0, first=0, stop=3, people=1, seen=1)
        """
        length, slots = int(self.lengths[0]), int(self.lengths.sum())
        total = self.sizes[:, None] * self.lengths
        others = _prefix(total - self.done.least - self.unknown.least)
        unknown, hidden = _prefix(self.unknown.most), _prefix(self.hidden)
        begins = np.concatenate([[0], np.cumsum(self.lengths)])
        for rounds in range(1, min(length // math.gcd(length, window), slots // window) + 1):
            first = np.flatnonzero(begins + rounds * window <= slots)
            stop = np.searchsorted(begins, begins[first] + rounds * window)
            seen = self.sizes[:, None] - (unknown[:, stop] - unknown[:, first]) // window
            may = seen - (others[:, stop] - others[:, first]) // rounds
            shown = hidden[:, stop] == hidden[:, first]
            broken = shown & (seen > 0) & (may * epsilon.denominator > epsilon.numerator * seen)
            if broken.any():
                owner, at = np.unravel_index(int(np.argmax(broken)), broken.shape)
                span = (int(owner), int(first[at]), int(stop[at]), int(may[owner, at]), int(seen[owner, at]))
                return Bounded(*span)
        return None


def _prefix(table: npt.NDArray[Any]) -> Ints:
    """Return the sums of the first entries of each row: of none, of one, and so on."""
    sums = np.cumsum(table.astype(np.int64), axis=1)
    return np.concatenate([np.zeros((len(table), 1), np.int64), sums], axis=1)


class _Cut:
    """Windows of so many slots, one for every slot at which one may begin, cut where intervals begin."""

    def __init__(self, lengths: Ints, window: int) -> None:
        self.lengths = lengths
        begins = np.concatenate([[0], np.cumsum(lengths)])
        starts = np.arange(begins[-1] - window + 1)
        self.first, self.last = starts // lengths[0], (starts + window - 1) // lengths[0]
        self.ends = (
            (self.first, np.minimum(begins[self.first + 1] - starts, window)),
            (self.last, np.minimum(starts + window - begins[self.last], window)),
        )

    def least_of(self, time: Ints) -> Ints:
        """Return how many people at most spend all of a window on something, given its time by interval."""
        least = np.minimum(*(time[at] // part for at, part in self.ends))
        return np.asarray(np.minimum(least, self._slide(time // self.lengths, int(time.max(initial=0)))))

    def most_needed(self, time: Ints, people: int) -> Ints:
        """Return how many people at least it takes for what has no room outside of a window."""
        most = np.zeros(len(self.first), dtype=np.int64)
        for at, part in self.ends:
            inside = np.maximum(time[at] - people * (self.lengths[at] - part), 0)
            most = np.maximum(most, -(-inside // part))
        return np.maximum(most, -self._slide(-time // self.lengths, 0))

    def sum_of(self, time: Ints) -> Ints:
        """Return how much time of intervals that a window touches there is."""
        sums = _prefix(time[None])[0]
        return np.asarray(sums[self.last + 1] - sums[self.first])

    def all_shown(self, hidden: Flags) -> Flags:
        """Tell which windows touch no interval that is hidden."""
        return np.asarray(self.sum_of(hidden.astype(np.int64)) == 0)

    def _slide(self, by_interval: Ints, none: int) -> Ints:
        """Return the smallest of the intervals that lie within a window; something else where none does."""
        least = np.full(len(self.first), none, dtype=np.int64)
        inner = self.last - self.first - 1
        for width in range(max(1, int(inner.min())), int(inner.max()) + 1):
            chosen = inner == width
            least[chosen] = slide_minimum(by_interval[None], width)[0][self.first[chosen] + 1]
        return least
