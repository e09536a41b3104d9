"""Covers of groups: the intervals that kernels found, with the categories of what they cover."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sequences.dataset import Sequences
from sfumato.kinds.sequences.encode import Cover, Grouped
from sfumato.release.recoding import name_values

__all__ = ["GroupIntervals", "cover_groups"]

Ints = npt.NDArray[np.int64]


class GroupIntervals(NamedTuple):
    """Intervals of every group, from left to right, as the kernels find them.

    Attributes
    ----------
    offsets, start, end
        The intervals of group g are at ``offsets[g]`` up to ``offsets[g + 1]``.
    interval
        The interval of every monitored event, -1 if it is suppressed.
    node
        Category of each interval as a node of the event hierarchy; None to name it by the events it covers.

    Examples
    --------
    >>> one = GroupIntervals(np.array([0, 1]), np.array([3]), np.array([4]), interval=np.array([0, -1, 0]))
    >>> (one.end - one.start).tolist(), int((one.interval < 0).sum())
    ([1], 1)
    """

    offsets: Ints
    start: Ints
    end: Ints
    interval: Ints
    node: Ints | None = None


def cover_groups(people: Sequences, group: Ints, intervals: GroupIntervals) -> Grouped:
    """Turn the intervals of groups into what they publish, with the categories of what they cover.

    Parameters
    ----------
    people
        People who all have monitored events.
    group
        Number of the group of each.
    intervals
        The intervals of the groups. Without nodes a category is the set of events that an interval covers; a
        single event keeps its name.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> rows = [[("mail", 1), ("chat", 9)], [("mail", 3), ("mail", 8)]]
    >>> data = Dataset.of("sequences", rows, monitored=("mail", "chat"))
    >>> two = GroupIntervals(np.array([0, 2]), np.array([1, 8]), np.array([3, 9]), interval=np.array([0, 1, 0, 1]))
    >>> made = cover_groups(Sequences.of(data), np.array([0, 0]), two)
    >>> made.covers
    [Cover(categories=('mail', '{chat|mail}'), starts=(1, 8), ends=(3, 9))]
    """
    hierarchy = people.dataset.hierarchies.get("event")
    if intervals.node is not None and hierarchy is not None:
        names = [hierarchy.labels[at] for at in intervals.node]
        members = _list_members(hierarchy, {int(at) for at in intervals.node}, people.dataset.schema.monitored)
    else:
        names, members = _name_by_events(people, intervals)
    starts, ends = intervals.start.tolist(), intervals.end.tolist()
    covers = [
        Cover(tuple(names[a:b]), tuple(starts[a:b]), tuple(ends[a:b]))
        for a, b in itertools.pairwise(intervals.offsets.tolist())
    ]
    return Grouped(people, group, covers, members)


def _list_members(hierarchy: Hierarchy, nodes: set[int], monitored: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """List the events a category can stand for: only monitored ones are published as categories."""
    wanted = set(monitored)
    categories = {}
    for node in nodes:
        label = hierarchy.labels[node]
        members = tuple(event for event in hierarchy.members(label) if event in wanted)
        if members != (label,):
            categories[label] = members
    return categories


def _name_by_events(people: Sequences, intervals: GroupIntervals) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """Name every interval by the events it covers."""
    _, codes, _ = people.part(monitored=True)
    is_covered = intervals.interval >= 0
    interval, codes = intervals.interval[is_covered], codes[is_covered]
    labels = people.events.labels
    pairs = np.unique(interval * len(labels) + codes)
    which, code = np.divmod(pairs, len(labels))
    ends = np.searchsorted(which, np.arange(len(intervals.start) + 1))
    sets = [tuple(sorted(labels[c] for c in code[a:b])) for a, b in itertools.pairwise(ends)]
    names = name_values(sets)
    return names, {name: events for name, events in zip(names, sets, strict=True) if len(events) > 1}
