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
from sfumato.kinds.activity.guarantees.class_anonymity import ClassAnonymity
from sfumato.kinds.activity.knowledge.bounds import Within
from sfumato.kinds.activity.knowledge.windows import find_shown
from sfumato.kinds.activity.verify.faithful import check_asked, verify_faithful
from sfumato.release.release import Release
from sfumato.verification.claim import read_claim

__all__ = ["count_observed", "settle", "verify", "verify_against", "verify_sizes"]


Ints = npt.NDArray[np.int64]
Witness = dict[str, Any] | None

_CHECK = "every class has k records"
_SLOTS = "intervals make up the slots"
_OBSERVED = "k records of a class are observed wherever something is published of it"
_ASKED = "the claim is about the slots there are, and knows what unknown time is called"
_OPEN = (
    "Some time is unknown, and shares do not tell whether k={k} records of a class were observed at the same time. "
    "The original and the owner's class file do (verify with the original)."
)


def verify(release: Release) -> Verdict:
    """Check a release on its own: does every class have at least k people, and do its shares make up their time?

    Somebody whose time is unknown does not count. Where shares of unknown time leave open whether k people of a class
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
    claim: Any
    claim, structure, unreadable = read_claim(release, wanted)
    if unreadable is not None:
        return unreadable
    published = PublishedClasses.of(release)
    measured = {"k": int(published.sizes.min(initial=len(release))), "classes": len(published.names)}
    checks: dict[str, Witness] = {_CHECK: None, _SLOTS: None}
    small = np.flatnonzero(published.sizes < claim.k)
    if len(small):
        checks[_CHECK] = {"class": published.names[small[0]], "size": int(published.sizes[small[0]])}
    if len(measure_intervals(claim.slots, claim.slot)) != len(published.begins):
        checks[_SLOTS] = {"slots": claim.slots, "intervals": len(published.begins)}
    unsettled: tuple[str, ...] = ()
    if claim.gap is not None and checks[_SLOTS] is None:
        hidden = published.find_hidden(claim.gap)
        measured |= {"intervals_of_classes": hidden.size, "intervals_unknown": int(hidden.sum())}
        checks[_OBSERVED], settled = _bound_observed(published, claim)
        unsettled = () if settled else (_OPEN.format(k=claim.k),)
    witness = next(({"check": name, **seen} for name, seen in checks.items() if seen is not None), None)
    passed = {name: seen is None for name, seen in checks.items()}
    return structure & Verdict(witness is None, claim.parameters(), measured, witness, passed, unsettled)


def _bound_observed(published: PublishedClasses, claim: Any) -> tuple[Witness, bool]:
    """Look for an interval in which fewer than k people are observed on average, and tell whether k always are.

    Unknown slots may all fall together: if they are no more than the people who are not needed, k people are left.
    """
    lengths = measure_intervals(claim.slots, claim.slot)
    error = 0.0 if claim.digits is None else 10.0**-claim.digits
    unknown = Within.of_shares(published.shares_of(claim.gap), published.sizes[:, None] * lengths, error)
    shown = ~published.find_hidden(claim.gap)
    spare = (published.sizes - claim.k)[:, None]
    few = shown & (unknown.least > spare * lengths)
    if few.any():
        owner, interval = np.unravel_index(int(np.argmax(few)), few.shape)
        return {"class": published.names[owner], "interval": int(interval) + 1}, True
    return None, bool((~shown | (unknown.most <= spare)).all())


def count_observed(release: Release, original: Dataset, rows: Ints) -> Verdict:
    """Count in the original how many people of a class are observed in every slot of which something is published."""
    claim: Any = release.guarantee
    published, slots = PublishedClasses.of(release), Slots.of(original)
    code = -1 if claim.gap is None else slots.find((claim.gap,))[0]
    hidden = published.find_hidden(claim.gap)
    least, witness = int(published.sizes.min(initial=len(release))), None
    for at, people in enumerate(published.members(rows)):
        shown = find_shown(hidden[at], claim.slots, claim.slot, window=1)
        observed = np.count_nonzero(slots.codes[people][:, shown] != code, axis=0)
        fewest = int(observed.min(initial=len(people)))
        least = min(least, fewest)
        if fewest < claim.k and witness is None:
            interval = int(shown[np.argmax(observed < claim.k)]) // claim.slot + 1
            witness = {"check": _OBSERVED, "class": published.names[at], "interval": interval, "observed": fewest}
    return Verdict(witness is None, {}, {"k": least}, witness, {_OBSERVED: witness is None})


def settle(verdict: Verdict) -> Verdict:
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
    >>> verify_against(result.release, data, result.trace.rows).holds
    True
    """
    verdict = verify(release)
    if not verdict.holds:
        return verdict
    mismatch = check_asked(release, original)
    witness = None if mismatch is None else {"check": _ASKED, **mismatch}
    verdict &= Verdict(witness is None, {}, {}, witness, {_ASKED: witness is None})
    if rows is None or not verdict.holds:
        return verdict
    faithful = verify_faithful(release, original, rows)
    if not faithful:
        return settle(verdict) & faithful
    return settle(verdict) & faithful & count_observed(release, original, np.asarray(rows))
