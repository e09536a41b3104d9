"""Items that share a cell or line, separated and numbered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.notes import Note
from sfumato.exceptions import SchemaError
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.messages import Message, option
from sfumato.readers.cells import LONGEST_LABEL, Cells, Labels, as_text, marks

__all__ = [
    "Occurrences",
    "Pieces",
    "detect_separator",
    "encode_items",
    "flatten_lists",
    "format_separator",
    "note_duplicates",
    "note_nameless",
    "rename_items",
    "split_cells",
    "trim_labels",
]

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

_MARKS = ("|", ";", ",", "\t")


class Pieces(NamedTuple):
    """What cells were split into, in order, some of them perhaps blank.

    Examples
    --------
    >>> pieces = split_cells(pa.array(["milk;bread", "", "milk;"]), ";")
    >>> pieces.holder.tolist(), pieces.items.to_pylist()
    ([0, 0, 1, 2, 2], ['milk', 'bread', '', 'milk', ''])
    """

    holder: Longs
    """The cell each piece comes from, counted from 0."""
    items: Cells


class Occurrences(NamedTuple):
    """Items by code, each with the cell that holds it."""

    holder: Longs
    codes: Ints
    labels: list[str]
    """Numbered by first appearance."""
    skipped: int
    """Pieces without a name that were not the last of their cell."""


def format_separator(mark: str) -> str:
    """Name a separator in a sentence.

    Examples
    --------
    >>> format_separator(";"), format_separator(" ")
    ("';'", 'spaces')
    """
    return {" ": "spaces", "\t": "tabs"}.get(mark, repr(mark))


def note_duplicates(items: int) -> Note:
    """Note how many items repeat in a set.

    Examples
    --------
    >>> str(note_duplicates(1))
    'Removed 1 duplicate item within records.'
    """
    template = "Removed {items} duplicate {items:item|items} within records."
    return Note("duplicate-items-removed", template, {"items": items})


def note_nameless(items: int) -> Note:
    """Note how many items are blank."""
    return Note("empty-items-left-out", "Left out {items} empty {items:item|items}.", {"items": items})


def detect_separator(owner: str, cells: Cells) -> str:
    """Return the one separator that the cells have, or refuse cells with several.

    Examples
    --------
    >>> detect_separator("baskets.csv", pa.array(["whole milk|bread", "wine"]))
    '|'
    >>> detect_separator("baskets.csv", pa.array(["whole milk"]))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: baskets.csv: items may be separated by spaces, or have spaces in them. Give the
    separator: separator='space'.
    """
    separators = [mark for mark in _MARKS if pc.any(pc.match_substring(cells, mark)).as_py()]
    if len(separators) == 1:
        return separators[0]
    if separators:
        several = " or by ".join(map(format_separator, separators))
        raise SchemaError(
            f"{owner}: items may be separated by {several}.",
            option="separator",
            hint=Message("Give the separator: ", option("separator", separators[0]), "."),
        )
    if not pc.any(pc.match_substring_regex(cells, r"\S\s+\S")).as_py():
        return ";"  # there is nothing to separate
    if pc.all(pc.match_substring_regex(cells, r"^[\d\s]*$")).as_py():
        return " "
    raise SchemaError(
        f"{owner}: items may be separated by spaces, or have spaces in them.",
        option="separator",
        hint=Message("Give the separator: ", option("separator", "space"), "."),
    )


def split_cells(cells: Cells, separator: str) -> Pieces:
    """Split cells of text; several spaces count as one, and so do spaces mixed with tabs.

    Examples
    --------
    >>> split_cells(pa.array(["1  2 ", "3"]), " ").items.to_pylist()
    ['1', '2', '3']
    """
    text = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    text = text.cast(pa.large_string())
    # A split of large text gives lists with small offsets, so parts keep them below two thousand million.
    parts = [
        pc.ascii_split_whitespace(pc.ascii_trim_whitespace(part))
        if separator == " "
        else pc.split_pattern(part, separator)
        for part in _cut_into_parts(text)
    ]
    lengths = np.concatenate([np.zeros(0, np.int64), *(pc.list_value_length(part).to_numpy() for part in parts)])
    flat = pa.concat_arrays([pa.array([], pa.large_string()), *(part.flatten() for part in parts)])
    return Pieces(np.repeat(np.arange(len(text)), lengths), flat)


def _cut_into_parts(text: Cells, most: int = 1 << 30) -> list[Cells]:
    parts, start = [], 0
    ends = np.cumsum(pc.binary_length(text).to_numpy())
    while start < len(text):
        stop = max(start + 1, int(np.searchsorted(ends, (ends[start - 1] if start else 0) + most, side="right")))
        parts.append(text.slice(start, stop - start))
        start = stop
    return parts


def flatten_lists(owner: str, name: str, column: Cells) -> Pieces:
    """Return the entries of a list column as pieces; a missing list has none.

    Examples
    --------
    >>> flatten_lists("baskets.jsonl", "items", pa.chunked_array([[["a", "b"], None, ["a"]]])).holder.tolist()
    [0, 0, 2]
    """
    lists = pa.concat_arrays(column.chunks)
    lengths = pc.list_value_length(lists).fill_null(0).to_numpy()
    flat = as_text(owner, name, pa.chunked_array([lists.flatten()])).cast(pa.large_string())
    items = pa.concat_arrays(flat.chunks)
    return Pieces(np.repeat(np.arange(len(lists)), lengths), items)


def encode_items(owner: str, pieces: Pieces, numbers: Longs, unit: str) -> Occurrences:
    """Number the items by first appearance; pieces that are blank are no items.

    Parameters
    ----------
    owner
        Of an error.
    pieces
        The items as text.
    numbers, unit
        What errors call each cell: ``line`` 7 or ``row`` 7.

    Examples
    --------
    >>> pieces = split_cells(pa.array(["b, a", "", " b,,c"]), ",")
    >>> encode_items("baskets.txt", pieces, np.array([1, 2, 3]), "line")
    Occurrences(holder=array([0, 0, 2, 2]), codes=array([0, 1, 0, 2], dtype=int32), labels=['b', 'a', 'c'], skipped=1)
    """
    encoded = pieces.items.dictionary_encode()
    raw = encoded.indices.fill_null(-1).to_numpy().astype(np.int64)
    trimmed: Cells = pc.utf8_trim_whitespace(encoded.dictionary).dictionary_encode()
    distinct = trimmed.dictionary
    same = np.append(trimmed.indices.to_numpy(), len(distinct)).astype(np.int64)  # the last one stands for nothing
    codes = same[raw]
    for wrong, rule in (
        (pc.utf8_length(distinct).to_numpy() > LONGEST_LABEL, f"have at most {LONGEST_LABEL:,} characters"),
        (marks(pc.match_substring(distinct, "\0")), "hold no NUL character"),
    ):
        if wrong.any():
            rows = numbers[pieces.holder[np.append(wrong, False)[codes]]].tolist()
            where = name_rows(rows, unit)
            raise SchemaError(
                f"{owner}: an item must {rule}; look at {where}.", rows=select_shown(rows), hint="Correct the data."
            )
    named = np.append(marks(pc.not_equal(distinct, pa.scalar("", pa.large_string()))), False)
    is_item = named[codes]
    followed = np.append(pieces.holder[1:] == pieces.holder[:-1], False)
    order = np.cumsum(named) - 1
    return Occurrences(
        pieces.holder[is_item],
        order[codes[is_item]].astype(np.int32),
        distinct.filter(pa.array(named[:-1])).to_pylist(),
        int((~is_item & followed).sum()),
    )


def trim_labels(labels: Labels) -> Occurrences:
    """Take labels, one per cell, as items; those that differ by spaces around them are one.

    Examples
    --------
    >>> trim_labels(Labels(np.array([0, 1, 2], np.int32), pa.array(["b", "a", " b "]))).codes.tolist()
    [0, 1, 0]
    """
    trimmed: Cells = pc.utf8_trim_whitespace(labels.labels).dictionary_encode()
    codes = trimmed.indices.to_numpy().astype(np.int32)[labels.codes]
    return Occurrences(np.arange(len(codes)), codes, trimmed.dictionary.to_pylist(), 0)


def rename_items(owner: str, occurrences: Occurrences, names: Sequence[tuple[str, str]]) -> Occurrences:
    """Give items the names that a file has for them; no two may have the same.

    Examples
    --------
    >>> given = Occurrences(np.array([0, 1]), np.array([0, 1], np.int32), ["1", "2"], 0)
    >>> rename_items("baskets.txt", given, [("2", "bread")]).labels
    ['1', 'bread']
    """
    called = dict(names)
    labels = [called.get(label, label) for label in occurrences.labels]
    if len(set(called.values())) < len(names) or len(set(labels)) < len(labels):
        raise SchemaError(
            f"{owner}: two @ITEM lines give the same name, or one that is an item.", hint="Give each item its own name."
        )
    return occurrences._replace(labels=labels)
