"""Contents of Parquet files besides their records: metadata, layout, and bytes that no reader uses."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.formats.memory import Place

__all__ = ["find_beside_records"]

_WRITER = re.compile(r"parquet-cpp-arrow version \d{1,3}\.\d{1,3}\.\d{1,3}")
_MAGIC = b"PAR1"
_SCHEMA = b"ARROW:schema"
_SLACK, _SPARE = 1.01, 256


def find_beside_records(path: Place, expected: pa.Buffer) -> tuple[list[str], str]:
    """Return what a Parquet file has that the expected one, with the same records, lacks.

    The same version of the library writes the same bytes. A file of another version is compared by its schema,
    metadata, row groups and positions of bytes; the second result then names that version.

    Parameters
    ----------
    path
        The file.
    expected
        A file with its records, written now.
    """
    content = path.read_bytes()
    if content == expected.to_pybytes():
        return [], ""
    ours, theirs = pq.read_metadata(pa.BufferReader(expected)), pq.read_metadata(pa.BufferReader(content))
    schemas = pq.read_schema(pa.BufferReader(content)), pq.read_schema(pa.BufferReader(expected))
    extras = _compare_metadata(theirs, ours) + _compare_schemas(*schemas) + _compare_layout(content, theirs, ours)
    extras += _find_unused_labels(content)
    writer = str(theirs.created_by)
    if not _WRITER.fullmatch(writer):
        return [*extras, "the name of a program that writes no releases"], ""
    if writer == ours.created_by:
        return extras or ["bytes that its records do not need"], ""
    if not extras and _sum_columns(theirs) > _SLACK * _sum_columns(ours) + _SPARE:
        extras = ["more bytes than its records need"]
    return extras, writer


def _sum_columns(metadata: Any) -> int:
    return sum(metadata.row_group(at).total_byte_size for at in range(metadata.num_row_groups))


def _find_unused_labels(content: bytes) -> list[str]:
    """Find dictionaries with labels that no record has, or that occur twice."""
    table = pq.read_table(pa.BufferReader(content))
    for name in table.column_names:
        for chunk in table.column(name).chunks:
            flat = chunk.flatten() if pa.types.is_list(chunk.type) or pa.types.is_large_list(chunk.type) else chunk
            if pa.types.is_dictionary(flat.type) and len(flat.dictionary) != len(
                flat.cast(pa.string()).drop_null().unique()
            ):
                return [f"labels of column {ascii(name)[:80]} that no record has"]
    return []


def _compare_metadata(theirs: Any, ours: Any) -> list[str]:
    our_keys = set(ours.metadata or {})
    extras = [
        f"metadata under the key {ascii(key.decode(errors='replace'))[:80]}"
        for key in theirs.metadata or {}
        if key not in our_keys
    ]
    return extras + ["no schema of Arrow's"] * (not (our_keys <= set(theirs.metadata or {})))


def _compare_schemas(theirs: pa.Schema, ours: pa.Schema) -> list[str]:
    extras = [f"column {ascii(name)[:80]}" for name in theirs.names if name not in ours.names]
    if theirs.metadata:
        extras.append("metadata of its schema")
    extras += [f"metadata of column {ascii(field.name)[:80]}" for field in theirs if _has_metadata(field)]
    if not extras and not theirs.equals(ours, check_metadata=True):
        extras.append("columns of other types than a release has")
    return extras


def _has_metadata(field: pa.Field) -> bool:
    # The Parquet reader itself adds this key.
    keys = {key for key in field.metadata or {} if key != b"PARQUET:field_id"}
    inside = [field.type.field(at) for at in range(field.type.num_fields)]
    return bool(keys) or any(_has_metadata(child) for child in inside)


def _compare_layout(content: bytes, theirs: Any, ours: Any) -> list[str]:
    """Find bytes outside columns and footer, statistics, and row groups of other sizes."""
    extras = []
    end = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    spans = []
    for group in range(theirs.num_row_groups):
        for column in range(theirs.row_group(group).num_columns):
            chunk = theirs.row_group(group).column(column)
            begin = chunk.dictionary_page_offset or chunk.data_page_offset
            spans.append((begin, begin + chunk.total_compressed_size))
            if chunk.is_stats_set or chunk.compression != "UNCOMPRESSED":
                extras.append("statistics or compressed columns")
    at = len(_MAGIC)
    for begin, after in sorted(spans):
        if begin != at:
            break
        at = after
    if at != end or content[: len(_MAGIC)] != _MAGIC:
        extras.append("bytes that belong to no column")
    sizes = [[meta.row_group(at).num_rows for at in range(meta.num_row_groups)] for meta in (theirs, ours)]
    if sizes[0] != sizes[1]:
        extras.append("row groups of other sizes than a release has")
    if content[end:-8] != _encode_footer(theirs):
        extras.append("a footer with more in it than the library reads")
    return list(dict.fromkeys(extras))


def _encode_footer(metadata: Any) -> bytes:
    sink = pa.BufferOutputStream()
    metadata.write_metadata_file(sink)
    written: bytes = sink.getvalue().to_pybytes()
    return written[len(_MAGIC) : -8]
