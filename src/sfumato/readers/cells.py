"""Cells of a column as labels or numbers; errors name the rows of other cells.

Rows are counted from 1, without the header.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.exceptions import SchemaError
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.messages import Message, option

__all__ = [
    "LONGEST_LABEL",
    "Cells",
    "Labels",
    "as_text",
    "describe_filling",
    "encode_labels",
    "holds_values",
    "list_marked",
    "marks",
    "name_failing",
    "name_marked",
    "parse_numbers",
    "refuse_empty",
]

LONGEST_LABEL = 1_000

Cells: TypeAlias = Any
"""An Arrow column or array; the stubs of pyarrow do not cover types known only at run time."""

_VALUES = (
    *(pa.types.is_string, pa.types.is_large_string, pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal),
    *(pa.types.is_boolean, pa.types.is_date, pa.types.is_timestamp, pa.types.is_null),
)


def holds_values(kind: pa.DataType) -> bool:
    """Return whether a cell of this type is one number, date or text: no list, record, duration or bytes.

    Examples
    --------
    >>> holds_values(pa.dictionary(pa.int8(), pa.string())), holds_values(pa.struct({"a": pa.int64()}))
    (True, False)
    """
    inside = kind.value_type if pa.types.is_dictionary(kind) else kind
    return any(is_kind(inside) for is_kind in _VALUES)


class Labels(NamedTuple):
    """A column of labels as codes, numbered by first appearance.

    Examples
    --------
    >>> places = encode_labels("visits.csv", "place", pa.chunked_array([["b", "a", "b"]]))
    >>> places.codes.tolist(), places.labels.to_pylist()
    ([0, 1, 0], ['b', 'a'])
    """

    codes: npt.NDArray[np.int32]
    labels: Cells
    """Arrow strings."""


def marks(truths: Cells) -> npt.NDArray[np.bool_]:
    """Return an Arrow column of truths as a plain array.

    Examples
    --------
    >>> marks(pa.array([True, False])).tolist()
    [True, False]
    """
    return np.asarray(truths.to_numpy(zero_copy_only=False), dtype=bool)


def name_marked(marked: npt.NDArray[np.bool_]) -> str:
    """Return the marked rows as text, at most five.

    Examples
    --------
    >>> name_marked(np.array([False, True, True]))
    'rows 2, 3'
    """
    return name_rows((np.flatnonzero(marked) + 1).tolist())


def name_failing(marked: npt.NDArray[np.bool_]) -> str:
    """Return a clause that the marked rows are not as a rule says.

    Examples
    --------
    >>> name_failing(np.array([False, True, True])), name_failing(np.array([True, False]))
    ('rows 2, 3 do not', 'row 1 does not')
    """
    return f"{name_marked(marked)} {'does' if marked.sum() == 1 else 'do'} not"


def list_marked(marked: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the marked rows that messages name.

    Examples
    --------
    >>> list_marked(np.array([False, True, True]))
    (2, 3)
    """
    return select_shown((np.flatnonzero(marked) + 1).tolist())


def describe_filling() -> Message:
    """Return what to do about empty cells."""
    return Message("Fill them, or leave out their rows: ", option("missing", "drop"), ".")


def refuse_empty(owner: str, name: str, column: Cells) -> None:
    """Refuse a column with missing cells, naming the rows.

    Examples
    --------
    >>> refuse_empty("visits.csv", "time", pa.chunked_array([["1", None]]))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: visits.csv: column 'time' has empty cells in row 2. Fill them, or leave out
    their rows: missing='drop'.
    """
    if column.null_count:
        _complain_about_empty(owner, name, marks(column.is_null()))


def _complain_about_empty(owner: str, name: str, empty: npt.NDArray[np.bool_]) -> None:
    raise SchemaError(
        f"{owner}: column {name!r} has empty cells in {name_marked(empty)}.",
        column=name,
        rows=list_marked(empty),
        hint=describe_filling(),
    )


