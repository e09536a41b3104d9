"""(delta, epsilon)-diversity of classes, counted anew: short enough to read in one sitting.

How many people of a class do something throughout a window is not published. The shares bound it from both sides, for
windows that begin at any slot (:mod:`sfumato.kinds.activity.knowledge.bounds` has the proofs). Where these bounds do
not decide, the owner's class file does; without it the claim cannot be judged.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.activity.dataset import Slots
from sfumato.kinds.activity.dataset.spans import SECONDS, SLOT, check_span
from sfumato.kinds.activity.decode import PublishedClasses
from sfumato.kinds.activity.guarantees.activity_diversity import ActivityDiversity
from sfumato.kinds.activity.knowledge.bounds import PublishedTime
from sfumato.kinds.activity.knowledge.windows import count_shown
from sfumato.kinds.activity.verify.class_anonymity import count_observed, settle, verify_sizes
from sfumato.kinds.activity.verify.faithful import check_asked, verify_faithful
from sfumato.progress import track
from sfumato.release.release import Release

__all__ = ["verify", "verify_against"]


Ints = npt.NDArray[np.int64]
Witness = dict[str, Any] | None

_SPELLED_OUT = "the claim is about windows there are"
_BOUNDED = "no shares show that too many do a sensitive activity throughout a window"
_COUNTED = "few records of every class have a sensitive activity throughout a window"
_ASKED = "the claim is about the sensitive activities and the time asked for"
_OPEN = (
    "Published shares alone do not tell how many of a class do a sensitive activity throughout {delta}: it may "
    "be up to {most} of a class, and {epsilon} is claimed. The original and the owner's class file do "
    "(verify with the original)."
)


def verify(release: Release) -> Verdict:
    """Check a release on its own: sizes of classes, shares, and what the shares say about diversity.

    The measured ``diversity`` is ``proved by the shares`` where no class can break the claim, whoever is in it;
    ``broken`` where every class with these shares does; and it ``needs the class file`` where the shares leave both
    possible, so that the claim cannot be judged from the files alone.

    Examples
    --------
    >>> import sfumato as sf
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> method = sf.methods.McLMdavWd(k=2, delta="2", epsilon="1/2", aggregate="3,1")
    >>> verify(sf.anonymize(data, method, secret=bytes(32)).release).measured
    {'k': 2, 'classes': 2, 'share_at_most': '1/2', 'diversity': 'proved by the shares'}

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Definition 1.
    """
    verdict = verify_sizes(release, ActivityDiversity)
    if not verdict.holds:
        return verdict
    claim = release.guarantee
    assert isinstance(claim, ActivityDiversity)
    published = PublishedClasses.of(release)
    if not claim.sensitive or claim.delta_slots > claim.slots or claim.gap in claim.sensitive:
        details = {"sensitive": len(claim.sensitive), "delta_slots": claim.delta_slots, "slots": claim.slots}
        return verdict & Verdict(False, {}, {}, {"check": _SPELLED_OUT, **details}, {_SPELLED_OUT: False})
    largest, proved = _bound_from_above(published, claim)
    witness = _find_certain_breach(published, claim)
    diversity = "proved by the shares" if proved else "needs the class file"
    measured = {"share_at_most": str(largest), "diversity": diversity if witness is None else "broken"}
    unsettled: tuple[str, ...] = ()
    if not proved:
        unsettled = (_OPEN.format(delta=claim.delta, most=largest, epsilon=claim.epsilon),)
    checks = {_SPELLED_OUT: True, _BOUNDED: witness is None}
    return verdict & Verdict(witness is None, {}, measured, witness, checks, unsettled)


def _bound_from_above(published: PublishedClasses, claim: ActivityDiversity) -> tuple[Fraction, bool]:
    """Return the largest share of a class that is possible, and whether the claim holds whoever is in the classes."""
    largest, proved = Fraction(0), True
    for label in claim.sensitive:
        time = PublishedTime.of(published, label, claim)
        for owner in track("compare records", range(len(published.names))):
            crowds = time.bound_from_above(owner, claim.delta_slots)
            largest = max(largest, crowds.largest()[0])
            proved = proved and not crowds.exceed(claim.fraction).any()
    return largest, proved


def _find_certain_breach(published: PublishedClasses, claim: ActivityDiversity) -> Witness:
    """Look for a span in which shares prove that too many do a sensitive activity throughout some window."""
    for label in claim.sensitive:
        breach = PublishedTime.of(published, label, claim).bound_from_below(claim.delta_slots, claim.fraction)
        if breach is not None:
            return {
                "check": _BOUNDED,
                "class": published.names[breach.owner],
                "size": int(published.sizes[breach.owner]),
                "people": breach.people,
                "from_interval": breach.first + 1,
                "to_interval": breach.stop,
                "activity": label,
            }
    return None


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Check a release against the original and the owner's class file: everything is counted anew, exactly.

    Without the class file the shares have to do, as in :func:`verify`.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original rows, class by class in the order of the list of classes.

    Examples
    --------
    >>> import sfumato as sf
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> method = sf.methods.McLMdavWd(k=2, delta="2", epsilon="1/2", aggregate="3,1")
    >>> result = sf.anonymize(data, method, secret=bytes(32))
    >>> verify_against(result.release, data, result.trace.rows).measured
    {'k': 2, 'classes': 2, 'share_at_most': '1/2', 'diversity': 'counted', 'share': '1/2'}
    """
    verdict = verify(release)
    if not verdict.holds:
        return verdict
    claim = release.guarantee
    assert isinstance(claim, ActivityDiversity)
    mismatch = _check_asked(release, claim, original)
    verdict &= Verdict(mismatch is None, {}, {}, mismatch, {_ASKED: mismatch is None})
    if rows is None or not verdict.holds:
        return verdict
    faithful = verify_faithful(release, original, rows)
    if not faithful:
        return settle(verdict) & faithful
    rows = np.asarray(rows)
    largest, witness = _count(PublishedClasses.of(release), Slots.of(original), rows, claim)
    measured = {"share": str(largest), "diversity": "counted"}
    counted = Verdict(witness is None, {}, measured, witness, {_COUNTED: witness is None})
    return settle(verdict) & faithful & count_observed(release, original, rows) & counted


