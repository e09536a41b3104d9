"""HI: the groups of HN, found through an index, for a single receiver."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.core.params import Param
from sfumato.core.run import Run
from sfumato.kinds.sequences.families.grouping import DiverseGrouping
from sfumato.kinds.sequences.publication import Grouped, Sequences

__all__ = ["Hi"]


@dataclasses.dataclass(frozen=True)
class Hi(DiverseGrouping):
    """Group people whose monitored times are alike, finding the nearest through an index.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> clicks = [[("mail", 1), ("mail", 10)], [("mail", 3), ("mail", 11)], [("mail", 50)], [("mail", 52)]]
    >>> data = Dataset.of("sequences", clicks, monitored=("mail",))
    >>> release = Hi(k=2).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.table["monitored_times"].to_pylist(), key=str)[0]
    [{'lo': 1, 'hi': 3}, {'lo': 10, 'hi': 11}]

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Sections 4.1 and 4.2, Algorithm 2.
    """

    name: ClassVar[str] = "hi"
    summary: ClassVar[str] = "The groups of hn, found through an index and lower bounds."
    paper: ClassVar[str] = "Sherkat et al., Efficient Timestamped Event Sequence Anonymization (2011), Algorithm 2"
    optimises: ClassVar[str] = "interval loss (NCP)"
    needs: ClassVar[tuple[str, ...]] = ("monitored events",)

    fingerprint_bits: Annotated[int, Param("Bits of a fingerprint; only the speed depends on it.", ge=1, le=62)] = 32

    def group(self, people: Sequences, run: Run) -> Grouped:
        """Merge every cluster with the nearest one, found through the index."""
        from sfumato.kinds.sequences.kernels.grouping import hi

        return self.group_with(hi, people, run, self.fingerprint_bits)
