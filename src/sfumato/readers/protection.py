"""Frequency of sensitive values, and the guarantee that a first policy can give."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset

__all__ = ["SensitiveColumn", "choose_l", "list_sensitive", "share_with_sensitive"]

_LEAST, _MOST = 2, 3
"""Smallest and largest l of a first policy: a larger l costs much utility."""


class SensitiveColumn(NamedTuple):
    """A sensitive column, how many different values it has, and the share of records with the most frequent one."""

    name: str
    values: int
    share: float


def list_sensitive(dataset: Dataset) -> list[SensitiveColumn]:
    """Return the sensitive columns of a dataset.

    Examples
    --------
    >>> rows = [(20, "flu"), (30, "flu"), (40, "cold"), (50, "none")]
    >>> list_sensitive(Dataset.of("table", rows, ("age", "illness"), sensitive=("illness",)))
    [SensitiveColumn(name='illness', values=3, share=0.5)]
    """
    columns = []
    for column in dataset.schema.columns:
        if column.role == "sensitive":
            counts = pc.value_counts(dataset.table.column(column.name)).field("counts").to_numpy(zero_copy_only=False)
            columns.append(SensitiveColumn(column.name, len(counts), float(counts.max() / counts.sum())))
    return columns


def share_with_sensitive(dataset: Dataset) -> float:
    """Return the largest share of records that have the same sensitive value in their history.

    Examples
    --------
    >>> share_with_sensitive(Dataset.of("sets", [["tea", "rum"], ["tea"]], sensitive=("rum",)))
    0.5
    """
    history, sensitive = dataset.history(), set(dataset.schema.sensitive)
    record = np.repeat(np.arange(len(dataset)), history.lengths)
    codes = [code for code, label in enumerate(history.labels) if label in sensitive]
    holders = [len(np.unique(record[history.codes == code])) for code in codes]
    return max(holders, default=0) / max(len(dataset), 1)


def choose_l(share: float) -> int | None:
    """Return l for a value in this share of the records, 2 or 3; None where it is in more than half of them.

    Examples
    --------
    >>> choose_l(0.1), choose_l(0.4), choose_l(0.75)
    (3, 2, None)
    """
    largest = _MOST if not share else min(_MOST, int(1 / share + 1e-9))
    return largest if largest >= _LEAST else None
