"""Releases as other tools read them, and back: the same records in another layout and format."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import IO, NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.data.kind import WRITTEN, find_kind
from sfumato.exceptions import ParameterError, SchemaError, SfumatoError
from sfumato.exports import csv, geojson, jsonl, parquet, spmf, xes
from sfumato.exports.tables import write_table
from sfumato.messages import Message, option
from sfumato.release.flat import FlatShape, flatten, name_flat_columns
from sfumato.release.layouts import LAYOUTS, LayoutTable, arrange_records, collect_entries
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat

__all__ = ["FORMATS", "Exported", "export_partitions", "export_release", "list_formats", "read_export", "write_table"]

FORMATS: dict[str, ModuleType] = {
    "csv": csv,
    "parquet": parquet,
    "jsonl": jsonl,
    "geojson": geojson,
    "xes": xes,
    "spmf": spmf,
}
"""Every format by its name, which is the extension of its files."""


_PARTITION_COLUMNS = ("part", "release_part", "part_of_release")
"""Names of the column that says in which partition a record is: the first that no other column has."""


_UNREADABLE = (pa.ArrowException, ValueError, TypeError, KeyError, AttributeError, IndexError)
"""What is raised for files that are no exports; these errors may quote cells."""


class Exported(NamedTuple):
    """What was written.

    Attributes
    ----------
    layout, format
        As they were chosen.
    rows
        Rows of the layout.
    empty
        Records without an entry: in the long layout of tables a row each, whose cells of an entry are empty.
    """

    layout: str
    format: str
    rows: int
    empty: int


def list_formats(kind: str, layout: str) -> tuple[str, ...]:
    """Return the formats in which releases of a kind of data can be exported in a layout.

    Examples
    --------
    >>> list_formats("trajectories", "long"), list_formats("trajectories", "wide"), list_formats("table", "long")
    (('csv', 'parquet', 'jsonl', 'geojson', 'spmf'), ('csv', 'parquet', 'jsonl'), ())
    """
    about = find_kind(kind)
    if layout == "wide":
        return WRITTEN
    # Kinds of data whose releases have lists tell receivers about them.
    return (*WRITTEN, *about.exports) if "history" in about.descriptions else ()


def export_release(
    release: Release,
    path: Path,
    layout: str | None = None,
    format: str | None = None,
    *,
    nested: bool = False,
    force: bool = False,
) -> Exported:
    """Write the records of a release in a layout and format; the file appears whole or not at all.

    Tables are flat, one plain value per cell, as :meth:`sfumato.Release.to_arrow` has them.

    Parameters
    ----------
    release
        What :func:`sfumato.read_release` returns.
    path
        The file to write.
    layout
        ``long``, a row per visit, event or item, or ``wide``, a row per record; ``long`` where records have lists.
    format
        One of :data:`FORMATS`; told by the extension if not given.
    nested
        Whether cells of ``csv``, ``parquet`` and ``jsonl`` are written as they are published, ranges in one column, so
        that :func:`read_export` can read them back. The other formats have a shape of their own.
    force
        Whether to replace a file that is there.

    Examples
    --------
    >>> import sfumato as sf
    >>> release = sf.anonymize(sf.Dataset.of("table", [(20,), (21,)], ("age",)), sf.methods.Mondrian(k=2)).release
    >>> file = Path(tempfile.mkdtemp()) / "people.csv"
    >>> export_release(release, file).rows, file.read_text().split()
    (2, ['age_lo,age_hi', '20,21', '20,21'])
    """
    layout, format = _choose(release, path, layout, format)
    _check_target(path, force=force)
    layout_table = arrange_records(release, layout)
    if format in WRITTEN and not nested:
        layout_table = flatten(layout_table)
    with _appearing(path) as file:
        for partition in FORMATS[format].encode_file(release, layout_table):
            file.write(partition)
    return Exported(layout, format, layout_table.table.num_rows, _count_empty(layout_table))


def export_partitions(
    partitions: Callable[[], Iterable[tuple[str, Release]]],
    path: Path,
    layout: str | None = None,
    format: str | None = None,
    *,
    nested: bool = False,
    force: bool = False,
) -> Exported:
    """Write the records of all partitions into one file, one after another, with a column that names the partition.

    Records are numbered anew in every partition, and the same value may stand for something else in another partition:
    the partition belongs to both.

    Parameters
    ----------
    partitions
        Reads the partitions, one at a time, each with its name; anew whenever it is called.
    path, layout, format, nested, force
        As for :func:`export_release`; the format is ``csv``, ``parquet`` or ``jsonl``. A column that is a range in one
        partition is one in all.

    Examples
    --------
    >>> import sfumato as sf
    >>> release = sf.anonymize(sf.Dataset.of("sets", [["wine"], ["wine"]]), sf.methods.Apriori(k=2, m=1)).release
    >>> file = Path(tempfile.mkdtemp()) / "baskets.csv"
    >>> export_partitions(lambda: [("part-00000", release), ("part-00001", release)], file).rows
    4
    >>> file.read_text().split()[:3]
    ['part,person,item', 'part-00000,1,wine', 'part-00000,2,wine']
    """
    _, first = next(iter(partitions()))
    layout, format = _choose(first, path, layout, format)
    if format not in WRITTEN:
        raise ParameterError(
            f"export: {format} has no place for the partition that a record is in. Choose {', '.join(WRITTEN)}, or "
            "export one partition: name its folder."
        )
    _check_target(path, force=force)
    rows = empty = 0
    with _appearing(path) as file:
        write = FORMATS[format].begin(file)
        located = _list_coordinates(partitions(), layout)
        shape = None if nested else _join_shapes(partitions(), layout)
        for name, release in partitions():
            layout_table = arrange_records(release, layout)
            layout_table = _add_coordinates(
                _name_partition(layout_table if shape is None else flatten(layout_table, shape), name), located
            )
            write(layout_table)
            rows, empty = rows + layout_table.table.num_rows, empty + _count_empty(layout_table)
        write(None)
    return Exported(layout, format, rows, empty)


def _join_shapes(partitions: Iterable[tuple[str, Release]], layout: str) -> FlatShape:
    """Return what the columns of all partitions become together."""
    shape = FlatShape()
    for _, release in partitions:
        shape = shape.join(FlatShape.of(arrange_records(release, layout)))
    return shape


def _list_coordinates(partitions: Iterable[tuple[str, Release]], layout: str) -> tuple[str, ...]:
    """Return the columns of coordinates that some partition has: one without exact places has none."""
    coordinates: dict[str, None] = {}
    for _, release in partitions:
        if layout == "wide" or release.places is None:
            break
        coordinates |= {
            column.name: None for column in arrange_records(release, layout).columns if column.role == "coordinate"
        }
    return tuple(coordinates)


def _add_coordinates(layout_table: LayoutTable, names: tuple[str, ...]) -> LayoutTable:
    """Put columns of coordinates at the end that other partitions have, without any in them."""
    others = [column for column in layout_table.columns if column.role != "coordinate"]
    located = [PublishedColumn(name, "coordinate", ValueFormat("exact", "float64")) for name in names]
    nowhere = pa.nulls(layout_table.table.num_rows, pa.float64())
    cells = {
        column.name: layout_table.table.column(column.name)
        if column.name in layout_table.table.column_names
        else nowhere
        for column in (*others, *located)
    }
    entries = tuple(dict.fromkeys((*names, *layout_table.entries)))
    return dataclasses.replace(layout_table, columns=(*others, *located), table=pa.table(cells), entries=entries)


def _name_partition(layout_table: LayoutTable, name: str) -> LayoutTable:
    """Put a column in front that names the partition."""
    taken = {column.name for column in layout_table.columns}
    title = next(candidate for candidate in _PARTITION_COLUMNS if candidate not in taken)
    cells = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(layout_table.table.num_rows, np.int32)), pa.array([name], pa.string())
    )
    column = PublishedColumn(title, "plain", ValueFormat("exact", "string"))
    return dataclasses.replace(
        layout_table,
        columns=(column, *layout_table.columns),
        table=layout_table.table.add_column(0, title, cells.cast(pa.string())),
    )


def _check_target(path: Path, *, force: bool) -> None:
    """Refuse to write where something is, where no folder is, or into a release."""
    if path.exists() and (path.is_dir() or not force):
        hint = "Choose another file."
        if not path.is_dir():
            hint = Message("Choose another file, or replace it: ", option("force", True), ".")
        raise SfumatoError(f"{path} already exists.", option="force", hint=hint)
    if not path.parent.is_dir():
        raise ParameterError(f"{path.parent}: there is no such directory.", option="out")
    if (path.parent / "release.json").exists():
        raise ParameterError(
            f"{path}: lies in a release, where everything must be declared. Choose a file outside of it."
        )


def read_export(
    path: str | os.PathLike[str], release: Release, layout: str | None = None, format: str | None = None
) -> pa.Table:
    """Read an export with nested cells back: the table of the release, cell by cell, if nobody changed the file.

    Parameters
    ----------
    path
        The file, written with ``nested=True`` (``--nested``). A flat file can be read back only if it has neither
        ranges nor sets.
    release
        The release that it was exported from: its columns and their forms say how cells are read.
    layout, format
        As for :func:`export_release`.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine", "bread"], ["wine", "bread"]])
    >>> release = sf.anonymize(data, sf.methods.Apriori(k=2, m=2)).release
    >>> file = Path(tempfile.mkdtemp()) / "baskets.spmf"
    >>> export_release(release, file)
    Exported(layout='long', format='spmf', rows=4, empty=0)
    >>> read_export(file, release).to_pylist() == release.table.to_pylist()
    True
    """
    file = Path(path)
    layout, format = _choose(release, file, layout, format)
    layout_table = arrange_records(release, layout)
    try:
        table: pa.Table = FORMATS[format].parse(file, release, layout_table)
        return table if layout == "wide" else collect_entries(release, table)
    except OSError as error:
        raise SchemaError(f"{file}: cannot be read ({error.strerror or 'not a valid path'}).") from None
    except (SchemaError, *_UNREADABLE) as error:
        if format in WRITTEN and _is_flat(file, format, layout_table):
            raise SchemaError(
                f"{file.name}: this export is flat, with two columns for each range.",
                hint=Message("Only nested files can be read back: export it again with ", option("nested", True), "."),
            ) from None
        if isinstance(error, SchemaError):
            raise
        # What libraries say of a cell may quote it.
        raise SchemaError(
            f"{file.name}: this is not an export of the release in {format}, {layout}.",
            hint=Message("Export it again with ", option("nested", True), ".") if format in WRITTEN else "",
        ) from None


def _is_flat(file: Path, format: str, layout_table: LayoutTable) -> bool:
    """Tell whether the columns of a file are those of a flat export."""
    try:
        names = set(FORMATS[format].read_names(file))
    except (SchemaError, OSError, *_UNREADABLE):
        return False
    lacking = {column.name for column in layout_table.columns} - names
    return bool(lacking) and set(name_flat_columns(layout_table)) <= names


def _choose(release: Release, path: Path, layout: str | None, format: str | None) -> tuple[str, str]:
    """Return layout and format that were asked for, or refuse a pair that there is not."""
    format = format or path.suffix.removeprefix(".").lower()
    if format not in FORMATS:
        raise ParameterError(
            Message(option("format"), f" must be one of {', '.join(FORMATS)}, got {format!r}."),
            hint="Or give the file the extension of its format.",
        )
    if layout is None:
        lists = any(column.form.history for column in release.columns)
        layout = "long" if lists else "wide"
    if layout not in LAYOUTS:
        raise ParameterError(Message(option("layout"), f" must be one of {', '.join(LAYOUTS)}, got {layout!r}."))
    allowed = list_formats(release.kind, layout)
    if not allowed:
        raise ParameterError(
            f"export: a row of a release of {release.kind} holds no list of entries, so that it has no long layout. "
            "Use the wide one."
        )
    if format not in allowed:
        raise ParameterError(
            f"export: {release.kind} cannot be written as {format} in the {layout} layout; there are "
            f"{', '.join(allowed)}."
        )
    return layout, format


def _count_empty(layout_table: LayoutTable) -> int:
    return int(layout_table.table.column(layout_table.entries[-1]).null_count) if layout_table.entries else 0


@contextlib.contextmanager
def _appearing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file aside and put it in its place at the end, or leave nothing."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
        temporary = Path(file.name)
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
