"""A release wherever it is: in a directory, or in memory as what would be written there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError, SchemaError
from sfumato.core.release import Release, Result
from sfumato.io.memory import MemoryPlace, Place
from sfumato.io.releases import read_release, write_release
from sfumato.io.releases.owner import NOTHING_KEPT, Kept, keep_in_memory, read_kept

__all__ = ["Source", "find_kept", "find_original", "find_place", "find_release_in", "set_beside"]

Source = str | Path | Result | Release
"""A release: its directory, or what would be written there."""


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
        raise ParameterError("release: give its directory, or a Result or Release as sf.anonymize returns it.")
    return read_release(Path(source))


def find_original(source: Source, original: Dataset | None) -> Dataset | None:
    """Return the original that was given, or the one that a result knows."""
    return source.trace.original if original is None and isinstance(source, Result) else original


def find_kept(source: Source, original: Dataset) -> Kept:
    """Return what the owner knows of a release, from disk or from memory."""
    if isinstance(source, Result):
        return keep_in_memory(source, original)
    return NOTHING_KEPT if isinstance(source, Release) else read_kept(Path(source), original)


def set_beside(source: Source, original: Dataset | None) -> tuple[Release, Dataset, npt.NDArray[np.int64] | None]:
    """Return a release, its original and where its rows are there; refuse an original that it cannot come from."""
    original = find_original(source, original)
    if original is None:
        raise ParameterError("original: give the data that the release was made from, as sf.read returns them.")
    release = find_release_in(source)
    if len(original) != release.records_in:
        raise SchemaError(
            f"the original has {len(original)} records and the release was made from {release.records_in}: "
            "it is another original, or it was read with other options (places, split, columns)."
        )
    return release, original, find_kept(source, original).rows
