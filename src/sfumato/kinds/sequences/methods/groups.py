"""Groups of people whose monitored events are alike: HN, HI, HY and HL for a single receiver, ET for several."""

from __future__ import annotations

import dataclasses
import functools
from typing import Annotated, ClassVar

from sfumato.kinds.sequences.dataset import Sequences
from sfumato.kinds.sequences.encode import Grouped
from sfumato.kinds.sequences.methods._base.grouping import DiverseGrouping
from sfumato.params import Param
from sfumato.release.run import Run

__all__ = ["Et", "Hi", "Hl", "Hn", "Hy"]

_BITS = Param("Bits of a fingerprint; only the speed depends on it.", ge=1, le=62)


@dataclasses.dataclass(frozen=True)
class Hn(DiverseGrouping):
    """Group people whose monitored times are alike, looking at everybody for the nearest.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
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
    summary: ClassVar[str] = (
        "Groups records with similar monitored times by exhaustive search; same groups as hi, slower."
    )
    paper: ClassVar[str] = "Sherkat et al., Efficient Timestamped Event Sequence Anonymization (2011), Algorithm 1"

    def group(self, people: Sequences, run: Run) -> Grouped:
        """Merge every cluster with the nearest one until all are large enough."""
        from sfumato.kinds.sequences._kernels.time_groups import hn

        return self.group_with(hn, people, run)


@dataclasses.dataclass(frozen=True)
class Hi(DiverseGrouping):
    """Group people whose monitored times are alike, finding the nearest through an index.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
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
    summary: ClassVar[str] = (
        "Groups records with similar monitored times; finds the groups of hn with an index and lower bounds."
    )
    paper: ClassVar[str] = "Sherkat et al., Efficient Timestamped Event Sequence Anonymization (2011), Algorithm 2"

    fingerprint_bits: Annotated[int, _BITS] = 32

    def group(self, people: Sequences, run: Run) -> Grouped:
        """Merge every cluster with the nearest one, found through the index."""
        from sfumato.kinds.sequences._kernels.time_groups import hi

        return self.group_with(hi, people, run, self.fingerprint_bits)


@dataclasses.dataclass(frozen=True)
class Hy(DiverseGrouping):
    """Group like HI within blocks of neighbours on the Hilbert curve of first and last time.

    ``along="regions"`` is the paper's way: the curve is cut where neighbours are alike, and the others are grouped like
    HI.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
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
        "Groups like hi within blocks of neighbours on the Hilbert curve; faster, slightly coarser."
    )
    paper: ClassVar[str] = "Sherkat et al., Efficient Timestamped Event Sequence Anonymization (2011), Algorithm 3"

    fingerprint_bits: Annotated[int, _BITS] = 32
    along: Annotated[
        str,
        Param(
            "Along the curve: blocks runs hi within blocks; regions cuts where neighbours are similar.",
            choices=("blocks", "regions"),
        ),
    ] = "blocks"
    block: Annotated[int, Param("Approximate number of records in a block; at least 25 groups.", ge=2)] = 800

    def group(self, people: Sequences, run: Run) -> Grouped:
        """Merge clusters within blocks of the curve, or cut it where neighbours are alike and merge the others."""
        from sfumato.kinds.sequences._kernels.time_groups import hy, hy_blocks

        block = max(self.block, 25 * max(self.k or 0, self.l or 0))
        kernel = hy if self.along == "regions" else functools.partial(hy_blocks, block=block)
        return self.group_with(kernel, people, run, self.fingerprint_bits)


@dataclasses.dataclass(frozen=True)
class Hl(DiverseGrouping):
    """Group neighbours on the Hilbert curve of first and last time: fastest, coarsest.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> clicks = [[("mail", 1), ("mail", 10)], [("mail", 3), ("mail", 11)], [("mail", 50)], [("mail", 52)]]
    >>> data = Dataset.of("sequences", clicks, monitored=("mail",))
    >>> release = Hl(k=2).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.table["monitored_times"].to_pylist(), key=str)[0]
    [{'lo': 1, 'hi': 3}, {'lo': 10, 'hi': 11}]

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Section 6, Table 2.
    """

    name: ClassVar[str] = "hl"
    summary: ClassVar[str] = "Cuts the Hilbert curve of first and last times into groups; fastest and coarsest."
    paper: ClassVar[str] = "Sherkat et al., Efficient Timestamped Event Sequence Anonymization (2011), Section 6"

    fingerprint_bits: Annotated[int, _BITS] = 32

    def group(self, people: Sequences, run: Run) -> Grouped:
        """Cut the Hilbert curve."""
        from sfumato.kinds.sequences._kernels.time_groups import hl

        return self.group_with(hl, people, run, self.fingerprint_bits)


@dataclasses.dataclass(frozen=True)
class Et(DiverseGrouping):
    """Group people who are alike in what they did, by a taxonomy, and in when they did it.

    Times become intervals and events become categories of the taxonomy.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.hierarchies.derive import balanced
    >>> from sfumato.release.run import Run
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
        "For colluding receivers: groups records with similar events and times; generalises events."
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
        from sfumato.kinds.sequences._kernels.taxonomy_groups import et

        return self.group_with(et, people, run)
