"""Who a person may be: records that fit all attributes of the person and each set of up to m of the person's items.

A record fits the attributes if each of its cells may stand for the person's value, and the items if each of them is a
member of one of its values; one value may account for several items. Plain NumPy: it shares nothing with the methods.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.checks.subsequences import check_key_width, countable_sizes, distinct_subsequences
from sfumato.checks.values import contains
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.rt.dataset import known_items
from sfumato.kinds.rt.decode import PublishedRecords
from sfumato.kinds.table.dataset import attribute_of
from sfumato.progress import track

__all__ = ["CandidateCounts", "Candidates", "Knowledge"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]

_BATCH_CELLS = 1 << 22
_DENSE = 1 << 22


@dataclasses.dataclass(frozen=True, eq=False)
class Knowledge:
    """Every set of up to m items of every person, person after person.

    Attributes
    ----------
    offsets
        What can be known of person p: entries ``offsets[p]`` to ``offsets[p + 1]``; the first one is no item at all.
    items
        Of every entry: as many items as the longest entry has, the last ones -1 where it has fewer.

    Examples
    --------
    >>> Knowledge.of(ListColumn.from_lists([["a", "b"], []]), 2).items.tolist()
    [[-1, -1], [0, -1], [1, -1], [0, 1], [-1, -1]]
    """

    offsets: Ints
    items: Ints

    @classmethod
    def of(cls, people: ListColumn, m: int) -> Knowledge:
        """List what can be known."""
        base, sizes = max(len(people.labels), 1), countable_sizes(people, m)
        width = max(len(sizes), 1)
        rows, sets = [np.arange(len(people))], [np.full((len(people), width), -1, np.int64)]
        for size in sizes:
            for row, keys in distinct_subsequences(people, size):
                digits = [keys // base**power % base for power in range(size - 1, -1, -1)]
                rows.append(row)
                sets.append(np.column_stack([*digits, *[np.full(len(row), -1)] * (width - size)]))
        row = np.concatenate(rows)
        order = np.argsort(row, kind="stable")
        offsets = np.searchsorted(row[order], np.arange(len(people) + 1)).astype(np.int64)
        return cls(offsets, np.concatenate(sets)[order])

    @cached_property
    def sizes(self) -> Ints:
        """Number of items of every entry."""
        return np.asarray((self.items >= 0).sum(axis=1), np.int64)


@dataclasses.dataclass(frozen=True, eq=False)
class CandidateCounts:
    """How many records fit each entry of what can be known, and how many of them have the worst sensitive item.

    Attributes
    ----------
    knowledge
        What can be known.
    fitting, having
        Of every entry: records that fit, and those among them with the sensitive item that most of them have.
    """

    knowledge: Knowledge
    fitting: Ints
    having: Ints

    def smallest(self) -> Ints:
        """Return the fewest records, but at least one, that anything known about a person leads to; 0 if nothing."""
        reached = np.where(self.fitting > 0, self.fitting, np.iinfo(np.int64).max)
        smallest = np.minimum.reduceat(reached, self.knowledge.offsets[:-1])
        return np.where(smallest == np.iinfo(np.int64).max, 0, smallest)

    def largest_share(self) -> float:
        """Return the largest share of fitting records that have one sensitive item."""
        is_fitting = self.fitting > 0
        return float((self.having[is_fitting] / self.fitting[is_fitting]).max(initial=0.0))


class Candidates:
    """Published records, ready to be asked who fits people of the original.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("rt", [(20,), (29,)], ("age",), [["a"], ["a", "b"]])
    >>> release = sf.anonymize(data, sf.methods.RFirst(k=2, m=1, transaction="coat"), secret=bytes(32)).release
    >>> found = Candidates(PublishedRecords.of(release), data).counts(1)
    >>> found.knowledge.items.ravel().tolist(), found.fitting.tolist()
    ([-1, 0, -1, 0, 1], [2, 2, 2, 2, 2])
    """

    def __init__(self, records: PublishedRecords, original: Dataset, people: Ints | None = None) -> None:
        """Take the people of some rows of the original, or all of them."""
        rows = np.arange(len(original)) if people is None else people
        self._records, self._count = records, len(rows)
        self.people = known_items(original).take(rows).distinct()
        self._columns = []
        for column in records.table.columns:
            attribute = attribute_of(original, column.name)
            holds = contains(column.values, attribute.value_sets)
            codes = attribute.codes[rows]
            self._columns.append((holds, np.where(codes < 0, holds.shape[1] - 1, codes), column.codes))
        self._values, self._items = _membership(records, self.people.labels)

    def counts(self, m: int) -> CandidateCounts:
        """Count the records that fit everything that can be known of everybody."""
        knowledge = Knowledge.of(self.people, m)
        fitting = np.zeros(len(knowledge.items), np.int64)
        having = np.zeros((len(self._records.sensitive_items), len(knowledge.items)), np.int64)
        table = self._records.table
        order = np.argsort(table.group, kind="stable")
        ends = np.searchsorted(table.group[order], np.arange(len(table.sizes) + 1))
        for group in track("compare records", range(len(table.sizes))):
            who = np.flatnonzero(self._fits(int(table.example[group])))
            if len(who):
                rows = order[ends[group] : ends[group + 1]]
                everybody = len(who) == self._count
                lengths = np.diff(knowledge.offsets)[who]
                entries = slice(None) if everybody else _spread(knowledge.offsets[who], lengths)
                self._add(rows, knowledge.items[entries], entries, fitting, having)
        most = having.max(axis=0) if len(having) else np.zeros(len(fitting), np.int64)
        return CandidateCounts(knowledge, fitting, most)

    def _fits(self, row: int) -> Flags:
        """Mark the people whose attributes a record may have."""
        fits = np.ones(self._count, dtype=bool)
        for holds, codes, index in self._columns:
            fits &= holds[index[row]][codes]
        return fits

    def _add(self, rows: Ints, questions: Ints, entries: Ints | slice, fitting: Ints, having: Ints) -> None:
        """Add the records of one class to the counts of what is known."""
        bits = self._bits_of(rows)
        # Items that the same records may have are of one kind; sets of kinds are counted once each.
        kinds, kind = np.unique(bits, axis=0, return_inverse=True)
        kinds = np.vstack([kinds, np.packbits(np.ones(len(rows), dtype=bool))[None, :]])
        sets, which = _number_sets(np.append(kind.reshape(-1), len(kinds) - 1), questions, len(kinds))
        counts = np.zeros(len(sets), np.int64)
        secret = np.packbits(self._records.having[rows].T, axis=1)
        secret_counts = np.zeros((len(secret), len(sets)), np.int64)
        step = max(_BATCH_CELLS // max(kinds.shape[1], 1), 1)
        for first in range(0, len(sets), step):
            part = np.bitwise_and.reduce(kinds[sets[first : first + step]], axis=1)
            counts[first : first + step] = _count_bits(part)
            for at in range(len(secret)):
                secret_counts[at, first : first + step] = _count_bits(part & secret[at])
        fitting[entries] += counts[which]
        for at in range(len(secret)):
            having[at, entries] += secret_counts[at, which]

    def _bits_of(self, rows: Ints) -> Bytes:
        """Return which records of a class may have each item, eight records a byte."""
        values = self._records.known_values.take(rows)
        ends = np.searchsorted(self._values, np.arange(len(values.labels) + 1))
        lengths = np.diff(ends)[values.codes]
        items = self._items[_spread(ends[:-1][values.codes], lengths)]
        fits = np.zeros((max(len(self.people.labels), 1), len(rows)), dtype=bool)
        fits[items, np.repeat(values.row_of_token, lengths)] = True
        return np.packbits(fits, axis=1)


def _membership(records: PublishedRecords, labels: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Return (value, item) for every published value and every item it stands for, ascending."""
    code = {label: at for at, label in enumerate(labels)}
    pairs = [
        (value, code[member])
        for value in range(len(records.items.values))
        for member in records.items.values.labels_of(value)
        if member in code
    ]
    both = np.array(sorted(set(pairs)), np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _spread(start: Ints, lengths: Ints) -> Ints:
    """Return the positions of ranges, one after the other."""
    ends = np.cumsum(lengths)
    return np.repeat(start - (ends - lengths), lengths) + np.arange(int(ends[-1]) if len(ends) else 0)


def _number_sets(kind: Ints, questions: Ints, base: int) -> tuple[Ints, Ints]:
    """Return the different sets of kinds that are asked about, and which one every question is."""
    # Keys of items were found to fit, but there may be one kind more than items.
    check_key_width(questions.shape[1], base)
    keys = kind[questions[:, 0]]
    for column in questions.T[1:]:
        keys = keys * base + kind[column]
    if base ** questions.shape[1] <= _DENSE:
        # Few kinds: a table of all their sets is quicker than sorting the questions.
        place = np.zeros(base ** questions.shape[1], np.int64)
        place[keys] = 1
        distinct_keys = np.flatnonzero(place)
        place[distinct_keys] = np.arange(len(distinct_keys))
        which = place[keys]
    else:
        distinct_keys, which = np.unique(keys, return_inverse=True)
    digits = [distinct_keys // base**power % base for power in range(questions.shape[1] - 1, -1, -1)]
    return np.column_stack(digits), which.reshape(-1)


def _count_bits(words: Bytes) -> Ints:
    """Return the number of bits set in every row."""
    if hasattr(np, "bitwise_count"):
        return np.asarray(np.bitwise_count(words).sum(axis=1, dtype=np.int64))
    return np.asarray(np.unpackbits(words, axis=1).sum(axis=1, dtype=np.int64))
