"""How many records hold an itemset, according to a release: what is certain, and what is to be expected."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sfumato.core.errors import ParameterError
from sfumato.core.ragged import Ragged
from sfumato.core.release import Release
from sfumato.kinds.sets.estimate.chunk_support import ChunkSupport
from sfumato.kinds.sets.estimate.placement import Placement
from sfumato.kinds.sets.published import Chunks, is_disassociated

__all__ = ["certain_support", "count_supports", "expect_supports", "weigh_members"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_RARER = -0.25
"""Of six exponents from -1/2 to 1/4 the best on two of three public sets where items are generalised locally."""


def certain_support(release: Release, itemsets: Iterable[Collection[str]]) -> Ints:
    """Return for every itemset a number of original records that certainly hold it, never more than really do.

    Of a disassociated release these are the subrecords that hold it, plus one for every term chunk with it where it
    is a single item. Where it is spread over several chunks of a cluster, so many subrecords may hold its parts that
    some must lie on the same record: parts that a and b of s records have meet at least a + b - s times. In the same
    way a part in a shared chunk meets the rest when almost every record it can go to has the rest.

    Of a release with generalised items these are the records that hold all of its items under their own names.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "wine"], ["bread", "insulin"]])
    >>> release = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32)).release
    >>> certain_support(release, [["bread", "wine"], ["bread", "insulin"], ["wine", "insulin"]]).tolist()
    [2, 1, 0]

    References
    ----------
    Terrovitis et al., Privacy Preservation by Disassociation, Section 6.
    """
    asked = _check(itemsets, "certain_support")
    if is_disassociated(release):
        support = ChunkSupport(Placement(Chunks.of(release)))
        codes = _encode(asked, release.history())
        return np.array([support.certain(items) if items else 0 for items in codes], dtype=np.int64)
    history, members = release.history(), release.members()
    exact = np.array([label not in members for label in history.labels], dtype=bool)
    return count_supports(history.keep(exact[history.codes]), asked)


def count_supports(records: Ragged, itemsets: Sequence[Collection[str]]) -> Ints:
    """Count the records that hold each itemset.

    Examples
    --------
    >>> count_supports(Ragged.from_lists([["a", "b"], ["b"]]), [["b"], ["a", "b"], ["c"]]).tolist()
    [2, 1, 0]
    """
    asked = _encode(itemsets, records)
    wanted = sorted({code for codes in asked if codes for code in codes})
    is_wanted = np.zeros(len(records.labels), dtype=bool)
    is_wanted[wanted] = True
    # Few items are asked for, so that there is little to sort once the others are gone.
    kept = is_wanted[records.codes]
    codes, rows = records.codes[kept], records.row_of_token[kept]
    order = np.argsort(codes, kind="stable")
    begin = np.searchsorted(codes[order], wanted)
    end = np.searchsorted(codes[order], wanted, side="right")
    holders = {code: rows[order[a:b]] for code, a, b in zip(wanted, begin, end, strict=True)}
    marks = np.zeros(len(records), dtype=bool)
    counts = np.zeros(len(asked), dtype=np.int64)
    for number, itemset in enumerate(asked):
        if itemset is None:
            continue
        rarest, *others = sorted((holders[code] for code in itemset), key=len)
        for other in others:
            marks[other] = True
            both = rarest[marks[rarest]]
            marks[other] = False
            rarest = both
        counts[number] = len(rarest)
    return counts


def expect_supports(release: Release, itemsets: Sequence[Collection[str]], *, any_set: bool = False) -> Floats:
    """Return the expected supports of itemsets in a release with generalised items.

    Parameters
    ----------
    release
        The release.
    itemsets
        Itemsets of original items.
    any_set
        Read a value as any non-empty set of its members, all with the same chance. Otherwise a value's support is
        divided among its members, each of which is there on its own: evenly where none of them is published exactly
        in other records, else less for those that are (:func:`weigh_members`).

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> records = Ragged.from_lists([["{a|b}", "c"], ["{a|b}"]])
    >>> release = SimpleNamespace(history=lambda: records, members=lambda: {"{a|b}": ("a", "b")})
    >>> expect_supports(release, [["a", "c"], ["a", "b"]]).tolist()
    [0.5, 0.5]
    >>> [round(float(x), 3) for x in expect_supports(release, [["a", "c"], ["a", "b"]], any_set=True)]
    [0.667, 0.667]
    """
    history, members = release.history(), release.members()
    sizes = np.array([len(members.get(label, (label,))) for label in history.labels], dtype=np.float64)
    weights, totals = weigh_members(history, members)
    found = _find_values(history, members, sizes, {item for itemset in itemsets for item in itemset})
    chosen = np.full(len(history), -1, dtype=np.int64)
    expected = np.zeros(len(itemsets))
    for number, itemset in enumerate(itemsets):
        items = sorted(set(itemset), key=lambda item: (len(found[item][0]), item))
        (rows, first), *others = (found[item] for item in items)
        values = first[None, :]
        for other, more in others:
            chosen[other] = more
            here = chosen[rows]
            chosen[other] = -1
            rows, values = rows[here >= 0], np.vstack([values, here])[:, here >= 0]
        if any_set:
            expected[number] = _add_chances(values, sizes)
        else:
            weight = np.array([weights.get(item, 1.0) for item in items])
            chances = np.where(sizes[values] > 1, weight[:, None] / totals[values], 1.0)
            expected[number] = float(chances.prod(axis=0).sum())
    return expected


def weigh_members(history: Ragged, members: Mapping[str, tuple[str, ...]]) -> tuple[dict[str, float], Floats]:
    """Return the weight of every member of a generalised value, and the sum of the weights of every value.

    Where items are generalised record by record, those that are often published exactly are less often hidden in a
    value. The weight of an item that e records publish exactly is 1 / (1 + e)^(1/4).

    Examples
    --------
    >>> records = Ragged.from_lists([["{a|b}"], *[["a"]] * 15])
    >>> weights, totals = weigh_members(records, {"{a|b}": ("a", "b")})
    >>> weights, totals.tolist()
    ({'a': 0.5, 'b': 1.0}, [1.5, 1.0])
    """
    counts = np.bincount(history.codes, minlength=len(history.labels))
    exact = {label: int(counts[code]) for code, label in enumerate(history.labels) if label not in members}
    weights: dict[str, float] = {}
    totals = np.ones(len(history.labels))
    for code, label in enumerate(history.labels):
        group = members.get(label, ())
        weights.update({member: (1.0 + exact.get(member, 0)) ** _RARER for member in group if member not in weights})
        if group:
            totals[code] = sum(weights[member] for member in group)
    return weights, totals


def _find_values(
    history: Ragged, members: Mapping[str, tuple[str, ...]], sizes: Floats, items: set[str]
) -> dict[str, tuple[Ints, Ints]]:
    """Return for every item the records that may hold it, and the smallest value of each that may be it."""
    holders: dict[str, list[int]] = {item: [] for item in items}
    for code, label in enumerate(history.labels):
        for member in members.get(label, (label,)):
            if member in holders:
                holders[member].append(code)
    rows = history.row_of_token
    order = np.argsort(history.codes, kind="stable")
    bounds = np.searchsorted(history.codes[order], np.arange(len(history.labels) + 1))
    found = {}
    for item, codes in holders.items():
        codes = sorted(codes, key=lambda code: sizes[code])
        places = np.concatenate([np.empty(0, np.int64), *(order[bounds[code] : bounds[code + 1]] for code in codes)])
        mine, first = np.unique(rows[places], return_index=True)
        found[item] = mine, history.codes[places[first]].astype(np.int64)
    return found


def _add_chances(values: Ints, sizes: Floats) -> float:
    """Add up the chances of records to hold all items, if a value may be any set of its members.

    Row i of `values` has the value each record may hold item i as.
    """
    size = sizes[values]
    is_first = np.array([(values[:i] != row).all(axis=0) for i, row in enumerate(values)])
    # Of the non-empty sets of n members a share of 2^(n-q) / (2^n - 1) holds q given ones.
    return float((0.5 / np.where(is_first, 1 - 0.5**size, 1.0)).prod(axis=0).sum())


def _check(itemsets: Iterable[Collection[str]], owner: str) -> list[tuple[str, ...]]:
    """Return the itemsets with every item once; refuse what is none."""
    asked = []
    for number, itemset in enumerate(itemsets, start=1):
        if isinstance(itemset, str) or not itemset:
            raise ParameterError(f"{owner}: itemset {number} must be a list of at least one item.")
        asked.append(tuple(dict.fromkeys(itemset)))
    return asked


def _encode(itemsets: Iterable[Collection[str]], records: Ragged) -> list[tuple[int, ...] | None]:
    """Return the codes of every itemset; None where an item is unknown."""
    code_of = {label: code for code, label in enumerate(records.labels)}
    found = []
    for itemset in itemsets:
        codes = tuple(sorted({code_of.get(item, -1) for item in itemset}))
        found.append(codes if codes and codes[0] >= 0 else None)
    return found
