"""An attacker who needs no record of their own to be found: where all that fit say the same, everybody's is known."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.remaining import Remaining
from sfumato.base.tabular import Tabular
from sfumato.checks.classes import Classes, number_rows
from sfumato.data.dataset import Dataset
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.kinds.table.decode import exact
from sfumato.kinds.table.knowledge import Fitting, describe_inference, is_guaranteed
from sfumato.release.decode import decode
from sfumato.release.release import Release

__all__ = ["Homogeneity", "attack", "attack_original"]


Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, repr=False)
class Homogeneity(Tabular):
    """For how many people all records that fit have the same sensitive value.

    Parameters
    ----------
    people
        Number of people attacked.
    certain_counts
        Number of people whose value is certain, by sensitive column.
    confidence
        Largest share of one value among the records that anyone fits, by sensitive column.
    guaranteed
        The sensitive columns about which the guarantee says something.
    released
        Whether a release was attacked, or the data as they stand.
    unit
        What one record is.

    Examples
    --------
    >>> print(Homogeneity(200, {"ill": 50, "pay": 0}, {"ill": 1.0, "pay": 0.4}).remaining.warnings[0])
    50 of 200 people (25 %) match only records with the same value of 'ill'. The guarantee does not cover it. What
    helps: l-diversity (l=2 or more) or t-closeness (t=0.3).
    """

    people: int
    certain_counts: dict[str, int]
    confidence: dict[str, float] = dataclasses.field(default_factory=dict)
    guaranteed: tuple[str, ...] = ()
    released: bool = True
    unit: RecordUnit = PERSON

    knowledge = "attributes-and-equal-values"

    @property
    def remaining(self) -> Remaining:
        """How sure someone can be of sensitive values; nothing is said of data as they stand."""
        possibilities = (
            describe_inference(
                name,
                count,
                self.people,
                self.confidence.get(name, 0.0),
                guaranteed=name in self.guaranteed,
                unit=self.unit,
            )
            for name, count in self.certain_counts.items()
            if self.released
        )
        return Remaining(tuple(possibilities))

    def join(self, other: Homogeneity) -> Homogeneity:
        """Return what is found in two partitions of a release together.

        Examples
        --------
        >>> Homogeneity(200, {"ill": 50}).join(Homogeneity(100, {"ill": 1})).to_dict()["certain_ill"]
        51
        """
        certain = {name: count + other.certain_counts.get(name, 0) for name, count in self.certain_counts.items()}
        confidence = {name: max(share, other.confidence.get(name, 0.0)) for name, share in self.confidence.items()}
        return dataclasses.replace(
            self, people=self.people + other.people, certain_counts=certain, confidence=confidence
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "knowledge": self.knowledge,
            self.unit.many.replace(" ", "_"): self.people,
            **{f"certain_{name}": count for name, count in self.certain_counts.items()},
            "warnings": list(self.remaining.warnings),
        }


def attack(release: Release, original: Dataset, rows: Ints | None = None) -> Homogeneity | None:
    """Look, for everybody, whether the records that fit have one sensitive value; None where there are no such columns.

    Suppressed people count where records fit them, for these do not say that the person is not among them.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [(20, "flu"), (29, "flu"), (70, "flu"), (79, "cold")]
    >>> data = Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    >>> attack(sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release, data).certain_counts
    {'ill': 2}
    """
    columns = decode(release).with_role("sensitive")
    if not columns:
        return None
    table = Classes.of(decode(release))
    fitting = Fitting.of(table, original)
    total = fitting.weigh(table.sizes)
    certain, confidence = {}, {}
    attacked = np.arange(len(original)) if rows is None else np.asarray(rows, dtype=np.int64)
    for column in columns:
        most = fitting.count_most(table.group, column.codes, len(column.values))
        certain[column.name] = int(((most == total) & (total > 0))[fitting.case[attacked]].sum())
        confidence[column.name] = float((most / np.maximum(total, 1)).max(initial=0.0))
    guaranteed = tuple(name for name in certain if is_guaranteed(release, name))
    return Homogeneity(len(attacked), certain, confidence, guaranteed, unit=original.unit)


def attack_original(dataset: Dataset) -> Homogeneity | None:
    """Look whether people with equal quasi-identifiers, of whom there are several, have one sensitive value.

    Examples
    --------
    >>> rows = [(20, "flu"), (20, "flu"), (30, "flu"), (30, "cold"), (40, "flu")]
    >>> attack_original(Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))).certain_counts
    {'ill': 2}
    """
    table = exact(dataset)
    if not table.with_role("sensitive") or not table.records:
        return None
    group = Classes.of(table).group
    sizes = np.bincount(group)
    certain = {}
    for column in table.with_role("sensitive"):
        pair = number_rows([group, column.codes], table.records)
        certain[column.name] = int(((np.bincount(pair)[pair] == sizes[group]) & (sizes[group] > 1)).sum())
    return Homogeneity(len(dataset), certain, released=False, unit=dataset.unit)
