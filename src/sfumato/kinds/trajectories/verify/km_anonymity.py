"""k^m-anonymity, counted anew: short enough to read in one sitting."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import SHOWN_ROWS, Verdict
from sfumato.checks.subsequences import countable_sizes, decode_key, support
from sfumato.data.dataset import Dataset
from sfumato.kinds.trajectories.guarantees import KmAnonymity
from sfumato.kinds.trajectories.knowledge import Matches, anonymity_sets, matching_rows
from sfumato.kinds.trajectories.verify.places import verify_coordinates
from sfumato.release.release import Release
from sfumato.verification.claimed import read_claimed

__all__ = ["verify", "verify_against"]


Ints = npt.NDArray[np.int64]


def verify(release: Release) -> Verdict:
    """Check a release on its own: does every sequence of up to m published values occur in k records?

    Sequences are counted one size after the other. The witness is the rarest one, in published values.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
    >>> where = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"]], where)
    >>> release = SeqAnon(k=2, m=2).anonymize(data, Run(bytes(32))).release
    >>> verify(release)
    Verified: the guarantee holds and every file is declared.
      parameter  claimed  measured
      k          2        2
      m          2        2
      size                1
      sequences           3

    References
    ----------
    Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data, Definition 4.
    """
    claimed, structure, unreadable = read_claimed(release, KmAnonymity)
    if unreadable is not None:
        return unreadable
    histories = release.history()
    # Without any sequence the records can only be distinguished by their number.
    k, size_of_rarest, sequences = len(release), 0, 0
    rarest: tuple[str, ...] = ()
    for size in countable_sizes(histories, claimed.m):
        keys, supports = support(histories, size)
        sequences += len(keys)
        if supports.min() < k or not rarest:
            at = int(np.argmin(supports))
            k, size_of_rarest = int(supports[at]), size
            rarest = decode_key(int(keys[at]), size, histories.labels)
    holds = k >= claimed.k
    return structure & Verdict(
        holds,
        claimed.parameters(),
        {"k": k, "m": claimed.m, "size": size_of_rarest, "sequences": sequences},
        None if holds else {"sequence": list(rarest), "support": k, "size": size_of_rarest},
        {"every sequence occurs k times": holds},
    )


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Check a release against the original: whatever up to m places are known, do 0 or k records match?

    Published coordinates are checked too (:mod:`sfumato.kinds.trajectories.verify.places`).

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row of every published row. Where it is known, published people must match k records
        whatever is known about them; 0 is for people who were suppressed.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
    >>> where = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"]], where)
    >>> release = SeqAnon(k=2, m=2).anonymize(data, Run(bytes(32))).release
    >>> verify_against(release, data)
    Verified: the guarantee holds and every file is declared.
      parameter   claimed  measured
      k           2
      m           2
      matches              2
      knowledges           3
    """
    claimed, _, unreadable = read_claimed(release, KmAnonymity)
    if unreadable is not None:
        return unreadable
    matches = anonymity_sets(release, original, claimed.m, rows)
    return judge_matches(release, matches, claimed.k) & verify_coordinates(release, original, claimed.k)


def judge_matches(release: Release, matches: Matches, k: int) -> Verdict:
    """Judge whether 0 or at least k records match whatever is known, and 0 for suppressed people only."""
    reached = matches.smallest[matches.smallest > 0]
    smallest = int(reached.min(initial=len(release)))
    missing = int(matches.unmatched.sum())
    allowed = len(matches.smallest) - len(release)
    if matches.published is not None:
        missing, allowed = int((matches.unmatched & matches.published).sum()), 0
    checks = {
        "the original has as many records as the release says": len(matches.smallest) == release.records_in,
        "whatever is known, 0 or at least k records match": smallest >= k,
        "published records match": missing <= allowed,
    }
    counterexample: dict[str, Any] | None = None
    if smallest < k and matches.rarest is not None:
        matched = matching_rows(release, matches.rarest.places)
        shown = [row + 1 for row in matched[:SHOWN_ROWS]]
        counterexample = {"size": matches.rarest.size, "matches": smallest, "rows": shown}
    elif not all(checks.values()):
        counterexample = {"people": len(matches.smallest), "records_in": release.records_in, "unmatched": missing}
    return Verdict(
        all(checks.values()),
        release.guarantee.parameters(),
        {"matches": smallest, "knowledges": matches.tried},
        counterexample,
        checks,
    )
