"""Tables as statements: a row is about a thing, its columns say something about it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from pyoxigraph import Literal, NamedNode, Quad

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.ontologies.definition import ColumnSection, SourceSection, TableSection
from sfumato.ontologies.readers.datatypes import fits_datatype
from sfumato.ontologies.terms import COMMON, Node, Prefixes
from sfumato.readers.tables import check_delimiter, read_table

__all__ = ["Rows", "fill_template", "read_rows", "turn_rows"]

_SLOT = re.compile(r"\{([^{}]+)\}")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", re.ASCII)
TYPE = NamedNode(COMMON["rdf"] + "type")

Cell = Callable[[dict[str, str]], list[Any]]


class Rows:
    """The rows of a table as texts, with the name that messages use."""

    def __init__(self, name: str, table: pa.Table) -> None:
        self.name = name
        self.columns = table.column_names
        self._table = table

    def __iter__(self) -> Iterator[dict[str, str]]:
        for batch in self._table.to_batches(10_000):
            cells = [[_format_cell(cell) for cell in column.to_pylist()] for column in batch.columns]
            for row in zip(*cells, strict=True):
                yield dict(zip(self.columns, row, strict=True))


def read_rows(path: Path, source: SourceSection, prefixes: Prefixes) -> Iterator[Quad]:
    """Yield what the rows of a table say, as the file of the warehouse maps them."""
    section = source.table
    if section is None or section.subject is None or not (section.columns or section.class_):
        raise ParameterError(
            f"{source.name}: a table needs [source.table] with columns and subject.",
            option="table",
            hint='For example: subject = "http://example.org/{id}"',
        )
    delimiter = None if source.delimiter is None else check_delimiter(source.delimiter)
    format = "csv" if source.delimiter is not None else None
    rows = Rows(path.name, read_table(path, delimiter=delimiter, format=format, encoding=source.encoding))
    make_subject = fill_template(section.subject, rows, prefixes)

    def name_subject(row: dict[str, str], _number: int) -> Node | None:
        return make_subject(row)

    yield from turn_rows(rows, section, prefixes, name_subject)


def turn_rows(
    rows: Rows,
    section: TableSection,
    prefixes: Prefixes,
    name_subject: Callable[[dict[str, str], int], Node | None],
    default: Sequence[tuple[str, ColumnSection]] = (),
) -> Iterator[Quad]:
    """Yield what rows say about their subjects; a row whose subject has an empty part is an error."""
    chosen = section.list_columns() or list(default)
    _check_columns(rows, [name for name, _ in chosen])
    kind = None if section.class_ is None else prefixes.expand(section.class_)
    cells = [
        (name, column, prefixes.expand(column.property), _read_cell(name, column, rows, prefixes))
        for name, column in chosen
    ]
    for number, row in enumerate(rows, start=1):
        try:
            subject = name_subject(row, number)
        except ValueError:
            raise SchemaError(f"{rows.name}: row {number} makes no IRI of subject.", rows=(number,)) from None
        if subject is None:
            raise SchemaError(f"{rows.name}: row {number} has no value in a column of subject.", rows=(number,))
        if kind is not None:
            yield Quad(subject, TYPE, kind)
        for name, column, property, read in cells:
            try:
                for value in read(row):
                    yield Quad(subject, property, value)
            except ValueError:
                fault = "makes no IRI or language" if column.datatype is None else f"is no {column.datatype}"
                message = f"{rows.name}: row {number} has a cell in column {name!r} that {fault}."
                raise SchemaError(message, column=name, rows=(number,)) from None


def fill_template(template: str, rows: Rows, prefixes: Prefixes) -> Callable[[dict[str, str]], NamedNode | None]:
    """Return what makes an IRI of a row: ``{column}`` is its cell, with blanks as underscores and the rest escaped.

    Examples
    --------
    >>> rows = Rows("fish.csv", pa.table({"name": ["Thunnus albacares", ""]}))
    >>> make = fill_template("http://fish.org/#{name}", rows, Prefixes())
    >>> [make(row) and make(row).value for row in rows]
    ['http://fish.org/#Thunnus_albacares', None]
    """
    slots = _SLOT.findall(template)
    for slot in slots:
        if slot not in rows.columns:
            raise SchemaError(
                f"{rows.name} has no column {slot!r} for {template!r}.",
                column=slot,
                hint=f"Columns: {_list(rows.columns)}.",
            )
    if not slots:
        raise ParameterError(f"{template!r} names no column.", option="subject", hint="Add one in braces: {id}")
    prefix, colon, rest = template.partition(":")
    expanded = prefixes.namespaces[prefix] + rest if colon and prefix in prefixes.namespaces else template
    # A column that holds whole IRIs is one as it is.
    whole = expanded == f"{{{slots[0]}}}"

    def make(row: dict[str, str]) -> NamedNode | None:
        parts = {slot: row[slot].strip() for slot in slots}
        if not all(parts.values()):
            return None
        if whole:
            return _expand_cell(parts[slots[0]], prefixes)
        return NamedNode(_SLOT.sub(lambda match: quote(parts[match[1]].replace(" ", "_"), safe="-_.~:"), expanded))

    return make


def _expand_cell(text: str, prefixes: Prefixes) -> NamedNode:
    """Return the IRI that a cell stands for; an error says nothing of the cell."""
    try:
        return prefixes.expand(text)
    except ParameterError:
        raise ValueError("no IRI") from None


def _read_cell(name: str, column: ColumnSection, rows: Rows, prefixes: Prefixes) -> Cell:
    """Return what makes the values of a cell: texts, texts of a language or type, or IRIs."""
    make: Callable[[str, dict[str, str]], Any]
    if column.iri is not None:
        target = column.iri
        fill = fill_template(target.replace("{}", f"{{{name}}}"), rows, prefixes)

        def make(text: str, row: dict[str, str]) -> Any:
            return fill({**row, name: text})
    elif column.language_from is not None:
        tag = column.language_from
        _check_columns(rows, [tag])

        def make(text: str, row: dict[str, str]) -> Any:
            language_tag = row[tag].strip()
            if not language_tag:
                return Literal(text)
            if not _LANGUAGE.fullmatch(language_tag):
                raise ValueError("no language")
            return Literal(text, language=language_tag)
    elif column.language is not None:
        language = column.language

        def make(text: str, row: dict[str, str]) -> Any:  # noqa: ARG001
            return Literal(text, language=language)
    elif column.datatype is not None:
        datatype = prefixes.expand(column.datatype)

        def make(text: str, row: dict[str, str]) -> Any:  # noqa: ARG001
            if not fits_datatype(text, datatype.value):
                raise ValueError("no value of the datatype")
            return Literal(text, datatype=datatype)
    else:

        def make(text: str, row: dict[str, str]) -> Any:  # noqa: ARG001
            return Literal(text)

    separator = column.separator

    def read(row: dict[str, str]) -> list[Any]:
        texts = [row[name]] if separator is None else row[name].split(separator)
        made = (make(text.strip(), row) for text in texts if text.strip())
        return [value for value in made if value is not None]

    return read


def _format_cell(cell: object) -> str:
    """Return a cell as RDF writes it: Parquet and JSON have truth values, times and numbers that Python writes else."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, datetime.datetime):
        return cell.isoformat()
    if isinstance(cell, float):
        return {"nan": "NaN", "inf": "INF", "-inf": "-INF"}.get(str(cell), str(cell))
    return "" if cell is None else str(cell)


def _check_columns(rows: Rows, wanted: Sequence[str]) -> None:
    for name in wanted:
        if name not in rows.columns:
            raise SchemaError(
                f"{rows.name} has no column {name!r}.", column=name, hint=f"Columns: {_list(rows.columns)}."
            )


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
