"""Uniting the values of a cluster until no sensitive item is in too many of the records that share what is known."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.hierarchies.hierarchy import Hierarchy

__all__ = ["Diversity", "unite_overlapping"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def unite_overlapping(groups: Sequence[tuple[str, ...]]) -> Ints:
    """Number groups so that those with a member in common, directly or through others, have the same number.

    Examples
    --------
    >>> unite_overlapping([("a", "b"), ("c",), ("b", "d"), ("d",)]).tolist()
    [0, 1, 0, 0]
    """
    above = list(range(len(groups)))

    def top(at: int) -> int:
        while above[at] != at:
            above[at] = above[above[at]]
            at = above[at]
        return at

    holder: dict[str, int] = {}
    for at, group in enumerate(groups):
        for member in group:
            other = top(holder.setdefault(member, at))
            mine = top(at)
            above[max(mine, other)] = min(mine, other)
    return np.unique([top(at) for at in range(len(groups))], return_inverse=True)[1].astype(np.int64)


@dataclasses.dataclass(frozen=True, eq=False)
class Diversity:
    """The question whether sets of up to m values lead to a sensitive item with a probability above 1/l.

    Where they do, the value of the set with the fewest members is united with others: with all that lie below its
    parent where there is a hierarchy, else with the value that has the fewest members. Uniting ends with one value,
    which the caller has made sure is diverse enough.

    Parameters
    ----------
    m, l
        Of the guarantee.
    sensitive
        Which records have which sensitive item, one column each.
    hierarchy
        Of the items, if values are nodes of one.

    Examples
    --------
    >>> records = ListColumn.from_lists([["a"], ["b"], ["b"], ["c"]])
    >>> ill = np.array([[True], [False], [False], [False]])
    >>> Diversity(m=1, l=2, sensitive=ill).unite(records, [("a",), ("b",), ("c",)])
    [('a', 'b'), ('a', 'b'), ('c',)]
    """

    m: int
    l: int
    sensitive: Flags
    hierarchy: Hierarchy | None = None

    def unite(self, records: ListColumn, groups: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Return what every group is published as; codes of the records are groups."""
        number = unite_overlapping(groups)
        members = [set[str]() for _ in range(int(number.max(initial=-1)) + 1)]
        for at, group in zip(number.tolist(), groups, strict=True):
            members[at].update(group)
        while len(members) > 1:
            codes = number[records.codes].astype(np.int32)
            breach = self.find(ListColumn(records.offsets, codes, tuple(map(str, range(len(members))))).distinct())
            if breach is None:
                break
            joined = self._choose(breach, members)
            merged = min(joined)
            members[merged] = set().union(*(members[at] for at in joined))
            place = np.array([merged if at in joined else at for at in range(len(members))])
            left = sorted(set(place.tolist()))
            number = np.searchsorted(left, place)[number]
            members = [members[at] for at in left]
        named = [tuple(sorted(group)) for group in members]
        return [named[at] for at in number.tolist()]

    def find(self, records: ListColumn) -> tuple[int, ...] | None:
        """Return a set of values that leads to a sensitive item too often, the smallest kind first; None if none does.

        Examples
        --------
        >>> records = ListColumn.from_lists([["a"], ["b"]])
        >>> Diversity(m=1, l=2, sensitive=np.array([[True], [False]])).find(records)
        (0,)
        """
        base = max(len(records.labels), 1)
        row = records.row_of_token
        at, keys = np.arange(len(records.codes)), records.codes.astype(np.int64)
        which = np.empty(0, np.int64)
        listed: list[Ints] = []
        for size in range(1, self.m + 1):
            if size > 1:
                lengths = records.offsets[1:][row[at]] - at - 1
                step = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
                # Sets are numbered anew at every size, so that keys stay small whatever m is.
                keys, at = np.repeat(which, lengths), np.repeat(at, lengths) + 1 + step
                keys = keys * base + records.codes[at]
            distinct_keys, which = np.unique(keys, return_inverse=True)
            listed.append(distinct_keys)
            total = np.bincount(which, minlength=len(distinct_keys))
            for item in range(self.sensitive.shape[1]):
                having = np.bincount(which, self.sensitive[row[at], item], minlength=len(distinct_keys))
                wrong = np.flatnonzero(having * self.l > total)
                if len(wrong):
                    return _decode_set(int(wrong[0]), listed, base)
        return None

    def _choose(self, breach: tuple[int, ...], members: list[set[str]]) -> set[int]:
        """Return the values to unite."""
        value = min(breach, key=lambda at: (len(members[at]), at))
        if self.hierarchy is not None:
            tree = self.hierarchy
            node = tree.lca(*(tree.leaf(member) for member in members[value]))
            while tree.parent[node] >= 0:
                node = int(tree.parent[node])
                below = set(tree.members(tree.labels[node]))
                joined = {at for at, group in enumerate(members) if group & below}
                if len(joined) > 1:
                    return joined
        others = [at for at in range(len(members)) if at != value]
        return {value, min(others, key=lambda at: (len(members[at]), at))}


def _decode_set(number: int, listed: list[Ints], base: int) -> tuple[int, ...]:
    """Return the values of a set: its last value, and those of the set it was made from."""
    codes = []
    for distinct_keys in reversed(listed):
        number, code = divmod(int(distinct_keys[number]), base)
        codes.append(code)
    return tuple(reversed(codes))
