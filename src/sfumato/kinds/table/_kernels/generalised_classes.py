"""Classes of generalised records: grouped by hashing, and rolled up from classes that were grouped before.

Records that are the same in all attributes are counted once. A *node* is a level for every attribute. The classes of a
node are unions of the classes of every node below it, so they are found from those instead of from the records: every
class is known by one of its records, and whoever has the same generalised values is in the same class.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.table._kernels.different_records import MIX, Records, choose_factors

__all__ = [
    "Classes",
    "LevelTable",
    "Workspace",
    "classes_of_records",
    "group_classes",
    "make_level_table",
    "make_workspace",
    "merge_values",
    "new_classes",
]


class LevelTable(NamedTuple):
    """What every value is published as, on every level of every attribute.

    Attributes
    ----------
    key
        Nodes, attribute after attribute and level after level, one per value, each multiplied with the factor of its
        attribute: the sum over all attributes is the key of a generalised record.
    at
        Where level h of attribute a begins: ``at[a, h]``.
    height
        Highest level of each attribute.
    is_exact
        Whether different generalised records never have the same key.
    """

    key: NDArray[np.int64]
    at: NDArray[np.int64]
    height: NDArray[np.int64]
    is_exact: bool


class Classes(NamedTuple):
    """Classes of a node; the first ``size[0]`` places are filled.

    Attributes
    ----------
    size
        Number of classes, and of sensitive values in all of them.
    example
        One different record of every class.
    key
        Sum of the keys of its values, by which it is known.
    weight, people, start, sensitive, times
        As in :class:`Records`.
    """

    size: NDArray[np.int64]
    example: NDArray[np.int32]
    key: NDArray[np.int64]
    weight: NDArray[np.int64]
    people: NDArray[np.int64]
    start: NDArray[np.int64]
    sensitive: NDArray[np.int32]
    times: NDArray[np.int64]


class Workspace(NamedTuple):
    """Memory that is used again for every grouping.

    Attributes
    ----------
    key, owner
        A hash table: key and class in every slot, -1 where there is none.
    target
        Class that every class of the source went to.
    order, begin
        Classes of the source in the order of their new class.
    value_counts
        A counter per sensitive value, all zero between uses.
    """

    key: NDArray[np.int64]
    owner: NDArray[np.int32]
    target: NDArray[np.int32]
    order: NDArray[np.int32]
    begin: NDArray[np.int64]
    value_counts: NDArray[np.int64]


def make_level_table(levels: list[NDArray[np.int64]]) -> LevelTable:
    """Lay out ladders: per attribute one row per level, one column per value.

    Examples
    --------
    >>> level_table = make_level_table([np.array([[0, 1, 2], [3, 3, 3]]), np.array([[0, 1], [2, 2]])])
    >>> level_table.height.tolist(), level_table.at.tolist(), level_table.is_exact
    ([1, 1], [[0, 3], [6, 8]], True)
    """
    tallest = max(len(rows) for rows in levels)
    at = np.zeros((len(levels), tallest), np.int64)
    begin = 0
    for attribute, rows in enumerate(levels):
        at[attribute, : len(rows)] = begin + np.arange(len(rows)) * rows.shape[1]
        begin += rows.size
    factor, is_exact = choose_factors([int(rows.max()) + 1 for rows in levels])
    key = np.concatenate([rows.ravel().astype(np.int64) * by for rows, by in zip(levels, factor, strict=True)])
    height = np.array([len(rows) - 1 for rows in levels], np.int64)
    return LevelTable(key, at, height, is_exact)


def classes_of_records(records: Records, level_table: LevelTable) -> Classes:
    """Return the classes of the lowest node: every different record is one."""
    size = np.array([len(records.weight), len(records.sensitive)], np.int64)
    example = np.arange(len(records.weight), dtype=np.int32)
    key = np.zeros(len(records.weight), np.int64)
    for attribute, values in enumerate(records.value.T):
        key += level_table.key[level_table.at[attribute, 0] + values]
    return Classes(size, example, key, records.weight, records.people, records.start, records.sensitive, records.times)


def new_classes(records: Records) -> Classes:
    """Return room for as many classes as there are different records."""
    return Classes(
        np.zeros(2, np.int64),
        np.empty(len(records.weight), np.int32),
        np.empty(len(records.weight), np.int64),
        np.empty(len(records.weight), np.int64),
        np.empty(len(records.people), np.int64),
        np.empty(len(records.start), np.int64),
        np.empty(len(records.sensitive), np.int32),
        np.empty(len(records.times), np.int64),
    )


def make_workspace(records: Records, values: int) -> Workspace:
    """Return memory to group the classes of these records, with so many different sensitive values."""
    entries = len(records.weight)
    slots = 1 << max(int(2 * entries).bit_length(), 4)
    return Workspace(
        np.empty(slots, np.int64),
        np.empty(slots, np.int32),
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
        np.empty(entries + 1, np.int64),
        np.zeros(max(values, 1), np.int64),
    )


@njit(cache=True, nogil=True)
def _same(value: NDArray[np.int32], level_table: LevelTable, level: NDArray[np.int64], a: int, b: int) -> bool:
    for attribute in range(level.size):
        at = level_table.at[attribute, level[attribute]]
        if level_table.key[at + value[a, attribute]] != level_table.key[at + value[b, attribute]]:
            return False
    return True


@njit(cache=True, nogil=True)
def group_classes(
    records: Records,
    level_table: LevelTable,
    levels: tuple[NDArray[np.int64], NDArray[np.int64]],
    source: Classes,
    into: Classes,
    work: Workspace,
) -> None:
    """Group the classes of a node from those of a node below it.

    Parameters
    ----------
    records, level_table
        The data and what their values can be generalised to.
    levels
        Level of every attribute at the node of the source, which is nowhere higher, and at the node wanted.
    source
        Classes to put together.
    into
        Where the classes go; as long as the source.
    work
        Memory.
    """
    moved, before, after = _list_moved(level_table, levels[0], levels[1])
    total = source.size[0]
    # Arrays by names of their own: a tuple of arrays that is touched again and again costs more than the work.
    value, part, is_exact = records.value, level_table.key, level_table.is_exact
    source_example, source_key, source_count, source_people = source.example, source.key, source.weight, source.people
    example, count, people = into.example, into.weight, into.people
    keys, owner, target, into_key = work.key, work.owner, work.target, into.key
    has_people, has_values = source_people.size > 0, source.start.size > 0
    slots = np.int64(16)
    while slots < 2 * total:
        slots *= 2
    mask = np.uint64(slots - 1)
    owner[:slots] = -1
    class_count = 0
    for place in range(total):
        row = source_example[place]
        key = source_key[place]
        for i in range(moved.size):
            code = value[row, moved[i]]
            key += part[after[i] + code] - part[before[i] + code]
        mixed = np.uint64(key) * MIX
        slot = (mixed ^ (mixed >> np.uint64(29))) & mask
        while True:
            here = owner[slot]
            if here < 0:
                here = class_count
                keys[slot], owner[slot] = key, here
                example[here], into_key[here], count[here] = row, key, source_count[place]
                if has_people:
                    people[here] = source_people[place]
                class_count += 1
                break
            if keys[slot] == key and (is_exact or _same(value, level_table, levels[1], example[here], row)):
                count[here] += source_count[place]
                if has_people:
                    people[here] += source_people[place]
                break
            slot = (slot + np.uint64(1)) & mask
        if has_values:
            target[place] = here
    into.size[0] = class_count
    into.size[1] = 0
    if has_values:
        merge_values(source, into, work)


@njit(cache=True, nogil=True)
def _list_moved(
    level_table: LevelTable, source: NDArray[np.int64], level: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the attributes whose level changes, and where the levels before and after begin."""
    moves = np.empty((3, level.size), np.int64)
    moved = 0
    for attribute in range(level.size):
        if level[attribute] != source[attribute]:
            moves[0, moved] = attribute
            moves[1, moved] = level_table.at[attribute, source[attribute]]
            moves[2, moved] = level_table.at[attribute, level[attribute]]
            moved += 1
    return moves[0, :moved].copy(), moves[1, :moved].copy(), moves[2, :moved].copy()


