"""Earlier ways of grouping timed events, to compare with: TA, aligned groups, and SA, symmetric groups."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.dataset import Dataset
from sfumato.kinds.sequences.dataset import Sequences
from sfumato.kinds.sequences.encode import Grouped
from sfumato.kinds.sequences.guarantees import GroupAnonymity
from sfumato.kinds.sequences.methods._base.covers import GroupIntervals, cover_groups
from sfumato.kinds.sequences.methods._base.grouping import (
    BLUR,
    SequenceGrouping,
    build_time_arrays,
    draw_order,
    has_other_events,
)
from sfumato.release.run import Run

__all__ = ["Sa", "Ta"]


@dataclasses.dataclass(frozen=True)
class Ta(SequenceGrouping):
    """Group people so that each interval holds exactly one monitored event of every member; the rest is suppressed.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
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
    summary: ClassVar[str] = (
        "Baseline: each interval covers one event of every record of the group; others are suppressed."
    )
    paper: ClassVar[str] = "Sherkat et al. (2011), Sections 2 and 6, after Nergiz et al. (2009)"
    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (GroupAnonymity,)
    optimises: ClassVar[str] = "interval loss (NCP), suppressed events at full loss"

    def build_guarantee(self, dataset: Dataset) -> GroupAnonymity:
        """Claim k-anonymity of groups, with monitored events suppressed."""
        others = has_other_events(dataset)
        return GroupAnonymity(self.k or 1, dataset.schema.monitored, suppressing=True, others=others)

    def group(self, people: Sequences, run: Run) -> Grouped:
        """Align people with each other, one event a member and interval."""
        from sfumato.kinds.sequences._kernels.comparators import align_groups

        monitored, _, prices = build_time_arrays(people)
        publication = align_groups(monitored, prices, self.k or 1, draw_order(people, run), self.report(run))
        run.counters.update(cp_evaluations=publication.evaluations, bound_evaluations=publication.skipped)
        run.counters["suppressed_events"] = int((publication.interval < 0).sum())
        made = GroupIntervals(
            publication.intervals.offsets, publication.intervals.start, publication.intervals.end, publication.interval
        )
        return cover_groups(people, publication.group, made)


@dataclasses.dataclass(frozen=True)
class Sa(SequenceGrouping):
    """Group each person with the nearest on the Hilbert curve, and all who hide one another together.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> clicks = [[("mail", 1), ("mail", 10)], [("mail", 3), ("mail", 11)], [("mail", 50)], [("mail", 52)]]
    >>> data = Dataset.of("sequences", clicks, monitored=("mail",))
    >>> release = Sa(k=2).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.table["monitored_times"].to_pylist(), key=str)[0]
    [{'lo': 1, 'hi': 52}]

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Sections 2 and 6.4.1, on
    Yarovoy et al., How to hide a MOB in a crowd.
    """

    name: ClassVar[str] = "sa"
    summary: ClassVar[str] = "Baseline: symmetric groups of neighbours on the Hilbert curve; suppresses nothing."
    paper: ClassVar[str] = "Sherkat et al. (2011), Sections 2 and 6, after Yarovoy et al. (2009)"
    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (GroupAnonymity,)
    optimises: ClassVar[str] = "neighbourhood on the Hilbert curve"

    blur: Annotated[int | None, BLUR] = None

    def group(self, people: Sequences, run: Run) -> Grouped:
        """Join neighbours on the Hilbert curve until hiding is mutual."""
        from sfumato.kinds.sequences._kernels.comparators import mirror_groups
        from sfumato.kinds.sequences._kernels.hilbert import rank_along_curve

        monitored, _, prices = build_time_arrays(people)
        rank = rank_along_curve(monitored.offsets, monitored.times)
        publication = mirror_groups(monitored, prices, self.k or 1, rank, draw_order(people, run))
        run.counters.update(cp_evaluations=publication.evaluations)
        made = GroupIntervals(
            publication.intervals.offsets, publication.intervals.start, publication.intervals.end, publication.interval
        )
        return cover_groups(people, publication.group, made)
