"""Methods that group people by their monitored events: who is kept, how kernels are called, what is published."""

from __future__ import annotations

import abc
import dataclasses
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.core.guarantee import Guarantee
from sfumato.core.hierarchy import Hierarchy
from sfumato.core.method import Method
from sfumato.core.params import Param
from sfumato.core.recoding import name_values
from sfumato.core.release import Result
from sfumato.core.run import Run
from sfumato.kinds.sequences.guarantees.gl_diversity import GlDiversity
from sfumato.kinds.sequences.guarantees.group_anonymity import GroupAnonymity
from sfumato.kinds.sequences.publication import Cover, Grouped, Sequences, publish_groups

if TYPE_CHECKING:
    from sfumato.kinds.sequences.kernels.coverage import Monitored
    from sfumato.kinds.sequences.kernels.prices import Prices
    from sfumato.kinds.sequences.kernels.windows import Unmonitored

__all__ = [
    "BLUR",
    "TOO_ALIKE",
    "TOO_FEW",
    "Arrays",
    "DiverseGrouping",
    "Found",
    "SequenceGrouping",
    "cover_groups",
    "draw_order",
    "has_other_events",
    "time_arrays",
]

Ints = npt.NDArray[np.int64]
Kernel = Callable[..., Any]

BLUR = Param(
    "Other events up to that far from a monitored interval lose their times, in units of the data's time.", ge=0
)

TOO_FEW = "no monitored event, and fewer such records than a group needs"
TOO_ALIKE = "no monitored event, and too many such records have the same at about the same time"


