"""What became of every original record of a snapshot: on time, late or missing; and how frequent values were."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.kinds.snapshots.decode import PublishedSnapshots, count_snapshots, original_times, read_codes
from sfumato.release.release import Release

__all__ = ["MISSING", "Fates"]

Ints = npt.NDArray[np.int64]

MISSING = -1


class Fates(NamedTuple):
    """The original records with what became of them.

    Attributes
    ----------
    times
        Snapshots of the original, in order, as the release spells them.
    home
        Snapshot of every original record, as a position in ``times``.
    delay
        How many snapshots late it is published: 0 on time, -1 missing.
    value, labels
        Its sensitive value.
    """

    times: Ints
    home: Ints
    delay: Ints
    value: Ints
    labels: tuple[str, ...]

    @classmethod
    def of(cls, release: Release, original: Dataset, rows: Ints) -> Fates:
        """Follow every original record into the release by the owner's row map.

        Examples
        --------
        >>> import sfumato as sf
        >>> people = [(1, "30", "flu"), (1, "40", "flu"), (2, "50", "cold"), (2, "60", "cold"), (9, "70", "flu")]
        >>> data = Dataset.of("snapshots", people, ("age",), "ill")
        >>> result = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), withhold_at_most=1)
        >>> Fates.of(result.release, data, result.trace.rows).delay.tolist()
        [1, 1, 0, 0, -1]
        """
        raw = original_times(original, release)
        times, home = np.unique(raw, return_inverse=True)
        delay = np.full(len(original), MISSING, dtype=np.int64)
        # A record that is early is not one of ours; the check that records are true says so.
        published, clock = PublishedSnapshots.of(release).times, original.clock
        delay[rows] = np.maximum(count_snapshots(clock, published) - count_snapshots(clock, raw[rows]), 0)
        name = next(column.name for column in original.schema.columns if column.role == "sensitive")
        value, labels = read_codes(original.table.column(name))
        return cls(times, home.reshape(-1).astype(np.int64), delay, value, labels)

    @property
    def sizes(self) -> Ints:
        """Number of records of every snapshot."""
        return np.bincount(self.home, minlength=len(self.times))

    def count_values(self) -> tuple[Ints, Ints]:
        """Return how often values occur in snapshots: keys ``home * values + value`` in order, and counts."""
        keys, counts = np.unique(self.home * max(len(self.labels), 1) + self.value, return_counts=True)
        return keys, counts.astype(np.int64)

    def exceeded(self, l: int) -> Ints:
        """Return the snapshots in which some value is above 1/l, as positions in ``times``."""
        keys, counts = self.count_values()
        home = keys // max(len(self.labels), 1)
        return np.unique(home[l * counts > self.sizes[home]])
