"""What a receiver reaches who knows only some of a person's monitored events: those that, one by one, leave fewest.

Somebody who knows a part can ask that a record covers it, and no more: what else the record has is unknown. So people
who have nothing monitored at all match everything.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.attacks.risk import draw_people
from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError
from sfumato.kinds.sequences.dataset import locate_entries
from sfumato.kinds.sequences.decode import TimedRecords, convert_times
from sfumato.kinds.sequences.knowledge.class_matches import Knowledge, build_knowledge
from sfumato.release.release import Release

__all__ = ["narrow_people", "narrow_records"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_TRIED = 200
"""Events of one person that are tried at most on a release, evenly spread over those the person has."""
_CELLS = 40_000_000
"""Pairs of a known event and a class of records that are looked at: fewer people are drawn where these are many."""


def narrow_people(knowledge: Knowledge, people: Ints, m: int) -> list[Ints]:
    """Return, for one known event, two, and so on up to m, how many people have all that is known of each of some.

    Examples
    --------
    >>> data = Dataset.of("sequences", [[("mail", 1), ("mail", 4)], [("mail", 1), ("mail", 5)], [("mail", 1)]])
    >>> [found.tolist() for found in narrow_people(build_knowledge(data, ["mail"]), np.arange(3), 2)]
    [[1, 1, 3], [1, 1, 3]]
    """
    offsets, codes = knowledge.entries.events.offsets, knowledge.entries.events.codes.astype(np.int64)
    pairs = np.stack([codes, knowledge.entries.times], axis=1)
    token = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    weights = np.bincount(knowledge.of_person, minlength=len(knowledge)).astype(np.int64)
    owner = knowledge.entries.events.row_of_token
    order = np.argsort(token, kind="stable")
    ends = np.searchsorted(token[order], np.arange(int(token.max(initial=-1)) + 2))
    everywhere = np.bincount(token, weights[owner], minlength=len(ends) - 1).astype(np.int64)
    sizes = [np.full(len(people), len(knowledge.of_person), np.int64) for _ in range(m)]
    for at, person in enumerate(people.tolist()):
        which = knowledge.of_person[person]
        mine = np.sort(token[offsets[which] : offsets[which + 1]])
        if not len(mine):
            continue
        best = int(np.argmin(everywhere[mine]))
        left = owner[order[ends[mine[best]] : ends[mine[best] + 1]]]
        sizes[0][at] = everywhere[mine[best]]
        for step in range(1, m):
            sizes[step][at] = sizes[step - 1][at]
            if len(left) > 1:
                sizes[step][at], left = _narrow(mine, left, token, offsets, weights)
    return sizes


def _narrow(mine: Ints, left: Ints, token: Ints, offsets: Ints, weights: Ints) -> tuple[int, Ints]:
    """Take the event of a person that fewest of those left have too; return how many people these are, and who."""
    theirs = token[locate_entries(offsets, left)]
    owner = np.repeat(left, offsets[left + 1] - offsets[left])
    place = np.minimum(np.searchsorted(mine, theirs), len(mine) - 1)
    shared = mine[place] == theirs
    counts = np.bincount(place[shared], weights[owner[shared]], minlength=len(mine)).astype(np.int64)
    best = int(np.argmin(counts))
    return int(counts[best]), owner[shared & (place == best)]


def narrow_records(release: Release, original: Dataset, m: int, most: int) -> tuple[Ints, list[Ints]]:
    """Return whom was looked at, and for one known event, two, and so on up to m, how many records cover these.

    Where monitored events may have been left out of a release, who knows a part can exclude no record.

    Parameters
    ----------
    release, original
        What was published, and what the receiver's knowledge is drawn from.
    m
        Largest number of events known.
    most
        People to look at; where there are more, they are drawn at random.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> rows = [[("mail", 1), ("mail", 5)], [("mail", 2), ("mail", 6)], [("mail", 90)], [("mail", 95)]]
    >>> data = Dataset.of("sequences", rows, monitored=("mail",))
    >>> release = Hi(k=2).anonymize(data, Run(bytes(32))).release
    >>> narrow_records(release, data, m=1, most=9)[1][0].tolist()
    [2, 2, 2, 2]
    """
    times = convert_times(release, original.time_unit, original.times())
    if times is None:
        raise ParameterError("attack: the original and the release must have times in the same units.")
    knowledge = build_knowledge(original, getattr(release.guarantee, "monitored", ()), times)
    records = TimedRecords.of(release, knowledge.entries.events.labels)
    tried = np.minimum(knowledge.entries.events.lengths[knowledge.of_person], _TRIED)
    cells = float(tried.mean()) * len(records.sizes) if len(tried) else 0.0
    drawn = draw_people(len(original), max(1, min(most, int(_CELLS / max(cells, 1.0)))), 0)
    people = np.arange(len(original)) if drawn is None else drawn
    sizes = [np.full(len(people), int(records.sizes.sum()), np.int64) for _ in range(m)]
    if records.suppressing:
        return people, sizes
    offsets = knowledge.entries.events.offsets
    for at, person in enumerate(people.tolist()):
        which = knowledge.of_person[person]
        entries = np.arange(offsets[which], offsets[which + 1])
        if len(entries) > _TRIED:
            entries = entries[np.linspace(0, len(entries) - 1, _TRIED).astype(np.int64)]
        if not len(entries):
            continue
        covers = _find_covers(records, knowledge.entries.events.codes[entries], knowledge.entries.times[entries])
        left = np.ones(len(records.sizes), dtype=bool)
        for step in range(m):
            counts = covers @ (records.sizes * left)
            best = int(np.argmin(counts))
            left &= covers[best]
            sizes[step][at] = counts[best]
    return people, sizes


def _find_covers(records: TimedRecords, codes: npt.NDArray[np.int32], times: Ints) -> Flags:
    """Tell which classes (columns) publish something that covers each event and time (rows)."""
    classes = np.tile(np.arange(len(records.sizes)), len(codes))
    which = np.repeat(np.arange(len(codes)), len(records.sizes))
    is_covered = records.find_cover(classes, codes[which].astype(np.int64), times[which]) >= 0
    return np.asarray(is_covered.reshape(len(codes), len(records.sizes)))
