"""Timed event sequences and their release side by side, as the arrays that measures and the report need."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.time_units import UNITS
from sfumato.exceptions import SchemaError
from sfumato.kinds.sequences.dataset import locate_entries
from sfumato.kinds.sequences.decode import (
    SequenceColumns,
    find_columns,
    mark_events,
    number_rows,
    read_lists,
    recode_events,
)
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.retained_detail import RetainedDetail, share_of
from sfumato.release.release import Release

__all__ = ["Covers", "SequenceComparison", "count_retained"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_DURATIONS = {"minute": 60, "hour": 3600, "day": 86_400, "week": 7 * 86_400, "month": 30 * 86_400}


@dataclasses.dataclass(frozen=True, eq=False)
class Covers:
    """What records publish in place of monitored events: categories and closed intervals.

    The intervals of row ``r`` stand at ``offsets[r]:offsets[r+1]``, in the order of their starts.

    Examples
    --------
    >>> covers = Covers(np.array([0, 2]), np.array([0, 0]), np.array([1, 10]), np.array([3, 11]))
    >>> [(at.tolist(), which.tolist()) for at, which in covers.meet(np.array([0]), np.array([2]), np.array([10]))]
    [([0], [1]), ([0], [0])]
    """

    offsets: Ints
    categories: Ints
    lows: Ints
    highs: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def row_of_interval(self) -> Ints:
        """Row each interval belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @property
    def lengths(self) -> Ints:
        """Length of every interval; 0 where it is a single point."""
        return self.highs - self.lows

    def take(self, rows: Ints) -> Covers:
        """Return the given rows, in that order."""
        at = locate_entries(self.offsets, rows)
        offsets = np.concatenate([[0], np.cumsum(np.diff(self.offsets)[rows])]).astype(np.int64)
        return Covers(offsets, self.categories[at], self.lows[at], self.highs[at])

    def meet(self, rows: Ints, first: Ints, last: Ints, decided: Bools | None = None) -> Iterator[tuple[Ints, Ints]]:
        """Find the intervals that windows meet, in steps: positions of windows, and one interval for each.

        Window ``i`` is ``[first[i], last[i]]`` in row ``rows[i]``. In every step a window comes up at most
        once. A caller that has seen enough of a window marks it in `decided`. Where the intervals of a row do
        not overlap, as many steps are made as a window meets intervals; never more than a row has.
        """
        if not len(self.lows):
            return
        starts, low_rank = np.unique(self.lows, return_inverse=True)
        width = len(starts) + 1
        keys = self.row_of_interval * width + low_rank + 1
        wanted = rows * width + np.searchsorted(starts, last, side="right")
        at, interval = np.arange(len(rows)), np.searchsorted(keys, wanted, side="right") - 1
        begins, latest_ends = self.offsets[rows], self._latest_ends
        while True:
            alive = (interval >= begins[at]) & (latest_ends[interval] >= first[at])
            if decided is not None:
                alive &= ~decided[at]
            at, interval = at[alive], interval[alive]
            if not len(at):
                return
            meets = self.highs[interval] >= first[at]
            yield at[meets], interval[meets]
            interval = interval - 1

    @cached_property
    def _latest_ends(self) -> Ints:
        """Latest end among the intervals of a row up to each one: what cannot be reached ends a search."""
        ends, rank = np.unique(self.highs, return_inverse=True)
        latest = np.maximum.accumulate(self.row_of_interval * len(ends) + rank)
        return np.asarray(ends[latest % max(len(ends), 1)], dtype=np.int64)


