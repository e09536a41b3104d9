r"""Counting records that match sequences of places where published values overlap, without reading every record anew.

A record matches the places s1..sj if its values contain them one after the other. Whoever looks for them from the left
takes the first value that contains s1, then the first one behind it that contains s2, and so on: every matching record
is found in exactly one way. The places whose first value behind a position p is the one at q are those of that value,
A, without those of the values between p and q. If one of these contains A, none are left. If those that share a place
with A lie inside of A, and of any two that share a place one lies inside the other, what is taken away is the disjoint
union of the largest of them, D1..Dr. So

    1[s is found at q] = 1[s in A] - 1[s in D1] - .. - 1[s in Dr],

and the number of records that match s1..sj is a sum, with signs, over sequences of values that contain them. Those
sequences are few, and counted once for all that is asked. Where values overlap in another way, the record is left to
those who read it. Plain NumPy; it shares nothing with the methods.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.checks.subsequences import check_key_width
from sfumato.data.lists import ListColumn

__all__ = ["Steps", "Values", "count_signed", "list_steps", "sum_up"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_BUDGET = 4_000_000
_CELLS = 8_000_000


@dataclasses.dataclass(frozen=True, eq=False)
class Values:
    """Published values, and the kinds of places that each contains.

    Parameters
    ----------
    pairs
        Value times ``base`` plus kind, ascending, for every kind in every value.
    base
        Number of kinds.
    number
        Number of values.

    Examples
    --------
    >>> nested = Values(np.array([0, 2, 3]), base=2, number=2)
    >>> nested.relate(np.array([0, 1, 1]), np.array([1, 0, 1]))[0].tolist()
    [1, 1, 2]
    """

    pairs: Ints
    base: int
    number: int

    @cached_property
    def sizes(self) -> Ints:
        """Number of kinds in every value."""
        return np.bincount(self.pairs // self.base, minlength=self.number)

    def relate(self, first: Ints, other: Ints) -> tuple[Ints, Ints]:
        """Return how many kinds two values share, and how many there are in the second."""
        keys, counts = self._shared
        wanted = first * self.number + other
        if not len(keys):
            return np.zeros(len(wanted), np.int64), self.sizes[other]
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[at] == wanted, counts[at], 0), self.sizes[other]

    @cached_property
    def _shared(self) -> tuple[Ints, Ints]:
        """Pairs of values that share a kind, as ascending keys, and how many they share."""
        from scipy.sparse import csr_array

        incidence = csr_array(
            (np.ones(len(self.pairs), np.int64), (self.pairs // self.base, self.pairs % self.base)),
            shape=(self.number, self.base),
        )
        shared = (incidence @ incidence.T).tocoo()
        keys = shared.row.astype(np.int64) * self.number + shared.col
        order = np.argsort(keys)
        return keys[order], shared.data[order]

    @property
    def first_equal(self) -> Ints:
        """The first value with the same kinds, for every value: they say the same."""
        kinds, ends = self.pairs % self.base, np.cumsum(self.sizes)
        seen: dict[bytes, int] = {}
        bounds = zip((ends - self.sizes).tolist(), ends.tolist(), strict=True)
        first = [seen.setdefault(kinds[start:end].tobytes(), value) for value, (start, end) in enumerate(bounds)]
        return np.array(first, dtype=np.int64)

    def by_kind(self) -> tuple[Ints, Ints]:
        """Return the values that contain each kind, one kind after the other, and where those of each begin."""
        order = np.argsort(self.pairs % self.base, kind="stable")
        starts = np.searchsorted((self.pairs % self.base)[order], np.arange(self.base + 1))
        return self.pairs[order] // self.base, starts


@dataclasses.dataclass(frozen=True, eq=False)
class Steps:
    """What can be found next, from where: from position p a step is open if ``low <= p < high``.

    Parameters
    ----------
    row, at, value, sign
        Of every step: the record, the position it leads to, the value that is counted, and 1 or -1.
    low, high
        From which positions it is open; positions are those of visits, one record after the other.
    begin
        Position before the first one of every record.
    odd
        Records whose values overlap in another way: they have no steps.

    Examples
    --------
    >>> rows = ListColumn(np.array([0, 2]), np.array([0, 1], np.int32), ("a", "ab"))
    >>> steps = list_steps(rows, Values(np.array([0, 2, 3]), base=2, number=2))
    >>> list(zip(steps.at.tolist(), steps.value.tolist(), steps.sign.tolist()))
    [(0, 0, 1), (1, 1, 1), (1, 0, -1)]
    """

    row: Ints
    at: Ints
    value: Ints
    sign: Ints
    low: Ints
    high: Ints
    begin: Ints
    odd: Flags


def list_steps(histories: ListColumn, values: Values) -> Steps:
    """List the steps of all records; values without any kind tell nothing and are passed over."""
    informative = histories.keep(values.sizes[histories.codes] > 0)
    code, row = values.first_equal[informative.codes], informative.row_of_token
    begin = informative.offsets[:-1] - 1
    low = begin[row]
    odd = np.zeros(len(informative), dtype=bool)
    inside: list[tuple[Ints, Ints]] = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for earlier, later in _pairs_of_positions(informative):
        shared, size = values.relate(code[earlier], code[later])
        earlier, later, shared, size = (part[shared > 0] for part in (earlier, later, shared, size))
        covers = shared == size
        np.maximum.at(low, later[covers], earlier[covers])
        within = ~covers & (shared == values.sizes[code[earlier]])
        odd[row[later[~covers & ~within]]] = True
        inside.append((earlier[within], later[within]))
    earlier, later = (np.concatenate(part) for part in zip(*inside, strict=True))
    earlier, later, lowest = _largest_inside(earlier, later, low, code, values)
    at = np.concatenate([np.arange(len(code)), later])
    value = np.concatenate([code, code[earlier]])
    sign = np.concatenate([np.ones(len(code), np.int64), np.full(len(later), -1)])
    order = np.lexsort((-sign, at))
    order = order[~odd[row[at[order]]]]
    bounds = np.concatenate([low, lowest])[order], np.concatenate([np.arange(len(code)), earlier])[order]
    return Steps(row[at[order]], at[order], value[order], sign[order], *bounds, begin, odd)


def _pairs_of_positions(rows: ListColumn) -> Iterator[tuple[Ints, Ints]]:
    """Yield (earlier, later) for every two positions of a record, in portions."""
    lengths = np.arange(len(rows.codes)) - rows.offsets[:-1][rows.row_of_token]
    for first, last, counts in _portions(lengths):
        later = np.repeat(np.arange(first, last), counts)
        step = np.arange(len(later)) - np.repeat(np.cumsum(counts) - counts, counts)
        yield later - 1 - step, later


def _portions(lengths: Ints) -> Iterator[tuple[int, int, Ints]]:
    filled = np.cumsum(lengths)
    start = 0
    while start < len(lengths):
        taken = filled[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(filled, taken + _BUDGET, side="right")))
        yield start, stop, lengths[start:stop]
        start = stop


def _largest_inside(earlier: Ints, later: Ints, low: Ints, code: Ints, values: Values) -> tuple[Ints, Ints, Ints]:
    """Keep what is to be taken away: the last position of every value inside, and from where no larger one is there."""
    open_ = earlier > low[later]
    earlier, later = earlier[open_], later[open_]
    order = np.lexsort((earlier, code[earlier], later))
    earlier, later = earlier[order], later[order]
    is_last = np.append((later[1:] != later[:-1]) | (code[earlier[1:]] != code[earlier[:-1]]), True)[: len(later)]
    earlier, later = earlier[is_last], later[is_last]
    lowest = low[later]
    starts = np.searchsorted(later, later, side="left")
    lengths = np.searchsorted(later, later, side="right") - starts
    for first, last, counts in _portions(lengths):
        which = np.repeat(np.arange(first, last), counts)
        step = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        other = starts[which] + step
        mine, theirs = code[earlier[which]], code[earlier[other]]
        shared, _ = values.relate(mine, theirs)
        larger = (shared == values.sizes[mine]) & (mine != theirs)
        np.maximum.at(lowest, which[larger], earlier[other[larger]])
    is_largest = lowest < earlier
    return earlier[is_largest], later[is_largest], lowest[is_largest]


def count_signed(steps: Steps, size: int, base: int, among: Flags | None = None) -> tuple[Ints, Ints]:
    """Return the sequences of values of a size, ascending, and the sum of their signs over the records.

    Examples
    --------
    >>> rows = ListColumn(np.array([0, 2]), np.array([0, 1], np.int32), ("a", "ab"))
    >>> steps = list_steps(rows, Values(np.array([0, 2, 3]), base=2, number=2))
    >>> keys, counts = count_signed(steps, size=1, base=2)
    >>> keys.tolist(), counts.tolist()
    ([1], [1])
    """
    check_key_width(size, base)
    chosen = steps.low == steps.begin[steps.row]
    if among is not None:
        chosen &= among[steps.row]
    first = np.flatnonzero(chosen)
    ends = np.searchsorted(steps.row, np.arange(len(steps.begin)), side="right")[steps.row]
    after = np.searchsorted(steps.at, steps.at, side="right")
    keys, counts = np.empty(0, np.int64), np.empty(0, np.int64)
    waiting: list[tuple[Ints, Ints]] = []
    for sequences, signs in _extend(steps, first, steps.value[first], steps.sign[first], size - 1, (base, after, ends)):
        waiting.append((sequences, signs))
        if sum(len(part) for part, _ in waiting) > 4 * _BUDGET:
            keys, counts = _add_up([(keys, counts), *waiting])
            waiting = []
    return _add_up([(keys, counts), *waiting])


def _extend(
    steps: Steps, at: Ints, keys: Ints, signs: Ints, more: int, where: tuple[int, Ints, Ints]
) -> Iterator[tuple[Ints, Ints]]:
    if more == 0:
        yield keys, signs
        return
    base, after, ends = where
    for first, last, counts in _portions(ends[at] - after[at]):
        origin = np.repeat(np.arange(first, last), counts)
        step = np.arange(len(origin)) - np.repeat(np.cumsum(counts) - counts, counts)
        following = after[at[origin]] + step
        here = steps.at[at[origin]]
        is_open = (steps.low[following] <= here) & (here < steps.high[following])
        origin, following = origin[is_open], following[is_open]
        longer = keys[origin] * base + steps.value[following]
        yield from _extend(steps, following, longer, signs[origin] * steps.sign[following], more - 1, where)


def _add_up(parts: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    keys, signs = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(keys, kind="stable")
    keys, signs = keys[order], signs[order]
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    sums = np.add.reduceat(signs, begins) if len(keys) else signs
    return keys[begins][sums != 0], sums[sums != 0]


def sum_up(keys: Ints, counts: Ints, size: int, values: Values, wanted: Ints) -> Ints:
    """Sum the counts of all sequences of values that contain each wanted sequence of kinds (ascending keys).

    Sequences that begin alike are looked up together: first the beginnings, then the last values.

    Examples
    --------
    >>> nested = Values(np.array([0, 2, 3]), base=2, number=2)
    >>> sum_up(np.array([0, 1]), np.array([5, 2]), 1, nested, np.array([0, 1])).tolist()
    [7, 2]
    """
    from scipy.sparse import csr_array

    total = np.zeros(len(wanted), np.int64)
    if not len(keys) or not len(wanted):
        return total
    held, begin = np.unique(keys // values.number, return_index=True)
    table = csr_array(
        (counts, keys % values.number, np.append(begin, len(keys))), shape=(len(held), values.number), dtype=np.int64
    )
    beginnings, first, which = np.unique(wanted // values.base, return_index=True, return_inverse=True)
    row, column = _match_beginnings(beginnings, held, size - 1, values)
    can_be = csr_array((np.ones(len(row), np.int64), (row, column)), shape=(len(beginnings), len(held)))
    holders, starts = values.by_kind()
    ends = np.append(first, len(wanted))
    height = max(1, _CELLS // values.number)
    for top in range(0, len(beginnings), height):
        part = (can_be[top : top + height] @ table).toarray()
        positions = np.arange(ends[top], ends[min(top + height, len(beginnings))])
        kind = wanted[positions] % values.base
        for start, stop, lengths in _portions(starts[kind + 1] - starts[kind]):
            at = np.repeat(np.arange(start, stop), lengths)
            step = np.arange(len(at)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            amounts = part[which[positions[at]] - top, holders[starts[kind[at]] + step]]
            np.add.at(total, positions[at], amounts)
    return total


def _match_beginnings(beginnings: Ints, held: Ints, size: int, values: Values) -> tuple[Ints, Ints]:
    """Return beginnings with their places in held, for every sequence of kinds and of values that stand for it."""
    holders, starts = values.by_kind()
    row, so_far = np.arange(len(beginnings)), np.zeros(len(beginnings), np.int64)
    for power in range(size - 1, -1, -1):
        kind = beginnings[row] // values.base**power % values.base
        possible = np.unique(held // values.number**power)
        rows, longer = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for first, last, lengths in _portions(starts[kind + 1] - starts[kind]):
            at = np.repeat(np.arange(first, last), lengths)
            step = np.arange(len(at)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            key = so_far[at] * values.number + holders[starts[kind[at]] + step]
            position = np.minimum(np.searchsorted(possible, key), len(possible) - 1)
            is_held = possible[position] == key
            rows.append(row[at[is_held]])
            longer.append(key[is_held])
        row, so_far = np.concatenate(rows), np.concatenate(longer)
    return row, np.searchsorted(held, so_far)
