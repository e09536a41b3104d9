"""Buckets of people in a local folder, for local processes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import SfumatoError
from sfumato.readers.options import ReadOptions
from sfumato.readers.partitioned.buckets import count_buckets, name_bucket, spill_rows
from sfumato.readers.partitioned.observations import SHARES
from sfumato.readers.partitioned.passes import BucketFacts, BucketJob, read_job, sort_job, thin_job
from sfumato.readers.partitioned.reading import PartitionedReading, ReadWhole
from sfumato.readers.partitioned.records import SharedData, StoredPartition, save_shared
from sfumato.readers.partitioned.remote import RemoteFiles
from sfumato.readers.partitioned.rows import Rows, SpilledRows, open_rows
from sfumato.release.partition_bounds import Slices
from sfumato.release.run import PartitionEngine

__all__ = ["OnDisk", "open_files"]


class OnDisk:
    """Buckets of people as files of a local folder.

    Parameters
    ----------
    folder
        The folder.
    engine
        The engine that works on them.
    """

    def __init__(self, folder: Path, engine: PartitionEngine) -> None:
        self.folder, self._engine = folder, engine

    def spill_rows(
        self, source: Path | RemoteFiles, read_options: ReadOptions, partitioned_reading: PartitionedReading
    ) -> SpilledRows:
        """Distribute the rows of files to buckets."""
        assert isinstance(source, Path), "files of an engine are kept in its store"
        rows, key = open_files(source, read_options, partitioned_reading)
        count = count_buckets(int(rows.size * partitioned_reading.growth(read_options)))
        spill_rows(rows.batches(), key, count, self.folder)
        return SpilledRows(rows, tuple(number for number in range(count) if name_bucket(self.folder, number).exists()))

    def read(self, jobs: Sequence[BucketJob]) -> Iterator[BucketFacts | str]:
        """Read buckets, and store their records."""
        return self._engine.stream(read_job, iter(jobs))

    def finish(self, jobs: Sequence[BucketJob], whole: SharedData) -> None:
        """Store the data shared by all records, and remove the rows."""
        for job in jobs:
            name_bucket(self.folder, job.number).unlink()
        save_shared(self.folder, whole)

    def thin(self, jobs: Sequence[BucketJob]) -> Iterator[int]:
        """Sample the visits of every place; yield the shares of places that are done."""
        others = tuple(job.number for job in jobs)
        shares = (dataclasses.replace(jobs[0], number=share, others=others) for share in range(SHARES))
        return self._engine.stream(thin_job, shares)

    def sort(self, jobs: Sequence[BucketJob]) -> Iterator[int]:
        """Sort the records of buckets by their keys, and store the keys."""
        return self._engine.stream(sort_job, iter(jobs))

    def stream(
        self, work: Callable[[Any], Any], job: Any, partitions: Sequence[Slices], numbers: Sequence[int]
    ) -> Iterator[Any]:
        """Yield the results of some partitions; their jobs differ only in number and people."""
        jobs = (
            dataclasses.replace(job, number=at, people=StoredPartition(self.folder, partitions[at])) for at in numbers
        )
        return self._engine.stream(work, jobs)

    def list_contents(self, partition: Slices) -> npt.NDArray[np.uint64]:
        """Return the digests of the records of a partition."""
        return StoredPartition(self.folder, partition).contents()

    def clear(self) -> None:
        """Remove nothing: the caller removes the folder."""


def open_files(
    source: Path, read_options: ReadOptions, partitioned_reading: PartitionedReading
) -> tuple[Rows, str | None]:
    """Open local files to read them in batches; return their rows, and the column that identifies people."""
    try:
        rows = open_rows(source, read_options, partitioned_reading)
        return rows, partitioned_reading.find_person_column(rows.columns, read_options)
    except SfumatoError:
        raise ReadWhole("something may be wrong with it") from None
