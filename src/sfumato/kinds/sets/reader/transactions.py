"""Sets of items as text with one record per line: FIMI and SPMF transactions, SPMF sequences, Amnesia's sets."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.notes import Note
from sfumato.exceptions import SchemaError
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.kinds.sets.reader.items import (
    Occurrences,
    Pieces,
    detect_separator,
    encode_items,
    format_separator,
    rename_items,
    split_cells,
)
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells, marks
from sfumato.readers.layouts import is_spmf

__all__ = [
    "Lines",
    "is_spmf_text",
    "parse_amnesia",
    "parse_spmf",
    "parse_transactions",
    "recognise_separator",
]

Longs = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]

_NAMES = ("@ITEM=", "@CONVERTED_FROM")
_NUMBER = re.compile(r"\d+", re.ASCII)
_MARK = r"^(-1|-2|<-?\d+>)$"


class Lines(NamedTuple):
    """The records of a text, blank ones included, with notes on them."""

    occurrences: Occurrences
    """Each item with its record, counted from 0."""
    numbers: Longs
    """The line of each record."""
    notes: list[Note]


def recognise_separator(lines: Sequence[str]) -> str | None:
    """Return what separates the items where lines can only be records of numbered items.

    They are if they differ in length, as the rows of a table do not, or if every one ends with a separator.

    Examples
    --------
    >>> recognise_separator(["3 7", "4", "3 4 9"]), recognise_separator(["63,", "3,8,24,"])
    (' ', ',')
    >>> recognise_separator(["1 2", "1 3"]) is None, recognise_separator(["person,item", "1,2"]) is None
    (True, True)
    """
    for mark in (",", ";", "|", "\t", " "):
        rows = [line.split() if mark == " " else line.strip(" ").split(mark) for line in lines if line.strip()]
        closed = mark != " " and all(row[-1] == "" for row in rows)
        rows = [row[:-1] if row[-1] == "" else row for row in rows]
        numbered = all(_NUMBER.fullmatch(cell.strip()) for row in rows for cell in row)
        if rows and numbered and (closed or len({len(row) for row in rows}) > 1):
            return mark
    return None


def parse_transactions(name: str, text: bytes, separator: str | None = None, *, numbered: bool = False) -> Lines:
    """Read one record per line, with the names that ``@ITEM=1=apple`` lines give to items.

    Parameters
    ----------
    name
        Of the file, for error messages.
    text
        Its content, in UTF-8.
    separator
        Between two items; one may also end the line. Without it, the only one that the file has. Quotes work as
        in CSV unless items are separated by spaces.
    numbered
        Whether items that are no numbers are refused.

    Examples
    --------
    >>> lines = parse_transactions("baskets.dat", b"@ITEM=5=milk\\n5 7 \\n\\n7\\n")
    >>> occurrences = lines.occurrences
    >>> occurrences.codes.tolist(), occurrences.labels, occurrences.holder.tolist(), lines.numbers.tolist()
    ([0, 1, 1], ['milk', '7'], [0, 0, 2], [2, 3, 4])
    """
    cells, numbers = _cut_lines(text)
    named, rest = _find_names(name, cells, numbers)
    cells, numbers = cells.filter(pa.array(rest)), numbers[rest]
    mark = _detect_separator_of_lines(name, cells) if separator is None else separator
    pieces = _split_quoted(name, cells, numbers, mark) if mark != " " and b'"' in text else split_cells(cells, mark)
    occurrences = encode_items(name, pieces, numbers, "line")
    if numbered:
        strange = [code for code, label in enumerate(occurrences.labels) if not _NUMBER.fullmatch(label)]
        hint = Message("If other items are right: ", option("format", "transactions"), ".")
        wrong = numbers[occurrences.holder[np.isin(occurrences.codes, strange)]]
        _refuse(name, wrong, "hold numbered items, as the first lines do", hint)
    template = "Each line is a record, with items separated by {separator}."
    notes = [Note("record-per-line", template, details={"separator": format_separator(mark)})]
    return Lines(rename_items(name, occurrences, named), numbers, notes)


def parse_spmf(name: str, text: bytes) -> Lines:
    """Read SPMF text: transactions ``1 3 4``, or sequences ``1 -1 3 4 -1 -2`` whose order and times do not matter.

    Lines that start with ``#``, ``%`` or ``@`` are no records.

    Examples
    --------
    >>> lines = parse_spmf("baskets.txt", b"@ITEM=1=apple\\n<1> 1 -1 <2> 2 3 -1 -2\\n-2\\n")
    >>> lines.occurrences.labels, lines.numbers.tolist()
    (['apple', '2', '3'], [2, 3])
    """
    cells, numbers = _cut_lines(text)
    named, _ = _find_names(name, cells, numbers)
    rest = ~marks(pc.match_substring_regex(cells, r"^([@#%]|\s*$)"))
    cells, numbers = cells.filter(pa.array(rest)), numbers[rest]
    occurrences = encode_items(name, split_cells(cells, " "), numbers, "line")
    labels = pa.array(occurrences.labels, pa.string())
    signs = marks(pc.match_substring_regex(labels, _MARK))
    strange = ~signs & ~marks(pc.match_substring_regex(labels, r"^\d+$"))
    _refuse(
        name, numbers[occurrences.holder[strange[occurrences.codes]]], "may only hold item numbers, <times>, -1 and -2"
    )
    notes = [Note("record-per-line", "Each line is a record (SPMF).")]
    if signs.any():
        _check_ends(name, occurrences, numbers)
        notes = [Note("spmf-sequences", "Each line is a sequence (SPMF), read as a set without order and times.")]
    is_item = ~signs[occurrences.codes]
    order = np.cumsum(~signs) - 1
    occurrences = Occurrences(
        occurrences.holder[is_item],
        order[occurrences.codes[is_item]].astype(np.int32),
        [label for label, sign in zip(occurrences.labels, signs, strict=True) if not sign],
        0,
    )
    return Lines(rename_items(name, occurrences, named), numbers, notes)


def parse_amnesia(name: str, text: bytes, separator: str | None = None) -> Lines:
    """Read a header line, which is left out, and then one record per line: ``a1|b1|b2``.

    Without a separator it is ``|``, or the only one there is if there is no ``|``.

    Examples
    --------
    >>> lines = parse_amnesia("codes.txt", b"codes\\na1|b1|b2\\nb1\\n")
    >>> lines.occurrences.labels, lines.numbers.tolist()
    (['a1', 'b1', 'b2'], [2, 3])
    """
    cells, numbers = _cut_lines(text)
    cells, numbers = cells.slice(1), numbers[1:]
    if not len(cells):
        raise SchemaError(f"{name}: there are no records, only a header.", hint="Give a file with records.")
    mark = separator or ("|" if pc.any(pc.match_substring(cells, "|")).as_py() else detect_separator(name, cells))
    occurrences = encode_items(name, split_cells(cells, mark), numbers, "line")
    notes = [
        Note("header-line", "The first line is a header."),
        Note(
            "record-per-line",
            "Each other line is a record, with items separated by {separator}.",
            details={"separator": format_separator(mark)},
        ),
    ]
    return Lines(occurrences, numbers, notes)


def is_spmf_text(lines: Sequence[str]) -> bool:
    """Return whether lines are SPMF sequences, or have items named as SPMF does.

    Examples
    --------
    >>> is_spmf_text(["@ITEM=1=apple", "1 2"]), is_spmf_text(["1 2"])
    (True, False)
    """
    return is_spmf(lines) or any(line.startswith(_NAMES) for line in lines)


def _cut_lines(text: bytes) -> tuple[Cells, Longs]:
    """Return the lines as Arrow text that shares the bytes, line ends included, and their numbers."""
    text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n")
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n")) + 1
    offsets = np.concatenate([[0], ends, [len(text)]]).astype(np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(text)]
    return pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers), np.arange(1, len(offsets))


def _find_names(name: str, cells: Cells, numbers: Longs) -> tuple[list[tuple[str, str]], Marks]:
    """Return the names of items, and which lines are records and not about names."""
    about = marks(pc.match_substring_regex(cells, f"^({'|'.join(_NAMES)})"))
    named: list[tuple[str, str]] = []
    wrong = []
    for line, number in zip(cells.filter(pa.array(about)).to_pylist(), numbers[about].tolist(), strict=True):
        if line.startswith("@ITEM="):
            code, _, label = line.removeprefix("@ITEM=").partition("=")
            named.append((code.strip(), label.strip()))
            wrong += [number] if not code.strip() or not label.strip() else []
    _refuse(name, np.array(wrong, np.int64), "name an item as @ITEM=1=apple does")
    if len({code for code, _ in named}) < len(named):
        raise SchemaError(f"{name}: two @ITEM lines name the same item.", hint="Remove one of them.")
    return named, ~about


def _detect_separator_of_lines(name: str, cells: Cells) -> str:
    if not pc.any(pc.match_substring_regex(cells, r"[|;,\t]")).as_py():
        return " "
    mark = detect_separator(name, cells)
    if pc.any(pc.match_substring_regex(cells, rf"[^\s{re.escape(mark)}] +[^\s{re.escape(mark)}]")).as_py():
        raise SchemaError(
            f"{name}: items may be separated by spaces or by {format_separator(mark)}.",
            option="separator",
            hint=Message("Give the separator: ", option("separator", mark), " or ", option("separator", "space"), "."),
        )
    return mark


def _split_quoted(name: str, cells: Cells, numbers: Longs, separator: str) -> Pieces:
    """Split lines as CSV does; slower, so only where there are quotes."""
    counts, items = [], []
    for line, number in zip(cells.to_pylist(), numbers.tolist(), strict=True):
        try:
            row = next(csv.reader([line.strip("\n ")], delimiter=separator, strict=True, skipinitialspace=True), [])
        except csv.Error:
            raise SchemaError(
                f"{name}: line {number} has a quote that is not closed, or a cell that is too long.",
                rows=(number,),
                hint="Write a quote inside a quoted item twice.",
            ) from None
        counts.append(len(row))
        items += row
    return Pieces(np.repeat(np.arange(len(counts)), counts), pa.array(items, pa.large_string()))


def _check_ends(name: str, occurrences: Occurrences, numbers: Longs) -> None:
    end = occurrences.labels.index("-2") if "-2" in occurrences.labels else -1
    at = np.flatnonzero(occurrences.codes == end)
    last = np.append(occurrences.holder[1:] != occurrences.holder[:-1], True)
    ended = np.zeros(len(numbers), bool)
    ended[occurrences.holder[at[last[at]]]] = True
    wrong = np.concatenate([numbers[~ended], numbers[occurrences.holder[at[~last[at]]]]])
    _refuse(name, wrong, "end with -2 and have no other")


def _refuse(name: str, lines: Longs, rule: str, hint: str = "Correct the file.") -> None:
    if len(lines):
        rows = lines.tolist()
        where = name_rows(rows, "line")
        raise SchemaError(f"{name}: a line must {rule}; look at {where}.", rows=select_shown(rows), hint=hint)
