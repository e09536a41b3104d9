"""HY: neighbours on the Hilbert curve where they are alike, HI elsewhere, for a single receiver."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.core.params import Param
from sfumato.core.run import Run
from sfumato.kinds.sequences.families.grouping import DiverseGrouping
from sfumato.kinds.sequences.publication import Grouped, Sequences

__all__ = ["Hy"]


@dataclasses.dataclass(frozen=True)
class Hy(DiverseGrouping):
    """Group neighbours on the Hilbert curve of first and last time where they are alike, the others like HI.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.run import Run
    >>> clicks = [[("mail", 1), ("mail", 10)], [("mail", 3), ("mail", 11)], [("mail", 50)], [("mail", 52)]]
    >>> data = Dataset.of("sequences", clicks, monitored=("mail",))
    >>> release = Hy(k=2).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.table["monitored_times"].to_pylist(), key=str)[0]
    [{'lo': 1, 'hi': 3}, {'lo': 10, 'hi': 11}]

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Section 4.3, Algorithm 3.
    """

    name: ClassVar[str] = "hy"
    summary: ClassVar[str] = (
        "Cuts the Hilbert curve where neighbours are alike, hi elsewhere: faster, a little coarser."
    )
    paper: ClassVar[str] = "Sherkat et al., Efficient Timestamped Event Sequence Anonymization (2011), Algorithm 3"
    optimises: ClassVar[str] = "interval loss (NCP)"
    needs: ClassVar[tuple[str, ...]] = ("monitored events",)

    fingerprint_bits: Annotated[int, Param("Bits of a fingerprint; only the speed depends on it.", ge=1, le=62)] = 32

    def group(self, people: Sequences, run: Run) -> Grouped:
        """Cut the Hilbert curve where neighbours are alike, and merge the others."""
        from sfumato.kinds.sequences.kernels.grouping import hy

        return self.group_with(hy, people, run, self.fingerprint_bits)
