"""The published files: written for people and machines, read back exactly."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from sfumato import guarantees
from sfumato.core.errors import SchemaError
from sfumato.core.forms import Form, decode, encode
from sfumato.core.published_places import PlaceOrigin
from sfumato.core.release import Part, PublishedColumn, Release

__all__ = ["FORMAT_VERSION", "find_release", "read_release", "stray_files", "write_release"]

FORMAT_VERSION = 1

_FILES = ("data.parquet", "data.csv", "values.csv", "places.csv", "release.json")
_TEXT = Form("exact")
_PART_NAME = re.compile(r"[a-z][a-z-]*")


def write_release(release: Release, folder: Path) -> None:
    """Write ``data.parquet``, ``data.csv``, ``values.csv``, ``places.csv``, a file per part and ``release.json``.

    This function sees the release only. It cannot reach what the owner keeps.
    """
    pq.write_table(release.table, folder / "data.parquet", compression="zstd", store_schema=True)
    _write_csv(_spell_columns(release.table, release.columns), folder / "data.csv")
    _write_csv(_spell(release.values), folder / "values.csv")
    if release.places is not None:
        _write_csv(_spell(release.places), folder / "places.csv")
    for name, part in release.parts.items():
        _write_csv(_spell_columns(part.table, part.columns), folder / f"{name}.csv")
    text = json.dumps(_manifest(release), indent=2, ensure_ascii=False)
    (folder / "release.json").write_text(text + "\n", encoding="utf-8")


def _spell_columns(table: pa.Table, columns: tuple[PublishedColumn, ...]) -> pa.Table:
    return pa.table({c.name: encode(table.column(c.name), c.form) for c in columns})


def _spell(table: pa.Table) -> pa.Table:
    strings = {
        name: encode(table.column(name), _TEXT)
        if pa.types.is_string(table.schema.field(name).type)
        else table.column(name)
        for name in table.column_names
    }
    return pa.table(strings)


def _write_csv(table: pa.Table, path: Path) -> None:
    cast(pl.DataFrame, pl.from_arrow(table)).write_csv(path)


def _manifest(release: Release) -> dict[str, Any]:
    return {
        "format_version": FORMAT_VERSION,
        "kind": release.kind,
        "method": release.method,
        "guarantee": release.guarantee.to_dict(),
        "columns": _describe_columns(release.columns),
        "parts": {name: _describe_columns(part.columns) for name, part in release.parts.items()},
        **({} if release.place_origin is None else {"places": release.place_origin.to_dict()}),
        "records": {
            "in": release.records_in,
            "published": len(release),
            "withheld": sum(release.withheld.values()),
            "withheld_by_reason": dict(release.withheld),
        },
    }


def _describe_columns(columns: tuple[PublishedColumn, ...]) -> list[dict[str, Any]]:
    return [
        {
            "name": column.name,
            "role": column.role,
            "form": column.form.cell,
            "type": column.form.type,
            "history": column.form.history,
            "meaning": column.form.meaning,
        }
        for column in columns
    ]


def find_release(path: Path) -> Path:
    """Return the folder that holds ``release.json``: the given one or its ``release/``."""
    for folder in (path / "release", path):
        if (folder / "release.json").is_file() or (folder / "stream.json").is_file():
            return folder
    raise SchemaError(f"{path}: there is no release here (no release.json).")


def stray_files(folder: Path, release: Release) -> list[str]:
    """Name what lies in a release folder and does not belong there."""
    known = {*_FILES, *(f"{name}.csv" for name in release.parts)}
    return sorted(path.name for path in folder.iterdir() if path.name not in known)


def read_release(path: Path, data: str = "data.parquet") -> Release:
    """Read a release from its files; cells are read by the forms that ``release.json`` declares.

    Parameters
    ----------
    path
        The folder given to ``write``, or its ``release/``.
    data
        ``data.parquet`` or ``data.csv``: both hold the same records.
    """
    folder = find_release(path)
    if (folder / "stream.json").is_file():
        from sfumato.io.streams import read_stream

        return read_stream(folder, data)
    try:
        manifest = json.loads((folder / "release.json").read_text(encoding="utf-8"))
        columns = _read_columns(manifest["columns"])
        guarantee = guarantees.load(manifest["guarantee"])
        records = manifest["records"]
        _check_version(manifest)
        table = _read_data(folder / data, columns)
        return Release(
            kind=manifest["kind"],
            method=manifest["method"],
            guarantee=guarantee,
            columns=columns,
            table=table,
            values=_read_values(folder / "values.csv"),
            records_in=records["in"],
            withheld=dict(records["withheld_by_reason"]),
            places=_read_places(folder / "places.csv"),
            parts={name: _read_part(folder, name, described) for name, described in manifest.get("parts", {}).items()},
            published=None if table.num_rows == records["published"] else int(records["published"]),
            place_origin=PlaceOrigin.from_dict(manifest["places"]) if "places" in manifest else None,
        )
    except (KeyError, TypeError, ValueError, UnicodeDecodeError) as error:
        raise SchemaError(
            f"{folder / 'release.json'}: not a manifest of this format ({type(error).__name__})."
        ) from None


def _read_columns(described: list[dict[str, Any]]) -> tuple[PublishedColumn, ...]:
    return tuple(
        PublishedColumn(c["name"], c["role"], Form(c["form"], c["type"], c["history"], c["meaning"])) for c in described
    )


def _read_part(folder: Path, name: str, described: list[dict[str, Any]]) -> Part:
    if not _PART_NAME.fullmatch(name) or f"{name}.csv" in _FILES:
        raise SchemaError("release.json: a part must have a plain name of its own.")
    columns = _read_columns(described)
    return Part(columns, _read_data(folder / f"{name}.csv", columns))


def _check_version(manifest: dict[str, Any]) -> None:
    if manifest["format_version"] > FORMAT_VERSION:
        raise SchemaError(
            f"release.json: format version {manifest['format_version']} is newer than this program "
            f"reads ({FORMAT_VERSION}); update sfumato."
        )


def _read_data(path: Path, columns: tuple[PublishedColumn, ...]) -> pa.Table:
    if not path.is_file():
        raise SchemaError(f"{path.name}: the file is missing from the release.")
    if path.suffix == ".csv":
        texts = _read_csv(path, [column.name for column in columns])
        return pa.table({c.name: decode(texts.column(c.name), c.form) for c in columns})
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError):
        raise SchemaError(f"{path.name}: not a complete Parquet file.") from None
    if table.column_names != [column.name for column in columns]:
        raise SchemaError(f"{path.name}: the columns are not those of release.json.")
    try:
        return pa.table({c.name: _as_form(table.column(c.name), c.form) for c in columns})
    except pa.ArrowInvalid:
        raise SchemaError(f"{path.name}: a column is not of the form that release.json declares.") from None


def _as_form(column: pa.ChunkedArray, form: Form) -> pa.Array:
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else pa.array([], column.type)
    if form.history and form.cell == "category":
        flat = array.flatten()
        coded = flat if pa.types.is_dictionary(flat.type) else flat.dictionary_encode()
        offsets = array.offsets
        return type(array).from_arrays(offsets, coded) if not array.null_count else array
    return array if form.cell == "category" else array.cast(form.arrow)


def _read_csv(path: Path, columns: list[str]) -> pa.Table:
    try:
        table = pacsv.read_csv(
            path,
            parse_options=pacsv.ParseOptions(newlines_in_values=True),
            convert_options=pacsv.ConvertOptions(
                column_types={name: pa.string() for name in columns}, strings_can_be_null=False
            ),
        )
    except (pa.ArrowInvalid, OSError):
        raise SchemaError(f"{path.name}: not a complete CSV file.") from None
    missing = [name for name in columns if name not in table.column_names]
    if missing:
        raise SchemaError(f"{path.name}: column {missing[0]!r} is missing.")
    return table.select(columns)


def _read_values(path: Path) -> pa.Table:
    if not path.is_file():
        raise SchemaError(f"{path.name}: the file is missing from the release.")
    names = ["column", "value", "member"]
    texts = _read_csv(path, names)
    return pa.table({name: decode(texts.column(name), _TEXT) for name in names})


def _read_places(path: Path) -> pa.Table | None:
    if not path.is_file():
        return None
    with path.open(encoding="utf-8") as file:
        names = file.readline().strip().replace('"', "").split(",")
    texts = _read_csv(path, names)
    numeric = {"x": pa.float64(), "y": pa.float64(), "lon": pa.float64(), "lat": pa.float64(), "level": pa.int64()}
    columns = {}
    for name in names:
        column = texts.column(name)
        if name in numeric:
            # An empty cell is a place whose coordinates are not published.
            columns[name] = pc.if_else(pc.equal(column, ""), None, column).cast(numeric[name])
        else:
            columns[name] = decode(column, _TEXT)
    return pa.table(columns)