def _check_asked(release: Release, claim: ActivityDiversity, original: Dataset) -> Witness:
    """Look for sensitive activities that the claim leaves out, and for other windows than those of delta."""
    left_out = set(original.schema.sensitive) - set(claim.sensitive)
    if left_out:
        return {"check": _ASKED, "sensitive": len(original.schema.sensitive), "claimed": len(claim.sensitive)}
    wanted = _measure_delta(claim, original.clock.unit)
    if wanted is None or wanted.denominator > 1:
        return {"check": _ASKED, "delta": claim.delta}
    if claim.delta_slots != wanted:
        return {"check": _ASKED, "delta": claim.delta, "delta_slots": claim.delta_slots}
    mismatch = check_asked(release, original)
    return None if mismatch is None else {"check": _ASKED, **mismatch}


def _measure_delta(claim: ActivityDiversity, unit: str | None) -> Fraction | None:
    """Return how many slots the length of time is that was asked for; None where nobody knows how long they are."""
    number, named = check_span(claim.name, "delta", claim.delta)
    if named == SLOT:
        return Fraction(number)
    return None if unit is None else Fraction(number * SECONDS[named], SECONDS[unit])


def _count(published: PublishedClasses, slots: Slots, rows: Ints, claim: ActivityDiversity) -> tuple[Fraction, Witness]:
    """Return the largest share of a class that does a sensitive activity throughout a window, and a breach."""
    gap = -1 if claim.gap is None else slots.find((claim.gap,))[0]
    hidden = published.find_hidden(claim.gap)
    largest, witness = Fraction(0), None
    for label, code in zip(claim.sensitive, slots.find(claim.sensitive), strict=True):
        for at, people in enumerate(published.members(rows)):
            starts, crowds = count_shown(slots.codes[people], code, gap, hidden[at], claim)
            share, worst = crowds.largest()
            largest = max(largest, share)
            if witness is None and crowds.exceed(claim.fraction).any():
                witness = {
                    "check": _COUNTED,
                    "class": published.names[at],
                    "size": int(published.sizes[at]),
                    "people": int(crowds.may[worst]),
                    "seen": int(crowds.seen[worst]),
                    "from_slot": int(starts[worst]) + 1,
                    "activity": label,
                }
    return largest, witness
