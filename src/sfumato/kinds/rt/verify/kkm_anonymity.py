"""(k,k^m)-anonymity and (k,l^m)-diversity, counted anew from the published files.

Two records whose values overlap without being equal count as different, and so do classes whose cells overlap. So the
count is never too high: whoever knows attributes and items of the original faces the records of one set of values in
one class, or of several, and what is true of the share of a sensitive item in each of them is true of them together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import SHOWN_ROWS, Verdict
from sfumato.checks.subsequences import lookup
from sfumato.data.dataset import Dataset
from sfumato.kinds.rt.decode import PublishedRecords
from sfumato.kinds.rt.guarantees.kkm_anonymity import KKmAnonymity
from sfumato.kinds.rt.knowledge.candidates import Candidates, Tally
from sfumato.kinds.rt.knowledge.value_sets import ValueSets
from sfumato.release.release import Release
from sfumato.verification.claim import read_claim
from sfumato.verification.faithful import check_rows

__all__ = ["say_claim", "verify", "verify_against"]


Ints = npt.NDArray[np.int64]
Witness = dict[str, Any] | None

_SHARED = "what can be known is shared by k records of a class"
_DIVERSE = "no sensitive item is in more than 1/l of the records that share it"
_RECORDS = "the original has as many records as the release says"
_FIT = "whatever is known, 0 or at least k records fit"
_FOUND = "published people fit records"
_ONCE = "every record is published at most once"


def say_claim(claim: KKmAnonymity) -> dict[str, Any]:
    """Return the parameters that promise something.

    Examples
    --------
    >>> say_claim(KKmAnonymity(k=5, m=2))
    {'k': 5, 'm': 2}
    """
    return {"k": claim.k, "m": claim.m, **({"l": claim.l} if claim.l > 1 else {})}


def verify(release: Release) -> Verdict:
    """Check a release on its own: is every class, and every set of up to m values in it, one of k records?

    Sets are counted one size after the other, from none at all, exactly and in portions; after a size that breaks the
    claim no larger one is looked at. The witness names the cells of the class and the values.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("rt", [(20,), (20,), (20,)], ("age",), [["a", "b"], ["a"], ["a", "b"]])
    >>> release = sf.anonymize(data, sf.methods.RFirst(k=2, m=2, transaction="coat"), secret=bytes(32)).release
    >>> verify(release)
    Verdict(holds=True, claimed k=2, m=2, measured k=2, classes=1, sets=4)
    """
    claim, structure, unreadable = read_claim(release, KKmAnonymity, claimed=say_claim, whole=True)
    if unreadable is not None:
        return unreadable
    records = PublishedRecords.of(release)
    sets = ValueSets(records)
    measured: dict[str, Any] = {"k": len(release), "classes": len(records.table.sizes), "sets": 0}
    share, witness = 0.0, None
    checks = {_SHARED: True, **({_DIVERSE: True} if claim.l > 1 else {})}
    for size in sets.sizes(claim.m):
        keys, supports = sets.count(size)
        measured["sets"] += len(keys)
        least = int(np.argmin(supports))
        measured["k"] = min(measured["k"], int(supports[least]))
        if supports[least] < claim.k:
            checks[_SHARED] = False
            few = {"support": int(supports[least]), "sets_of_fewer": int((supports < claim.k).sum())}
            witness = {"check": _SHARED, **sets.describe(int(keys[least]), size), **few}
        elif claim.l > 1:
            having = _count_sensitive(records, sets, size, keys)
            worst = int(np.argmax(having / supports))
            share = max(share, float(having[worst] / supports[worst]))
            if having[worst] * claim.l > supports[worst]:
                checks[_DIVERSE] = False
                counts = {"support": int(supports[worst]), "with_a_sensitive_item": int(having[worst])}
                witness = {"check": _DIVERSE, **sets.describe(int(keys[worst]), size), **counts}
        if witness is not None:
            break
    if claim.l > 1:
        measured["largest_share"] = round(share, 6)
    return structure & Verdict(witness is None, say_claim(claim), measured, witness, checks)


def _count_sensitive(records: PublishedRecords, sets: ValueSets, size: int, keys: Ints) -> Ints:
    """Count the records of every set that have the sensitive item which most of them have."""
    most = np.zeros(len(keys), np.int64)
    for item in range(records.having.shape[1]):
        sensitive_keys, counts = sets.count(size, records.having[:, item])
        most = np.maximum(most, lookup(sensitive_keys, counts, keys))
    return most


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Check a release against the original: whoever's attributes and up to m items are known fits 0 or k records.

    With ``rows``, published people must fit records whatever is known; 0 is for people who were withheld.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row of every published record, where the owner kept it.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("rt", [(20,), (20,)], ("age",), [["a", "b"], ["a"]])
    >>> release = sf.anonymize(data, sf.methods.RFirst(k=2, m=2, transaction="coat"), secret=bytes(32)).release
    >>> verify_against(release, data)
    Verdict(holds=True, claimed k=2, m=2, measured fitting=2, knowledges=6)
    """
    claim, _, unreadable = read_claim(release, KKmAnonymity, claimed=say_claim, whole=True)
    if unreadable is not None:
        return unreadable
    wrong = None if rows is None else check_rows(release, original, np.asarray(rows))
    if wrong is not None:
        return Verdict(False, say_claim(claim), {}, {"check": _ONCE, **wrong}, {_ONCE: False})
    tally = Candidates(PublishedRecords.of(release), original).tally(claim.m)
    return _judge(release, original, tally, rows, claim)


