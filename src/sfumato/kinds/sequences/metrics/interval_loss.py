"""How much of when, and of what, is lost in the intervals of monitored events."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError
from sfumato.kinds.sequences.comparison import SequenceComparison
from sfumato.messages import Message, parameter
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.grouping import GroupedAmounts, digest_values, merge_grouped
from sfumato.metrics.metric import Better, Operation, SummedMetric, divide
from sfumato.metrics.partial_sums import Most, PartialSums
from sfumato.params import Param

__all__ = ["IntervalLoss"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class IntervalLoss(SummedMetric):
    """Measure NCP: the loss of the intervals and categories that stand for monitored events.

    An event inside an interval loses the length of the interval as a share of the time the data span, and
    the size of its category as a share of all events; the weights `wt` and `we` average the two. The loss of a
    group is the mean over its members' monitored events, and NCP the mean over groups weighted by their
    records. Groups are the records with the same monitored part, in whatever part of a release they are. An event that
    no interval covers was suppressed and loses everything (1); ``covered_only`` leaves such events out. People without
    monitored events lose nothing and do not count.

    Unless given, `we` is 1 where a category is generalised and 0 where none is: an event published as itself has
    size 1, not 0, so that with a weight even exact events would lose something. The size of a category is
    counted in the hierarchy of events if there is one.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> people = [[("mail", 1), ("mail", 10)], [("mail", 3), ("mail", 11)]]
    >>> data = Dataset.of("sequences", people, monitored=("mail",))
    >>> result = Hi(k=2).anonymize(data, Run())
    >>> IntervalLoss().measure(Comparison(data, result.release, result.owner_record.rows)).value
    0.15

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Equations 1 to 4.
    """

    name: ClassVar[str] = "interval-loss"
    title: ClassVar[str] = "Loss of published intervals (NCP)"
    explanation = (
        "Length of the interval published for a monitored event, as a share of the time span of the data, "
        "and size of its category."
    )
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact times and events, 1: all lost"
    paper: ClassVar[str] = "Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Section 3.1"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise",)
    not_monotone: ClassVar[str] = "Suppressed records do not count, nor do intervals published for them."

    wt: Annotated[float, Param("Weight of time.", ge=0)] = 1.0
    we: Annotated[float | None, Param("Weight of events; by default 1 where events are generalised.", ge=0)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.wt == 0 == self.we:
            raise ParameterError(
                Message(self.message_name, ": ", parameter("wt"), " and ", parameter("we"), " must not both be 0.")
            )

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why this measure cannot be taken here, or return None when it can."""
        return super().obstacle(comparison) or comparison.obstacle

    def partial(self, comparison: Comparison) -> PartialSums:
        """Add up losses over the events of every group, with and without a weight of events where that is open."""
        view = comparison.view(SequenceComparison)
        by_time = view.covers.lengths / max(view.span, 1)
        by_event = _category_shares(comparison)[view.covers.categories]
        events, _ = view.monitored_originals
        group = view.group[events.row_of_token]
        people = np.bincount(view.group[events.lengths > 0], minlength=len(view.group_covers))
        amounts = {"people": people, "events": np.bincount(group, minlength=len(people))}
        for we in self._weights():
            losses, covered = _losses_of_entries(comparison, (self.wt * by_time + we * by_event) / (self.wt + we))
            amounts[f"lost {we}"] = np.bincount(group, losses, minlength=len(people))
            amounts[f"lost where covered {we}"] = np.bincount(group[covered], losses[covered], minlength=len(people))
        amounts["covered"] = np.bincount(group[covered], minlength=len(people))
        return {
            "groups": [GroupedAmounts(None if comparison.partition_of is None else _digest_groups(view), amounts)],
            "generalised": Most(comparison.generalised.any()),
            "lengths": float(view.covers.lengths.sum()),
            "intervals": len(view.covers.lows),
            "suppressed_entries": int((~covered).sum()),
        }

    def _weights(self) -> list[float]:
        """Return the weights of events that may turn out to be the one."""
        # With no weight on time and every event exact, the sizes of events are all there is to weigh.
        return [self.we] if self.we is not None else [0.0, 1.0] if self.wt > 0 else [1.0]

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Average losses over the events of a group, then over groups by their size."""
        we = self._weights()[-1 if partial["generalised"] else 0]
        groups = merge_grouped(partial["groups"])
        people = groups["people"]
        return _mean_over_groups(groups[f"lost {we}"], groups["events"], people), {
            "covered_only": _mean_over_groups(groups[f"lost where covered {we}"], groups["covered"], people),
            "wt": self.wt,
            "we": we,
            "groups": int((people > 0).sum()),
            "average_length": divide(partial["lengths"], partial["intervals"]),
            "suppressed_entries": partial["suppressed_entries"],
        }


def _category_shares(comparison: Comparison) -> Floats:
    """Return the share of all events that is in each category, counted in the hierarchy if there is one."""
    sizes, every = comparison.sizes.astype(np.float64), len(comparison.places)
    hierarchy = comparison.original.hierarchies.get("event")
    if hierarchy is not None:
        every = max(every, len(hierarchy.leaf_labels))
        labels = set(hierarchy.labels)
        for category, label in enumerate(comparison.published.labels):
            if comparison.generalised[category] and label in labels:
                sizes[category] = hierarchy.leaf_count(label)
    return sizes / max(every, 1)


def _losses_of_entries(comparison: Comparison, losses: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the loss of every monitored event of a published record, and whether anything covers it."""
    covering = comparison.view(SequenceComparison).covering
    covered = covering.lengths > 0
    entries = np.ones(len(covering))
    if covered.any():
        # Where the intervals of a record are disjoint only one covers an event; elsewhere the best counts.
        entries[covered] = np.minimum.reduceat(losses[covering.codes], covering.offsets[:-1][covered])
    return entries, covered


def _mean_over_groups(lost: Floats, events: Ints, people: Ints) -> float:
    """Average over the events of each group, then over groups by their people; 0 where there are none."""
    means = lost / np.maximum(events, 1)
    weights = people * (events > 0)
    return float(np.dot(means, weights) / max(int(weights.sum()), 1))


def _digest_groups(view: SequenceComparison) -> npt.NDArray[np.uint64]:
    """Return what tells the groups of a partition from those of others: categories, their members, and intervals."""
    covers, keys = view.group_covers, view.comparison.keys
    signatures = []
    for begin, end in itertools.pairwise(covers.offsets.tolist()):
        named = [keys[category] for category in covers.categories[begin:end].tolist()]
        signatures.append((named, covers.lows[begin:end].tolist(), covers.highs[begin:end].tolist()))
    return digest_values(signatures)