@dataclasses.dataclass(frozen=True, eq=False)
class SequenceComparison:
    """An original of timed event sequences and its release; :attr:`Comparison.sequences` makes it.

    Events have the codes of ``comparison.places``: those of the original first, then members of categories that
    nobody did here. Which events are monitored is what the release says, because it is what its readers
    know.

    Examples
    --------
    >>> from sfumato.metrics.comparison import Comparison
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 1)], [("mail", 3), ("news", 4)]], monitored=("mail",))
    >>> result = Hi(k=2).anonymize(data, Run())
    >>> found = Comparison(data, result.release, result.owner_record.rows).view(SequenceComparison)
    >>> found.covers.lows.tolist(), found.group.tolist(), found.span
    ([1, 1], [0, 0], 3)
    """

    comparison: Comparison

    @cached_property
    def times(self) -> Ints:
        """Time of every entry of the original histories."""
        return self.comparison.original.times()

    @cached_property
    def is_monitored(self) -> Bools:
        """Which events the receiver monitors, by code."""
        named = getattr(self.comparison.release.guarantee, "monitored", ())
        wanted = set(named or self.comparison.original.schema.monitored)
        return np.array([label in wanted for label in self.comparison.places], dtype=bool)

    @cached_property
    def monitored_entries(self) -> Bools:
        """Which entries of the original histories are monitored events."""
        return np.asarray(self.is_monitored[self.comparison.history.codes], dtype=bool)

    @cached_property
    def covers(self) -> Covers:
        """Published categories and intervals of every published record."""
        categories = self.comparison.published
        cells = self._read_times(self._columns.intervals)
        time_unit = self.comparison.original.time_unit
        lows, highs = (time_unit.from_arrow(cells.field(end)) for end in ("lo", "hi"))
        order = np.lexsort((highs, lows, categories.row_of_token))
        codes = categories.codes[order].astype(np.int64)
        return Covers(categories.offsets, codes, lows[order], highs[order])

    @cached_property
    def others(self) -> tuple[ListColumn, Ints]:
        """Events that are published unchanged, with the original's codes, and their times."""
        published = ListColumn.from_arrow(self.comparison.release.table.column(self._columns.events))
        codes = recode_events(published, self.comparison.places).astype(np.int32)
        if (codes < 0).any():
            raise SchemaError(
                "The release has exact events that the original does not have.",
                hint="Compare it with the data it was made from.",
            )
        times = self.comparison.original.time_unit.from_arrow(self._read_times(self._columns.times))
        return ListColumn(published.offsets, codes, self.comparison.places), times

    @cached_property
    def blurred(self) -> Covers:
        """What records tell of events without times of their own: the original's codes, and intervals."""
        events, stretches = self._columns.blurred, self._columns.stretches
        if events is None or stretches is None:
            none = np.zeros(0, dtype=np.int64)
            return Covers(np.zeros(len(self.comparison.release) + 1, dtype=np.int64), none, none, none)
        blurred_events = ListColumn.from_arrow(self.comparison.release.table.column(events))
        if not set(blurred_events.labels).issubset(self.comparison.places):
            raise SchemaError(
                "The release has blurred events that the original does not have.",
                hint="Compare it with the data it was made from.",
            )
        codes = recode_events(blurred_events, self.comparison.places)
        cells, time_unit = self._read_times(stretches), self.comparison.original.time_unit
        return Covers(
            blurred_events.offsets,
            codes,
            time_unit.from_arrow(cells.field("lo")),
            time_unit.from_arrow(cells.field("hi")),
        )

    def _read_times(self, column: str) -> pa.Array:
        return read_lists(self.comparison.release.table.column(column))[1]

    @cached_property
    def _columns(self) -> SequenceColumns:
        return find_columns(self.comparison.release)

    @cached_property
    def readings(self) -> ListColumn:
        """Events each category may stand for: its monitored members, as others are published exactly."""
        members = self.comparison.members
        monitored = self.is_monitored[members.codes]
        named = np.bincount(members.row_of_token, monitored, minlength=len(members)) > 0
        return members.keep(monitored | ~named[members.row_of_token])

    @cached_property
    def group(self) -> Ints:
        """Number of the group of every published record: those with the same monitored part."""
        return self._groups[1]

    @cached_property
    def group_sizes(self) -> Ints:
        """Number of records of every group."""
        return np.bincount(self.group, minlength=len(self.group_covers)).astype(np.int64)

    @cached_property
    def group_covers(self) -> Covers:
        """Categories and intervals that each group publishes."""
        return self.covers.take(self._groups[0])

    @cached_property
    def _groups(self) -> tuple[Ints, Ints]:
        """A record of every group, and the group of every record."""
        return number_rows(self.covers.offsets, self.covers.categories, self.covers.lows, self.covers.highs)

    @cached_property
    def monitored_originals(self) -> tuple[ListColumn, Ints]:
        """Monitored events of the published records before publishing, in the published order, and their times.

        Needs the owner's row map.
        """
        monitored = self.comparison.history.keep(self.monitored_entries)
        rows = self.comparison.row_map
        return monitored.take(rows), self.times[self.monitored_entries][locate_entries(monitored.offsets, rows)]

    @cached_property
    def covering(self) -> ListColumn:
        """Every interval that covers each entry of :attr:`monitored_originals`: in time, and by its category."""
        events, times = self.monitored_originals
        members = self.comparison.members
        width = max(len(self.comparison.places), 1)
        member_keys = members.row_of_token * width + members.codes
        entries, intervals = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for at, interval in self.covers.meet(events.row_of_token, times, times):
            wanted = self.covers.categories[interval] * width + events.codes[at]
            right = member_keys[np.minimum(np.searchsorted(member_keys, wanted), len(member_keys) - 1)] == wanted
            entries.append(at[right])
            intervals.append(interval[right])
        entry, interval = np.concatenate(entries), np.concatenate(intervals)
        order = np.argsort(entry, kind="stable")
        counts = np.bincount(entry, minlength=len(times))
        return ListColumn(np.concatenate([[0], np.cumsum(counts)]), interval[order].astype(np.int32), ())

    @cached_property
    def earliest(self) -> int:
        """Earliest time of the whole original; 0 without events."""
        return self._ends[0]

    @cached_property
    def span(self) -> int:
        """Latest minus earliest time of the whole original: what lengths are normalised by."""
        return self._ends[1] - self._ends[0]

    @property
    def _ends(self) -> tuple[int, int]:
        full_original = self.comparison.full_original

        def find() -> tuple[int, int]:
            times = full_original.original.times()
            return (int(times.min()), int(times.max())) if len(times) else (0, 0)

        return full_original.cached("first and last time", find)

    @cached_property
    def durations(self) -> dict[str, int]:
        """Lengths of time to look at, by name, rising: minute to month, or powers of ten for plain numbers.

        Those shorter than the unit of the clock are left out. For plain numbers the second of five is the
        largest power of ten up to a thousandth of the span, as an hour is of some months.
        """
        unit = self.comparison.original.time_unit.unit
        if unit is not None:
            named_lengths = {
                name: length // UNITS[unit] for name, length in _DURATIONS.items() if length >= UNITS[unit]
            }
            return named_lengths or {unit: 1}
        base = 1
        while 10_000 * base <= self.span:
            base *= 10
        lengths = [base * 10**power for power in range(4)]
        longer = [length for length in lengths if length <= self.span]
        return {str(length): length for length in ([base // 10] * (base > 1)) + (longer or [base])}

    @cached_property
    def usual_duration(self) -> str:
        """Name of the length of time that headlines are about: an hour, or what comes next to it."""
        names = list(self.durations)
        if self.comparison.original.time_unit.unit is not None:
            return "hour" if "hour" in names else names[0]
        return names[1] if self.span >= 10_000 else names[0]

    def draw_events(self, count: int, seed: int, *, monitored: bool) -> Ints:
        """Draw events of the whole original by how often they occur, without repeating one."""
        full_original, kinds = self.comparison.full_original, len(self.comparison.history.labels)
        seen = full_original.cached(
            "events", lambda: np.bincount(full_original.original.view_history().codes, minlength=kinds)
        )
        possible = np.flatnonzero((seen > 0) & (self.is_monitored[:kinds] == monitored))
        if len(possible) <= count:
            return possible
        chances = seen[possible] / seen[possible].sum()
        drawn = np.random.default_rng(seed).choice(possible, count, replace=False, p=chances)
        return np.sort(drawn)

    def covers_of(self, event: int) -> tuple[Ints, Floats]:
        """Return the intervals of groups that may be an event, and how likely each is to be it."""
        holds = np.zeros(len(self.readings))
        holds[self.readings.row_of_token[self.readings.codes == event]] = 1.0
        chance = (holds / np.maximum(self.readings.lengths, 1))[self.group_covers.categories]
        intervals = np.flatnonzero(chance)
        return intervals, chance[intervals]


def count_retained(original: Dataset, release: Release) -> RetainedDetail:
    """Count what is left of what there was, for the owner to see where that is little."""
    history = original.history()
    monitored = mark_events(history, getattr(release.guarantee, "monitored", ()) or original.schema.monitored)
    moments = np.unique(np.stack([history.codes[monitored], original.times()[monitored]]), axis=1).shape[1]
    column = next((c.name for c in release.columns if c.form.cell == "interval"), None)
    published = release.history()
    ends = [published.codes.astype(np.int64)]
    if column is not None:
        cells = release.table.column(column).combine_chunks().flatten()
        ends += [pc.dictionary_encode(cells.field(end)).indices.to_numpy(zero_copy_only=False) for end in ("lo", "hi")]
    left = np.unique(np.stack([np.asarray(end, dtype=np.int64) for end in ends]), axis=1).shape[1]
    intervals = "interval" if left == 1 else "different intervals"
    sentence = f"{{had}} times of monitored events are published as {{left}} {intervals}."
    advice = "A smaller k or l, fewer monitored events or another method retains more."
    return RetainedDetail(moments, left, sentence, advice, share_of(release))
