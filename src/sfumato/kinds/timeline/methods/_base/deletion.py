"""Methods that delete occurrences of sensitive events from a timeline: what they take, claim and publish."""

from __future__ import annotations

import abc
import dataclasses
import itertools
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.kinds.timeline.encode import publish
from sfumato.kinds.timeline.guarantees import PrefixFrequency, format_delta, read_delta
from sfumato.kinds.timeline.methods._base.covers import EqualEvents, find_equal_events
from sfumato.kinds.timeline.methods._base.timeline_counts import Deletions, Places, TimelineCounts
from sfumato.messages import Message, option, parameter
from sfumato.params import Param
from sfumato.release.release import OwnerRecord, Result
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.timeline._kernels.sanitisation import Occurrences, Rule

__all__ = ["EventDeletion", "Task", "least_peer"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Task:
    """What is to be made rare, as the kernels want it.

    Parameters
    ----------
    counts
        The original, counted.
    events
        Codes of the sensitive events, in the order in which they take turns.
    delta
        The threshold. It may be replaced by the least fraction above it that a prefix can have.

    Examples
    --------
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 1, "b": 3}]))
    >>> Task(TimelineCounts(timeline), (0,), Fraction(1, 5)).rule
    Rule(numerator=1, denominator=4, alphabet=2)
    """

    counts: TimelineCounts
    events: tuple[int, ...]
    delta: Fraction

    @property
    def timeline(self) -> Timeline:
        """The original."""
        return self.counts.timeline

    @cached_property
    def places(self) -> Places:
        """Where the sensitive events occur."""
        return self.counts.places(self.events)

    @property
    def rule(self) -> Rule:
        """The threshold with a denominator that the data can have, and the size of the alphabet."""
        from sfumato.kinds.timeline._kernels.sanitisation import Rule

        least = least_peer(self.delta, max(int(self.counts.totals.sum()), 1))
        return Rule(least.numerator, least.denominator, len(self.timeline.labels))

    @property
    def occurrences(self) -> Occurrences:
        """The places with what the time points hold."""
        from sfumato.kinds.timeline._kernels.sanitisation import Occurrences

        places, counts = self.places, self.counts
        return Occurrences(places.offsets, places.points, places.counts, counts.totals, counts.squares)

    def deletions(self, removed: Ints) -> Deletions:
        """Return deletions at the places as deletions from the timeline."""
        entries = np.zeros(len(self.timeline.codes), dtype=np.int64)
        entries[self.places.entries] = removed
        return Deletions(self.counts, entries)


def least_peer(delta: Fraction, largest: int) -> Fraction:
    """Return the least fraction not below delta whose denominator is at most a number.

    A relative frequency with such a denominator is below delta exactly if it is below this fraction, so that
    comparisons need no larger whole numbers than the data have.

    Examples
    --------
    >>> least_peer(Fraction(1, 1000), 30), least_peer(Fraction("0.3333"), 10)
    (Fraction(1, 30), Fraction(1, 3))
    """
    if delta.denominator <= largest:
        return delta
    near = delta.limit_denominator(largest)
    if near >= delta:
        return near
    # near is the closest fraction and lies below: its right neighbour among those allowed is the least above.
    a, b = near.numerator, near.denominator
    # The neighbour c/d has c b - a d = 1 with the largest d that is allowed.
    d = (-pow(a, -1, b)) % b if b > 1 else 0
    d += (largest - d) // b * b
    return Fraction((a * d + 1) // b, d)


@dataclasses.dataclass(frozen=True)
class EventDeletion(Method):
    """Base of methods that keep sensitive events rare in every prefix by deleting occurrences of them.

    A subclass says which occurrences go, without covers and with them.

    Examples
    --------
    >>> EventDeletion.kinds
    ('timeline',)
    """

    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (PrefixFrequency,)
    optimises: ClassVar[str] = "sanitisation error"
    needs: ClassVar[tuple[str, ...]] = ("sensitive events",)

    delta: Annotated[
        str,
        Param("Relative frequency that no sensitive event may reach in any prefix: 0.2 or 1/5, read exactly."),
    ]
    cover: Annotated[
        int,
        Param(
            "Number of events with the counts of each sensitive event at every time point, including itself; 1 "
            "for no requirement.",
            ge=1,
        ),
    ] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", format_delta(self.delta))
        super().__post_init__()
        read_delta(self.message_name, self.delta)

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:  # noqa: ARG003
        """Say what was not touched."""
        return ("Only occurrences of named events were deleted. All other counts are unchanged.",)

    @abc.abstractmethod
    def delete(self, task: Task, run: Run) -> Ints:
        """Return how many occurrences go at each place."""

    @abc.abstractmethod
    def delete_to_covers(self, task: Task, groups: list[EqualEvents], run: Run) -> Ints:
        """Return how many occurrences go at each place so that what is left of an event equals a group."""

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim."""
        self.accept(dataset, 1)
        task = self.task(dataset)
        if not task.timeline.counts.size:
            raise SchemaError(Message(self.message_name, ": no event occurs at any time point."))
        with run.phase("delete"):
            if self.cover == 1:
                removed = self.delete(task, run)
            else:
                removed = self.delete_to_covers(
                    task, find_equal_events(task.timeline, task.events, self.cover - 1), run
                )
        deletions = task.deletions(removed)
        run.counters["occurrences_deleted"] = int(removed.sum())
        run.counters["time_points_changed"] = int(np.count_nonzero(deletions.by_point))
        result = self._publish(dataset, task, deletions, run)
        run.notes.append(_describe_deletion(task, removed))
        return result

    def task(self, dataset: Dataset) -> Task:
        """Return what is to be done, or refuse data this cannot be done with."""
        from sfumato.kinds.timeline._kernels.sanitisation import LARGEST

        owner = self.message_name
        timeline = Timeline.of(dataset)
        counts = TimelineCounts(timeline)
        code = timeline.code_of()
        sensitive = tuple(dict.fromkeys(dataset.schema.sensitive))
        if not sensitive:
            raise SchemaError(
                Message(owner, ": needs sensitive events; the data name none."),
                option="sensitive",
                hint=Message("Name them: ", option("sensitive", ["EVENT"]), "."),
            )
        unknown = sum(event not in code for event in sensitive)
        if unknown:
            raise SchemaError(
                Message(owner, f": {unknown} of the {len(sensitive)} sensitive events do not occur in the data."),
                option="sensitive",
                hint="Write them as in the data.",
            )
        size = int(counts.totals.sum()) + len(timeline.labels)
        if size > LARGEST:
            raise ParameterError(
                Message(
                    owner, f": occurrences and different events together must be at most {LARGEST:,}, got {size:,}."
                ),
                hint="Split the timeline.",
            )
        events = tuple(code[event] for event in sensitive)
        return Task(counts, events, read_delta(owner, self.delta))

    def _build_guarantee(self, task: Task, left: Ints) -> Guarantee:
        """Claim what was asked for: of the sensitive events, and with covers of those that have their counts.

        An event that is gone matches no other and is not named then: its name would say that it is sensitive.
        """
        labels = task.timeline.labels
        if self.cover == 1:
            return PrefixFrequency(self.delta, 1, tuple(sorted(labels[event] for event in task.events)))
        named = _list_indistinguishable(task, left)
        if not named:
            gone, total = int(task.places.counts.sum()), int(task.counts.totals.sum())
            events = f"{len(task.events)} sensitive event{'s' * (len(task.events) > 1)}"
            raise InfeasibleError(
                Message(
                    self.message_name,
                    f": all {gone:,} occurrences of the {events} ({100 * gone / total:.3g} % of all) would be deleted. "
                    f"Fewer than cover={self.cover} events have the same counts at every time point.",
                ),
                option="cover",
                hint=Message(
                    "Use a smaller ",
                    parameter("cover"),
                    ", a coarser ",
                    option("resolution"),
                    ", or remove these events from the data.",
                ),
            )
        return PrefixFrequency(self.delta, self.cover, named)

    def _publish(self, dataset: Dataset, task: Task, deletions: Deletions, run: Run) -> Result:
        left = task.timeline.counts - deletions.removed
        if not (left > 0).any():
            raise InfeasibleError(
                Message(
                    self.message_name,
                    f": delta={self.delta} deletes all {int(task.counts.totals.sum()):,} occurrences; they are all of "
                    "the "
                    f"{len(task.events)} sensitive events.",
                ),
                option="delta",
                hint=Message("Use a larger ", parameter("delta"), " or name fewer sensitive events."),
            )
        release, rows = publish(dataset, task.timeline, left, self, self._build_guarantee(task, left))
        return Result(
            release, OwnerRecord(rows, run.secret, run.seconds, run.counters, self.parameters(), None, dataset)
        )


def _describe_deletion(task: Task, removed: Ints) -> Note:
    """Note how much of the data was deleted; for the owner, since it shows how frequent sensitive events were."""
    gone, total = int(removed.sum()), int(task.counts.totals.sum())
    offsets = task.places.offsets
    left = [int((task.places.counts - removed)[a:b].sum()) for a, b in itertools.pairwise(offsets.tolist())]
    lost = sum(not count for count in left)
    template = "Deleted {deleted} of {occurrences} {occurrences:occurrence|occurrences} ({share} %)"
    template += "; {lost} of {events} sensitive {events:event|events} {lost:is|are} deleted entirely." if lost else "."
    counts = {"deleted": gone, "occurrences": total, "lost": lost, "events": len(left)}
    return Note("occurrences-deleted", template, counts, details={"share": f"{100 * gone / max(total, 1):.3g}"})


def _list_indistinguishable(task: Task, left: Ints) -> tuple[str, ...]:
    """Name the sensitive events that are left, and the others with the same counts at every time point."""
    timeline = task.timeline
    remaining = Timeline(timeline.offsets, timeline.codes, left, timeline.labels, timeline.times)
    groups = {group.key: group.events for group in find_equal_events(remaining, task.events, 1)}
    named: set[int] = set()
    for own in find_equal_events(remaining, (), 1, only=task.events):
        named.update(own.events, groups.get(own.key, ()))
    return tuple(sorted(timeline.labels[event] for event in named))