@njit(cache=True, nogil=True)
def merge_values(source: Classes, into: Classes, work: Workspace) -> None:
    """Add up the sensitive values of classes by where they went, ``work.target``; those at -1 went nowhere."""
    total, class_count = source.size[0], into.size[0]
    begin, order, targets, value_counts = work.begin, work.order, work.target, work.value_counts
    source_start, source_sensitive, source_times = source.start, source.sensitive, source.times
    start, sensitive, times = into.start, into.sensitive, into.times
    begin[: class_count + 1] = 0
    for place in range(total):
        if targets[place] >= 0:
            begin[targets[place] + 1] += 1
    for target in range(class_count):
        begin[target + 1] += begin[target]
    for place in range(total):
        target = targets[place]
        if target >= 0:
            order[begin[target]] = place
            begin[target] += 1
    write, first = 0, 0
    for target in range(class_count):
        start[target] = write
        for at in range(first, begin[target]):
            place = order[at]
            for entry in range(source_start[place], source_start[place + 1]):
                value = source_sensitive[entry]
                if value_counts[value] == 0:
                    sensitive[write] = value
                    write += 1
                value_counts[value] += source_times[entry]
        for entry in range(start[target], write):
            times[entry] = value_counts[sensitive[entry]]
            value_counts[sensitive[entry]] = 0
        first = begin[target]
    start[class_count] = write
    into.size[1] = write
