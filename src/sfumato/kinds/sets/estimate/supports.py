"""How many records hold an itemset, according to a release: what is certain, and what is to be expected."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError
from sfumato.kinds.sets.decode import Chunks, is_disassociated
from sfumato.kinds.sets.estimate.chunk_support import ChunkSupport
from sfumato.kinds.sets.estimate.matching import ChunkMatching
from sfumato.kinds.sets.estimate.weights import MemberWeights, Places, weigh_left, weigh_members
from sfumato.release.release import Release

__all__ = ["certain_support", "count_supports", "expect_supports"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


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
    checked = _check(itemsets, "certain_support")
    if is_disassociated(release):
        support = ChunkSupport(ChunkMatching(Chunks.of(release)))
        codes = _encode(checked, release.history())
        return np.array([support.certain(items) if items else 0 for items in codes], dtype=np.int64)
    history, members = release.history(), release.members()
    exact = np.array([label not in members for label in history.labels], dtype=bool)
    return count_supports(history.keep(exact[history.codes]), checked)


def count_supports(records: ListColumn, itemsets: Sequence[Collection[str]]) -> Ints:
    """Count the records that hold each itemset.

    Examples
    --------
    >>> count_supports(ListColumn.from_lists([["a", "b"], ["b"]]), [["b"], ["a", "b"], ["c"]]).tolist()
    [2, 1, 0]
    """
    encoded = _encode(itemsets, records)
    wanted = sorted({code for codes in encoded if codes for code in codes})
    is_wanted = np.zeros(len(records.labels), dtype=bool)
    is_wanted[wanted] = True
    # Few items are asked for, so that there is little to sort once the others are gone.
    selected = is_wanted[records.codes]
    codes, rows = records.codes[selected], records.row_of_token[selected]
    order = np.argsort(codes, kind="stable")
    begin = np.searchsorted(codes[order], wanted)
    end = np.searchsorted(codes[order], wanted, side="right")
    holders = {code: rows[order[a:b]] for code, a, b in zip(wanted, begin, end, strict=True)}
    marks = np.zeros(len(records), dtype=bool)
    counts = np.zeros(len(encoded), dtype=np.int64)
    for number, itemset in enumerate(encoded):
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
        divided among its members, each of which is there on its own: among those that no finer value of the record
        stands for, evenly where none of them is published in finer values of other records, else less for those that
        are (:func:`~sfumato.kinds.sets.estimate.weights.weigh_members`).

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> records = ListColumn.from_lists([["{a|b}", "c"], ["{a|b}"]])
    >>> release = SimpleNamespace(history=lambda: records, members=lambda: {"{a|b}": ("a", "b")})
    >>> expect_supports(release, [["a", "c"], ["a", "b"]]).tolist()
    [0.5, 0.5]
    >>> [round(float(x), 3) for x in expect_supports(release, [["a", "c"], ["a", "b"]], any_set=True)]
    [0.667, 0.667]
    """
    history = release.history()
    weights = weigh_members(history, release.members())
    holders_of = _find_holders(history, weights, {item for itemset in itemsets for item in itemset})
    place = np.full(len(history), -1, dtype=np.int64)
    expected = np.zeros(len(itemsets))
    for number, itemset in enumerate(itemsets):
        first, *others = sorted(
            (holders_of[item] for item in sorted(set(itemset))), key=lambda holders: len(holders.rows)
        )
        rows, values, chances = first.rows, first.values[None, :], first.chances
        for other in others:
            place[other.rows] = np.arange(len(other.rows))
            at = place[rows]
            place[other.rows] = -1
            both, at = at >= 0, at[at >= 0]
            rows, chances = rows[both], chances[both] * other.chances[at]
            values = np.vstack([values[:, both], other.values[at]])
        expected[number] = _add_chances(values, weights.sizes) if any_set else float(chances.sum())
    return expected


class _Holders(NamedTuple):
    """The records that may hold an item, the finest value of each that may be it, and how likely it is."""

    rows: Ints
    values: Ints
    chances: Floats


def _find_holders(history: ListColumn, weights: MemberWeights, items: set[str]) -> dict[str, _Holders]:
    """Return for every item the records that may hold it."""
    rows, tokens = history.row_of_token, Places.of(history.codes, len(history.labels))
    left = weigh_left(history, tokens, weights)
    holders_of = {}
    for item in items:
        cells = weights.cells.list_all([weights.items[item]] if item in weights.items else [])
        cells = cells[np.argsort(weights.sizes[weights.value[cells]], kind="stable")]
        values = weights.value[cells]
        places, own = tokens.list_all(values), np.repeat(weights.weight[cells], tokens.count_places(values))
        mine, first = np.unique(rows[places], return_index=True)
        places, own = places[first], own[first]
        # Never more than certain, even where values overlap that are not nested.
        holders_of[item] = _Holders(mine, history.codes[places].astype(np.int64), own / np.maximum(left[places], own))
    return holders_of


def _add_chances(values: Ints, sizes: Ints) -> float:
    """Add up the chances of records to hold all items, if a value may be any set of its members.

    Row i of `values` has the value each record may hold item i as.
    """
    size = sizes[values].astype(np.float64)
    is_first = np.array([(values[:i] != row).all(axis=0) for i, row in enumerate(values)])
    # Of the non-empty sets of n members a share of 2^(n-q) / (2^n - 1) holds q given ones.
    return float((0.5 / np.where(is_first, 1 - 0.5**size, 1.0)).prod(axis=0).sum())


def _check(itemsets: Iterable[Collection[str]], owner: str) -> list[tuple[str, ...]]:
    """Return the itemsets with every item once; refuse what is none."""
    checked = []
    for number, itemset in enumerate(itemsets, start=1):
        if isinstance(itemset, str) or not itemset:
            raise ParameterError(f"{owner}: itemset {number} must be a list of at least one item.")
        checked.append(tuple(dict.fromkeys(itemset)))
    return checked


def _encode(itemsets: Iterable[Collection[str]], records: ListColumn) -> list[tuple[int, ...] | None]:
    """Return the codes of every itemset; None where an item is unknown."""
    code_of = {label: code for code, label in enumerate(records.labels)}
    encoded = []
    for itemset in itemsets:
        codes = tuple(sorted({code_of.get(item, -1) for item in itemset}))
        encoded.append(codes if codes and codes[0] >= 0 else None)
    return encoded
