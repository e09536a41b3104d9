"""Passes over one bucket of people: reading, sampling of visits, sorting."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.data.dataset import Dataset
from sfumato.data.fingerprint import Fingerprint, digest_records
from sfumato.data.kind import find_kind, require
from sfumato.data.secret import Secret
from sfumato.data.select import find_names, sample_observations
from sfumato.data.sort_key import Survey, take_survey
from sfumato.exceptions import SfumatoError
from sfumato.formats.frames import FrameFile
from sfumato.readers.identifiers import refuse_identifiers
from sfumato.readers.options import ReadOptions
from sfumato.readers.partitioned.agreement import Decision, record_decisions
from sfumato.readers.partitioned.buckets import name_bucket, read_bucket
from sfumato.readers.partitioned.observations import save_observations, thin_share
from sfumato.readers.partitioned.reading import ReadWhole
from sfumato.readers.partitioned.records import (
    SharedData,
    list_labels,
    load_records,
    load_shared,
    save_records,
    save_sorted,
    strip,
)
from sfumato.release.partition_bounds import pack_keys
from sfumato.release.partition_plan import draw_chances

__all__ = ["BucketFacts", "BucketJob", "read_job", "sort_job", "sort_with", "thin_job"]


@dataclasses.dataclass(frozen=True, eq=False)
class BucketJob:
    """All that reading or sorting one bucket needs."""

    folder: Path
    number: int
    name: str
    read_options: Mapping[str, Any]
    secret: Secret
    people_per_place: int
    decisions: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    others: tuple[int, ...] = ()
    """Numbers of all buckets."""
    files: int = 1
    """Number of files of the rows."""
    begins: tuple[int, ...] = ()
    """The first row of each file, if rows were numbered file by file."""


@dataclasses.dataclass(frozen=True, eq=False)
class BucketFacts:
    """Facts of a bucket without its records."""

    number: int
    dataset: Dataset
    has_observations: bool
    survey: Survey | None
    decisions: dict[str, Decision]
    fingerprint: Fingerprint
    description: str = ""
    """All that must be the same in all buckets."""


def read_job(job: BucketJob) -> BucketFacts | str:
    """Read a bucket like a file and store its records; return the other facts, or the reason to read files whole."""
    table, rows = read_bucket(name_bucket(job.folder, job.number), job.begins)
    read_options = ReadOptions.from_dict(job.read_options)
    try:
        with record_decisions(job.decisions) as decisions:
            file = FrameFile.hold(table, job.name, job.files)
            dataset = find_kind(read_options.kind).reader.load().read(file, read_options)
        refuse_identifiers(dataset)
    except (SfumatoError, ReadWhole):
        return "something may be wrong with it"
    if find_names(dataset) is None and len(dataset) != len(rows):
        return "rows are left out"
    rows = rows if find_names(dataset) is None else np.zeros(len(dataset), np.int64)
    content = digest_records(dataset)
    save_records(job.folder, job.number, dataset, rows, content)
    observations = sample_observations(dataset, job.secret, job.people_per_place).observations
    if observations is not None:
        save_observations(job.folder, job.number, dataset.view_history().labels, observations)
    stripped = strip(dataset, list_labels(dataset.table))
    counted = take_survey(dataset)
    return BucketFacts(
        job.number, stripped, observations is not None, counted, dict(decisions), Fingerprint.of(content)
    )


def thin_job(job: BucketJob) -> int:
    """Sample the visits of one share of the places; return its number."""
    thin_share(job.folder, job.number, job.others, job.secret, job.people_per_place)
    return job.number


def sort_job(job: BucketJob) -> int:
    """Sort the records of a bucket by their keys; return their number."""
    return sort_with(job, load_shared(job.folder))


def sort_with(job: BucketJob, whole: SharedData) -> int:
    """Sort the records of a bucket by their keys, with the data shared by all records; return their number."""
    dataset, rows, table = load_records(job.folder, job.number, whole.dataset)
    keys = require(find_kind(dataset.kind).sort_key).compute_sort_key(dataset, whole.survey)
    names = find_names(dataset)
    chances = draw_chances(job.secret, rows.tolist() if names is None else names.to_pylist())
    packed = pack_keys(keys, chances)
    save_sorted(job.folder, job.number, table, np.lexsort((chances, keys)), packed)
    return len(dataset)
