"""Classes of records that are the same in some columns, and what a reader sees of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.checks.cache import cached
from sfumato.data.coded import Coded, CodedTable

__all__ = ["Classes", "number_rows"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Classes:
    """Classes of records that are the same in all of some columns, numbered in the order of their entries.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.release.decode import decode
    >>> data = sf.Dataset.of("table", [(20,), (29,), (70,), (79,)], ("age",))
    >>> classes = Classes.of(decode(sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release))
    >>> classes.sizes.tolist(), classes.format_cells(0)
    ([2, 2], {'age': '[20..29]'})
    """

    columns: tuple[Coded, ...]
    records: int

    @classmethod
    @cached
    def of(cls, table: CodedTable) -> Classes:
        """Return the classes of records with the same quasi-identifiers."""
        return cls(table.with_role("quasi-identifier"), table.records)

    @cached_property
    def group(self) -> Ints:
        """Class of every record."""
        return number_rows([column.codes for column in self.columns], self.records)

    @cached_property
    def sizes(self) -> Ints:
        """Number of records of every class."""
        return np.bincount(self.group).astype(np.int64)

    @cached_property
    def cells(self) -> Ints:
        """Entry of every class in every column, one row per class."""
        columns = [column.codes[self.example] for column in self.columns]
        return np.column_stack(columns) if columns else np.zeros((len(self.sizes), 0), np.int64)

    @cached_property
    def example(self) -> Ints:
        """A record of every class."""
        examples = np.zeros(len(self.sizes), np.int64)
        examples[self.group[::-1]] = np.arange(self.records)[::-1]
        return examples

    def format_cells(self, group: int) -> dict[str, str]:
        """Return the cells of a class by column, as they are published."""
        cells = zip(self.columns, self.cells[group].tolist(), strict=True)
        return {column.name: column.values.text_of(entry) for column, entry in cells}

    def rows_of(self, group: int, most: int) -> list[int]:
        """Return the published rows of a class, from 1, the first so many of them."""
        return [int(row) + 1 for row in np.flatnonzero(self.group == group)[:most]]


def number_rows(columns: Sequence[Ints], rows: int) -> Ints:
    """Number rows so that equal ones, and only those, have the same number, in the order of their columns.

    Examples
    --------
    >>> number_rows([np.array([1, 0, 1]), np.array([5, 5, 5])], 3).tolist()
    [1, 0, 1]
    """
    key, width = np.zeros(rows, np.int64), 1
    for column in columns:
        span = int(column.max(initial=-1)) + 1
        if width * span >= 1 << 62:
            key = np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
            width = int(key.max(initial=-1)) + 1
        key, width = key * span + column, width * span
    return np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
