"""What items of a record lose: one definition for the method that bounds the loss and the measure that reports it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn

__all__ = ["list_item_losses"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def list_item_losses(records: ListColumn, sizes: Ints) -> Floats:
    """Return the utility loss (UL) of every record: ``sum of (2^|u| - 1) over its values u, over 2^(sum of |u|) - 1``.

    All powers are taken relative to the denominator's, so that none overflows. A record without values loses nothing.

    Parameters
    ----------
    records
        Published values of every record, each once.
    sizes
        Number of items that each value stands for.

    Examples
    --------
    >>> records = ListColumn.from_lists([["a", "b"], ["c"], []])
    >>> list_item_losses(records, np.array([2, 1, 5000])).round(6).tolist()  # 4/7, 1 and 0
    [0.571429, 1.0, 0.0]
    """
    amounts, rows = sizes.astype(np.float64)[records.codes], records.row_of_token
    total = np.bincount(rows, amounts, minlength=len(records))
    # The smallest first: the sum is then the same in whatever order values are numbered.
    order = np.lexsort((amounts, rows))
    amounts, rows = amounts[order], rows[order]
    shares = np.bincount(rows, 2.0 ** (amounts - total[rows]) * (1 - 2.0**-amounts), minlength=len(records))
    return np.asarray(np.divide(shares, 1 - 2.0**-total, out=np.zeros(len(records)), where=total > 0), np.float64)
