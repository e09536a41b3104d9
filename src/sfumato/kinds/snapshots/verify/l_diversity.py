"""l-diversity of groups, counted anew: short enough to read in one sitting."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.exceptions import VerificationError
from sfumato.kinds.snapshots.decode import PublishedSnapshots
from sfumato.kinds.snapshots.guarantees import LDiversity
from sfumato.kinds.snapshots.knowledge.disclosure import disclose
from sfumato.kinds.snapshots.verify.hidden_delays import leave_delays_open, verify_delays
from sfumato.release.release import Release
from sfumato.verification.claimed import read_claimed

__all__ = ["verify", "verify_against"]


Ints = npt.NDArray[np.int64]

_CHECK = "no value is too frequent in a group"
_INFERENCE = "attributes and time lead to no likely value"
_GROUPED = "sensitive values stand apart from the records"


def verify(release: Release) -> Verdict:
    """Check a release on its own: is every value of every group that of at most one record in l?

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold")], ("age",), "ill")
    >>> verify(sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32)).release)
    Verified: the guarantee holds and every file is declared.
      parameter  claimed  measured
      l          2        2
      window     1
      delays     paper
      groups              1

    References
    ----------
    Wang et al., Anonymizing Temporal Data, Definition 1.
    """
    claimed, structure = _read(release)
    if not structure:
        return structure
    published = PublishedSnapshots.of(release)
    sizes = published.sizes[published.pair_group]
    enough = claimed.l * published.pair_count <= sizes
    counterexample = None
    if not enough.all():
        worst = int(np.argmax(published.pair_count / np.maximum(sizes, 1)))
        records = np.flatnonzero(published.group == published.pair_group[worst])[:2] + 1
        counterexample = {
            "check": _CHECK,
            "rows": records.tolist(),
            "records": int(sizes[worst]),
            "of_one_value": int(published.pair_count[worst]),
        }
    measured = {
        "l": int((sizes // np.maximum(published.pair_count, 1)).min()) if len(sizes) else 0,
        "groups": len(published.group_time),
    }
    holds = bool(enough.all())
    judged = structure & Verdict(holds, claimed.parameters(), measured, counterexample, {_CHECK: holds})
    return judged & leave_delays_open(claimed)


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Check a release against the original: do attributes and time of anyone make a value likelier than 1/l?

    Where hidden delays are claimed, also whether being late or missing depends on the value.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold")], ("age",), "ill")
    >>> verify_against(sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32)).release, data)
    Verified: the guarantee holds and every file is declared.
      parameter      claimed  measured
      l              2
      window         1
      delays         paper
      largest share           0.5
    """
    claimed, structure = _read(release)
    if not structure:
        return structure
    missing = [
        column.name
        for column in original.schema.columns
        if column.role == "quasi-identifier" and column.name not in release.table.column_names
    ]
    if missing:
        raise VerificationError(
            f"The release has no column {missing[0]!r}, which is a quasi-identifier of the original.", column=missing[0]
        )
    shares = disclose(release, original).share
    largest = float(shares.max(initial=0.0))
    # Shares are sums of fractions: a hair above 1/l is still 1/l.
    holds = largest <= 1 / claimed.l + 1e-9
    counterexample = (
        None if holds else {"check": _INFERENCE, "share": largest, "original_rows": [int(np.argmax(shares)) + 1]}
    )
    verdict = Verdict(
        holds, claimed.parameters(), {"largest_share": round(largest, 6)}, counterexample, {_INFERENCE: holds}
    )
    return verdict & verify_delays(release, original, rows)


def _read(release: Release) -> tuple[LDiversity, Verdict]:
    """Return the claim, and whether the release can be judged."""
    claimed, structure, unreadable = read_claimed(release, LDiversity)
    if unreadable is not None:
        return claimed, unreadable
    apart = "sensitive" in release.extra_tables
    counterexample = None if apart else {"check": _GROUPED}
    return claimed, structure & Verdict(apart, claimed.parameters(), {}, counterexample, {_GROUPED: apart})
