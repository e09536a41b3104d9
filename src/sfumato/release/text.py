r"""Published cells: the Arrow type tells the form, and text has one spelling per form.

==================  ==========================  =============
form                Arrow                       CSV
==================  ==========================  =============
exact               T                           ``42``
interval (closed)   struct<lo: T, hi: T>        ``[20..29]``
no value            struct without bounds       ``[]``
set                 list<T>, sorted             ``{A|B}``
category            dictionary<string>          ``Europe``
suppressed          null                        ``*``
==================  ==========================  =============

An interval without bounds says that there is no value; it is not suppressed, which may be any value or none.
A history is a list of such cells, joined by ``;``. A backslash escapes. A cell that a spreadsheet
could run as a formula starts with a backslash, so that it is text there and reads back unchanged. Line
breaks are spelled ``\n`` and ``\r``, so that a record is a line, and an empty text ``\e``.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.timestamps import encode_timestamps
from sfumato.exceptions import SchemaError
from sfumato.release.distinct_cells import combine_chunks, number_cells

__all__ = [
    "ValueFormat",
    "decode",
    "encode",
    "encode_distinct",
    "format_cells",
    "index_texts",
]

_TYPES: dict[str, pa.DataType] = {
    "string": pa.string(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}
_INSIDE = re.compile(r"[\\;|{}\[\]*.\n\r]")
_OUTSIDE = re.compile(r"[\\;\n\r]")
_NAMED = {"\n": r"\n", "\r": r"\r"}
_NAMES = {"n": "\n", "r": "\r", "e": ""}
_PLAIN = {"int64", "timestamp"}
"""Types whose spelling needs no escape, so that long histories are spelled and read by Arrow."""
_BOUNDS = re.compile(r"((?:\\.|[^\\])*?)\.\.(.*)", re.DOTALL)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_EMPTY, _WORDS = r"\e", r"\A[0-9A-Za-z]+\z"


@dataclasses.dataclass(frozen=True)
class ValueFormat:
    """How the cells of a column are published.

    Parameters
    ----------
    cell
        ``exact``, ``interval``, ``set`` or ``category``.
    type
        Type of the value inside: ``string``, ``int64``, ``float64``, ``bool``, ``date``, ``timestamp``.
    history
        Whether the column holds a list of such cells.
    meaning
        How a generalised value is read: ``one of`` its members, or ``at least one of`` them.

    Examples
    --------
    >>> ValueFormat("category", history=True).arrow
    ListType(list<element: dictionary<values=string, indices=int32, ordered=0>>)
    """

    cell: str
    type: str = "string"
    history: bool = False
    meaning: str = "one of"

    def __post_init__(self) -> None:
        if self.cell not in {"exact", "interval", "set", "category"}:
            raise SchemaError(f"form must be exact, interval, set or category, got {self.cell!r}.")
        if self.type not in _TYPES:
            raise SchemaError(f"form: type must be one of {', '.join(_TYPES)}, got {self.type!r}.")
        if self.meaning not in {"one of", "at least one of"}:
            raise SchemaError("form: meaning must be 'one of' or 'at least one of'.")

    @property
    def arrow(self) -> pa.DataType:
        """Arrow type of the column."""
        value = _TYPES[self.type]
        cell = {
            "exact": value,
            "interval": pa.struct([("lo", value), ("hi", value)]),
            "set": pa.list_(pa.field("element", value)),
            "category": pa.dictionary(pa.int32(), pa.string()),
        }[self.cell]
        return pa.list_(pa.field("element", cell)) if self.history else cell


def encode(column: pa.ChunkedArray | pa.Array, form: ValueFormat) -> Any:
    r"""Return a column as text, one string per row.

    Examples
    --------
    >>> encode(pa.array([["A", "B"], None]), ValueFormat("set")).to_pylist()
    ['{A|B}', '*']
    >>> encode(pa.array(["=1+1", "a;b", ""]), ValueFormat("exact")).to_pylist()
    ['\\=1+1', 'a\\;b', '\\e']
    """
    if form.history and form.cell == "category":
        return _encode_categories(column)
    if form.history and form.type in _PLAIN and form.cell in {"exact", "interval"}:
        array = combine_chunks(column)
        if not array.null_count and not array.flatten().null_count:
            return _encode_many(array, form)
    if not form.history:
        texts = encode_distinct(column, form)
        return texts.dictionary_decode() if pa.types.is_dictionary(texts.type) else texts
    rows = ("*" if row is None else ";".join(_encode_cell(cell, form) for cell in row) for row in column.to_pylist())
    return pa.array([_safe(text, form) for text in rows], pa.string())


def decode(texts: pa.ChunkedArray | pa.Array, form: ValueFormat) -> pa.Array:
    r"""Read a column back from its text; the inverse of :func:`encode`.

    Examples
    --------
    >>> decode(pa.array(["{A|B}", "*"]), ValueFormat("set")).to_pylist()
    [['A', 'B'], None]
    >>> decode(pa.array(["\\=1+1"]), ValueFormat("exact")).to_pylist()
    ['=1+1']
    """
    if form.history and form.cell == "category":
        return _decode_categories(texts)
    if form.history and form.type in _PLAIN and form.cell in {"exact", "interval"}:
        many = _decode_many(texts, form)
        if many is not None:
            return many
    if not form.history:
        return _decode_distinct(texts, form)
    values: list[Any] = []
    for row, text in enumerate(texts.to_pylist()):
        try:
            values.append(_decode_history(text or "", form))
        except (ValueError, TypeError):
            raise SchemaError(f"published row {row + 1}: not a cell of form {form.cell}.") from None
    return pa.array(values, form.arrow)


def escape(text: str) -> str:
    r"""Escape a member of a set or a bound of an interval.

    Examples
    --------
    >>> escape("a|b"), escape("*"), escape("")
    ('a\\|b', '\\*', '\\e')
    """
    return _INSIDE.sub(_with_backslash, text) if text else _EMPTY


def _escape_label(text: str) -> str:
    """Escape a whole cell: only what separates cells, and what would read as suppressed."""
    if text in {"", "*"}:
        return _EMPTY if text == "" else r"\*"
    return _OUTSIDE.sub(_with_backslash, text)


def unescape(text: str) -> str:
    r"""Undo :func:`escape`.

    Examples
    --------
    >>> unescape("a\\|b"), unescape("\\e")
    ('a|b', '')
    """
    return re.sub(r"\\(.)", lambda match: _NAMES.get(match[1], match[1]), text, flags=re.DOTALL)


def _with_backslash(match: re.Match[str]) -> str:
    return _NAMED.get(match[0], "\\" + match[0])


def _safe(text: str, form: ValueFormat) -> str:
    numeric = form.type in {"int64", "float64"} and form.cell == "exact"
    return "\\" + text if text.startswith(_FORMULA) and not numeric else text


def _encode_value(value: Any, form: ValueFormat) -> str:
    if form.type == "string":
        return escape(value) if form.cell in {"set", "interval"} else _escape_label(value)
    if form.type == "timestamp":
        return str(value.isoformat()).replace("+00:00", "Z")
    if form.type == "bool":
        return "true" if value else "false"
    return repr(value) if form.type == "float64" else str(value)


def _encode_cell(value: Any, form: ValueFormat) -> str:
    if value is None:
        return "*"
    if form.cell == "interval":
        if value["lo"] is None and value["hi"] is None:
            return "[]"
        return f"[{_encode_value(value['lo'], form)}..{_encode_value(value['hi'], form)}]"
    if form.cell == "set":
        return "{" + "|".join(_encode_value(item, form) for item in value) + "}"
    return _escape_label(value) if form.cell == "category" else _encode_value(value, form)


def _encode_many(array: pa.Array, form: ValueFormat) -> pa.Array:
    """Spell histories of numbers or points in time: they have millions of entries."""
    flat = array.flatten()
    if form.cell == "exact":
        cells = _format_values(flat, form)
    else:
        lo, hi = (_format_values(flat.field(side), form) for side in ("lo", "hi"))
        cells = pc.binary_join_element_wise("[", lo, "..", hi, "]", "")
    offsets = pc.subtract(array.offsets, array.offsets[0]).cast(pa.int32())
    joined = pc.binary_join(pa.ListArray.from_arrays(offsets, cells), ";")
    return _mark_formulas(joined)


def _format_values(values: pa.Array, form: ValueFormat) -> pa.Array:
    return values.cast(pa.string()) if form.type == "int64" else encode_timestamps(values)


def _decode_many(texts: pa.ChunkedArray | pa.Array, form: ValueFormat) -> pa.Array | None:
    """Read what :func:`_encode_many` spelled, or None where something else is there."""
    column = pc.replace_substring_regex(pc.fill_null(combine_chunks(texts).cast(pa.string()), ""), r"^\\-", "-")
    rows = pc.split_pattern(column, ";")
    if len(column):
        rows = pc.if_else(pc.equal(column, ""), pa.scalar([], pa.list_(pa.string())), rows)
    try:
        flat = rows.flatten()
        if form.cell == "exact":
            cells = flat.cast(_TYPES[form.type])
        else:
            bounds = pc.extract_regex(flat, r"^\[(?P<lo>[^\[\]]*?)\.\.(?P<hi>[^\[\]]*)\]$")
            if bounds.null_count:
                return None
            sides = [bounds.field(side).cast(_TYPES[form.type]) for side in ("lo", "hi")]
            cells = pa.StructArray.from_arrays(sides, names=["lo", "hi"])
    except pa.ArrowInvalid:
        return None
    return pa.ListArray.from_arrays(rows.offsets, cells).cast(form.arrow)


def format_cells(cells: Any, form: ValueFormat) -> Any:
    """Return distinct cells, none of them suppressed, as they are written in CSV.

    Examples
    --------
    >>> format_cells(pa.array([{"lo": 20, "hi": 29}, {"lo": None, "hi": None}]), ValueFormat("interval", "int64"))[0]
    <pyarrow.StringScalar: '[20..29]'>
    """
    if form.cell == "interval":
        lo, hi = (_format_distinct(cells.field(side), form).fill_null("None") for side in (0, 1))
        empty = pc.and_(cells.field(0).is_null(), cells.field(1).is_null())
        return pc.if_else(empty, "[]", pc.binary_join_element_wise("[", lo, "..", hi, "]", ""))
    if form.cell == "set":
        labels = _format_distinct(cells.flatten(), form).fill_null(_EMPTY)
        offsets = pc.subtract(cells.offsets, cells.offsets[0])
        joined = pc.binary_join(pa.ListArray.from_arrays(offsets, labels), "|")
        return pc.binary_join_element_wise("{", joined, "}", "")
    texts = pa.array([_encode_cell(value, form) for value in cells.to_pylist()], pa.string())
    numeric = form.type in {"int64", "float64"}
    return texts if numeric else _mark_formulas(texts)


def _format_distinct(values: Any, form: ValueFormat) -> Any:
    """Format bounds of ranges or labels of sets, each distinct one once."""
    coded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    texts = [None if value is None else _encode_value(value, form) for value in coded.dictionary.to_pylist()]
    return pa.array(texts, pa.string()).take(coded.indices)


def encode_distinct(column: pa.ChunkedArray | pa.Array, form: ValueFormat) -> Any:
    """Return a column that holds no lists as text, each distinct cell formatted once: a dictionary, or names of people.

    Examples
    --------
    >>> encode_distinct(pa.array([20, 20, None]), ValueFormat("exact", "int64")).indices.to_pylist()
    [0, 0, 1]
    """
    array = combine_chunks(column)
    # Names of people are all different; where they are words of letters and digits, nothing is to be escaped.
    is_text = (form.cell, form.type) == ("exact", "string") and pa.types.is_string(array.type)
    if is_text and pc.all(pc.match_substring_regex(array, _WORDS)).as_py() is not False:
        return pc.fill_null(array, "*")
    cells, index = number_cells(array, form.cell)
    return index_texts(format_cells(cells, form), index)


def index_texts(texts: Any, index: Any) -> pa.DictionaryArray:
    """Return a column of texts: those of distinct cells, and that of a suppressed one where there is no cell.

    Examples
    --------
    >>> index_texts(pa.array(["a", "b"]), pa.array([1, None, 0], pa.int32())).to_pylist()
    ['b', '*', 'a']
    """
    every = pa.concat_arrays([texts, pa.array(["*"])])
    return pa.DictionaryArray.from_arrays(index.cast(pa.int32()).fill_null(len(texts)), every)


def _decode_distinct(texts: pa.ChunkedArray | pa.Array, form: ValueFormat) -> pa.Array:
    """Read each distinct text of cells that hold no lists once."""
    coded = pc.fill_null(combine_chunks(texts).cast(pa.string()), "").dictionary_encode()
    values: list[Any] = []
    for code, text in enumerate(coded.dictionary.to_pylist()):
        try:
            values.append(_decode_cell(text, form))
        except (ValueError, TypeError):
            row = pc.index(coded.indices, code).as_py()
            raise SchemaError(f"published row {row + 1}: not a cell of form {form.cell}.") from None
    if form.cell == "category":
        return pa.array(values, pa.string()).take(coded.indices).dictionary_encode()
    return pa.array(values, form.arrow).take(coded.indices)


def _encode_categories(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Spell each distinct label once, then join rows in Arrow: histories have millions of entries."""
    array = combine_chunks(column)
    flat = array.flatten()
    words = pa.array([_escape_label(label) for label in flat.dictionary.to_pylist()], pa.string())
    texts = pc.fill_null(words.take(flat.indices), "*") if len(words) else pa.array(["*"] * len(flat), pa.string())
    offsets = pc.subtract(array.offsets, array.offsets[0])
    joined = pc.binary_join(pa.ListArray.from_arrays(offsets.cast(pa.int32()), texts), ";")
    return _mark_formulas(joined)


