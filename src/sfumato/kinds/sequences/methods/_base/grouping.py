"""Methods that group people by their monitored events: who is kept, how kernels are called, what is published."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.kinds.sequences import KIND
from sfumato.kinds.sequences.dataset import Sequences
from sfumato.kinds.sequences.encode import Cover, Grouped, publish_groups
from sfumato.kinds.sequences.guarantees import GlDiversity, GroupAnonymity
from sfumato.kinds.sequences.methods._base.covers import GroupIntervals, cover_groups
from sfumato.messages import Message, option, parameter
from sfumato.params import Param
from sfumato.release.release import Result
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.sequences._kernels.covers import Monitored
    from sfumato.kinds.sequences._kernels.demand import Outcome
    from sfumato.kinds.sequences._kernels.prices import Prices
    from sfumato.kinds.sequences._kernels.windows import Unmonitored

__all__ = [
    "BLUR",
    "TOO_FEW",
    "TOO_SIMILAR",
    "Arrays",
    "DiverseGrouping",
    "SequenceGrouping",
    "build_time_arrays",
    "draw_order",
    "has_other_events",
]

Ints = npt.NDArray[np.int64]
Kernel = Callable[..., Any]

BLUR = Param(
    "Distance from monitored intervals, in units of the data's time, within which other events lose their times.", ge=0
)

# What kernels count, and what the owner's trace calls it.
_COUNTERS = {
    "evaluations": "cp_evaluations",
    "bounds": "bound_evaluations",
    "nodes": "nodes_visited",
    "bounded": "unions_spared",
    "distances": "event_distances",
    "merges": "merges",
}

TOO_FEW, TOO_SIMILAR = KIND.suppression_reasons


@dataclasses.dataclass(frozen=True)
class SequenceGrouping(Method):
    """Base of methods that publish one cover for a group of people in place of their monitored events.

    A subclass says how it groups people who have monitored events.

    Examples
    --------
    >>> class AllTogether(SequenceGrouping):
    ...     def group(self, people, run):
    ...         cover = Cover(("mail",), (int(people.times.min()),), (int(people.times.max()),))
    ...         return Grouped(people, np.zeros(len(people), np.int64), [cover])
    >>> data = Dataset.of("sequences", [[("mail", 3)], [("mail", 8)]], monitored=("mail",))
    >>> AllTogether(k=2).build_guarantee(data).k, AllTogether(k=2).group(Sequences.of(data), Run()).covers
    (2, [Cover(categories=('mail',), starts=(3,), ends=(8,))])
    """

    needs: ClassVar[tuple[str, ...]] = ("monitored events",)

    k: Annotated[int | None, Param("Smallest number of records with the same monitored part.", ge=2)] = None

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:
        """Say which events decided what became a group."""
        if isinstance(guarantee, GlDiversity):
            return (
                "Groups depend on other events, too. Someone who knows the method may find such an event "
                "likelier than its share in a group.",
            )
        return ("Groups depend on monitored events only.",)

    @abc.abstractmethod
    def group(self, people: Sequences, run: Run) -> Grouped:
        """Group people who all have monitored events."""

    @property
    def least(self) -> int:
        """Smallest number of people in a group."""
        return self.k or 1

    @property
    def blur_distance(self) -> int | None:
        """How far around monitored intervals other events are blurred; None for not at all."""
        return getattr(self, "blur", None)

    def build_guarantee(self, dataset: Dataset) -> Guarantee:
        """Claim k-anonymity of groups, for the receiver of the monitored events."""
        unit = (dataset.time_unit.unit or "") if self.blur_distance is not None else ""
        monitored = dataset.schema.monitored
        return GroupAnonymity(
            self.k or 1, monitored, blur=self.blur_distance, unit=unit, others=has_other_events(dataset)
        )

    def choose_absent(self, people: Sequences, run: Run) -> tuple[Ints, str]:  # noqa: ARG002
        """Return which people without monitored events can be a group of their own, and why the others cannot."""
        return np.arange(len(people) if len(people) >= self.least else 0), TOO_FEW

    def check_request(self) -> None:
        """Refuse a request that asks for nothing."""
        if self.k is None:
            raise ParameterError(
                Message(
                    self.message_name, ": ", parameter("k"), " is missing: the smallest number of records in a group."
                ),
                hint=Message("For example ", parameter("k", 5), "."),
            )

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim."""
        owner = self.message_name
        self.check_request()
        self.accept(dataset, self.least)
        everyone = Sequences.of(dataset)
        has = everyone.people_with_monitored
        present, absent = np.flatnonzero(has), np.flatnonzero(~has)
        if len(present) < self.least:
            raise InfeasibleError(
                Message(
                    owner,
                    f": only {len(present):,} of {dataset.unit.count(len(everyone))} have a monitored event; a group "
                    "needs "
                    f"{self.least}.",
                ),
                option="monitored",
                hint=Message("Monitor more events, or use a smaller ", parameter("k"), " or ", parameter("l"), "."),
            )
        with run.phase("group"):
            try:
                grouped = self.group(everyone.take(present), run)
            except OverflowError as error:  # what the kernels refuse: sizes and counts, no labels
                raise ParameterError(Message(owner, f": {error}.")) from None
        run.counters["groups"] = len(grouped.covers)
        run.counters["records_without_monitored_events"] = len(absent)
        stays, reason = self.choose_absent(everyone.take(absent), run)
        if len(stays):
            grouped = _with_absent(grouped, everyone, present, absent[stays])
        suppressed_records = {**grouped.suppressed_records, reason: len(absent) - len(stays)}
        grouped = dataclasses.replace(grouped, suppressed_records=suppressed_records)
        if self.blur_distance is not None:
            with run.phase("blur"):
                grouped = self.blur_groups(grouped, self.blur_distance, run)
        return publish_groups(dataset, self, self.build_guarantee(dataset), grouped, run)

    def blur_groups(self, grouped: Grouped, blur_distance: int, run: Run) -> Grouped:
        """Take the times of other events near monitored intervals away, and count them."""
        from sfumato.kinds.sequences.methods._base.blur import blur_groups

        made = blur_groups(grouped, blur_distance, shared=getattr(self, "l", None) is None)
        run.counters["other_events_told_as_intervals"] = made.published
        run.counters["other_events_left_out"] = made.left_out
        others = int((~grouped.sequences.is_monitored).sum())
        run.notes.append(
            Note(
                "events-blurred",
                "Of {events} other {events:event|events}, {near} {near:is|are} near a monitored interval: {published} "
                "{published:is|are} published as something the whole group did in an interval, {left_out} "
                "{left_out:is|are} left out.",
                {
                    "events": others,
                    "near": made.published + made.left_out,
                    "published": made.published,
                    "left_out": made.left_out,
                },
            )
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
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 3)], [("mail", 8)]], monitored=("mail",))
    >>> Hi(k=2).build_guarantee(data).name, Hi(g=60, l=2).build_guarantee(data).name
    ('group-anonymity', 'gl-diversity')
    >>> Hi(l=2).check_request()
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Hi: g is missing; the length of a window (g) and l go together.
    """

    optimises: ClassVar[str] = "interval loss (NCP)"
    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (GroupAnonymity, GlDiversity)

    g: Annotated[
        int | None, Param("Length of the window of diversity, in units of the data's time; needs l.", ge=0)
    ] = None
    l: Annotated[int | None, Param("At most 1/l of a group has the same other event in a window; needs g.", ge=2)] = (
        None
    )
    wt: Annotated[float, Param("Weight of time in the loss.", ge=0)] = 1.0
    we: Annotated[float, Param("Weight of events in the loss; above 0 it needs an event hierarchy.", ge=0)] = 0.0
    blur: Annotated[int | None, BLUR] = None

    def check_request(self) -> None:
        """Refuse a request that asks for nothing, or for half of (g,l)-diversity."""
        owner = self.message_name
        if self.k is None and self.l is None:
            raise ParameterError(
                Message(owner, ": ", parameter("k"), " or ", parameter("l"), " is missing."),
                hint=Message(
                    "Give ",
                    parameter("k", 5),
                    ", or ",
                    parameter("l", 2),
                    " with ",
                    parameter("g"),
                    ", or all of them.",
                ),
            )
        if (self.g is None) != (self.l is None):
            raise ParameterError(
                Message(
                    owner,
                    ": ",
                    parameter("l" if self.l is None else "g"),
                    " is missing; the length of a window (g) and l go together.",
                )
            )
        if self.blur is not None and self.k is None:
            raise ParameterError(
                Message(owner, ": ", parameter("blur"), " needs ", parameter("k"), "."),
                hint=Message("For example ", parameter("k", 5), "."),
            )
        if self.wt + self.we == 0:
            raise ParameterError(Message(owner, ": ", parameter("wt"), " or ", parameter("we"), " must be above 0."))

    @property
    def least(self) -> int:
        """Smallest number of people in a group."""
        return max(self.k or 1, self.l or 1)

    def build_guarantee(self, dataset: Dataset) -> Guarantee:
        """Claim what was asked for, for the receiver of the monitored events."""
        if self.l is None or self.g is None:
            return super().build_guarantee(dataset)
        unit = dataset.time_unit.unit or ""
        monitored, others = dataset.schema.monitored, has_other_events(dataset)
        return GlDiversity(self.g, self.l, self.k or 1, monitored, unit, self.blur, others)

    def choose_absent(self, people: Sequences, run: Run) -> tuple[Ints, str]:
        """Keep as many people without monitored events as are diverse enough among themselves."""
        if len(people) < self.least or self.l is None:
            return super().choose_absent(people, run)
        from sfumato.kinds.sequences._kernels.thinning import thin_windows
        from sfumato.kinds.sequences._kernels.windows import Unmonitored, key_pairs

        thinned = thin_windows(key_pairs(Unmonitored(*people.part(monitored=False)), self.g or 0), self.l)
        stays = np.flatnonzero(thinned.stays) if thinned.stays.sum() >= self.least else np.arange(0)
        gone = len(people) - len(stays)
        if gone:
            run.counters["withheld_at_least"] = thinned.at_least
            unit = people.dataset.unit
            run.notes.append(
                Note(
                    "similar-records-suppressed",
                    "{suppressed} of the {records} {records:{one}|{many}} without a monitored event "
                    "{suppressed:is|are} suppressed: too many have the same event inside one window of length {g} for "
                    "l={l}. At least {least} had to be; a smaller g or l suppresses fewer.",
                    {"suppressed": gone, "records": len(people), "least": thinned.at_least},
                    details={"one": unit.one, "many": unit.many, "g": str(self.g), "l": str(self.l)},
                )
            )
        return stays, TOO_SIMILAR

    def build_arrays(self, people: Sequences) -> Arrays:
        """Return the monitored and the other events, and what intervals cost, as the kernels want them."""
        if self.we == 0:
            return build_time_arrays(people, self.wt)
        from sfumato.kinds.sequences._kernels.covers import Monitored
        from sfumato.kinds.sequences._kernels.prices import set_prices
        from sfumato.kinds.sequences._kernels.windows import Unmonitored

        hierarchy = people.dataset.hierarchies.get("event")
        if hierarchy is None:
            raise SchemaError(
                Message(self.message_name, ": needs a hierarchy of the events."),
                option="hierarchies",
                hint=Message("Give one: ", option("hierarchies", {"event": "FILE"}), "."),
            )
        offsets, codes, times = people.part(monitored=True)
        leaf_of = hierarchy.require(list(people.events.labels), self.message_name)
        parent, leaves = np.asarray(hierarchy.parent, np.int32), np.asarray(hierarchy.leaves, np.int64)
        return Arrays(
            Monitored(offsets, times, leaf_of[codes].astype(np.int32)),
            Unmonitored(*people.part(monitored=False)),
            set_prices(self.wt, self.we, people.span, len(times), parent, leaves),
        )

    def group_with(self, kernel: Kernel, people: Sequences, run: Run, bits: int = 32) -> Grouped:
        """Group people with a kernel, and find the intervals of least loss for the groups."""
        from sfumato.kinds.sequences._kernels.demand import Demand

        arrays = self.build_arrays(people)
        outcome = kernel(
            *arrays,
            Demand(self.k or 0, self.l or 0, self.g or 0, bits),
            draw_order(people, run),
            self.report(run),
        )
        if outcome.status != "done":
            raise self.explain(people, outcome)
        counts = outcome.counts
        run.counters.update({name: counts[counted] for counted, name in _COUNTERS.items() if counted in counts})
        return self.cover(people, outcome.group, arrays)

    def cover(self, people: Sequences, group: Ints, arrays: Arrays) -> Grouped:
        """Find the intervals of least loss for every group."""
        from sfumato.kinds.sequences._kernels.covers import find_intervals, locate_events

        best = find_intervals(arrays.monitored, group, arrays.prices)
        interval = locate_events(arrays.monitored, group, best)
        node = best.node.astype(np.int64) if self.we > 0 else None
        return cover_groups(people, group, GroupIntervals(best.offsets, best.start, best.end, interval, node))

    def explain(self, people: Sequences, outcome: Outcome) -> InfeasibleError:
        """Say which event is too frequent in some window, and which l is possible."""
        largest = outcome.largest_l
        return InfeasibleError(
            Message(
                self.message_name,
                f": event {outcome.event + 1} of {len(people.events.labels)} (by first appearance) is too frequent for "
                f"l={self.l}. In one window of g={self.g}, {outcome.most} of "
                f"{people.dataset.unit.count(len(people))} have it.",
            ),
            option="l",
            hint=(
                Message("Use ", parameter("l", largest), " or less, or a smaller ", parameter("g"), ".")
                if largest >= 2
                else Message("No l of 2 or more is possible; use a smaller ", parameter("g"), ".")
            ),
        )


class Arrays(NamedTuple):
    """What the kernels work on.

    Examples
    --------
    >>> data = Dataset.of("sequences", [[("mail", 3), ("news", 4)], [("mail", 8)]], monitored=("mail",))
    >>> arrays = build_time_arrays(Sequences.of(data))
    >>> arrays.monitored.times.tolist(), arrays.unmonitored.time.tolist(), arrays.prices.whole
    ([3, 8], [4], 5)
    """

    monitored: Monitored
    unmonitored: Unmonitored
    prices: Prices


def has_other_events(dataset: Dataset) -> bool:
    """Return whether anyone did an event that is not monitored.

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


def build_time_arrays(people: Sequences, wt: float = 1.0) -> Arrays:
    """Return the events and what intervals cost, where only time counts."""
    from sfumato.kinds.sequences._kernels.covers import Monitored
    from sfumato.kinds.sequences._kernels.prices import set_prices
    from sfumato.kinds.sequences._kernels.windows import Unmonitored

    offsets, _, times = people.part(monitored=True)
    prices = set_prices(wt, 0, people.span, len(times))
    return Arrays(Monitored(offsets, times), Unmonitored(*people.part(monitored=False)), prices)
