"""Is a published timeline true? Nothing invented, nothing moved, and only sensitive events deleted."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.kinds.timeline.decode import read_timeline
from sfumato.release.release import Release
from sfumato.verification.faithful import check_people, check_rows
from sfumato.verification.structure import COUNTS, READABLE, verify_structure

__all__ = ["verify_faithful"]


Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None

_COUNTED = "withheld time points are counted"


def verify_faithful(release: Release, original: Dataset, rows: Ints) -> Verdict:
    """Check every published time point against the original one it comes from.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row of every published row.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.plugins import find_method
    >>> data = Dataset.of("timeline", [{"a": 2, "b": 3}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> result = find_method("odesa")(delta="1/4").anonymize(data, Run(bytes(32)))
    >>> verify_faithful(result.release, data, result.owner_record.rows).holds
    True
    """
    structure = verify_structure(release)
    if not structure.checks[READABLE]:
        return Verdict(False, {}, {}, {"check": READABLE}, {"row map fits": False})
    published, before = read_timeline(release), Timeline.of(original)
    rows = np.asarray(rows)
    violation = _check_rows(release, original, rows)
    checks = {"row map fits": violation is None}
    if violation is not None:
        return Verdict(False, {}, {}, violation, checks)
    rows = rows.astype(np.int64)
    counterexample: Counterexample = None
    times = original.time_unit.to_arrow(before.times[rows]).cast("int64").to_numpy()
    if len(wrong := np.flatnonzero(times != published.times)):
        counterexample = {"check": "times are the original ones", "rows": [int(wrong[0]) + 1]}
    checks["times are the original ones"] = counterexample is None
    for name, check in _checks:
        violation = check(published, before, rows, original)
        checks[name] = violation is None
        if violation is not None and counterexample is None:
            counterexample = {"check": name, **violation}
    violation = check_people(release, original, structure.checks[COUNTS])
    checks[_COUNTED] = violation is None
    if violation is not None and counterexample is None:
        counterexample = {"check": _COUNTED, **violation}
    return Verdict(all(checks.values()), {}, {}, counterexample, checks)


def _check_rows(release: Release, original: Dataset, rows: Ints) -> Counterexample:
    violation = check_rows(release, original, rows)
    if violation is None and (np.diff(rows) <= 0).any():
        return {"row_map": "not ascending rows of the original"}
    return violation


def _differences(published: Timeline, before: Timeline, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """Return original row and event of everything that differs, and how much is published beyond the original."""
    code = before.code_of()
    labels = {label: code.get(label, len(code) + i) for i, label in enumerate(published.labels)}
    width = len(code) + len(labels) + 1
    recode = np.array([labels[label] for label in published.labels], dtype=np.int64)
    shown = rows[published.points] * width + (recode[published.codes] if len(recode) else published.codes)
    there = before.points * width + before.codes
    keys, where = np.unique(np.concatenate([shown, there]), return_inverse=True)
    beyond = np.zeros(len(keys), dtype=np.int64)
    np.add.at(beyond, where[: len(shown)], published.counts)
    np.subtract.at(beyond, where[len(shown) :], before.counts)
    changed = np.flatnonzero(beyond)
    row, event = np.divmod(keys[changed], width)
    return row, event, beyond[changed]


def _check_nothing_invented(published: Timeline, before: Timeline, rows: Ints, original: Dataset) -> Counterexample:  # noqa: ARG001
    """Look for occurrences that the original does not have at that time."""
    row, _, beyond = _differences(published, before, rows)
    extra = np.flatnonzero(beyond > 0)
    return {"rows": [int(np.searchsorted(rows, row[extra[0]])) + 1]} if len(extra) else None


def _check_only_sensitive(published: Timeline, before: Timeline, rows: Ints, original: Dataset) -> Counterexample:
    """Look for deleted occurrences of events that are not sensitive, also at time points that are left out."""
    row, event, beyond = _differences(published, before, rows)
    sensitive = set(original.schema.sensitive)
    ordinary = np.array([label not in sensitive for label in before.labels] + [False] * len(published.labels) + [False])
    gone = np.flatnonzero((beyond < 0) & ordinary[event]) if len(event) else event
    if not len(gone):
        return None
    at = int(np.searchsorted(rows, row[gone[0]]))
    return {"rows": [at + 1]} if at < len(rows) and rows[at] == row[gone[0]] else {"left_out": 1}


_checks = (
    ("nothing is invented", _check_nothing_invented),
    ("only sensitive events are deleted", _check_only_sensitive),
)
