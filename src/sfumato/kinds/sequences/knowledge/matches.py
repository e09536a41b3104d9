"""How many published records match what a receiver knows: when a person did the monitored events.

A receiver knows (event, time) pairs of a person. Who knows all of them matches a record if every known pair is
covered by a (category, interval) pair of the record, and every pair of the record covers a known one. Who knows
only some can ask for the first half alone: what the others cover is unknown.

To know all is the strongest. A record that matches everything known covers all of it, and so any part of it: the
records that match the part include those that match the whole, and are never fewer. Where the whole matches no
record, because the person was withheld, a part may still match some. But whether a record matches depends on
its monitored part alone, so what matches is made of whole classes of records with the same monitored part. It
therefore has never fewer records than the smallest class, and holds no event more often than the worst class
does: the share of a union lies between the shares of its parts. Both are what verifiers check in the release on
its own, so it is enough to try the whole knowledge on top.

A release may say that monitored events are left out of it. What is known need not be covered then, and only the
second half tells records apart: to know all is the strongest once more, as who knows a part can exclude no record.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError
from sfumato.kinds.sequences.decode import Entries, TimedRecords, convert_times, find_last, mark_events, number_rows
from sfumato.kinds.sequences.knowledge.windows import Window, Windows, count_most, find_busiest
from sfumato.release.release import Release

__all__ = ["Knowledge", "ReceiverMatches", "build_knowledge", "count_matches", "match_classes"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Portions = Iterator[tuple[Ints, Ints]]

_PORTION = 2_000_000
_EFFORT = 100_000_000


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
class ReceiverMatches:
    """What a receiver who knows all monitored events of everybody matches.

    Parameters
    ----------
    sizes
        Per person: published records that match.
    published
        Per person: whether the release holds them; None when that is not known.
    knowledges
        Number of different knowledges.
    rarest
        Published rows that match the knowledge that fewest match, but at least one; None if nothing matches.
    likeliest
        The event and window that the largest share of the records matching anybody hold; None when no window
        is asked for, or no matching record holds an event.
    share
        That share. Where very many overlapping sets of records match, the search for it ends once all are known
        to keep to 1 in l: then the share is a bound, not below the truth nor above that of the worst class.

    Examples
    --------
    >>> sizes, published = np.array([2, 2, 0]), np.array([True, True, False])
    >>> found = ReceiverMatches(sizes, published, knowledges=3, rarest=np.array([0, 1]))
    >>> int(found.sizes[found.published].min()), found.rarest.tolist()
    (2, [0, 1])
    """

    sizes: Ints
    published: Flags | None
    knowledges: int
    rarest: Ints | None
    likeliest: Window | None = None
    share: float | None = None


def count_matches(
    release: Release, original: Dataset, rows: Ints | None = None, windows: Windows | None = None
) -> ReceiverMatches:
    """Count, for every original person, the published records that match all monitored events known of them.

    Parameters
    ----------
    release, original
        What was published, and what the receiver's knowledge is drawn from. The events monitored are those of
        the claim.
    rows
        Original row of every published row, where the owner kept it.
    windows
        Their length in steps of the published times: then also find the event that is likeliest in one.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 1), ("news", 2)], [("mail", 3)]], monitored=("mail",))
    >>> release = Hi(k=2).anonymize(data, Run(bytes(32))).release
    >>> found = count_matches(release, data, windows=Windows(length=5, l=2))
    >>> found.sizes.tolist(), found.share, found.likeliest.event
    ([2, 2], 0.5, 'news')
    """
    times = convert_times(release, original.time_unit, original.times())
    if times is None:
        raise ParameterError(
            "matching: the times of the original and of the release must be in the same units; read the original "
            "with the time unit it was published from."
        )
    knowledge = build_knowledge(original, getattr(release.guarantee, "monitored", ()), times)
    records = TimedRecords.of(release, knowledge.entries.events.labels)
    busy = np.zeros(len(records.sizes), dtype=np.int64)
    if windows is not None:
        busy = count_most(records.entries, records.class_of_row, len(records.sizes), windows.length)
    size, bound = np.zeros(len(knowledge), dtype=np.int64), np.zeros(len(knowledge), dtype=np.int64)
    for which, classes in _matching_pairs(records, knowledge):
        np.add.at(size, which, records.sizes[classes])
        np.add.at(bound, which, busy[classes])
    published = None if rows is None else np.isin(np.arange(len(original)), rows)
    rarest = _rarest(records, knowledge, size)
    if windows is None:
        return ReceiverMatches(size[knowledge.of_person], published, len(knowledge), rarest)
    likeliest, share = _likeliest(records, knowledge, size, bound, windows)
    return ReceiverMatches(size[knowledge.of_person], published, len(knowledge), rarest, likeliest, share)


def match_classes(records: TimedRecords, knowledge: Knowledge) -> tuple[Ints, Ints]:
    """Return all pairs of a knowledge and a class of records that match.

    Examples
    --------
    >>> from sfumato.data.lists import ListColumn
    >>> cover, none = ListColumn.from_lists([["mail"]]), Entries(ListColumn.from_lists([[], []]), np.zeros(0, np.int64))
    >>> lo, hi, holds = np.array([1]), np.array([4]), np.array([0])
    >>> records = TimedRecords(np.array([0, 0]), np.array([2]), cover, lo, hi, none, ("mail",), holds, False)
    >>> known = build_knowledge(Dataset.of("sequences", [[("mail", 2)], [("mail", 9)]]), ["mail"])
    >>> [found.tolist() for found in match_classes(records, known)]
    [[0], [0]]
    """
    return _joined([*_matching_pairs(records, knowledge)])


def _rarest(records: TimedRecords, knowledge: Knowledge, size: Ints) -> Ints | None:
    reached = np.flatnonzero(size)
    if not len(reached):
        return None
    return records.rows_of(_classes_of(records, knowledge, reached[[np.argmin(size[reached])]])[0])


def _likeliest(
    records: TimedRecords, knowledge: Knowledge, size: Ints, bound: Ints, windows: Windows
) -> tuple[Window | None, float]:
    """Find the event that the largest share of anybody's matching records hold inside a window.

    No window of one event holds more of several classes than the sum of what windows hold of each, which is the
    bound. Where it leaves room for a larger share than the one found, the records are looked at.
    """
    best: Window | None = None
    seen: set[bytes] = set()
    left = np.flatnonzero(bound)
    left = left[np.argsort(-(bound[left] / size[left]), kind="stable")]
    effort, portion = 0, 1
    while len(left) and (effort < _EFFORT or bound[left[0]] > size[left[0]] // windows.l):
        for number, classes in zip(left, _classes_of(records, knowledge, left[:portion]), strict=False):
            if classes.tobytes() in seen or not _can_improve(bound[number], size[number], best):
                continue
            seen.add(classes.tobytes())
            rows = records.rows_of(classes)
            effort += 1_000 + int(records.entries.events.lengths[rows].sum())
            window = find_busiest(records.entries, rows, windows.length)
            best = window if window and _can_improve(window.people, window.records, best) else best
        effort += len(records.sizes)
        left = left[portion:][_can_improve(bound[left[portion:]], size[left[portion:]], best)]
        portion = min(2 * portion, 1024)
    share = 0.0 if best is None else best.people / best.records
    return best, max(share, float(bound[left[0]] / size[left[0]]) if len(left) else 0.0)


def _can_improve(people: Any, records: Any, best: Window | None) -> Any:
    """Tell whether a share, or each of several, is larger than the best."""
    return people * (1 if best is None else best.records) > (0 if best is None else best.people) * records


def _classes_of(records: TimedRecords, knowledge: Knowledge, wanted: Ints) -> list[Ints]:
    """Return the classes that match each of some knowledges."""
    part = Knowledge(np.arange(len(wanted)), knowledge.entries.take(wanted))
    pairs = [*_matching_pairs(records, part)]
    which = np.concatenate([numbers for numbers, _ in pairs])
    classes = np.concatenate([numbers for _, numbers in pairs])
    order = np.lexsort((classes, which))
    return np.split(classes[order], np.cumsum(np.bincount(which, minlength=len(wanted)))[:-1])


def _matching_pairs(records: TimedRecords, knowledge: Knowledge) -> Portions:
    """Yield portions of all pairs of a knowledge and a class that match."""
    if records.suppressing:
        yield from _pairs_with_gaps(records, knowledge)
        return
    any_event = _classes_of_any_event(records, knowledge)
    for which, classes in _candidates(records, knowledge):
        matched = _cover_in_time(records, knowledge, which, classes)
        unsure = np.flatnonzero(matched & ~any_event[classes])
        matched[unsure] = _cover_events(records, knowledge, which[unsure], classes[unsure])
        yield which[matched], classes[matched]


def _classes_of_any_event(records: TimedRecords, knowledge: Knowledge) -> Flags:
    """Mark the classes whose categories all contain every event that is known of anybody: time decides alone."""
    codes = np.unique(knowledge.entries.events.codes)
    held = records.holds[np.isin(records.holds % max(len(records.labels), 1), codes)] // max(len(records.labels), 1)
    narrow = np.bincount(held, minlength=len(records.cover.labels)) < len(codes)
    return np.asarray(np.bincount(records.cover.row_of_token, narrow[records.cover.codes], len(records.sizes)) == 0)


def _candidates(records: TimedRecords, knowledge: Knowledge) -> Portions:
    """Yield portions of the pairs that fit at both ends, as intervals in time order that are all used must.

    Knowledges are sorted by their first time: those that begin in the first interval of a class are neighbours.
    """
    offsets, times = knowledge.entries.events.offsets, knowledge.entries.times
    length = np.diff(offsets)
    nothing, something = np.flatnonzero(length == 0), np.flatnonzero(length)
    something = something[np.argsort(times[offsets[something]], kind="stable")]
    first, last = times[offsets[something]], times[offsets[something + 1] - 1]
    starts, ends = records.cover.offsets[:-1], records.cover.offsets[1:]
    for empty in np.flatnonzero(starts == ends):
        yield nothing, np.full(len(nothing), empty)
    classes = np.flatnonzero(starts < ends)
    low = np.searchsorted(first, records.lo[starts[classes]], side="left")
    high = np.searchsorted(first, records.hi[starts[classes]], side="right")
    lo, hi = records.lo[ends[classes] - 1], records.hi[ends[classes] - 1]
    portion: list[tuple[Ints, Ints]] = []
    cells = 0
    for number, a, b, least, most in zip(classes.tolist(), low, high, lo, hi, strict=True):
        fits = something[a:b][(last[a:b] >= least) & (last[a:b] <= most)]
        fits = fits[length[fits] >= ends[number] - starts[number]]
        portion.append((fits, np.full(len(fits), number)))
        cells += len(fits) * int(ends[number] - starts[number])
        if cells >= _PORTION:
            yield _joined(portion)
            portion, cells = [], 0
    yield _joined(portion)


def _joined(pairs: Sequence[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    none = np.zeros(0, dtype=np.int64)
    return np.concatenate([none, *(left for left, _ in pairs)]), np.concatenate([none, *(right for _, right in pairs)])


def _cover_in_time(records: TimedRecords, knowledge: Knowledge, which: Ints, classes: Ints) -> Flags:
    """Mark the pairs that fit at both ends where no known time lies between intervals, and one in each."""
    inner = np.maximum(records.cover.lengths[classes] - 1, 0)
    pair = np.repeat(np.arange(len(which)), inner)
    at = np.arange(len(pair)) + np.repeat(records.cover.offsets[classes] - np.cumsum(inner) + inner, inner)
    offsets, times = knowledge.entries.events.offsets, knowledge.entries.times
    begin, end = offsets[which[pair]], offsets[which[pair] + 1]
    by_then = find_last(times, begin, end, records.hi[at])
    until_next = find_last(times, begin, end, records.lo[at + 1] - 1)
    wrong = by_then != until_next
    wrong[1:] |= (by_then[1:] == by_then[:-1]) & (pair[1:] == pair[:-1])
    return np.asarray(np.bincount(pair[wrong], minlength=len(which)) == 0)


def _cover_events(records: TimedRecords, knowledge: Knowledge, which: Ints, classes: Ints) -> Flags:
    """Mark the pairs that fit in time where every known event is of the category published for its time."""
    taken = knowledge.entries.take(which)
    pair = taken.events.row_of_token
    at = records.find_cover(classes[pair], taken.events.codes, taken.times)
    return np.asarray(np.bincount(pair[at < 0], minlength=len(which)) == 0)


def _pairs_with_gaps(records: TimedRecords, knowledge: Knowledge) -> Portions:
    """Yield portions of all pairs that match where known events may have been left out of the release."""
    order = np.argsort(knowledge.entries.times, kind="stable")
    times, owner = knowledge.entries.times[order], knowledge.entries.events.row_of_token[order]
    length, everybody = knowledge.entries.events.lengths, np.arange(len(knowledge))
    portion: list[tuple[Ints, Ints]] = []
    cells = 0
    for number, (begin, end) in enumerate(itertools.pairwise(records.cover.offsets.tolist())):
        fits = everybody
        if begin < end:
            low, high = np.searchsorted(times, [records.lo[begin], records.hi[begin] + 1])
            fits = np.unique(owner[low:high])
        portion.append((fits, np.full(len(fits), number)))
        cells += int(length[fits].sum())
        if cells >= _PORTION:
            yield _with_all_used(records, knowledge, *_joined(portion))
            portion, cells = [], 0
    yield _with_all_used(records, knowledge, *_joined(portion))


def _with_all_used(records: TimedRecords, knowledge: Knowledge, which: Ints, classes: Ints) -> tuple[Ints, Ints]:
    """Keep the pairs where all that is published covers something known."""
    taken = knowledge.entries.take(which)
    pair = taken.events.row_of_token
    at = records.find_cover(classes[pair], taken.events.codes, taken.times)
    pair, at = pair[at >= 0], at[at >= 0]
    # Times ascend, so each change of the covering pair is one that was not used before.
    fresh = np.ones(len(at), dtype=bool)
    fresh[1:] = (np.diff(at) != 0) | (np.diff(pair) != 0)
    matched = np.bincount(pair[fresh], minlength=len(which)) == records.cover.lengths[classes]
    return which[matched], classes[matched]
