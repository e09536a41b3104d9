"""Tables: one row per person, with roles and scales for the columns."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.data.record_unit import PERSON, RECORD, RecordUnit
from sfumato.data.schema import Column, Schema
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.memory import Place, Readable, as_place
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.table.reader.cells import encode_values
from sfumato.kinds.table.reader.doubts import count_identifiers, doubt_identifiers
from sfumato.kinds.table.reader.hierarchies import find_hierarchies
from sfumato.kinds.table.reader.roles import Roles, resolve_roles
from sfumato.kinds.table.reader.scales import Scaled, parse_scale, scale_values
from sfumato.messages import Message, option
from sfumato.readers.cells import encode_labels
from sfumato.readers.missing import resolve_missing
from sfumato.readers.notes import ROLE, note_left_out, note_rows
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER, RecordPeople, name_records, resolve_unit
from sfumato.readers.partitioned.agreement import note_count
from sfumato.readers.sources import Source
from sfumato.readers.weights import Floats, describe_weights, read_weights

__all__ = ["Attributes", "read", "read_attributes", "read_file"]


def read(path: Readable, read_options: ReadOptions) -> Dataset:
    """Read a table of people: CSV, Parquet or JSON lines.

    Every column needs a role (``identifier``, ``quasi``, ``sensitive``, ``plain``) or is left out by ``drop``; one
    without is refused with a guess to confirm. Numbers, dates and categories are detected where ``scales`` does not
    give them. Spaces around a cell are not part of it, and empty cells are a separate value.
    The notes of the dataset say what was done.

    Parameters
    ----------
    path
        The file, possibly packed as ``.gz`` or ``.xz``.
    read_options
        How to read it.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = file.write_text("name,age,zip,illness\\nAnn,30,01067,flu\\nBob,?,80331,cold\\nCid,40,01069,flu\\n")
    >>> options = ReadOptions("table", identifier=("name",), quasi=("age,zip",), sensitive=("illness",), empty=("?",))
    >>> people = read(file, options)
    >>> people.table.to_pydict()
    {'age': ['30', '', '40'], 'zip': ['01067', '80331', '01069'], 'illness': ['flu', 'cold', 'flu']}
    >>> for note in people.notes:
    ...     print(note)
    Read 3 rows of people.csv.
    Reading `age` and `zip` as quasi-identifiers.
    Reading `illness` as sensitive.
    Left out identifier `name`.
    Reading `age` as whole numbers.
    Reading `zip` and `illness` as categories.
    1 empty cell in `age` is kept as a separate value.
    """
    file = as_place(path)
    table = read_file(file, read_options)
    attributes = read_attributes(file.name, table, read_options)
    return Dataset(
        Schema("table", attributes.columns),
        attributes.table,
        hierarchies=attributes.hierarchies,
        notes=(note_rows(file.name, table.num_rows), *attributes.notes),
        read_options=dataclasses.replace(read_options, scales=attributes.scales).to_dict(),
        unit=attributes.record_people.unit,
        people=attributes.record_people.people,
        population=attributes.population,
        weights=attributes.weights,
        doubts=attributes.doubts,
    )


class Attributes(NamedTuple):
    """The attributes found in a table, with notes on them."""

    columns: tuple[Column, ...]
    table: pa.Table
    scales: dict[str, str]
    """Scale of every column as options give it, so that another file is read the same way."""
    hierarchies: dict[str, Hierarchy]
    population: pa.Table | None
    record_people: RecordPeople
    cells: pa.Table
    """The cells of the rows that were kept."""
    notes: tuple[Note, ...]
    weights: Floats | None = None
    """How many of a population each record stands for, if that is known."""
    doubts: tuple[Note, ...] = ()
    """Identifiers that have few values."""


def read_file(path: Place, read_options: ReadOptions) -> pa.Table:
    """Read a file as a table of cells, as the options say."""
    return Source(path, read_options).table()


def read_attributes(name: str, table: pa.Table, read_options: ReadOptions, taken: Collection[str] = ()) -> Attributes:
    """Give the columns of a table their roles and scales.

    Parameters
    ----------
    name
        Of the file, for messages.
    table
        Its cells.
    read_options
        How to read them.
    taken
        Columns that are not attributes, such as the items of a person: they need no role.

    Examples
    --------
    >>> cells = pa.table({"age": ["30", "40"], "items": ["a b", "c"]})
    >>> read_attributes("people.csv", cells, ReadOptions("table", quasi=("age",)), taken=("items",)).scales
    {'age': 'integer'}
    """
    roles = resolve_roles(name, table, read_options, taken)
    _check_scales(read_options, roles.retained)
    changed: list[Note] = []
    if read_options.missing not in {"keep", "error"}:
        published = {column: column for column in roles.retained}
        name, table = resolve_missing(name, table, published, read_options, changed, published)
        if not table.num_rows:
            raise SchemaError(
                f"{name}: every row has an empty cell.",
                hint=Message("Leave out the columns that are mostly empty with ", option("drop"), "."),
            )
    scaled_columns = {
        column: _read_column(name, table, column, read_options, read_options.scales.get(column))
        for column in roles.retained
    }
    beside, remark = _read_population(read_options, roles, scaled_columns)
    hierarchies, notes = find_hierarchies(read_options, roles.retained, scaled_columns, beside)
    record_people, owner_notes = _find_people(name, table, roles, read_options)
    weights = None if read_options.weight is None else read_weights(name, table, read_options.weight)
    if weights is not None and read_options.weight is not None:
        notes = [
            *notes,
            describe_weights(read_options.weight, weights, published=read_options.weight in roles.retained),
        ]
    columns = tuple(
        Column(column, roles.retained[column], scaled.scale, scaled.order) for column, scaled in scaled_columns.items()
    )
    return Attributes(
        columns,
        pa.table({column: scaled.values.to_arrow() for column, scaled in scaled_columns.items()}),
        {column: scaled.word for column, scaled in scaled_columns.items()},
        hierarchies,
        pa.table({column: scaled.values.to_arrow() for column, scaled in beside.items()}) if beside else None,
        record_people,
        table,
        (
            *_describe_roles(roles),
            *changed,
            *_describe_scales(scaled_columns, read_options),
            *_describe_missing(scaled_columns),
            *remark,
            *notes,
            *owner_notes,
        ),
        weights,
        tuple(
            doubt_identifiers(
                *count_identifiers(table, dict.fromkeys([*roles.identifiers, *filter(None, [roles.owner])]))
            )
        ),
    )


def _check_scales(read_options: ReadOptions, published: Mapping[str, str]) -> None:
    for column, text in read_options.scales.items():
        parse_scale(column, text)
        if column not in published:
            near = difflib.get_close_matches(column, published, n=1)
            raise ParameterError(
                Message(option("scales"), f" names {column!r}, which is no column of the release."),
                column=column,
                hint=f"Did you mean {near[0]!r}?" if near else "Leave it out.",
            )


def _read_column(name: str, table: pa.Table, column: str, read_options: ReadOptions, scale: str | None) -> Scaled:
    values = encode_values(name, column, table.column(column), read_options.empty)
    if values.missing and read_options.missing == "error":
        values.refuse_missing()
    return scale_values(values, scale)


def _read_population(
    read_options: ReadOptions, roles: Roles, scaled_columns: Mapping[str, Scaled]
) -> tuple[dict[str, Scaled], list[Note]]:
    """Read the quasi-identifiers of the population on the same scales, and no other columns."""
    if read_options.population is None:
        return {}, []
    file = Path(read_options.population)
    table = read_file(file, dataclasses.replace(read_options, format=None, header=(), delimiter=None))
    wanted = [column for column, role in roles.retained.items() if role == "quasi-identifier"]
    missing = [column for column in wanted if column not in table.column_names]
    if missing:
        raise SchemaError(
            f"{file.name}: the population lacks the quasi-identifier {missing[0]!r}.",
            option="population",
            column=missing[0],
            hint="Add the column, or give it another role in the table.",
        )
    beside = {
        column: _read_column(file.name, table, column, read_options, scaled_columns[column].word) for column in wanted
    }
    template = "Read {people} {people:person|people} of the population in {file}."
    notes = [Note("population-read", template, {"people": table.num_rows}, details={"file": file.name})]
    ignored = [column for column in table.column_names if column not in wanted]
    if ignored:
        template = "Not used from the population: {columns:column|columns} {columns}."
        notes.append(Note("population-columns-unused", template, columns=tuple(ignored)))
    return beside, notes


def _find_people(
    name: str, table: pa.Table, roles: Roles, read_options: ReadOptions
) -> tuple[RecordPeople, list[Note]]:
    """Return the people of the records: those of the owner column; unknown people where identifiers repeat."""
    repeated = [column for column in roles.identifiers if column != roles.owner and _repeats(table.column(column))]
    unit, notes = PERSON, list[Note]()
    if roles.owner:
        labels = encode_labels(name, roles.owner, table.column(roles.owner))
        people = labels.labels.take(pa.array(labels.codes)).cast(pa.string())
        record_people = resolve_unit(read_options, RecordPeople(_unit_of(roles, repeated), people))
        template = "Reading {columns} as owner of records; it is not published."
        notes.append(Note(ROLE, template, columns=(roles.owner,), details={"role": OWNER}))
        return record_people, notes + record_people.note(table.num_rows)
    if repeated:
        unit = RECORD
        notes.append(
            Note(
                "identifier-repeats",
                "Identifier {columns} repeats: if it names people, a record is not a person, and k records may belong "
                "to fewer than k people. Then name it as their owner: {option}.",
                columns=(repeated[0],),
                details={"option": option("columns", {OWNER: repeated[0]})},
            )
        )
    return resolve_unit(read_options, RecordPeople(unit)), notes


def _unit_of(roles: Roles, repeated: Collection[str]) -> RecordUnit:
    """Return what a record is, by the name of an identifier that never repeats."""
    telling = [column for column in roles.identifiers if column not in (*repeated, roles.owner)]
    return name_records(telling[0], True) if telling else RECORD


def _repeats(cells: pa.ChunkedArray) -> bool:
    """Return whether a value occurs twice; empty cells do not count."""
    given = cells.drop_null()
    try:
        if int(pc.count_distinct(given).as_py()) == len(given):
            return False
        if pa.types.is_string(given.type) or pa.types.is_large_string(given.type):
            given = given.filter(pc.not_equal(pc.utf8_trim_whitespace(given), ""))
        return int(pc.count_distinct(given).as_py()) < len(given)
    except pa.ArrowException:
        return False


def _describe_roles(roles: Roles) -> list[Note]:
    notes = []
    for role in ("quasi-identifier", "sensitive", "plain"):
        columns = tuple(column for column, given in roles.retained.items() if given == role)
        plural = "{columns:quasi-identifier|quasi-identifiers}" if role == "quasi-identifier" else "{role}"
        template = f"Reading {{columns}} as {plural}."
        notes += [Note(ROLE, template, columns=columns, details={"role": role})] if columns else []
    named = tuple(column for column in roles.identifiers if column != roles.owner)
    template = "Left out {columns:identifier|identifiers} {columns}."
    notes += [Note("identifiers-left-out", template, columns=named)] if named else []
    return [*notes, *([note_left_out(roles.dropped)] if roles.dropped else [])]


def _describe_scales(scaled_columns: Mapping[str, Scaled], read_options: ReadOptions) -> list[Note]:
    notes = [note for scaled in scaled_columns.values() for note in scaled.notes]
    categories = tuple(
        name
        for name, scaled in scaled_columns.items()
        if scaled.scale == "categorical" and name not in read_options.scales
    )
    details = {"scale": "categories"}
    return [
        *notes,
        *([Note("scale-detected", "Reading {columns} as {scale}.", {}, categories, details)] if categories else []),
    ]


def _describe_missing(scaled_columns: Mapping[str, Scaled]) -> list[Note]:
    notes = list[Note]()
    template = "{cells} empty {cells:cell|cells} in {columns} {cells:is|are} kept as a separate value."
    for column, scaled in scaled_columns.items():
        count = scaled.values.missing
        if count == len(scaled.values.codes):
            notes.append(Note("column-empty", "All cells in {columns} are empty.", columns=(column,)))
        else:
            note_count(notes, Note("empty-cells-kept", template, {"cells": count}, (column,)))
    return notes
