"""How many published records match what an attacker knows: some of a person's places, in order.

A record matches the places s1..sj if its published values contain them at positions p1 < .. < pj. Places
that belong to the same published values cannot be told apart in the release, so they are counted as one
*kind* of place. Plain NumPy: verifiers and attackers rest on it, and it shares nothing with the methods.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError
from sfumato.core.ragged import Ragged
from sfumato.core.release import Release
from sfumato.core.subsequences import distinct_subsequences, support

__all__ = [
    "Knowledge",
    "Matches",
    "anonymity_sets",
    "count_matches",
    "matching_rows",
    "membership",
    "original_anonymity_sets",
]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_BUDGET = 4_000_000
_ROWS_AT_ONCE = 512
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
    >>> found = original_anonymity_sets(Dataset.from_trajectories([["a", "b"], ["a", "b"], ["b", "a"]]), 2)
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

    Sensitive places of the claim are never known to the attacker. Places removed everywhere tell nothing.

    Parameters
    ----------
    release, original
        What was published, and what the attacker's knowledge is drawn from.
    m
        Largest number of places known, at least 1.
    rows
        Original row of every published row, where the owner kept it.
    """
    histories = original.history()
    published = None if rows is None else np.isin(np.arange(len(histories)), rows)
    return _best_knowledge(_Records.of(release, histories.labels), histories, m, published)


def original_anonymity_sets(dataset: Dataset, m: int, sensitive: Sequence[str] | None = None) -> Matches:
    """Find the same if the data were published as they are, without names."""
    histories = dataset.history()
    secret = dataset.schema.sensitive if sensitive is None else sensitive
    records = _Records(histories, {}, (), secret, histories.labels)
    return _best_knowledge(records, histories, m, np.ones(len(histories), dtype=bool))


def count_matches(release: Release, knowledge: Ragged) -> Ints:
    """Count the published records that match each row of original places.

    Sensitive and removed places are left out of the rows; where nothing is left, every record matches.
    """
    records = _Records.of(release, knowledge.labels)
    known = records.kinds_of(knowledge)
    counts = np.full(len(known), len(records.histories), dtype=np.int64)
    for size in np.unique(known.lengths[known.lengths > 0]).tolist():
        people = np.flatnonzero(known.lengths == size)
        for within, keys in distinct_subsequences(known.take(people), size):
            wanted, which = np.unique(keys, return_inverse=True)
            counts[people[within]] = records.count(wanted, size)[which]
    return counts


def matching_rows(release: Release, places: Sequence[str]) -> list[int]:
    """Return the published rows that match the places, by reading every record: slow and plain."""
    members = release.members()
    found = []
    for row, values in enumerate(release.history().lists()):
        rest = iter(values)
        if all(any(place in members.get(value, (value,)) for value in rest) for place in places):
            found.append(row)
    return found


def membership(release: Release, labels: Sequence[str]) -> tuple[Ints, Ints]:
    """Return (value, place) for every published value and every original place it stands for, ascending.

    Values are codes of the published history, places are positions in ``labels``.
    """
    return _membership(release.history().labels, release.members(), labels)


def _membership(
    values: Sequence[str], members: Mapping[str, Sequence[str]], labels: Sequence[str]
) -> tuple[Ints, Ints]:
    code = {label: i for i, label in enumerate(labels)}
    pairs = {
        (value, code[member])
        for value, name in enumerate(values)
        for member in members.get(name, (name,))
        if member in code
    }
    both = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


