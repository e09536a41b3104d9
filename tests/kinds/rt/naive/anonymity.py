"""(k,k^m)-anonymity and (k,l^m)-diversity in the words of the paper, for small data."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations


def count_groups(classes: list[object], sets: list[set[str]], m: int) -> Counter[tuple[object, frozenset[str]]]:
    """How many records have the same quasi-identifiers and all of up to m values, for every such set of a record."""
    found: Counter[tuple[object, frozenset[str]]] = Counter()
    for group, values in zip(classes, sets, strict=True):
        for size in range(m + 1):
            for known in combinations(sorted(values), size):
                found[group, frozenset(known)] += 1
    return found


def smallest_group(classes: list[object], sets: list[set[str]], m: int) -> int:
    return min(count_groups(classes, sets, m).values())


def largest_share(classes: list[object], sets: list[set[str]], sensitive: set[str], m: int) -> float:
    """The largest share of one sensitive item in the records that share what is known."""
    told = [values - sensitive for values in sets]
    total = count_groups(classes, told, m)
    having: dict[str, Counter[tuple[object, frozenset[str]]]] = defaultdict(Counter)
    for item in sensitive:
        some = [at for at, values in enumerate(sets) if item in values]
        having[item] = count_groups([classes[at] for at in some], [told[at] for at in some], m)
    return max((count / total[key] for counts in having.values() for key, count in counts.items()), default=0.0)


def fits_cell(cell: object, value: object, members: dict[str, list[str]]) -> bool:
    """Whether a published cell may stand for a value."""
    if cell is None:
        return True
    if isinstance(cell, dict):
        if value is None or cell["lo"] is None:
            return value is None and cell["lo"] is None
        return bool(cell["lo"] <= value <= cell["hi"])
    label = "" if value is None else value
    return label in (cell if isinstance(cell, list) else members.get(str(cell), [cell]))


def candidates(
    cells: list[tuple[object, ...]],
    values: list[set[str]],
    members: dict[str, list[str]],
    person: tuple[object, ...],
    known: tuple[str, ...],
) -> list[int]:
    """Records that fit the attributes and the items of a person."""
    found = []
    for row, (record, stated) in enumerate(zip(cells, values, strict=True)):
        told = {item for value in stated for item in members.get(value, [value])}
        if all(fits_cell(c, v, members) for c, v in zip(record, person, strict=True)) and told.issuperset(known):
            found.append(row)
    return found


def utility_loss(values: list[int]) -> float:
    """UL of a record whose values stand for so many items each, with whole numbers."""
    return sum(2**n - 1 for n in values) / (2 ** sum(values) - 1) if values else 0.0


def bit_distance(one: set[str], other: set[str]) -> float:
    """BTD of two records."""
    return (len(one ^ other) + 1) / (len(one & other) + 1)
