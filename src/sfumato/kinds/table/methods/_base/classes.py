"""Classes of records that local methods share: judged many at once, joined where they publish the same or too little.

Joining never spoils what two classes keep. Write p and q for the shares of a sensitive value among their records; those
of the joined class are a mean of p and q.

- A class of two has the records and the different values of both.
- Entropy is concave: that of a mean is at least the mean of the two, so at least ln(l) if both are (Machanavajjhala et
  al. 2007, Theorem 4.1).
- Recursive diversity: the most frequent value of both has at most r1 + s1 records. The l - 1 most frequent ones have at
  most as many as those of each class, so what is left from the l-th on is at least the sum of what is left in each; and
  r1 + s1 < c times that sum.
- Closeness: each distance is convex in the class's distribution, equal and ordered ones being norms of a difference
  and the hierarchical one an earth mover's distance; the distance of a mean is at most the larger of both (Li et al.
  2007, Section 4).

All records together are at distance 0 from themselves, so joining ends for t; for l this is asked beforehand.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.exceptions import InfeasibleError
from sfumato.kinds.table.dataset import Attribute
from sfumato.kinds.table.methods._base.requirement import Requirement
from sfumato.kinds.table.methods._base.spaces import number_cells
from sfumato.messages import Message, MethodName, parameter
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.table._kernels.class_bounds import ClassBounds
    from sfumato.kinds.table._kernels.prices import Space

__all__ = ["Judge", "draw_order", "join_equal", "join_until_diverse"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_CELLS = 1 << 22
"""Most counts of sensitive values that are kept at a time."""
_PARTNERS = 64
"""How many of the cheapest partners of a class are asked whether it is diverse with them."""


@dataclasses.dataclass(frozen=True, eq=False)
class Judge:
    """Asks of classes of some of the records whether they keep what is required, closeness being that to all records.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table.guarantees import KAnonymity
    >>> from sfumato.kinds.table.dataset import attributes_of
    >>> rows = [(1, "flu"), (1, "cold"), (2, "flu"), (2, "flu")]
    >>> data = Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    >>> needs = Requirement.of(KAnonymity(k=2, t=0.3, sensitive=("ill",)), attributes_of(data, "sensitive"))
    >>> Judge.of(needs).holds(np.array([2, 3, 0, 1]), np.array([0, 0, 1, 1])).tolist()
    [True, True]
    """

    requirement: Requirement
    whole: tuple[Ints, ...]

    @classmethod
    def of(cls, requirement: Requirement) -> Judge:
        """Count the sensitive values of all records."""
        sensitive = requirement.sensitive if requirement.needs_diversity else ()
        nobody = [np.zeros(len(attribute.codes), np.int64) for attribute in sensitive]
        counted = zip(sensitive, nobody, strict=True)
        return cls(requirement, tuple(requirement.count(attribute, group, 1)[0] for attribute, group in counted))

    def holds(self, rows: Ints, group: Ints) -> Flags:
        """Tell of every class whether it keeps what is asked; ``group`` numbers the classes of ``rows`` from 0."""
        sizes = np.bincount(group)
        holds: Flags = sizes >= self.requirement.guarantee.k
        if not self.requirement.needs_diversity or not holds.any():
            return holds
        number = np.cumsum(holds) - 1
        inside = holds[group]
        rows, group = rows[inside], number[group[inside]]
        large = np.flatnonzero(holds)
        step = max(_CELLS // max(len(whole) for whole in self.whole), 1)
        for first in range(0, len(large), step):
            few = min(step, len(large) - first)
            chosen = np.where((group >= first) & (group < first + few), group - first, -1)
            holds[large[first : first + few]] = self.judge(self.count(rows, chosen, few))
        return holds

    def count(self, rows: Ints, group: Ints, classes: int) -> list[Ints]:
        """Count the values of every sensitive column in classes of some rows."""
        return [
            self.requirement.count(attribute.take(rows), group, classes) for attribute in self.requirement.sensitive
        ]

    def judge(self, counts: list[Ints]) -> Flags:
        """Tell of every row of counts whether it keeps what is asked of every sensitive column."""
        pairs = zip(counts, self.whole, strict=True)
        holds = [
            self.requirement.judge_counts(column_counts, at, whole) for at, (column_counts, whole) in enumerate(pairs)
        ]
        return np.asarray(np.all(holds, axis=0))


def draw_order(attributes: tuple[Attribute, ...], run: Run) -> Ints:
    """Return a random order of the records: where several choices are as good, chance decides and not the file.

    Examples
    --------
    >>> age = Attribute("age", "integer", ("30",), np.zeros(3, np.int32), np.array([30]))
    >>> sorted(draw_order((age,), Run(bytes(32))).tolist())
    [0, 1, 2]
    """
    table = pa.table({attribute.name: pa.array(attribute.codes) for attribute in attributes})
    return run.secret.for_data(table, "classes").order(table.num_rows, "records")


def join_equal(attributes: tuple[Attribute, ...], space: Space, group: Ints) -> Ints:
    """Join the classes that publish the same cells; they are one class to every reader.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table.methods._base.spaces import space_of
    >>> from sfumato.kinds.table.dataset import attributes_of
    >>> ages = attributes_of(Dataset.of("table", [(30,), (40,), (30,), (40,), (50,)], ("age",)))
    >>> join_equal(ages, space_of(ages, (1.0,)), np.array([2, 2, 0, 0, 1])).tolist()
    [0, 0, 0, 0, 1]
    """
    from sfumato.kinds.table._kernels.class_bounds import bound_classes

    bounds = bound_classes(space, group, int(group.max(initial=-1)) + 1)
    return number_cells(attributes, bounds)[group]


def join_until_diverse(space: Space, group: Ints, requirement: Requirement, owner: str | MethodName) -> Ints:
    """Join every class that is not diverse with another, until all are.

    Of the classes that add least to the loss when they are joined, the first counts with which it is diverse; if there
    is none, the first. Classes wait in a queue: one that is not yet diverse after joining another waits again, so that
    it does not grow where others could join each other.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table.methods._base.spaces import space_of
    >>> from sfumato.kinds.table.guarantees import KAnonymity
    >>> from sfumato.kinds.table.dataset import attributes_of
    >>> rows = [(20, "flu"), (20, "flu"), (29, "flu"), (29, "cold"), (60, "flu"), (61, "cold")]
    >>> data = Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    >>> needs = Requirement.of(KAnonymity(k=2, l=2, sensitive=("ill",)), attributes_of(data, "sensitive"))
    >>> group = np.array([0, 0, 1, 1, 2, 2])
    >>> join_until_diverse(space_of(attributes_of(data), (1.0,)), group, needs, "Cluster").tolist()
    [0, 0, 0, 0, 1, 1]
    """
    judge = Judge.of(requirement)
    waiting = deque(np.flatnonzero(~judge.holds(np.arange(len(group)), group)).tolist())
    classes = _Classes.of(space, group)
    while waiting:
        c = waiting.popleft()
        if not len(classes.members[c]):
            continue
        partners = classes.find_partners(c)
        if not len(partners):
            raise InfeasibleError(
                Message(owner, f": even all {len(group):,} records in one group are not diverse enough."),
                hint=Message("Choose a smaller ", parameter("l"), " or a larger ", parameter("t"), "."),
            )
        holds = judge.judge(classes.count_with(c, partners, judge))
        classes.join(c, int(partners[np.argmax(holds)]))
        if not holds.any():
            waiting.append(c)
    return classes.group()


@dataclasses.dataclass(frozen=True, eq=False)
class _Classes:
    """Classes that are joined two by two: their rows, hulls and prices."""

    space: Space
    bounds: ClassBounds
    price: npt.NDArray[np.float64]
    members: list[Ints]

    @classmethod
    def of(cls, space: Space, group: Ints) -> _Classes:
        from sfumato.kinds.table._kernels.class_bounds import bound_classes
        from sfumato.kinds.table._kernels.cuts import measure_widths

        bounds = bound_classes(space, group, int(group.max(initial=-1)) + 1)
        members = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
        return cls(space, bounds, measure_widths(space, bounds).sum(axis=1), members)

    def find_partners(self, c: int) -> Ints:
        from sfumato.kinds.table._kernels.class_bounds import find_partners

        live = np.flatnonzero(self.bounds.records)
        return np.asarray(find_partners(self.space, self.bounds, self.price, live, c, _PARTNERS), np.int64)

    def count_with(self, c: int, partners: Ints, judge: Judge) -> list[Ints]:
        """Count the sensitive values of a class with each of its partners."""
        rows = [self.members[c], *(self.members[other] for other in partners.tolist())]
        group = np.repeat(np.arange(len(rows)), [len(members) for members in rows])
        return [counts[1:] + counts[0] for counts in judge.count(np.concatenate(rows), group, len(rows))]

    def join(self, into: int, gone: int) -> None:
        from sfumato.kinds.table._kernels.class_bounds import merge_bounds, price_class

        merge_bounds(self.bounds, into, gone)
        self.price[into] = price_class(self.space, self.bounds, into)
        self.members[into] = np.concatenate([self.members[into], self.members[gone]])
        self.members[gone] = self.members[gone][:0]

    def group(self) -> Ints:
        """Return the class of every row, those that are left numbered from 0."""
        left = [rows for rows in self.members if len(rows)]
        group = np.empty(sum(map(len, left)), np.int64)
        for number, rows in enumerate(left):
            group[rows] = number
        return group