def _mark_formulas(texts: Any) -> Any:
    """Put a backslash before what a spreadsheet could run."""
    formula = pc.match_substring_regex(texts, r"\A[=+\-@\t\r]")
    return pc.if_else(formula, pc.binary_join_element_wise("\\", texts, ""), texts)


def _split(text: str, separator: str) -> list[str]:
    """Split at separators that no backslash escapes."""
    if "\\" not in text:
        return text.split(separator)
    parts, start, i = [], 0, 0
    while i < len(text):
        if text[i] == "\\":
            i += 2
            continue
        if text[i] == separator:
            parts.append(text[start:i])
            start = i + 1
        i += 1
    return [*parts, text[start:]]


def _decode_value(text: str, form: ValueFormat) -> Any:
    if form.type == "string":
        return unescape(text)
    if form.type == "bool":
        return {"true": True, "false": False}[text]
    if form.type == "int64":
        return int(text)
    if form.type == "float64":
        return float(text)
    return pa.scalar(text).cast(_TYPES[form.type]).as_py()


def _decode_cell(text: str, form: ValueFormat) -> Any:
    if text == "*":
        return None
    if form.cell == "interval":
        if text == "[]":
            return {"lo": None, "hi": None}
        bounds = _BOUNDS.fullmatch(_unwrap(text, "[", "]"))
        if bounds is None:
            raise ValueError(text)
        return {"lo": _decode_value(bounds[1], form), "hi": _decode_value(bounds[2], form)}
    if form.cell == "set":
        inside = _unwrap(text, "{", "}")
        return [_decode_value(part, form) for part in _split(inside, "|")] if inside else []
    return unescape(text) if form.cell == "category" else _decode_value(text, form)


