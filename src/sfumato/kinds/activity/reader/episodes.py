"""Episodes of activities: checked, cut into days or weeks, and put into slots of equal length."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.data.notes import Note
from sfumato.data.time_units import UNITS, TimeUnit, count_units, find_moments
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells
from sfumato.readers.partitioned.agreement import agree, note_count
from sfumato.readers.visits import rank_names

__all__ = [
    "DAY",
    "MONDAY",
    "Calendar",
    "Episodes",
    "check_size",
    "fill_slots",
    "parse_start",
    "split_episodes",
    "stretch_months",
]

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

DAY = 86_400_000_000
"""Microseconds in a day."""
MONDAY = 4 * DAY
"""The first Monday after 1970-01-01: data without dates begin there, so that their weeks are calendar weeks."""
_MOST_TRIALS = 2**31 - 1
"""More entries do not fit into one list column."""
_START = re.compile(
    r"(?P<number>[+-]?\d{1,15})|(?P<date>\d{4}-\d\d-\d\d)?(?:(?<=\d)[T ])?(?P<time>\d\d:\d\d(?::\d\d)?)?", re.ASCII
)


class Episodes(NamedTuple):
    """Person, activity, begin and end of episodes.

    Examples
    --------
    >>> one = Episodes(np.array([0]), np.array([0], np.int32), np.array([5]), np.array([3]), np.array([1]))
    >>> one.check("diary.csv", [], ["sleep"])
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: diary.csv: an episode must not end before it begins; look at row 1. Correct the
    data, or leave out such rows: faults='mend'.
    """

    person: Longs
    activity: Ints
    begin: Longs
    end: Longs
    numbers: Longs
    """The number of each episode in messages."""

    def take(self, chosen: npt.NDArray[np.generic]) -> Episodes:
        """Return some of the episodes, by position or mask."""
        return Episodes(*(column[chosen] for column in self))

    @property
    def first(self) -> int:
        """When the first one begins: of these, or of all buckets."""
        return agree("the first moment", int(self.begin.min()), "least")

    @property
    def last(self) -> int:
        """When the last one ends."""
        return agree("the last moment", int(self.end.max()), "most")

    def check(
        self, owner: str, notes: list[Note], labels: Cells, *, correct: bool = False, rows: str = "row"
    ) -> Episodes:
        """Return the episodes by person and time; what is impossible is refused, or mended and noted.

        Episodes that take no time are left out. Mended, an episode ends where the next one begins, and of those that
        begin and end together the last by its name is kept.
        """
        backwards = self.end < self.begin
        if backwards.any() and not correct:
            wrong = self.numbers[backwards].tolist()
            raise SchemaError(
                f"{owner}: an episode must not end before it begins; look at {name_rows(wrong, rows)}.",
                rows=select_shown(wrong),
                hint=Message("Correct the data, or leave out such rows: ", option("faults", "mend"), "."),
            )
        if backwards.any():
            template = "Left out {episodes} {episodes:episode|episodes} with the end before the start."
            notes.append(Note("backward-episodes-left-out", template, {"episodes": int(backwards.sum())}))
        template = "Left out {episodes} {episodes:episode|episodes} of no length."
        note_count(notes, Note("empty-episodes-left-out", template, {"episodes": int((self.end == self.begin).sum())}))
        episodes = self.take(np.flatnonzero(self.end > self.begin))
        episodes = episodes.take(np.lexsort((episodes.end, episodes.begin, episodes.person)))
        return episodes._resolve_overlaps(owner, notes, labels, correct=correct, rows=rows)

    def _resolve_overlaps(self, owner: str, notes: list[Note], labels: Cells, *, correct: bool, rows: str) -> Episodes:
        over = (self.person[1:] == self.person[:-1]) & (self.begin[1:] < self.end[:-1])
        if not over.any():
            return self
        if not correct:
            both = np.flatnonzero(over)
            named = self.numbers[np.concatenate([both, both + 1])].tolist()
            raise SchemaError(
                f"{owner}: episodes of a person must not overlap; look at {name_rows(named, rows)} "
                f"({int(over.sum()):,} overlaps in all).",
                rows=select_shown(named),
                hint=Message(
                    *("Correct the data, or end an episode where the next one begins: ", option("faults", "mend"), "."),
                ),
            )
        template = "Cut {episodes} {episodes:episode|episodes} where the next one begins."
        note_count(notes, Note("overlaps-cut", template, {"episodes": int(over.sum())}))
        rank = rank_names(labels)[self.activity]
        order = np.lexsort((rank, self.end, self.begin, self.person))
        corrected, rank = self.take(order), rank[order]
        joint = over & (corrected.begin[1:] == corrected.begin[:-1]) & (corrected.end[1:] == corrected.end[:-1])
        differ = int((joint & (rank[1:] != rank[:-1])).sum())
        template = (
            "{episodes} {episodes:episode begins and ends|episodes begin and end} with another one; the last by name "
            "is kept."
        )
        note_count(notes, Note("equal-episodes", template, {"episodes": differ}))
        end = corrected.end.copy()
        end[:-1][over] = corrected.begin[1:][over]
        corrected = corrected._replace(end=end)
        return corrected.take(np.flatnonzero(corrected.end > corrected.begin))


class Calendar(NamedTuple):
    """Slots that are the same for everybody: begin of the first, length and number."""

    begin: int
    unit: int
    """In the same units as the times of episodes."""
    slots: int
    time_unit: TimeUnit

    @classmethod
    def of_dates(
        cls, episodes: Episodes, resolution: str, start: tuple[int | None, int], split: str | None
    ) -> Calendar:
        """Return slots of whole days (or one day, or one week) from the midnight before everything, or from the start.

        Times are microseconds since 1970; the start is a moment, if one was given, and a time of day.
        """
        unit = UNITS[resolution] * 1_000_000
        given, after_midnight = start
        period = {"day": DAY, "week": 7 * DAY}.get(split or "", DAY)
        shift = after_midnight + (MONDAY if split == "week" else 0)
        earliest = episodes.first if given is None else given
        begin = (earliest - shift) // period * period + shift
        if begin % unit:
            raise _refuse_start(resolution)
        if split:
            named = (MONDAY if split == "week" else 0) + after_midnight
            return cls(begin, unit, period // unit, TimeUnit(resolution, named // unit))
        days = max(-(-(episodes.last - begin) // DAY), 1)
        return cls(begin, unit, days * DAY // unit, TimeUnit(resolution, begin // unit))

    @classmethod
    def of_numbers(cls, episodes: Episodes, start: int | None) -> Calendar:
        """Take plain numbers as slots, from the first or from the start to the last.

        Examples
        --------
        >>> two = Episodes(np.array([0, 0]), np.array([0, 1]), np.array([3, 5]), np.array([5, 9]), np.array([1, 2]))
        >>> Calendar.of_numbers(two, None)
        Calendar(begin=3, unit=1, slots=6, time_unit=TimeUnit(unit=None, origin=3))
        """
        begin = episodes.first if start is None else start
        return cls(begin, 1, max(episodes.last - begin, 0), TimeUnit(None, begin))


def stretch_months(
    episodes: Episodes, resolution: str, start: int | None, split: str | None
) -> tuple[Episodes, Calendar]:
    """Return slots of a month or quarter, with times stretched so that slots are equally long.

    Within a slot time runs evenly, so that what takes most of a slot takes most of it still.

    Examples
    --------
    >>> february = Episodes(*(np.array([number]) for number in (0, 0, 31 * DAY, 59 * DAY, 1)))
    >>> stretched, calendar = stretch_months(february, "month", None, None)
    >>> calendar.time_unit, calendar.slots, int(stretched.end[0] - stretched.begin[0]) == calendar.unit
    (TimeUnit(unit='month', origin=1), 1, True)
    """
    if split:
        raise ParameterError(
            Message(option("split", split), " and ", option("resolution", resolution), " exclude each other."),
            hint="Choose one.",
        )
    unit = UNITS[resolution] * 1_000_000

    def stretch(micros: Longs) -> Longs:
        number = count_units(resolution, micros)
        begin, end = find_moments(resolution, number), find_moments(resolution, number + 1)
        return number * unit + np.round((micros - begin) / (end - begin) * unit).astype(np.int64)

    moved = episodes._replace(begin=stretch(episodes.begin), end=stretch(episodes.end))
    first = moved.first if start is None else int(stretch(np.array([start]))[0])
    if start is not None and first % unit:
        raise _refuse_start(resolution)
    begin = first // unit * unit
    slots = max(-(-(moved.last - begin) // unit), 1)
    return moved, Calendar(begin, unit, slots, TimeUnit(resolution, begin // unit))


def _refuse_start(resolution: str) -> ParameterError:
    return ParameterError(
        Message(option("start"), f" must be a whole {resolution}."), hint="Give another start, or a finer resolution."
    )


def parse_start(text: str) -> tuple[int | None, int | None, int | None]:
    """Read the option start: microseconds of the date since 1970, of the time since midnight, or a plain number.

    Examples
    --------
    >>> parse_start("1970-01-02T04:00"), parse_start("04:00"), parse_start("17")
    ((86400000000, 14400000000, None), (None, 14400000000, None), (None, None, 17))
    >>> parse_start("noon")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: start= must be a date (2024-01-31), a time of day (04:00), both
    (2024-01-31T04:00) or, where times are numbers, a number; got 'noon'.
    """
    match = _START.fullmatch(text.strip())
    number, date, time = match.groups() if match else (None, None, None)
    hour, minute, second = ([int(part) for part in (time or "00:00").split(":")] + [0])[:3]
    try:
        midnight = None if date is None else int(np.datetime64(date, "us").astype(np.int64))
    except ValueError:
        date = time = None
    if (number, date, time) == (None, None, None) or hour > 23 or minute > 59 or second > 59:
        raise ParameterError(
            Message(
                *(option("start"), " must be a date (2024-01-31), a time of day (04:00), both (2024-01-31T04:00) or, "),
                f"where times are numbers, a number; got {text!r}.",
            )
        )
    after = (hour * 3600 + minute * 60 + second) * 1_000_000
    return midnight, None if time is None else after, None if number is None else int(number)


def split_episodes(episodes: Episodes, begin: int, period: int) -> tuple[Episodes, Longs]:
    """Cut episodes at the ends of periods; return the pieces as times within their period, and its number.

    Examples
    --------
    >>> night = Episodes(np.array([0]), np.array([0]), np.array([22]), np.array([30]), np.array([1]))
    >>> pieces, period = split_episodes(night, 0, 24)
    >>> pieces.begin.tolist(), pieces.end.tolist(), period.tolist()
    ([22, 0], [24, 6], [0, 1])
    """
    first = (episodes.begin - begin) // period
    copies = (episodes.end - 1 - begin) // period - first + 1
    rank = np.arange(int(copies.sum())) - np.repeat(np.cumsum(copies) - copies, copies)
    pieces = episodes.take(np.repeat(np.arange(len(copies)), copies))
    number = np.repeat(first, copies) + rank
    midnight = begin + number * period
    return pieces._replace(
        begin=np.maximum(pieces.begin - midnight, 0), end=np.minimum(pieces.end - midnight, period)
    ), number


def check_size(owner: str, people: int, slots: int) -> None:
    """Refuse more slots than an array can hold, such as after a typing error in a date.

    Examples
    --------
    >>> check_size("diary.csv", 10, 10**9)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: diary.csv: records times slots must be at most 2,147,483,647, got 10 times
    1,000,000,000. Check the earliest and the latest date, or give a coarser resolution: resolution='hour'.
    """
    if people * slots > _MOST_TRIALS:
        raise SchemaError(
            f"{owner}: records times slots must be at most {_MOST_TRIALS:,}, got {people:,} times {slots:,}.",
            option="resolution",
            hint=Message(
                *("Check the earliest and the latest date, or give a coarser resolution: ",),
                *(option("resolution", "hour"), "."),
            ),
        )


def fill_slots(episodes: Episodes, people: int, calendar: Calendar, gap: int) -> Ints:
    """Return the activity of every person and slot, person after person: what takes most of the slot.

    Episodes are in order of person and time, do not overlap and lie within the slots. Time that no episode covers is
    the activity `gap`. Of equals an activity wins against the gap, and the earlier one against the later.

    Examples
    --------
    >>> two = Episodes(np.array([0, 0]), np.array([0, 1]), np.array([0, 50]), np.array([50, 130]), np.array([1, 2]))
    >>> fill_slots(two, 1, Calendar(0, 60, 4, TimeUnit()), gap=2).tolist()
    [0, 1, 2, 2]
    """
    unit, offset = calendar.unit, episodes.person * calendar.slots
    begin, end = episodes.begin - calendar.begin, episodes.end - calendar.begin
    first, last = -(-begin // unit), end // unit
    whole = last > first
    edges = np.zeros(2 * int(whole.sum()) + 2, np.int64)
    edges[1:-1:2], edges[2:-1:2] = (offset + first)[whole], (offset + last)[whole]
    edges[-1] = people * calendar.slots
    values = np.full(len(edges) - 1, gap, np.int32)
    values[1::2] = episodes.activity[whole]
    filled = np.repeat(values, np.diff(edges))
    slot, activity, amount = _list_parts(offset, episodes.activity, begin, end, unit)
    if len(slot):
        where, winner = _choose_activities(slot, activity, amount, unit, gap)
        filled[where] = winner
    return filled


def _list_parts(offset: Longs, activity: Ints, begin: Longs, end: Longs, unit: int) -> tuple[Longs, Ints, Longs]:
    """Return the slots that episodes fill in part, in order of time, and how much of them they fill."""
    head = begin % unit != 0
    tail = (end % unit != 0) & ~(head & (begin // unit == end // unit))
    starts, ends = np.flatnonzero(head), np.flatnonzero(tail)
    opening = np.minimum(end, (begin // unit + 1) * unit) - begin
    closing = end - np.maximum(begin, end // unit * unit)
    slot = np.concatenate([(offset + begin // unit)[starts], (offset + end // unit)[ends]])
    amount = np.concatenate([opening[starts], closing[ends]])
    order = np.argsort(np.concatenate([2 * starts, 2 * ends + 1]), kind="stable")
    return slot[order], np.concatenate([activity[starts], activity[ends]])[order], amount[order]


def _choose_activities(slot: Longs, activity: Ints, amount: Longs, unit: int, gap: int) -> tuple[Longs, Ints]:
    """Return the slots and the activity that takes most of each."""
    width = max(int(activity.max()), gap) + 1
    keys, first, at = np.unique(slot * width + activity, return_index=True, return_inverse=True)
    sums = np.bincount(at, amount, minlength=len(keys))
    slots, group = np.unique(keys // width, return_inverse=True)
    rest = unit - np.bincount(group, sums, minlength=len(slots))
    where = np.concatenate([keys // width, slots])
    what = np.concatenate([keys % width, np.full(len(slots), gap)])
    much = np.concatenate([sums, rest])
    rank = np.concatenate([first, np.full(len(slots), len(slot))])
    order = np.lexsort((rank, -much, where))
    best = order[np.searchsorted(where[order], slots)]
    return slots, what[best].astype(np.int32)
