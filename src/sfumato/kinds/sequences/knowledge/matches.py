"""How many published records match what a receiver knows: when a person did the monitored events.

A receiver knows (event, time) pairs of a person. Who knows all of them matches a record if every known pair is
covered by a (category, interval) pair of the record, and every pair of the record covers a known one. Who knows
only some can ask for the first half alone: what the others cover is unknown.

To know all is the strongest. A record that matches everything known covers all of it, and so any part of it: the
records that match the part include those that match the whole, and are never fewer. Where the whole matches no
record, because the person was withheld, a part may still match some. But whether a record matches depends on
its monitored part alone, so what matches is made of whole classes of records with the same monitored part. It
therefore has never fewer records than the smallest class, and holds no event more often than the worst class
does: the share of a union lies between the shares of its parts. Both are what verifiers check in the release on
its own, so it is enough to try the whole knowledge on top.

A release may say that monitored events are left out of it. What is known need not be covered then, and only the
second half tells records apart: to know all is the strongest once more, as who knows a part can exclude no record.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.kinds.sequences.knowledge.class_matches import ClassMatches
from sfumato.kinds.sequences.knowledge.windows import Window, Windows, count_most, find_busiest
from sfumato.release.release import Release

__all__ = ["ReceiverMatches", "count_matches"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_EFFORT = 100_000_000


@dataclasses.dataclass(frozen=True, eq=False)
class ReceiverMatches:
    """What a receiver who knows all monitored events of everybody matches.

    Parameters
    ----------
    sizes
        Per person: published records that match.
    published
        Per person: whether the release holds them; None when that is not known.
    knowledges
        Number of different knowledges.
    rarest
        Published rows that match the knowledge that fewest match, but at least one; None if nothing matches.
    likeliest
        The event and window that the largest share of the records matching anybody hold; None when no window
        is asked for, or no matching record holds an event.
    share
        That share. Where very many overlapping sets of records match, the search for it ends once all are known
        to keep to 1 in l: then the share is a bound, not below the truth nor above that of the worst class.

    Examples
    --------
    >>> sizes, published = np.array([2, 2, 0]), np.array([True, True, False])
    >>> found = ReceiverMatches(sizes, published, knowledges=3, rarest=np.array([0, 1]))
    >>> int(found.sizes[found.published].min()), found.rarest.tolist()
    (2, [0, 1])
    """

    sizes: Ints
    published: Flags | None
    knowledges: int
    rarest: Ints | None
    likeliest: Window | None = None
    share: float | None = None


def count_matches(
    release: Release, original: Dataset, rows: Ints | None = None, windows: Windows | None = None
) -> ReceiverMatches:
    """Count, for every original person, the published records that match all monitored events known of them.

    Parameters
    ----------
    release, original
        What was published, and what the receiver's knowledge is drawn from. The events monitored are those of
        the claim.
    rows
        Original row of every published row, where the owner kept it.
    windows
        Their length in steps of the published times: then also find the event that is likeliest in one.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 1), ("news", 2)], [("mail", 3)]], monitored=("mail",))
    >>> release = Hi(k=2).anonymize(data, Run(bytes(32))).release
    >>> found = count_matches(release, data, windows=Windows(length=5, l=2))
    >>> found.sizes.tolist(), found.share, found.likeliest.event
    ([2, 2], 0.5, 'news')
    """
    matches = ClassMatches.of(release, original)
    records, knowledge = matches.records, matches.knowledge
    size = matches.weigh(records.sizes)
    published = None if rows is None else np.isin(np.arange(len(original)), rows)
    rarest = None
    if size.any():
        reached = np.flatnonzero(size)
        rarest = records.rows_of(matches.classes_of(int(reached[np.argmin(size[reached])])))
    if windows is None:
        return ReceiverMatches(size[knowledge.of_person], published, len(knowledge), rarest)
    busy = count_most(records.entries, records.class_of_row, len(records.sizes), windows.length)
    likeliest, share = _likeliest(matches, size, matches.weigh(busy), windows)
    return ReceiverMatches(size[knowledge.of_person], published, len(knowledge), rarest, likeliest, share)


def _likeliest(matches: ClassMatches, size: Ints, bound: Ints, windows: Windows) -> tuple[Window | None, float]:
    """Find the event that the largest share of anybody's matching records hold inside a window.

    No window of one event holds more of several classes than the sum of what windows hold of each, which is the
    bound. Where it leaves room for a larger share than the one found, the records are looked at.
    """
    records = matches.records
    best: Window | None = None
    seen: set[bytes] = set()
    left = np.flatnonzero(bound)
    left = left[np.argsort(-(bound[left] / size[left]), kind="stable")]
    effort, portion = 0, 1
    while len(left) and (effort < _EFFORT or bound[left[0]] > size[left[0]] // windows.l):
        for number in left[:portion]:
            classes = matches.classes_of(number)
            if classes.tobytes() in seen or not _can_improve(bound[number], size[number], best):
                continue
            seen.add(classes.tobytes())
            rows = records.rows_of(classes)
            effort += 1_000 + int(records.entries.events.lengths[rows].sum())
            window = find_busiest(records.entries, rows, windows.length)
            best = window if window and _can_improve(window.people, window.records, best) else best
        effort += len(records.sizes)
        left = left[portion:][_can_improve(bound[left[portion:]], size[left[portion:]], best)]
        portion = min(2 * portion, 1024)
    share = 0.0 if best is None else best.people / best.records
    return best, max(share, float(bound[left[0]] / size[left[0]]) if len(left) else 0.0)


def _can_improve(people: Any, records: Any, best: Window | None) -> Any:
    """Tell whether a share, or each of several, is larger than the best."""
    return people * (1 if best is None else best.records) > (0 if best is None else best.people) * records
