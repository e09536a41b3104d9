"""Nothing invented, nothing swapped, for activity data: published shares are those of the people of the class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.core.activity import PublishedClasses, Slots, begin_intervals, count_durations
from sfumato.core.dataset import Dataset
from sfumato.core.release import Release
from sfumato.core.verdict import Verdict
from sfumato.verify.faithful import check_people, check_rows
from sfumato.verify.structure import COUNTS, READABLE, verify_structure

__all__ = ["KINDS", "verify_faithful"]

KINDS = ("activity",)

Ints = npt.NDArray[np.int64]
Witness = dict[str, Any] | None

_ONCE = "everybody is in one class at most"
_INTERVALS = "intervals are those of the original"
_SHARES = "shares are those of the people of the class"


def verify_faithful(release: Release, original: Dataset, rows: Ints) -> Verdict:
    """Check with the owner's class file that every published share is that of the people of its class.

    Shares are worked out anew and must be equal, or nearer than one unit of the last digit where the claim says that
    they are rounded.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original rows, class by class in the order of the list of classes.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.from_activity([["sleep", "eat"], ["sleep", "sleep"]])
    >>> result = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32))
    >>> verify_faithful(result.release, data, result.trace.rows).holds
    True
    """
    structure = verify_structure(release)
    if not structure.checks[READABLE]:
        return Verdict(False, {}, {}, structure.witness, structure.checks)
    rows = np.asarray(rows)
    found: dict[str, Witness] = {_ONCE: _check_members(release, original, rows)}
    if found[_ONCE] is None:
        published, slots = PublishedClasses.of(release), Slots.of(original)
        length = int(getattr(release.guarantee, "slot", 1))
        begins = begin_intervals(slots.codes.shape[1], length)
        found[_INTERVALS] = _check_intervals(release, published, original, begins)
        if found[_INTERVALS] is None:
            digits = getattr(release.guarantee, "digits", None)
            found[_SHARES] = _check_shares(published, slots, rows.astype(np.int64), begins, digits)
    found["withheld people are counted"] = check_people(release, original, structure.checks[COUNTS])
    witness = next(({"check": name, **seen} for name, seen in found.items() if seen is not None), None)
    return Verdict(witness is None, {}, {}, witness, {name: seen is None for name, seen in found.items()})


def _check_members(release: Release, original: Dataset, rows: Ints) -> Witness:
    sizes = PublishedClasses.of(release).sizes
    if (sizes < 1).any() or sum(sizes.tolist()) != len(release):
        return {"published": len(release), "classes": sum(sizes.tolist())}
    return check_rows(release, original, rows)


def _check_intervals(release: Release, published: PublishedClasses, original: Dataset, begins: Ints) -> Witness:
    clock = original.clock
    dated = release.columns[1].form.type == "timestamp"
    if dated and clock.unit is None:
        return {"published": "dates", "original": "numbers"}
    expected = clock.to_arrow(clock.origin + begins).cast("int64").to_numpy() if dated else np.arange(len(begins))
    if np.array_equal(expected, published.begins):
        return None
    return {"published": len(published.begins), "original": len(begins)}


def _check_shares(published: PublishedClasses, slots: Slots, rows: Ints, begins: Ints, digits: int | None) -> Witness:
    """Compare published shares with those of the people, class by class."""
    unknown = [label for label in published.labels if label not in slots.labels]
    if unknown:
        return {"activity": unknown[0]}
    code = slots.find(published.labels)
    others = np.setdiff1d(np.arange(len(slots.labels)), code)
    for name, shares, members in zip(published.names, published.tables(), published.members(rows), strict=True):
        counts = count_durations(slots.codes[members], begins, len(slots.labels))
        expected = counts / counts.sum(axis=1, keepdims=True)
        unit = 0.0 if digits is None else 10.0**-digits
        # What is not published anywhere is a share of nothing.
        missing = expected[:, others] > unit * (1 + 1e-9)
        wrong = np.abs(shares - expected[:, code]) > unit * (1 + 1e-9)
        if missing.any() or wrong.any():
            interval = int(np.argmax(missing.any(axis=1) | wrong.any(axis=1)))
            return {"class": name, "interval": interval + 1}
    return None
