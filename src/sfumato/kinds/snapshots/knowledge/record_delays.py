"""What became of every original record of a snapshot: on time, late or missing; and how frequent values were."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.kinds.snapshots.decode import PublishedSnapshots, count_snapshots, original_times, read_codes
from sfumato.release.release import Release

__all__ = ["MISSING", "RecordDelays"]

Ints = npt.NDArray[np.int64]

MISSING = -1


class RecordDelays(NamedTuple):
    """The original records with what became of them.

    Attributes
    ----------
    times
        Snapshots of the original, in order, as the release writes them.
    origin
        Snapshot of every original record, as a position in ``times``.
    delay
        How many snapshots late it is published: 0 on time, -1 missing.
    value, labels
        Its sensitive value.
    """

    times: Ints
    origin: Ints
    delay: Ints
    value: Ints
    labels: tuple[str, ...]

    @classmethod
    def of(cls, release: Release, original: Dataset, rows: Ints) -> RecordDelays:
        """Follow every original record into the release by the owner's row map.

        Examples
        --------
        >>> import sfumato as sf
        >>> people = [(1, "30", "flu"), (1, "40", "flu"), (2, "50", "cold"), (2, "60", "cold"), (9, "70", "flu")]
        >>> data = Dataset.of("snapshots", people, ("age",), "ill")
        >>> result = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), max_suppressed_records=1)
        >>> RecordDelays.of(result.release, data, result.owner_record.rows).delay.tolist()
        [1, 1, 0, 0, -1]
        """
        raw = original_times(original, release)
        times, origin = np.unique(raw, return_inverse=True)
        delay = np.full(len(original), MISSING, dtype=np.int64)
        # A record that is early is not one of ours; the check that records are true says so.
        published, time_unit = PublishedSnapshots.of(release).times, original.time_unit
        delay[rows] = np.maximum(count_snapshots(time_unit, published) - count_snapshots(time_unit, raw[rows]), 0)
        name = next(column.name for column in original.schema.columns if column.role == "sensitive")
        value, labels = read_codes(original.table.column(name))
        return cls(times, origin.reshape(-1).astype(np.int64), delay, value, labels)

    @property
    def sizes(self) -> Ints:
        """Number of records of every snapshot."""
        return np.bincount(self.origin, minlength=len(self.times))

    def count_values(self) -> tuple[Ints, Ints]:
        """Return how often values occur in snapshots: keys ``origin * values + value`` in order, and counts."""
        keys, counts = np.unique(self.origin * max(len(self.labels), 1) + self.value, return_counts=True)
        return keys, counts.astype(np.int64)

    def exceeded(self, l: int) -> Ints:
        """Return the snapshots in which some value is above 1/l, as positions in ``times``."""
        keys, counts = self.count_values()
        origin = keys // max(len(self.labels), 1)
        return np.unique(origin[l * counts > self.sizes[origin]])
