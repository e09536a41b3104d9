"""What every class of records must keep: enough records, and sensitive values that differ enough."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.kinds.table.dataset import MISSING, Attribute
from sfumato.kinds.table.guarantees import KAnonymity
from sfumato.messages import Message, MethodName, option, parameter
from sfumato.release.release import ExtraTable, PublishedColumn
from sfumato.release.text import ValueFormat

__all__ = ["Requirement", "SensitiveTree"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_SLACK = 1e-9
"""Distances and entropies of floating-point numbers that are equal on paper differ by less; methods keep away."""


@dataclasses.dataclass(frozen=True, eq=False)
class SensitiveTree:
    """Inner nodes of the hierarchy of sensitive values, for the distance in it.

    Attributes
    ----------
    parent
        Node above each node, values first, the root last (-1).
    cost
        Height of every node over the height of the tree.
    """

    parent: Ints
    cost: Floats

    @classmethod
    def of(cls, attribute: Attribute) -> SensitiveTree:
        """Take the tree above the values that occur."""
        hierarchy = attribute.hierarchy
        if hierarchy is None or attribute.leaf is None:
            raise ParameterError(
                f"Column {attribute.name!r}: the hierarchical distance needs a hierarchy of this column.",
                column=attribute.name,
                hint=Message("Give one: ", option("hierarchies", {attribute.name: "FILE"}), "."),
            )
        height = np.zeros(len(hierarchy))
        for node, above in enumerate(hierarchy.parent.tolist()):
            if above >= 0:
                height[above] = max(height[above], height[node] + 1)
        return cls(hierarchy.parent.astype(np.int64), height / max(height[-1], 1))

    def measure(self, extra: Floats) -> Floats:
        """Return the earth mover's distance of rows of differences over all nodes, filled at the leaves."""
        spent = np.zeros(len(extra))
        up, down = np.zeros_like(extra), np.zeros_like(extra)
        for node, above in enumerate(self.parent.tolist()):
            spent += self.cost[node] * np.minimum(up[:, node], down[:, node])
            if above >= 0:
                up[:, above] += np.maximum(extra[:, node], 0)
                down[:, above] += np.maximum(-extra[:, node], 0)
                extra[:, above] += extra[:, node]
        return spent


