"""A release wherever it is: in a directory, or in memory as what would be written there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.select import pick_rows, take_rows
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.memory import MemoryPlace, Place
from sfumato.messages import Message, option
from sfumato.release.owner import NO_OWNER_FACTS, OwnerFacts, keep_in_memory, read_division, read_owner_facts
from sfumato.release.partitioned import DATA, DividedRelease, find_divided, read_divided
from sfumato.release.release import Release, Result
from sfumato.release.storage import read_release, write_release

__all__ = [
    "Source",
    "find_original",
    "find_owner_facts",
    "find_place",
    "find_release_in",
    "is_divided",
    "name_partitions",
    "pick_partitions_beside",
    "read_divided_from",
    "read_partitions",
    "set_beside",
    "set_partitions_beside",
]

Ints = npt.NDArray[np.int64]
Source = str | Path | Result | Release
"""A release: its directory, or what would be written there."""
Beside = tuple[Release, Dataset, Ints | None]
"""A release, its original, and the row there of each of its rows."""


def find_place(source: Source) -> Place:
    """Return where the files of a release lie, or write them into memory.

    Examples
    --------
    >>> import sfumato as sf
    >>> result = sf.anonymize(sf.Dataset.of("sets", [["wine"], ["wine"]]), sf.methods.Apriori(k=2, m=1))
    >>> [file.name for file in (find_place(result) / "release").iterdir()]
    ['README.md', 'data.csv', 'data.parquet', 'release.json', 'values.csv']
    """
    if isinstance(source, str | Path):
        return Path(source)
    place = MemoryPlace()
    write_release(find_release_in(source), place / "release")
    return place


def find_release_in(source: Source) -> Release:
    """Return the release as it is in memory, or read it from its files."""
    if isinstance(source, Result):
        return source.release
    if isinstance(source, Release):
        return source
    if not isinstance(source, str | Path):
        raise ParameterError("release must be a directory, or a Result or Release as sf.anonymize returns it.")
    return read_release(Path(source))


def find_original(source: Source, original: Dataset | None) -> Dataset | None:
    """Return the original that was given, or the one that a result knows."""
    return source.owner_record.original if original is None and isinstance(source, Result) else original


def find_owner_facts(source: Source, original: Dataset) -> OwnerFacts:
    """Return what the owner knows of a release, from disk or from memory."""
    if isinstance(source, Result):
        return keep_in_memory(source, original)
    return NO_OWNER_FACTS if isinstance(source, Release) else read_owner_facts(Path(source), original)


def is_divided(source: Source) -> bool:
    """Tell whether a release is in partitions."""
    return isinstance(source, str | Path) and find_divided(source) is not None


def read_divided_from(path: str | Path) -> DividedRelease:
    """Return what a release in partitions says of all of them together."""
    folder = find_divided(path)
    if folder is None:
        raise SchemaError(f"{path} is not a partitioned release.")
    return read_divided(folder)


def read_partitions(source: Source) -> Iterator[Release]:
    """Yield a release; of a release in partitions every partition, one at a time.

    Examples
    --------
    >>> import sfumato as sf
    >>> made = sf.anonymize(sf.Dataset.of("sets", [["wine"], ["wine"]]), sf.methods.Apriori(k=2, m=1))
    >>> [len(release) for release in read_partitions(made)]
    [2]
    """
    if not is_divided(source):
        yield find_release_in(source)
        return
    for _, release in name_partitions(source):
        yield release


def name_partitions(source: Source) -> Iterator[tuple[str, Release]]:
    """Yield the name of every partition of a release in partitions, and the partition, one at a time."""
    folder = find_divided(source)
    if folder is None:
        return
    for partition in read_divided(folder).partitions:
        yield partition.name, read_release(folder / DATA / partition.name)


def set_partitions_beside(source: Source, original: Dataset | None) -> Iterator[Beside]:
    """Yield a release, its original and where its rows are there; of a partitioned release the same of every partition.

    The original of a partition knows of no other people.
    """
    for release, whole, rows, chosen in _read_partitions(source, original):
        yield release, whole if chosen is None else take_rows(whole, chosen), rows


def pick_partitions_beside(source: Source, original: Dataset | None) -> Iterator[tuple[*Beside, Ints]]:
    """Yield the same, and the rows of the whole original that a partition has; values are numbered as in the whole."""
    for release, whole, rows, chosen in _read_partitions(source, original):
        every = np.arange(len(whole)) if chosen is None else chosen
        yield release, whole if chosen is None else pick_rows(whole, every), rows, every


def _read_partitions(source: Source, original: Dataset | None) -> Iterator[tuple[*Beside, Ints | None]]:
    """Yield every partition, the whole original, where its rows are among those of the partition, and these."""
    folder = find_divided(source) if isinstance(source, str | Path) else None
    if folder is None:
        yield (*set_beside(source, original), None)
        return
    if original is None:
        raise ParameterError("original is missing. Give the data that the release was made from, as sf.read returns.")
    partitions = read_divided(folder).partitions
    division = read_division(Path(str(source)), original, len(partitions))
    if division is None:
        raise SchemaError(
            f"{source}: owner/ is missing, which links people to the partitions of the release.",
            hint="Keep owner/ beside release/.",
        )
    for partition, chosen in zip(partitions, division, strict=True):
        rows = read_owner_facts(Path(str(source)) / "owner" / partition.name, pick_rows(original, chosen)).rows
        yield read_release(folder / DATA / partition.name), original, rows, chosen


def set_beside(source: Source, original: Dataset | None) -> Beside:
    """Return a release, its original and where its rows are there; refuse an original that it cannot come from."""
    original = find_original(source, original)
    if original is None:
        raise ParameterError("original is missing. Give the data that the release was made from, as sf.read returns.")
    release = find_release_in(source)
    if len(original) != release.records_in:
        raise SchemaError(
            f"the original has {len(original):,} records, but the release was made from {release.records_in:,}.",
            hint=Message(
                "Give the same original, read with the same options, such as ",
                option("places"),
                ", ",
                option("split"),
                " and ",
                option("columns"),
                ".",
            ),
        )
    return release, original, find_owner_facts(source, original).rows
