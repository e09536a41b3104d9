"""Methods that choose a level for every attribute, and the losses they choose by."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.kinds.table.methods._base.full_domain import FullDomain, Question
from sfumato.kinds.table.methods._base.level_trees import LevelTree
from sfumato.messages import Message, option, parameter
from sfumato.params import Param

if TYPE_CHECKING:
    from sfumato.kinds.table._kernels.generalisation_lattice import Search

__all__ = ["LOSSES", "LevelChoosing", "price_levels"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LOSSES = ("ncp", "precision", "discernibility", "average-class-size", "entropy")


@dataclasses.dataclass(frozen=True)
class LevelChoosing(FullDomain):
    """Base of methods that publish an attribute on the same level for all records."""

    loss: Annotated[str, Param("Loss that is minimised over levels of generalisation.", choices=LOSSES)] = "ncp"

    def prepare(self, question: Question) -> Search:
        """Lay out the lattice of levels, with what each costs."""
        from sfumato.kinds.table._kernels.generalisation_lattice import (
            AVERAGE_CLASS_SIZE,
            CELLS,
            DISCERNIBILITY,
            Loss,
            prepare_search,
        )
        from sfumato.kinds.table._kernels.generalised_classes import make_level_table

        how = {"discernibility": DISCERNIBILITY, "average-class-size": AVERAGE_CLASS_SIZE}.get(self.loss, CELLS)
        level_trees = make_level_table([level_tree.levels for level_tree in question.level_trees])
        price, level_sum = [], np.zeros(level_trees.at.shape)
        full = 0.0
        for at, level_tree in enumerate(question.level_trees):
            count = question.count_values(at)
            by_node, by_value = price_levels(self.loss if how == CELLS else "ncp", level_tree, count)
            price.append(question.weights[at] * by_node)
            level_sum[at, : level_tree.height + 1] = question.weights[at] * (by_value @ count) / question.total
            full += question.weights[at] * by_node.max()
        loss = Loss(how, np.concatenate([rows.ravel() for rows in price]), level_sum, full, question.total)
        try:
            return prepare_search(question.records, level_trees, question.top, question.demand, loss)
        except ValueError as error:
            raise ParameterError(
                Message(self.message_name, f": {error}."),
                option="at_most",
                hint=Message(
                    "Allow fewer levels (", parameter("at_most"), "), or use the method top-down or bottom-up."
                ),
            ) from None

    def refuse(self, question: Question, search: Search) -> InfeasibleError:
        """Return the error that says how far even the highest levels allowed are from what is asked."""
        from sfumato.kinds.table._kernels.generalisation_lattice import examine

        _, suppressed_records = examine(search, search.lattice.nodes - 1)
        return InfeasibleError(
            Message(
                self.message_name,
                f": even the highest levels allowed suppress at least {suppressed_records:,} of {question.total:,} "
                f"records; {question.demand.limit:,} are allowed.",
            ),
            hint=Message(
                "Choose a smaller ",
                parameter("k"),
                ", allow higher levels (",
                parameter("at_most"),
                ") or more suppressed records (",
                option("max_suppressed_records"),
                ").",
            ),
        )


def price_levels(loss: str, level_tree: LevelTree, count: Ints) -> tuple[Floats, Floats]:
    """Return what a cell costs on every level, by its node and by its value; both differ by what the value fixes.

    By value, a cell costs nothing as it is, and most when it is suppressed. By node, a constant of the value is left
    out, so that all values of a node cost the same.

    Parameters
    ----------
    loss
        ``ncp``: share of the column a node covers. ``precision``: level over height, nothing for a value as it is.
        ``entropy``: bits needed to tell the value once its node is known, over the entropy of the column.
    level_tree
        The column.
    count
        Records with each value, the missing one last.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table.dataset import attribute_of
    >>> data = Dataset.of("table", [("a",), ("b",), ("b",), ("b",)], ("city",))
    >>> price_levels("entropy", LevelTree.of(attribute_of(data, "city")), np.array([1, 3, 0]))[1].round(2).tolist()
    [[0.0, 0.0, 0.0], [2.47, 0.51, 2.47]]
    """
    pricing: dict[str, Callable[[LevelTree, Ints], tuple[Floats, Floats]]] = {
        "ncp": _price_coverage,
        "precision": _price_precision,
        "entropy": _price_entropy,
    }
    return pricing[loss](level_tree, count)


def _price_coverage(level_tree: LevelTree, count: Ints) -> tuple[Floats, Floats]:  # noqa: ARG001
    price = level_tree.price[level_tree.levels]
    return price, price


def _price_precision(level_tree: LevelTree, count: Ints) -> tuple[Floats, Floats]:  # noqa: ARG001
    share = np.arange(level_tree.height + 1) / level_tree.height
    price = np.where(level_tree.levels == level_tree.leaf, 0.0, share[:, None])
    return price, price


def _price_entropy(level_tree: LevelTree, count: Ints) -> tuple[Floats, Floats]:
    shares = count[count > 0] / max(count.sum(), 1)
    entropy = float(-(shares * np.log2(shares)).sum())
    bits = np.zeros(level_tree.levels.shape)
    if entropy > 0:
        for level, nodes in enumerate(level_tree.levels):
            inside = np.bincount(nodes, weights=count, minlength=len(level_tree.parent))
            bits[level] = np.log2(np.maximum(inside, 1))[nodes] / entropy
    return bits, bits - bits[0]
