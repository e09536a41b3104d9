"""(delta, epsilon)-diversity of classes, counted anew: short enough to read in one sitting.

How many people of a class do something throughout a window is not published. The shares bound it: from above, because
whoever does it throughout does it where it takes least of the class's time, and from below, because whoever does
something else needs a slot for it. Where these bounds do not decide, the owner's class file does.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.core.activity import PublishedClasses, Slots, begin_intervals
from sfumato.core.activity_windows import bound_from_above, bound_from_below, find_throughout
from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError
from sfumato.core.release import Release
from sfumato.core.spans import count_slots
from sfumato.core.verdict import Verdict
from sfumato.guarantees.activity_diversity import ActivityDiversity
from sfumato.verify.activity_faithful import verify_faithful
from sfumato.verify.class_anonymity import verify_sizes

__all__ = ["GUARANTEE", "verify", "verify_against"]

GUARANTEE = ActivityDiversity
NEEDS_ORIGINAL = True
"""Shares bound how many people do an activity throughout a window; only the owner's classes tell how many do."""

Ints = npt.NDArray[np.int64]
Witness = dict[str, Any] | None

_SPELLED_OUT = "the claim is about windows there are"
_BOUNDED = "no shares show that too many do a sensitive activity throughout a window"
_COUNTED = "few people of every class do a sensitive activity throughout a window"
_ASKED = "the claim is about the sensitive activities and the time asked for"


def verify(release: Release) -> Verdict:
    """Check a release on its own: sizes of classes, shares, and what the shares say about diversity.

    The measured ``diversity`` is ``proved by the shares`` where no class can break the claim, whoever is in it; it
    ``needs the class file`` where the shares leave both possible. A release whose shares show that the claim is broken
    does not hold.

    Examples
    --------
    >>> import sfumato as sf
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.from_activity(days, sensitive=("away",))
    >>> method = sf.methods.McLMdavWd(k=2, delta="2", epsilon="1/2", aggregate="3,1")
    >>> verify(sf.anonymize(data, method, secret=bytes(32)).release).measured
    {'k': 2, 'classes': 2, 'share_at_most': '1/2', 'diversity': 'proved by the shares'}

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Definition 1.
    """
    verdict = verify_sizes(release, ActivityDiversity)
    if not verdict:
        return verdict
    claim = release.guarantee
    assert isinstance(claim, ActivityDiversity)
    published = PublishedClasses.of(release)
    intervals = len(published.begins)
    if not claim.sensitive or claim.window > intervals:
        witness: Witness = {"check": _SPELLED_OUT, "sensitive": len(claim.sensitive), "intervals": intervals}
        return verdict & Verdict(False, {}, {}, witness, {_SPELLED_OUT: False})
    largest, witness = _bound(published, claim)
    proved = "proved by the shares" if largest <= claim.fraction else "needs the class file"
    measured = {"share_at_most": str(largest), "diversity": proved if witness is None else "broken"}
    return verdict & Verdict(witness is None, {}, measured, witness, {_SPELLED_OUT: True, _BOUNDED: witness is None})


def _bound(published: PublishedClasses, claim: ActivityDiversity) -> tuple[Fraction, Witness]:
    """Return the largest share that is possible, and a window in which even the least possible one is too large."""
    error = 0.0 if claim.digits is None else 10.0**-claim.digits
    largest, witness = Fraction(0), None
    for label in claim.sensitive:
        shares = published.shares_of(label)
        most = bound_from_above(shares, published.sizes, claim.window, error).max(axis=1)
        largest = max([largest, *map(Fraction, most.tolist(), published.sizes.tolist())])
        least = bound_from_below(shares, published.sizes, claim.window, claim.slot, error)
        found = _find_breach(published, least, claim)
        if found is not None and witness is None:
            witness = {"check": _BOUNDED, **found, "activity": label}
    return largest, witness


def _find_breach(published: PublishedClasses, crowd: Ints, claim: ActivityDiversity) -> Witness:
    """Look for a window in which more people of a class do something than the claim allows."""
    epsilon = claim.fraction
    for name, size, by_window in zip(published.names, published.sizes.tolist(), crowd, strict=True):
        most = int(by_window.max(initial=0))
        if most > epsilon * size:
            return {"class": name, "size": size, "people": most, "from_interval": int(by_window.argmax()) + 1}
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
    >>> data = Dataset.from_activity(days, sensitive=("away",))
    >>> method = sf.methods.McLMdavWd(k=2, delta="2", epsilon="1/2", aggregate="3,1")
    >>> result = sf.anonymize(data, method, secret=bytes(32))
    >>> verify_against(result.release, data, result.trace.rows).measured
    {'k': 2, 'classes': 2, 'share_at_most': '1/2', 'diversity': 'counted', 'share': '1/2'}
    """
    verdict = verify(release)
    if not verdict:
        return verdict
    claim = release.guarantee
    assert isinstance(claim, ActivityDiversity)
    asked = _check_asked(claim, original)
    verdict &= Verdict(asked is None, {}, {}, asked, {_ASKED: asked is None})
    if rows is None:
        return verdict
    faithful = verify_faithful(release, original, rows)
    if not faithful:
        return verdict & faithful
    largest, witness = _count(PublishedClasses.of(release), Slots.of(original), np.asarray(rows), claim)
    measured = {"share": str(largest), "diversity": "counted"}
    return verdict & faithful & Verdict(witness is None, {}, measured, witness, {_COUNTED: witness is None})


def _check_asked(claim: ActivityDiversity, original: Dataset) -> Witness:
    """Look for sensitive activities that the claim leaves out, and windows that are longer than delta."""
    left_out = set(original.schema.sensitive) - set(claim.sensitive)
    if left_out:
        return {"check": _ASKED, "sensitive": len(original.schema.sensitive), "claimed": len(claim.sensitive)}
    try:
        wanted = count_slots(claim.name, "delta", claim.delta, original.clock.unit) // claim.slot
    except ParameterError:
        return {"check": _ASKED, "delta": claim.delta}
    return None if claim.window <= wanted else {"check": _ASKED, "delta": claim.delta, "window": claim.window}


def _count(published: PublishedClasses, slots: Slots, rows: Ints, claim: ActivityDiversity) -> tuple[Fraction, Witness]:
    """Return the largest share of a class that does a sensitive activity throughout a window, and a breach."""
    begins = begin_intervals(slots.codes.shape[1], claim.slot)
    members = published.members(rows)
    largest, witness = Fraction(0), None
    for label, code in zip(claim.sensitive, slots.find(claim.sensitive), strict=True):
        windows = len(begins) - claim.window + 1
        crowd = np.zeros((len(members), max(windows, 0)), dtype=np.int64)
        for at, people in enumerate(members):
            crowd[at] = find_throughout(slots.codes[people], code, begins, claim.window).sum(axis=0)
        most = crowd.max(axis=1, initial=0)
        largest = max([largest, *map(Fraction, most.tolist(), published.sizes.tolist())])
        found = _find_breach(published, crowd, claim)
        if found is not None and witness is None:
            witness = {"check": _COUNTED, **found, "activity": label}
    return largest, witness
