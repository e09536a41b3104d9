"""Digests of the files of a release: of what they say, not of how Arrow writes it or of the words beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

SENTENCES = frozenset({"statement", "sentence", "method_note", "notes", "warnings"})
"""Keys whose values are words for people."""
NAMED_BY_SENTENCES = frozenset({"withheld_by_reason"})
"""Keys of objects whose own keys are words: their values count, in their order."""
OF_BYTES = frozenset({"sha256"})
"""Keys whose values follow from the bytes of files, which Arrow writes otherwise in another version."""
_ADDED_BY_READING = b"PARQUET:field_id"
_DIGITS = 8
PAGES = ".md"
"""Extension of pages for people, who are told the same in words."""


def digest(value: str | bytes) -> str:
    """Return a short digest: long enough that no change goes by, short enough to be read."""
    return hashlib.sha256(value if isinstance(value, bytes) else value.encode()).hexdigest()[:_DIGITS]


def digest_release(folder: Path) -> dict[str, Any]:
    """Return digests of all files for programs below a folder, by path: one of a file, or one of each of its parts."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.suffix != PAGES)
    return {file.relative_to(folder).as_posix(): digest_file(file) for file in files}


def digest_file(file: Path) -> str | dict[str, str]:
    """Return the digest of the bytes of a file, or those of what it says where its bytes are not ours to keep."""
    if file.suffix == ".parquet":
        return digest_table(file)
    if file.suffix == ".json":
        return digest_json(json.loads(file.read_text(encoding="utf-8")))
    return digest(file.read_bytes())


def digest_table(file: Path) -> dict[str, str]:
    """Return digests of the cells and of the schema of a Parquet file."""
    parquet = pq.ParquetFile(file)
    # Arrow cannot join the row groups of lists of labels: they are read one by one.
    groups = [parquet.read_row_group(number) for number in range(parquet.num_row_groups)]
    cells = "\n".join(format_cells(parquet.schema_arrow.names, groups))
    return {"cells": digest(cells), "schema": digest("\n".join(format_schema(parquet.schema_arrow)))}


def digest_json(said: dict[str, Any]) -> dict[str, str]:
    """Return a digest for every key of an object, without sentences."""
    contents = {key: drop_sentences(value) for key, value in said.items() if key not in SENTENCES}
    return {key: digest(json.dumps(value, ensure_ascii=False)) for key, value in contents.items()}


def format_cells(names: Sequence[str], groups: Sequence[pa.Table]) -> Iterator[str]:
    """Yield cells column by column, in a form that no version of Arrow has a say in."""
    for name in names:
        yield f"# {name}"
        for table in groups:
            yield from map(repr, table.column(name).to_pylist())


def format_schema(schema: pa.Schema) -> Iterator[str]:
    """Yield the columns of a schema with their types, and what is attached to it and to its columns."""
    yield from _format_metadata(schema.metadata)
    for field in schema:
        yield from _format_field(field, 0)


def _format_field(field: pa.Field, depth: int) -> Iterator[str]:
    inner = [field.type.field(at) for at in range(field.type.num_fields)]
    kind = str(field.type).partition("<")[0] if inner else str(field.type)
    yield f"{'  ' * depth}{field.name}: {kind}{'' if field.nullable else ' not null'}"
    yield from _format_metadata(field.metadata)
    for each in inner:
        yield from _format_field(each, depth + 1)


def _format_metadata(metadata: dict[bytes, bytes] | None) -> Iterator[str]:
    for key, value in sorted((metadata or {}).items()):
        if key != _ADDED_BY_READING:
            yield f"+ {key!r}: {value!r}"


def drop_sentences(value: Any) -> Any:
    """Return a JSON value without words for people and without digests of bytes."""
    if isinstance(value, dict):
        return {
            key: list(each.values()) if key in NAMED_BY_SENTENCES else drop_sentences(each)
            for key, each in value.items()
            if key not in SENTENCES | OF_BYTES
        }
    return [drop_sentences(each) for each in value] if isinstance(value, list) else value
