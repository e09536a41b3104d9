"""Published records, ready to be asked how many of them match a sequence of original places.

A record matches the places s1..sj if its published values contain them at positions p1 < .. < pj. Places
that belong to the same published values cannot be told apart in the release, so they are one *kind* of place,
and sequences of kinds are counted. Plain NumPy: it shares nothing with the methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.checks.overlap import Steps, Values, count_signed, list_steps, sum_up
from sfumato.checks.subsequences import distinct_subsequences, support
from sfumato.data.lists import ListColumn
from sfumato.progress import track
from sfumato.release.release import Release

__all__ = ["Records", "membership"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_BUDGET = 4_000_000
_ROW_BATCH = 512


def membership(release: Release, labels: Sequence[str]) -> tuple[Ints, Ints]:
    """Return (value, place) for every published value and every original place it stands for, ascending.

    Values are codes of the published history, places are positions in ``labels``.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
    >>> where = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"]], where)
    >>> release = SeqAnon(k=2, m=2).anonymize(data, Run(bytes(32))).release
    >>> release.history().labels
    ('c', '{a|b}')
    >>> values, places = membership(release, ["a", "b", "c"])
    >>> values.tolist(), places.tolist()
    ([0, 1, 1], [2, 0, 1])
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


class Records:
    """Published records over kinds of places.

    Parameters
    ----------
    histories
        What is published: offsets and codes of published values.
    members
        Places of every generalised value; other values are the place of that name.
    suppressed
        Places removed everywhere: they tell an attacker nothing.
    sensitive
        Places an attacker wants to learn, and does not know.
    labels
        The original places, in the order of the codes that knowledge is given in.

    Examples
    --------
    >>> records = Records(ListColumn.from_lists([["P", "c"], ["c"]]), {"P": ["a", "b"]}, (), (), ["a", "b", "c"])
    >>> records.kind.tolist()
    [0, 0, 1]
    >>> records.count(np.array([1, 2]), size=2).tolist()
    [1, 0]
    """

    def __init__(
        self,
        histories: ListColumn,
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
        self.kind = _number_kinds(values, places, len(labels), self.secret | gone)
        self.base = int(self.kind.max(initial=0)) + 1
        is_knowledge = self.kind[places] >= 0
        # Kinds of every value, one value after the other: as many as _kind_counts says, from _start on.
        self._pairs = np.unique(values[is_knowledge] * self.base + self.kind[places[is_knowledge]])
        self._kinds = self._pairs % self.base
        self._kind_counts = np.bincount(self._pairs // self.base, minlength=len(histories.labels))
        self._start = np.cumsum(self._kind_counts) - self._kind_counts
        self.visits = [self._rows_visiting(place, members) for place in dict.fromkeys(sensitive)]
        self.overlapping = self._rows_with_overlap()

    @classmethod
    def of(cls, release: Release, labels: Sequence[str]) -> Records:
        """Read the records of a release."""
        sensitive = getattr(release.guarantee, "sensitive", ())
        return cls(release.history(), release.members(), release.suppressed(), sensitive, labels)

    def kinds_of(self, places: ListColumn) -> ListColumn:
        """Return histories of original places as kinds of places, without what is no knowledge."""
        knowledge = places.keep(self.kind[places.codes] >= 0)
        names = tuple(map(str, range(self.base)))
        return ListColumn(knowledge.offsets, self.kind[knowledge.codes].astype(np.int32), names)

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
        if not len(self._kinds) or np.bincount(self._kinds).max() <= 1:
            return marked
        base = len(self.histories.labels)
        keys, _ = support(self.histories, 2)
        left, right = np.divmod(keys, base)
        shared = np.zeros(len(keys), dtype=bool)
        for which, kind in self._spread(np.where(left != right, self._kind_counts[left], 0), self._start[left]):
            wanted = right[which] * self.base + kind
            shared[which[_mark_present(self._pairs, wanted)]] = True
        if shared.any():
            for rows, pairs in distinct_subsequences(self.histories, 2):
                marked[rows[_mark_present(keys[shared], pairs)]] = True
        return marked

    def _spread(self, lengths: Ints, start: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Yield (entry, kind) for every kind of place in the value of every entry, in portions."""
        filled = np.cumsum(lengths)
        done = 0
        while done < len(lengths):
            taken = filled[done - 1] if done else 0
            stop = max(done + 1, int(np.searchsorted(filled, taken + _BUDGET, side="right")))
            counts = lengths[done:stop]
            which = np.repeat(np.arange(done, stop), counts)
            step = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
            yield which, self._kinds[start[which] + step]
            done = stop

    def count(self, wanted: Ints, size: int, among: Flags | None = None) -> Ints:
        """Count the records that match each wanted sequence of kinds (ascending keys), all or some of them.

        Where no two values of a record share a place, a record can match a sequence through one sequence
        of its values only, so the supports of those add up. Where such values lie inside each other, sequences are
        counted with signs (:mod:`sfumato.checks.overlap`). Other records are matched one by one.
        """
        counts = np.zeros(len(wanted), dtype=np.int64)
        if not len(wanted) or size > self.histories.lengths.max(initial=0):
            return counts
        selected = np.ones(len(self.histories), dtype=bool) if among is None else among
        if self.overlapping.any():
            keys, signed = count_signed(self._steps, size, max(len(self.histories.labels), 1), selected)
            counts = sum_up(keys, signed, size, self._values, wanted)
            return counts + self._read(np.flatnonzero(selected & self._steps.odd), size, wanted)
        keys, supports = support(self.histories.take(np.flatnonzero(selected)), size)
        for which, hit in self._unfold(keys, size, wanted):
            np.add.at(counts, hit, supports[which])
        return counts

    @cached_property
    def _values(self) -> Values:
        return Values(self._pairs, self.base, max(len(self.histories.labels), 1))

    @cached_property
    def _steps(self) -> Steps:
        return list_steps(self.histories, self._values)

    def _read(self, rows: Ints, size: int, wanted: Ints) -> Ints:
        """Count the matches of some records by reading every one of them."""
        counts = np.zeros(len(wanted), dtype=np.int64)
        for first in track("compare records", range(0, len(rows), _ROW_BATCH)):
            part = self.histories.take(rows[first : first + _ROW_BATCH])
            pairs = [
                np.unique(inside[which] * len(wanted) + hit)
                for inside, keys in distinct_subsequences(part, size)
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

        def lengthen(at: Ints, so_far: Ints, depth: int) -> Iterator[tuple[Ints, Ints]]:
            if depth == size:
                yield at, np.searchsorted(wanted, so_far)
                return
            value = values[depth][at]
            for which, kind in self._spread(self._kind_counts[value], self._start[value]):
                longer = so_far[which] * self.base + kind
                possible = _mark_present(beginnings[depth], longer)
                yield from lengthen(at[which[possible]], longer[possible], depth + 1)

        yield from lengthen(np.arange(len(keys)), np.zeros(len(keys), np.int64), 0)

    def readings(self, among: Flags, size: int, most: int) -> Ints | None:
        """List the sequences of kinds that some of the records match, as ascending keys; None if more than ``most``.

        Examples
        --------
        >>> records = Records(ListColumn.from_lists([["P", "Q"]]), {"P": ["a", "b"], "Q": ["b"]}, (), (), ["a", "b"])
        >>> records.readings(np.array([True]), size=1, most=9).tolist()
        [0, 1]
        """
        rows = self.histories.take(np.flatnonzero(among))
        base, nothing = max(len(rows.labels), 1), np.empty(0, np.int64)
        if size > rows.lengths.max(initial=0):
            return nothing
        if size * np.log2(max(self.base, 2)) > 62:
            return None
        keys, _ = support(rows, size)
        sequences = [nothing]
        for first in track("compare records", range(0, len(keys), _ROW_BATCH)):
            part = keys[first : first + _ROW_BATCH]
            ways = np.prod(
                [self._kind_counts[part // base**power % base] for power in range(size)], axis=0, dtype=float
            )
            if ways.sum() > most:
                return None
            which, kind_keys = np.arange(len(part)), np.zeros(len(part), np.int64)
            for power in range(size - 1, -1, -1):
                value = (part // base**power % base)[which]
                spread = [(nothing, nothing), *self._spread(self._kind_counts[value], self._start[value])]
                at, kind = (np.concatenate(column) for column in zip(*spread, strict=True))
                which, kind_keys = which[at], kind_keys[at] * self.base + kind
            sequences.append(np.unique(kind_keys))
            if sum(map(len, sequences)) > most:
                sequences = [np.unique(np.concatenate(sequences))]
                if len(sequences[0]) > most:
                    return None
        return np.unique(np.concatenate(sequences))

    def visitors(self, wanted: Ints, size: int) -> Ints:
        """Count the matching records that visit the sensitive place most of them visit."""
        most = np.zeros(len(wanted), dtype=np.int64)
        for visited in self.visits:
            most = np.maximum(most, self.count(wanted, size, visited))
        return most


def _marked(labels: Sequence[str], listed: Sequence[str]) -> Flags:
    chosen = frozenset(listed)
    return np.fromiter((label in chosen for label in labels), dtype=bool, count=len(labels))


def _number_kinds(values: Ints, places: Ints, n: int, not_published: Flags) -> Ints:
    """Number the places by the set of values that contain them; -1 for places that are no knowledge."""
    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], np.arange(n + 1))
    sorted_values = values[order]
    seen: dict[bytes, int] = {}
    kind = np.full(n, -1, dtype=np.int64)
    for place in np.flatnonzero(~not_published):
        holders = sorted_values[ends[place] : ends[place + 1]]
        kind[place] = seen.setdefault(holders.tobytes(), len(seen))
    return kind


def _mark_present(ascending: Ints, wanted: Ints) -> Flags:
    """Mark the wanted numbers that occur."""
    if not len(ascending):
        return np.zeros(len(wanted), dtype=bool)
    at = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.asarray(ascending[at] == wanted)