@dataclasses.dataclass(frozen=True, eq=False)
class Requirement:
    """The guarantee as a question about classes.

    Parameters
    ----------
    guarantee
        What is guaranteed.
    sensitive
        The sensitive columns of all records.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table.dataset import attributes_of
    >>> rows = [(1, "flu"), (1, "cold"), (2, "flu"), (2, "flu")]
    >>> data = Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    >>> needs = Requirement.of(KAnonymity(k=2, l=2, sensitive=("ill",)), attributes_of(data, "sensitive"))
    >>> needs.judge(np.array([0, 0, 1, 1])).tolist()
    [True, False]
    """

    guarantee: KAnonymity
    sensitive: tuple[Attribute, ...]
    trees: tuple[SensitiveTree | None, ...] = ()

    @classmethod
    def of(cls, guarantee: KAnonymity, sensitive: tuple[Attribute, ...]) -> Requirement:
        """Prepare the question."""
        trees = tuple(
            SensitiveTree.of(attribute) if guarantee.t is not None and guarantee.distance == "hierarchical" else None
            for attribute in sensitive
        )
        return cls(guarantee, sensitive, trees)

    @property
    def needs_diversity(self) -> bool:
        """Whether more is asked than a number of records."""
        return self.guarantee.l > 1 or self.guarantee.t is not None

    def take(self, rows: Ints) -> Requirement:
        """Return the same question about some of the records."""
        return dataclasses.replace(self, sensitive=tuple(attribute.take(rows) for attribute in self.sensitive))

    def refuse_impossible(self, owner: str | MethodName, records: int) -> None:
        """Refuse what not even all records together keep, with what they would keep."""
        guarantee = self.guarantee
        for attribute in self.sensitive if self.needs_diversity else ():
            values = len(attribute.labels) + attribute.has_missing
            if guarantee.l > values:
                raise ParameterError(
                    Message(
                        owner,
                        ": ",
                        parameter("l"),
                        f" must be at most {values}, the number of values of column {attribute.name!r}, got "
                        f"{guarantee.l}.",
                    ),
                    column=attribute.name,
                )
            if guarantee.t is not None and guarantee.distance != "equal" and attribute.has_missing:
                raise ParameterError(
                    Message(
                        owner,
                        f": column {attribute.name!r} has empty cells, which have no place in an order or a tree.",
                    ),
                    option="distance",
                    column=attribute.name,
                    hint=Message("Use ", parameter("distance", "equal"), ", or leave these records out."),
                )
            if guarantee.t is not None and guarantee.distance == "ordered" and attribute.scale == "categorical":
                raise ParameterError(
                    Message(owner, f": column {attribute.name!r} has no order."),
                    option="distance",
                    column=attribute.name,
                    hint=Message(
                        "Declare one: ",
                        option("scales", {attribute.name: "low<high"}),
                        ", or use ",
                        parameter("distance", "equal"),
                        ".",
                    ),
                )
        if self.needs_diversity and not self.judge(np.zeros(records, np.int64))[0]:
            raise InfeasibleError(
                Message(
                    owner,
                    f": even all {records:,} records in one group do not reach l={guarantee.l} ({guarantee.diversity}"
                    f"{'' if guarantee.c is None else f', c={guarantee.c:g}'}): {self._describe_reachable()}.",
                ),
                option="l",
                hint=Message("Choose a smaller ", parameter("l"), "."),
            )

    def _describe_reachable(self) -> str:
        clauses = []
        for attribute in self.sensitive:
            counts = self.count(attribute, np.zeros(len(attribute.codes), np.int64), 1)[0]
            share = counts[counts > 0] / counts.sum()
            reach = {
                "distinct": float(len(share)),
                "entropy": float(np.exp(-(share * np.log(share)).sum())),
                "recursive": float(1 / share.max()),
            }[self.guarantee.diversity]
            what = (
                "its values have the entropy of"
                if self.guarantee.diversity == "entropy"
                else "the most frequent is one in"
            )
            clauses.append(f"column {attribute.name!r}: {what} {reach:.3g}")
        return "; ".join(clauses)

    def judge(self, group: Ints) -> Flags:
        """Tell of every class whether it keeps what is asked; ``group`` numbers classes from 0, -1 is nowhere."""
        inside = group >= 0
        classes = int(group.max(initial=-1)) + 1
        sizes = np.bincount(group[inside], minlength=classes)
        holds: Flags = sizes >= self.guarantee.k
        for at, attribute in enumerate(self.sensitive if self.needs_diversity else ()):
            holds &= self.judge_counts(self.count(attribute, group, classes), at)
        return holds

    def count(self, attribute: Attribute, group: Ints, classes: int) -> Ints:
        """Return how often every class has every value; the last column counts missing ones."""
        width = len(attribute.labels) + 1
        inside = group >= 0
        codes = np.where(attribute.codes < 0, width - 1, attribute.codes)[inside].astype(np.int64)
        counted = np.bincount(group[inside] * width + codes, minlength=classes * width)
        return counted.reshape(classes, width).astype(np.int64)

    def judge_counts(self, counts: Ints, at: int, whole: Ints | None = None) -> Flags:
        """Tell of every row of counts of the sensitive column number ``at`` whether it is as diverse as is asked.

        Parameters
        ----------
        counts
            How often a class has each value, the missing one last; one row per class.
        at
            Which sensitive column.
        whole
            How often all published records have each value; the sum of the rows if not given.
        """
        guarantee, total = self.guarantee, counts.sum(axis=1)
        holds = np.ones(len(counts), dtype=bool)
        if guarantee.l > 1:
            holds &= self._judge_diversity(counts, total)
        if guarantee.t is not None:
            everything = counts.sum(axis=0) if whole is None else whole
            overall = everything / max(everything.sum(), 1)
            holds &= self.distances(counts / np.maximum(total, 1)[:, None], overall, at) <= guarantee.t + _SLACK / 10
        return holds

    def _judge_diversity(self, counts: Ints, total: Ints) -> Flags:
        guarantee = self.guarantee
        if guarantee.diversity == "distinct":
            return np.asarray((counts > 0).sum(axis=1) >= guarantee.l)
        if guarantee.diversity == "entropy":
            share = counts / np.maximum(total, 1)[:, None]
            entropy = -(share * np.log(np.where(share > 0, share, 1))).sum(axis=1)
            return np.asarray(entropy >= np.log(guarantee.l) - _SLACK / 10)
        falling = -np.sort(-counts, axis=1)
        rest = falling[:, guarantee.l - 1 :].sum(axis=1)
        # Kept away from what is equal on paper, which is not less.
        return np.asarray(falling[:, 0] < (guarantee.c or 0) * rest * (1 - _SLACK))

    def distances(self, shares: Floats, overall: Floats, at: int) -> Floats:
        """Return how far distributions of the sensitive column number ``at`` are from the overall one."""
        apart = shares - overall
        if self.guarantee.distance == "equal":
            return np.asarray(np.abs(apart).sum(axis=1) / 2)
        apart = apart[:, :-1]
        if self.guarantee.distance == "ordered":
            occurs = overall[:-1] > 0
            steps = max(int(occurs.sum()) - 1, 1)
            return np.asarray(np.abs(np.cumsum(apart[:, occurs], axis=1))[:, :-1].sum(axis=1) / steps)
        tree, leaf = self.trees[at], self.sensitive[at].leaf
        if tree is None or leaf is None:
            raise ValueError("the hierarchical distance needs a hierarchy")
        extra = np.zeros((len(shares), len(tree.parent)))
        for value, node in enumerate(leaf.tolist()):
            extra[:, node] += apart[:, value]
        return tree.measure(extra)

    def describe_order(self) -> dict[str, ExtraTable]:
        """Return the table that publishes the order or tree of sensitive values, where closeness depends on it."""
        guarantee = self.guarantee
        if guarantee.t is None or guarantee.distance == "equal":
            return {}
        rows: list[tuple[str, str, str]] = []
        for attribute in self.sensitive:
            if guarantee.distance == "ordered":
                # Values of suppressed records are not published, not even here.
                occurs = np.unique(attribute.codes[attribute.codes >= 0]).tolist()
                rows += [(attribute.name, attribute.labels[code], MISSING) for code in occurs]
            elif attribute.hierarchy is not None:
                pairs = sorted(attribute.hierarchy.pairs(), key=lambda pair: pair[0])
                rows += [(attribute.name, child, above or MISSING) for child, above in pairs]
        names = ("column", "value", "parent")
        columns = tuple(PublishedColumn(name, name, ValueFormat("exact")) for name in names)
        table = pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)})
        return {"sensitive-order": ExtraTable(columns, table)}
