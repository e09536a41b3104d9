"""Searches for a cut through every hierarchy: nodes are taken apart from the top, or made whole from the bottom."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import InfeasibleError
from sfumato.kinds.table.methods._base.full_domain import Question
from sfumato.messages import Message, MethodName, option, parameter
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.table._kernels.generalised_classes import Classes

__all__ = ["CutSearch", "refuse_cuts"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_POWERS = (0.0, 0.5, 1.0)
"""How much the anonymity that a move costs counts against what it gives back; each is tried."""

_SHARE = 32
"""Nodes of the best attribute that are tried are moved a few at a time: one in this many, at least one."""


class Moves(NamedTuple):
    """Nodes that can be moved, and what each move changes.

    Attributes
    ----------
    node, attribute
        The node that gives way to its children, or that its children give way to.
    loss
        Change of the loss, in records: one that is suppressed counts 1.
    spread
        Change of what the cells of all records cost, suppressed or not.
    suppressed_records
        Change of the number of records suppressed.
    company
        Records that were suppressed and are joined by others.
    """

    node: Ints
    attribute: Ints
    loss: Floats
    spread: Floats
    suppressed_records: Ints
    company: Ints

    @classmethod
    def join(cls, parts: list[Moves]) -> Moves:
        """Put the moves of several attributes into one list."""
        columns: list[Any] = [np.concatenate([part[at] for part in parts]) for at in range(len(cls._fields))]
        return cls(*columns)

    def take(self, at: Ints) -> Moves:
        """Return some of the moves."""
        columns: list[Any] = [column[at] for column in self]
        return Moves(*columns)


class CutSearch:
    """A cut, its classes, and the moves it allows.

    Nodes of one attribute lie apart: the classes below one are not touched when another is moved, and what moves change
    adds up. (Where closeness is asked, what is published changes for all; a move is then tried out before it counts.)

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table.methods.top_down import TopDown
    >>> data = Dataset.of("table", [("a",), ("a",), ("b",), ("b",)], ("city",))
    >>> method = TopDown(k=2)
    >>> search = CutSearch(method.pose(method.attributes(data), method.require(data), Run(bytes(32))))
    >>> [cut.tolist() for cut in search.read(search.leaves)], search.evaluate_cut(search.leaves)
    ([[0, 1, 3]], 0)
    """

    def __init__(self, question: Question) -> None:
        from sfumato.kinds.table._kernels.generalised_classes import (
            classes_of_records,
            make_level_table,
            make_workspace,
            new_classes,
        )
        from sfumato.kinds.table._kernels.hierarchy_cuts import plant_trees

        level_trees = question.level_trees
        self.question = question
        self.trees = plant_trees(
            [level_tree.parent for level_tree in level_trees],
            [level_tree.leaf for level_tree in level_trees],
            [weight * level_tree.price for weight, level_tree in zip(question.weights, level_trees, strict=True)],
        )
        self.begin = np.cumsum([0, *(len(level_tree.parent) for level_tree in level_trees)]).astype(np.int64)
        records, demand = question.records, question.demand
        self.base = classes_of_records(records, make_level_table([level_tree.levels for level_tree in level_trees]))
        self.classes, self.tried = new_classes(records), new_classes(records)
        self.work = make_workspace(records, int(demand.column[-1]))
        self.suppressed_records = np.zeros(len(records.weight), np.bool_)
        self.class_of = np.zeros(len(records.weight), np.int32)
        self.overall = np.zeros(int(demand.column[-1]))
        top = question.top.tolist()
        self.leaves = self._flatten([level_tree.levels[0] for level_tree in level_trees])
        self.highest = self._flatten([level_tree.levels[at] for level_tree, at in zip(level_trees, top, strict=True)])

    def _flatten(self, cuts: list[Ints]) -> Ints:
        return np.concatenate([cut + begin for cut, begin in zip(cuts, self.begin, strict=False)])

    def read(self, cut: Ints) -> list[Ints]:
        """Return the node of every value of each ladder."""
        first = self.trees.first
        return [cut[first[at] : first[at + 1]] - self.begin[at] for at in range(len(first) - 1)]

    def evaluate_cut(self, cut: Ints) -> int:
        """Group the classes of a cut and return how many records they withhold."""
        from sfumato.kinds.table._kernels.class_demand import count_overall, judge_classes
        from sfumato.kinds.table._kernels.hierarchy_cuts import group_by_cut

        demand = self.question.demand
        group_by_cut(self.question.records, self.trees, cut, self.base, self.classes, self.work)
        self.class_of[:] = self.work.target
        _, gone = judge_classes(self.classes, demand, self.suppressed_records, self.question.total)
        self.overall = count_overall(self.classes, self.suppressed_records, int(demand.column[-1]))
        return int(gone)

    def _price(self, cut: Ints, classes: Classes) -> Floats:
        """Return what a record of every class costs if it is published."""
        example = self.question.records.value[classes.example[: classes.size[0]]]
        return np.asarray(self.trees.price[cut[self.trees.first[:-1] + example]].sum(axis=1))

    def _nodes(self, cut: Ints, classes: Classes, attribute: int) -> Ints:
        example = classes.example[: classes.size[0]]
        return np.asarray(cut[self.trees.first[attribute] + self.question.records.value[example, attribute]])

    def list_moves(self, cut: Ints, wanted: Flags, *, apart: bool) -> Moves:
        """Try all wanted nodes: each gives way to its children (apart), or they to it."""
        price = self._price(cut, self.classes)
        parts = []
        for attribute in range(len(self.begin) - 1):
            inside = wanted[self.begin[attribute] : self.begin[attribute + 1]]
            if inside.any():
                parts.append(self._try_attribute(cut, attribute, wanted, price, apart=apart))
        if not parts:
            none = np.empty(0, np.int64)
            return Moves(none, none, none.astype(float), none.astype(float), none, none)
        return Moves.join(parts)

    def _try_attribute(self, cut: Ints, attribute: int, wanted: Flags, price: Floats, *, apart: bool) -> Moves:
        from sfumato.kinds.table._kernels.class_demand import judge_against
        from sfumato.kinds.table._kernels.hierarchy_cuts import join_classes, split_classes

        records, trees, demand = self.question.records, self.trees, self.question.demand
        old = self._nodes(cut, self.classes, attribute)
        if apart:
            state = (records, trees, cut, self.class_of)
            split_classes(state, attribute, wanted, self.base, self.tried, self.work)
        else:
            join_classes((records, trees, cut, self.classes), attribute, wanted, self.tried, self.work)
        class_count = int(self.tried.size[0])
        gone = np.zeros(class_count, np.bool_)
        judge_against(self.tried, demand, self.overall, gone)
        before = self._nodes(cut, self.tried, attribute)
        after = self.tried.key[:class_count] if apart else trees.parent[before]
        # A record of a new class was in an old one, and all its other cells stay as they are.
        new_price = price[self.class_of[self.tried.example[:class_count]]] + trees.price[after] - trees.price[before]
        moved = old if apart else trees.parent[old]
        touched = np.flatnonzero((moved >= 0) & wanted[moved])
        begin, size = int(self.begin[attribute]), int(self.begin[attribute + 1] - self.begin[attribute])
        was, now = moved[touched] - begin, (before if apart else after) - begin
        count, lost = self.classes.weight[touched], self.suppressed_records[touched]
        new_count = self.tried.weight[:class_count]
        spread = _add_up(now, new_count * new_price, size) - _add_up(was, count * price[touched], size)
        loss = _add_up(now, new_count * np.where(gone, 1.0, new_price), size)
        loss = loss - _add_up(was, count * np.where(lost, 1.0, price[touched]), size)
        suppressed_records = _add_up(now, new_count * gone, size) - _add_up(was, count * lost, size)
        grows = np.zeros(len(touched), np.bool_)
        if not apart:
            grows = lost & (new_count[self.work.target[touched]] > count)
        company = _add_up(was, count * grows, size)
        nodes = np.flatnonzero(_add_up(was, np.ones(len(was)), size))
        whole: list[Ints] = [column[nodes].astype(np.int64) for column in (suppressed_records, company)]
        return Moves(nodes + begin, np.full(len(nodes), attribute, np.int64), loss[nodes], spread[nodes], *whole)

    def inner_nodes(self, cut: Ints) -> Flags:
        """Mark the nodes of a cut that have children."""
        inner = np.zeros(len(self.trees.parent), np.bool_)
        inner[cut[cut != self.leaves]] = True
        return inner

    def ready_nodes(self, cut: Ints) -> Flags:
        """Mark the nodes, not above the highest allowed, below which the cut holds nothing but their children."""
        total, trees = len(self.trees.parent), self.trees
        above = np.where(cut == self.highest, -1, trees.parent[cut])
        path = trees.path.reshape(-1, trees.width)
        below = np.bincount(path[path >= 0], minlength=total)
        direct = np.bincount(above[above >= 0], minlength=total)
        return np.asarray((direct > 0) & (direct == below))

    def move(self, cut: Ints, nodes: Ints, *, apart: bool) -> Ints:
        """Return the cut after some nodes gave way to their children, or these to them."""
        trees = self.trees
        chosen = np.zeros(len(trees.parent), np.bool_)
        chosen[nodes] = True
        if not apart:
            above = trees.parent[cut]
            return np.where((above >= 0) & chosen[above], above, cut)
        below = trees.path.reshape(-1, trees.width)[
            np.arange(len(cut)), np.minimum(trees.depth[cut] + 1, trees.width - 1)
        ]
        return np.where(chosen[cut], below, cut)

    def weigh(self, cut: Ints) -> float:
        """Return what a cut loses, in records: one that is suppressed counts 1."""
        self.evaluate_cut(cut)
        size = int(self.classes.size[0])
        price = np.where(self.suppressed_records[:size], 1.0, self._price(cut, self.classes))
        return float((self.classes.weight[:size] * price).sum())

    def specialise(self, cut: Ints, run: Run) -> Ints:
        """Take nodes of a cut apart as long as what is asked is kept; the cut must keep it.

        The next node is the one that gives back most for the anonymity it costs: what is no longer lost, by the number
        of records newly suppressed, plus one, to a power. Which power is best depends on the data, so several are tried
        one after the other, and the cut that loses least is taken.
        """
        best = min((self._take_apart(cut, power) for power in _POWERS), key=self.weigh)
        run.counters["values published"] = len(np.unique(best))
        return best

    def _take_apart(self, cut: Ints, power: float) -> Ints:
        from sfumato.kinds.table._kernels.lattice_search import is_lasting

        demand = self.question.demand
        lasting = is_lasting(demand, self.question.records.people.size > 0)
        gone = self.evaluate_cut(cut)
        refused = np.zeros(len(self.trees.parent), np.bool_)
        while True:
            moves = self.list_moves(cut, self.inner_nodes(cut) & ~refused, apart=True)
            budget = demand.limit - gone
            if lasting:  # what breaks the limit now will break it whatever else is taken apart
                refused[moves.node[moves.suppressed_records > budget]] = True
            fits = np.flatnonzero((moves.suppressed_records <= budget) & (moves.loss <= 1e-9))
            if not len(fits):
                return cut
            moves = moves.take(fits)
            nodes = choose_moves(moves, -moves.loss / (np.maximum(moves.suppressed_records, 0) + 1.0) ** power, budget)
            trial = self.move(cut, nodes, apart=True)
            now = self.evaluate_cut(trial)
            if now <= demand.limit:
                cut, gone = trial, now
                if not lasting:
                    refused[:] = False
            else:  # only where suppressing changes what all classes are compared with
                refused[nodes] = True
                gone = self.evaluate_cut(cut)

    def generalise(self, cut: Ints, count_helped: Callable[[Ints, Moves], Ints]) -> Ints | None:
        """Make nodes of a cut whole until what is asked is kept; None if it never is.

        The next node is the one that costs least for every record it helps, which are counted either by
        :meth:`count_company` or by :meth:`count_lost`.
        """
        while self.evaluate_cut(cut) > self.question.demand.limit:
            ready = self.ready_nodes(cut)
            if not ready.any():
                return None
            moves = self.list_moves(cut, ready, apart=False)
            helped = count_helped(cut, moves)
            useful = np.flatnonzero(helped > 0) if helped.any() else np.arange(len(helped))
            score = helped / np.maximum(moves.spread, 1e-12) if helped.any() else -moves.spread
            cut = self.move(cut, choose_moves(moves.take(useful), score[useful], self.question.total), apart=False)
        return cut

    def count_company(self, cut: Ints, moves: Moves) -> Ints:
        """Return how many suppressed records get company, those twice that need not be suppressed any longer."""
        helped = np.maximum(-moves.suppressed_records, 0) + moves.company
        return helped if helped.any() else self.count_lost(cut, moves)

    def count_lost(self, cut: Ints, moves: Moves) -> Ints:
        """Return how many suppressed records lie below each node."""
        total = np.zeros(len(self.trees.parent))
        size = int(self.classes.size[0])
        lost = self.classes.weight[:size] * self.suppressed_records[:size]
        for attribute in range(len(self.begin) - 1):
            above = self.trees.parent[self._nodes(cut, self.classes, attribute)]
            total += np.bincount(above[above >= 0], lost[above >= 0], len(total))
        return np.asarray(total[moves.node].astype(np.int64))


def _add_up(at: Ints, amounts: npt.NDArray[Any], size: int) -> Floats:
    """Return the sum of the amounts at every place."""
    return np.asarray(np.bincount(at, amounts, size), dtype=np.float64)


def choose_moves(moves: Moves, score: Floats, budget: int) -> Ints:
    """Return the node of highest score, with some of the next best of its attribute as long as there is room.

    Examples
    --------
    >>> few = np.array([7, 8, 9])
    >>> moves = Moves(few, few * 0, few * 0.0, few * 0.0, few * 0, few)
    >>> choose_moves(moves, np.array([0.1, 0.5, 0.3]), 0).tolist()
    [8]
    """
    best = int(np.argmax(score))
    mates = np.flatnonzero(moves.attribute == moves.attribute[best])
    mates = mates[np.argsort(-score[mates], kind="stable")]
    mates = np.append(best, mates[mates != best])[: max(len(mates) // _SHARE, 1)]
    within = np.cumsum(moves.suppressed_records[mates]) <= budget
    within[0] = True
    return moves.node[mates[: len(within) if within.all() else int(np.argmin(within))]]


def refuse_cuts(owner: str | MethodName, question: Question, suppressed_records: int) -> InfeasibleError:
    """Return the error that says how far even the highest levels allowed are from what is asked."""
    return InfeasibleError(
        Message(
            owner,
            f": even the highest levels allowed suppress {suppressed_records:,} of {question.total:,} records; "
            f"{question.demand.limit:,} are allowed.",
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