def encode_labels(owner: str, name: str, column: Cells) -> Labels:
    """Return the codes and labels of a column of text or whole numbers.

    Examples
    --------
    >>> encode_labels("visits.parquet", "person", pa.chunked_array([[7, 12, 7]])).labels.to_pylist()
    ['7', '12']
    >>> encode_labels("visits.csv", "place", pa.chunked_array([["home", " "]]))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: visits.csv: column 'place' has empty cells in row 2. Fill them, or leave out
    their rows: missing='drop'.
    """
    refuse_empty(owner, name, column)
    text: Cells = pa.concat_arrays(as_text(owner, name, column).cast(pa.large_string()).chunks)
    encoded = text.dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int32)
    distinct = encoded.dictionary.cast(pa.string())
    lengths = pc.utf8_length(distinct).to_numpy()
    blank = marks(pc.equal(pc.utf8_trim_whitespace(distinct), pa.scalar("")))
    if blank.any():
        _complain_about_empty(owner, name, blank[codes])
    if (lengths > LONGEST_LABEL).any():
        marked = (lengths > LONGEST_LABEL)[codes]
        raise SchemaError(
            f"{owner}: column {name!r}: a label may have at most {LONGEST_LABEL:,} characters, found "
            f"{int(lengths.max()):,} in {name_marked(marked)}.",
            column=name,
            rows=list_marked(marked),
            hint="Shorten it.",
        )
    null = marks(pc.match_substring(distinct, "\0"))
    if null.any():
        raise SchemaError(
            f"{owner}: column {name!r} has labels with a NUL character in {name_marked(null[codes])}.",
            column=name,
            rows=list_marked(null[codes]),
            hint="Remove it from the data.",
        )
    return Labels(codes, distinct)


def as_text(owner: str, name: str, column: Cells) -> Cells:
    """Return a column of text or whole numbers as text.

    Examples
    --------
    >>> as_text("visits.parquet", "person", pa.chunked_array([[7, 12]])).to_pylist()
    ['7', '12']
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_date(kind):
        return column.cast(pa.string())
    raise SchemaError(
        f"{owner}: column {name!r} must hold labels (text or whole numbers), its type is {kind}.",
        column=name,
        hint="Store it as text.",
    )


def parse_numbers(owner: str, name: str, column: Cells) -> npt.NDArray[np.float64]:
    """Return a column of finite numbers, written with a decimal point.

    Examples
    --------
    >>> parse_numbers("visits.csv", "x", pa.chunked_array([["1.5", " -2 "]])).tolist()
    [1.5, -2.0]
    >>> parse_numbers("visits.csv", "x", pa.chunked_array([["1.5", "1,5", "nan"]]))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: visits.csv: column 'x' must hold numbers with a decimal point; row 2 does not.
    Correct the data.
    """
    refuse_empty(owner, name, column)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        numbers = _numbers_in_text(owner, name, column)
    elif pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        numbers = column.cast(pa.float64(), safe=False)
    elif pa.types.is_decimal(column.type):
        numbers = column.cast(pa.float64())
    else:
        raise SchemaError(
            f"{owner}: column {name!r} must hold numbers, its type is {column.type}.",
            column=name,
            hint="Store it as numbers.",
        )
    values = np.asarray(numbers.to_numpy(), dtype=np.float64)
    endless = ~np.isfinite(values)
    if endless.any():
        raise SchemaError(
            f"{owner}: column {name!r} must hold finite numbers; {name_failing(endless)}.",
            column=name,
            rows=list_marked(endless),
            hint="Correct or remove the rows.",
        )
    return values


def _numbers_in_text(owner: str, name: str, column: Cells) -> Cells:
    try:
        return column.cast(pa.float64())
    except pa.ArrowInvalid:
        trimmed: Cells = pc.utf8_trim_whitespace(column)
    blank = marks(pc.equal(trimmed, pa.scalar("")))
    if blank.any():
        _complain_about_empty(owner, name, blank)
    pattern = r"^[+-]?(?i:(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|nan|inf|infinity)$"
    strange = ~marks(pc.match_substring_regex(trimmed, pattern))
    if strange.any():
        raise SchemaError(
            f"{owner}: column {name!r} must hold numbers with a decimal point; {name_failing(strange)}.",
            column=name,
            rows=list_marked(strange),
            hint="Correct the data.",
        )
    return pc.replace_substring_regex(trimmed, r"^\+", "").cast(pa.float64())
