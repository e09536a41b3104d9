"""Rows of codes that are the same, found without comparing them one by one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn

__all__ = ["number_rows"]

Ints = npt.NDArray[np.int64]


def number_rows(rows: ListColumn, apart: Ints | None = None) -> Ints:
    """Number rows so that equal ones, and only those, have equal numbers.

    Parameters
    ----------
    rows
        Lists of codes.
    apart
        Of every row: a number from 0. Rows for which it differs are never equal; all may be if it is not given.

    Examples
    --------
    >>> rows = ListColumn.from_lists([["a", "b"], ["a"], ["a", "b"], []])
    >>> number = number_rows(rows)
    >>> (number[:, None] == number).tolist()[0], len(set(number.tolist()))
    ([True, False, True, False], 3)
    """
    lengths, codes = rows.lengths, rows.codes.astype(np.int64)
    number = np.zeros(len(rows), np.int64) if apart is None else apart.astype(np.int64)
    used, base = int(number.max(initial=0)) + 1, int(codes.max(initial=0)) + 1
    for position in range(int(lengths.max(initial=0))):
        # Rows that end here keep their number; longer ones get new ones.
        longer = np.flatnonzero(lengths > position)
        keys = number[longer] * base + codes[rows.offsets[longer] + position]
        distinct, which = np.unique(keys, return_inverse=True)
        number[longer] = used + which
        used += len(distinct)
    return number