@dataclasses.dataclass(frozen=True)
class SequenceGrouping(Method):
    """Base of methods that publish one cover for a group of people in place of their monitored events.

    A subclass says how it groups people who have monitored events.

    Examples
    --------
    >>> SequenceGrouping.kinds
    ('sequences',)
    """

    k: Annotated[int | None, Param("Smallest number of records with the same monitored part.", ge=2)] = None

    @abc.abstractmethod
    def group(self, people: Sequences, run: Run) -> Grouped:
        """Group people who all have monitored events."""

    @property
    def least(self) -> int:
        """Smallest number of people in a group."""
        return self.k or 1

    @property
    def window(self) -> int | None:
        """How far around monitored intervals other events are blurred; None for not at all."""
        return getattr(self, "blur", None)

    def claim(self, dataset: Dataset) -> Guarantee:
        """Claim k-anonymity of groups, for the receiver of the monitored events."""
        unit = (dataset.clock.unit or "") if self.window is not None else ""
        monitored = dataset.schema.monitored
        return GroupAnonymity(self.k or 1, monitored, blur=self.window, unit=unit, others=has_other_events(dataset))

    def choose_absent(self, people: Sequences, run: Run) -> tuple[Ints, str]:  # noqa: ARG002
        """Return which people without monitored events can be a group of their own, and why the others cannot."""
        return np.arange(len(people) if len(people) >= self.least else 0), TOO_FEW

    def check_request(self) -> None:
        """Refuse a request that asks for nothing."""
        if self.k is None:
            raise ParameterError(f"{type(self).__name__}: k must be given: how many records match what is known.")

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim."""
        owner = type(self).__name__
        self.check_request()
        self.accept(dataset, self.least)
        everyone = Sequences.of(dataset)
        has = everyone.people_with_monitored
        present, absent = np.flatnonzero(has), np.flatnonzero(~has)
        if len(present) < self.least:
            raise InfeasibleError(
                f"{owner}: only {len(present):,} of {dataset.unit.count(len(everyone))} have a monitored event, and a "
                f"group needs {self.least}. Name more monitored events, or use a smaller k or l."
            )
        with run.phase("group"):
            try:
                grouped = self.group(everyone.take(present), run)
            except OverflowError as error:  # what the kernels refuse: sizes and counts, no labels
                raise ParameterError(f"{owner}: {error}.") from None
        run.counters["groups"] = len(grouped.covers)
        run.counters["records_without_monitored_events"] = len(absent)
        stays, reason = self.choose_absent(everyone.take(absent), run)
        if len(stays):
            grouped = _with_absent(grouped, everyone, present, absent[stays])
        withheld = {**grouped.withheld, reason: len(absent) - len(stays)}
        grouped = dataclasses.replace(grouped, withheld=withheld)
        if self.window is not None:
            with run.phase("blur"):
                grouped = self.blur_groups(grouped, self.window, run)
        return publish_groups(dataset, self, self.claim(dataset), grouped, run)

    def blur_groups(self, grouped: Grouped, window: int, run: Run) -> Grouped:
        """Take the times of other events near monitored intervals away, and count them."""
        from sfumato.kinds.sequences.families.blur import blur_groups

        made = blur_groups(grouped, window, shared=getattr(self, "l", None) is None)
        run.counters["other_events_told_as_intervals"] = made.told
        run.counters["other_events_left_out"] = made.left_out
        others = int((~grouped.sequences.is_monitored).sum())
        run.notes.append(
            f"Of {others:,} other events {made.told + made.left_out:,} are near a monitored interval: "
            f"{made.told:,} are published as something the whole group did in an interval, {made.left_out:,} are "
            "left out."
        )
        return made.grouped

    def report(self, run: Run) -> Callable[[int, int], None]:
        """Return what a kernel calls to show how far it is."""
        show = run.report("people")
        return lambda done, total: show(0, done, total)


@dataclasses.dataclass(frozen=True)
class DiverseGrouping(SequenceGrouping):
    """Base of methods that can also keep unmonitored events from being predicted.

    Examples
    --------
    >>> from sfumato.kinds.sequences.methods.hi import Hi
    >>> issubclass(Hi, DiverseGrouping)
    True
    """

    promises: ClassVar[tuple[type[Guarantee], ...]] = (GroupAnonymity, GlDiversity)

    g: Annotated[int | None, Param("Length of a window, in units of the data's time; goes with l.", ge=0)] = None
    l: Annotated[int | None, Param("One over the largest share that did an event inside a window.", ge=2)] = None
    wt: Annotated[float, Param("Weight of time in the loss.", ge=0)] = 1.0
    we: Annotated[float, Param("Weight of events in the loss; above 0 it needs an event hierarchy.", ge=0)] = 0.0
    blur: Annotated[int | None, BLUR] = None

    def check_request(self) -> None:
        """Refuse a request that asks for nothing, or for half of (g,l)-diversity."""
        owner = type(self).__name__
        if self.k is None and self.l is None:
            raise ParameterError(
                f"{owner}: k or l must be given: how many records match, or how certain an event may be."
            )
        if (self.g is None) != (self.l is None):
            raise ParameterError(
                f"{owner}: g and l go together: a window's length, and how certain an event may be in it."
            )
        if self.blur is not None and self.k is None:
            raise ParameterError(f"{owner}: blur needs k: how many records must be alike around monitored events.")
        if self.wt + self.we == 0:
            raise ParameterError(f"{owner}: wt or we must be above 0.")

    @property
    def least(self) -> int:
        """Smallest number of people in a group."""
        return max(self.k or 1, self.l or 1)

    def claim(self, dataset: Dataset) -> Guarantee:
        """Claim what was asked for, for the receiver of the monitored events."""
        if self.l is None or self.g is None:
            return super().claim(dataset)
        unit = dataset.clock.unit or ""
        monitored, others = dataset.schema.monitored, has_other_events(dataset)
        return GlDiversity(self.g, self.l, self.k or 1, monitored, unit, self.blur, others)

    def choose_absent(self, people: Sequences, run: Run) -> tuple[Ints, str]:
        """Keep as many people without monitored events as are diverse enough among themselves."""
        if len(people) < self.least or self.l is None:
            return super().choose_absent(people, run)
        from sfumato.kinds.sequences.kernels.thinning import thin_crowds
        from sfumato.kinds.sequences.kernels.windows import Unmonitored, key_pairs

        thinned = thin_crowds(key_pairs(Unmonitored(*people.part(monitored=False)), self.g or 0), self.l)
        stays = np.flatnonzero(thinned.stays) if thinned.stays.sum() >= self.least else np.arange(0)
        gone = len(people) - len(stays)
        if gone:
            run.counters["withheld_at_least"] = thinned.at_least
            run.notes.append(
                f"{gone:,} of the {people.dataset.unit.count(len(people))} without a monitored event are withheld: too "
                f"many of them have the same event inside one window of length {self.g} for l={self.l}, and at least "
                f"{thinned.at_least:,} had to go. A smaller g or l withholds fewer."
            )
        return stays, TOO_ALIKE

    def fullest_window(self, people: Sequences) -> tuple[int, int]:
        """Return how many people do the same unmonitored event inside one window, at most, and which event."""
        from sfumato.kinds.sequences.kernels.windows import Unmonitored, find_crowds, key_pairs

        keyed = key_pairs(Unmonitored(*people.part(monitored=False)), self.g or 0)
        crowds = find_crowds(keyed, np.zeros(len(people), np.int64))
        return int(crowds.most[0]), int(crowds.event[0])

    def arrays(self, people: Sequences) -> Arrays:
        """Return the monitored and the other events, and what intervals cost, as the kernels want them."""
        if self.we == 0:
            return time_arrays(people, self.wt)
        from sfumato.kinds.sequences.kernels.coverage import Monitored
        from sfumato.kinds.sequences.kernels.prices import set_prices
        from sfumato.kinds.sequences.kernels.windows import Unmonitored

        hierarchy = people.dataset.hierarchies.get("event")
        if hierarchy is None:
            raise SchemaError(f"{type(self).__name__}: needs a hierarchy of the events (--hierarchy event=FILE).")
        offsets, codes, times = people.part(monitored=True)
        leaf_of = hierarchy.require(list(people.events.labels), type(self).__name__)
        parent, leaves = np.asarray(hierarchy.parent, np.int32), np.asarray(hierarchy.leaves, np.int64)
        return Arrays(
            Monitored(offsets, times, leaf_of[codes].astype(np.int32)),
            Unmonitored(*people.part(monitored=False)),
            set_prices(self.wt, self.we, people.span, len(times), parent, leaves),
        )

    def group_with(self, kernel: Kernel, people: Sequences, run: Run, bits: int = 32) -> Grouped:
        """Group people with a kernel, and find the intervals of least loss for the groups."""
        from sfumato.kinds.sequences.kernels.grouping import Demand

        arrays = self.arrays(people)
        outcome = kernel(
            *arrays,
            Demand(self.k or 0, self.l or 0, self.g or 0, bits),
            draw_order(people, run),
            self.report(run),
        )
        if outcome.status != "done":
            raise self.explain(people)
        counted = {"evaluations": "cp_evaluations", "bounds": "bound_evaluations", "nodes": "nodes_visited"}
        counted |= {"bounded": "unions_spared", "distances": "event_distances", "merges": "merges"}
        run.counters.update(
            {name: int(getattr(outcome, field)) for field, name in counted.items() if hasattr(outcome, field)}
        )
        return self.cover(people, outcome.group, arrays)

    def cover(self, people: Sequences, group: Ints, arrays: Arrays) -> Grouped:
        """Find the intervals of least loss for every group."""
        from sfumato.kinds.sequences.kernels.coverage import best_intervals

        best = best_intervals(arrays.monitored, group, arrays.prices)
        node = best.node.astype(np.int64) if self.we > 0 else None
        return cover_groups(people, group, Found(best.offsets, best.start, best.end, node))

    def explain(self, people: Sequences) -> InfeasibleError:
        """Say which event is too frequent in some window, and which l is possible."""
        most, event = self.fullest_window(people)
        largest = len(people) // max(most, 1)
        hint = f"The largest possible l is {largest}." if largest >= 2 else "No l of 2 or more is possible."
        return InfeasibleError(
            f"{type(self).__name__}: even with all {people.dataset.unit.count(len(people))} in one group, {most} of "
            "them do the same event "
            f"(number {event + 1} of {len(people.events.labels)}, in the order of first appearance) inside one window "
            f"of length {self.g}, more than 1 in l={self.l}. {hint} A smaller g helps too."
        )


class Arrays(NamedTuple):
    """What the kernels work on.

    Examples
    --------
    >>> Arrays._fields
    ('monitored', 'unmonitored', 'prices')
    """

    monitored: Monitored
    unmonitored: Unmonitored
    prices: Prices


def has_other_events(dataset: Dataset) -> bool:
    """Tell whether anybody did an event that is not monitored.

    Examples
    --------
    >>> has_other_events(Dataset.of("sequences", [[("mail", 1)]], monitored=("mail",)))
    False
    """
    history, monitored = dataset.history(), set(dataset.schema.monitored)
    return any(history.labels[code] not in monitored for code in np.unique(history.codes))


def _with_absent(grouped: Grouped, everyone: Sequences, present: Ints, absent: Ints) -> Grouped:
    """Add the people without monitored events as a group that publishes no cover."""
    group = np.concatenate([grouped.group, np.full(len(absent), len(grouped.covers), np.int64)])
    return dataclasses.replace(
        grouped,
        sequences=everyone.take(np.concatenate([present, absent])),
        group=group,
        covers=[*grouped.covers, Cover((), (), ())],
    )


def draw_order(people: Sequences, run: Run) -> Ints:
    """Return the random order in which people are taken up, the same for every method."""
    return run.secret.for_data(people.dataset.table).order(len(people), "grouping")


def time_arrays(people: Sequences, wt: float = 1.0) -> Arrays:
    """Return the events and what intervals cost, where only time counts."""
    from sfumato.kinds.sequences.kernels.coverage import Monitored
    from sfumato.kinds.sequences.kernels.prices import set_prices
    from sfumato.kinds.sequences.kernels.windows import Unmonitored

    offsets, _, times = people.part(monitored=True)
    prices = set_prices(wt, 0, people.span, len(times))
    return Arrays(Monitored(offsets, times), Unmonitored(*people.part(monitored=False)), prices)


class Found(NamedTuple):
    """Intervals of every group, from left to right, as the kernels find them.

    Attributes
    ----------
    offsets, start, end
        The intervals of group g are at ``offsets[g]`` up to ``offsets[g + 1]``.
    node
        Category of each as a node of the event hierarchy; None to name it by the events it covers.
    interval
        The interval of every monitored event, -1 if it is suppressed; None where none is.

    Examples
    --------
    >>> Found(np.array([0, 1]), np.array([3]), np.array([4])).node is None
    True
    """

    offsets: Ints
    start: Ints
    end: Ints
    node: Ints | None = None
    interval: Ints | None = None


def cover_groups(people: Sequences, group: Ints, found: Found) -> Grouped:
    """Turn the intervals of groups into what they publish, with the categories of what they cover.

    Parameters
    ----------
    people
        People who all have monitored events.
    group
        Number of the group of each.
    found
        The intervals of the groups. Without nodes a category is the set of events that an interval covers; a
        single event keeps its name.

    Examples
    --------
    >>> rows = [[("mail", 1), ("chat", 9)], [("mail", 3), ("mail", 8)]]
    >>> data = Dataset.of("sequences", rows, monitored=("mail", "chat"))
    >>> two = Found(np.array([0, 2]), np.array([1, 8]), np.array([3, 9]))
    >>> made = cover_groups(Sequences.of(data), np.array([0, 0]), two)
    >>> made.covers
    [Cover(categories=('mail', '{chat|mail}'), starts=(1, 8), ends=(3, 9))]
    """
    hierarchy = people.dataset.hierarchies.get("event")
    if found.node is not None and hierarchy is not None:
        names = [hierarchy.labels[at] for at in found.node]
        members = _leaves_of(hierarchy, {int(at) for at in found.node}, people.dataset.schema.monitored)
    else:
        names, members = _covered_events(people, group, found)
    starts, ends = found.start.tolist(), found.end.tolist()
    covers = [
        Cover(tuple(names[a:b]), tuple(starts[a:b]), tuple(ends[a:b]))
        for a, b in itertools.pairwise(found.offsets.tolist())
    ]
    return Grouped(people, group, covers, members)


def _leaves_of(hierarchy: Hierarchy, nodes: set[int], monitored: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """List the events a category can stand for: only monitored ones are published as categories."""
    wanted = set(monitored)
    found = {}
    for node in nodes:
        label = hierarchy.labels[node]
        members = tuple(event for event in hierarchy.members(label) if event in wanted)
        if members != (label,):
            found[label] = members
    return found


def _covered_events(people: Sequences, group: Ints, found: Found) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """Name every interval by the events it covers."""
    rows, codes, times = people.part(monitored=True)
    interval = found.interval
    if interval is None:
        interval = _intervals_of_events(np.repeat(group, np.diff(rows)), times, found)
    kept = interval >= 0
    interval, codes = interval[kept], codes[kept]
    labels = people.events.labels
    pairs = np.unique(interval * len(labels) + codes)
    which, code = np.divmod(pairs, len(labels))
    ends = np.searchsorted(which, np.arange(len(found.start) + 1))
    sets = [tuple(sorted(labels[c] for c in code[a:b])) for a, b in itertools.pairwise(ends)]
    names = name_values(sets)
    return names, {name: events for name, events in zip(names, sets, strict=True) if len(events) > 1}


def _intervals_of_events(group: Ints, times: Ints, found: Found) -> Ints:
    """Find the interval of every event: the last one of its group that starts before it."""
    interval = np.empty(len(times), np.int64)
    order = np.lexsort((times, group))
    ordered = group[order]
    for number in np.unique(ordered):
        a, b = np.searchsorted(ordered, [number, number + 1])
        first, last = found.offsets[number], found.offsets[number + 1]
        interval[order[a:b]] = first + np.searchsorted(found.start[first:last], times[order[a:b]], side="right") - 1
    return interval
