"""Records too long to hide: the one case in which no generalisation helps."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.core.errors import InfeasibleError

__all__ = ["hideable_rows"]


def hideable_rows(lengths: npt.NDArray[np.int64], k: int, m: int, infeasible: str, owner: str) -> npt.NDArray[np.bool_]:
    """Mark the rows that can be hidden among k others of at least their length.

    When fewer than k rows (but some) have length i or more, for an i up to m, merging everything into one
    place still leaves a sequence of i places that fewer than k rows contain. ``infeasible="error"`` says
    so; ``infeasible="suppress"`` leaves those rows out. Fewer than k rows are never enough, even if there is no
    place in them by which they could be told apart.

    Examples
    --------
    >>> hideable_rows(np.array([1, 1, 2]), k=2, m=2, infeasible="suppress", owner="SeqAnon").tolist()
    [True, True, False]
    """
    kept = np.ones(len(lengths), dtype=bool)
    for size in range(m, 0, -1):
        long_enough = kept & (lengths >= size)
        count = int(long_enough.sum())
        if not 0 < count < k:
            continue
        if infeasible == "error":
            raise InfeasibleError(
                f"{owner}: only {count} of {len(lengths)} records have {size} or more places, and k is {k}. "
                f"However far places are generalised, fewer than {k} records share {size} places. "
                f"Use infeasible=suppress to withhold those {count}, or a smaller k or m."
            )
        kept &= lengths < size
    left = int(kept.sum())
    if left < k:
        raise InfeasibleError(
            f"{owner}: after withholding records that are too long to hide, {left} of {len(lengths)} records are left, "
            f"and k is {k}. Use a smaller k or m, or more data."
        )
    return kept
