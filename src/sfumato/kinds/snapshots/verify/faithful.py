"""Nothing invented, nothing swapped, for snapshots: every record is an original one, at most a little late."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.snapshots.decode import (
    PublishedSnapshots,
    count_snapshots,
    original_codes,
    original_times,
    shift_times,
)
from sfumato.release.release import Release
from sfumato.verification.faithful import check_people, check_rows
from sfumato.verification.structure import COUNTS, READABLE, verify_structure

__all__ = ["verify_faithful"]


Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None

_NO_DUPLICATES = "every record is published at most once"


def verify_faithful(release: Release, original: Dataset, rows: Ints) -> Verdict:
    """Check with the owner's row map that every published record is the original one.

    Attributes are exactly the original ones; a group lists exactly the sensitive values of its records; a record is
    published not before its own snapshot and less than ``window`` snapshots after it; no record is published twice;
    the others are counted as suppressed.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row (from 0) of every published row.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold")], ("age",), "ill")
    >>> result = sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32))
    >>> verify_faithful(result.release, data, result.owner_record.rows).holds
    True
    """
    structure = verify_structure(release)
    if not structure.checks[READABLE]:
        return Verdict(False, {}, {}, structure.counterexample, structure.checks)
    rows = np.asarray(rows)
    counterexamples: dict[str, Counterexample] = {_NO_DUPLICATES: check_rows(release, original, rows)}
    if counterexamples[_NO_DUPLICATES] is None:
        rows = rows.astype(np.int64)
        published = PublishedSnapshots.of(release)
        counterexamples["attributes are the original ones"] = _check_attributes(release, original, rows)
        counterexamples["sensitive values are those of the group's records"] = _check_values(published, original, rows)
        counterexamples["no record is early or too late"] = _check_delays(release, published, original, rows)
    counterexamples["withheld records are counted"] = check_people(release, original, structure.checks[COUNTS])
    counterexample = next(({"check": name, **seen} for name, seen in counterexamples.items() if seen is not None), None)
    return Verdict(
        counterexample is None, {}, {}, counterexample, {name: seen is None for name, seen in counterexamples.items()}
    )


def _check_attributes(release: Release, original: Dataset, rows: Ints) -> Counterexample:
    names = {column.name for column in original.schema.columns}
    for column in release.columns:
        if column.role not in {"quasi-identifier", "plain"}:
            continue
        if column.name not in names:
            return {"column": column.name}
        expected = original.table.column(column.name).cast(pa.string()).take(pa.array(rows))
        same = np.asarray(release.table.column(column.name).to_pylist(), dtype=object) == np.asarray(
            expected.to_pylist(), dtype=object
        )
        if not np.all(same):
            return {"column": column.name, "rows": [int(np.argmin(same)) + 1]}
    return None


def _check_values(published: PublishedSnapshots, original: Dataset, rows: Ints) -> Counterexample:
    values = original_codes(original, published.labels)[rows]
    if (values < 0).any():
        return {"rows": [int(np.argmin(values)) + 1]}
    base = max(len(published.labels), 1)
    expected = published.group * base + values
    listed = published.pair_group * base + published.pair_value
    pairs, at = np.unique(np.concatenate([expected, listed]), return_inverse=True)
    true = np.bincount(at[: len(expected)], minlength=len(pairs))
    entries = at[len(expected) :]
    claimed = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(claimed, entries, published.pair_count)
    wrong = (claimed != true) | (np.bincount(entries, minlength=len(pairs)) != 1)
    if not wrong.any():
        return None
    group = int(pairs[np.argmax(wrong)]) // base
    return {"rows": (np.flatnonzero(published.group == group)[:2] + 1).tolist()}


def _check_delays(release: Release, published: PublishedSnapshots, original: Dataset, rows: Ints) -> Counterexample:
    begin, time_unit = original_times(original, release)[rows], original.time_unit
    window = getattr(release.guarantee, "window", 1)
    wrong = (published.times < begin) | (published.times > shift_times(time_unit, begin, window - 1))
    if not wrong.any():
        return None
    at = int(np.argmax(wrong))
    late = count_snapshots(time_unit, published.times) - count_snapshots(time_unit, begin)
    return {"rows": [at + 1], "snapshots_late": int(late[at]), "window": window}
