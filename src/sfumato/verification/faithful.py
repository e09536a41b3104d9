"""Nothing invented, nothing swapped: what must hold between an original and records of any kind published of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.release.release import Release

__all__ = ["check_names", "check_people", "check_rows"]

Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None


def check_rows(release: Release, original: Dataset, rows: Ints) -> Counterexample:
    """Look for rows that are none, or that are published twice."""
    if rows.shape != (len(release),) or not (np.issubdtype(rows.dtype, np.integer) or len(rows) == 0):
        return {"published": len(release), "mapped": int(rows.size)}
    outside = (rows < 0) | (rows >= len(original))
    if outside.any():
        return {"rows": [int(np.argmax(outside)) + 1]}
    order = np.argsort(rows, kind="stable")
    repeated = np.flatnonzero(np.diff(rows[order]) == 0)
    if len(repeated):
        return {"rows": (order[repeated[0] : repeated[0] + 2] + 1).tolist()}
    return None


def check_people(release: Release, original: Dataset, counts_agree: bool) -> Counterexample:
    """Look for records that are neither published nor counted as withheld."""
    if counts_agree and len(original) == release.records_in:
        return None
    suppressed_records = list(release.suppressed_records.values())
    return {"people": len(original), "records_in": release.records_in, "withheld": suppressed_records}


def check_names(release: Release, original: Dataset) -> Counterexample:
    """Look for original names among the pseudonyms."""
    names = original.table.column(original.schema.identifier).combine_chunks()
    for column in release.columns:
        if column.role == "identifier":
            pseudonyms = release.table.column(column.name).combine_chunks()
            # People of an original may be called by numbers too, and to count up from 1 says nothing about them.
            if pseudonyms.to_pylist() == [str(number) for number in range(1, len(pseudonyms) + 1)]:
                continue
            leaked = pc.is_in(pseudonyms, value_set=names).to_numpy(zero_copy_only=False)
            if leaked.any():
                return {"rows": [int(np.argmax(leaked)) + 1]}
    return None
