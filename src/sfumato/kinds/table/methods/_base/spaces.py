"""Attributes laid out for kernels that price values which are published together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sfumato.kinds.table.dataset import Attribute

if TYPE_CHECKING:
    from sfumato.kinds.table._kernels.class_bounds import ClassBounds
    from sfumato.kinds.table._kernels.prices import Space

__all__ = ["domain_type_of", "is_tree", "number_cells", "order_values", "share_of_domain", "space_of"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def is_tree(attribute: Attribute) -> bool:
    """Return whether values are published as nodes of a hierarchy; numbers whose hierarchy is one of ranges are not.

    Examples
    --------
    >>> from sfumato.hierarchies.hierarchy import Hierarchy
    >>> codes = np.zeros(1, np.int32)
    >>> is_tree(Attribute("sex", "categorical", ("f",), codes))
    False
    """
    return attribute.hierarchy is not None and (attribute.axis is None or attribute.hierarchy.kind == "labels")


def domain_type_of(attribute: Attribute) -> int:
    """Return how the hull of values is published, by the names of the kernels.

    Examples
    --------
    >>> domain_type_of(Attribute("age", "integer", ("30",), np.zeros(1, np.int32), np.array([30])))
    0
    """
    from sfumato.kinds.table._kernels.prices import RANGE, SET, TREE

    return TREE if is_tree(attribute) else SET if attribute.axis is None else RANGE


def order_values(attribute: Attribute) -> Ints:
    """Return the place of every value in the order in which hulls are spans: from left to right below a hierarchy.

    Numbers whose hierarchy has labels are numbered by size, which need not be the order of the leaves.

    Examples
    --------
    >>> order_values(Attribute("age", "integer", ("30", "40"), np.zeros(1, np.int32), np.array([30, 40]))).tolist()
    [0, 1]
    """
    place = np.arange(len(attribute.labels))
    if is_tree(attribute) and attribute.leaf is not None:
        place[np.argsort(attribute.leaf, kind="stable")] = np.arange(len(attribute.labels))
    return place


def space_of(attributes: tuple[Attribute, ...], weights: tuple[float, ...]) -> Space:
    """Lay out attributes for the kernels, with the weight of each.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table.dataset import attributes_of
    >>> data = Dataset.of("table", [(40, "f"), (30, "m"), (None, "f")], ("age", "sex"))
    >>> space_of(attributes_of(data), (1.0, 1.0)).codes.tolist()
    [[1, 0], [0, 1], [-1, 0]]
    """
    from sfumato.kinds.table._kernels.prices import build_space

    rows = len(attributes[0].codes) if attributes else 0
    codes = np.empty((rows, len(attributes)), np.int32)
    values = []
    for d, attribute in enumerate(attributes):
        codes[:, d] = np.append(order_values(attribute), -1)[attribute.codes]
        values.append(_values_of(attribute))
    return build_space(codes, [domain_type_of(attribute) for attribute in attributes], values, list(weights))


def _values_of(attribute: Attribute) -> npt.NDArray[np.float64]:
    """Return where values lie, or the share of the domain that neighbours have together."""
    if is_tree(attribute) and attribute.hierarchy is not None and attribute.leaf is not None:
        tree, leaf = attribute.hierarchy, np.sort(attribute.leaf)
        return np.asarray(tree.leaves[tree.lca_many(leaf[:-1], leaf[1:])] / tree.leaves[-1], np.float64)
    if attribute.axis is not None:
        return np.asarray(attribute.axis, np.float64)
    labels = len(attribute.labels)
    return np.full(max(labels - 1, 0), 2 / max(labels, 1))


def number_cells(attributes: tuple[Attribute, ...], bounds: ClassBounds) -> Ints:
    """Number what classes publish, so that classes with equal cells have the same number.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table._kernels.class_bounds import bound_classes
    >>> from sfumato.kinds.table.dataset import attributes_of
    >>> ages = attributes_of(Dataset.of("table", [(30,), (40,), (30,), (40,), (30,)], ("age",)))
    >>> number_cells(ages, bound_classes(space_of(ages, (1.0,)), np.array([0, 0, 1, 1, 2]), 3)).tolist()
    [1, 1, 0]
    """
    cells: list[npt.NDArray[np.int64]] = []
    for d, attribute in enumerate(attributes):
        low, high = bounds.low[:, d].astype(np.int64), bounds.high[:, d].astype(np.int64)
        empty = low > high
        low, high = np.where(empty, -1, low), np.where(empty, -1, high)
        hidden = bounds.missing[:, d] & ~empty
        labels = [low, high]
        if is_tree(attribute) and attribute.hierarchy is not None and attribute.leaf is not None:
            leaf = np.append(np.sort(attribute.leaf), 0)
            node = attribute.hierarchy.lca_many(leaf[low], leaf[high]).astype(np.int64)
            hidden |= ~empty & (node == len(attribute.hierarchy) - 1)
            labels = [np.where(empty, -1, node)]
        elif attribute.axis is None:
            bits = bounds.bits[:, bounds.word[d] : bounds.word[d + 1]]
            every = len(attribute.labels) + attribute.has_missing
            hidden |= (low < high) & (bounds.labels[:, d] == every)
            labels = [*bits.T.view(np.int64), np.where(empty, -1, 0)]
        cells.extend(np.where(hidden, -2, column) for column in labels)
        cells.append(hidden.astype(np.int64))
    _, number = np.unique(np.stack(cells, axis=1), axis=0, return_inverse=True)
    return np.asarray(number, np.int64).reshape(-1)


def share_of_domain(attributes: tuple[Attribute, ...], bounds: ClassBounds) -> Floats:
    """Return the share of its column that a cell of every class may stand for, averaged over the attributes (NCP).

    Prices of kernels are the same on paper. These shares are the same in every digit as those that are measured of what
    is published, so that a bound can be held against them.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table._kernels.class_bounds import bound_classes
    >>> from sfumato.kinds.table.dataset import attributes_of
    >>> ages = attributes_of(Dataset.of("table", [(30,), (33,), (40,)], ("age",)))
    >>> share_of_domain(ages, bound_classes(space_of(ages, (1.0,)), np.array([0, 0, 1]), 2)).tolist()
    [0.3, 0.0]
    """
    total = np.zeros(len(bounds.records))
    for d, attribute in enumerate(attributes):
        low, high = bounds.low[:, d].astype(np.int64), bounds.high[:, d].astype(np.int64)
        is_single = low >= high
        share = _share_of_spans(
            attribute, np.where(is_single, -1, low), np.where(is_single, -1, high), bounds.labels[:, d]
        )
        total += np.where(bounds.missing[:, d] & (low <= high), 1.0, np.where(is_single, 0.0, share))
    return np.asarray(total / max(len(attributes), 1))


def _share_of_spans(attribute: Attribute, low: Ints, high: Ints, labels: Ints) -> Floats:
    """Return the share that values from a lowest to a highest number have; -1 stands for any number."""
    if is_tree(attribute) and attribute.hierarchy is not None and attribute.leaf is not None:
        tree, leaf = attribute.hierarchy, np.append(np.sort(attribute.leaf), 0)
        return np.asarray(tree.leaves[tree.lca_many(leaf[low], leaf[high])] / len(tree.leaf_labels), np.float64)
    if attribute.axis is not None:
        axis = np.append(attribute.axis, np.zeros(1, attribute.axis.dtype))
        span = float(axis[-2] - axis[0]) if len(axis) > 1 else 0.0
        return np.asarray(np.minimum((axis[high] - axis[low]) / (span or 1.0), 1.0), np.float64)
    return np.asarray(labels / max(len(attribute.labels), 1), np.float64)
