"""The published files: written for people and machines in one spelling, read back exactly."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sfumato.base.guarantee import read_guarantee
from sfumato.data.kind import all_kinds, find_kind, require
from sfumato.data.lists import distinct
from sfumato.data.record_unit import RecordUnit
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.csv_files import read_csv, read_header, write_csv
from sfumato.formats.json_files import check_plain, encode_json
from sfumato.formats.memory import Place, Readable, as_place
from sfumato.formats.parquet import read_parquet
from sfumato.messages import Message
from sfumato.release.attachments import copy_in
from sfumato.release.decode import number_column
from sfumato.release.distinct_cells import combine_chunks, number_cells
from sfumato.release.manifest import FILES, ManifestColumn, describe_release, is_divided, read_manifest
from sfumato.release.readme import PAGE, render_page
from sfumato.release.release import ExtraTable, Included, PublishedColumn, Release
from sfumato.release.text import ValueFormat, decode, encode, encode_distinct, index_texts

__all__ = [
    "encode_tables",
    "find_release",
    "published_names",
    "read_data",
    "read_release",
    "same_cells",
    "write_data",
    "write_release",
]


_TEXT = ValueFormat("exact")
_NUMBER = ValueFormat("exact", "float64")
_PLACE_COLUMNS = {
    "place": _TEXT,
    **dict.fromkeys(("x", "y", "lon", "lat"), _NUMBER),
    "level": ValueFormat("exact", "int64"),
    "outline": _TEXT,
}
"""What places.csv may say of a place, in this order."""

_VALUE_COLUMNS = ("column", "value", "member")
_UNFIT = (pa.ArrowException, AttributeError, TypeError, ValueError, OverflowError)
"""What Arrow and Python raise for cells that are not of the form they should have."""
_GROUP_ROWS = 1 << 20
"""Rows in a row group of data.parquet."""


def write_release(release: Release, folder: Place, include: Sequence[Path] = ()) -> None:
    """Write a page for the receiver, the data as Parquet and CSV, values, places, a file per part and ``release.json``.

    This function sees the release only. It cannot reach what the owner keeps. What else is to be published, such as a
    licence, is copied in and declared with its digest.
    """
    taken = {*FILES, *(f"{name}.csv" for name in release.extra_tables)}
    included = copy_in(include, folder, taken)
    if included != release.included:
        release = dataclasses.replace(release, included=included)
    with (folder / "data.parquet").open("wb") as file:
        write_data([release.table], release.columns, file)
    for name, table in encode_tables(release):
        write_csv(table, folder / name)
    (folder / PAGE).write_bytes(render_page(release))
    (folder / "release.json").write_bytes(encode_json(describe_release(release)))


def write_data(tables: Iterable[pa.Table], columns: tuple[PublishedColumn, ...], where: Any) -> None:
    """Write records as Parquet, to a path or a stream, the same records always as the same bytes, however they come.

    Nothing is compressed and nothing is measured, because compressors and statistics differ from build to build.
    """
    groups = (_normalise(group, columns) for group in _regroup(tables))
    first = next(groups)
    with pq.ParquetWriter(
        where,
        first.schema,
        version="2.6",
        data_page_version="1.0",
        compression="none",
        write_statistics=False,
        store_schema=True,
    ) as writer:
        for group in itertools.chain([first], groups):
            writer.write_table(group, row_group_size=_GROUP_ROWS)


def _regroup(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield the rows of tables in groups of one size, the last one as it comes; one group where there are no rows."""
    waiting: list[pa.Table] = []
    yielded = False
    for table in tables:
        waiting.append(table)
        while sum(extra_table.num_rows for extra_table in waiting) >= _GROUP_ROWS:
            joined = pa.concat_tables(waiting)
            yield joined.slice(0, _GROUP_ROWS)
            waiting, yielded = [joined.slice(_GROUP_ROWS)], True
    left = pa.concat_tables(waiting)
    if left.num_rows or not yielded:
        yield left


def _normalise(table: pa.Table, columns: tuple[PublishedColumn, ...]) -> pa.Table:
    """Return a table with the types its forms call for; labels are those that occur, in the order of the alphabet."""
    return pa.table({column.name: _normalise_column(table.column(column.name), column.form) for column in columns})


