"""Cells of an attribute as distinct values without spaces around them, and which of them are missing."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.exceptions import SchemaError
from sfumato.hierarchies.build import name_rows
from sfumato.kinds.table.dataset import MISSING
from sfumato.messages import Message, option
from sfumato.readers.cells import LONGEST_LABEL, Cells, holds_values, list_marked, marks, name_failing, name_marked

__all__ = ["Values", "encode_values"]

Codes = npt.NDArray[np.int32]
Marks = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True, eq=False)
class Values:
    """A column as its distinct values, numbered by first appearance.

    Parameters
    ----------
    file, name
        Of the file and the column, for messages.
    texts
        The values, an Arrow array of strings, without the missing one.
    codes
        Value of every row; -1 where it is missing.

    Examples
    --------
    >>> ages = encode_values("people.csv", "age", pa.chunked_array([[" 30", "?", "30", ""]]), ("?",))
    >>> ages.texts.to_pylist(), ages.codes.tolist(), ages.missing
    (['30'], [0, -1, 0, -1], 2)
    """

    file: str
    name: str
    texts: Cells
    codes: Codes

    @property
    def missing(self) -> int:
        """How many cells have no value."""
        return int((self.codes < 0).sum())

    def first_rows(self) -> npt.NDArray[np.int64]:
        """Return the row, from 1, in which every value is found first."""
        first = np.zeros(len(self.texts) + 1, np.int64)
        first[self.codes[::-1]] = np.arange(len(self.codes), 0, -1)
        return first[:-1]

    def name_rows(self, marked: Marks) -> str:
        """Name rows that hold one of the marked values, at most five.

        Examples
        --------
        >>> ages = encode_values("people.csv", "age", pa.chunked_array([["30", "?", "30"]]))
        >>> ages.name_rows(np.array([True, False]))
        'rows 1, 3'
        """
        return name_rows((np.flatnonzero(np.append(marked, False)[self.codes]) + 1).tolist())

    def refuse(self, rule: str, marked: Marks, hint: str) -> NoReturn:
        """Refuse values that break a rule, naming their rows."""
        failing = np.append(marked, False)[self.codes]
        raise SchemaError(
            f"{self.file}: column {self.name!r} {rule}; {name_failing(failing)}.",
            column=self.name,
            rows=list_marked(failing),
            hint=hint,
        )

    def refuse_missing(self) -> NoReturn:
        """Refuse a column with missing values, naming the rows."""
        empty = self.codes < 0
        raise SchemaError(
            f"{self.file}: column {self.name!r} has empty cells in {name_marked(empty)}.",
            column=self.name,
            rows=list_marked(empty),
            hint=Message("Fill them, or keep them as a separate value: ", option("missing", "keep"), "."),
        )

    def replace_texts(self, texts: Cells) -> Values:
        """Return the values written another way, in which some may be the same."""
        merged = texts.dictionary_encode()
        if len(merged.dictionary) == len(texts):
            return dataclasses.replace(self, texts=texts)
        place = np.append(merged.indices.to_numpy(), -1).astype(np.int32)
        return dataclasses.replace(self, texts=merged.dictionary, codes=place[self.codes])

    def to_arrow(self) -> Cells:
        """Return the column as a dataset holds it: labels, the missing one among them if it occurs."""
        if not self.missing:
            return pa.DictionaryArray.from_arrays(pa.array(self.codes), self.texts)
        labels = pa.concat_arrays([self.texts, pa.array([MISSING], pa.string())])
        codes = np.where(self.codes < 0, np.int32(len(self.texts)), self.codes)
        return pa.DictionaryArray.from_arrays(pa.array(codes), labels)


def encode_values(file: str, name: str, column: Cells, empty: Sequence[str] = ()) -> Values:
    """Return the distinct values of a column of any type that a table can hold.

    Spaces around a text are not part of it. Missing are empty cells, and those with one of the texts in ``empty``.

    Examples
    --------
    >>> encode_values("people.parquet", "smokes", pa.chunked_array([[True, None]])).texts.to_pylist()
    ['true']
    """
    _check_type(file, name, column.type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    encoded = column.dictionary_encode()
    if not all(chunk.dictionary.equals(encoded.chunk(0).dictionary) for chunk in encoded.chunks):
        encoded = encoded.unify_dictionaries()  # which takes its time even if they are the same
    codes = np.concatenate([np.asarray(chunk.indices.fill_null(-1), np.int32) for chunk in encoded.chunks])
    texts = _format_values(encoded.chunk(0).dictionary)
    values = Values(file, name, texts, codes)
    trimmed = pc.utf8_trim_whitespace(texts)
    if not trimmed.equals(texts):
        values = values.replace_texts(trimmed)
    return _without_missing(_check_labels(values), {MISSING, *(text.strip() for text in empty)})


def _check_type(file: str, name: str, kind: Cells) -> None:
    if not holds_values(kind):
        raise SchemaError(
            f"{file}: column {name!r} must hold numbers, dates or text, its type is {kind}.",
            column=name,
            hint=Message("Store it as text, or leave it out: ", option("drop", [name]), "."),
        )


def _format_values(distinct: Cells) -> Cells:
    """Return values of any type as text."""
    kind = distinct.type
    if pa.types.is_floating(kind):
        texts = pc.replace_substring_regex(distinct.cast(pa.string()), r"^(-?\d+)$", r"\1.0")
        return pc.replace_substring(texts, "nan", "NaN")
    if pa.types.is_timestamp(kind):
        moments = np.asarray(distinct.cast(pa.int64()).to_numpy(zero_copy_only=False))
        return _format_timestamps(distinct, moments)
    if pa.types.is_date64(kind):
        distinct = distinct.cast(pa.date32())
    return distinct.cast(pa.string())


def _format_timestamps(distinct: Cells, moments: npt.NDArray[Any]) -> Cells:
    """Return moments as dates, where all are at midnight, or as dates with times."""
    per_day = 86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[distinct.type.unit]
    if not (moments % per_day).any():
        return pc.strftime(distinct, format="%Y-%m-%d").cast(pa.string())
    return pc.replace_substring_regex(distinct.cast(pa.string()), r"\.0+(Z?)$", r"\1")


def _check_labels(values: Values) -> Values:
    lengths = np.asarray(pc.utf8_length(values.texts).to_numpy(zero_copy_only=False))
    if (lengths > LONGEST_LABEL).any():
        values.refuse(f"must have at most {LONGEST_LABEL:,} characters a cell", lengths > LONGEST_LABEL, "Shorten it.")
    null = marks(pc.match_substring(values.texts, "\0"))
    if null.any():
        values.refuse("must hold no NUL character", null, "Remove it from the data.")
    return values


def _without_missing(values: Values, empty: set[str]) -> Values:
    """Give the cells that have no value the number -1."""
    gone = marks(pc.is_in(values.texts, value_set=pa.array(sorted(empty), pa.string())))
    if not gone.any():
        return values
    place = np.full(len(gone) + 1, -1, np.int32)
    place[:-1][~gone] = np.arange(int((~gone).sum()), dtype=np.int32)
    return dataclasses.replace(values, texts=values.texts.filter(pa.array(~gone)), codes=place[values.codes])
