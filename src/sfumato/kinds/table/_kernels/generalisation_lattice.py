"""The lattice of levels: its nodes as numbers, the classes of nodes that are kept, and what a node costs."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.table._kernels.class_demand import Demand, judge_classes
from sfumato.kinds.table._kernels.different_records import Records
from sfumato.kinds.table._kernels.generalised_classes import (
    Classes,
    LevelTable,
    Workspace,
    classes_of_records,
    group_classes,
    make_workspace,
    new_classes,
)

__all__ = [
    "AVERAGE_CLASS_SIZE",
    "CELLS",
    "DISCERNIBILITY",
    "LARGEST_LATTICE",
    "Lattice",
    "Loss",
    "Search",
    "count_nodes",
    "examine",
    "levels_of",
    "prepare_search",
    "price_node",
]

CELLS, DISCERNIBILITY, AVERAGE_CLASS_SIZE = 0, 1, 2
LARGEST_LATTICE = 1 << 24
"""The most nodes that are searched; what is known of them takes a byte and a number each."""

_MAX_CACHED_NODES = 1 << 13
_POOL = 1 << 24


class Lattice(NamedTuple):
    """All nodes between the exact values and the highest levels allowed, numbered.

    Attributes
    ----------
    top
        Highest level allowed of each attribute.
    stride
        The number of a node is the sum of its levels times these.
    shift, guard
        A node as bits: the level of attribute a from bit ``shift[a]`` on, a bit of ``guard`` above every level. With
        them, one subtraction tells whether a node is nowhere higher than another.
    nodes
        How many there are.
    """

    top: NDArray[np.int64]
    stride: NDArray[np.int64]
    shift: NDArray[np.int64]
    guard: int
    nodes: int


class Loss(NamedTuple):
    """What a node costs.

    Attributes
    ----------
    how
        By its cells, by discernibility or by the average size of classes.
    price
        Beside ``LevelTable.key``: price of a cell by its node. Where ``how`` is another, prices only say where to look
        first.
    level_sum
        Price of attribute a on level h, the mean over all records: ``level_sum[a, h]``.
    full
        Price of a record that is withheld, beyond what does not depend on its node.
    records
        Number of records.
    """

    how: int
    price: NDArray[np.float64]
    level_sum: NDArray[np.float64]
    full: float
    records: int


class ClassCache(NamedTuple):
    """Classes of nodes that were examined, to roll up others from; the first are the different records.

    Attributes
    ----------
    used
        Nodes kept, classes in all of them, sensitive values in all of these.
    node, bits, size, begin, values, values_begin
        Of every node: its number, the same as bits, number of classes, where they begin, the same for sensitive values.
    example, key, weight, people, start, sensitive, times
        Classes of all nodes one after the other.
    """

    used: NDArray[np.int64]
    node: NDArray[np.int64]
    bits: NDArray[np.int64]
    size: NDArray[np.int64]
    begin: NDArray[np.int64]
    values: NDArray[np.int64]
    values_begin: NDArray[np.int64]
    example: NDArray[np.int32]
    key: NDArray[np.int64]
    weight: NDArray[np.int64]
    people: NDArray[np.int64]
    start: NDArray[np.int64]
    sensitive: NDArray[np.int32]
    times: NDArray[np.int64]


class Search(NamedTuple):
    """Everything that is needed to examine nodes.

    Attributes
    ----------
    records, level_table, lattice, demand, loss
        The data, the nodes and what is asked of them.
    base, into, is_suppressed, work, cache
        Classes of the lowest node; classes of the node examined last and which of them are withheld; memory.
    """

    records: Records
    level_table: LevelTable
    lattice: Lattice
    demand: Demand
    loss: Loss
    base: Classes
    into: Classes
    is_suppressed: NDArray[np.bool_]
    work: Workspace
    cache: ClassCache


def count_nodes(top: NDArray[np.int64]) -> int:
    """Return the number of nodes up to some levels.

    Examples
    --------
    >>> count_nodes(np.array([4, 1, 2]))
    30
    """
    count = 1
    for level in top.tolist():
        count *= level + 1
    return count


def make_lattice(top: NDArray[np.int64]) -> Lattice:
    """Number the nodes up to some levels.

    Examples
    --------
    >>> lattice = make_lattice(np.array([4, 1, 2]))
    >>> lattice.stride.tolist(), levels_of(lattice, 29).tolist()
    ([6, 3, 1], [4, 1, 2])
    """
    sizes = top + 1
    stride = np.array([int(np.prod(sizes[at + 1 :], dtype=np.int64)) for at in range(len(top))], np.int64)
    bits = [int(level).bit_length() + 1 for level in top]
    shift = np.cumsum([0, *bits[:-1]]).astype(np.int64)
    guard = sum(1 << (int(begin) + wide - 1) for begin, wide in zip(shift, bits, strict=True))
    return Lattice(top.astype(np.int64), stride, shift, guard, count_nodes(top))


def prepare_search(
    records: Records, level_table: LevelTable, top: NDArray[np.int64], demand: Demand, loss: Loss
) -> Search:
    """Lay out memory for a search up to some levels.

    Raises
    ------
    ValueError
        If there are more nodes than can be searched.
    """
    if count_nodes(top) > LARGEST_LATTICE:
        raise ValueError(
            f"{count_nodes(top):,} combinations of levels are more than the {LARGEST_LATTICE:,} that are searched"
        )
    base = classes_of_records(records, level_table)
    pool, values = max(_POOL, len(base.weight)), max(_POOL, len(base.sensitive))
    has_people, has_values = len(base.people) > 0, len(base.start) > 0
    of_node = [np.zeros(_MAX_CACHED_NODES, np.int64) for _ in range(6)]
    cache = ClassCache(
        np.zeros(3, np.int64),
        of_node[0],
        of_node[1],
        of_node[2],
        of_node[3],
        of_node[4],
        of_node[5],
        np.empty(pool, np.int32),
        np.empty(pool, np.int64),
        np.empty(pool, np.int64),
        np.empty(pool if has_people else 0, np.int64),
        np.empty(pool + _MAX_CACHED_NODES if has_values else 0, np.int64),
        np.empty(values if has_values else 0, np.int32),
        np.empty(values if has_values else 0, np.int64),
    )
    work = make_workspace(records, int(demand.column[-1]))
    is_suppressed = np.zeros(len(base.weight), np.bool_)
    into = new_classes(records)
    return Search(records, level_table, make_lattice(top), demand, loss, base, into, is_suppressed, work, cache)


def levels_of(lattice: Lattice, node: int) -> NDArray[np.int64]:
    """Return the level of every attribute at a node."""
    return np.asarray(node // lattice.stride % (lattice.top + 1))


def _as_bits(lattice: Lattice, level: NDArray[np.int64]) -> int:
    return int((level << lattice.shift).sum())


@njit(cache=True, nogil=True)
def _find_cached(bits: NDArray[np.int64], size: NDArray[np.int64], wanted: int, guard: int, most: int) -> int:
    """Return which kept node below the wanted one has the fewest classes, -1 for none with fewer than `most`."""
    best, smallest = -1, most
    raised = wanted | guard
    for at in range(bits.size):
        if size[at] < smallest and (raised - bits[at]) & guard == guard:
            best, smallest = at, size[at]
    return best


def _keep(cache: ClassCache, classes: Classes, node: int, bits: int) -> None:
    """Keep the classes of a node; when memory is full, all others are forgotten first."""
    size, values = classes.size.tolist()
    has_values = classes.start.size > 0
    full = cache.used[1] + size > cache.example.size or cache.used[0] == cache.bits.size
    if full or (has_values and cache.used[2] + values > cache.sensitive.size):
        cache.used[:] = 0
    at, begin, values_begin = cache.used.tolist()
    cache.node[at], cache.bits[at], cache.size[at], cache.begin[at] = node, bits, size, begin
    cache.values[at], cache.values_begin[at] = values, values_begin
    cache.example[begin : begin + size] = classes.example[:size]
    cache.key[begin : begin + size] = classes.key[:size]
    cache.weight[begin : begin + size] = classes.weight[:size]
    if classes.people.size > 0:
        cache.people[begin : begin + size] = classes.people[:size]
    if has_values:
        cache.start[begin + at : begin + at + size + 1] = classes.start[: size + 1]
        cache.sensitive[values_begin : values_begin + values] = classes.sensitive[:values]
        cache.times[values_begin : values_begin + values] = classes.times[:values]
    cache.used[:] = at + 1, begin + size, values_begin + values


def _get_cached_classes(cache: ClassCache, at: int) -> Classes:
    begin, values_begin = int(cache.begin[at]), int(cache.values_begin[at])
    end, values_end = begin + int(cache.size[at]), values_begin + int(cache.values[at])
    people = cache.people[begin:end] if cache.people.size > 0 else cache.people
    start = cache.start[begin + at : end + at + 1] if cache.start.size > 0 else cache.start
    sensitive, times = cache.sensitive[values_begin:values_end], cache.times[values_begin:values_end]
    size = np.array([cache.size[at], cache.values[at]], np.int64)
    example, key, weight = cache.example[begin:end], cache.key[begin:end], cache.weight[begin:end]
    return Classes(size, example, key, weight, people, start, sensitive, times)


def examine(search: Search, node: int) -> tuple[int, int]:
    """Group the classes of a node and return how many records are withheld: for lasting reasons, and in all."""
    lattice, cache = search.lattice, search.cache
    level = levels_of(lattice, node)
    bits = _as_bits(lattice, level)
    source, total, from_level = search.base, int(search.base.size[0]), np.zeros_like(level)
    used = int(cache.used[0])
    at = int(_find_cached(cache.bits[:used], cache.size[:used], bits, lattice.guard, total))
    if at >= 0:
        source, total = _get_cached_classes(cache, at), int(cache.size[at])
        from_level = levels_of(lattice, int(cache.node[at]))
    group_classes(search.records, search.level_table, (from_level, level), source, search.into, search.work)
    if 4 * int(search.into.size[0]) < 3 * total:
        _keep(cache, search.into, node, bits)
    lasting, gone = judge_classes(search.into, search.demand, search.is_suppressed, search.demand.limit)
    return int(lasting), int(gone)


def price_node(search: Search, node: int) -> tuple[float, float]:
    """Return a bound of what this node and all above it cost, and what the node that was examined last costs.

    Cells: with every record published, the mean price is the sum of ``level_sum``, which only grows from level to
    level. A withheld record costs what it would with all values suppressed, which is at least its price at any node:
    so the cost of a node is at least that sum, and the sum is at most that of any node above.

    Discernibility: a published record costs the size of its class, a withheld one the number of all records; the sum of
    squares of all classes, withheld or not, is at most the cost and grows as classes are put together. Average class
    size: records by published classes, of which there are at most as many as classes, which become fewer.
    """
    loss, size = search.loss, int(search.into.size[0])
    weight, is_suppressed = search.into.weight[:size], search.is_suppressed[:size]
    if loss.how == CELLS:
        return _price_cells(search, node, np.flatnonzero(is_suppressed))
    if loss.how == DISCERNIBILITY:
        records, counts = float(loss.records), weight.astype(np.float64)
        squares, lost = float((counts * counts).sum()), counts[is_suppressed]
        return squares / records**2, (squares + float((lost * (records - lost)).sum())) / records**2
    has_records = weight > 0
    scale = loss.records / search.demand.k
    return scale / int(has_records.sum()), scale / max(int((has_records & ~is_suppressed).sum()), 1)


def _price_cells(search: Search, node: int, lost: NDArray[np.int64]) -> tuple[float, float]:
    loss, level_table = search.loss, search.level_table
    rows = search.records.value[search.into.example[lost]]
    bound, price = 0.0, np.zeros(len(lost))
    for attribute, level in enumerate(levels_of(search.lattice, node).tolist()):
        bound += float(loss.level_sum[attribute, level])
        price += loss.price[level_table.at[attribute, level] + rows[:, attribute]]
    return bound, bound + float((search.into.weight[lost] * (loss.full - price)).sum()) / loss.records
