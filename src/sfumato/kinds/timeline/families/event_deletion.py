"""Methods that delete occurrences of sensitive events from a timeline: what they take, claim and publish."""

from __future__ import annotations

import abc
import dataclasses
import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.dataset import Dataset
from sfumato.core.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.core.forms import Form
from sfumato.core.guarantee import Guarantee
from sfumato.core.method import Method
from sfumato.core.params import Param
from sfumato.core.ragged import Ragged
from sfumato.core.release import PublishedColumn, Release, Result, Trace
from sfumato.core.run import Run
from sfumato.kinds.timeline.families.event_covers import Crowd, find_crowds
from sfumato.kinds.timeline.guarantees.prefix_frequency import PrefixFrequency, read_delta, spell_delta
from sfumato.kinds.timeline.model import Deletions, Places, Timeline, least_peer

if TYPE_CHECKING:
    from sfumato.kinds.timeline.kernels.sanitisation import Occurrences, Rule

__all__ = ["NOTHING_LEFT", "EventDeletion", "Task"]

Ints = npt.NDArray[np.int64]

NOTHING_LEFT = "nothing but sensitive events, all deleted"


@dataclasses.dataclass(frozen=True, eq=False)
class Task:
    """What is to be made rare, as the kernels want it.

    Parameters
    ----------
    timeline
        The original.
    events
        Codes of the sensitive events, in the order in which they take turns.
    places
        Where they occur.
    delta
        The threshold. It may be replaced by the least fraction above it that a prefix can have.

    Examples
    --------
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 1, "b": 3}]))
    >>> Task(timeline, (0,), timeline.places([0]), Fraction(1, 5)).rule
    Rule(numerator=1, denominator=4, alphabet=2)
    """

    timeline: Timeline
    events: tuple[int, ...]
    places: Places
    delta: Fraction

    @property
    def rule(self) -> Rule:
        """The threshold with a denominator that the data can have, and the size of the alphabet."""
        from sfumato.kinds.timeline.kernels.sanitisation import Rule

        least = least_peer(self.delta, max(int(self.timeline.totals.sum()), 1))
        return Rule(least.numerator, least.denominator, len(self.timeline.labels))

    @property
    def occurrences(self) -> Occurrences:
        """The places with what the time points hold."""
        from sfumato.kinds.timeline.kernels.sanitisation import Occurrences

        places, timeline = self.places, self.timeline
        return Occurrences(places.offsets, places.points, places.counts, timeline.totals, timeline.squares)

    def deletions(self, removed: Ints) -> Deletions:
        """Return deletions at the places as deletions from the timeline."""
        entries = np.zeros(len(self.timeline.codes), dtype=np.int64)
        entries[self.places.entries] = removed
        return Deletions(self.timeline, entries)


