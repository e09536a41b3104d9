"""Darwin Core archives: a description of files (``meta.xml``), a core file, and extensions that belong to its rows.

Archives are ZIP files or folders. Nothing is unpacked to disk, and a description that leads outside of the archive is
refused.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import pyarrow as pa
from pyoxigraph import BlankNode, NamedNode, Quad

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.xml_text import walk_xml
from sfumato.ontologies.definition import ColumnSection, SourceSection, TableSection
from sfumato.ontologies.readers.tables import Rows, fill_template, turn_rows
from sfumato.ontologies.terms import Node, Prefixes
from sfumato.readers.archives import list_parts
from sfumato.readers.files import load, to_utf8
from sfumato.readers.tables import check_delimiter, parse_table

__all__ = ["read_archive"]

_ID = "id"


@dataclass
class _File:
    """One file as ``meta.xml`` describes it."""

    is_core: bool
    attributes: dict[str, str]
    locations: list[str] = field(default_factory=list)
    id_index: int | None = None
    terms: dict[int, str] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)

    @property
    def row_type(self) -> str:
        """What a row is, without its namespace."""
        return _local(self.attributes.get("rowType", ""))


class _Description:
    """Collects the files that ``meta.xml`` names."""

    def __init__(self) -> None:
        self.files: list[_File] = []

    def begin(self, path: tuple[str, ...], tag: str, attributes: dict[str, str]) -> None:
        if tag in ("core", "extension") and len(path) == 1:
            self.files.append(_File(tag == "core", attributes))
        elif len(path) == 2 and self.files and tag in ("id", "coreid", "field"):
            self._take_field(tag, attributes)

    def _take_field(self, tag: str, attributes: dict[str, str]) -> None:
        index, file = attributes.get("index", ""), self.files[-1]
        if tag != "field":
            file.id_index = int(index) if index.isdecimal() else None
        elif index.isdecimal():
            file.terms[int(index)] = attributes.get("term", "")
        elif "default" in attributes:
            file.defaults[attributes.get("term", "")] = attributes["default"]

    def end(self, path: tuple[str, ...], tag: str, text: str) -> None:
        if tag == "location" and path[-1:] == ("files",) and self.files:
            self.files[-1].locations.append(text.strip())


def read_archive(path: Path, source: SourceSection, prefixes: Prefixes) -> Iterator[Quad]:
    """Yield what the rows of an archive say: the core about things, extensions about those things."""
    inside = _find_description(path)
    description = _Description()
    name = f"{path.name}/{inside / 'meta.xml'}" if str(inside) != "." else f"{path.name}/meta.xml"
    walk_xml(name, [_load(path, inside / "meta.xml")], description)
    cores = [file for file in description.files if file.is_core]
    if len(cores) != 1 or not cores[0].locations or cores[0].id_index is None:
        raise SchemaError(f"{name} must have one core, with a location and an id.")
    _check_extensions(source, description.files, name)
    rows = _read_file(path, inside, cores[0], source)
    subjects: dict[str, Node] = {}
    name_core = _name_core(rows, source, prefixes, subjects)
    section = source.table or TableSection(class_=_as_iri(cores[0].attributes.get("rowType", "")))
    yield from turn_rows(rows, section, prefixes, name_core, _all_terms(cores[0]))
    for file in description.files:
        if not file.is_core:
            yield from _read_extension(path, inside, file, source, prefixes, subjects)


def _check_extensions(source: SourceSection, files: list[_File], name: str) -> None:
    row_types = [file.row_type for file in files if not file.is_core]
    for wanted in source.extensions:
        if wanted not in row_types:
            raise ParameterError(
                f"{source.name}: {name} has no extension {wanted!r}.",
                option="extensions",
                hint=f"Extensions: {', '.join(row_types) or 'none'}.",
            )


def _name_core(
    rows: Rows, source: SourceSection, prefixes: Prefixes, subjects: dict[str, Node]
) -> Callable[[dict[str, str], int], Node | None]:
    template = source.table.subject if source.table is not None and source.table.subject else f"{{{_ID}}}"
    make = fill_template(template, rows, prefixes)

    def name_subject(row: dict[str, str], number: int) -> Node | None:
        try:
            subject = make(row)
        except ValueError:
            raise SchemaError(
                f"{rows.name}: the id in row {number} is not an IRI.",
                option="subject",
                rows=(number,),
                hint='Add subject = "http://example.org/{id}".',
            ) from None
        if subject is not None:
            subjects[row[_ID]] = subject
        return subject

    return name_subject


def _read_extension(
    path: Path,
    inside: PurePosixPath,
    file: _File,
    source: SourceSection,
    prefixes: Prefixes,
    subjects: dict[str, Node],
) -> Iterator[Quad]:
    """Yield what an extension says: about the thing itself, or about a node between, where a property leads to it."""
    section = source.extensions.get(file.row_type)
    if section is None or not file.locations or file.id_index is None:
        return
    rows = _read_file(path, inside, file, source)
    link = None if section.property is None else prefixes.expand(section.property)
    links: list[Quad] = []

    def name_subject(row: dict[str, str], number: int) -> Node:
        if row[_ID] not in subjects:
            raise SchemaError(f"{rows.name}: row {number} belongs to no row of the core.", rows=(number,))
        thing = subjects[row[_ID]]
        if link is None:
            return thing
        between = BlankNode(f"{_escape(file.row_type)}-{number}")
        links.append(Quad(thing, link, between))
        return between

    yield from turn_rows(rows, section, prefixes, name_subject, _all_terms(file))
    yield from links


def _all_terms(file: _File) -> list[tuple[str, ColumnSection]]:
    """Return every column that has a term, as a property of that name."""
    terms = dict.fromkeys([*file.terms.values(), *file.defaults])
    return [(_local(term), ColumnSection(property=f"<{term}>")) for term in terms if _as_iri(term)]


def _read_file(path: Path, inside: PurePosixPath, file: _File, source: SourceSection) -> Rows:
    """Return the rows of all locations of a file, with columns called by their terms and the id as ``id``."""
    tables = [_read_location(path, inside, location, file, source) for location in file.locations]
    return Rows(f"{path.name}/{file.locations[0]}", pa.concat_tables(tables))


def _read_location(path: Path, inside: PurePosixPath, location: str, file: _File, source: SourceSection) -> pa.Table:
    name = f"{path.name}/{location}"
    wanted = PurePosixPath(location)
    if wanted.is_absolute() or ".." in wanted.parts or re.match(r"[A-Za-z]+:", location) or "\\" in location:
        raise SchemaError(f"{path.name}/meta.xml names a file outside the archive.", hint="Put it into the archive.")
    text = to_utf8(name, _load(path, inside / wanted), source.encoding or file.attributes.get("encoding"))
    skipped = file.attributes.get("ignoreHeaderLines", "0")
    lines = text.split(b"\n", int(skipped)) if skipped.isdecimal() and int(skipped) < 1000 else [text]
    delimiter = check_delimiter(file.attributes.get("fieldsTerminatedBy", ",") or ",")
    body = lines[-1]
    width = body.split(b"\n", 1)[0].count(delimiter.encode()) + 1
    names = [_local(file.terms.get(i, "")) or f"column{i + 1}" for i in range(width)]
    table = parse_table(name, body, "csv", delimiter=delimiter, header=names)
    if file.id_index is None or file.id_index >= table.num_columns:
        raise SchemaError(f"{name} has {table.num_columns} columns, but meta.xml names a later one for the id.")
    ids = table.column(file.id_index)
    for term, value in file.defaults.items():
        if _local(term) not in table.column_names:
            table = table.append_column(_local(term), pa.array([value] * table.num_rows))
    if _ID in table.column_names:
        return table.set_column(table.column_names.index(_ID), _ID, ids)
    return table.append_column(_ID, ids)


def _find_description(path: Path) -> PurePosixPath:
    """Return the folder inside of an archive in which ``meta.xml`` lies."""
    missing = SchemaError(f"{path.name} is not a Darwin Core archive: it has no meta.xml.")
    if path.is_dir():
        if not (path / "meta.xml").is_file():
            raise missing
        return PurePosixPath(".")
    try:
        with zipfile.ZipFile(path) as archive:
            names = [PurePosixPath(name) for name in archive.namelist()]
    except FileNotFoundError:
        raise SchemaError(f"{path} does not exist.", option="file", hint="Check file in [[source]].") from None
    except (zipfile.BadZipFile, OSError):
        raise SchemaError(f"{path.name} is incomplete or damaged.", hint="Copy it again.") from None
    candidates = sorted((len(name.parts), name) for name in names if name.name == "meta.xml" and ".." not in name.parts)
    if not candidates:
        raise missing
    return candidates[0][1].parent


def _load(path: Path, name: PurePosixPath) -> bytes:
    if path.is_dir():
        whole = (path / name).resolve()
        if not whole.is_relative_to(path.resolve()):
            raise SchemaError(f"{path.name}/{name} is outside the archive.", hint="Put it into the archive.")
        return load(whole)
    return list_parts(path / name)[0].load()


def _local(term: str) -> str:
    return re.split(r"[#/]", term)[-1]


def _as_iri(term: str) -> str | None:
    try:
        return f"<{NamedNode(term).value}>" if ":" in term else None
    except ValueError:
        return None


def _escape(text: str) -> str:
    return re.sub(r"[^\w-]", "-", text, flags=re.ASCII) or "row"