def _normalise_column(column: pa.ChunkedArray, form: ValueFormat) -> pa.Array:
    array = combine_chunks(column)
    if not form.history:
        return _sort_labels(array) if form.cell == "category" else array.cast(form.arrow)
    if array.null_count:
        raise SchemaError("data: a history is missing.")
    inside = ValueFormat(form.cell, form.type, meaning=form.meaning)
    flat = _normalise_column(pa.chunked_array([array.flatten()]), inside)
    offsets = array.offsets.to_numpy() - array.offsets[0].as_py()
    # Names of list elements are part of the file, and Arrow takes lists for equal that differ in them.
    element = pa.field("element", inside.arrow)
    if pa.types.is_large_list(array.type):
        return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), flat, type=pa.large_list(element))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), flat, type=pa.list_(element))


def _sort_labels(cells: Any) -> pa.Array:
    labels, codes = number_cells(cells, "category")
    used = distinct(codes.drop_null().to_numpy())
    order = pc.array_sort_indices(labels.take(pa.array(used)))
    place = np.zeros(len(labels), np.int32)
    place[used[order.to_numpy()]] = np.arange(len(used))
    codes = pa.array(place).take(codes) if len(labels) else codes.cast(pa.int32())
    return pa.DictionaryArray.from_arrays(codes, labels.take(pa.array(used)).take(order).cast(pa.string()))


def encode_tables(release: Release) -> Iterator[tuple[str, pa.Table]]:
    """Yield the name and the text of every CSV file of a release."""
    yield "data.csv", pa.table({column.name: _encode_records(release, column) for column in release.columns})
    yield "values.csv", _encode_table(release.values, _describe(_VALUE_COLUMNS, _TEXT))
    if release.places is not None:
        names = [name for name in _PLACE_COLUMNS if name in release.places.column_names]
        places = tuple(PublishedColumn(name, "plain", _PLACE_COLUMNS[name]) for name in names)
        yield "places.csv", _encode_table(release.places, places)
    for name, extra_table in release.extra_tables.items():
        yield f"{name}.csv", _encode_table(extra_table.table, extra_table.columns)


def _encode_records(release: Release, column: PublishedColumn) -> Any:
    if column.form.history or column.role == "identifier":
        return _encode_column(release.table.column(column.name), column.form)
    numbered = number_column(release, column)
    return index_texts(numbered.texts, numbered.index)


def _describe(names: Sequence[str], form: ValueFormat) -> tuple[PublishedColumn, ...]:
    return tuple(PublishedColumn(name, "plain", form) for name in names)


def _encode_table(table: pa.Table, columns: tuple[PublishedColumn, ...]) -> pa.Table:
    return pa.table({column.name: _encode_column(table.column(column.name), column.form) for column in columns})


def _encode_column(cells: pa.ChunkedArray, form: ValueFormat) -> Any:
    return encode(cells, form) if form.history else encode_distinct(cells, form)


def published_names(release: Release) -> set[str]:
    """Return the names of the files that a release consists of."""
    tables = {f"{name}.csv" for name in ("data", "values", *release.extra_tables)}
    places = set() if release.places is None else {"places.csv"}
    return {PAGE, "data.parquet", "release.json", *tables, *places, *(file.name for file in release.included)}


def marked_kind(folder: Place) -> str | None:
    """Return the kind of data whose releases have a shape of their own, if a folder is marked as such a release."""
    return next(
        (kind for kind in all_kinds() if any((folder / name).is_file() for name in find_kind(kind).manifests)), None
    )


def is_release(folder: Place) -> bool:
    """Tell whether a folder is a release itself."""
    return (folder / "release.json").is_file() or marked_kind(folder) is not None


def find_release(path: Readable) -> Place:
    """Return the folder that holds ``release.json``: the given one or its ``release/``."""
    path = as_place(path)
    # A folder that is a release itself is not left for one that lies in it.
    for folder in (path, path / "release"):
        if is_release(folder):
            return folder
    raise SchemaError(f"{path}: there is no release here (no release.json).")