@dataclasses.dataclass(frozen=True)
class EventDeletion(Method):
    """Base of methods that keep sensitive events rare in every prefix by deleting occurrences of them.

    A subclass says which occurrences go, without covers and with them.

    Examples
    --------
    >>> EventDeletion.kinds
    ('timeline',)
    """

    promises: ClassVar[tuple[type[Guarantee], ...]] = (PrefixFrequency,)
    optimises: ClassVar[str] = "sanitisation error"
    needs: ClassVar[tuple[str, ...]] = ("sensitive events",)

    delta: Annotated[
        str,
        Param("Relative frequency that no sensitive event may reach in any prefix: 0.2 or 1/5, read exactly."),
    ]
    cover: Annotated[
        int,
        Param("Events with each sensitive event's counts at every time point, itself included; 1 for none.", ge=1),
    ] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", spell_delta(self.delta))
        super().__post_init__()
        read_delta(type(self).__name__, self.delta)

    @abc.abstractmethod
    def delete(self, task: Task, run: Run) -> Ints:
        """Return how many occurrences go at each place."""

    @abc.abstractmethod
    def delete_to_covers(self, task: Task, crowds: list[Crowd], run: Run) -> Ints:
        """Return how many occurrences go at each place so that what is left of an event equals a crowd."""

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim."""
        self.accept(dataset, 1)
        task = self.task(dataset)
        if not task.timeline.counts.size:
            raise SchemaError(f"{type(self).__name__}: the data hold nothing: no event occurs at any time point.")
        with run.phase("delete"):
            if self.cover == 1:
                removed = self.delete(task, run)
            else:
                removed = self.delete_to_covers(task, find_crowds(task.timeline, task.events, self.cover - 1), run)
        deletions = task.deletions(removed)
        run.counters["occurrences_deleted"] = int(removed.sum())
        run.counters["time_points_changed"] = int(np.count_nonzero(deletions.by_point))
        result = self._publish(dataset, task, deletions, run)
        run.notes.append(_say_deleted(task, removed))
        return result

    def task(self, dataset: Dataset) -> Task:
        """Return what is to be done, or refuse data this cannot be done with."""
        from sfumato.kinds.timeline.kernels.sanitisation import LARGEST

        owner = type(self).__name__
        timeline = Timeline.of(dataset)
        code = timeline.code_of()
        sensitive = tuple(dict.fromkeys(dataset.schema.sensitive))
        if not sensitive:
            raise SchemaError(f"{owner}: needs sensitive events (--sensitive EVENT), and the data name none.")
        unknown = sum(event not in code for event in sensitive)
        if unknown:
            raise SchemaError(
                f"{owner}: {unknown} of the {len(sensitive)} sensitive events do not occur in the data. "
                "Name events as the data spell them."
            )
        size = int(timeline.totals.sum()) + len(timeline.labels)
        if size > LARGEST:
            raise ParameterError(
                f"{owner}: occurrences and different events together must be at most {LARGEST:,}, got {size:,}. "
                "Split the timeline."
            )
        events = tuple(code[event] for event in sensitive)
        return Task(timeline, events, timeline.places(events), read_delta(owner, self.delta))

    def _claim(self, task: Task, left: Ints) -> Guarantee:
        """Claim what was asked for: of the sensitive events, and with covers of those they hide among.

        An event that is gone hides among nobody and is not named then: its name would say that it is sensitive.
        """
        labels = task.timeline.labels
        if self.cover == 1:
            return PrefixFrequency(self.delta, 1, tuple(sorted(labels[event] for event in task.events)))
        named = _alike(task, left)
        if not named:
            gone, total = int(task.places.counts.sum()), int(task.timeline.totals.sum())
            events = f"{len(task.events)} sensitive event{'s' * (len(task.events) > 1)}"
            others = "other event has" if self.cover == 2 else f"{self.cover - 1} other events have"
            raise InfeasibleError(
                f"{type(self).__name__}: cover={self.cover} would delete all {gone:,} occurrences of the {events} "
                f"({100 * gone / total:.3g} % of all {total:,}) and promise nothing: no {others} "
                "the same counts at every time point to hide among. Use a smaller cover, cut time more coarsely "
                "(--resolution), or leave the events out of the data."
            )
        return PrefixFrequency(self.delta, self.cover, named)

    def _publish(self, dataset: Dataset, task: Task, deletions: Deletions, run: Run) -> Result:
        timeline = task.timeline
        left = timeline.counts - deletions.removed
        emptied = (timeline.totals > 0) & (timeline.totals == deletions.by_point)
        # Where a time point without events is a row, one that has become empty is nothing special.
        rows = np.arange(len(timeline)) if (timeline.totals == 0).any() else np.flatnonzero(~emptied)
        if not (left > 0).any():
            raise InfeasibleError(
                f"{type(self).__name__}: delta={self.delta} leaves nothing: all {int(timeline.totals.sum()):,} "
                f"occurrences are of the {len(task.events)} sensitive events, and all must go. Use a larger delta or "
                "name fewer sensitive events."
            )
        withheld = len(timeline) - len(rows)
        columns, table = _table(dataset, timeline, left, rows)
        release = Release(
            kind=dataset.kind,
            method=self.name,
            guarantee=self._claim(task, left),
            columns=columns,
            table=table,
            values=pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")}),
            records_in=len(timeline),
            withheld={NOTHING_LEFT: withheld} if withheld else {},
            unit=dataset.unit,
        )
        return Result(release, Trace(rows, run.secret, run.seconds, run.counters, self.parameters(), None, dataset))


def _say_deleted(task: Task, removed: Ints) -> str:
    """Say how much of the data was deleted; for the owner, since it tells how frequent sensitive events were."""
    gone, total = int(removed.sum()), int(task.timeline.totals.sum())
    offsets = task.places.offsets
    left = [int((task.places.counts - removed)[a:b].sum()) for a, b in itertools.pairwise(offsets.tolist())]
    lost = sum(not count for count in left)
    said = f"Deleted {gone:,} of {total:,} occurrences ({100 * gone / max(total, 1):.3g} %)"
    if lost:
        said += f"; of {lost:,} of the {len(left):,} sensitive events nothing is left"
    return said + "."


def _alike(task: Task, left: Ints) -> tuple[str, ...]:
    """Name the sensitive events that are left, and the others with the same counts at every time point."""
    timeline = task.timeline
    kept = Timeline(timeline.offsets, timeline.codes, left, timeline.labels, timeline.times)
    crowds = {crowd.key: crowd.events for crowd in find_crowds(kept, task.events, 1)}
    named: set[int] = set()
    for own in find_crowds(kept, (), 1, only=task.events):
        named.update(own.events, crowds.get(own.key, ()))
    return tuple(sorted(timeline.labels[event] for event in named))


def _table(
    dataset: Dataset, timeline: Timeline, left: Ints, rows: Ints
) -> tuple[tuple[PublishedColumn, ...], pa.Table]:
    """Return what is published of some time points, in time order, with the events in alphabetical order.

    The dictionary is sorted and holds only what is left: the order in which events were first seen would tell what
    stood before a deleted one.
    """
    used = np.unique(timeline.codes[left > 0]).tolist()
    labels = sorted(timeline.labels[code] for code in used)
    position = {label: i for i, label in enumerate(labels)}
    recode = np.array([position.get(label, -1) for label in timeline.labels], dtype=np.int64)
    kept = np.flatnonzero(left > 0)
    kept = kept[np.argsort(timeline.points[kept] * len(labels) + recode[timeline.codes[kept]], kind="stable")]
    sizes = np.bincount(timeline.points[kept], minlength=len(timeline))[rows]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    events = Ragged(offsets, recode[timeline.codes[kept]].astype(np.int32), tuple(labels))
    counts = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(left[kept], pa.int64()))
    clock = dataset.clock
    names = {column.role: column.name for column in dataset.schema.columns}
    columns = (
        PublishedColumn(names["time"], "time", Form("exact", clock.form_type)),
        PublishedColumn(names["history"], "history", Form("category", history=True)),
        PublishedColumn(names["count"], "count", Form("exact", "int64", history=True)),
    )
    cells = (clock.to_arrow(timeline.times[rows]), events.to_arrow(), counts)
    return columns, pa.table({column.name: cell for column, cell in zip(columns, cells, strict=True)})
