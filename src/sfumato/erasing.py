"""The original of a release without some people, to be published again as it was."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from sfumato import registry
from sfumato.core.dataset import Dataset
from sfumato.core.errors import SchemaError
from sfumato.core.method import Method
from sfumato.io.erasing import leave_out, read_as_table
from sfumato.io.reading import Reading
from sfumato.io.releases import owner

__all__ = ["Erased", "leave_out_people"]


class Erased(NamedTuple):
    """An original without some people, and how its release was made."""

    dataset: Dataset
    rows: int
    """Rows of the original that were theirs."""
    method: Method
    counting: str
    """What k counts."""


def leave_out_people(
    path: str | Path, people: Collection[str], original: str | Path, *, column: str | None = None
) -> Erased:
    """Read the original of a release again without some people, to publish it as before without them.

    Parameters
    ----------
    path
        The directory of the release, with ``owner/``, which says how the original was read and published.
    people
        What they are called in the original.
    original
        The file.
    column
        The column of the file that names people, where how it was read does not tell.
    """
    kept = owner.read_trace(Path(path))
    if not kept.get("reading") or not isinstance(kept.get("parameters"), dict):
        raise SchemaError(f"{path}: owner/ is not there, which says how the release was made. Anonymise anew.")
    reading = Reading.from_dict(kept["reading"])
    method = registry.find(kept["method"], reading.kind)(**kept["parameters"])
    file, rows = leave_out(Path(original), people, reading, column)
    dataset: Dataset = registry.reader(reading.kind).read(file, read_as_table(reading))
    # What is remembered is how the file is read, so that its owner can read it once more.
    dataset = dataclasses.replace(dataset, reading=reading.to_dict())
    return Erased(dataset, rows, method, (owner.read_claim(Path(path)) or {}).get("count", "records"))
