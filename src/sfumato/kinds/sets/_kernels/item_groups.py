"""Generalisation of items without a hierarchy: unite the items of rare itemsets at least utility loss.

For sizes 1 upwards, the rare itemsets are taken one after the other, rarest first, as the groups show them. Where
one is still rare, one of its groups is united with another of the same utility constraint; when none can be united,
the rarest is dropped. A partner helps if rows with the rest of the itemset hold it: of those that help enough the one
with the least loss is taken, else the one that helps most. The papers take the least loss whether it helps or not,
which unites an itemset's groups with one rare item after the other until nothing is left to unite.

A group of n items that s rows hold loses (2^n - 1) * s, over a constant. Two such numbers are compared without
computing them, exactly and whatever n is.

References
----------
G. Loukides, A. Gkoulalas-Divanis, B. Malin, "COAT: constraint-based anonymization of transactions"; A.
Gkoulalas-Divanis, G. Loukides, "PCTA: privacy-constrained clustering-based transaction data anonymization".
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sets._kernels.baskets import Baskets, drop_code, fill_baskets, find_code, find_support, read_image
from sfumato.kinds.sets._kernels.itemset_counts import (
    ItemsetCounts,
    count_itemsets,
    list_rare,
    read_support,
    unite_codes,
)

__all__ = ["Grouped", "Rule", "group_items", "loses_less"]

_BLOCK = 1 << 14


class Rule(NamedTuple):
    """What is demanded, and how it is reached.

    Attributes
    ----------
    k
        The least support of an itemset that occurs.
    tried
        How many groups of a rare itemset, rarest first, are considered for uniting.
    helping
        Whether a partner must help, if any does.
    """

    k: int
    tried: int
    helping: bool


class Grouped(NamedTuple):
    """Groups of items and how they came about.

    Attributes
    ----------
    group
        The first item of the group each item belongs to, -1 when it was dropped.
    merges, dropped, repaired
        How often groups were united and dropped, and how often a rare itemset asked for it.
    """

    group: NDArray[np.int64]
    merges: int
    dropped: int
    repaired: int


class _Groups(NamedTuple):
    """Groups of the codes of baskets, by the code they are united under.

    Attributes
    ----------
    first, items
        The smallest code in the group, and the number of items.
    constraint
        Which groups may be united: those of the same number.
    common, help
        Scratch, zero in between: rows a group shares with the one looked at; rows in which it stands for it beside the
        rest of an itemset.
    stamp
        For each row, the last question it was counted for.
    done
        Merges, drops, itemsets repaired, questions.
    """

    first: NDArray[np.int64]
    items: NDArray[np.int64]
    constraint: NDArray[np.int64]
    common: NDArray[np.int64]
    help: NDArray[np.int64]
    stamp: NDArray[np.int64]
    done: NDArray[np.int64]


def group_items(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    constraint: NDArray[np.int64],
    rule: Rule,
    wanted: tuple[NDArray[np.int64], ...] | int,
    report: Callable[[int, int, int], None],
) -> Grouped:
    """Unite items until every wanted itemset is held by no row or by k.

    Parameters
    ----------
    offsets, codes
        The items of row r are ``codes[offsets[r] : offsets[r + 1]]``.
    constraint
        Number of the utility constraint of each item; only items of the same one are united.
    rule
        What is demanded.
    wanted
        Itemsets by size, one per line, with all their subsets; or a size, for all itemsets up to it that rows hold.
    report
        Called with size, rare itemsets looked at, and their number.

    Examples
    --------
    >>> rows = np.array([0, 1, 2, 3]), np.array([0, 0, 1], np.int32)
    >>> group_items(*rows, np.zeros(2, np.int64), Rule(2, 1, True), 1, lambda *_: None).group.tolist()
    [0, 0]
    >>> group_items(*rows, np.arange(2), Rule(2, 1, True), 1, lambda *_: None).group.tolist()
    [0, -1]
    """
    group = np.arange(constraint.size)
    totals = np.zeros(4, np.int64)
    if isinstance(wanted, int):
        for size in range(1, wanted + 1):
            group, done = _repair_size(offsets, codes, constraint, group, rule, size, report)
            totals += done
        return Grouped(group, *(int(total) for total in totals[:3]))
    # An itemset that no row holds may become rare when one of its items is united with an item of other rows.
    repaired = -1
    while repaired < totals[2]:
        repaired = int(totals[2])
        for itemsets in wanted:
            group, done = _repair_size(offsets, codes, constraint, group, rule, itemsets, report)
            totals += done
    return Grouped(group, *(int(total) for total in totals[:3]))


def _repair_size(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    constraint: NDArray[np.int64],
    group: NDArray[np.int64],
    rule: Rule,
    wanted: NDArray[np.int64] | int,
    report: Callable[[int, int, int], None],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Unite groups until no wanted itemset of one size is rare; return the groups and what was done."""
    first = np.unique(group[group >= 0])
    number = np.where(group < 0, -1, np.searchsorted(first, group))
    baskets = fill_baskets(offsets, codes, number, first.size)
    if isinstance(wanted, int):
        itemset_counts = count_itemsets(baskets, wanted)
        rare, _ = list_rare(baskets, itemset_counts, rule.k)
    else:
        itemset_counts = count_itemsets(baskets, 1)
        rare = _find_rare(number[wanted], baskets, rule.k)
    groups = _Groups(
        np.arange(first.size),
        np.bincount(number[number >= 0], minlength=first.size),
        constraint[first],
        np.zeros(first.size, np.int64),
        np.zeros(first.size, np.int64),
        np.zeros(baskets.lengths.size, np.int64),
        np.zeros(4, np.int64),
    )
    for begin in range(0, len(rare), _BLOCK):
        report(rare.shape[1], begin, len(rare))
        itemset_counts = _repair(rare[begin : begin + _BLOCK], rule, baskets, itemset_counts, groups)
    return _read_groups(number, first, baskets, groups), groups.done


