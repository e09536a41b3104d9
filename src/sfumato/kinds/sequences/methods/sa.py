"""SA: symmetric groups, the comparator that hides each in the groups of all who hide in it."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

import numpy as np

from sfumato.core.guarantee import Guarantee
from sfumato.core.run import Run
from sfumato.kinds.sequences.families.grouping import (
    BLUR,
    Found,
    SequenceGrouping,
    cover_groups,
    draw_order,
    time_arrays,
)
from sfumato.kinds.sequences.guarantees.group_anonymity import GroupAnonymity
from sfumato.kinds.sequences.publication import Grouped, Sequences

__all__ = ["Sa"]


@dataclasses.dataclass(frozen=True)
class Sa(SequenceGrouping):
    """Group each person with the nearest on the Hilbert curve, and all who hide one another together.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
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
    summary: ClassVar[str] = "Comparator: symmetric groups of neighbours on the Hilbert curve; nothing is suppressed."
    paper: ClassVar[str] = "Sherkat et al. (2011), Sections 2 and 6, after Yarovoy et al. (2009)"
    promises: ClassVar[tuple[type[Guarantee], ...]] = (GroupAnonymity,)
    optimises: ClassVar[str] = "neighbourhood on the Hilbert curve"
    needs: ClassVar[tuple[str, ...]] = ("monitored events",)

    blur: Annotated[int | None, BLUR] = None

    def group(self, people: Sequences, run: Run) -> Grouped:
        """Join neighbours on the Hilbert curve until hiding is mutual."""
        from sfumato.kinds.sequences.kernels.comparators import mirror_groups
        from sfumato.kinds.sequences.kernels.hilbert import hilbert_order

        monitored, _, prices = time_arrays(people)
        first, last = (bound.reduceat(monitored.times, monitored.offsets[:-1]) for bound in (np.minimum, np.maximum))
        rank = np.empty(len(people), np.int64)
        rank[hilbert_order(first, last)] = np.arange(len(people))
        found = mirror_groups(monitored, prices, self.k or 1, rank, draw_order(people, run))
        run.counters.update(cp_evaluations=found.evaluations)
        made = Found(found.intervals.offsets, found.intervals.start, found.intervals.end, interval=found.interval)
        return cover_groups(people, found.group, made)
