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
from sfumato.kinds.rt.guarantees import KKmAnonymity
from sfumato.kinds.rt.knowledge.candidates import CandidateCounts, Candidates
from sfumato.kinds.rt.knowledge.value_sets import ValueSets
from sfumato.release.release import Release
from sfumato.verification.claimed import read_claimed
from sfumato.verification.faithful import check_rows

__all__ = ["select_parameters", "verify", "verify_against"]


Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None

_SHARED = "what can be known is shared by k records of a class"
_DIVERSE = "no sensitive item is in more than 1/l of the records that share it"
_RECORDS = "the original has as many records as the release says"
_FIT = "whatever is known, 0 or at least k records fit"
_MATCHED = "published people fit records"
_NO_DUPLICATES = "every record is published at most once"


def select_parameters(claimed: KKmAnonymity) -> dict[str, Any]:
    """Return the parameters that promise something.

    Examples
    --------
    >>> select_parameters(KKmAnonymity(k=5, m=2))
    {'k': 5, 'm': 2}
    """
    return {"k": claimed.k, "m": claimed.m, **({"l": claimed.l} if claimed.l > 1 else {})}


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
    Verified: the guarantee holds and every file is declared.
      parameter  claimed  measured
      k          2        2
      m          2
      classes             1
      sets                4
    """
    claimed, structure, unreadable = read_claimed(release, KKmAnonymity, describe=select_parameters, whole=True)
    if unreadable is not None:
        return unreadable
    records = PublishedRecords.of(release)
    sets = ValueSets(records)
    measured: dict[str, Any] = {"k": len(release), "classes": len(records.table.sizes), "sets": 0}
    share, counterexample = 0.0, None
    checks = {_SHARED: True, **({_DIVERSE: True} if claimed.l > 1 else {})}
    for size in sets.sizes(claimed.m):
        keys, supports = sets.count(size)
        measured["sets"] += len(keys)
        least = int(np.argmin(supports))
        measured["k"] = min(measured["k"], int(supports[least]))
        if supports[least] < claimed.k:
            checks[_SHARED] = False
            few = {"support": int(supports[least]), "sets_of_fewer": int((supports < claimed.k).sum())}
            counterexample = {"check": _SHARED, **sets.describe(int(keys[least]), size), **few}
        elif claimed.l > 1:
            having = _count_sensitive(records, sets, size, keys)
            worst = int(np.argmax(having / supports))
            share = max(share, float(having[worst] / supports[worst]))
            if having[worst] * claimed.l > supports[worst]:
                checks[_DIVERSE] = False
                counts = {"support": int(supports[worst]), "with_a_sensitive_item": int(having[worst])}
                counterexample = {"check": _DIVERSE, **sets.describe(int(keys[worst]), size), **counts}
        if counterexample is not None:
            break
    if claimed.l > 1:
        measured["largest_share"] = round(share, 6)
    return structure & Verdict(counterexample is None, select_parameters(claimed), measured, counterexample, checks)


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
    Verified: the guarantee holds and every file is declared.
      parameter   claimed  measured
      k           2
      m           2
      fitting              2
      knowledges           6
    """
    claimed, _, unreadable = read_claimed(release, KKmAnonymity, describe=select_parameters, whole=True)
    if unreadable is not None:
        return unreadable
    wrong = None if rows is None else check_rows(release, original, np.asarray(rows))
    if wrong is not None:
        return Verdict(
            False, select_parameters(claimed), {}, {"check": _NO_DUPLICATES, **wrong}, {_NO_DUPLICATES: False}
        )
    counts = Candidates(PublishedRecords.of(release), original).counts(claimed.m)
    return _judge(release, original, counts, rows, claimed)


def _judge(
    release: Release, original: Dataset, counts: CandidateCounts, rows: Ints | None, claimed: KKmAnonymity
) -> Verdict:
    fitting = counts.fitting
    person = np.repeat(np.arange(len(original)), np.diff(counts.knowledge.offsets))
    smallest = int(fitting[fitting > 0].min(initial=len(release)))
    lost = np.unique(person[fitting == 0])
    missing, allowed = (lost, len(original) - len(release)) if rows is None else (np.intersect1d(lost, rows), 0)
    checks = {
        _RECORDS: len(original) == release.records_in,
        _FIT: smallest >= claimed.k,
        _MATCHED: len(missing) <= allowed,
    }
    share = counts.largest_share()
    if claimed.l > 1:
        checks[_DIVERSE] = not (counts.having * claimed.l > fitting).any()
    measured: dict[str, Any] = {"fitting": smallest, "knowledges": len(fitting)}
    if claimed.l > 1:
        measured["largest_share"] = round(share, 6)
    counterexample: Counterexample = None
    if not all(checks.values()):
        check = next(name for name, passed in checks.items() if not passed)
        counterexample = {
            "check": check,
            **_point_at(check, counts, person, missing, claimed),
            "records": len(original),
        }
    return Verdict(all(checks.values()), select_parameters(claimed), measured, counterexample, checks)


def _point_at(
    check: str, counts: CandidateCounts, person: Ints, missing: Ints, claimed: KKmAnonymity
) -> dict[str, Any]:
    """Name rows of the original, and how much of them must be known."""
    if check == _MATCHED:
        return {"people_who_fit_nothing": len(missing), "rows": (missing[:SHOWN_ROWS] + 1).tolist()}
    if check == _FIT:
        few = np.flatnonzero((counts.fitting > 0) & (counts.fitting < claimed.k))
        if not len(few):  # fewer than k records altogether, and nobody fits them
            return {}
        at = few[np.argmin(counts.fitting[few])]
        people = np.unique(person[few[counts.fitting[few] == counts.fitting[at]]])
        rows = [int(row) + 1 for row in people[:SHOWN_ROWS]]
    elif check == _DIVERSE:
        at = int(np.argmax(counts.having * claimed.l > counts.fitting))
        rows = [int(person[at]) + 1]
    else:
        return {}
    facts = {"items_known": int(counts.knowledge.sizes[at]), "fitting": int(counts.fitting[at])}
    return {"rows": rows, **facts}
