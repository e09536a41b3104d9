"""ET: groups alike in what they did and when, for receivers who collude."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.core.params import Param
from sfumato.core.run import Run
from sfumato.kinds.sequences.families.grouping import DiverseGrouping
from sfumato.kinds.sequences.publication import Grouped, Sequences

__all__ = ["Et"]


@dataclasses.dataclass(frozen=True)
class Et(DiverseGrouping):
    """Group people who are alike in what they did, by a taxonomy, and in when they did it.

    Times become intervals and events become categories of the taxonomy.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.core.derive import balanced
    >>> from sfumato.core.run import Run
    >>> clicks = [[("mail", 1), ("mail", 10)], [("mail", 3), ("mail", 11)], [("mail", 50)], [("mail", 52)]]
    >>> data = Dataset.of("sequences", clicks, monitored=("mail",), hierarchy=balanced(["mail", "news"], 2))
    >>> release = Et(k=2).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.table["monitored_times"].to_pylist(), key=str)[0]
    [{'lo': 1, 'hi': 3}, {'lo': 10, 'hi': 11}]

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Section 5, Algorithms 4 and 5.
    """

    name: ClassVar[str] = "et"
    summary: ClassVar[str] = (
        "For receivers who collude: groups alike in what they did and when; events become categories."
    )
    paper: ClassVar[str] = (
        "Sherkat et al., Efficient Timestamped Event Sequence Anonymization (2011), Algorithms 4 and 5"
    )
    optimises: ClassVar[str] = "interval loss (NCP) of time and events"
    needs: ClassVar[tuple[str, ...]] = (
        "monitored events",
        "hierarchy event",
    )

    we: Annotated[float, Param("Weight of events in the loss.", ge=0)] = 1.0

    def group(self, people: Sequences, run: Run) -> Grouped:
        """Split by what people did and when, and merge what does not fulfil the demand."""
        from sfumato.kinds.sequences.kernels.taxonomy_groups import et

        return self.group_with(et, people, run)
