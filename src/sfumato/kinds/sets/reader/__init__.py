"""Sets of items: what people bought, searched for or had, without order or number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.data.kind import TABLES
from sfumato.data.lists import ListColumn
from sfumato.data.notes import Note
from sfumato.data.record_unit import RECORD, RecordUnit
from sfumato.data.schema import Column, Schema
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.memory import Place, Readable, as_place
from sfumato.kinds.sets.reader.items import (
    Occurrences,
    Pieces,
    detect_separator,
    encode_items,
    flatten_lists,
    format_separator,
    note_duplicates,
    note_nameless,
    split_cells,
    trim_labels,
)
from sfumato.kinds.sets.reader.transactions import (
    Lines,
    parse_amnesia,
    parse_spmf,
    parse_transactions,
)
from sfumato.kinds.sets.reader.values import (
    NAMES,
    WAYS,
    WORDS,
    find_hierarchies,
    note_items,
    read_constraints,
    recognise,
)
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells, Labels, as_text, encode_labels
from sfumato.readers.constraints import resolve_sensitive
from sfumato.readers.files import to_utf8
from sfumato.readers.missing import resolve_missing
from sfumato.readers.notes import ROWS_READ, note_record_column, note_rows
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER, RecordPeople, check_people, correct_role_note, name_records, resolve_unit
from sfumato.readers.partitioned.agreement import note_count
from sfumato.readers.role_errors import refuse_without
from sfumato.readers.roles import assign_roles
from sfumato.readers.sources import Source
from sfumato.readers.tables import first_lines

__all__ = ["read"]

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

_SAMPLED_LINES = 1_000


def read(path: Readable, read_options: ReadOptions) -> Dataset:
    """Read sets of items: one row per person, with each item once.

    Files may be tables with one row per person and item (``person, item``) or with all items of a person in one cell
    or list (``items``, see ``read_options.separator``), or texts with one record per line: FIMI and SPMF transactions,
    SPMF sequences, Amnesia's sets. A format that is ambiguous must be given. Items are text without the spaces
    around them. Items that repeat in a record count once, and records without items are left out; the notes of the
    dataset count them.

    Parameters
    ----------
    path
        The file, possibly packed as ``.gz`` or ``.xz``.
    read_options
        How to read it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "baskets.dat"
    >>> _ = file.write_text("5 7 5\\n\\n7\\n")
    >>> baskets = read(file, ReadOptions("sets"))
    >>> baskets.table.column("person").to_pylist(), baskets.history().lists()
    (['1', '3'], [['5', '7'], ['7']])
    >>> for note in baskets.notes:
    ...     print(note)
    Read 3 lines of baskets.dat.
    Each line is a record, with items separated by spaces.
    Removed 1 duplicate item within records.
    Left out 1 record without items.
    Found 2 records and 3 items of 2 kinds.
    The guarantee counts records, and one person may have several. If a column links records to people, name it:
    columns={'owner': 'NAME'}.
    """
    baskets = _Baskets.of(as_place(path), read_options)
    sets, records, record_people = baskets.arrange(read_options)
    labels = list(sets.labels)
    return Dataset(
        Schema(
            "sets",
            (Column("person", "identifier"), Column("items", "history")),
            resolve_sensitive(read_options.sensitive, labels, baskets.name),
        ),
        pa.table({"person": records, "items": sets.to_arrow()}),
        hierarchies=find_hierarchies(
            read_options,
            baskets.name,
            labels,
            np.bincount(sets.codes, minlength=len(labels)).tolist(),
            baskets.first_numbers(),
        ),
        constraints=read_constraints(read_options, labels, baskets.notes),
        notes=tuple(baskets.notes),
        read_options=read_options.to_dict(),
        unit=record_people.unit,
        people=record_people.people,
    )


class _Baskets(NamedTuple):
    """Items found in a file, with their people and the notes on reading."""

    name: str
    occurrences: Occurrences
    """Each item with its line or row, counted from 0."""
    numbers: Longs
    """The numbers of lines or rows in messages."""
    record: Ints
    """The record of each line or row."""
    records: Cells
    notes: list[Note]
    unit: RecordUnit = RECORD
    people: Labels | None = None
    """The person of each row, where people may have several records."""
    owner: str = ""
    """The column with these people."""

    @classmethod
    def of(cls, path: Place, read_options: ReadOptions) -> _Baskets:
        source = Source(path, read_options)
        name, format = source.name, read_options.format or _detect_format(source)
        if format in TABLES and format != "csv":
            return cls._of_table(source, read_options)
        text = to_utf8(name, source.data, read_options.encoding)
        if not text.strip():
            raise SchemaError(f"{name}: the file is empty.")
        numbered = False
        separator = read_options.separator or read_options.delimiter
        if format == "csv" and read_options.format is None and not (read_options.columns or read_options.header):
            format, mark = recognise(name, first_lines(text, _SAMPLED_LINES), read_options, quoted=b'"' in text)
            numbered = mark is not None
            separator = mark or separator
        if format == "csv":
            return cls._of_table(source, read_options)
        if read_options.columns or read_options.header or read_options.drop:
            raise ParameterError(
                Message(
                    *(option("columns"), ", ", option("header"), " and ", option("drop"), " do not apply to "),
                    *(option("format", format), "."),
                )
            )
        if format == "spmf":
            return cls._of_lines(name, parse_spmf(name, text))
        if format == "amnesia":
            return cls._of_lines(name, parse_amnesia(name, text, separator))
        return cls._of_lines(name, parse_transactions(name, text, separator, numbered=numbered))

    @classmethod
    def _of_lines(cls, name: str, lines: Lines) -> _Baskets:
        count = len(lines.numbers)
        people = pa.array(np.arange(1, count + 1)).cast(pa.string())
        template = "Read {rows} {rows:line|lines} of {file}."
        notes = [Note(ROWS_READ, template, {"rows": count}, details={"file": name}), *lines.notes]
        return cls(name, lines.occurrences, lines.numbers, np.arange(count, dtype=np.int32), people, notes)

    @classmethod
    def _of_table(cls, source: Source, read_options: ReadOptions) -> _Baskets:
        name, table = source.name, source.table()
        columns, role_notes = assign_roles(name, table.column_names, read_options, WORDS)
        notes = [note_rows(name, table.num_rows), *source.notes, *role_notes]
        name, table = resolve_missing(name, table, columns, read_options, notes, ("item",))
        if "transaction" in columns and "person" in columns:
            template = "All items of a person are one set; {columns} is not used."
            notes.append(Note("transactions-joined", template, columns=(columns["transaction"],)))
        elif "transaction" in columns:
            notes.append(note_record_column(columns["transaction"]))
            columns["person"] = columns["transaction"]
        _check_roles(name, columns)
        numbers = np.arange(1, table.num_rows + 1)
        if "person" in columns:
            people = encode_labels(name, columns["person"], table.column(columns["person"]))
        else:
            people = Labels(np.arange(table.num_rows, dtype=np.int32), pa.array(numbers).cast(pa.string()))
            notes.append(Note("no-person-column", "No column names people: each row is a record."))
        column = columns.get("item") or columns["items"]
        cells = table.column(column)
        if "items" in columns or read_options.separator is not None or _is_list(cells):
            pieces = _take_apart(name, column, cells, read_options.separator, notes)
            occurrences = encode_items(f"{name}: column {column!r}", pieces, numbers, "row")
        else:
            _refuse_doubt(name, column, cells, people, read_options)
            occurrences = trim_labels(encode_labels(name, column, cells))
        owner = columns.get(OWNER, "")
        unit = name_records(columns["person"], bool(owner)) if "person" in columns else RECORD
        if "person" in columns:
            correct_role_note(notes, columns["person"], unit)
        record_people = encode_labels(name, owner, table.column(owner)) if owner else None
        return cls(name, occurrences, numbers, people.codes, people.labels, notes, unit, record_people, owner)

    def arrange(self, read_options: ReadOptions) -> tuple[ListColumn, Cells, RecordPeople]:
        """Put the items of each record together, note what was done, and return the sets with their people."""
        occurrences = self.occurrences
        if not len(occurrences.codes):
            raise SchemaError(f"{self.name}: there are no items in the file.", hint="Give a file with items.")
        width = len(occurrences.labels)
        keys = np.sort(self.record[occurrences.holder].astype(np.int64) * width + occurrences.codes)
        keys = keys[np.append(True, keys[1:] != keys[:-1])]
        who, codes = np.divmod(keys, width)
        starts = np.flatnonzero(np.append(True, who[1:] != who[:-1]))
        empty = len(self.records) - len(starts)
        note_count(self.notes, note_nameless(occurrences.skipped))
        note_count(self.notes, note_duplicates(len(occurrences.codes) - len(codes)))
        template = "Left out {records} {records:record|records} without items."
        note_count(self.notes, Note("empty-records-left-out", template, {"records": empty}))
        record_people = self._find_people(who[starts], read_options)
        self.notes.append(note_items(record_people.unit, len(starts), len(codes), width))
        self.notes.extend(record_people.note(len(starts)))
        sets = ListColumn(np.append(starts, len(codes)), codes.astype(np.int32), tuple(occurrences.labels))
        return sets, self.records.take(pa.array(who[starts])), record_people

    def _find_people(self, retained: Longs, read_options: ReadOptions) -> RecordPeople:
        """Return what a record is, and the person of each one that is kept."""
        people = None
        if self.people is not None:
            record = np.full(len(self.records), -1)
            record[retained] = np.arange(len(retained))
            first = np.empty(len(self.records), np.int64)
            first[self.record[::-1]] = np.arange(len(self.record))[::-1]
            people = check_people(self.name, self.owner, record[self.record], self.people, first[retained])
        return resolve_unit(read_options, RecordPeople(self.unit, people))

    def first_numbers(self) -> list[int]:
        """Return the line or row in which each item is first found."""
        first = np.empty(len(self.occurrences.labels), np.int64)
        first[self.occurrences.codes[::-1]] = self.numbers[self.occurrences.holder[::-1]]
        return [int(number) for number in first]


def _detect_format(source: Source) -> str:
    try:
        return source.format
    except SchemaError:
        pass
    raise SchemaError(
        f"{source.name}: the extension is not that of a known format.",
        option="format",
        hint=Message("Give ", option("format"), f": {', '.join(TABLES[1:])}, {WAYS}."),
    )


def _is_list(cells: Cells) -> bool:
    return bool(pa.types.is_list(cells.type) or pa.types.is_large_list(cells.type))


def _take_apart(name: str, column: str, cells: Cells, separator: str | None, notes: list[Note]) -> Pieces:
    """Split cells that hold all items of a row."""
    if _is_list(cells):
        return flatten_lists(name, column, cells)
    text = as_text(name, column, cells).fill_null("")
    mark = separator or detect_separator(f"{name}: column {column!r}", text)
    details = {"separator": format_separator(mark)}
    notes.append(Note("separator", "Items in {columns} are separated by {separator}.", {}, (column,), details))
    return split_cells(text, mark)


def _check_roles(name: str, columns: dict[str, str]) -> None:
    if "item" in columns and "items" in columns:
        first, second = columns["item"], columns["items"]
        raise SchemaError(
            f"{name}: columns {first!r} and {second!r} could both hold the items.",
            column=second,
            hint=Message("Leave one of them out: ", option("drop", [second]), "."),
        )
    for role in ("item", "person"):
        if role not in columns and "items" not in columns:
            raise refuse_without(name, role, NAMES[role])


def _refuse_doubt(name: str, column: str, cells: Cells, people: Labels, read_options: ReadOptions) -> None:
    """Refuse cells that may hold one item or several: nobody has two rows, and cells look like lists."""
    if "item" in read_options.columns or len(people.labels) < len(people.codes) or not _holds_text(cells):
        return
    has_lists = pc.any(pc.match_substring_regex(as_text(name, column, cells), r"[^|;,\t][|;,\t]+[^|;,\t]")).as_py()
    if has_lists:
        raise SchemaError(
            f"{name}: column {column!r} may hold one item or several in a cell, as nobody has two rows.",
            column=column,
            hint=Message(
                *("If a cell is one item: ", option("columns", {"item": column}), ". If it has several, give their "),
                *(option("separator"), "."),
            ),
        )


def _holds_text(cells: Cells) -> bool:
    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
