"""An attacker who knows more than the quasi-identifiers: columns that are published unchanged.

Nothing is guaranteed against one who knows plain columns, or a sensitive value. But someone who calls a column plain
that a neighbour knows gives people away: this attacker says how many.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.remaining import Possibility, Remaining, quote
from sfumato.base.tabular import Tabular
from sfumato.checks.classes import Classes, number_rows
from sfumato.data.dataset import Dataset
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.kinds.table.decode import exact_column
from sfumato.kinds.table.knowledge import Fitting
from sfumato.messages import Message, option
from sfumato.release.decode import decode
from sfumato.release.release import Release

__all__ = ["ExtraKnowledge", "attack", "attack_original"]


Ints = npt.NDArray[np.int64]

_REMEDY = Message(
    "What helps: declare columns that attackers may know (", option("quasi"), ") or drop them (", option("drop"), ")."
)
_PAIRS = 1 << 22
"""Pairs of a case and a class it fits that are looked at in one go."""


@dataclasses.dataclass(frozen=True, repr=False)
class ExtraKnowledge(Tabular):
    """How many people stand alone for someone who also knows columns that are published unchanged.

    Parameters
    ----------
    people
        Number of people attacked.
    k
        How many records the guarantee leaves.
    plain
        Names of the plain columns.
    alone
        Number of people who are left with one record, by what is known besides: ``plain`` columns all together, or one
        sensitive column.
    below
        The same for fewer than k records.
    released
        Whether a release was attacked, or the data as they stand.
    unit
        What one record is.

    Examples
    --------
    >>> found = ExtraKnowledge(100, 5, ("zip",), {"plain": 12, "ill": 3}, {"plain": 60, "ill": 20})
    >>> print(found.remaining.warnings[0])
    Someone who knows the plain columns (zip) as well can single out 12 of 100 people (12 %). 60 match fewer than 5
    records. What helps: declare columns that attackers may know (quasi=) or drop them (drop=).
    """

    people: int
    k: int
    plain: tuple[str, ...]
    alone: dict[str, int]
    below: dict[str, int]
    released: bool = True
    unit: RecordUnit = PERSON

    knowledge = "attributes-and-more"

    @property
    def remaining(self) -> Remaining:
        """How many people are unique for someone who knows more; nothing is said of data as they stand."""
        return Remaining(tuple(self._describe_uniqueness(name) for name in self.alone if self.released))

    def _describe_uniqueness(self, name: str) -> Possibility:
        alone, plain = self.alone[name], name == "plain"
        background = f"the plain columns ({', '.join(self.plain)})" if plain else repr(name)
        return Possibility(
            "uniqueness",
            name,
            "warning" if plain and alone else "note",
            f"Someone who knows {quote(background)} as well can single out {{people}} of {{of}} {self.unit.many} "
            f"({{share}}). {{few}} match fewer than {self.k} {self.unit.records}.",
            _REMEDY if plain and alone else "",
            {"people": alone, "of": self.people, "few": self.below[name]},
        )

    def join(self, other: ExtraKnowledge) -> ExtraKnowledge:
        """Return what is found in two partitions of a release together.

        Examples
        --------
        >>> one, other = (ExtraKnowledge(9, 5, ("zip",), {"plain": n}, {"plain": 6}) for n in (1, 2))
        >>> one.join(other).alone
        {'plain': 3}
        """
        alone, below = (
            {name: count + more.get(name, 0) for name, count in mine.items()}
            for mine, more in ((self.alone, other.alone), (self.below, other.below))
        )
        return dataclasses.replace(self, people=self.people + other.people, alone=alone, below=below)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        counts = {
            ("plain_columns" if name == "plain" else f"sensitive_column_{name}"): {
                "one_record": self.alone[name],
                "fewer_than_k": self.below[name],
            }
            for name in self.alone
        }
        return {
            "knowledge": self.knowledge,
            self.unit.many.replace(" ", "_"): self.people,
            **counts,
            "warnings": list(self.remaining.warnings),
        }


def attack(release: Release, original: Dataset, rows: Ints | None = None) -> ExtraKnowledge | None:
    """Attack every published person with quasi-identifiers and, besides, plain columns or one sensitive value.

    Without ``rows`` nobody can tell which record has which person's further values, and there is no answer; nor is
    there one where no further column is published.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("table", [(20, "a"), (29, "b"), (70, "a"), (79, "a")], ("age", "team"), plain=("team",))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))
    >>> attack(result.release, data, result.owner_record.rows).alone
    {'plain': 2}
    """
    more = _list_columns(release)
    if rows is None or not more:
        return None
    rows = np.asarray(rows, dtype=np.int64)
    table = Classes.of(decode(release))
    fitting = Fitting.of(table, original)
    k = int(getattr(release.guarantee, "k", 2))
    alone, below = {}, {}
    for name, columns in more.items():
        value = _number_values(original, columns)[rows]
        left = count_matching(fitting, fitting.case[rows], table.group, value)
        alone[name], below[name] = int((left == 1).sum()), int((left < k).sum())
    return ExtraKnowledge(len(rows), k, tuple(more.get("plain", ())), alone, below, unit=original.unit)


def attack_original(dataset: Dataset) -> ExtraKnowledge | None:
    """Attack the data as they stand with all quasi-identifiers and plain columns; None where there are none of these.

    Examples
    --------
    >>> data = Dataset.of("table", [(20, "a"), (20, "b"), (20, "b")], ("age", "team"), plain=("team",))
    >>> attack_original(data).alone
    {'plain': 1}
    """
    more = _list_columns(dataset.schema)
    if "plain" not in more or not len(dataset):
        return None
    quasi = [column.name for column in dataset.schema.columns if column.role == "quasi-identifier"]
    group = _number_values(dataset, [*quasi, *more["plain"]])
    group_sizes = np.bincount(group)[group]
    alone, below = {"plain": int((group_sizes == 1).sum())}, {"plain": int((group_sizes < 2).sum())}
    return ExtraKnowledge(len(dataset), 2, tuple(more["plain"]), alone, below, released=False, unit=dataset.unit)


def _list_columns(described: Any) -> dict[str, list[str]]:
    """Return what may be known besides: all plain columns together, or any sensitive one."""
    plain = [column.name for column in described.columns if column.role == "plain"]
    sensitive = [column.name for column in described.columns if column.role == "sensitive"]
    return ({"plain": plain} if plain else {}) | {name: [name] for name in sensitive}


def _number_values(original: Dataset, columns: list[str]) -> Ints:
    return number_rows([exact_column(original, name).codes for name in columns], len(original))


def count_matching(fitting: Fitting, case: Ints, group: Ints, value: Ints) -> Ints:
    """Count, for every published person, the records that fit and have the same further value.

    Parameters
    ----------
    fitting
        Which classes cases fit.
    case, group, value
        Case, class and further value of every published record.

    Examples
    --------
    >>> from scipy import sparse
    >>> one = Fitting(np.array([0]), np.array([1]), sparse.csr_array(np.array([[1]])))
    >>> count_matching(one, np.zeros(3, np.int64), np.zeros(3, np.int64), np.array([0, 1, 1])).tolist()
    [1, 2, 2]
    """
    width = int(value.max(initial=-1)) + 1
    cases, which = np.unique(case * width + value, return_inverse=True)
    classes, records = np.unique(group * width + value, return_counts=True)
    of_case, of_value = cases // width, cases % width
    ends = np.cumsum(np.diff(fitting.fits.indptr)[of_case], dtype=np.int64)
    group_sizes = np.zeros(len(cases), np.int64)
    begin = 0
    while begin < len(cases):
        done = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + _PAIRS, side="right")))
        fits = fitting.fits[of_case[begin:end]]
        row = np.repeat(np.arange(end - begin), np.diff(fits.indptr))
        wanted = fits.indices * np.int64(width) + of_value[begin:end][row]
        at = np.minimum(np.searchsorted(classes, wanted), len(classes) - 1)
        hit = classes[at] == wanted
        group_sizes[begin:end] = np.bincount(row[hit], records[at[hit]], minlength=end - begin)
        begin = end
    return np.asarray(group_sizes[which.reshape(-1)])
