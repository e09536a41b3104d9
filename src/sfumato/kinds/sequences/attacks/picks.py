"""Picking one of the records that match a person, by the other events in them.

Scores are sums over the known times, the best lowest: distances to the next and to the last other event, and how
unlikely the distances are that would be there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import SchemaError
from sfumato.kinds.sequences.attacks.gaps import Gaps
from sfumato.kinds.sequences.dataset import locate_entries
from sfumato.kinds.sequences.decode import Entries, find_last
from sfumato.kinds.sequences.knowledge.class_matches import ClassMatches, Knowledge, match_pairs

__all__ = ["Picked", "check_own", "pick_records", "sum_distances"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_PORTION = 500_000
_TIE = 1e-9


def list_candidates(matches: ClassMatches, knowledges: Ints) -> Iterator[Ints]:
    """Yield the records of all classes that match, for each of some knowledges.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 1), ("mail", 9)], [("mail", 3)]], monitored=("mail",))
    >>> matches = ClassMatches.of(Hi(k=2).anonymize(data, Run(bytes(32))).release, data)
    >>> [rows.tolist() for rows in list_candidates(matches, np.array([1]))]
    [[0, 1]]
    """
    members = np.split(np.argsort(matches.records.class_of_row, kind="stable"), np.cumsum(matches.records.sizes)[:-1])
    for q in knowledges.tolist():
        yield np.concatenate([members[c] for c in matches.classes_of(q)])


def check_own(matches: ClassMatches, knowledge: Ints, classes: Ints) -> None:
    """Refuse people who do not match their own records: success would be counted for strangers."""
    there = match_pairs(matches.records, matches.knowledge, knowledge, classes)
    if not there.all():
        raise SchemaError(
            f"{int((~there).sum())} of {len(there)} people do not match the record that was made of them: the original "
            "has another order or was changed.",
            hint="Give the file that the release was made from, and verify with the original.",
        )


class Picked(NamedTuple):
    """Chance of the right record for every person attacked, by way of picking, and by drawing one that matches.

    Examples
    --------
    >>> Picked({"next": np.array([1.0, 0.5])}, np.array([0.2, 0.2])).success["next"].tolist()
    [1.0, 0.5]
    """

    success: dict[str, Floats]
    chance_level: Floats


def pick_records(matches: ClassMatches, knowledges: Ints, own: Ints, limit: int, gaps: Gaps) -> Picked:
    """Pick the best of the candidates of every person, portion by portion.

    Parameters
    ----------
    matches
        Which records match.
    knowledges, own
        What is known of every person attacked, and the person's own record.
    limit
        How far from known times other events are looked at.
    gaps
        How likely distances are.
    """
    entries, background = matches.records.entries, matches.knowledge
    names = ("next", "previous", "nearest", "likelihood")
    success: dict[str, list[Floats]] = {name: [] for name in names}
    chance_level: list[Floats] = []
    waiting: list[tuple[int, int, Ints]] = []
    cells = 0
    for number, (q, rows) in enumerate(zip(knowledges.tolist(), list_candidates(matches, knowledges), strict=True)):
        waiting.append((q, int(own[number]), rows))
        cells += len(rows) * max(1, int(background.entries.events.lengths[q]))
        if cells >= _PORTION or number == len(own) - 1:
            scores = _score(entries, background, waiting, limit, gaps)
            sizes = np.array([len(rows) for _, _, rows in waiting])
            mine = np.concatenate([rows == row for _, row, rows in waiting])
            begin = np.cumsum(sizes) - sizes
            for name in names:
                success[name].append(_find_chances(scores[name], mine, begin, sizes))
            chance_level.append(np.add.reduceat(mine, begin) / sizes)
            waiting, cells = [], 0
    return Picked({name: np.concatenate(chances) for name, chances in success.items()}, np.concatenate(chance_level))


def _find_chances(scores: Floats | Ints, mine: npt.NDArray[np.bool_], begin: Ints, sizes: Ints) -> Floats:
    """Return the chance of drawing the own record among the best of each stretch: the lowest scores."""
    best = np.repeat(np.minimum.reduceat(scores, begin), sizes)
    tied = scores <= best + (_TIE if scores.dtype.kind == "f" else 0)
    return np.asarray(np.add.reduceat(tied & mine, begin) / np.add.reduceat(tied, begin), dtype=np.float64)


def _score(
    entries: Entries, background: Knowledge, people: list[tuple[int, int, Ints]], limit: int, gaps: Gaps
) -> dict[str, Any]:
    """Score every candidate of some people, the best lowest."""
    offsets, times = background.entries.events.offsets, background.entries.times
    rows = np.concatenate([rows for _, _, rows in people])
    knowledge = np.repeat([q for q, _, _ in people], [len(rows) for _, _, rows in people])
    count = offsets[knowledge + 1] - offsets[knowledge]
    pair = np.repeat(np.arange(len(rows)), count)
    when, row = times[locate_entries(offsets, knowledge)], rows[pair]
    begin, end = entries.events.offsets[row], entries.events.offsets[row + 1]
    if not len(entries.times):
        begin, end = np.zeros_like(row), np.zeros_like(row)
    before = find_last(entries.times, begin, end, when)
    after = find_last(entries.times, begin, end, when - 1) + 1
    # Further than the limit is as good as nothing there; sums of so many distances stay whole numbers.
    limit = min(limit, (1 << 62) // max(int(count.max(initial=1)), 1) - 1)
    ahead = _measure(entries.times, after, after < end, when, limit)
    back = _measure(entries.times, before, before >= begin, when, limit)
    scores: dict[str, Any] = {}
    for name, gap in (("next", ahead), ("previous", back), ("nearest", np.minimum(ahead, back))):
        scores[name] = np.zeros(len(rows), dtype=np.int64)
        np.add.at(scores[name], pair, gap)
    unlikely = np.zeros(len(pair))
    for side, where, gap in (("after", after, ahead), ("before", before, back)):
        there = gap <= limit
        events = np.full(len(pair), -1)
        events[there] = entries.events.codes[where[there]]
        unlikely -= gaps.log_chance(side, events, gap)
    scores["likelihood"] = np.bincount(pair, unlikely, minlength=len(rows))
    return scores


def _measure(times: Ints, at: Ints, there: npt.NDArray[np.bool_], when: Ints, limit: int) -> Ints:
    """Return how far the entries are from the known times; one more than the limit where there is none so near."""
    gap = np.full(len(at), limit + 1, dtype=np.int64)
    gap[there] = np.minimum(np.abs(times[at[there]] - when[there]), limit + 1)
    return gap


def sum_distances(others: Entries, monitored: Entries) -> dict[str, Ints]:
    """Sum up how far the known times of people (rows of what is known) are from the events of every record (columns).

    Known times are taken in order, so that the first event of a record that is not earlier only moves forward.
    """
    begin, end = others.events.offsets[:-1], others.events.offsets[1:]
    by_time = np.argsort(others.times, kind="stable")
    times, rows = others.times[by_time], others.events.row_of_token[by_time]
    limit = (1 << 62) // max(int(monitored.events.lengths.max(initial=1)), 1) - 1
    sums = {
        name: np.zeros((len(monitored.events), len(begin)), dtype=np.int64) for name in ("next", "previous", "nearest")
    }
    at, passed = begin.copy(), 0
    last = len(others.times) - 1
    for entry in np.argsort(monitored.times, kind="stable"):
        when, person = int(monitored.times[entry]), int(monitored.events.row_of_token[entry])
        until = int(np.searchsorted(times, when))
        at += np.bincount(rows[passed:until], minlength=len(at))
        passed = until
        ahead = _measure(others.times, np.minimum(at, last), at < end, np.full(len(at), when), limit)
        back = _measure(others.times, np.maximum(at - 1, 0), at > begin, np.full(len(at), when), limit)
        back[ahead == 0] = 0
        sums["next"][person] += ahead
        sums["previous"][person] += back
        sums["nearest"][person] += np.minimum(ahead, back)
    return sums