def _read_groups(
    number: NDArray[np.int64], first: NDArray[np.int64], baskets: Baskets, groups: _Groups
) -> NDArray[np.int64]:
    # One more than there are groups: what was dropped before, number -1, is looked up as the last entry.
    forward = np.append(baskets.forward, -1)[number]
    smallest = np.append(first[groups.first], -1) if first.size else np.full(1, -1)
    group_of_item: NDArray[np.int64] = np.where(forward < 0, -1, smallest[forward])
    return group_of_item


def _find_rare(itemsets: NDArray[np.int64], baskets: Baskets, k: int) -> NDArray[np.int64]:
    """Return the itemsets that some rows hold, but fewer than k, rarest first and then by their codes."""
    alive = np.sort(itemsets[(itemsets >= 0).all(axis=1)], axis=1)
    supports = _find_supports(alive, baskets, k)
    rare = (supports > 0) & (supports < k)
    alive, supports = alive[rare], supports[rare]
    ordered: NDArray[np.int64] = alive[np.lexsort((*alive.T[::-1], supports))]
    return ordered


@njit(cache=True, nogil=True)
def _find_supports(itemsets: NDArray[np.int64], baskets: Baskets, k: int) -> NDArray[np.int64]:
    """Find the supports of itemsets, k for more; what has become smaller is not rare any more and counts as 0."""
    supports = np.zeros(itemsets.shape[0], np.int64)
    image = np.empty(itemsets.shape[1], np.int64)
    for i in range(itemsets.shape[0]):
        length = read_image(baskets, itemsets[i], image)
        if length == itemsets.shape[1]:
            supports[i] = find_support(baskets, image, length, k)
    return supports


@njit(cache=True, nogil=True)
def _repair(
    rare: NDArray[np.int64], rule: Rule, baskets: Baskets, itemset_counts: ItemsetCounts, groups: _Groups
) -> ItemsetCounts:
    """Look at the rare itemsets in turn; unite or drop groups while they are rare."""
    size = rare.shape[1]
    image = np.empty(size, np.int64)
    for position in range(rare.shape[0]):
        while read_image(baskets, rare[position], image) == size:
            support = (
                read_support(baskets, itemset_counts, image)
                if itemset_counts.size == size
                else find_support(baskets, image, size, rule.k)
            )
            if support == 0 or support >= rule.k:
                break
            groups.done[2] += 1
            _sort_by_support(image, baskets, groups)
            group, other = _choose_pair(image, support, rule, baskets, groups)
            if other < 0 and rule.helping:
                group, other = _choose_pair(image, support, Rule(rule.k, rule.tried, False), baskets, groups)
            if other < 0:
                drop_code(baskets, image[0])
                groups.done[1] += 1
            else:
                itemset_counts = _unite(group, other, baskets, itemset_counts, groups)
    return itemset_counts


@njit(cache=True, nogil=True)
def _sort_by_support(image: NDArray[np.int64], baskets: Baskets, groups: _Groups) -> None:
    """Put the rarest group first; of equally rare ones, the one with the smallest code."""
    for i in range(1, image.size):
        code, at = image[i], i
        while at > 0:
            before = image[at - 1]
            more = baskets.support[before] - baskets.support[code]
            if more < 0 or (more == 0 and groups.first[before] < groups.first[code]):
                break
            image[at] = before
            at -= 1
        image[at] = code


@njit(cache=True, nogil=True)
def _unite(group: int, other: int, baskets: Baskets, itemset_counts: ItemsetCounts, groups: _Groups) -> ItemsetCounts:
    """Unite two groups under the one with more rows, because only the rows of the other change."""
    survivor, gone = (group, other) if baskets.support[group] >= baskets.support[other] else (other, group)
    itemset_counts = unite_codes(baskets, itemset_counts, gone, survivor)
    groups.first[survivor] = min(groups.first[survivor], groups.first[gone])
    groups.items[survivor] += groups.items[gone]
    groups.done[0] += 1
    return itemset_counts


