"""What someone who knows the best of a person's items is left with, whatever form the records are published in.

What is published is asked through a :class:`MatchableRecords`: how many of its records match a set. Plain NumPy.
"""

from __future__ import annotations

import dataclasses
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.checks.subsequences import countable_sizes, distinct_subsequences
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError
from sfumato.kinds.sets.knowledge.set_support import digits
from sfumato.messages import Message, parameter

__all__ = ["ItemSets", "MatchableRecords", "best_knowledge", "draw_knowledge"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_NONE = np.iinfo(np.int64).max
_PORTION = 1_000_000


class MatchableRecords(Protocol):
    """Published records that can be asked how many of them match a set.

    ``known_items`` holds every person's items, as codes in ascending order; ``not_published`` marks people of whom
    something can be known that says nothing, ``missing`` those of whom something can be known that nobody published
    has.
    """

    known_items: ListColumn
    not_published: Flags
    missing: Flags

    def __len__(self) -> int:
        """Return the number of published records."""

    def count(self, keys: Ints, size: int) -> Ints:
        """Count the records that match each set of codes, given as digits of a key (ascending)."""


@dataclasses.dataclass(frozen=True, eq=False)
class ItemSets:
    """What the best knowledge about each person leads to.

    Parameters
    ----------
    smallest
        Per person: the fewest records, but at least one, that match something known about the person; 0 where
        nothing known about the person matches any record.
    unmatched
        Per person: something known matches no record, so a true release does not hold the person.
    rarest
        Codes of the set that fewest records match; empty if there is none.
    tried
        Number of sets tried; people are taken in portions, and a set counts once in each.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.sets.knowledge.items import ItemRecords
    >>> found = best_knowledge(ItemRecords.of_original(Dataset.of("sets", [["a", "b"], ["b", "a"], ["a"]])), 2)
    >>> found.smallest.tolist(), found.rarest, found.tried
    ([2, 2, 3], (1,), 3)
    """

    smallest: Ints
    unmatched: Flags
    rarest: tuple[int, ...]
    tried: int


def best_knowledge(
    records: MatchableRecords, m: int, people: Ints | None = None, most_items: int | None = None
) -> ItemSets:
    """Find, for every person, the set of at most m items that fewest published records match.

    Parameters
    ----------
    records
        What is published, and the people whose items are known.
    m
        Largest number of items known.
    people
        Rows of the people attacked; everybody if not given.
    most_items
        Of people with more items only so many are tried, those that fewest records match on their own. Without it
        everything that can be known is tried.
    """
    if m < 1:
        raise ParameterError(Message(parameter("m"), f" must be at least 1, got {m}."))
    everybody, knowledge, not_published, missing = (
        len(records),
        records.known_items,
        records.not_published,
        records.missing,
    )
    if people is not None:
        knowledge, not_published, missing = knowledge.take(people), not_published[people], missing[people]
    if most_items is not None:
        knowledge = _keep_rarest(records, knowledge, most_items)
    smallest = np.where(not_published & (everybody > 0), everybody, _NONE)
    unmatched = missing | (everybody == 0)
    rarest: tuple[int, ...] = ()
    lowest, tried = _NONE, 0
    for size in countable_sizes(knowledge, m):
        for person, keys in distinct_subsequences(knowledge, size, _PORTION):
            wanted, which = np.unique(keys, return_inverse=True)
            matches = records.count(wanted, size)
            reached = np.where(matches > 0, matches, _NONE)
            tried += len(wanted)
            np.minimum.at(smallest, person, reached[which])
            unmatched[person[matches[which] == 0]] = True
            low = int(np.argmin(reached))
            if reached[low] < lowest:
                lowest = int(reached[low])
                rarest = tuple(int(column[low]) for column in digits(wanted, size, max(len(knowledge.labels), 1)))
    return ItemSets(np.where(smallest == _NONE, 0, smallest), unmatched, rarest, tried)


def _keep_rarest(records: MatchableRecords, knowledge: ListColumn, most: int) -> ListColumn:
    """Return the rows with no more than so many codes, those that fewest records match."""
    used = np.flatnonzero(np.bincount(knowledge.codes, minlength=len(knowledge.labels)))
    matches = np.zeros(len(knowledge.labels), dtype=np.int64)
    matches[used] = records.count(used, 1)
    rows = knowledge.row_of_token
    order = np.lexsort((matches[knowledge.codes], rows))
    is_rarest = np.zeros(len(rows), dtype=bool)
    is_rarest[order[np.arange(len(rows)) - knowledge.offsets[rows] < most]] = True
    return knowledge.keep(is_rarest)


def draw_knowledge(records: MatchableRecords, m: int, seed: int, people: Ints) -> Ints:
    """Count the records that match m items of each of some people, drawn at random."""
    generator = np.random.default_rng(seed)
    knowledge = records.known_items.take(people)
    rows = knowledge.row_of_token
    order = np.lexsort((generator.random(len(rows)), rows))
    is_drawn = np.zeros(len(rows), dtype=bool)
    is_drawn[order[np.arange(len(rows)) - knowledge.offsets[rows] < m]] = True
    drawn = knowledge.keep(is_drawn)
    counts = np.full(len(drawn), len(records), dtype=np.int64)
    for size in range(1, int(drawn.lengths.max(initial=0)) + 1):
        chosen = np.flatnonzero(drawn.lengths == size)
        for within, keys in distinct_subsequences(drawn.take(chosen), size):
            wanted, which = np.unique(keys, return_inverse=True)
            counts[chosen[within]] = records.count(wanted, size)[which]
    return counts
