"""Who a person may be: records that fit all attributes of the person and each set of up to m of the person's items.

A record fits the attributes if each of its cells may stand for the person's value, and the items if each of them is a
member of one of its values; one value may account for several items. It shares nothing with the methods.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.checks.compiled import is_compiled_for
from sfumato.checks.subsequences import countable_sizes, distinct_subsequences, is_among
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn, distinct
from sfumato.kinds.rt.dataset import known_items
from sfumato.kinds.rt.decode import PublishedRecords
from sfumato.kinds.table.knowledge import Fitting

__all__ = ["CandidateCounts", "Candidates", "Knowledge"]

Ints = npt.NDArray[np.int64]

_SEARCH = 50
"""A search among many numbers takes as long as so many comparisons."""
_QUESTIONS = 1 << 20
"""Questions to records that are answered in one go."""


@dataclasses.dataclass(frozen=True, eq=False)
class Knowledge:
    """Every set of up to m items of every person, person after person.

    Attributes
    ----------
    offsets
        What can be known of person p: entries ``offsets[p]`` to ``offsets[p + 1]``; the first one is no item at all.
    set_of_entry
        The set of every entry, by number.
    sets
        Items of every set: as many as the longest has, the last ones -1 where it has fewer.

    Examples
    --------
    >>> Knowledge.of(ListColumn.from_lists([["a", "b"], []]), 2).items.tolist()
    [[-1, -1], [0, -1], [1, -1], [0, 1], [-1, -1]]
    """

    offsets: Ints
    set_of_entry: Ints
    sets: Ints

    @classmethod
    def of(cls, people: ListColumn, m: int) -> Knowledge:
        """List what can be known."""
        base, sizes = max(len(people.labels), 1), countable_sizes(people, m)
        width = max(len(sizes), 1)
        rows, numbers, sets = [np.arange(len(people))], [np.zeros(len(people), np.int64)], [np.full((1, width), -1)]
        for size in sizes:
            for row, keys in distinct_subsequences(people, size):
                different, number = np.unique(keys, return_inverse=True)
                rows.append(row)
                numbers.append(sum(map(len, sets)) + number.reshape(-1))
                items = [different // base**power % base for power in range(size - 1, -1, -1)]
                sets.append(np.column_stack([*items, *[np.full(len(different), -1)] * (width - size)]))
        row = np.concatenate(rows)
        order = np.argsort(row, kind="stable")
        offsets = np.searchsorted(row[order], np.arange(len(people) + 1)).astype(np.int64)
        return cls(offsets, np.concatenate(numbers)[order], np.concatenate(sets).astype(np.int64))

    @property
    def items(self) -> Ints:
        """Items of every entry, as of its set."""
        return self.sets[self.set_of_entry]

    @cached_property
    def sizes(self) -> Ints:
        """Number of items of every entry."""
        return np.asarray((self.sets >= 0).sum(axis=1)[self.set_of_entry], np.int64)


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
        self._records = records
        everybody = known_items(original)
        if people is None:
            self.people, self._fitting = everybody.distinct(), Fitting.of(records.table, original)
        else:
            self.people = everybody.take(people).distinct()
            self._fitting = Fitting.among(records.table, original, original.table.take(people))
        self._values, self._items = _membership(records, self.people.labels)

    def counts(self, m: int) -> CandidateCounts:
        """Count the records that fit everything that can be known of everybody."""
        knowledge = Knowledge.of(self.people, m)
        questions = np.diff(knowledge.offsets) * self._fitting.weigh(self._records.table.sizes)[self._fitting.case]
        if is_compiled_for(int(questions.sum()) * knowledge.sets.shape[1] * _SEARCH):
            fitting, having = self._count_by_class(knowledge)
        else:
            fitting, having = self._count_by_person(knowledge, np.cumsum(questions))
        return CandidateCounts(knowledge, fitting, having.max(axis=0) if len(having) else np.zeros_like(fitting))

    def _count_by_class(self, knowledge: Knowledge) -> tuple[Ints, Ints]:
        """Count class by class, where every set of items is looked for once."""
        from sfumato.checks._kernels.item_sets import count_records

        table, values = self._records.table, self._records.known_values
        cases, classes = self._fitting.fits.tocsc(), np.arange(len(table.sizes) + 1)
        people = np.argsort(self._fitting.case, kind="stable")
        begin = np.searchsorted(self._fitting.case[people], np.arange(cases.shape[0] + 1))
        lengths = np.diff(begin)[cases.indices]
        person_begin = np.concatenate([[0], np.cumsum(lengths)])[cases.indptr]
        records = np.argsort(table.group, kind="stable")
        counts: tuple[Ints, Ints] = count_records(
            np.searchsorted(table.group[records], classes),
            records,
            person_begin,
            people[_spread(begin[cases.indices], lengths)],
            values.offsets,
            values.codes.astype(np.int64),
            np.searchsorted(self._values, np.arange(len(values.labels) + 1)),
            self._items,
            knowledge.offsets,
            knowledge.set_of_entry,
            knowledge.sets,
            np.ascontiguousarray(self._records.having.T),
        )
        return counts

    def _count_by_person(self, knowledge: Knowledge, questions: Ints) -> tuple[Ints, Ints]:
        """Ask of every record that fits whether it may have each set of items; as many people in one go as can be."""
        table, fits, secret = self._records.table, self._fitting.fits, self._records.having.T
        counts = np.zeros(len(knowledge.set_of_entry), np.int64)
        having = np.zeros((len(secret), len(counts)), np.int64)
        records = np.argsort(table.group, kind="stable")
        begin = np.searchsorted(table.group[records], np.arange(len(table.sizes) + 1))
        base = max(len(self.people.labels), 1)
        first = 0
        while first < len(questions):
            before = questions[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(questions, before + _QUESTIONS, side="right")))
            # People with the classes they fit, with their records, with what is asked of each.
            case = self._fitting.case[first:last]
            lengths = np.diff(fits.indptr)[case]
            classes = fits.indices[_spread(fits.indptr[case].astype(np.int64), lengths)]
            person = np.repeat(np.repeat(np.arange(first, last), lengths), table.sizes[classes])
            record = records[_spread(begin[classes], table.sizes[classes])]
            held = self._list_items(distinct(record), base)
            entries = np.diff(knowledge.offsets)[person]
            entry, record = _spread(knowledge.offsets[person], entries), np.repeat(record, entries)
            for items in knowledge.sets.T:
                item = items[knowledge.set_of_entry[entry]]
                holds = (item < 0) | is_among(record * base + item, held)
                entry, record = entry[holds], record[holds]
            counts += np.bincount(entry, minlength=len(counts))
            for total, is_secret in zip(having, secret, strict=True):
                total += np.bincount(entry[is_secret[record]], minlength=len(counts))
            first = last
        return counts, having

    def _list_items(self, records: Ints, base: int) -> Ints:
        """List which of some records may have which items: ascending numbers, record * base + item."""
        values = self._records.known_values.take(records)
        ends = np.searchsorted(self._values, np.arange(len(values.labels) + 1))
        lengths = np.diff(ends)[values.codes]
        items = self._items[_spread(ends[:-1][values.codes], lengths)]
        return distinct(records[np.repeat(values.row_of_token, lengths)] * base + items)


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
