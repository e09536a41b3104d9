"""How many published records match what an attacker knows: some of a person's places, in order.

Verifiers and attackers rest on it. Counting is in :mod:`sfumato.checks.records`; here every person's best
knowledge is sought.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.checks.records import Records
from sfumato.checks.subsequences import countable_sizes, distinct_subsequences, support
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, parameter
from sfumato.release.release import Release

__all__ = [
    "Knowledge",
    "Matches",
    "anonymity_sets",
    "count_matches",
    "matching_rows",
    "original_anonymity_sets",
]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_NONE = np.iinfo(np.int64).max


@dataclasses.dataclass(frozen=True)
class Knowledge:
    """Something an attacker can know, and what the release answers.

    Parameters
    ----------
    size
        Number of places known.
    matches
        Published records that match.
    visitors
        Those of them that visit the sensitive place they visit most.
    places
        The places themselves. For the owner only: never print, log or publish them.

    Examples
    --------
    >>> Knowledge(size=2, matches=1, visitors=0, places=("a", "d"))
    Knowledge(size=2, matches=1, visitors=0)
    """

    size: int
    matches: int
    visitors: int
    places: tuple[str, ...] = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True, eq=False)
class Matches:
    """What the best knowledge about each person leads to.

    Parameters
    ----------
    smallest
        Per person: the fewest published records, but at least one, that match something known about the
        person; 0 where nothing known about the person matches any record.
    unmatched
        Per person: something known matches no record, so a true release does not hold the person.
    published
        Per person: whether the release holds them; None when that is not known.
    sensitive_share
        Per person: the largest share of matching records that visit any one sensitive place; None when no
        place is sensitive.
    rarest, most_revealing
        The knowledge that fewest records match, and the one whose matches share a sensitive place most.
    tried
        Number of different knowledges, as far as the release tells places apart.

    Examples
    --------
    >>> found = original_anonymity_sets(Dataset.of("trajectories", [["a", "b"], ["a", "b"], ["b", "a"]]), 2)
    >>> found.smallest.tolist(), found.rarest, found.tried
    ([2, 2, 1], Knowledge(size=2, matches=1, visitors=0), 4)
    """

    smallest: Ints
    unmatched: Flags
    published: Flags | None
    sensitive_share: npt.NDArray[np.float64] | None
    rarest: Knowledge | None
    most_revealing: Knowledge | None
    tried: int


def anonymity_sets(release: Release, original: Dataset, m: int, rows: Ints | None = None) -> Matches:
    """Find, for every original person, the knowledge of at most m places that fewest published records match.

    Sensitive places of the claim are never known to the attacker. Places removed everywhere say nothing.

    Parameters
    ----------
    release, original
        What was published, and what the attacker's knowledge is drawn from.
    m
        Largest number of places known, at least 1.
    rows
        Original row of every published row, where the owner kept it.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
    >>> where = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"]], where)
    >>> release = SeqAnon(k=2, m=2).anonymize(data, Run(bytes(32))).release
    >>> anonymity_sets(release, data, m=2).smallest.tolist()
    [2, 2]
    """
    histories = original.history()
    published = None if rows is None else np.isin(np.arange(len(histories)), rows)
    return _best_knowledge(Records.of(release, histories.labels), histories, m, published)


def original_anonymity_sets(dataset: Dataset, m: int, sensitive: Sequence[str] | None = None) -> Matches:
    """Find the same if the data were published unchanged, without names.

    Examples
    --------
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"]])
    >>> original_anonymity_sets(data, m=2).smallest.tolist()
    [1, 1]
    """
    histories = dataset.history()
    secret = dataset.schema.sensitive if sensitive is None else sensitive
    records = Records(histories, {}, (), secret, histories.labels)
    return _best_knowledge(records, histories, m, np.ones(len(histories), dtype=bool))


def count_matches(release: Release, knowledge: ListColumn) -> Ints:
    """Count the published records that match each row of original places.

    Sensitive and removed places are left out of the rows; where nothing is left, every record matches.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
    >>> where = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"]], where)
    >>> release = SeqAnon(k=2, m=2).anonymize(data, Run(bytes(32))).release
    >>> count_matches(release, ListColumn.from_lists([["a"], ["b", "c"], ["c", "b"]])).tolist()
    [2, 2, 0]
    """
    records = Records.of(release, knowledge.labels)
    kinds = records.kinds_of(knowledge)
    counts = np.full(len(kinds), len(records.histories), dtype=np.int64)
    for size in np.unique(kinds.lengths[kinds.lengths > 0]).tolist():
        people = np.flatnonzero(kinds.lengths == size)
        for within, keys in distinct_subsequences(kinds.take(people), size):
            wanted, which = np.unique(keys, return_inverse=True)
            counts[people[within]] = records.count(wanted, size)[which]
    return counts


def matching_rows(release: Release, places: Sequence[str]) -> list[int]:
    """Return the published rows that match the places, by reading every record: slow and plain.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
    >>> where = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"]], where)
    >>> release = SeqAnon(k=2, m=2).anonymize(data, Run(bytes(32))).release
    >>> matching_rows(release, ["b", "c"])
    [0, 1]
    """
    members = release.members()
    rows = []
    for row, values in enumerate(release.history().lists()):
        rest = iter(values)
        if all(any(place in members.get(value, (value,)) for value in rest) for place in places):
            rows.append(row)
    return rows


class _MatchedSequence(NamedTuple):
    matches: int
    visitors: int
    size: int
    key: int


def _best_knowledge(records: Records, original: ListColumn, m: int, published: Flags | None) -> Matches:
    if m < 1:
        raise ParameterError(Message(parameter("m"), f" must be at least 1, got {m}."))
    kinds = records.kinds_of(original)
    everybody = len(records.histories)
    ordinary = original.keep(~records.secret[original.codes]).lengths
    # Who knows of someone only places that were removed, or none at all, faces every record.
    nothing = (kinds.lengths < ordinary) | (ordinary == 0)
    smallest = np.where(nothing & (everybody > 0), everybody, _NONE)
    most_visitors = max((int(visited.sum()) for visited in records.visits), default=0)
    share = np.where(nothing, most_visitors / max(everybody, 1), 0.0)
    unmatched = np.full(len(kinds), everybody == 0)
    rarest: _MatchedSequence | None = None
    revealing: _MatchedSequence | None = None
    tried = 0
    for size in countable_sizes(kinds, m):
        wanted, _ = support(kinds, size)
        matches, visitors = records.count(wanted, size), records.visitors(wanted, size)
        reached = np.where(matches > 0, matches, _NONE)
        shares = visitors / reached
        tried += len(wanted)
        for people, keys in distinct_subsequences(kinds, size):
            at = np.searchsorted(wanted, keys)
            np.minimum.at(smallest, people, reached[at])
            np.maximum.at(share, people, shares[at])
            unmatched[people[matches[at] == 0]] = True
        low, high = int(np.argmin(reached)), int(np.argmax(shares))
        if reached[low] < (_NONE if rarest is None else rarest.matches):
            rarest = _MatchedSequence(int(matches[low]), int(visitors[low]), size, int(wanted[low]))
        if shares[high] > (0.0 if revealing is None else revealing.visitors / revealing.matches):
            revealing = _MatchedSequence(int(matches[high]), int(visitors[high]), size, int(wanted[high]))
    return Matches(
        np.where(smallest == _NONE, 0, smallest),
        unmatched,
        published,
        share if records.visits else None,
        _describe(rarest, records, original),
        _describe(revealing, records, original),
        tried,
    )


def _describe(sequence: _MatchedSequence | None, records: Records, original: ListColumn) -> Knowledge | None:
    """Name one person's places behind a key, for the owner."""
    if sequence is None:
        return None
    matches, visitors, size, key = sequence
    kinds = records.kinds_of(original)
    row = next(int(r[k == key][0]) for r, k in distinct_subsequences(kinds, size) if (k == key).any())
    places = original.codes[original.offsets[row] : original.offsets[row + 1]].tolist()
    rest = [key // records.base**power % records.base for power in range(size)]
    named = []
    for place in places:
        if rest and records.kind[place] == rest[-1]:
            named.append(original.labels[place])
            rest.pop()
    return Knowledge(size, matches, visitors, tuple(named))
