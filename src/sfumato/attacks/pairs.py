"""What two releases of the same people give away together.

A release promises what it promises on its own. Whoever has two of them knows in which class of records somebody is in
either, and the sensitive value of that person is one that both classes have: two classes with four values each may have
a single one in common (S. R. Ganta, S. P. Kasiviswanathan, A. Smith, Composition attacks and auxiliary information in
data privacy, KDD 2008). And a record that only one of them has is of somebody who is in one only.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.tabular import Tabular, align, show_value, wrap
from sfumato.release.release import Release
from sfumato.release.text import encode

__all__ = ["PairFinding", "attack_pair"]

Ints = npt.NDArray[np.int64]
_GIVEN = {"identifier", "cluster", "class", "group"}
"""Numbers that were given at publication and say nothing about anybody."""


@dataclasses.dataclass(frozen=True, repr=False)
class PairFinding(Tabular):
    """What whoever has two releases can tell.

    Parameters
    ----------
    people
        Records of the original that both releases publish.
    in_both, only_in_first, only_in_second
        Published records by their cells, whoever they are of.
    certain
        By sensitive column: for how many of these people one value is left with the first release alone, with the
        second alone, and with both.
    warnings
        What nobody should overlook.

    Examples
    --------
    >>> PairFinding(3, 3, 0, 0, {"ill": {"first": 0, "second": 0, "both": 2}}).to_dict()["certain"]
    {'ill': {'first': 0, 'second': 0, 'both': 2}}
    >>> PairFinding(3, 3, 0, 0, {"ill": {"first": 0, "second": 0, "both": 2}})
    Someone who has two releases of the same people
      people          3
      in both         3
      only in first   0
      only in second  0
    People for whom one value is left
      column  first  second  both
      ill     0      0       2
    """

    people: int
    in_both: int
    only_in_first: int
    only_in_second: int
    certain: dict[str, dict[str, int]]
    warnings: tuple[str, ...] = ()
    knowledge: str = "two-releases"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return dataclasses.asdict(self)

    def _lines(self) -> Iterator[str]:
        yield "Someone who has two releases of the same people"
        yield from self._tabulate(self.to_dict(), ("certain",))
        if self.certain:
            yield "People for whom one value is left"
            rows = [(name, *map(show_value, counts.values())) for name, counts in self.certain.items()]
            yield from align(rows, ("column", "first", "second", "both"))
        for text in self.warnings:
            yield from wrap(f"Warning: {text}")


Partitions = Sequence[tuple[Release, Ints | None]]
"""A release, or every partition of it, and the rows that the records have in one original, where those are known."""


def attack_pair(first: Partitions, second: Partitions) -> PairFinding:
    """Lay two releases beside each other; with the rows that their records have in one original, person by person.

    Where the rows are not known, nobody is followed from one release to the other, and only records are compared.
    Whoever looks for somebody in a release in partitions knows the partition.
    """
    before, after = _count_records(first), _count_records(second)
    same = sum((before & after).values())
    gone, new = sum(before.values()) - same, sum(after.values()) - same
    people, certain = 0, dict[str, dict[str, int]]()
    rows = [
        [partition_rows for _, partition_rows in partitions if partition_rows is not None]
        for partitions in (first, second)
    ]
    if len(rows[0]) == len(first) and len(rows[1]) == len(second):
        mine, yours = np.concatenate(rows[0]), np.concatenate(rows[1])
        _, at_first, at_second = np.intersect1d(mine, yours, return_indices=True)
        people = len(at_first)
        certain = dict(_count_certain(first, second, at_first, at_second))
    warnings = (*_warn_of_certain(certain, people), *_warn_of_difference(first[0][0], gone, new))
    return PairFinding(people, same, gone, new, certain, warnings)


def _count_records(partitions: Partitions) -> Counter[tuple[str, ...]]:
    counts = Counter[tuple[str, ...]]()
    for release, _ in partitions:
        counts.update(_format_rows(release, [column.name for column in release.columns if column.role not in _GIVEN]))
    return counts


def _format_rows(release: Release, names: list[str]) -> list[tuple[str, ...]]:
    """Return the cells of some columns as published, row by row."""
    forms = {column.name: column.form for column in release.columns}
    texts = [encode(release.table.column(name), forms[name]).to_pylist() for name in names]
    return list(zip(*texts, strict=True)) if texts else [()] * release.table.num_rows


def _count_certain(
    first: Partitions, second: Partitions, at_first: Ints, at_second: Ints
) -> Iterator[tuple[str, dict[str, int]]]:
    """Count, by sensitive column of both releases, the people for whom one value is left."""
    columns, other = (
        {c.name for c in partitions[0][0].columns if c.role == "sensitive"} for partitions in (first, second)
    )
    for name in sorted(columns & other):
        left = [
            [values for release, _ in partitions for values in _values_left(release, name)]
            for partitions in (first, second)
        ]
        counts = dict.fromkeys(("first", "second", "both"), 0)
        for at_left, at_right in zip(at_first.tolist(), at_second.tolist(), strict=True):
            values = left[0][at_left], left[1][at_right]
            counts["first"] += len(values[0]) == 1
            counts["second"] += len(values[1]) == 1
            counts["both"] += len(values[0] & values[1]) == 1
        yield name, counts


def _values_left(release: Release, name: str) -> list[frozenset[str]]:
    """Return, for every record, the values of a sensitive column among the records that are like it."""
    quasi_identifiers = _format_rows(
        release, [column.name for column in release.columns if column.role == "quasi-identifier"]
    )
    values: dict[tuple[str, ...], set[str]] = {}
    for cells, (value,) in zip(quasi_identifiers, _format_rows(release, [name]), strict=True):
        values.setdefault(cells, set()).add(value)
    frozen = {cells: frozenset(distinct) for cells, distinct in values.items()}
    return [frozen[cells] for cells in quasi_identifiers]


def _warn_of_certain(certain: dict[str, dict[str, int]], people: int) -> Iterator[str]:
    for name, counts in certain.items():
        more = counts["both"] - max(counts["first"], counts["second"])
        if more > 0:
            yield (
                f"Someone who has both releases learns the value of {name!r} of {counts['both']:,} of {people:,} "
                f"records, {more:,} more than from the better one alone. Publish one of them only, or keep the second "
                "to the classes of the first."
            )


def _warn_of_difference(first: Release, gone: int, new: int) -> Iterator[str]:
    k = first.guarantee.smallest_group or 1
    smallest = min((count for count in (gone, new) if count), default=0)
    if 0 < smallest < k:
        yield (
            f"The releases differ in {smallest:,} published record{'s' * (smallest != 1)}, fewer than {k}. Someone "
            "who knows the people that only one of them has can find their records."
        )
