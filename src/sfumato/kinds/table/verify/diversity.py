"""How diverse the sensitive values of every class are, counted anew from the definitions.

Of a class with n records, p(v) is the share of a value v, and r1 >= r2 >= ... are the numbers of records of its values:

- distinct l: it has at least l values;
- entropy l: the sum of -p(v) ln p(v) is at least ln l;
- recursive (c, l): r1 < c (rl + ... + rm).
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.checks.classes import Classes
from sfumato.checks.values import list_exact
from sfumato.data.coded import Coded

__all__ = ["SLACK", "ClassValues", "Judged", "judge_diversity"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SLACK = 1e-9
"""By so much entropies and distances may miss their bound: sums of fractions that are equal on paper differ by less."""


class Judged(NamedTuple):
    """What the worst class reaches, which one it is, and whether it suffices.

    Examples
    --------
    >>> Judged({"l": 2}, 0, True).holds
    True
    """

    measured: dict[str, Any]
    worst: int
    holds: bool


@dataclasses.dataclass(frozen=True, eq=False)
class ClassValues:
    """How often every class has every value of a sensitive column; only what occurs is kept.

    Attributes
    ----------
    group, value, count
        A class, a value, and the number of records of the class that have it; by class, then by value.
    sizes
        Records of every class.
    labels
        The values that occur, as they are published, numbered by size or alphabet.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [(1, "flu"), (1, "cold"), (1, "flu")]
    >>> data = sf.Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    >>> from sfumato.release.decode import decode
    >>> table = decode(sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release)
    >>> found = ClassValues.of(Classes.of(table), table.column("ill"))
    >>> [found.labels[value] for value in found.value], found.count.tolist()
    (['cold', 'flu'], [1, 2])
    """

    group: Ints
    value: Ints
    count: Ints
    sizes: Ints
    labels: tuple[str, ...]

    @classmethod
    def of(cls, classes: Classes, column: Coded) -> ClassValues:
        """Count the values of a column."""
        width = max(len(column.values), 1)
        pairs, count = np.unique(classes.group * width + column.codes, return_counts=True)
        labels = list_exact(column.values)
        return cls(pairs // width, pairs % width, count.astype(np.int64), classes.sizes, labels)

    @property
    def share(self) -> Floats:
        """Share of every value in its class."""
        return np.asarray(self.count / self.sizes[self.group])

    @property
    def overall(self) -> Floats:
        """Share of every value in all published records."""
        counts = np.bincount(self.value, self.count, minlength=len(self.labels))
        return np.asarray(counts / max(self.sizes.sum(), 1))


def judge_diversity(values: ClassValues, l: int, diversity: str, c: float | None) -> Judged:
    """Find the least diverse class.

    Measured are the fewest values (distinct), the number of equally frequent values with the entropy of the class
    (entropy), or the largest r1 / (rl + ... + rm) of a class, which must stay below c (recursive).

    Examples
    --------
    >>> two = ClassValues(np.array([0, 0]), np.array([0, 1]), np.array([2, 1]), np.array([3]), ("cold", "flu"))
    >>> judge_diversity(two, 2, "distinct", None)
    Judged(measured={'l': 2}, worst=0, holds=True)
    >>> judge_diversity(two, 2, "entropy", None)
    Judged(measured={'l': 1.889882}, worst=0, holds=False)
    >>> judge_diversity(two, 2, "recursive", 2.0), judge_diversity(two, 2, "recursive", 2.1).holds
    (Judged(measured={'c': 2.0}, worst=0, holds=False), True)
    """
    classes = len(values.sizes)
    if diversity == "distinct":
        different = np.bincount(values.group, minlength=classes)
        worst = int(np.argmin(different))
        return Judged({"l": int(different[worst])}, worst, bool(different[worst] >= l))
    if diversity == "entropy":
        entropy = np.bincount(values.group, -values.share * np.log(values.share), minlength=classes)
        worst = int(np.argmin(entropy))
        reached = round(float(np.exp(entropy[worst])), 6)
        return Judged({"l": reached}, worst, bool(entropy[worst] >= np.log(l) - SLACK))
    return _judge_recursive(values, l, c or 0.0)


def _judge_recursive(values: ClassValues, l: int, c: float) -> Judged:
    """Compare whole numbers with the c that is written in the claim: what is equal on paper is equal here."""
    order = np.lexsort((-values.count, values.group))
    group, count = values.group[order], values.count[order]
    first = np.searchsorted(group, np.arange(len(values.sizes)))
    rank = np.arange(len(group)) - first[group]
    rest = np.bincount(group, np.where(rank >= l - 1, count, 0), minlength=len(values.sizes)).astype(np.int64)
    most = count[first]
    ratio = np.where(rest > 0, most / np.maximum(rest, 1), np.inf)
    worst = int(np.argmax(ratio))
    if not rest[worst]:
        return Judged({"c": None}, worst, False)
    # Classes with the same ratio are equally bad, and rounding does not order different ones: counts are small.
    holds = int(most[worst]) < Fraction(repr(c)) * int(rest[worst])
    return Judged({"c": round(float(ratio[worst]), 6)}, worst, bool(holds))
