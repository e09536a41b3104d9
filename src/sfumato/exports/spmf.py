"""Releases as SPMF: a line per record, ``1 2 -1 -2`` for a set and ``1 -1 2 -1 -2`` for visits in their order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from sfumato.data.kind import find_kind
from sfumato.exceptions import ParameterError
from sfumato.readers.files import to_utf8
from sfumato.readers.spmf import Token, parse_sequences
from sfumato.release.layouts import LayoutTable
from sfumato.release.release import Release
from sfumato.release.text import ValueFormat, decode, encode

__all__ = ["encode_file", "parse"]

_LABEL = ValueFormat("category")


def encode_file(release: Release, layout_table: LayoutTable) -> Iterator[bytes]:  # noqa: ARG001
    """Yield the text of a file; values have the names that ``@ITEM`` lines give them, in the spelling of CSV."""
    names = [column for column in release.columns if column.role == "identifier"]
    numbers = [str(number) for number in range(1, release.table.num_rows + 1)]
    if not names or release.table.column(names[0].name).to_pylist() != numbers:
        raise ParameterError(
            "export: spmf numbers records by their lines, and the records of this release are not numbered so. Choose "
            "csv, parquet or jsonl."
        )
    history = release.history()
    used = sorted({history.labels[code] for code in np.unique(history.codes)})
    number = {label: at for at, label in enumerate(used, 1)}
    texts = encode(pa.array(used, pa.string()), _LABEL).to_pylist()
    head = [f"@ITEM={at}={text}" for at, text in enumerate(texts, 1)]
    yield "".join(f"{line}\n" for line in ("@CONVERTED_FROM_TEXT", *head)).encode()
    between = " -1 " if find_kind(release.kind).position else " "
    for record in history.lists():
        entries = between.join(str(number[label]) for label in record)
        yield (f"{entries} -1 -2\n" if record else "-2\n").encode()


def parse(path: Path, release: Release, layout_table: LayoutTable) -> pa.Table:  # noqa: ARG001
    """Read a file back as a table of the long layout."""

    def read_line(_: int, tokens: Iterator[Token]) -> list[tuple[str, None]]:
        return [(token.item, None) for token in tokens if token.item is not None]

    sequences = parse_sequences(path.name, to_utf8(path.name, path.read_bytes()), read_line)
    person = next(column.name for column in release.columns if column.role == "identifier")
    entry = find_kind(release.kind).entries[release.history_column]
    labels = decode(pa.array(sequences.item, pa.string()), _LABEL)
    return pa.table({person: pa.array(sequences.person, pa.string()), entry: labels})
