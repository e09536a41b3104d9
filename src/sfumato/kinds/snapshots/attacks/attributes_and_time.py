"""An attacker who knows attributes and time of everybody, and wants the sensitive value."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.attacks.inference import describe_confidence
from sfumato.attacks.risk import Risk
from sfumato.base.remaining import Possibility, Remaining
from sfumato.data.dataset import Dataset
from sfumato.kinds.snapshots.attacks.late_and_missing import STATES, Inferences, infer_values
from sfumato.kinds.snapshots.decode import read_codes
from sfumato.kinds.snapshots.knowledge.disclosure import disclose
from sfumato.kinds.snapshots.knowledge.inference import BACKGROUND
from sfumato.messages import Message, parameter
from sfumato.release.release import Release

__all__ = ["KNOWLEDGE", "SnapshotRisk", "attack", "attack_by_knowledge", "attack_original"]

KNOWLEDGE = "attributes-and-time"

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_TRIED = 200
"""Sets of attributes that are tried at most; of more, those of the attributes with most values."""


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class SnapshotRisk(Risk):
    """What an attacker reaches who knows attributes and time, and what being late or missing adds to that.

    Parameters
    ----------
    fates
        For people whose record is on time, late and missing: how many there are, and for which share of them the value
        is guessed right by who sees that, without and with the frequencies of the values in every snapshot. None
        where it is not known who became whom.
    certain
        For how many people one value is the only one; None where it is nobody's.

    Examples
    --------
    >>> SnapshotRisk(2, 0.5, 0.5, KNOWLEDGE, 2, 0.0, np.array([2, 2])).fates is None
    True
    """

    fates: dict[str, dict[str, Any]] | None = None
    certain: int | None = None

    @property
    def remaining(self) -> Remaining:
        """How sure someone can be of a value who knows attributes and time, and who sees what became of a record."""
        share = self.max_sensitive_share or 0.0
        possibilities = [
            describe_confidence(share, BACKGROUND, certain=self.certain or 0, people=self.people, unit=self.unit)
        ]
        if self.max_success > share + 1e-9:
            wording = (
                "Someone who sees that a record is late or missing can infer its value with up to "
                "{confidence} confidence."
            )
            worst = {"confidence": self.max_success}
            remedy = Message("What helps: ", parameter("delays", "hidden"), ", with a method that has it.")
            possibilities.append(Possibility("inference", "late or missing", "warning", wording, remedy, worst=worst))
        return Remaining(tuple(possibilities))


def attack(release: Release, original: Dataset, rows: Ints | None = None) -> SnapshotRisk:
    """Attack every person of the original: how likely is the sensitive value that is likeliest for them?

    The attacker looks for the attributes in every snapshot in which the person's record may be. A person's set is the
    records of the groups found, one of which has the value; success is the largest share of a value in them. That is
    the knowledge that the guarantee is about, and ``max_sensitive_share`` is its largest success.

    Where the owner kept who became whom, people whose record is late or missing count with the share of such people
    whose value is guessed right because of that, if it is larger: being suppressed makes nobody safe.

    Parameters
    ----------
    release, original
        What was published, and what the attacker's knowledge is drawn from.
    rows
        Original row of every published row, where the owner kept it.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = [(1, "30", "flu"), (1, "40", "cold"), (1, "50", "flu"), (1, "60", "cough")]
    >>> data = Dataset.of("snapshots", people, ("age",), "ill")
    >>> attack(sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32)).release, data).to_dict()
    {'smallest_anonymity_set': 2, 'mean_success': 0.5, 'max_success': 0.5, 'knowledge': 'attributes-and-time',
     'people': 4, 'unique_share': 0.0, 'max_sensitive_share': 0.5, ...}
    >>> people = [(1, "30", "flu"), (1, "40", "cold"), (1, "50", "flu")]
    >>> data = Dataset.of("snapshots", people, ("age",), "ill")
    >>> result = sf.anonymize(data, sf.methods.Reposition(l=2, window=1), max_suppressed_records=1)
    >>> found = attack(result.release, data, result.owner_record.rows)
    >>> found.max_sensitive_share, found.max_success
    (0.5, 1.0)
    >>> found.fates["missing"]
    {'people': 1, 'right': 0.5, 'right_knowing_frequencies': 1.0}
    """
    disclosure = disclose(release, original)
    if rows is None:
        return _sum_up(disclosure.candidates, disclosure.share, disclosure.candidates)
    published = np.zeros(len(original), dtype=bool)
    published[rows] = True
    inferences = infer_values(release, original, rows)
    plain = _sum_up(disclosure.candidates * published, disclosure.share * published, disclosure.candidates)
    chance = np.maximum(disclosure.share * published, _chance_by_state(inferences))
    return dataclasses.replace(
        plain,
        mean_success=float(chance.mean()) if len(chance) else 0.0,
        max_success=float(chance.max(initial=0.0)),
        fates=inferences.rates(),
    )


def _chance_by_state(inferences: Inferences) -> Floats:
    """Return, for late and missing people, the share of their like whose value is guessed right; 0 for the others."""
    rates = inferences.rates()
    best = [
        max(rates[name]["right"], rates[name]["right_knowing_frequencies"]) if name in rates else 0.0 for name in STATES
    ]
    return np.array([0.0, *best[1:]])[inferences.state]


def attack_by_knowledge(release: Release, original: Dataset, m: int, rows: Ints | None = None) -> list[Risk]:
    """Attack a release with the time and one attribute of everybody known, two, and so on up to m, and with all.

    With fewer than all, of every record those are known that leave fewest records. What late and missing records tell
    is left to :func:`attack`.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = [(1, "30", "f", "flu"), (1, "40", "m", "cold"), (1, "50", "m", "flu"), (1, "60", "m", "cough")]
    >>> data = Dataset.of("snapshots", people, ("age", "sex"), "ill")
    >>> release = sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32)).release
    >>> [(risk.m, risk.smallest_anonymity_set, risk.max_success) for risk in attack_by_knowledge(release, data, 1)]
    [(1, 2, 0.5), (2, 2, 0.5)]
    """
    here = np.ones(len(original), dtype=bool)
    if rows is not None:
        here = np.isin(np.arange(len(original)), rows)
    risks: list[Risk] = []
    for size, chosen in _choose_attributes(original, m):
        smallest, share = np.full(len(original), np.iinfo(np.int64).max), np.zeros(len(original))
        for names in chosen:
            disclosure = disclose(release, original, names)
            smallest = np.minimum(smallest, disclosure.candidates)
            share = np.maximum(share, disclosure.share)
        risks.append(dataclasses.replace(_sum_up(smallest * here, share * here, smallest), m=size))
    return risks


def attack_original(dataset: Dataset, m: int) -> list[Risk]:
    """Attack the data as they stand, with the time and one attribute known, two, and so on up to m, and with all.

    Examples
    --------
    >>> people = [(1, "30", "f", "flu"), (1, "30", "m", "cold"), (2, "30", "m", "flu")]
    >>> data = Dataset.of("snapshots", people, ("age", "sex"), "ill")
    >>> [(risk.m, risk.smallest_anonymity_set, risk.set_sizes.tolist()) for risk in attack_original(data, 1)]
    [(1, 1, [1, 1, 1]), (2, 1, [1, 1, 1])]
    """
    key = np.asarray(dataset.table.column(dataset.schema.time).to_numpy(), dtype=np.int64)
    time = np.unique(key, return_inverse=True)[1].astype(np.int64)
    read = {
        column.name: read_codes(dataset.table.column(column.name))
        for column in dataset.schema.columns
        if column.role in {"quasi-identifier", "sensitive"}
    }
    sensitive = next(column.name for column in dataset.schema.columns if column.role == "sensitive")
    risks: list[Risk] = []
    for size, chosen in _choose_attributes(dataset, m):
        smallest, share = np.full(len(dataset), np.iinfo(np.int64).max), np.zeros(len(dataset))
        for names in chosen:
            group_sizes, largest = _count_alike(time, [read[name] for name in names], read[sensitive])
            smallest, share = np.minimum(smallest, group_sizes), np.maximum(share, largest)
        risks.append(dataclasses.replace(_sum_up(smallest, share, smallest), m=size))
    return risks


def _choose_attributes(dataset: Dataset, m: int) -> Iterator[tuple[int, list[tuple[str, ...]]]]:
    """Yield numbers of attributes, up to m and at last all, and the sets of so many that are tried."""
    names = [column.name for column in dataset.schema.columns if column.role == "quasi-identifier"]
    values = {name: len(read_codes(dataset.table.column(name))[1]) for name in names}
    for size in sorted({*range(1, min(m, len(names)) + 1), len(names)}):
        selected = list(names)
        while comb(len(selected), size) > _TRIED:
            selected.remove(min(selected, key=lambda name: values[name]))
        yield size, list(itertools.combinations(selected, size))


def _count_alike(
    key: Ints, attributes: list[tuple[Ints, tuple[str, ...]]], sensitive: tuple[Ints, tuple[str, ...]]
) -> tuple[Ints, Floats]:
    """Count for every record those with the same time and attributes, and the largest share of one value in them."""
    for codes, labels in attributes:
        key = np.unique(key * max(len(labels), 1) + codes, return_inverse=True)[1].astype(np.int64)
    values, labels = sensitive
    sizes = np.bincount(key)
    cells, counts = np.unique(key * max(len(labels), 1) + values, return_counts=True)
    best = np.zeros(len(sizes))
    np.maximum.at(best, cells // max(len(labels), 1), counts)
    return sizes[key], (best / np.maximum(sizes, 1))[key]


def _sum_up(sizes: Ints, share: Floats, reached: Ints) -> SnapshotRisk:
    positive = reached[reached > 0]
    return SnapshotRisk(
        smallest_anonymity_set=int(positive.min()) if len(positive) else 0,
        mean_success=float(share.mean()) if len(share) else 0.0,
        max_success=float(share.max(initial=0.0)),
        knowledge=KNOWLEDGE,
        people=len(sizes),
        unique_share=float((sizes == 1).mean()) if len(sizes) else 0.0,
        set_sizes=sizes,
        max_sensitive_share=float(share.max(initial=0.0)),
        certain=int((share >= 1 - 1e-9).sum()) or None,
    )
