"""What entries of a dictionary may be and must be: the primitives on which checkers count.

Makers know nothing of them. Values of an original are the entries of a dictionary of single values.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.checks.class_index import HeldLabels
from sfumato.data.coded import ValueSets

__all__ = ["can", "contains", "draw", "group_values", "list_exact", "must"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Span = tuple[float, float]


def contains(values: ValueSets, original: ValueSets) -> Flags:
    """Tell which original values lie in which entries: a row per entry, a column per value of the original.

    Examples
    --------
    >>> cells = ValueSets.of_labels(("a", "b", "c"), [(0, 1), (2,), ()], suppressed=[2])
    >>> contains(cells, ValueSets.single(("a", "c"))).astype(int).tolist()
    [[1, 0, 0], [0, 1, 0], [1, 1, 1]]
    """
    if values.low is not None:
        return _contains_places(values, *_find_places(original))
    code = {label: at for at, label in enumerate(original.labels)}
    column = np.array([code.get(label, -1) for label in values.labels], dtype=np.int64)[values.members]
    inside = np.zeros((len(values), len(original)), dtype=bool)
    inside[values.entry_of_member[column >= 0], column[column >= 0]] = True
    return inside | values.suppressed[:, None]


def _find_places(original: ValueSets) -> tuple[Any, Flags]:
    """Return where original values lie, and which are missing; labels lie nowhere."""
    return np.full(len(original), np.nan) if original.low is None else original.low, original.missing


def _contains_places(values: ValueSets, places: Any, missing: Flags) -> Flags:
    low, high = values.bounds
    inside = (places >= low[:, None]) & (places <= high[:, None]) & ~missing
    inside = np.where(values.missing[:, None], missing, inside)
    return np.asarray(inside | values.suppressed[:, None])


def list_exact(values: ValueSets) -> tuple[str, ...]:
    """Return the values of a column that is published exactly, as plain text.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.release.decode import decode
    >>> data = sf.Dataset.of("table", [(20, "flu"), (21, None)], ("age", "ill"), sensitive=("ill",))
    >>> list_exact(decode(sf.anonymize(data, sf.methods.Mondrian(k=2)).release).column("ill").values)
    ('', 'flu')
    """
    return values.names if values.low is None or values.texts is None else tuple(values.texts.to_pylist())


def group_values(values: ValueSets, original: ValueSets) -> tuple[Ints, HeldLabels]:
    """Group original values that lie in the same entries: no release tells them apart.

    Returns the group of every original value, and which entries hold which groups.

    Examples
    --------
    >>> no = np.zeros(2, bool)
    >>> cells = ValueSets.of_ranges(np.array([1, 8]), np.array([2, 9]), no, no, "integer")
    >>> group, held = group_values(cells, ValueSets.single(("1", "2", "8"), np.array([1, 2, 8]), "integer"))
    >>> group.tolist(), held.low.tolist(), held.high.tolist()
    ([0, 0, 1, 2], [0, 1], [0, 1])
    """
    if values.low is not None:
        return _group_places(values, original)
    holds = contains(values, original)
    _, first, group = np.unique(np.packbits(holds, axis=0), axis=1, return_index=True, return_inverse=True)
    # Groups in the order of their first values: labels that are neighbours there often share their entries.
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[group.reshape(-1)], HeldLabels.of(holds[:, first[order]])


def _group_places(values: ValueSets, original: ValueSets) -> tuple[Ints, HeldLabels]:
    """Number values along their axis, the missing one last, and say from which to which every entry holds them."""
    low, high = values.bounds
    # A column of labels has no place on an axis: no range holds any of its values.
    axis = np.zeros(0) if original.low is None else original.low[~original.missing]
    above = np.searchsorted(np.sort(low), axis, side="right")
    passed = np.searchsorted(np.sort(high), axis, side="left")
    group = np.zeros(len(original) - 1, np.int64)
    group[1 : len(axis)] = np.cumsum((np.diff(above) != 0) | (np.diff(passed) != 0))
    none = int(group.max(initial=-1)) + 1
    begin, end = np.searchsorted(axis, low, side="left"), np.searchsorted(axis, high, side="right")
    is_empty, groups = begin >= end, np.append(group, none)
    begins = np.where(is_empty | values.missing, none, groups[np.minimum(begin, len(group))])
    ends = np.where(is_empty, -1, groups[np.maximum(end - 1, 0)])
    begins = np.where(values.suppressed, 0, begins)
    ends = np.where(values.missing | values.suppressed, none, ends)
    return groups, HeldLabels(begins, ends)


def must(values: ValueSets, wanted: Flags | Span, *, everything: bool = False) -> Flags:
    """Mark the entries that are one of the wanted values, whichever value they are.

    Parameters
    ----------
    values
        The entries.
    wanted
        Wanted labels, by code; or a closed range on the axis.
    everything
        Whether any value is wanted, also one that no entry is known to be.

    Examples
    --------
    >>> cells = ValueSets.of_labels(("a", "b"), [(0,), (0, 1), ()], suppressed=[2])
    >>> a = np.array([True, False])
    >>> must(cells, a).tolist(), can(cells, a).tolist()
    ([True, False, False], [True, True, True])
    """
    if isinstance(wanted, tuple):
        low, high = _narrow(values, wanted)
        return np.asarray(~values.missing & ~values.suppressed & (values.bounds[0] >= low) & (values.bounds[1] <= high))
    return np.where(values.suppressed, everything, _count(values, wanted) == values.sizes)


def can(values: ValueSets, wanted: Flags | Span, *, unseen: bool = False) -> Flags:
    """Mark the entries that may be one of the wanted values.

    Parameters
    ----------
    values
        The entries.
    wanted
        Wanted labels, by code; or a closed range on the axis.
    unseen
        Whether values are wanted, too, that no entry is known to be.
    """
    if isinstance(wanted, tuple):
        low, high = _narrow(values, wanted)
        meets = ~values.missing & (values.bounds[0] <= high) & (values.bounds[1] >= low)
        return np.asarray((meets | values.suppressed) & (low <= high))
    return np.where(values.suppressed, bool(wanted.any()) or unseen, _count(values, wanted) > 0)


def _narrow(values: ValueSets, span: Span) -> Span:
    """Return the range between whole numbers, where values are whole: no value lies between two neighbours."""
    low, high = span
    if values.scale == "decimal":
        return low, high
    return (low if math.isinf(low) else math.ceil(low)), (high if math.isinf(high) else math.floor(high))


def _count(values: ValueSets, wanted: Flags) -> Ints:
    hits = np.concatenate([[0], np.cumsum(wanted[values.members])])
    return np.asarray(np.diff(hits[values.starts]), dtype=np.int64)


def draw(values: ValueSets, entries: Ints, random: np.random.Generator) -> Any:
    """Draw a value for each of some entries, all it may be equally likely: a code of a label, or a place on the axis.

    Examples
    --------
    >>> cells = ValueSets.of_labels(("a", "b", "c"), [(0,), (1, 2)])
    >>> set(draw(cells, np.array([1, 1, 1, 1]), np.random.default_rng(1)).tolist()) <= {1, 2}
    True
    """
    share = random.random(len(entries))
    if values.low is None:
        return values.members[values.starts[entries] + (share * values.sizes[entries]).astype(np.int64)]
    low, high = (side[entries] for side in values.bounds)
    if values.scale == "decimal":
        return low + share * (high - low)
    return low + np.floor(share * (high - low + 1)).astype(low.dtype)
