"""What ``release.json`` says of a release: written in one place, read back and checked."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.data.kind import all_kinds
from sfumato.data.places import PlaceOrigin
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.json_files import read_json
from sfumato.formats.memory import Place
from sfumato.release.attachments import is_plain_name
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat

__all__ = [
    "DIVIDED",
    "FILES",
    "FORMAT_VERSION",
    "Manifest",
    "ManifestColumn",
    "check_version",
    "describe_release",
    "is_divided",
    "read_manifest",
]

FORMAT_VERSION = 3

DIVIDED = "parts_of_people"
"""Key that only the manifest of a release in partitions has."""

FILES = ("README.md", "data.parquet", "data.csv", "values.csv", "places.csv", "release.json", "stream.json")
"""Names that a release has for its own files."""
_PART_NAME = re.compile(r"[a-z][a-z-]{0,63}")


def describe_release(release: Release) -> dict[str, Any]:
    """Return what ``release.json`` says of a release: the one place where that is written."""
    return {
        "format_version": FORMAT_VERSION,
        "kind": release.kind,
        "method": release.method,
        "method_note": release.method_note,
        "guarantee": release.guarantee.to_dict(release.unit),
        "unit": release.unit.to_dict(),
        "columns": _describe_columns(release.columns),
        "parts": {name: _describe_columns(extra_table.columns) for name, extra_table in release.extra_tables.items()},
        "places": _describe_places(release),
        "included": [dataclasses.asdict(file) for file in release.included],
        "records": {
            "in": release.records_in,
            "published": len(release),
            "withheld": sum(release.suppressed_records.values()),
            "withheld_by_reason": dict(sorted(release.suppressed_records.items())),
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


def _describe_places(release: Release) -> dict[str, Any] | None:
    if release.places is None:
        return None
    origin = None if release.place_origin is None else release.place_origin.to_dict()
    return {"columns": release.places.column_names, "origin": origin}


class _Entry(BaseModel):
    """Part of a manifest; keys that are not known are left to those who compare the whole text."""

    model_config = ConfigDict(strict=True, frozen=True)


class ManifestColumn(_Entry):
    """A column as it is declared."""

    name: str
    role: str
    form: str
    type: str
    history: bool
    meaning: str

    def published(self) -> PublishedColumn:
        """Return the column as a release has it."""
        return PublishedColumn(self.name, self.role, ValueFormat(self.form, self.type, self.history, self.meaning))


class _Guarantee(_Entry):
    name: str
    parameters: dict[str, Any]
    count: str
    statement: str


class _Unit(_Entry):
    one: str
    many: str
    owner: str


class _File(_Entry):
    name: str
    size: int
    sha256: str


class _Records(_Entry):
    records_in: int = Field(alias="in")
    published: int = Field(ge=0, le=2**62)
    withheld: int
    withheld_by_reason: dict[str, int]


class _Places(_Entry):
    columns: list[str]
    origin: dict[str, Any] | None

    def published_origin(self) -> PlaceOrigin | None:
        """Return where the coordinates come from."""
        try:
            return None if self.origin is None else PlaceOrigin.from_dict(self.origin)
        except ParameterError:
            raise SchemaError("release.json: the origin of the places is none that this program knows.") from None


class Manifest(_Entry):
    """What ``release.json`` says, checked."""

    format_version: int
    kind: str
    method: str
    method_note: str
    guarantee: _Guarantee
    unit: _Unit
    columns: list[ManifestColumn]
    parts: dict[str, list[ManifestColumn]]
    places: _Places | None
    included: list[_File]
    records: _Records


def read_manifest(folder: Place) -> Manifest:
    """Read what a folder declares, or say what is wrong with it."""
    manifest = read_json(folder / "release.json")
    check_version("release.json", manifest, FORMAT_VERSION)
    try:
        read = Manifest.model_validate(manifest)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"][:3])
        raise SchemaError(f"release.json: not a manifest of this format; look at {where!a}.") from None
    if read.kind not in all_kinds():
        raise SchemaError(f"release.json: kind must be one of {', '.join(all_kinds())}.")
    if any(not _PART_NAME.fullmatch(name) or f"{name}.csv" in FILES for name in read.parts):
        raise SchemaError("release.json: a part must have a plain name of its own.")
    taken = {*FILES, *(f"{name}.csv" for name in read.parts)}
    if any(not is_plain_name(file.name) or file.name in taken for file in read.included):
        raise SchemaError("release.json: an included file must have a plain name of its own.")
    return read


def is_divided(folder: Place) -> bool:
    """Tell whether a folder is a release in partitions."""
    manifest = read_json(folder / "release.json") if (folder / "release.json").is_file() else None
    return isinstance(manifest, dict) and DIVIDED in manifest


def check_version(file: str, manifest: Any, current: int) -> None:
    """Refuse a manifest of another format, and say what to do."""
    version = manifest.get("format_version") if isinstance(manifest, dict) else None
    if type(version) is not int:
        raise SchemaError(f"{file}: not a manifest of this program (it has no format_version).")
    if version > current:
        raise SchemaError(
            f"{file}: format version {version} is newer than this program reads ({current}); update sfumato."
        )
    if version < current:
        raise SchemaError(
            f"{file}: format version {version} is older than this program reads ({current}) and cannot be judged. "
            "Publish the data anew with this version."
        )
