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
from sfumato.kinds.activity.dataset import SECONDS, SLOT, Slots, check_span
from sfumato.kinds.activity.decode import PublishedClasses
from sfumato.kinds.activity.guarantees import ActivityDiversity
from sfumato.kinds.activity.knowledge.bounds import PublishedTime
from sfumato.kinds.activity.knowledge.windows import count_shown
from sfumato.kinds.activity.verify.class_anonymity import close_open_claims, count_observed, verify_sizes
from sfumato.kinds.activity.verify.faithful import check_slots, verify_faithful
from sfumato.progress import track
from sfumato.release.release import Release

__all__ = ["verify", "verify_against"]


Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None

_VALID_WINDOWS = "the claim is about windows there are"
_BOUNDED = "no shares show that too many do a sensitive activity throughout a window"
_COUNTED = "few records of every class have a sensitive activity throughout a window"
_POLICY = "the claim is about the sensitive activities and the time asked for"
_OPEN = (
    "The published shares do not show how many records of a class have a sensitive activity throughout "
    "{delta}: up to {most} of a class, where {epsilon} is claimed. Verify with the original and the "
    "owner's class file."
)


def verify(release: Release) -> Verdict:
    """Check a release on its own: sizes of classes, shares, and what the shares say about diversity.

    The measured ``diversity`` is ``proved by the shares`` where no class can break the claim, whichever records are in
    it; ``broken`` where every class with these shares does; and it ``needs the class file`` where the shares leave both
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
    claimed = release.guarantee
    assert isinstance(claimed, ActivityDiversity)
    published = PublishedClasses.of(release)
    if not claimed.sensitive or claimed.delta_slots > claimed.slots or claimed.gap in claimed.sensitive:
        details = {"sensitive": len(claimed.sensitive), "delta_slots": claimed.delta_slots, "slots": claimed.slots}
        return verdict & Verdict(False, {}, {}, {"check": _VALID_WINDOWS, **details}, {_VALID_WINDOWS: False})
    largest, proved = _bound_from_above(published, claimed)
    counterexample = _find_certain_breach(published, claimed)
    diversity = "proved by the shares" if proved else "needs the class file"
    measured = {"share_at_most": str(largest), "diversity": diversity if counterexample is None else "broken"}
    unsettled: tuple[str, ...] = ()
    if not proved:
        unsettled = (_OPEN.format(delta=claimed.delta, most=largest, epsilon=claimed.epsilon),)
    checks = {_VALID_WINDOWS: True, _BOUNDED: counterexample is None}
    return verdict & Verdict(counterexample is None, {}, measured, counterexample, checks, unsettled)


def _bound_from_above(published: PublishedClasses, claimed: ActivityDiversity) -> tuple[Fraction, bool]:
    """Return the largest share of a class that is possible, and whether the claim holds for all such classes."""
    largest, proved = Fraction(0), True
    for label in claimed.sensitive:
        time = PublishedTime.of(published, label, claimed)
        for owner in track("compare records", range(len(published.names))):
            counts = time.bound_from_above(owner, claimed.delta_slots)
            largest = max(largest, counts.largest()[0])
            proved = proved and not counts.exceed(claimed.fraction).any()
    return largest, proved


def _find_certain_breach(published: PublishedClasses, claimed: ActivityDiversity) -> Counterexample:
    """Look for a span in which shares prove that too many do a sensitive activity throughout some window."""
    for label in claimed.sensitive:
        breach = PublishedTime.of(published, label, claimed).bound_from_below(claimed.delta_slots, claimed.fraction)
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
    >>> verify_against(result.release, data, result.owner_record.rows).measured
    {'k': 2, 'classes': 2, 'share_at_most': '1/2', 'diversity': 'counted', 'share': '1/2'}
    """
    verdict = verify(release)
    if not verdict.holds:
        return verdict
    claimed = release.guarantee
    assert isinstance(claimed, ActivityDiversity)
    mismatch = _check_policy(release, claimed, original)
    verdict &= Verdict(mismatch is None, {}, {}, mismatch, {_POLICY: mismatch is None})
    if rows is None or not verdict.holds:
        return verdict
    faithful = verify_faithful(release, original, rows)
    if not faithful:
        return close_open_claims(verdict) & faithful
    rows = np.asarray(rows)
    largest, counterexample = _count(PublishedClasses.of(release), Slots.of(original), rows, claimed)
    measured = {"share": str(largest), "diversity": "counted"}
    counted = Verdict(counterexample is None, {}, measured, counterexample, {_COUNTED: counterexample is None})
    return close_open_claims(verdict) & faithful & count_observed(release, original, rows) & counted


def _check_policy(release: Release, claimed: ActivityDiversity, original: Dataset) -> Counterexample:
    """Look for sensitive activities that the claim leaves out, and for other windows than those of delta."""
    left_out = set(original.schema.sensitive) - set(claimed.sensitive)
    if left_out:
        return {"check": _POLICY, "sensitive": len(original.schema.sensitive), "claimed": len(claimed.sensitive)}
    wanted = _measure_delta(claimed, original.time_unit.unit)
    if wanted is None or wanted.denominator > 1:
        return {"check": _POLICY, "delta": claimed.delta}
    if claimed.delta_slots != wanted:
        return {"check": _POLICY, "delta": claimed.delta, "delta_slots": claimed.delta_slots}
    mismatch = check_slots(release, original)
    return None if mismatch is None else {"check": _POLICY, **mismatch}


def _measure_delta(claimed: ActivityDiversity, unit: str | None) -> Fraction | None:
    """Return how many slots the length of time is that was asked for; None where nobody knows how long they are."""
    number, named = check_span(claimed.name, "delta", claimed.delta)
    if named == SLOT:
        return Fraction(number)
    return None if unit is None else Fraction(number * SECONDS[named], SECONDS[unit])


def _count(
    published: PublishedClasses, slots: Slots, rows: Ints, claimed: ActivityDiversity
) -> tuple[Fraction, Counterexample]:
    """Return the largest share of a class that does a sensitive activity throughout a window, and a breach."""
    gap = -1 if claimed.gap is None else slots.find((claimed.gap,))[0]
    hidden = published.find_hidden(claimed.gap)
    largest, counterexample = Fraction(0), None
    for label, code in zip(claimed.sensitive, slots.find(claimed.sensitive), strict=True):
        for at, people in enumerate(published.members(rows)):
            starts, counts = count_shown(slots.codes[people], code, gap, hidden[at], claimed)
            share, worst = counts.largest()
            largest = max(largest, share)
            if counterexample is None and counts.exceed(claimed.fraction).any():
                counterexample = {
                    "check": _COUNTED,
                    "class": published.names[at],
                    "size": int(published.sizes[at]),
                    "people": int(counts.may[worst]),
                    "seen": int(counts.seen[worst]),
                    "from_slot": int(starts[worst]) + 1,
                    "activity": label,
                }
    return largest, counterexample