@njit(cache=True, nogil=True)
def _choose_pair(image: NDArray[np.int64], held: int, rule: Rule, baskets: Baskets, groups: _Groups) -> tuple[int, int]:
    """Choose a group of an itemset, held by so many rows, and another to unite it with; -1 if there is none."""
    best, partner = np.int64(-1), np.int64(-1)
    items, support, help = np.int64(0), np.int64(0), np.int64(0)
    for i in range(min(rule.tried, image.size)):
        code = image[i]
        # At the very least, one item joins and no row.
        enough = partner >= 0 and (not rule.helping or held + help >= rule.k)
        if enough and not loses_less(groups.items[code] + 1, baskets.support[code], items, support):
            continue
        _count_common(code, baskets, groups)
        if rule.helping:
            _count_help(image, i, rule.k, baskets, groups)
        for other in range(groups.first.size):
            if (
                other == code
                or baskets.forward[other] != other
                or groups.constraint[other] != groups.constraint[code]
                or baskets.support[other] == 0
                or (rule.helping and groups.help[other] == 0)
            ):
                continue
            number = groups.items[code] + groups.items[other]
            rows = baskets.support[code] + baskets.support[other] - groups.common[other]
            helps = min(groups.help[other], rule.k - held)
            tie = (
                best == code
                and number == items
                and rows == support
                and helps == help
                and groups.first[other] < groups.first[partner]
            )
            better = helps > help or (helps == help and loses_less(number, rows, items, support))
            if partner < 0 or tie or better:
                best, partner, items, support, help = code, np.int64(other), number, rows, helps
        groups.common[:] = 0
        groups.help[:] = 0
    return int(best), int(partner)


@njit(cache=True, nogil=True)
def _count_help(image: NDArray[np.int64], at: int, k: int, baskets: Baskets, groups: _Groups) -> None:
    """Count for each group the rows that hold it and the rest of an itemset, but not the group looked at.

    Whoever is in the itemset itself helps enough: united with it, the itemset is a smaller one.
    """
    code = image[at]
    if image.size == 1:
        for other in range(groups.help.size):
            groups.help[other] = baskets.support[other] - groups.common[other]
        return
    rest = image[1] if at == 0 else image[0]  # the rarest first
    groups.done[3] += 1
    question = groups.done[3]
    member = rest
    while member >= 0:
        for i in range(baskets.holder_offsets[member], baskets.holder_offsets[member + 1]):
            row = baskets.holders[i]
            if groups.stamp[row] == question or find_code(baskets, row, code) >= 0:
                continue
            groups.stamp[row] = question
            holds = True
            for j in range(image.size):
                holds = holds and (j == at or find_code(baskets, row, image[j]) >= 0)
            if holds:
                for place in range(baskets.offsets[row], baskets.offsets[row] + baskets.lengths[row]):
                    groups.help[baskets.codes[place]] += 1
        member = baskets.next_member[member]
    for j in range(image.size):
        if j != at:
            groups.help[image[j]] = k


@njit(cache=True, nogil=True)
def _count_common(code: int, baskets: Baskets, groups: _Groups) -> None:
    """Count how many rows each group shares with one of them."""
    groups.done[3] += 1
    question = groups.done[3]
    member = code
    while member >= 0:
        for i in range(baskets.holder_offsets[member], baskets.holder_offsets[member + 1]):
            row = baskets.holders[i]
            if groups.stamp[row] == question or find_code(baskets, row, code) < 0:
                continue
            groups.stamp[row] = question
            for at in range(baskets.offsets[row], baskets.offsets[row] + baskets.lengths[row]):
                groups.common[baskets.codes[at]] += 1
        member = baskets.next_member[member]


@njit(cache=True, nogil=True)
def loses_less(items: int, support: int, other_items: int, other_support: int) -> bool:
    """Whether (2^items - 1) * support is below the same number of another group; supports are at least 1.

    Examples
    --------
    >>> loses_less(2, 11, 3, 5), loses_less(2, 12, 3, 5), loses_less(4000, 5, 5000, 4)
    (True, False, True)
    """
    if items == other_items:
        return support < other_support
    if items < other_items:
        return bool(_compare(items, support, other_items, other_support) < 0)
    return bool(_compare(other_items, other_support, items, support) > 0)


@njit(cache=True, nogil=True)
def _compare(items: int, support: int, more_items: int, more_support: int) -> int:
    """Compare the losses of two groups, the second of which has more items: -1, 0 or 1.

    With d more items, the second loses more by 2^items * (more_support * 2^d - support) + support - more_support.
    """
    step = min(more_items - items, 60)
    if more_support >= (support + (1 << step) - 1) >> step:
        return -1
    behind = support - (more_support << step)
    ahead = support - more_support
    items = min(items, 60)
    if behind <= (ahead - 1) >> items:
        return -1
    return 0 if behind == ahead >> items and behind << items == ahead else 1
