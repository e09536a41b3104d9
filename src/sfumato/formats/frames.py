"""Data frames of other libraries as files for readers."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.memory import MemoryPlace

__all__ = ["FrameFile", "import_library", "is_frame", "make_file", "make_frame", "plain_type", "to_table"]

_NAME = "data frame"
_INDEX = re.compile(r"__index_level_\d+__")
"""Name that pandas gives to an index without one."""
_UNFIT = (pa.ArrowException, TypeError, ValueError, OverflowError, NotImplementedError, RuntimeError)
"""Errors of libraries for columns without a type in Arrow; their messages may quote cells."""


class FrameFile(MemoryPlace):
    """A data frame that is read like a file of Parquet.

    Parameters
    ----------
    content
        The table as Parquet.
    index_dropped
        Whether the frame had an index without a name, which is no column.
    label
        Its name in messages.
    table
        The table itself, where the content need not be read.
    count
        Number of files of its rows.

    Examples
    --------
    >>> file = make_file(pa.table({"person": ["7"]}))
    >>> file.name, file.suffix, file.index_dropped
    ('data frame', '.parquet', False)
    """

    def __init__(
        self,
        content: bytes,
        index_dropped: bool = False,
        label: str = _NAME,
        table: pa.Table | None = None,
        count: int = 1,
    ) -> None:
        super().__init__({"frame.parquet": content}, "frame.parquet", label)
        self.index_dropped = index_dropped
        self.table = table
        self.count = count

    @classmethod
    def hold(cls, table: pa.Table, label: str, count: int = 1) -> FrameFile:
        """Make a file of rows that were read from several files, as types that every reader knows.

        Examples
        --------
        >>> FrameFile.hold(pa.table({"person": ["7"]}), "visits.csv").name
        'visits.csv'
        """
        return cls(b"PAR1", False, label, table, count)


def is_frame(value: object) -> bool:
    """Return whether something is a table of Arrow, pandas, Polars or another library with an interchange protocol.

    Examples
    --------
    >>> is_frame(pa.table({"person": ["7"]})), is_frame("visits.csv")
    (True, False)
    """
    return any(hasattr(value, name) for name in ("__arrow_c_stream__", "__dataframe__"))


def make_file(frame: Any, label: str = _NAME) -> FrameFile:
    """Make a file in memory of a data frame; its columns are read by the rules for files.

    An index of pandas that has a name is a column; one without a name numbers the rows, and is left out.
    """
    table = to_table(frame)
    unnamed = [name for name in table.column_names if _INDEX.fullmatch(name)]
    table = table.drop_columns(unnamed)
    sink = pa.BufferOutputStream()
    try:
        # Without compression: the limit of expansion is measured against the size of the file.
        pq.write_table(table, sink, version="2.6", compression="none", use_dictionary=False, write_statistics=False)
    except _UNFIT:
        raise SchemaError(f"{_NAME}: {_name_unfit(table)}") from None
    return FrameFile(sink.getvalue().to_pybytes(), bool(unnamed), label)


def to_table(frame: Any) -> pa.Table:
    """Return a data frame as a table of Arrow, with types that every reader knows.

    Examples
    --------
    >>> to_table(pa.table({"place": pa.array(["home"], pa.string_view())})).schema.field("place").type
    DataType(large_string)
    """
    try:
        table = _convert(frame)
    except _UNFIT:
        raise SchemaError(_explain(frame)) from None
    for number, field in enumerate(table.schema):
        plain = plain_type(field.type)
        if plain != field.type:
            try:
                chunks = [_spread(chunk).cast(plain) for chunk in table.column(number).chunks]
            except _UNFIT:
                raise SchemaError(f"{_NAME}: {_explain_type(field)}") from None
            table = table.set_column(number, field.name, pa.chunked_array(chunks, plain))
    return table


def _spread(array: Any) -> Any:
    """Return the labels of a dictionary column one by one; Arrow cannot cast all of them itself."""
    if not pa.types.is_dictionary(array.type):
        return array
    return array.dictionary.cast(plain_type(array.type.value_type)).take(array.indices)


def _explain_type(field: pa.Field) -> str:
    return f"column {field.name!r} has the type {field.type}, which files cannot have. Store it as text or numbers."


def _convert(frame: Any) -> pa.Table:
    if isinstance(frame, pa.Table):
        return frame
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    if not hasattr(frame, "__dataframe__"):
        raise ParameterError("read: data must be a path, or a table of pandas, Polars or Arrow.", option="path")
    from pyarrow.interchange import from_dataframe

    return from_dataframe(frame)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type that readers use for equivalent types.

    Examples
    --------
    >>> plain_type(pa.dictionary(pa.int8(), pa.string_view()))
    DataType(large_string)
    """
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind) or pa.types.is_large_list(kind):
        return pa.large_list(plain_type(kind.value_type))
    return pa.list_(plain_type(kind.value_type)) if pa.types.is_list(kind) else kind


def _explain(frame: Any) -> str:
    """Return the reason why Arrow does not take a frame, without its cells."""
    names = [str(name) for name in getattr(frame, "columns", ())]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        return f"{_NAME}: column {repeated[0]!r} occurs more than once. Rename one of them."
    unfit = []
    for name in getattr(frame, "columns", ()):
        try:
            _convert(frame[[name]])
        except _UNFIT:
            unfit.append(str(name))
    problem = f"column {unfit[0]!r} has values of several types, or of a type that tables cannot have" if unfit else ""
    return f"{_NAME}: {problem or 'Arrow cannot convert it'}. Store it as text, numbers or times."


def _name_unfit(table: pa.Table) -> str:
    for field in table.schema:
        try:
            pq.write_table(table.select([field.name]), pa.BufferOutputStream())
        except _UNFIT:
            return _explain_type(field)
    return "a column has a type that files cannot have. Store it as text or numbers."


def import_library(name: str) -> Any:
    """Import an optional library, or refuse with the command that installs it.

    Examples
    --------
    >>> import_library("pyarrow").__name__
    'pyarrow'
    >>> import_library("no_such_library")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: no_such_library is not installed. Install it: pip install no_such_library
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ParameterError(f"{name} is not installed.", hint=f"Install it: pip install {name}") from None


def make_frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows as a data frame of pandas, or of Polars where pandas is not installed.

    A column that has numbers in some rows and texts in others is text.

    Examples
    --------
    >>> make_frame([{"name": "k", "claimed": 5}, {"name": "l", "measured": 0.5}]).to_dict("list")["name"]
    ['k', 'l']
    """
    names = dict.fromkeys(name for row in rows for name in row)
    table = pa.table({name: _make_column([row.get(name) for row in rows]) for name in names})
    try:
        pandas = import_library("pandas")
    except ParameterError:
        try:
            return import_library("polars").from_arrow(table)
        except ParameterError:
            raise ParameterError(
                "to_frame: neither pandas nor polars is installed.", hint="Install one: pip install pandas"
            ) from None
    pandas_types = {pa.int64(): pandas.Int64Dtype(), pa.bool_(): pandas.BooleanDtype()}
    return table.to_pandas(types_mapper=pandas_types.get)


def _make_column(values: Sequence[Any]) -> pa.Array:
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    types = {type(value) for value in values if value is not None}
    if types <= {int, float} and len(types) > 1:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    if len(types) > 1 or not types <= {bool, int, float, str}:
        return pa.array([None if value is None else str(value) for value in values], pa.string())
    return pa.array(values, None if types else pa.string())
