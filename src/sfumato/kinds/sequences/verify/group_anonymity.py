"""k-anonymity of groups, counted anew: short enough to read in one sitting."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.sequences.decode import TimedRecords
from sfumato.kinds.sequences.guarantees import GroupAnonymity
from sfumato.kinds.sequences.knowledge.matches import count_matches
from sfumato.kinds.sequences.verify.blur import judge_blur
from sfumato.kinds.sequences.verify.classes import judge_classes, judge_matches, judge_units, verify_sequences
from sfumato.release.release import Release
from sfumato.verification.claimed import read_claimed

__all__ = ["verify", "verify_against"]


Ints = npt.NDArray[np.int64]


def verify(release: Release) -> Verdict:
    """Check a release on its own: do k records share every monitored part, and is nothing monitored left exact?

    Where the claim blurs other events, they also share what is published around their intervals.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 1), ("news", 2)], [("mail", 3)]], monitored=("mail",))
    >>> release = Hi(k=2).anonymize(data, Run(bytes(32))).release
    >>> verify(release)
    Verified: the guarantee holds and every file is declared.
      parameter  claimed  measured
      k          2        2
      classes             1

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Section 3.2.
    """
    claimed, structure, unreadable = read_claimed(release, GroupAnonymity, verify_sequences)
    if unreadable is not None:
        return unreadable
    records = TimedRecords.of(release)
    return structure & judge_classes(release, records, claimed.k) & judge_blur(release, records, claimed.k, shared=True)


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Check a release against the original: do 0 or k records match all that is known of anyone?

    The receiver knows all monitored events of everybody. Who knows less matches no fewer records, as
    :mod:`sfumato.kinds.sequences.knowledge.matches` explains.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row of every published row. Where it is known, published people must match k records; 0 is
        for people who were suppressed.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 1), ("news", 2)], [("mail", 3)]], monitored=("mail",))
    >>> release = Hi(k=2).anonymize(data, Run(bytes(32))).release
    >>> verify_against(release, data)
    Verified: the guarantee holds and every file is declared.
      parameter   claimed  measured
      k           2
      matches              2
      knowledges           2
    """
    claimed, _, unreadable = read_claimed(release, GroupAnonymity, verify_sequences)
    if unreadable is not None:
        return unreadable
    units = judge_units(release, original)
    return units & judge_matches(release, count_matches(release, original, rows), claimed.k) if units else units
