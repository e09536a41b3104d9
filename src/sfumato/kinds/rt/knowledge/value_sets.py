"""Sets of published values inside classes: how many records of a class have all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.checks.subsequences import countable_sizes, decode_key, distinct_subsequences
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError
from sfumato.kinds.rt.decode import PublishedRecords

__all__ = ["ValueSets"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class ValueSets:
    """The sets of values that records of a class have, counted class by class.

    Values are numbered anew in every class, so that the keys of sets stay small: a class has few values.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("rt", [(20,), (20,)], ("age",), [["a", "b"], ["a"]])
    >>> release = sf.anonymize(data, sf.methods.RFirst(k=2, m=1, transaction="coat"), secret=bytes(32)).release
    >>> sets = ValueSets(PublishedRecords.of(release))
    >>> keys, supports = sets.count(1)
    >>> [(sets.describe(key, 1)["values"], count) for key, count in zip(keys.tolist(), supports.tolist())]
    [(['{a|b}'], 2)]
    """

    def __init__(self, records: PublishedRecords) -> None:
        self._records = records
        self._group = records.table.group
        values = records.known_values
        width = max(len(values.labels), 1)
        pairs = self._group[values.row_of_token] * width + values.codes
        self._pairs, which = np.unique(pairs, return_inverse=True)
        begins = np.searchsorted(self._pairs, np.arange(len(records.table.sizes) + 1) * width)
        self._begin = begins[:-1]
        self._base = int(np.diff(begins).max(initial=1))
        codes = which.reshape(-1) - self._begin[self._group[values.row_of_token]]
        self._sets = ListColumn(values.offsets, codes.astype(np.int32), tuple(map(str, range(self._base)))).distinct()
        self._width = width

    def sizes(self, m: int) -> range:
        """Return how many values can be known, from none to m, or to as many as the longest record has."""
        return range(len(countable_sizes(self._sets, m)) + 1)

    def portions(self, size: int, rows: Flags | None = None) -> Iterator[tuple[Ints, Ints]]:
        """Yield (rows, keys): every set of a size of every record once, of all records or some."""
        if size == 0:
            chosen = np.arange(len(self._group)) if rows is None else np.flatnonzero(rows)
            yield chosen, self._group[chosen]
            return
        if size * np.log2(max(self._base, 2)) + np.log2(max(len(self._begin), 2)) > 62:
            raise ParameterError(f"sets of {size} values are too many to tell apart; use a smaller m.")
        chosen = np.arange(len(self._group)) if rows is None else np.flatnonzero(rows)
        step = self._base**size
        for where, keys in distinct_subsequences(self._sets.take(chosen), size):
            yield chosen[where], self._group[chosen[where]] * step + keys

    def count(self, size: int, rows: Flags | None = None) -> tuple[Ints, Ints]:
        """Return the keys of all sets of a size, ascending, and how many records have each."""
        parts = [keys for _, keys in self.portions(size, rows)]
        keys, supports = np.unique(np.concatenate(parts) if parts else np.empty(0, np.int64), return_counts=True)
        return keys, supports.astype(np.int64)

    def describe(self, key: int, size: int) -> dict[str, Any]:
        """Say what a set is: the cells of its class, and its values."""
        group, rest = divmod(key, self._base**size)
        local = [int(text) for text in decode_key(rest, size, self._sets.labels)]
        labels = self._records.known_values.labels
        values = [labels[int(self._pairs[self._begin[group] + code]) % self._width] for code in local]
        return {"quasi": self._records.table.format_cells(group), "values": sorted(values)}