def _unwrap(text: str, opening: str, closing: str) -> str:
    if not (text.startswith(opening) and text.endswith(closing)):
        raise ValueError(text)
    return text[1:-1]


def _decode_history(text: str, form: ValueFormat) -> Any:
    return [_decode_cell(part, form) for part in _split(text, ";")] if text else []


def _decode_categories(texts: pa.ChunkedArray | pa.Array) -> pa.Array:
    column = pc.fill_null(combine_chunks(texts).cast(pa.string()), "")
    if not pc.any(pc.match_substring(column, "\\")).as_py():
        split = pc.split_pattern(column, ";")
        empty = pc.equal(column, "")
        rows = pc.if_else(empty, pa.scalar([], pa.list_(pa.string())), split) if len(column) else split
        flat, offsets = rows.flatten(), rows.offsets
    else:
        lists = [[] if text == "" else _split(text, ";") for text in column.to_pylist()]
        rows = pa.array(lists, pa.list_(pa.string()))
        flat, offsets = rows.flatten(), rows.offsets
    coded = flat.dictionary_encode()
    words: Iterable[str | None] = coded.dictionary.to_pylist()
    labels = [None if word == "*" else unescape(word or "") for word in words]
    vocabulary = pa.array(sorted({label for label in labels if label is not None}), pa.string())
    index = {label: i for i, label in enumerate(vocabulary.to_pylist())}
    recode = pa.array([None if label is None else index[label] for label in labels], pa.int32())
    indices = recode.take(coded.indices) if len(recode) else pa.array([], pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.DictionaryArray.from_arrays(indices, vocabulary))
