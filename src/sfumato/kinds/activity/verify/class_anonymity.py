"""k-anonymity of classes of activity data, counted anew: short enough to read in one sitting."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.activity.dataset import Slots
from sfumato.kinds.activity.decode import PublishedClasses, measure_intervals
from sfumato.kinds.activity.guarantees import ClassAnonymity
from sfumato.kinds.activity.knowledge.bounds import Within
from sfumato.kinds.activity.knowledge.windows import find_shown
from sfumato.kinds.activity.verify.faithful import check_slots, verify_faithful
from sfumato.release.release import Release
from sfumato.verification.claimed import read_claimed

__all__ = ["close_open_claims", "count_observed", "verify", "verify_against", "verify_sizes"]


Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None

_CHECK = "every class has k records"
_SLOTS = "intervals make up the slots"
_OBSERVED = "k records of a class are observed wherever something is published of it"
_SLOTS_AND_GAP = "the claim is about the slots there are, and knows what unknown time is called"
_OPEN = (
    "Some time is unknown, and shares do not show whether k={k} records of a class were observed at the "
    "same time. Verify with the original and the owner's class file."
)


def verify(release: Release) -> Verdict:
    """Check a release on its own: does every class have at least k people, and do its shares make up their time?

    Someone whose time is unknown does not count. Where shares of unknown time leave open whether k people of a class
    were observed at all times of an interval, the claim cannot be judged without the original.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]])
    >>> verify(sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32)).release).measured
    {'k': 2, 'classes': 1}

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section 2.
    """
    return verify_sizes(release, ClassAnonymity)


def verify_sizes(release: Release, wanted: type[Guarantee]) -> Verdict:
    """Check the structure of a release of classes, and that each has as many people, observed, as is claimed.

    Parameters
    ----------
    release
        What was published.
    wanted
        The claim it must make.
    """
    claimed: Any
    claimed, structure, unreadable = read_claimed(release, wanted)
    if unreadable is not None:
        return unreadable
    published = PublishedClasses.of(release)
    measured = {"k": int(published.sizes.min(initial=len(release))), "classes": len(published.names)}
    checks: dict[str, Counterexample] = {_CHECK: None, _SLOTS: None}
    small = np.flatnonzero(published.sizes < claimed.k)
    if len(small):
        checks[_CHECK] = {"class": published.names[small[0]], "size": int(published.sizes[small[0]])}
    if len(measure_intervals(claimed.slots, claimed.slot)) != len(published.begins):
        checks[_SLOTS] = {"slots": claimed.slots, "intervals": len(published.begins)}
    unsettled: tuple[str, ...] = ()
    if claimed.gap is not None and checks[_SLOTS] is None:
        hidden = published.find_hidden(claimed.gap)
        measured |= {"intervals_of_classes": hidden.size, "intervals_unknown": int(hidden.sum())}
        checks[_OBSERVED], is_decided = _bound_observed(published, claimed)
        unsettled = () if is_decided else (_OPEN.format(k=claimed.k),)
    counterexample = next(({"check": name, **seen} for name, seen in checks.items() if seen is not None), None)
    passed = {name: seen is None for name, seen in checks.items()}
    return structure & Verdict(
        counterexample is None, claimed.parameters(), measured, counterexample, passed, unsettled
    )


def _bound_observed(published: PublishedClasses, claimed: Any) -> tuple[Counterexample, bool]:
    """Look for an interval in which fewer than k people are observed on average, and tell whether k always are.

    Unknown slots may all fall together: if they are no more than the people who are not needed, k people are left.
    """
    lengths = measure_intervals(claimed.slots, claimed.slot)
    error = 0.0 if claimed.digits is None else 10.0**-claimed.digits
    unknown = Within.of_shares(published.shares_of(claimed.gap), published.sizes[:, None] * lengths, error)
    shown = ~published.find_hidden(claimed.gap)
    spare = (published.sizes - claimed.k)[:, None]
    few = shown & (unknown.least > spare * lengths)
    if few.any():
        owner, interval = np.unravel_index(int(np.argmax(few)), few.shape)
        return {"class": published.names[owner], "interval": int(interval) + 1}, True
    return None, bool((~shown | (unknown.most <= spare)).all())


def count_observed(release: Release, original: Dataset, rows: Ints) -> Verdict:
    """Count in the original how many people of a class are observed in every slot of which something is published."""
    claimed: Any = release.guarantee
    published, slots = PublishedClasses.of(release), Slots.of(original)
    code = -1 if claimed.gap is None else slots.find((claimed.gap,))[0]
    hidden = published.find_hidden(claimed.gap)
    least, counterexample = int(published.sizes.min(initial=len(release))), None
    for at, people in enumerate(published.members(rows)):
        shown = find_shown(hidden[at], claimed.slots, claimed.slot, window=1)
        observed = np.count_nonzero(slots.codes[people][:, shown] != code, axis=0)
        smallest = int(observed.min(initial=len(people)))
        least = min(least, smallest)
        if smallest < claimed.k and counterexample is None:
            interval = int(shown[np.argmax(observed < claimed.k)]) // claimed.slot + 1
            counterexample = {
                "check": _OBSERVED,
                "class": published.names[at],
                "interval": interval,
                "observed": smallest,
            }
    return Verdict(counterexample is None, {}, {"k": least}, counterexample, {_OBSERVED: counterexample is None})


def close_open_claims(verdict: Verdict) -> Verdict:
    """Return a verdict without what the files alone left open, for a check that counts it."""
    return dataclasses.replace(verdict, unsettled=())


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Check a release against the original: are the classes those of the owner's class file, with k people each?

    Without the class file nothing can be checked but the release on its own.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]])
    >>> result = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32))
    >>> verify_against(result.release, data, result.owner_record.rows).holds
    True
    """
    verdict = verify(release)
    if not verdict.holds:
        return verdict
    mismatch = check_slots(release, original)
    counterexample = None if mismatch is None else {"check": _SLOTS_AND_GAP, **mismatch}
    verdict &= Verdict(counterexample is None, {}, {}, counterexample, {_SLOTS_AND_GAP: counterexample is None})
    if rows is None or not verdict.holds:
        return verdict
    faithful = verify_faithful(release, original, rows)
    if not faithful:
        return close_open_claims(verdict) & faithful
    return close_open_claims(verdict) & faithful & count_observed(release, original, np.asarray(rows))