class _Records:
    """Published records, ready to be asked how many match."""

    def __init__(
        self,
        histories: Ragged,
        members: Mapping[str, Sequence[str]],
        suppressed: Sequence[str],
        sensitive: Sequence[str],
        labels: Sequence[str],
    ) -> None:
        self.histories = histories
        values, places = _membership(histories.labels, members, labels)
        used = np.bincount(histories.codes, minlength=len(histories.labels))[values] > 0
        values, places = values[used], places[used]
        self.secret = _marked(labels, sensitive)
        gone = _marked(labels, suppressed)
        gone[places] = False  # listed as removed, yet published: an attacker would look for it
        self.kind = _kinds(values, places, len(labels), self.secret | gone)
        self.base = int(self.kind.max(initial=-1)) + 1
        told = self.kind[places] >= 0
        by_value = np.unique(values[told] * max(self.base, 1) + self.kind[places[told]])
        self.pairs = by_value
        self.kinds = by_value % max(self.base, 1)
        self.room = np.bincount(by_value // max(self.base, 1), minlength=len(histories.labels))
        self.start = np.cumsum(self.room) - self.room
        self.visits = [self._rows_visiting(place, members) for place in dict.fromkeys(sensitive)]
        self.overlapping = self._rows_with_overlap()

    @classmethod
    def of(cls, release: Release, labels: Sequence[str]) -> _Records:
        sensitive = getattr(release.guarantee, "sensitive", ())
        return cls(release.history(), release.members(), release.suppressed(), sensitive, labels)

    def kinds_of(self, places: Ragged) -> Ragged:
        """Return histories of original places as kinds of places, without what is no knowledge."""
        kept = places.keep(self.kind[places.codes] >= 0)
        names = tuple(map(str, range(self.base)))
        return Ragged(kept.offsets, self.kind[kept.codes].astype(np.int32), names)

    def _rows_visiting(self, place: str, members: Mapping[str, Sequence[str]]) -> Flags:
        """Mark the records that visit a sensitive place, or may visit it."""
        names = self.histories.labels
        holders = [code for code, name in enumerate(names) if place in members.get(name, (name,))]
        visited = np.zeros(len(self.histories), dtype=bool)
        visited[self.histories.row_of_token[np.isin(self.histories.codes, holders)]] = True
        return visited

    def _rows_with_overlap(self) -> Flags:
        """Mark records that hold two different values with a place in common; a sound release has none."""
        marked = np.zeros(len(self.histories), dtype=bool)
        if not len(self.kinds) or np.bincount(self.kinds).max() <= 1:
            return marked
        base = len(self.histories.labels)
        keys, _ = support(self.histories, 2)
        left, right = np.divmod(keys, base)
        shared = np.zeros(len(keys), dtype=bool)
        for which, kind in self._spread(np.where(left != right, self.room[left], 0), self.start[left]):
            wanted = right[which] * self.base + kind
            shared[which[_found(self.pairs, wanted)]] = True
        if shared.any():
            for rows, pairs in distinct_subsequences(self.histories, 2):
                marked[rows[_found(keys[shared], pairs)]] = True
        return marked

    def _spread(self, room: Ints, start: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Yield (entry, kind) for every kind of place in the value of every entry, in portions."""
        filled = np.cumsum(room)
        done = 0
        while done < len(room):
            taken = filled[done - 1] if done else 0
            stop = max(done + 1, int(np.searchsorted(filled, taken + _BUDGET, side="right")))
            counts = room[done:stop]
            which = np.repeat(np.arange(done, stop), counts)
            step = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
            yield which, self.kinds[start[which] + step]
            done = stop

    def count(self, wanted: Ints, size: int, among: Flags | None = None) -> Ints:
        """Count the records that match each wanted sequence of kinds (ascending keys), all or some of them.

        Where no two values of a record share a place, a record can match a sequence through one sequence
        of its values only, so the supports of those add up. Other records are matched one by one.
        """
        counts = np.zeros(len(wanted), dtype=np.int64)
        if not len(wanted) or size > self.histories.lengths.max(initial=0):
            return counts
        some = np.ones(len(self.histories), dtype=bool) if among is None else among
        keys, supports = support(self.histories.take(np.flatnonzero(some & ~self.overlapping)), size)
        for which, hit in self._unfold(keys, size, wanted):
            np.add.at(counts, hit, supports[which])
        odd = np.flatnonzero(some & self.overlapping)
        for first in range(0, len(odd), _ROWS_AT_ONCE):
            part = self.histories.take(odd[first : first + _ROWS_AT_ONCE])
            pairs = [
                np.unique(rows[which] * len(wanted) + hit)
                for rows, keys in distinct_subsequences(part, size)
                for which, hit in self._unfold(keys, size, wanted)
            ]
            if pairs:
                np.add.at(counts, np.unique(np.concatenate(pairs)) % len(wanted), 1)
        return counts

    def _unfold(self, keys: Ints, size: int, wanted: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Yield (sequence of values, wanted sequence of kinds) where the first can stand for the second."""
        base = max(len(self.histories.labels), 1)
        values = [keys // base**power % base for power in range(size - 1, -1, -1)]
        beginnings = [wanted // self.base**power for power in range(size - 1, -1, -1)]

        def lengthen(at: Ints, so_far: Ints, known: int) -> Iterator[tuple[Ints, Ints]]:
            if known == size:
                yield at, np.searchsorted(wanted, so_far)
                return
            value = values[known][at]
            for which, kind in self._spread(self.room[value], self.start[value]):
                longer = so_far[which] * self.base + kind
                possible = _found(beginnings[known], longer)
                yield from lengthen(at[which[possible]], longer[possible], known + 1)

        yield from lengthen(np.arange(len(keys)), np.zeros(len(keys), np.int64), 0)

    def visitors(self, wanted: Ints, size: int) -> Ints:
        """Count the matching records that visit the sensitive place most of them visit."""
        most = np.zeros(len(wanted), dtype=np.int64)
        for visited in self.visits:
            most = np.maximum(most, self.count(wanted, size, visited))
        return most


def _marked(labels: Sequence[str], listed: Sequence[str]) -> Flags:
    chosen = frozenset(listed)
    return np.fromiter((label in chosen for label in labels), dtype=bool, count=len(labels))


def _kinds(values: Ints, places: Ints, n: int, untold: Flags) -> Ints:
    """Number the places by the set of values that contain them; -1 for places that are no knowledge."""
    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], np.arange(n + 1))
    sorted_values = values[order]
    seen: dict[bytes, int] = {}
    kind = np.full(n, -1, dtype=np.int64)
    for place in np.flatnonzero(~untold):
        holders = sorted_values[ends[place] : ends[place + 1]]
        kind[place] = seen.setdefault(holders.tobytes(), len(seen))
    return kind


def _found(ascending: Ints, wanted: Ints) -> Flags:
    """Mark the wanted numbers that occur."""
    if not len(ascending):
        return np.zeros(len(wanted), dtype=bool)
    at = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.asarray(ascending[at] == wanted)


class _Found(NamedTuple):
    matches: int
    visitors: int
    size: int
    key: int


def _best_knowledge(records: _Records, original: Ragged, m: int, published: Flags | None) -> Matches:
    if m < 1:
        raise ParameterError(f"matching: m must be at least 1, got {m}.")
    known = records.kinds_of(original)
    everybody = len(records.histories)
    ordinary = original.keep(~records.secret[original.codes]).lengths
    # Whose places were all removed, or all sensitive, can be known by nothing, and nothing matches everybody.
    nothing = (known.lengths < ordinary) | (ordinary == 0)
    smallest = np.where(nothing & (everybody > 0), everybody, _NONE)
    share = np.where(
        nothing, max((visited.sum() for visited in records.visits), default=0) / max(everybody, 1), 0.0
    )
    unmatched = np.zeros(len(known), dtype=bool)
    rarest: _Found | None = None
    revealing: _Found | None = None
    tried = 0
    for size in range(1, min(m, int(known.lengths.max(initial=0))) + 1):
        wanted, _ = support(known, size)
        matches, visitors = records.count(wanted, size), records.visitors(wanted, size)
        reached = np.where(matches > 0, matches, _NONE)
        shares = visitors / reached
        tried += len(wanted)
        for people, keys in distinct_subsequences(known, size):
            at = np.searchsorted(wanted, keys)
            np.minimum.at(smallest, people, reached[at])
            np.maximum.at(share, people, shares[at])
            unmatched[people[matches[at] == 0]] = True
        low, high = int(np.argmin(reached)), int(np.argmax(shares))
        if reached[low] < (_NONE if rarest is None else rarest.matches):
            rarest = _Found(int(matches[low]), int(visitors[low]), size, int(wanted[low]))
        if shares[high] > (0.0 if revealing is None else revealing.visitors / revealing.matches):
            revealing = _Found(int(matches[high]), int(visitors[high]), size, int(wanted[high]))
    return Matches(
        np.where(smallest == _NONE, 0, smallest),
        unmatched,
        published,
        share if records.visits else None,
        _describe(rarest, records, original),
        _describe(revealing, records, original),
        tried,
    )


def _describe(found: _Found | None, records: _Records, original: Ragged) -> Knowledge | None:
    """Name one person's places behind a key, for the owner."""
    if found is None:
        return None
    matches, visitors, size, key = found
    known = records.kinds_of(original)
    row = next(int(r[k == key][0]) for r, k in distinct_subsequences(known, size) if (k == key).any())
    places = original.codes[original.offsets[row] : original.offsets[row + 1]].tolist()
    rest = [key // records.base**power % records.base for power in range(size)]
    named = []
    for place in places:
        if rest and records.kind[place] == rest[-1]:
            named.append(original.labels[place])
            rest.pop()
    return Knowledge(size, matches, visitors, tuple(named))
