"""What a receiver knows of people, and which classes of published records match it.

A class matches if the known events fit between its first and last interval, and then, looked at closely, if every known
event lies in an interval of a category with the event, and every interval holds one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from sfumato.checks.cache import cached
from sfumato.checks.class_index import ClassIndex
from sfumato.checks.compiled import is_compiled_for
from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError
from sfumato.kinds.sequences.decode import Entries, TimedRecords, convert_times, mark_events, number_rows
from sfumato.release.release import Release

__all__ = ["ClassMatches", "Knowledge", "build_knowledge", "match_pairs"]

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

_PORTION = 2_000_000
_SEARCH = 50
"""A search among many intervals takes as long as so many comparisons."""
_MASKED = 1024
"""Different events that classes are told apart by before they are looked at closely."""


@dataclasses.dataclass(frozen=True, eq=False)
class Knowledge:
    """What a receiver knows of people: their monitored events with times, each different knowledge once.

    Parameters
    ----------
    of_person
        Number of the knowledge of every person.
    entries
        The knowledges: different (event, time) pairs, in time order.

    Examples
    --------
    >>> data = Dataset.of("sequences", [[("mail", 3), ("news", 4)], [("mail", 3)], [("mail", 8)]])
    >>> known = build_knowledge(data, ["mail"])
    >>> known.of_person.tolist(), known.entries.times.tolist()
    ([0, 0, 1], [3, 8])
    """

    of_person: Ints
    entries: Entries

    def __len__(self) -> int:
        return len(self.entries.events)


def build_knowledge(original: Dataset, monitored: Iterable[str], published_times: Ints | None = None) -> Knowledge:
    """Take what a receiver who monitors some events knows of everybody.

    Parameters
    ----------
    original
        The people.
    monitored
        The events the receiver monitors.
    published_times
        The times of all events as a release spells them; those of the original if not given.
    """
    events = original.history()
    entries = Entries(events, original.times() if published_times is None else published_times).keep(
        mark_events(events, monitored)
    )
    rows, codes, times = entries.events.row_of_token, entries.events.codes, entries.times
    order = np.lexsort((codes, times, rows))
    rows, codes, times = rows[order], codes[order], times[order]
    fresh = np.ones(len(rows), dtype=bool)
    fresh[1:] = (np.diff(rows) != 0) | (np.diff(times) != 0) | (np.diff(codes) != 0)
    sorted_events = dataclasses.replace(entries.events, codes=codes)
    distinct = Entries(sorted_events, times).keep(fresh)
    first, of_person = number_rows(distinct.events.offsets, distinct.events.codes, distinct.times)
    return Knowledge(of_person, distinct.take(first))


@dataclasses.dataclass(frozen=True, eq=False)
class ClassMatches:
    """The classes of published records that match each knowledge.

    Parameters
    ----------
    records, knowledge
        The release, read, and what is known.
    offsets, classes
        The classes that match knowledge q are ``classes[offsets[q] : offsets[q + 1]]``.

    Examples
    --------
    >>> from sfumato.data.lists import ListColumn
    >>> cover, none = ListColumn.from_lists([["mail"]]), Entries(ListColumn.from_lists([[], []]), np.zeros(0, np.int64))
    >>> lo, hi, holds = np.array([1]), np.array([4]), np.array([0])
    >>> records = TimedRecords(np.array([0, 0]), np.array([2]), cover, lo, hi, none, ("mail",), holds, False)
    >>> known = build_knowledge(Dataset.of("sequences", [[("mail", 2)], [("mail", 9)]]), ["mail"])
    >>> matches = ClassMatches.find(records, known)
    >>> matches.weigh(records.sizes).tolist(), matches.classes_of(0).tolist()
    ([2, 0], [0])
    """

    records: TimedRecords
    knowledge: Knowledge
    offsets: Ints
    classes: Ints

    @classmethod
    @cached
    def of(cls, release: Release, original: Dataset) -> ClassMatches:
        """Match a release with all that is known of the people of an original: the events that its claim monitors."""
        times = convert_times(release, original.time_unit, original.times())
        if times is None:
            raise ParameterError(
                "matching: the times of the original and of the release have different units. Read the original with "
                "the time unit of the release."
            )
        knowledge = build_knowledge(original, getattr(release.guarantee, "monitored", ()), times)
        return cls.find(TimedRecords.of(release, knowledge.entries.events.labels), knowledge)

    @classmethod
    def find(cls, records: TimedRecords, knowledge: Knowledge) -> ClassMatches:
        """Look for the classes that match each knowledge."""
        events, masks = _mark_members(records, knowledge)
        if records.suppressing:
            offsets, classes = _find_beginnings(records, knowledge)
        else:
            offsets, classes = _find_spans(records, knowledge, events, masks)
        begins = knowledge.entries.events.offsets
        if is_compiled_for(int((np.diff(begins) * np.diff(offsets)).sum()) * _SEARCH):
            from sfumato.checks._kernels.timed_covers import keep_covering

            cover = records.cover.offsets, records.lo, records.hi, records.cover.codes.astype(np.int64), masks
            times = knowledge.entries.times
            matches = keep_covering(offsets, classes, begins, times, events, *cover, records.suppressing)
            return cls(records, knowledge, *matches)
        which = np.repeat(np.arange(len(knowledge)), np.diff(offsets))
        matched = match_pairs(records, knowledge, which, classes)
        counts = np.bincount(which[matched], minlength=len(knowledge))
        return cls(records, knowledge, np.concatenate([[0], np.cumsum(counts)]), classes[matched])

    def weigh(self, weights: Ints) -> Ints:
        """Add up, for every knowledge, the weights of the classes that match."""
        total, reached = np.zeros(len(self.knowledge), np.int64), np.flatnonzero(np.diff(self.offsets))
        if len(reached):
            total[reached] = np.add.reduceat(weights[self.classes], self.offsets[reached])
        return total

    def classes_of(self, knowledge: int) -> Ints:
        """Return the classes that match a knowledge, in order."""
        return np.sort(self.classes[self.offsets[knowledge] : self.offsets[knowledge + 1]])


def match_pairs(records: TimedRecords, knowledge: Knowledge, which: Ints, classes: Ints) -> Flags:
    """Tell which pairs of a knowledge and a class match."""
    matched = np.zeros(len(which), dtype=bool)
    ends = np.cumsum(knowledge.entries.events.lengths[which])
    first = 0
    while first < len(which):
        before = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + _PORTION, side="right")))
        group, taken = classes[first:last], knowledge.entries.take(which[first:last])
        pair = taken.events.row_of_token
        at = records.find_cover(group[pair], taken.events.codes, taken.times)
        is_covered = at >= 0
        uncovered = np.bincount(pair[~is_covered], minlength=len(group))
        pair, at = pair[is_covered], at[is_covered]
        # Times ascend, so each change of the covering interval is one that was not used before.
        fresh = np.ones(len(at), dtype=bool)
        fresh[1:] = (np.diff(at) != 0) | (np.diff(pair) != 0)
        used = np.bincount(pair[fresh], minlength=len(group))
        matched[first:last] = (used == records.cover.lengths[group]) & (records.suppressing | (uncovered == 0))
        first = last
    return matched


def _mark_members(records: TimedRecords, knowledge: Knowledge) -> tuple[Ints, Bytes]:
    """Number the events that are known of anybody, and mark those that every category stands for, as bits."""
    used, events = np.unique(knowledge.entries.events.codes, return_inverse=True)
    categories, held = np.divmod(records.holds, max(len(records.labels), 1))
    at = np.minimum(np.searchsorted(used, held), max(len(used) - 1, 0))
    is_used = used[at] == held if len(used) else np.zeros(len(held), dtype=bool)
    flags = np.zeros((len(records.cover.labels), len(used)), dtype=bool)
    flags[categories[is_used], at[is_used]] = True
    return events.reshape(-1).astype(np.int64), np.packbits(flags, axis=1, bitorder="little")


def _find_spans(records: TimedRecords, knowledge: Knowledge, events: Ints, masks: Bytes) -> tuple[Ints, Ints]:
    """Find the classes whose first and last interval hold what is first and last known, with all events in between."""
    cover, entries = records.cover, knowledge.entries
    counts, lengths = entries.events.lengths, cover.lengths
    low, high = np.zeros((2, len(lengths), 3), np.int64)
    values = np.zeros((len(counts), 3), np.int64)
    # Who has no event known, and classes without intervals, have no times: the number of events tells them apart.
    full, informed = np.flatnonzero(lengths), np.flatnonzero(counts)
    for column, at in enumerate((cover.offsets[:-1][full], cover.offsets[1:][full] - 1)):
        low[full, column], high[full, column] = records.lo[at], records.hi[at]
    for column, at in enumerate((entries.events.offsets[:-1][informed], entries.events.offsets[1:][informed] - 1)):
        values[informed, column] = entries.times[at]
    low[:, 2], values[:, 2] = lengths, counts
    high[full, 2] = int(counts.max(initial=0))
    held, facts = np.zeros((len(lengths), masks.shape[1]), np.uint8), (entries.events.offsets, events)
    if 8 * masks.shape[1] > _MASKED:
        held, facts = held[:, :0], (np.zeros(len(counts) + 1, np.int64), events[:0])
    elif len(full):
        held[full] = np.bitwise_or.reduceat(masks[cover.codes], cover.offsets[:-1][full], axis=0)
    return ClassIndex(low, high, held, (low + high) / 2).find(values, *facts)


def _find_beginnings(records: TimedRecords, knowledge: Knowledge) -> tuple[Ints, Ints]:
    """Find the classes whose first interval holds something known, where events may have been left out of a release.

    Every known event is looked for, and counts if it is the first one in the first interval: the one before is earlier.
    """
    cover, entries = records.cover, knowledge.entries
    offsets, times = entries.events.offsets, entries.times
    full = np.flatnonzero(cover.lengths)
    first, last = cover.offsets[:-1][full], cover.offsets[1:][full] - 1
    early, late = int(times.min(initial=0)) - 1, int(times.max(initial=0))
    before, owner = np.full(len(times), early), entries.events.row_of_token
    follows = np.flatnonzero(owner[1:] == owner[:-1]) + 1
    before[follows] = times[follows - 1]
    end = offsets[1:][owner]
    values = np.column_stack([times, before, end - np.arange(len(times)), times[end - 1]])
    lo, most = records.lo[first], np.full(len(full), len(times))
    low = np.column_stack([lo, np.full(len(full), early), cover.lengths[full], records.lo[last]])
    high = np.column_stack([records.hi[first], np.maximum(lo - 1, early), most, np.maximum(records.lo[last], late)])
    masks, nothing = np.zeros((len(full), 0), np.uint8), np.zeros(len(times) + 1, np.int64)
    starts, classes = ClassIndex(low, high, masks, (low + high) / 2).find(values, nothing, nothing[:0])
    starts, classes = starts[offsets], full[classes]
    for empty in np.flatnonzero(cover.lengths == 0):  # what publishes nothing can be anybody
        starts, classes = starts + np.arange(len(starts)), np.insert(classes, starts[1:], empty)
    return starts, classes
