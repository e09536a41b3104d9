"""HN: greedy groups by exact search, for a single receiver."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from sfumato.core.run import Run
from sfumato.kinds.sequences.families.grouping import DiverseGrouping
from sfumato.kinds.sequences.publication import Grouped, Sequences

__all__ = ["Hn"]


@dataclasses.dataclass(frozen=True)
class Hn(DiverseGrouping):
    """Group people whose monitored times are alike, looking at everybody for the nearest.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> clicks = [[("mail", 1), ("mail", 10)], [("mail", 3), ("mail", 11)], [("mail", 50)], [("mail", 52)]]
    >>> data = Dataset.of("sequences", clicks, monitored=("mail",))
    >>> release = Hn(k=2).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.table["monitored_times"].to_pylist(), key=str)[0]
    [{'lo': 1, 'hi': 3}, {'lo': 10, 'hi': 11}]

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Section 3.3, Algorithm 1.
    """

    name: ClassVar[str] = "hn"
    summary: ClassVar[str] = "Groups people whose monitored times are alike, by exact search; the slow twin of hi."
    paper: ClassVar[str] = "Sherkat et al., Efficient Timestamped Event Sequence Anonymization (2011), Algorithm 1"
    optimises: ClassVar[str] = "interval loss (NCP)"
    needs: ClassVar[tuple[str, ...]] = ("monitored events",)

    def group(self, people: Sequences, run: Run) -> Grouped:
        """Merge every cluster with the nearest one until all are large enough."""
        from sfumato.kinds.sequences.kernels.grouping import hn

        return self.group_with(hn, people, run)