def read_release(path: Readable, data: str = "data.parquet") -> Release:
    """Read a release from its files; cells are read by the forms that ``release.json`` declares.

    Parameters
    ----------
    path
        The folder given to ``write``, or its ``release/``.
    data
        ``data.parquet`` or ``data.csv``: both hold the same records.

    Examples
    --------
    >>> import tempfile, sfumato as sf
    >>> result = sf.anonymize(sf.Dataset.of("table", [(20,), (21,)], ("age",)), sf.methods.Mondrian(k=2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sf.write(result, f"{folder}/out")
    ...     read_release(Path(folder, "out")).members()
    {}
    """
    folder = find_release(path)
    kind = marked_kind(folder)
    if kind is not None:
        return require(find_kind(kind).folder).read_folder(folder, data)
    if is_divided(folder):
        raise SchemaError(
            f"{path}: is a release in partitions, each of which is a release of its own. Name one: "
            f"{folder / 'data' / 'part-00000'}."
        )
    read = read_manifest(folder)
    try:
        guarantee = read_guarantee(read.kind, read.guarantee.model_dump())
    except ParameterError as error:
        raise SchemaError(Message("release.json: ", error.text)) from None
    columns = tuple(column.published() for column in read.columns)
    table = read_data(folder / data, columns)
    return Release(
        kind=read.kind,
        method=read.method,
        method_note=read.method_note,
        guarantee=guarantee,
        columns=columns,
        table=table,
        values=read_data(folder / "values.csv", _describe(_VALUE_COLUMNS, _TEXT)),
        records_in=read.records.records_in,
        suppressed_records=dict(read.records.withheld_by_reason),
        places=None if read.places is None else _read_places(folder / "places.csv", read.places.columns),
        extra_tables={name: _read_extra_table(folder, name, described) for name, described in read.parts.items()},
        published=None if table.num_rows == read.records.published else read.records.published,
        included=tuple(Included(file.name, file.size, file.sha256) for file in read.included),
        unit=RecordUnit.from_dict(read.unit.model_dump()),
        place_origin=None if read.places is None else read.places.published_origin(),
    )


def _read_extra_table(folder: Place, name: str, described: list[ManifestColumn]) -> ExtraTable:
    columns = tuple(column.published() for column in described)
    return ExtraTable(columns, read_data(folder / f"{name}.csv", columns))


def read_data(path: Place, columns: tuple[PublishedColumn, ...]) -> pa.Table:
    """Read the declared columns of a published table by their forms."""
    check_plain(path)
    if path.suffix == ".csv":
        texts = read_csv(path, [column.name for column in columns])
        try:
            return pa.table({c.name: decode(texts.column(c.name), c.form) for c in columns})
        except _UNFIT:
            raise SchemaError(f"{path.name}: a column is not of the form that release.json declares.") from None
    try:
        # The file is opened here, so that nothing around it is taken for a part of it.
        with path.open("rb") as file:
            # The same records lie beside it as text, against which it is measured: equal rows take no room here.
            table = read_parquet(path.name, file, _size(path) + _size(path.with_suffix(".csv")))
    except OSError:
        raise SchemaError(f"{path.name}: not a complete Parquet file.") from None
    for column in columns:
        if table.column_names.count(column.name) != 1:
            raise SchemaError(f"{path.name}: the columns are not those of release.json.")
    try:
        return pa.table({c.name: _cast_column(table.column(c.name), c.form) for c in columns})
    except _UNFIT:
        raise SchemaError(f"{path.name}: a column is not of the form that release.json declares.") from None


def _size(path: Place) -> int:
    return path.stat().st_size if path.is_file() else 0


def _cast_column(column: pa.ChunkedArray, form: ValueFormat) -> pa.Array:
    array = combine_chunks(column)
    if form.history and form.cell == "category":
        flat = array.flatten()
        coded = flat if pa.types.is_dictionary(flat.type) else flat.dictionary_encode()
        offsets = array.offsets
        return type(array).from_arrays(offsets, coded) if not array.null_count else array
    return array if form.cell == "category" else array.cast(form.arrow)


def _read_places(path: Place, names: list[str]) -> pa.Table:
    check_plain(path)
    if names != [name for name in _PLACE_COLUMNS if name in names] or "place" not in names:
        raise SchemaError(f"release.json: places may have the columns {', '.join(_PLACE_COLUMNS)}, in this order.")
    missing = [name for name in names if name not in read_header(path)]
    if missing:
        raise SchemaError(f"{path.name}: column {missing[0]!r} is missing.")
    return read_data(path, tuple(PublishedColumn(name, "plain", _PLACE_COLUMNS[name]) for name in names))


def same_cells(table: pa.Table, other: pa.Table, columns: tuple[PublishedColumn, ...]) -> bool:
    """Tell whether two tables have the same cells; how a dictionary numbers its labels is not content."""
    return bool(_normalise(table, columns).equals(_normalise(other, columns)))
