"""Nothing invented, nothing swapped, for activity data: published shares are those of the records of the class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.data.time_units import find_moments
from sfumato.kinds.activity.dataset import UNKNOWN, Slots
from sfumato.kinds.activity.decode import PublishedClasses, begin_intervals
from sfumato.release.release import Release
from sfumato.verification.faithful import check_people, check_rows
from sfumato.verification.structure import COUNTS, READABLE, verify_structure

__all__ = ["check_slots", "share_time", "verify_faithful"]

Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None

_NO_DUPLICATES = "every record is in one class at most"
_INTERVALS = "intervals are those of the original"
_SHARES = "shares are those of the records of the class"
_CELLS = 1 << 20
"""Slots of people that are counted at a time."""


def verify_faithful(release: Release, original: Dataset, rows: Ints) -> Verdict:
    """Check with the owner's class file that every published share is that of the people of its class.

    Shares are worked out anew and must be equal, or nearer than one unit of the last digit where the claim says that
    they are rounded. What is published as unknown says nothing, and is true whatever people did.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original rows, class by class in the order of the list of classes.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]])
    >>> result = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32))
    >>> verify_faithful(result.release, data, result.owner_record.rows).holds
    True
    """
    structure = verify_structure(release)
    if not structure.checks[READABLE]:
        return Verdict(False, {}, {}, structure.counterexample, structure.checks)
    rows = np.asarray(rows)
    counterexamples: dict[str, Counterexample] = {_NO_DUPLICATES: _check_members(release, original, rows)}
    if counterexamples[_NO_DUPLICATES] is None:
        published, slots = PublishedClasses.of(release), Slots.of(original)
        length = int(getattr(release.guarantee, "slot", 1))
        begins = begin_intervals(slots.codes.shape[1], length)
        counterexamples[_INTERVALS] = _check_intervals(release, published, original, begins)
        if counterexamples[_INTERVALS] is None:
            counterexamples[_SHARES] = _check_shares(release, published, slots, rows.astype(np.int64), begins)
    counterexamples["withheld records are counted"] = check_people(release, original, structure.checks[COUNTS])
    counterexample = next(({"check": name, **seen} for name, seen in counterexamples.items() if seen is not None), None)
    return Verdict(
        counterexample is None, {}, {}, counterexample, {name: seen is None for name, seen in counterexamples.items()}
    )


def _check_members(release: Release, original: Dataset, rows: Ints) -> Counterexample:
    """Look for a class file that does not hold every published record once, as many as the sizes of classes say."""
    sizes = PublishedClasses.of(release).sizes
    if (sizes < 1).any() or sum(sizes.tolist()) != len(release):
        return {"published": len(release), "classes": sum(sizes.tolist())}
    return check_rows(release, original, rows)


def _check_intervals(release: Release, published: PublishedClasses, original: Dataset, begins: Ints) -> Counterexample:
    """Look for intervals that do not begin when those of the original do."""
    time_unit = original.time_unit
    dated = release.columns[1].form.type == "timestamp"
    if dated and time_unit.unit is None:
        return {"published": "dates", "original": "numbers"}
    # Dates are microseconds since 1970, worked out here and not by what publishes them.
    expected = find_moments(str(time_unit.unit), time_unit.origin + begins) if dated else np.arange(len(begins))
    if np.array_equal(expected, published.begins):
        return None
    return {"published": len(published.begins), "original": len(begins)}


def _check_shares(
    release: Release, published: PublishedClasses, slots: Slots, rows: Ints, begins: Ints
) -> Counterexample:
    """Compare published shares with those of the people, class by class."""
    unheard = [label for label in published.labels if label not in slots.labels]
    if unheard:
        return {"activity": unheard[0]}
    digits, gap = (getattr(release.guarantee, name, None) for name in ("digits", "gap"))
    error = (0.0 if digits is None else 10.0**-digits) * (1 + 1e-9)
    shown = ~published.find_hidden(gap)
    classes = zip(published.names, published.tables(), published.members(rows), shown, strict=True)
    for name, shares, members, where in classes:
        expected = share_time(slots.codes[members], begins, len(slots.labels))
        # What is not published anywhere is a share of nothing.
        stated = np.zeros_like(expected)
        stated[:, slots.find(published.labels)] = shares
        wrong = where & (np.abs(stated - expected) > error).any(axis=1)
        if wrong.any():
            return {"class": name, "interval": int(np.argmax(wrong)) + 1}
    return None


def share_time(codes: npt.NDArray[np.int32], begins: Ints, activities: int) -> npt.NDArray[np.float64]:
    """Return the share of some people's time that goes into each activity: interval, activity.

    Every slot of everybody is one of an interval and an activity, and these are counted, some people at a time.

    Examples
    --------
    >>> share_time(np.array([[0, 1, 1], [0, 0, 1]], np.int32), np.array([0, 2]), 2).tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    lengths = np.diff(begins, append=codes.shape[1])
    spent = np.zeros(len(begins) * activities, dtype=np.int64)
    first_of_interval = np.repeat(np.arange(len(begins)) * activities, lengths)
    people = max(_CELLS // codes.shape[1], 1)
    for at in range(0, len(codes), people):
        spent += np.bincount((codes[at : at + people] + first_of_interval).ravel(), minlength=len(spent))
    return np.asarray(spent.reshape(len(begins), activities) / (len(codes) * lengths)[:, None])


def check_slots(release: Release, original: Dataset) -> Counterexample:
    """Look for other slots than those of the original, and unknown time that the claim takes for an activity."""
    claimed: Any = release.guarantee
    days = Slots.of(original)
    slots = days.codes.shape[1]
    if claimed.slots != slots:
        return {"slots": claimed.slots, "original": slots}
    named = str(original.read_options.get("gap") or UNKNOWN)
    occurs = named in days.labels and any(days.labels.index(named) in day for day in days.codes)
    gap = named if occurs else None
    return None if gap == claimed.gap else {"gap": claimed.gap, "original": gap}
