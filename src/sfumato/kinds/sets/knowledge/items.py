"""How many published records match what an attacker knows: some of a person's items, as a set.

A generalised value stands for at least one of its members, so a record matches the known items if each of them is a
member of one of its values; one value may account for several items. Items removed everywhere tell nothing. Items
that belong to the same published values cannot be told apart in the release: they are one *kind* of item, and sets of
kinds are counted. Plain NumPy: it shares nothing with the methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sfumato.checking.records import Records
from sfumato.checking.subsequences import support
from sfumato.core.dataset import Dataset
from sfumato.core.ragged import Ragged
from sfumato.core.release import Release
from sfumato.kinds.sets.knowledge.search import ItemSets, best_knowledge
from sfumato.kinds.sets.knowledge.set_support import SetSupport, digits

__all__ = ["ItemRecords"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_BUDGET = 4_000_000


class ItemRecords:
    """Published records of generalised items.

    Parameters
    ----------
    published
        Records as sets of published values.
    members
        Items of every generalised value; other values are the item of that name.
    suppressed
        Items removed everywhere.
    original
        The people whose items are known.

    Examples
    --------
    >>> people = Ragged.from_lists([["a", "b", "c"], ["c", "d"]])
    >>> records = ItemRecords(Ragged.from_lists([["P", "c"], ["P"]]), {"P": ["a", "b"]}, ["d"], people)
    >>> records.known.lists(), records.untold.tolist()
    ([['0', '1'], ['1']], [False, True])
    >>> records.count(np.array([1]), size=2).tolist(), records.matching_rows((0,)).tolist()
    ([1], [0, 1])
    """

    def __init__(
        self, published: Ragged, members: Mapping[str, Sequence[str]], suppressed: Sequence[str], original: Ragged
    ) -> None:
        records = Records(published, members, suppressed, (), original.labels)
        self.published = published.distinct()
        self.known = records.kinds_of(original).distinct()
        self.untold = original.keep(records.kind[original.codes] < 0).lengths > 0
        self.untold |= original.lengths == 0
        self.missing = np.zeros(len(original), dtype=bool)
        self._base = records.base
        self._kinds, self._values = _holders(published, members, original.labels, records.kind)
        self._room = np.bincount(self._kinds, minlength=self._base)
        self._start = np.cumsum(self._room) - self._room
        self._plain = SetSupport(self.published.take(np.flatnonzero(~records.overlapping)))
        self._overlapping = SetSupport(self._spell_out(self.published.take(np.flatnonzero(records.overlapping))))

    @classmethod
    def of(cls, release: Release, original: Dataset) -> ItemRecords:
        """Read the records of a release."""
        return cls(release.history(), release.members(), release.suppressed(), original.history())

    @classmethod
    def of_original(cls, dataset: Dataset) -> ItemRecords:
        """Take the data as if they were published as they are."""
        return cls(dataset.history(), {}, (), dataset.history())

    def __len__(self) -> int:
        return len(self.published)

    def _spell_out(self, records: Ragged) -> Ragged:
        """Return records as sets of the kinds of items that their values stand for."""
        order = np.argsort(self._values, kind="stable")
        ends = np.searchsorted(self._values[order], np.arange(len(records.labels) + 1))
        room = np.diff(ends)[records.codes]
        which = np.repeat(np.arange(len(records.codes)), room)
        step = np.arange(len(which)) - np.repeat(np.cumsum(room) - room, room)
        kinds = self._kinds[order[ends[records.codes[which]] + step]]
        offsets = np.concatenate([[0], np.cumsum(room)])[records.offsets].astype(np.int64)
        return Ragged(offsets, kinds.astype(np.int32), tuple(map(str, range(self._base)))).distinct()

    def count(self, keys: Ints, size: int) -> Ints:
        """Count the records that match each set of kinds.

        Where no two values of a record share an item, a record matches a set through one set of its values only, so
        the supports of those add up. Other records are spelled out as sets of kinds.
        """
        counts = np.zeros(len(keys), dtype=np.int64)
        kinds = digits(keys, size, self._base)
        for which, values in self._unfold(kinds):
            counts += np.bincount(which, weights=self._support(values), minlength=len(keys)).astype(np.int64)
        if len(self._overlapping.records):
            counts += self._overlapping.count(kinds)
        return counts

    def _unfold(self, kinds: list[Ints]) -> Iterator[tuple[Ints, list[Ints]]]:
        """Yield (set, values): every way to choose for each kind of a set one value that stands for it."""
        ways = np.prod([self._room[column] for column in kinds], axis=0)
        filled = np.cumsum(ways)
        begin = 0
        while begin < len(ways):
            taken = filled[begin - 1] if begin else 0
            end = max(begin + 1, int(np.searchsorted(filled, taken + _BUDGET, side="right")))
            which = np.repeat(np.arange(begin, end), ways[begin:end])
            step = np.arange(len(which)) - np.repeat(filled[begin:end] - ways[begin:end] - taken, ways[begin:end])
            chosen = []
            for column in kinds:
                room = self._room[column[which]]
                chosen.append(self._values[self._start[column[which]] + step % room])
                step = step // room
            yield which, chosen
            begin = end

    def _support(self, values: list[Ints]) -> Ints:
        """Return how many records without overlaps have all of the values, which may be equal."""
        ordered = np.sort(np.stack(values), axis=0)
        new = np.diff(ordered, axis=0, prepend=-1) > 0
        distinct = new.sum(axis=0)
        counts = np.zeros(ordered.shape[1], dtype=np.int64)
        for size in range(1, len(values) + 1):
            at = np.flatnonzero(distinct == size)
            if len(at):
                columns = ordered[:, at].T[new[:, at].T].reshape(len(at), size).T
                counts[at] = self._plain.count(list(columns))
        return counts

    def least_knowledge(self, m: int) -> ItemSets:
        """Find the fewest records that any set of at most m items matches, and the people whom no record matches.

        Where every kind of item is published as one value, what matches a set of items is what has the set of their
        values, and whoever is published as a record matches at least what that record's sets of values match. So the
        sets of the published records are counted once, and only people who are published as no record are looked at
        one by one. ``smallest`` is then the least over all of these people, the same for each; its minimum is exact.
        Otherwise, and where a record is nobody's, everybody is looked at, as by :func:`best_knowledge`.
        """
        if len(self._overlapping.records) or self._room.max(initial=0) > 1:
            return best_knowledge(self, m)
        value_of = np.full(self._base, -1, dtype=np.int64)
        value_of[self._kinds] = self._values
        told = self.known.keep(value_of[self.known.codes] >= 0)
        images = Ragged(told.offsets, value_of[told.codes].astype(np.int32), self.published.labels).distinct()
        published, people = set(_images_of(self.published)), _images_of(images)
        if not published.issubset(people):
            return best_knowledge(self, m)
        alike = np.fromiter((image in published for image in people), dtype=bool, count=len(images))
        alike &= told.lengths == self.known.lengths
        found = best_knowledge(self, m, np.flatnonzero(~alike))
        smallest, unmatched = np.full(len(alike), len(self), dtype=np.int64), self.missing.copy()
        rarest: tuple[int, ...] = ()
        fewest, tried = len(self), found.tried
        kind_of = np.zeros(len(self.published.labels), dtype=np.int64)
        kind_of[self._values] = self._kinds
        for size in range(1, min(m, int(self.published.lengths.max(initial=0))) + 1):
            keys, counts = support(self.published, size)
            tried += len(keys)
            low = int(np.argmin(counts))
            if counts[low] < fewest:
                fewest = int(counts[low])
                values = digits(keys[low : low + 1], size, max(len(self.published.labels), 1))
                rarest = tuple(sorted(int(kind_of[value[0]]) for value in values))
        smallest[alike] = fewest
        smallest[~alike], unmatched[~alike] = found.smallest, found.unmatched
        if found.smallest[found.smallest > 0].min(initial=fewest) < fewest:
            rarest = found.rarest
        return ItemSets(smallest, unmatched, rarest, tried)

    def matching_rows(self, kinds: Sequence[int]) -> Ints:
        """Return the published rows that match a set of kinds."""
        left = np.ones(len(self.published), dtype=bool)
        for kind in kinds:
            holders = self._values[self._kinds == kind]
            hit = np.zeros(len(left), dtype=bool)
            hit[self.published.row_of_token[np.isin(self.published.codes, holders)]] = True
            left &= hit
        return np.flatnonzero(left)


def _images_of(records: Ragged) -> list[bytes]:
    """Return every row's codes as bytes, to find equal rows."""
    data = records.codes.astype(np.int32).tobytes()
    bounds = (records.offsets * 4).tolist()
    return [data[a:b] for a, b in pairwise(bounds)]


def _holders(
    published: Ragged, members: Mapping[str, Sequence[str]], labels: Sequence[str], kind: Ints
) -> tuple[Ints, Ints]:
    """Return (kind, value) for every published value and every kind of item it stands for, ascending."""
    code = {label: i for i, label in enumerate(labels)}
    pairs = {
        (int(kind[code[member]]), value)
        for value in np.flatnonzero(np.bincount(published.codes)).tolist()
        for member in members.get(published.labels[value], (published.labels[value],))
        if member in code and kind[code[member]] >= 0
    }
    both = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]
