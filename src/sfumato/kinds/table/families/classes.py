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

from sfumato.core.errors import InfeasibleError
from sfumato.core.run import Run
from sfumato.kinds.table.families.requirement import Requirement
from sfumato.kinds.table.families.spaces import number_cells
from sfumato.kinds.table.model import Attribute

if TYPE_CHECKING:
    from sfumato.kinds.table.kernels.prices import Space

__all__ = ["Judge", "draw_order", "join_equal", "join_until_diverse"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_CELLS = 1 << 22
"""Most counts of sensitive values that are kept at a time."""


@dataclasses.dataclass(frozen=True, eq=False)
class Judge:
    """Asks of classes of some of the records whether they keep what is required, closeness being that to all records.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.kinds.table.guarantees.k_anonymity import KAnonymity
    >>> from sfumato.kinds.table.model import attributes_of
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
        sensitive = requirement.sensitive if requirement.asks_more else ()
        nobody = [np.zeros(len(attribute.codes), np.int64) for attribute in sensitive]
        counted = zip(sensitive, nobody, strict=True)
        return cls(requirement, tuple(requirement.count(attribute, group, 1)[0] for attribute, group in counted))

    def holds(self, rows: Ints, group: Ints) -> Flags:
        """Tell of every class whether it keeps what is asked; ``group`` numbers the classes of ``rows`` from 0."""
        sizes = np.bincount(group)
        holds: Flags = sizes >= self.requirement.claim.k
        if not self.requirement.asks_more or not holds.any():
            return holds
        number = np.cumsum(holds) - 1
        inside = holds[group]
        rows, group = rows[inside], number[group[inside]]
        large = np.flatnonzero(holds)
        for at, attribute in enumerate(self.requirement.sensitive):
            step = max(_CELLS // (len(attribute.labels) + 1), 1)
            some = attribute.take(rows)
            for first in range(0, len(large), step):
                few = min(step, len(large) - first)
                chosen = np.where((group >= first) & (group < first + few), group - first, -1)
                counts = self.requirement.count(some, chosen, few)
                holds[large[first : first + few]] &= self.requirement.judge_counts(counts, at, self.whole[at])
        return holds


def draw_order(attributes: tuple[Attribute, ...], run: Run) -> Ints:
    """Return a random order of the records: where several choices are as good, chance decides and not the file.

    Examples
    --------
    >>> age = Attribute("age", "integer", ("30",), np.zeros(3, np.int32), np.array([30]))
    >>> sorted(draw_order((age,), Run(bytes(32))).tolist())
    [0, 1, 2]
    """
    known = pa.table({attribute.name: pa.array(attribute.codes) for attribute in attributes})
    return run.secret.for_data(known, "classes").order(known.num_rows, "records")


def join_equal(attributes: tuple[Attribute, ...], space: Space, group: Ints) -> Ints:
    """Join the classes that publish the same cells; they are one class to every reader.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.kinds.table.families.spaces import space_of
    >>> from sfumato.kinds.table.model import attributes_of
    >>> ages = attributes_of(Dataset.of("table", [(30,), (40,), (30,), (40,), (50,)], ("age",)))
    >>> join_equal(ages, space_of(ages, (1.0,)), np.array([2, 2, 0, 0, 1])).tolist()
    [0, 0, 0, 0, 1]
    """
    from sfumato.kinds.table.kernels.hulls import form_hulls

    hulls = form_hulls(space, group, int(group.max(initial=-1)) + 1)
    return number_cells(attributes, hulls)[group]


def join_until_diverse(space: Space, group: Ints, requirement: Requirement, owner: str) -> Ints:
    """Join every class that is not diverse with the one that adds least to the loss, until all are.

    Classes wait in a queue: one that is not yet diverse after joining another waits again, so that it does not grow
    where others could join each other.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.kinds.table.families.spaces import space_of
    >>> from sfumato.kinds.table.guarantees.k_anonymity import KAnonymity
    >>> from sfumato.kinds.table.model import attributes_of
    >>> rows = [(20, "flu"), (20, "flu"), (29, "flu"), (29, "cold"), (60, "flu"), (61, "cold")]
    >>> data = Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    >>> needs = Requirement.of(KAnonymity(k=2, l=2, sensitive=("ill",)), attributes_of(data, "sensitive"))
    >>> group = np.array([0, 0, 1, 1, 2, 2])
    >>> join_until_diverse(space_of(attributes_of(data), (1.0,)), group, needs, "Cluster").tolist()
    [0, 0, 0, 0, 1, 1]
    """
    from sfumato.kinds.table.kernels.hulls import find_cheapest, form_hulls, join_hulls, price_hull

    judge = Judge.of(requirement)
    everyone = np.arange(len(group))
    waiting = deque(np.flatnonzero(~judge.holds(everyone, group)).tolist())
    if not waiting:
        return group
    classes = int(group.max()) + 1
    hulls = form_hulls(space, group, classes)
    price = np.array([price_hull(space, hulls, c) for c in range(classes)])
    order = np.argsort(group, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(group))[:-1])
    while waiting:
        c = waiting.popleft()
        if not hulls.records[c]:
            continue
        other = find_cheapest(space, hulls, price, c)
        if other < 0:
            raise InfeasibleError(f"{owner}: not even all {len(group):,} records together are as diverse as is asked.")
        join_hulls(hulls, c, other)
        price[c] = price_hull(space, hulls, c)
        members[c] = np.concatenate([members[c], members[other]])
        if not judge.holds(members[c], np.zeros(len(members[c]), np.int64))[0]:
            waiting.append(c)
    joined = np.empty(len(group), np.int64)
    for number, c in enumerate(np.flatnonzero(hulls.records).tolist()):
        joined[members[c]] = number
    return joined
