"""Bounds from shares: how many people of a class did something, when only the time of all of them together is known.

A class of n people spends T of the n L slots of an interval on an activity. No more than T people can have done it
there, and no fewer than T / L: each has only L slots. Of an interval that a window cuts, so many of the T slots must
lie inside as do not fit outside.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.kinds.activity.decode import PublishedClasses, measure_intervals
from sfumato.kinds.activity.query_bounds.grids import Grid, list_grids
from sfumato.queries.events import Events
from sfumato.queries.published_view import Link, Names, Selection, Values
from sfumato.queries.three_valued import Truth, combine_all
from sfumato.queries.time_bounds import TimeBounds
from sfumato.queries.times import Span
from sfumato.release.release import Release

__all__ = ["Shares"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class Shares:
    """What classes of people did together, interval by interval.

    Parameters
    ----------
    classes
        Number of people of every class.
    lengths
        How many slots every interval has.
    grids
        When the slots begin, in every way that the published times leave open.
    owner, interval, activity, low, high
        Of every listed share: class, interval and activity by number, and the slots of all people together that it
        stands for, at least and at most.
    unlisted
        By class and interval: how many slots an activity may have at most that is not listed.
    hidden
        By class and interval: whether nothing is known.
    names, timing
        Of the activities and the times.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]])
    >>> shares = Shares.of(sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32)).release)
    >>> eating = shares.judge([Link(shares.names.find("eat"))])
    >>> eating.low.tolist(), eating.high.tolist()
    ([1], [1])
    """

    classes: Ints
    lengths: Ints
    grids: tuple[Grid, ...]
    owner: Ints
    interval: Ints
    activity: Ints
    low: Ints
    high: Ints
    unlisted: Ints
    hidden: Flags
    names: Names
    timing: str

    @classmethod
    def of(cls, release: Release) -> Shares:
        """Read a release."""
        published, guarantee = PublishedClasses.of(release), release.guarantee
        slots, length = int(getattr(guarantee, "slots", 1)), int(getattr(guarantee, "slot", 1))
        digits, gap = getattr(guarantee, "digits", None), getattr(guarantee, "gap", None)
        # Intervals of which nothing is listed by anyone are at the end, or there are none.
        lengths = measure_intervals(max(slots, (len(published.begins) - 1) * length + 1), length)
        lengths = lengths[: len(published.begins)]
        dated = release.columns[1].form.type == "timestamp"
        starts = published.begins if dated else published.begins * length
        capacity = published.sizes[:, None] * lengths
        low, high = _bound_slots(published.share, capacity[published.owner, published.interval], digits)
        return cls(
            published.sizes,
            lengths,
            list_grids(starts, lengths, dated=dated),
            published.owner,
            published.interval,
            published.activity,
            low,
            high,
            _bound_slots(np.zeros(capacity.shape), capacity, digits)[1],
            published.find_hidden(gap),
            Names(published.labels),
            "moment" if dated else "number",
        )

    @property
    def size(self) -> int:
        """How much there is to look at: all slots of all people."""
        return int(self.classes.sum() * self.lengths.sum())

    @property
    def span(self) -> Span | None:
        """The first and the last slot."""
        if not len(self.lengths):
            return None
        return int(self.grids[0].slots[0]), max(int(grid.slots[-1]) for grid in self.grids)

    @property
    def units(self) -> tuple[str, ...]:
        """What a slot may last; nothing where times are numbers."""
        return tuple(grid.unit for grid in self.grids if grid.unit)

    @property
    def _capacity(self) -> Ints:
        return self.classes[:, None] * self.lengths

    def _count_slots(self, selection: Selection) -> tuple[Ints, Ints]:
        """Return how many slots go to some activities, by class and interval, at least and at most."""
        inside, capacity = selection.inside, self._capacity
        if inside.all() and selection.unseen:
            return capacity, capacity
        wanted = inside[self.activity]
        low, high = self._add_up(self.low, wanted), self._add_up(self.high, wanted)
        most = capacity - self._add_up(self.low, ~wanted)
        if not selection.unseen:
            missing = int(inside.sum()) - self._add_up(np.ones_like(self.low), wanted)
            most = np.minimum(most, high + missing * self.unlisted)
        return np.where(self.hidden, 0, low), np.where(self.hidden, capacity, most)

    def _add_up(self, slots: Ints, chosen: Flags) -> Ints:
        """Add up what some listed shares stand for, by class and interval."""
        spot = self.owner[chosen] * len(self.lengths) + self.interval[chosen]
        whole = np.bincount(spot, slots[chosen], minlength=len(self.classes) * len(self.lengths))
        return whole.astype(np.int64).reshape(len(self.classes), len(self.lengths))

    def _bound_people(self, link: Link, grid: Grid) -> tuple[Ints, Ints]:
        """Return how many people of every class did something in every interval, at least and at most."""
        low, high = self._count_slots(link.selection)
        inside = grid.cut(link.window)
        spilled = np.maximum(low - self.classes[:, None] * (self.lengths - inside), 0)
        least = -(-spilled // np.maximum(inside, 1))
        most = np.where(inside > 0, np.minimum(high, self.classes[:, None]), 0)
        return np.where(inside > 0, least, 0), most

    def judge(self, links: Sequence[Link]) -> Truth:
        """Tell of how many people of every class the events happened one after the other."""
        truths = [self._judge(links, grid) for grid in self.grids]
        low, high = (np.stack([getattr(truth, side) for truth in truths]) for side in ("low", "high"))
        return Truth(low.min(axis=0), high.max(axis=0), self.classes)

    def _judge(self, links: Sequence[Link], grid: Grid) -> Truth:
        bounds = [self._bound_people(link, grid) for link in links]
        low = bounds[0][0]
        for (least, _), link in zip(bounds[1:], links[1:], strict=True):
            low = self._follow(low, least, link.within, grid)
        certain = low.max(axis=1, initial=0)
        highs = [high for _, high in bounds]
        for at in range(1, len(highs)):
            highs[at] = np.where(self._mark_reachable(highs[at - 1]), highs[at], 0)
        for at in range(len(highs) - 1, 0, -1):
            highs[at - 1] = np.where(self._mark_reachable(highs[at][:, ::-1])[:, ::-1], highs[at - 1], 0)
        possible = np.minimum.reduce([high.sum(axis=1) for high in highs] + [self.classes])
        return Truth(certain, np.maximum(possible, certain), self.classes)

    def _mark_reachable(self, high: Ints) -> Flags:
        """Return which intervals come after one in which something was possible, or have room for both."""
        there = np.cumsum(high > 0, axis=1)
        before = np.concatenate([np.zeros((len(high), 1), np.int64), there[:, :-1]], axis=1)
        return np.asarray(np.where(self.lengths.max(initial=1) > 1, there, before) > 0)

    def _follow(self, before: Ints, after: Ints, within: int | None, grid: Grid) -> Ints:
        """Return of how many people both happened, the second in every interval: at least a + b - n of n."""
        both = np.zeros_like(after)
        for at in range(1, len(self.lengths)):
            first = 0
            if within is not None:
                first = int(np.searchsorted(grid.starts, grid.lasts[at] - within))
            if first < at:
                both[:, at] = before[:, first:at].max(axis=1) + after[:, at] - self.classes
        return np.maximum(both, 0)

    def judge_all(self, tests: Sequence[Sequence[Link]]) -> Truth:
        """Tell of how many people all of several such things hold."""
        return combine_all([self.judge(links) for links in tests])

    def count(self, link: Link) -> tuple[int, float]:
        """Return how many slots there are of it, of all people together."""
        least, most = self._count_slots(link.selection)
        bounds = []
        for inside in (grid.cut(link.window) for grid in self.grids):
            outside = self.classes[:, None] * (self.lengths - inside)
            low, high = np.maximum(least - outside, 0), np.minimum(most, self.classes[:, None] * inside)
            bounds.append((int(low.sum()), float(high.sum())))
        return min(low for low, _ in bounds), max(high for _, high in bounds)

    def time_bounds(self, link: Link) -> TimeBounds:
        """Return from when to when such slots were, of all people.

        So many slots of one interval as people cannot have at one moment are at several.
        """
        low, high = self._count_slots(link.selection)
        moments = -(-low // self.classes[:, None])
        may, sure = np.nonzero(high)[1], np.nonzero(low)
        all_bounds = []
        for grid in self.grids:
            soonest = grid.slots[grid.ends[sure[1]] + moments[sure] - 1]
            latest = grid.slots[grid.ends[sure[1] + 1] - moments[sure]]
            all_bounds.append(TimeBounds.of(grid.starts[may], grid.lasts[may], soonest, latest))
        return functools.reduce(TimeBounds.either, all_bounds)

    def publishes(self, selection: Selection) -> bool:  # noqa: ARG002
        """Return whether there is a class and interval of which shares are published."""
        return not bool(self.hidden.all())

    def draw(self, random: np.random.Generator, wanted: Selection) -> Events:
        """Draw an original: within every class and interval, slots are dealt out to its people by chance."""
        record, value, time, before = [], [], [], 0
        ends = np.searchsorted(self.owner, np.arange(len(self.classes) + 1))
        grid = self.grids[int(random.integers(len(self.grids))) if len(self.grids) > 1 else 0]
        for at, people in enumerate(self.classes.tolist()):
            low, high = self._tabulate_slots(slice(ends[at], ends[at + 1]))
            for length in np.unique(self.lengths).tolist():
                intervals = np.flatnonzero(self.lengths == length)
                slots = _fill_slots(low[intervals], high[intervals], people * length)
                mixed = random.permuted(slots, axis=1).reshape(len(intervals), people, length)
                there, who, slot = np.nonzero(wanted.inside[mixed])
                record.append(who + before)
                value.append(mixed[there, who, slot])
                time.append(grid.slots[grid.ends[intervals[there]] + slot])
            before += people
        exact = Values.exact(len(self.names.labels))
        columns = [np.concatenate([np.zeros(0, np.int64), *part]) for part in (record, value, time)]
        return Events.of(before, columns[0], columns[1], exact, self.names, self.timing, lo=columns[2])

    def _tabulate_slots(self, listed: slice) -> tuple[Ints, Ints]:
        """Return the slots of one class by interval and activity, at least and at most."""
        low = np.zeros((len(self.lengths), len(self.names.labels)), dtype=np.int64)
        high = low.copy()
        low[self.interval[listed], self.activity[listed]] = self.low[listed]
        high[self.interval[listed], self.activity[listed]] = self.high[listed]
        return low, high


def _bound_slots(shares: Floats, capacity: Ints, digits: int | None) -> tuple[Ints, Ints]:
    """Return the whole numbers of slots that published shares may stand for; rounded ones are less than a unit off."""
    slots = shares * capacity
    if digits is None:
        exact = np.rint(slots).astype(np.int64)
        return exact, exact
    off, slack = capacity * 10.0**-digits, 1e-6
    low = np.floor(slots - off + slack).astype(np.int64) + 1
    high = np.ceil(slots + off - slack).astype(np.int64) - 1
    return np.maximum(low, 0), np.minimum(np.maximum(high, 0), capacity)


def _fill_slots(low: Ints, high: Ints, capacity: int) -> Ints:
    """Return the activities of all slots of every interval, as many of each as there are at least, then the others."""
    counts = low.copy()
    missing = capacity - counts.sum(axis=1)
    for activity in np.argsort(-(high + low).sum(axis=0)).tolist():
        more = np.clip(np.minimum(missing, high[:, activity] - counts[:, activity]), 0, None)
        counts[:, activity] += more
        missing -= more
    counts[:, 0] += missing
    codes = np.tile(np.arange(counts.shape[1]), len(counts))
    return np.repeat(codes, counts.reshape(-1)).reshape(len(counts), capacity)
