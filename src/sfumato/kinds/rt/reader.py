"""Tables with sets: a column of items beside attributes, or a table and a file of items."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn, distinct
from sfumato.data.notes import Note
from sfumato.data.schema import Schema
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.memory import Readable, as_place
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.hierarchies.rules import derive_hierarchy
from sfumato.kinds.rt.dataset import HIERARCHY, ITEMS, attach_items
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
)
from sfumato.kinds.table.reader import read_attributes, read_file
from sfumato.kinds.table.reader.detect import detect_roles
from sfumato.kinds.table.reader.partitioned import doubt_merged_identifiers, find_person_column
from sfumato.kinds.table.reader.roles import name_columns
from sfumato.messages import Message, option
from sfumato.readers.cells import as_text, encode_labels
from sfumato.readers.constraints import resolve_sensitive
from sfumato.readers.detect import Detection, FileProfile
from sfumato.readers.hierarchies import read_hierarchy
from sfumato.readers.notes import ROLE, SUMMARY, note_role, note_rows
from sfumato.readers.options import ReadOptions
from sfumato.readers.partitioned.agreement import note_count
from sfumato.readers.partitioned.reading import All, PartitionedReading, ReadWhole
from sfumato.readers.protection import choose_l, list_sensitive, share_with_sensitive

__all__ = ["PARTITIONED_READING", "detect", "protect", "read"]

Longs = npt.NDArray[np.int64]


def read(path: Readable, read_options: ReadOptions) -> Dataset:
    """Read a table whose rows have a set of items each: CSV, Parquet or JSON lines.

    Attributes are read as those of a table: every column needs a role. The items of a person are in one cell
    (``items``, separated by ``separator``), or in another file (``item_file``), in which an identifier of the table
    names people. Items that repeat in a set count once; a person may have none.

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
    >>> _ = file.write_text("name,age,products\\nAnn,30,wine|bread\\nBob,40,\\n")
    >>> options = ReadOptions("rt", identifier=("name",), quasi=("age",), items="products")
    >>> people = read(file, options)
    >>> people.table.to_pydict()
    {'age': ['30', '40'], 'items': [['wine', 'bread'], []]}
    >>> for note in people.notes:
    ...     print(note)
    Read 2 rows of people.csv.
    Reading `age` as quasi-identifier.
    Left out identifier `name`.
    Reading `age` as whole numbers.
    Reading `products` as items, separated by '|'.
    Found 2 items of 2 kinds; 1 person has none.
    """
    file = as_place(path)
    table = read_file(file, read_options)
    column = _find_column(file.name, table, read_options)
    tree = read_options.hierarchies.get(HIERARCHY)
    others = {name: given for name, given in read_options.hierarchies.items() if name != HIERARCHY}
    about = dataclasses.replace(read_options, hierarchies=others)
    attributes = read_attributes(file.name, table, about, taken=() if column is None else (column,))
    cells = attributes.cells
    items = (
        _read_beside(file.name, cells, read_options)
        if column is None
        else _read_column(file.name, cells, column, read_options)
    )
    if not len(items.sets.codes):
        raise SchemaError(
            f"{items.owner}: no record has an item.",
            option="items",
            hint=Message("Name the column with items: ", option("items", "COLUMN"), ", or read the file as a table."),
        )
    saved_options = dataclasses.replace(read_options, scales=attributes.scales).to_dict()
    plain = Dataset(
        Schema("table", attributes.columns),
        attributes.table,
        hierarchies=attributes.hierarchies,
        read_options=saved_options,
        unit=attributes.record_people.unit,
        people=attributes.record_people.people,
        doubts=attributes.doubts,
    )
    labels = list(items.sets.labels)
    made = attach_items(
        plain, items.sets, resolve_sensitive(read_options.sensitive_items, labels, items.owner, "sensitive-items")
    )
    trees = {**made.hierarchies, **_find_tree(tree, items, read_options.hierarchy_root)}
    notes = (note_rows(file.name, table.num_rows), *attributes.notes, *items.notes, _count(made.history()))
    return dataclasses.replace(made, hierarchies=trees, notes=notes)


def detect(preview: FileProfile) -> Detection | None:
    """Take tables for people with items where a column holds lists of labels that return in other rows.

    Examples
    --------
    >>> cells = {"age": ["30", "40", "50"] * 3, "sex": ["f", "m", "f"] * 3, "items": ["a|b", "b|c|a", "c"] * 3}
    >>> found = detect(FileProfile.of_table("a.csv", pa.table(cells)))
    >>> found.options["items"], found.options["separator"], found.options["quasi"]
    ('items', '|', ['age', 'sex'])
    """
    lists = {name: mark for name in preview.columns if (mark := _find_separator(preview, name)) is not None}
    if len(lists) != 1 or preview.rows is None:
        return None
    (column, mark), *_ = lists.items()
    others = dataclasses.replace(preview, lines=(), rows=preview.rows.drop_columns([column]))
    options, reasons = detect_roles(others)
    if weight := options.pop("weight", None):  # measures of tables with sets count records
        options["drop"] = [*options.get("drop", ()), weight]
    if not options.get("quasi"):
        return None
    reasons.insert(
        0, f"Cells of `{column}` hold several labels, separated by {format_separator(mark)}: the items of a person."
    )
    options |= {"items": column, "separator": mark, "hierarchies": {HIERARCHY: "fanout:5"}}
    return Detection("rt", 68, options, reasons, "rfirst", {"k": 5, "m": 2})


def protect(detection: Detection, dataset: Dataset) -> Detection:
    """Bound how many of those who match have a sensitive item, and warn that nothing is promised about columns."""
    columns = [column.name for column in list_sensitive(dataset)]
    if columns:
        names = ", ".join(f"`{name}`" for name in columns)
        detection = detection.warn(
            Message(
                f"No guarantee covers sensitive columns of tables with sets: {names} would be published unchanged. "
                "Leave it out: ",
                option("drop", columns),
                ". Or publish the table without its items.",
            )
        )
    if not dataset.schema.sensitive:
        return detection
    share = share_with_sensitive(dataset)
    if choose_l(share) is None:
        return detection.warn(
            f"No l fits: {100 * share:.0f} % of the records have the same sensitive item. Name rarer items."
        )
    return detection.add("Of the records that match, at most 1 of 2 has a sensitive item (l).", l=2)


def _find_separator(preview: FileProfile, name: str) -> str | None:
    """Return what separates labels in the cells of a column, if most hold several and labels return."""
    if preview.columns[name].shape != "text" or preview.rows is None:
        return None
    cells = [cell for cell in preview.rows.column(name).slice(0, 500).cast(pa.string()).to_pylist() if cell]
    for mark in ("|", ";", ","):
        parts = [cell.split(mark) for cell in cells]
        labels = [label.strip() for part in parts for label in part]
        several = sum(len(part) > 1 for part in parts)
        if (
            several > 0.3 * len(cells)
            and len({len(part) for part in parts}) > 1
            and len(set(labels)) < 0.5 * len(labels)
        ):
            return mark
    return None


class _Items(NamedTuple):
    """The sets of all rows, their file, and notes on them."""

    owner: str
    sets: ListColumn
    rows: list[int]
    """A row of the file in which each item stands, for messages."""
    notes: tuple[Note, ...]


def _find_column(name: str, table: pa.Table, read_options: ReadOptions) -> str | None:
    """Return the column of items; None if they are in a file of their own."""
    if read_options.item_file is not None:
        return None
    column = read_options.items or ITEMS
    if column in table.column_names:
        return column
    if read_options.items is None:
        raise ParameterError(
            f"{name}: no column is called {ITEMS!r}.",
            option="items",
            hint=Message(
                *("Name the column with items: ", option("items", "COLUMN"), ", or the file with them: "),
                *(option("item_file", "FILE"), "."),
            ),
        )
    raise _refuse_column(name, column)


def _read_column(name: str, table: pa.Table, column: str, read_options: ReadOptions) -> _Items:
    """Read items that stand in one cell of the table, or in a list."""
    cells = table.column(column)
    if pa.types.is_list(cells.type) or pa.types.is_large_list(cells.type):
        pieces, separator = flatten_lists(name, column, cells), ""
    else:
        texts = pc.fill_null(as_text(name, column, cells).cast(pa.large_string()), "")
        mark = read_options.separator or detect_separator(name, texts)
        pieces, separator = split_cells(texts, mark), format_separator(mark)
    occurrences = encode_items(name, pieces, np.arange(1, table.num_rows + 1), "row")
    template = "Reading {columns} as items" + (", separated by {separator}." if separator else ".")
    note = Note(ROLE, template, columns=(column,), details={"role": ITEMS, "separator": separator})
    return _collect_items(name, occurrences, occurrences.holder, table.num_rows, [note])


def _read_beside(name: str, table: pa.Table, read_options: ReadOptions) -> _Items:
    """Read items of another file, in which an identifier of the table says whose they are."""
    file = Path(read_options.item_file or "")
    beside = read_file(file, dataclasses.replace(read_options, format=None, header=(), delimiter=None))
    named = [
        column for column in name_columns(read_options.identifier, table.column_names) if column in table.column_names
    ]
    keys = [column for column in named if column in beside.column_names]
    if len(keys) != 1:
        raise SchemaError(
            f"{file.name}: one identifier of {name} must be a column here, to link items to people; found {len(keys)}.",
            option="identifier",
            hint=Message("Name it: ", option("identifier", ["COLUMN"]), "."),
        )
    column = read_options.items or _only_other(file.name, beside, keys[0])
    if column not in beside.column_names:
        raise _refuse_column(file.name, column)
    row, missing = _match(name, table.column(keys[0]), file.name, beside.column(keys[0]), keys[0])
    cells = pc.fill_null(as_text(file.name, column, beside.column(column)).cast(pa.large_string()), "")
    if read_options.separator:
        pieces = split_cells(cells, read_options.separator)
    else:
        pieces = Pieces(np.arange(len(cells)), pa.concat_arrays(cells.chunks) if cells.num_chunks else cells)
    occurrences = encode_items(file.name, pieces, np.arange(1, beside.num_rows + 1), "row")
    how = f"separated by {format_separator(read_options.separator)}" if read_options.separator else "one in each row"
    notes = [
        note_rows(file.name, beside.num_rows),
        Note(ROLE, "Reading {columns} as items, {how}.", columns=(column,), details={"role": ITEMS, "how": how}),
        note_role(keys[0], "person"),
    ]
    if missing:
        template = "{people} {people:person has|people have} no rows in {file}, and so no items."
        notes.append(Note("people-without-rows", template, {"people": missing}, details={"file": file.name}))
    return _collect_items(file.name, occurrences, row[occurrences.holder], table.num_rows, notes)


def _only_other(name: str, table: pa.Table, key: str) -> str:
    others = [column for column in table.column_names if column != key]
    if len(others) == 1:
        return str(others[0])
    raise ParameterError(
        f"{name}: the column with items is not named, and there are {len(others)}.",
        option="items",
        hint=Message("Name it: ", option("items", "COLUMN"), "."),
    )


def _refuse_column(name: str, column: str) -> SchemaError:
    return SchemaError(
        f"{name}: there is no column {column!r} with items.", option="items", column=column, hint="Check the name."
    )


def _match(name: str, people: pa.ChunkedArray, file: str, owners: pa.ChunkedArray, key: str) -> tuple[Longs, int]:
    """Return the row of the table of every row of the item file, and how many people have none there."""
    identifiers = encode_labels(name, key, people)
    if len(identifiers.labels) < len(identifiers.codes):
        seen: dict[int, int] = {}
        again = [row for row, code in enumerate(identifiers.codes.tolist(), 1) if seen.setdefault(code, row) != row]
        raise SchemaError(
            f"{name}: column {key!r} must name every person once, to link items to people; it repeats in "
            f"{name_rows(again)}.",
            column=key,
            rows=select_shown(again),
            hint="Join the rows of a person, or use another identifier.",
        )
    place = {label: row for row, label in enumerate(identifiers.labels.take(pa.array(identifiers.codes)).to_pylist())}
    given = encode_labels(file, key, owners)
    at = np.array([place.get(label, -1) for label in given.labels.to_pylist()], np.int64)
    row = at[given.codes]
    strange = np.flatnonzero(row < 0)
    if len(strange):
        raise SchemaError(
            f"{file}: {len(strange):,} rows are of people who are not in {name} ({name_rows((strange + 1).tolist())}).",
            column=key,
            rows=select_shown((strange + 1).tolist()),
            hint="Add these people to the table, or remove the rows.",
        )
    return row, len(people) - len(np.unique(row))


def _collect_items(owner: str, occurrences: Occurrences, row: Longs, rows: int, notes: list[Note]) -> _Items:
    """Put items together row by row, each once."""
    width = max(len(occurrences.labels), 1)
    keys = distinct(row.astype(np.int64) * width + occurrences.codes)
    offsets = np.searchsorted(keys, np.arange(rows + 1) * width).astype(np.int64)
    repeated = len(occurrences.codes) - len(keys)
    first = np.zeros(width, np.int64)
    first[occurrences.codes[::-1]] = occurrences.holder[::-1] + 1
    note_count(notes, note_duplicates(repeated))
    note_count(notes, note_nameless(occurrences.skipped))
    sets = ListColumn(offsets, (keys % width).astype(np.int32), tuple(occurrences.labels))
    return _Items(owner, sets, first[: len(occurrences.labels)].tolist(), tuple(notes))


def _find_tree(given: str | None, items: _Items, root: str | None) -> dict[str, Hierarchy]:
    if given is None:
        return {}
    labels = list(items.sets.labels)
    tree = derive_hierarchy(given, labels, None) or read_hierarchy(given, root=root)
    tree.require(labels, f"{items.owner}: hierarchy of item", items.rows)
    return {HIERARCHY: tree}


def _count(sets: ListColumn) -> Note:
    return _describe_items(len(sets.codes), len(sets.labels), int((sets.lengths == 0).sum()))


def _describe_items(items: int, kinds: int, without: int) -> Note:
    template = "Found {items} {items:item|items} of {kinds} {kinds:kind|kinds}" + (
        "; {without} {without:person has|people have} none." if without else "."
    )
    return Note(SUMMARY, template, {"items": items, "kinds": kinds, "without": without})


def _find_person_column(names: Sequence[str], read_options: ReadOptions) -> str | None:
    if read_options.item_file is not None:
        raise ReadWhole("items are in a file of their own")
    return find_person_column(names, _relax(read_options))


def _finish(summary: All, read_options: ReadOptions) -> tuple[Dataset, list[Note]]:
    """Add which items are sensitive, and what they can be generalised to."""
    data = doubt_merged_identifiers(summary)
    labels = list(data.view_history().labels)
    sensitive = resolve_sensitive(read_options.sensitive_items, labels, summary.name, "sensitive-items")
    nothing = ListColumn(np.zeros(1, np.int64), np.zeros(0, np.int32), tuple(labels))
    items = _Items(summary.name, nothing, [1] * len(labels), ())
    trees = {
        **data.hierarchies,
        **_find_tree(read_options.hierarchies.get(HIERARCHY), items, read_options.hierarchy_root),
    }
    schema = dataclasses.replace(data.schema, sensitive=sensitive)
    return dataclasses.replace(data, schema=schema, hierarchies=trees), []


def _summarise(summary: All, notes: Sequence[Sequence[Note]]) -> dict[str, Note | None]:
    """Note how many there are of everything."""
    without = sum(note.counts["without"] for bucket in notes for note in bucket if note.code == SUMMARY)
    return {SUMMARY: _describe_items(int(summary.survey.counts.sum()), len(summary.survey.counts), without)}


def _relax(read_options: ReadOptions) -> ReadOptions:
    others = {name: given for name, given in read_options.hierarchies.items() if name != HIERARCHY}
    return dataclasses.replace(read_options, sensitive_items=(), hierarchies=others)


PARTITIONED_READING = PartitionedReading(
    _find_person_column, lambda _sample, _read_options: True, _finish, _summarise, _relax
)
