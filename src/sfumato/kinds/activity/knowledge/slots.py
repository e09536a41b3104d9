"""Who fits what is known about some slots of a person's days: people of the data, or published classes."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.checks.class_index import ClassIndex
from sfumato.data.dataset import Dataset
from sfumato.exceptions import SchemaError
from sfumato.kinds.activity.dataset import Slots
from sfumato.kinds.activity.decode import PublishedClasses, begin_intervals
from sfumato.progress import track
from sfumato.release.release import Release

__all__ = ["KnownDays", "KnownSlots"]

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

_CELLS = 1 << 22
"""So many facts about people or classes are held at a time: some tens of megabytes."""
_SEVERAL = 4
"""Counting what a whole group does costs about as much as comparing it with so many days."""


@dataclasses.dataclass(frozen=True, eq=False)
class KnownSlots:
    """Original days beside published classes: which classes somebody may be in, after what is known.

    Somebody may be in a class if the class spends some time on each known activity in its interval, or nothing is
    published of it. As many people of the class count as its observed time is worth in the interval in which, of those
    in which the person is known to be observed, that is least: somebody whose time is unknown is not the one.

    Parameters
    ----------
    slots
        What everybody did.
    published
        The classes.
    length
        Slots in a published interval.
    digits
        How shares are rounded: an activity that rounds to nothing may have been done all the same.
    gap
        What time is called that nothing is known about; None where everything is known.
    """

    slots: Slots
    published: PublishedClasses
    length: int
    digits: int | None = None
    gap: str | None = None

    @classmethod
    def of(cls, release: Release, original: Dataset) -> KnownSlots:
        """Read both. Raise :class:`SchemaError` where they have different intervals.

        Examples
        --------
        >>> import sfumato as sf
        >>> data = Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"], ["eat", "eat"], ["eat", "eat"]])
        >>> release = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32)).release
        >>> KnownSlots.of(release, data).know_all().tolist()
        [2, 2, 2, 2]
        """
        guarantee = release.guarantee
        knowledge = cls(
            Slots.of_history(original.view_history()),
            PublishedClasses.of(release),
            int(getattr(guarantee, "slot", 1)),
            getattr(guarantee, "digits", None),
            getattr(guarantee, "gap", None),
        )
        if len(knowledge.begins) != len(knowledge.published.begins):
            raise SchemaError(
                "attack: the release has other intervals than the original. Give the data it was made from."
            )
        return knowledge

    @cached_property
    def begins(self) -> Ints:
        """Slot at which every interval begins."""
        return begin_intervals(self.slots.codes.shape[1], self.length)

    @cached_property
    def _present(self) -> Flags:
        """Tell which classes may do what: class by fact, which is an interval and an activity, as in the original."""
        published, width = self.published, len(self.slots.labels)
        code = np.array(self.slots.find(published.labels), dtype=np.int64)
        activity = code[published.activity] if len(code) else published.activity
        present = np.zeros((len(published.sizes), len(self.begins), width), dtype=bool)
        is_listed = activity >= 0
        present[published.owner[is_listed], published.interval[is_listed], activity[is_listed]] = True
        if self.digits is not None:
            # What is not listed may have been done all the same, because it rounds to nothing.
            present[published.sizes * self.length > 10**self.digits] = True
        present[self.hidden] = True
        return present.reshape(len(present), -1)

    @cached_property
    def _index(self) -> ClassIndex:
        """Index the classes by what they may do; those are near each other that do the same in the same intervals."""
        present, width = self._present, len(self.slots.labels)
        none = np.zeros((len(present), 0), np.int64)
        by_interval = present.reshape(len(present), -1, width).astype(np.float64)
        centres = by_interval @ np.arange(width) / np.maximum(by_interval.sum(axis=2), 1.0)
        return ClassIndex(none, none, np.packbits(present, axis=1, bitorder="little"), centres)

    @cached_property
    def hidden(self) -> Flags:
        """Of which classes and intervals nothing is published."""
        return self.published.find_hidden(self.gap)

    @cached_property
    def _observed(self) -> Ints:
        """How many people's time is observed at least, by class and interval; all of them where nothing is published.

        What a share may be too small by because of rounding is added.
        """
        people = self.published.sizes[:, None]
        if self.gap is None:
            return np.broadcast_to(people, (len(people), len(self.begins)))
        error = 0.0 if self.digits is None else 10.0**-self.digits
        worth = np.floor((1.0 - self.published.shares_of(self.gap) + error) * people + 1e-6).astype(np.int64)
        return np.where(self.hidden, people, np.minimum(worth, people))

    @cached_property
    def _seen(self) -> Flags:
        """In which intervals everybody is observed at some time."""
        code = -1 if self.gap is None else self.slots.find((self.gap,))[0]
        return np.asarray(np.logical_or.reduceat(self.slots.codes != code, self.begins, axis=1))

    @cached_property
    def _is_partly_observed(self) -> Flags:
        """Which classes have somebody in them who is not observed in some interval."""
        return np.asarray((self._observed < self.published.sizes[:, None]).any(axis=1))

    def _add_up(self, person: Ints, classes: Ints, seen: Flags) -> Ints:
        """Return how many people are in the classes that fit, of those observed when the person is known to be.

        Parameters
        ----------
        person, classes
            Pairs of a person and a class that fits.
        seen
            By person and interval: whether the person is known to be observed in it.
        """
        worth = self.published.sizes[classes]
        partly = np.flatnonzero(self._is_partly_observed[classes])
        step = max(1, _CELLS // max(1, seen.shape[1]))
        for begin in range(0, len(partly), step):
            pairs = partly[begin : begin + step]
            size = worth[pairs]
            observed = np.where(seen[person[pairs]], self._observed[classes[pairs]], size[:, None])
            worth[pairs] = np.minimum(size, observed.min(axis=1, initial=np.iinfo(np.int64).max))
        return np.bincount(person, worth, minlength=len(seen)).astype(np.int64)

    def know_all(self) -> Ints:
        """Return how many people fit when everything that a person did is known: the worst case of any knowledge."""
        return self._fit(None)

    def _fit(self, slots: Ints | None) -> Ints:
        """Return how many people fit when slots of everybody are known, one row of slots per person, or all."""
        codes, width, classes = self.slots.codes, len(self.slots.labels), len(self.published.sizes)
        interval = np.arange(codes.shape[1])[None] // self.length if slots is None else slots // self.length
        sizes = np.zeros(len(codes), np.int64)
        step = max(1, _CELLS // max(1, interval.shape[1], classes))
        for begin in track("compare records", range(0, len(codes), step)):
            rows = slice(begin, min(begin + step, len(codes)))
            seen = self._seen[rows]
            did, during = codes[rows], interval
            if slots is not None:
                did, during = np.take_along_axis(did, slots[rows], axis=1), interval[rows]
                is_known = np.zeros(seen.shape, dtype=bool)
                np.put_along_axis(is_known, during, True, axis=1)
                seen = seen & is_known
            facts = during * width + did
            is_new = np.ones(facts.shape, dtype=bool)
            is_new[:, 1:] = facts[:, 1:] != facts[:, :-1]
            offsets = np.concatenate([[0], np.cumsum(np.count_nonzero(is_new, axis=1))])
            comparisons = int(offsets[-1]) * classes * len(codes) // max(1, 8 * len(facts))
            nothing = np.zeros((len(facts), 0), np.int64)
            ends, matches = self._index.find(nothing, offsets, facts[is_new], comparisons)
            sizes[rows] = self._add_up(np.repeat(np.arange(len(facts)), np.diff(ends)), matches, seen)
        return sizes

    def know_slots(self, slots: Ints) -> Ints:
        """Return how many people fit when some slots of everybody are known: one row of slots per person.

        Examples
        --------
        >>> import sfumato as sf
        >>> data = Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"], ["eat", "eat"], ["eat", "eat"]])
        >>> release = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32)).release
        >>> KnownSlots.of(release, data).know_slots(np.array([[0], [1], [0], [1]])).tolist()
        [2, 2, 2, 4]
        """
        return self._fit(slots)

    def know_best(self, m: int, people: Ints | None = None) -> Ints:
        """Return how many people fit when those m slots are known that, one by one, leave fewest.

        By number of known slots, from 1 to m, and person: everybody, or some rows of people.

        Examples
        --------
        >>> import sfumato as sf
        >>> data = Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"], ["eat", "eat"], ["eat", "eat"]])
        >>> release = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32)).release
        >>> KnownSlots.of(release, data).know_best(2).tolist()
        [[2, 2, 2, 2], [2, 2, 2, 2]]
        """
        rows = np.arange(len(self.slots.codes)) if people is None else people
        width = len(self.slots.labels)
        present = self._present
        interval = np.repeat(np.arange(len(self.begins)), np.diff(np.append(self.begins, self.slots.codes.shape[1])))
        sizes = np.zeros((m, len(rows)), dtype=np.int64)
        for at, person in enumerate(rows.tolist()):
            facts = np.unique(interval * width + self.slots.codes[person])
            fitting = np.ones(len(self.published.sizes), dtype=bool)
            seen = np.zeros((1, len(self.begins)), dtype=bool)
            for step in range(m):
                left = self.published.sizes[fitting] @ present[np.ix_(fitting, facts)]
                fact = facts[int(np.argmin(left))]
                fitting = fitting & present[:, fact]
                seen[0, fact // width] = self._seen[person, fact // width]
                classes = np.flatnonzero(fitting)
                sizes[step, at] = self._add_up(np.zeros_like(classes), classes, seen)[0]
        return sizes


@dataclasses.dataclass(eq=False)
class KnownDays:
    """Days as they stand: how many people fit those m slots of a person that, one by one, leave fewest.

    Parameters
    ----------
    slots
        What everybody did.
    m
        How many slots are known.
    sensitive
        Codes of the sensitive activities.
    people
        Rows of those who are looked for; everybody if not given.

    Examples
    --------
    >>> days = Slots(np.array([[0, 0], [0, 1], [1, 1], [1, 0]], np.int32), ("sleep", "eat"))
    >>> sizes, shares = KnownDays(days, 2, [1]).fit()
    >>> sizes.tolist(), shares.tolist()
    ([[2, 2, 2, 2], [1, 1, 1, 1]], [1.0, 1.0])
    """

    slots: Slots
    m: int
    sensitive: list[int]
    people: Ints | None = None

    def fit(self) -> tuple[Ints, Floats]:
        """Return by number of known slots and person how many people fit, and the largest sensitive share.

        That is the largest share, by number of known slots, of the people who fit somebody that do a sensitive
        activity in one slot.
        """
        codes = self.slots.codes
        everybody = np.arange(len(codes))
        people = everybody if self.people is None else self.people
        self._sizes = np.zeros((self.m, len(codes)), dtype=np.int64)
        self._shares = np.zeros(self.m)
        if codes.size:
            self._narrow(everybody, people, 0)
        return self._sizes[:, people], self._shares

    def _narrow(self, group: Ints, people: Ints, depth: int) -> None:
        """Choose the next slot for people of a group that fits all that is known of them."""
        if depth == self.m:
            return
        if len(group) == 1:
            self._sizes[depth:, people] = 1
            self._update_shares(group, slice(depth, None))
            return
        best, left = self._choose(group, self.slots.codes[people])
        self._sizes[depth, people] = left
        keys = best * len(self.slots.labels) + self.slots.codes[people, best]
        order = np.argsort(keys, kind="stable")
        slot, did = -1, np.empty(0, dtype=np.int32)
        for chosen in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
            # Those who are known by the same slot come one after another.
            if slot != best[chosen[0]]:
                slot = int(best[chosen[0]])
                did = self.slots.codes[group, slot]
            fitting = group[did == self.slots.codes[people[chosen[0]], slot]]
            self._update_shares(fitting, slice(depth, depth + 1))
            self._narrow(fitting, people[chosen], depth + 1)

    def _choose(self, group: Ints, days: Codes) -> tuple[Ints, Ints]:
        """Return by person the first slot that the fewest of a group share, and how many these are."""
        slots = np.arange(self.slots.codes.shape[1])
        best, left = np.zeros(len(days), dtype=np.int64), np.zeros(len(days), dtype=np.int64)
        # A table of all activities pays where several look for themselves in a large group.
        table = None
        if len(days) > _SEVERAL and len(group) * len(days) > len(self.slots.labels):
            table = _count_people(self.slots.codes, group, len(self.slots.labels))
        for at, day in enumerate(days):
            shared = self._count_matches(group, day) if table is None else table[slots, day]
            best[at] = np.argmin(shared)
            left[at] = shared[best[at]]
        return best, left

    def _count_matches(self, group: Ints, day: Codes | int) -> Ints:
        """Count by slot who of a group does as a day says, some people at a time: a copy of all could be gigabytes."""
        step = max(1, _CELLS // max(1, self.slots.codes.shape[1]))
        counts = np.zeros(self.slots.codes.shape[1], dtype=np.int64)
        for first in range(0, len(group), step):
            counts += (self.slots.codes[group[first : first + step]] == day).sum(axis=0)
        return counts

    def _update_shares(self, group: Ints, depths: slice) -> None:
        """Note the largest share of a group that does a sensitive activity in one slot."""
        for code in self.sensitive:
            # Nothing is larger than 1, which is found early.
            if (self._shares[depths] < 1.0).any():
                most = int(self._count_matches(group, code).max(initial=0))
                self._shares[depths] = np.maximum(self._shares[depths], most / len(group))


def _count_people(codes: Codes, group: Ints, activities: int) -> Ints:
    """Count by slot and activity how many people of a group do it, some people at a time."""
    slots = codes.shape[1]
    place = np.arange(slots) * activities
    counts = np.zeros(slots * activities, dtype=np.int64)
    step = max(1, _CELLS // max(1, slots))
    for first in range(0, len(group), step):
        counts += np.bincount((codes[group[first : first + step]] + place).ravel(), minlength=len(counts))
    return counts.reshape(slots, activities)
