"""(g,l)-diversity, counted anew: short enough to read in one sitting."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.sequences.decode import TimedRecords, count_steps
from sfumato.kinds.sequences.guarantees import GlDiversity
from sfumato.kinds.sequences.knowledge.matches import count_matches
from sfumato.kinds.sequences.knowledge.windows import Windows, count_most, find_busiest
from sfumato.kinds.sequences.verify.blur import judge_blur
from sfumato.kinds.sequences.verify.classes import (
    judge_classes,
    judge_matches,
    judge_units,
    show_window,
    verify_sequences,
)
from sfumato.release.release import Release
from sfumato.verification.claimed import read_claimed

__all__ = ["verify", "verify_against"]


Ints = npt.NDArray[np.int64]


def verify(release: Release) -> Verdict:
    """Check a release on its own: is no event inside any window of length g in more than 1 in l of a class?

    A class are the records with the same monitored part. ``l`` of what is measured is the largest whole number
    that holds, None if nothing is published that could be predicted. The witness is the window that gives most
    away.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 1), ("news", 2)], [("mail", 3)]], monitored=("mail",))
    >>> verify(Hi(k=2, g=5, l=2).anonymize(data, Run(bytes(32))).release)
    Verified: the guarantee holds and every file is declared.
      parameter  claimed  measured
      g          5        5
      l          2        2
      k          2        2
      classes             1

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Definition 1.
    """
    claimed, structure, unreadable = read_claimed(release, GlDiversity, verify_sequences)
    if unreadable is not None:
        return unreadable
    records = TimedRecords.of(release)
    return (
        structure
        & judge_classes(release, records, claimed.k)
        & judge_blur(release, records, claimed.k, shared=False)
        & _judge_windows(release, records, claimed)
    )


def _judge_windows(release: Release, records: TimedRecords, claimed: GlDiversity) -> Verdict:
    window = count_steps(release, claimed.g)
    if window is None:
        return _without_unit(claimed)
    people = count_most(records.entries, records.class_of_row, len(records.sizes), window)
    active = np.flatnonzero(people)
    l = int((records.sizes[active] // people[active]).min()) if len(active) else None
    diverse = l is None or l >= claimed.l
    counterexample = None
    if not diverse:
        worst = active[[np.argmax(people[active] / records.sizes[active])]]
        busiest = find_busiest(records.entries, records.rows_of(worst), window)
        counterexample = None if busiest is None else show_window(release, busiest)
    checks = {"no event is in more than 1 in l inside a window": diverse}
    return Verdict(diverse, {}, {"g": claimed.g, "l": l}, counterexample, checks)


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Check a release against the original: 0 or k records match, and no event is likelier than 1 in l.

    The receiver knows all monitored events of everybody. Who knows less matches no fewer records, and predicts
    no better than the worst class allows, as :mod:`sfumato.kinds.sequences.knowledge.matches` explains.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row of every published row, where it is known.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 1), ("news", 2)], [("mail", 3)]], monitored=("mail",))
    >>> verify_against(Hi(k=2, g=5, l=2).anonymize(data, Run(bytes(32))).release, data).measured
    {'matches': 2, 'knowledges': 2, 'share': 0.5}
    """
    claimed, _, unreadable = read_claimed(release, GlDiversity, verify_sequences)
    if unreadable is not None:
        return unreadable
    window = count_steps(release, claimed.g)
    if window is None:
        return _without_unit(claimed)
    units = judge_units(release, original)
    if not units:
        return units
    matches = count_matches(release, original, rows, Windows(window, claimed.l))
    likeliest = matches.likeliest
    diverse = likeliest is None or likeliest.people <= likeliest.records // claimed.l
    return (
        units
        & judge_matches(release, matches, claimed.k)
        & Verdict(
            diverse,
            {},
            {"share": matches.share},
            None if diverse or likeliest is None else show_window(release, likeliest),
            {"no event is likelier than 1 in l inside a window": diverse},
        )
    )


def _without_unit(claimed: GlDiversity) -> Verdict:
    checks = {"the window is in units of the times": False}
    return Verdict(False, claimed.parameters(), {}, {"unit": claimed.unit}, checks)
