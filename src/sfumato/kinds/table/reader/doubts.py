"""Columns that are said to name people and have few values, in a file or in all buckets of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.notes import Note
from sfumato.messages import option
from sfumato.readers.cells import holds_values
from sfumato.readers.partitioned.agreement import agree

__all__ = ["IDENTIFIER_ROWS", "IDENTIFIER_VALUES", "count_identifiers", "doubt_identifiers"]

IDENTIFIER_VALUES, IDENTIFIER_ROWS = "values of identifiers", "rows of identifiers"
"""What buckets record, for all of them together to be judged."""
_RECORDS_PER_VALUE = 10
"""Rows per value from which on an identifier is questioned: few people have so many records."""


def count_identifiers(table: pa.Table, columns: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
    """Return how many different values and how many filled rows identifiers have.

    Examples
    --------
    >>> count_identifiers(pa.table({"name": ["a", "b", "a", None]}), ["name"])
    (Counter({'name': 2}), Counter({'name': 3}))
    """
    values, rows = Counter[str](), Counter[str]()
    for column in columns:
        cells = table.column(column).drop_null()
        rows[column] = len(cells)
        values[column] = int(pc.count_distinct(cells).as_py()) if holds_values(cells.type) else len(cells)
    return agree(IDENTIFIER_VALUES, values, "sum"), agree(IDENTIFIER_ROWS, rows, "sum")


def doubt_identifiers(values: Mapping[str, int], rows: Mapping[str, int]) -> Iterator[Note]:
    """Question columns that are said to name people and have the same few values again and again.

    Examples
    --------
    >>> [str(doubt).partition(". ")[0] for doubt in doubt_identifiers({"sex": 2}, {"sex": 30})]
    ['Identifier `sex` has only 2 distinct values in 30 rows']
    """
    for column, filled in rows.items():
        if filled and values[column] * _RECORDS_PER_VALUE <= filled:
            yield Note(
                "identifier-with-few-values",
                "Identifier {columns} has only {values} distinct {values:value|values} in {rows} rows. If it names "
                "nobody, give it another role: {option}.",
                {"values": values[column], "rows": filled},
                (column,),
                {"option": option("quasi", [column])},
            )
