"""One small release per guarantee and kind of data, with what its files are called and hold."""

from __future__ import annotations

import json
import re
import unittest.mock
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from tests.contracts.internals import run_command
from tests.contracts.json_keys import Document, Entry, format_entries, hide_labels, list_keys
from tests.contracts.samples import list_publishing_words, write_sample
from tests.damage.releases import RELEASES

import sfumato as sf

IN_PARTITIONS = "km-items, in partitions"
"""A release that is made, and laid out, in partitions."""


class Published(NamedTuple):
    """A release on disk, the original it was made from, and what was warned of on the way."""

    name: str
    kind: str
    out: Path
    original: sf.Dataset
    warnings: tuple[str, ...]


def publish_all(folder: Path) -> list[Published]:
    """Publish every release of the damages, and one in partitions, into a folder."""
    return [_publish(folder / f"{number}", name) for number, name in enumerate([*RELEASES, IN_PARTITIONS])]


def _publish(folder: Path, name: str) -> Published:
    folder.mkdir()
    # Streams draw a secret of their own; here it is always the same.
    with warnings.catch_warnings(record=True) as caught, unittest.mock.patch("os.urandom", bytes):
        warnings.simplefilter("always")
        original = RELEASES.get(name, _publish_in_partitions)(folder / "out")
    loud = [str(warning.message) for warning in caught if issubclass(warning.category, sf.ReleaseWarning)]
    kind = f"{original.kind} in partitions" if name == IN_PARTITIONS else original.kind
    return Published(name, kind, folder / "out", original, tuple(loud))


def _publish_in_partitions(out: Path) -> sf.Dataset:
    file = write_sample("sets", out.parent)
    partitions = ("--engine", "local", "--cores", "1", "--partition-size", "16")
    run_command(*list_publishing_words("sets", file, out, "--no-report", *partitions))
    return sf.read(file, "sets")


def list_file_names(releases: Iterable[Published]) -> list[str]:
    """Return a line for every file of releases, for every key of its JSON files and every column of its tables."""
    files, columns, documents = [], [], []
    for published in releases:
        for path in sorted(published.out.rglob("*.*")):
            # Partitions and snapshots have folders and files that are called by their numbers.
            name = re.sub(r"(?<=[/-])\d+(?=[/.])", "{}", path.relative_to(published.out).as_posix())
            files.append(Entry("", name, "", published.kind))
            columns += [Entry(name, column, kind, published.kind) for column, kind in _list_columns(path)]
            if path.suffix == ".json":
                documents.append(Document(name, published.kind, json.loads(path.read_text(encoding="utf-8"))))
    named = [*format_entries("release-file", files), *format_entries("release-column", columns)]
    return sorted([*named, *list_keys("file-key", documents)])


def _list_columns(path: Path) -> list[tuple[str, str]]:
    """Return the columns of a table, those of Parquet with their types."""
    if path.suffix == ".csv":
        return [(hide_labels(column), "") for column in pa_csv.read_csv(path).column_names]
    if path.suffix == ".parquet":
        return [(hide_labels(field.name), _format_type(field.type)) for field in pq.read_schema(path)]
    return []


def _format_type(kind: pa.DataType) -> str:
    """Return the name of a type; values that stand for several change how texts are kept, not what they are."""
    if pa.types.is_list(kind):
        return f"list of {_format_type(kind.value_type)}"
    if pa.types.is_struct(kind):
        return f"{', '.join(f'{field.name} {_format_type(field.type)}' for field in kind)} together"
    return _format_type(kind.value_type) if pa.types.is_dictionary(kind) else str(kind)
