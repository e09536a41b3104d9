"""Activity data and their release side by side: what everybody did, and what is published of their classes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.time_units import UNITS
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.kinds.activity.decode import PublishedClasses
from sfumato.messages import Message, parameter
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.retained_detail import RetainedDetail, share_of
from sfumato.release.release import Release

__all__ = ["ActivityComparison", "PublishedClass", "choose_activities", "count_retained", "sum_over_spans"]

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_DAY = 86_400


class PublishedClass(NamedTuple):
    """A class: how many people it has, what is published of it, and who they are if that is known.

    Attributes
    ----------
    name, size
        What it is called, and how many people it has.
    shares
        Share of its time by interval and activity.
    rows
        Original rows of its people; None where nobody knows.

    Examples
    --------
    >>> one = PublishedClass("1", 2, np.array([[1.0, 0.0], [0.5, 0.5]]), None)
    >>> (one.size * one.shares).tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """

    name: str
    size: int
    shares: Floats
    rows: Longs | None


@dataclasses.dataclass(frozen=True, eq=False)
class ActivityComparison:
    """What measures of activity data need to know; times are counted in slots.

    The classes stand in the order of the published part ``classes``, which is the order in which the owner's row map
    lists people, class by class.

    Parameters
    ----------
    comparison
        The original and its release.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from sfumato.data.lists import ListColumn
    >>> history = ListColumn.from_lists([["sleep", "sleep", "work"], ["work", "work", "work"]])
    >>> ActivityComparison(SimpleNamespace(history=history, original=history)).totals.tolist()
    [[2, 1], [0, 3]]
    """

    comparison: Comparison

    @property
    def people(self) -> int:
        """Number of people in the original."""
        return len(self.comparison.original)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Activities, by their codes."""
        return self.comparison.history.labels

    @cached_property
    def sensitive(self) -> list[int]:
        """Codes of the sensitive activities."""
        return [self.labels.index(label) for label in self.comparison.original.schema.sensitive]

    @cached_property
    def slots(self) -> int:
        """Number of slots, the same for everybody."""
        lengths = self.comparison.history.lengths
        if len(lengths) and (lengths != lengths[0]).any():
            raise SchemaError("All people of the original must have the same number of slots.")
        return int(lengths[0]) if len(lengths) else 0

    @cached_property
    def codes(self) -> Ints:
        """What everybody did, a row per person and a column per slot."""
        return self.comparison.history.codes.reshape(self.people, self.slots)

    @cached_property
    def occurring(self) -> npt.NDArray[np.bool_]:
        """Which activities anyone of the whole original did."""
        return np.asarray(self.all_slots > 0)

    @property
    def all_slots(self) -> Longs:
        """Slots that everybody of the whole original spent on every activity."""
        full_original, width = self.comparison.full_original, len(self.labels)
        return full_original.cached(
            "slots", lambda: np.bincount(full_original.original.view_history().codes, minlength=width)
        )

    @cached_property
    def totals(self) -> Longs:
        """Slots that every person spent on every activity."""
        totals = np.empty((self.people, len(self.labels)), dtype=np.int64)
        for row in range(self.people):
            totals[row] = np.bincount(self.codes[row], minlength=len(self.labels))
        return totals

    @cached_property
    def _published(self) -> PublishedClasses:
        return PublishedClasses.of(self.comparison.release)

    @property
    def sizes(self) -> Longs:
        """People in every class."""
        return self._published.sizes

    @property
    def names(self) -> tuple[str, ...]:
        """Name of every class."""
        return self._published.names

    @cached_property
    def edges(self) -> Longs:
        """Slot at which every published interval begins, and the end of the last one."""
        begins = np.unique(self._begins)
        if len(begins) and (begins[0] != 0 or begins[-1] >= self.slots):
            raise SchemaError(
                "The published intervals do not begin and end with the slots of the original.",
                hint="Compare the release with the data it was made from.",
            )
        return np.append(begins, self.slots)

    @cached_property
    def _begins(self) -> Longs:
        """Slot at which every interval begins that the release tells apart."""
        begins, kind = self._published.begins, self.comparison.release.table.schema.field("interval").type
        time_unit = self.comparison.original.time_unit
        if pa.types.is_timestamp(kind):
            return time_unit.from_arrow(pa.array(begins).cast(kind)) - time_unit.origin
        length = getattr(self.comparison.release.guarantee, "slot", None)
        if not isinstance(length, int):
            length = -(-self.slots // (int(begins.max(initial=0)) + 1))
        return begins * length

    @cached_property
    def intervals(self) -> Longs:
        """Slots in every published interval."""
        return np.diff(self.edges)

    @cached_property
    def _places(self) -> tuple[Longs, Longs]:
        """Where published intervals and activities stand among those of the original."""
        code = {label: at for at, label in enumerate(self.labels)}
        if any(label not in code for label in self._published.labels):
            raise SchemaError(
                "The release has activities or classes that the original or the list of classes does not have.",
                hint="Compare it with the data it was made from.",
            )
        activities = np.array([code[label] for label in self._published.labels], dtype=np.int64)
        return np.searchsorted(self.edges, self._begins), activities

    def classes(self) -> Iterator[PublishedClass]:
        """Go through the classes, one at a time: all of them together may be large."""
        places, rows = np.ix_(*self._places), self.comparison.rows
        members = [None] * len(self.names) if rows is None else self._published.members(rows)
        for name, size, shares, people in zip(
            self.names, self.sizes.tolist(), self._published.tables(), members, strict=True
        ):
            table = np.zeros((len(self.intervals), len(self.labels)))
            table[places] = shares
            yield PublishedClass(name, size, table, people)

    @cached_property
    def class_totals(self) -> Floats:
        """Slots that an average person of every class spent on every activity, as published."""
        published, (when, what) = self._published, self._places
        keys = published.owner * len(self.labels) + what[published.activity]
        time = published.share * self.intervals[when[published.interval]]
        totals = np.bincount(keys, time, minlength=len(self.names) * len(self.labels))
        return np.asarray(totals.reshape(len(self.names), len(self.labels)))

    @property
    def day(self) -> int | None:
        """Slots in a day; None where slots have no unit or are days or longer."""
        unit = self.comparison.original.time_unit.unit
        return None if unit is None or UNITS[unit] >= _DAY else _DAY // UNITS[unit]

    @property
    def days(self) -> float:
        """How many days the slots are; 1 where nobody knows, so that durations per day are durations."""
        unit = self.comparison.original.time_unit.unit
        return 1.0 if unit is None else max(self.slots * UNITS[unit] / _DAY, 1e-9)

    @property
    def first_of_day(self) -> int:
        """How many slots after midnight the first slot begins."""
        return self.comparison.original.time_unit.origin % self.day if self.day else 0

    @property
    def levels(self) -> dict[str, int]:
        """Lengths of time by name, in slots, that differences are measured at: a slot, an hour, a day."""
        unit = self.comparison.original.time_unit.unit
        named = {} if unit is None else {name: UNITS[name] // UNITS[unit] for name in ("hour", "day")}
        return {"slot": 1, **{name: length for name, length in named.items() if 1 < length <= self.slots}}

    def level_edges(self, length: int) -> Longs:
        """Return where spans of a length begin, and the end of the last one, which may be shorter."""
        return np.append(np.arange(0, self.slots, length), self.slots)

    def published_durations(self, shares: Floats, edges: Longs) -> Floats:
        """Return what shares of a class come to in other spans of time, in slots: equally spread in each interval."""
        cuts = np.unique(np.concatenate([self.edges, edges]))
        interval = np.searchsorted(self.edges, cuts[:-1], side="right") - 1
        pieces = shares[interval] * np.diff(cuts)[:, None]
        return np.asarray(np.add.reduceat(pieces, np.searchsorted(cuts, edges[:-1]), axis=0))

    def original_durations(self, rows: Longs, edges: Longs) -> Longs:
        """Return what people did in spans of time, in slots: person, span, activity."""
        return sum_over_spans(self.codes[rows], edges, len(self.labels))


def choose_activities(view: ActivityComparison, named: str | None, most: int) -> list[int]:
    """Return the codes of the activities named, separated by commas, or of those that take most time.

    Activities that are named and that nobody did are an error.
    """
    if named is None:
        used = np.flatnonzero(view.occurring)
        longest = used[np.argsort(-view.all_slots[used], kind="stable")]
        return [int(code) for code in longest[:most]]
    wanted = [name.strip() for name in named.split(",") if name.strip()]
    missing = [at for at, name in enumerate(wanted, start=1) if name not in view.labels]
    if missing or not wanted:
        which = f"name {missing[0]} does not occur" if missing else "no name is given"
        raise ParameterError(
            Message(parameter("activities"), f" must name activities of the data, separated by commas: {which}.")
        )
    return [view.labels.index(name) for name in wanted]


def sum_over_spans(codes: Ints, edges: Longs, activities: int) -> Longs:
    """Count the slots spent on every activity: person, span, activity.

    Examples
    --------
    >>> sum_over_spans(np.array([[0, 1, 1]], dtype=np.int32), np.array([0, 2, 3]), 2).tolist()
    [[[1, 1], [0, 1]]]
    """
    people, spans = len(codes), len(edges) - 1
    span = np.repeat(np.arange(spans), np.diff(edges))
    keys = (np.arange(people)[:, None] * spans + span) * activities + codes
    return np.bincount(keys.reshape(-1), minlength=people * spans * activities).reshape(people, spans, activities)


def count_retained(original: Dataset, release: Release) -> RetainedDetail:
    """Count what is left of what there was, for the owner to see where that is little."""
    left = release.extra_tables["classes"].table.num_rows if "classes" in release.extra_tables else len(release)
    classes = "class" if left == 1 else "classes"
    sentence = f"{{had}} {original.unit.many} are published as {{left}} {classes}."
    advice = "A smaller k, a larger epsilon, a longer delta or another method retains more."
    return RetainedDetail(len(original), left, sentence, advice, share_of(release))
