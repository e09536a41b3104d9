"""Blurring: other events near monitored intervals are published as what the whole group did, or not at all.

The zones of a group begin `blur_distance` before and end `blur_distance` after each of its intervals. A known time of
a member lies in an interval, so whatever a record says within `blur_distance` of it lies in a zone. In zones records
say nothing of their own: an event that every member did in a zone is published for all of them, in intervals that each
hold one of every member's and together all of them; an event that only some did there is left out. So all records of a
group are equal in their zones, and someone who picks a record by what it says near known times picks among whole groups
of at least k, each as good as the other: right with a chance of at most 1/k, for everybody.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.kinds.sequences.dataset import Sequences
from sfumato.kinds.sequences.encode import Cover, Grouped

__all__ = ["Blurred", "blur_groups"]

Ints = npt.NDArray[np.int64]


class Blurred(NamedTuple):
    """Groups with blurred events, and what became of the other events that were near.

    Attributes
    ----------
    grouped
        The groups without those events, and what is published in their place.
    published
        How many are published as something the whole group did.
    left_out
        How many are not published at all.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> people = [[("mail", 10), ("news", 11)], [("mail", 12), ("shop", 19)]]
    >>> data = Dataset.of("sequences", people, monitored=("mail",))
    >>> grouped = Grouped(Sequences.of(data), np.array([0, 0]), [Cover(("mail",), (10,), (12,))])
    >>> made = blur_groups(grouped, 3, shared=True)
    >>> made.published, made.left_out, made.grouped.sequences.events.lists()
    (0, 1, [['mail'], ['mail', 'shop']])
    """

    grouped: Grouped
    published: int
    left_out: int


def blur_groups(grouped: Grouped, blur_distance: int, *, shared: bool) -> Blurred:
    """Take other events out of the zones of their groups.

    Parameters
    ----------
    grouped
        Groups with their covers.
    blur_distance
        How far zones reach around intervals, in units of the data's time.
    shared
        Whether events of all members are published as intervals. Where no event may be predicted, nothing is.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> people = [[("mail", 10), ("news", 11), ("shop", 12)], [("mail", 30), ("news", 31), ("shop", 90)]]
    >>> data = Dataset.of("sequences", people, monitored=("mail",))
    >>> grouped = Grouped(Sequences.of(data), np.array([0, 0]), [Cover(("mail",), (10,), (30,))])
    >>> made = blur_groups(grouped, 5, shared=True)
    >>> made.grouped.blurred, made.published, made.left_out
    ([Cover(categories=('news',), starts=(11,), ends=(31,))], 2, 1)
    """
    people, group = grouped.sequences, grouped.group
    blur_distance = min(blur_distance, people.span + 1)
    zone = _number_zones(people, group, grouped.covers, blur_distance)
    near = (zone >= 0) & ~people.is_monitored
    covers = [Cover((), (), ()) for _ in grouped.covers]
    published_count = 0
    if shared and near.any():
        covers, published_count = _find_shared_intervals(people, group, zone, near, covers)
    made = dataclasses.replace(grouped, sequences=people.keep(~near), blurred=covers if shared else None)
    return Blurred(made, published_count, int(near.sum()) - published_count)


def _number_zones(people: Sequences, group: Ints, covers: Sequence[Cover], blur_distance: int) -> Ints:
    """Number the zones of all groups, and return the zone of every entry; -1 where it is in none."""
    zone = np.full(len(people.times), -1, dtype=np.int64)
    of_entry = group[people.events.row_of_token]
    order = np.argsort(of_entry, kind="stable")
    bounds = np.searchsorted(of_entry[order], np.arange(len(covers) + 1))
    first = 0
    for cover, (a, b) in zip(covers, itertools.pairwise(bounds.tolist()), strict=True):
        if not cover.starts or a == b:
            continue
        low = np.array(cover.starts, dtype=np.int64) - blur_distance
        high = np.array(cover.ends, dtype=np.int64) + blur_distance
        # Intervals ascend and do not meet; zones that meet are one.
        opens = np.concatenate([[True], low[1:] > high[:-1]])
        low, high = low[opens], high[np.concatenate([opens[1:], [True]])]
        entries = order[a:b]
        at = np.searchsorted(low, people.times[entries], side="right") - 1
        inside = (at >= 0) & (people.times[entries] <= high[at])
        zone[entries[inside]] = first + at[inside]
        first += len(low)
    return zone


def _find_shared_intervals(
    people: Sequences, group: Ints, zone: Ints, near: npt.NDArray[np.bool_], covers: list[Cover]
) -> tuple[list[Cover], int]:
    """Find the intervals of the events that all members of a group did in a zone, and count what they tell."""
    from sfumato.kinds.sequences._kernels.covers import Monitored, find_intervals
    from sfumato.kinds.sequences._kernels.prices import set_prices

    rows, codes, times = people.events.row_of_token[near], people.events.codes[near], people.times[near]
    zones = zone[near]
    order = np.lexsort((times, rows, codes, zones))
    rows, codes, times, zones = rows[order], codes[order], times[order], zones[order]
    opens = np.ones(len(rows), dtype=bool)
    opens[1:] = (np.diff(zones) != 0) | (np.diff(codes) != 0)
    case = np.cumsum(opens) - 1
    # A member with an event in a zone: as a person of the grouping, whose monitored events these are.
    fresh = opens.copy()
    fresh[1:] |= np.diff(rows) != 0
    members = np.bincount(case[fresh])
    sizes = np.bincount(group, minlength=len(covers))
    complete = members == sizes[group[rows[opens]]]
    is_complete = complete[case]
    if not is_complete.any():
        return covers, 0
    starts = np.flatnonzero(fresh[is_complete])
    number = np.cumsum(complete) - 1
    offsets = np.append(starts, int(is_complete.sum())).astype(np.int64)
    pseudo = number[case[is_complete][starts]].astype(np.int64)
    intervals = find_intervals(
        Monitored(offsets, times[is_complete]), pseudo, set_prices(1.0, 0, people.span, int(is_complete.sum()))
    )
    event, owner = codes[opens][complete], group[rows[opens][complete]]
    listed: dict[int, list[tuple[int, int, str]]] = {}
    for case_number, (a, b) in enumerate(itertools.pairwise(intervals.offsets.tolist())):
        label = people.events.labels[event[case_number]]
        entries = zip(intervals.start[a:b].tolist(), intervals.end[a:b].tolist(), itertools.repeat(label), strict=False)
        listed.setdefault(int(owner[case_number]), []).extend(entries)
    return [_as_cover(sorted(listed.get(number, []))) for number in range(len(covers))], int(is_complete.sum())


def _as_cover(entries: list[tuple[int, int, str]]) -> Cover:
    return Cover(
        tuple(label for _, _, label in entries), tuple(lo for lo, _, _ in entries), tuple(hi for _, hi, _ in entries)
    )