def _judge(release: Release, original: Dataset, tally: Tally, rows: Ints | None, claim: KKmAnonymity) -> Verdict:
    fitting = tally.fitting
    person = np.repeat(np.arange(len(original)), np.diff(tally.knowledge.offsets))
    fewest = int(fitting[fitting > 0].min(initial=len(release)))
    lost = np.unique(person[fitting == 0])
    missing, allowed = (lost, len(original) - len(release)) if rows is None else (np.intersect1d(lost, rows), 0)
    checks = {
        _RECORDS: len(original) == release.records_in,
        _FIT: fewest >= claim.k,
        _FOUND: len(missing) <= allowed,
    }
    share = tally.largest_share()
    if claim.l > 1:
        checks[_DIVERSE] = not (tally.having * claim.l > fitting).any()
    measured: dict[str, Any] = {"fitting": fewest, "knowledges": len(fitting)}
    if claim.l > 1:
        measured["largest_share"] = round(share, 6)
    witness: Witness = None
    if not all(checks.values()):
        check = next(name for name, passed in checks.items() if not passed)
        witness = {"check": check, **_point_at(check, tally, person, missing, claim), "records": len(original)}
    return Verdict(all(checks.values()), say_claim(claim), measured, witness, checks)


def _point_at(check: str, tally: Tally, person: Ints, missing: Ints, claim: KKmAnonymity) -> dict[str, Any]:
    """Name rows of the original, and how much of them must be known."""
    if check == _FOUND:
        return {"people_who_fit_nothing": len(missing), "rows": (missing[:SHOWN_ROWS] + 1).tolist()}
    if check == _FIT:
        few = np.flatnonzero((tally.fitting > 0) & (tally.fitting < claim.k))
        if not len(few):  # fewer than k records altogether, and nobody fits them
            return {}
        at = few[np.argmin(tally.fitting[few])]
        people = np.unique(person[few[tally.fitting[few] == tally.fitting[at]]])
        rows = [int(row) + 1 for row in people[:SHOWN_ROWS]]
    elif check == _DIVERSE:
        at = int(np.argmax(tally.having * claim.l > tally.fitting))
        rows = [int(person[at]) + 1]
    else:
        return {}
    facts = {"items_known": int(tally.knowledge.sizes[at]), "fitting": int(tally.fitting[at])}
    return {"rows": rows, **facts}
