"""TA: aligned groups, the comparator that suppresses."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from sfumato.core.dataset import Dataset
from sfumato.core.guarantee import Guarantee
from sfumato.core.run import Run
from sfumato.kinds.sequences.families.grouping import (
    Found,
    SequenceGrouping,
    cover_groups,
    draw_order,
    has_other_events,
    time_arrays,
)
from sfumato.kinds.sequences.guarantees.group_anonymity import GroupAnonymity
from sfumato.kinds.sequences.publication import Grouped, Sequences

__all__ = ["Ta"]


@dataclasses.dataclass(frozen=True)
class Ta(SequenceGrouping):
    """Group people so that each interval holds exactly one monitored event of every member; the rest is suppressed.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> clicks = [[("mail", 1), ("mail", 10)], [("mail", 3), ("mail", 11)], [("mail", 50)], [("mail", 52)]]
    >>> data = Dataset.of("sequences", clicks, monitored=("mail",))
    >>> release = Ta(k=2).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.table["monitored_times"].to_pylist(), key=str)[0]
    [{'lo': 1, 'hi': 3}, {'lo': 10, 'hi': 11}]

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Sections 2 and 6.4.1, on
    Nergiz et al., Towards trajectory anonymization.
    """

    name: ClassVar[str] = "ta"
    summary: ClassVar[str] = "Comparator: each interval holds one event of every member, the rest is suppressed."
    paper: ClassVar[str] = "Sherkat et al. (2011), Sections 2 and 6, after Nergiz et al. (2009)"
    promises: ClassVar[tuple[type[Guarantee], ...]] = (GroupAnonymity,)
    optimises: ClassVar[str] = "interval loss (NCP), suppressed events at full loss"
    needs: ClassVar[tuple[str, ...]] = ("monitored events",)

    def claim(self, dataset: Dataset) -> GroupAnonymity:
        """Claim k-anonymity of groups, with monitored events suppressed."""
        others = has_other_events(dataset)
        return GroupAnonymity(self.k or 1, dataset.schema.monitored, suppressing=True, others=others)

    def group(self, people: Sequences, run: Run) -> Grouped:
        """Align people with each other, one event a member and interval."""
        from sfumato.kinds.sequences.kernels.comparators import align_groups

        monitored, _, prices = time_arrays(people)
        found = align_groups(monitored, prices, self.k or 1, draw_order(people, run), self.report(run))
        run.counters.update(cp_evaluations=found.evaluations, bound_evaluations=found.skipped)
        run.counters["suppressed_events"] = int((found.interval < 0).sum())
        made = Found(found.intervals.offsets, found.intervals.start, found.intervals.end, interval=found.interval)
        return cover_groups(people, found.group, made)
