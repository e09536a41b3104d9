"""l-eligibility, counted anew: short enough to read in one sitting."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.snapshots.decode import PublishedSnapshots
from sfumato.kinds.snapshots.guarantees import LEligibility
from sfumato.kinds.snapshots.verify.hidden_delays import leave_delays_open, verify_delays
from sfumato.release.release import Release
from sfumato.verification.claimed import read_claimed

__all__ = ["verify", "verify_against"]


Ints = npt.NDArray[np.int64]

_CHECK = "no value is too frequent in a snapshot"


def verify(release: Release) -> Verdict:
    """Check a release on its own: is every value of every snapshot that of at most one record in l?

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold")], ("age",), "ill")
    >>> verify(sf.anonymize(data, sf.methods.Reposition(l=2, window=1, then="none"), secret=bytes(32)).release)
    Verified: the guarantee holds and every file is declared.
      parameter  claimed  measured
      l          2        2
      window     1
      delays     paper
      snapshots           1

    References
    ----------
    Wang et al., Anonymizing Temporal Data, Definition 1.
    """
    claimed, structure, unreadable = read_claimed(release, LEligibility)
    if unreadable is not None:
        return unreadable
    published = PublishedSnapshots.of(release)
    snapshots, at = np.unique(published.times, return_inverse=True)
    sizes = np.bincount(at, minlength=len(snapshots))
    cells, counts = np.unique(at * max(len(published.labels), 1) + published.pair_value, return_counts=True)
    of_snapshot = cells // max(len(published.labels), 1)
    enough = claimed.l * counts <= sizes[of_snapshot]
    counterexample = None
    if not enough.all():
        worst = int(np.argmax(counts / sizes[of_snapshot]))
        snapshot = int(of_snapshot[worst])
        counterexample = {
            "check": _CHECK,
            "rows": [int(np.argmax(at == snapshot)) + 1],
            "records": int(sizes[snapshot]),
            "of_one_value": int(counts[worst]),
        }
    measured = {
        "l": int((sizes[of_snapshot] // counts).min()) if len(cells) else 0,
        "snapshots": len(snapshots),
    }
    holds = bool(enough.all())
    judged = structure & Verdict(holds, claimed.parameters(), measured, counterexample, {_CHECK: holds})
    return judged & leave_delays_open(claimed)


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Return what the release says on its own, since sensitive values stand in it, and whether delays tell anything."""
    verdict = dataclasses.replace(verify(release), unsettled=())
    return verdict & verify_delays(release, original, rows) if verdict else verdict
