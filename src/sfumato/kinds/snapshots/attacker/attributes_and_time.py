"""An attacker who knows attributes and time of everybody, and wants the sensitive value."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.checking.risk import Risk
from sfumato.core.dataset import Dataset
from sfumato.core.release import Release
from sfumato.kinds.snapshots.attacker.late_and_missing import FATES, Guesses, guess_values
from sfumato.kinds.snapshots.knowledge.disclosure import disclose
from sfumato.kinds.snapshots.published import read_codes

__all__ = ["KNOWLEDGE", "SnapshotRisk", "attack", "attack_original"]

KNOWLEDGE = "attributes-and-time"

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class SnapshotRisk(Risk):
    """What an attacker reaches who knows attributes and time, and what being late or missing adds to that.

    Parameters
    ----------
    fates
        For people whose record is on time, late and missing: how many there are, and for which share of them the value
        is guessed right by who sees that, without and with the frequencies of the values in every snapshot. None
        where it is not known who became whom.

    Examples
    --------
    >>> SnapshotRisk(2, 0.5, 0.5, KNOWLEDGE, 2, 0.0, np.array([2, 2])).fates is None
    True
    """

    fates: dict[str, dict[str, Any]] | None = None


def attack(release: Release, original: Dataset, rows: Ints | None = None) -> SnapshotRisk:
    """Attack every person of the original: how likely is the sensitive value that is likeliest for them?

    The attacker looks for the attributes in every snapshot in which the person's record may be. A person's set is the
    records of the groups found, one of which has the value; success is the largest share of a value in them. That is
    the knowledge that the promise is about, and ``max_sensitive_share`` is its largest success.

    Where the owner kept who became whom, people whose record is late or missing count with the share of such people
    whose value is guessed right because of that, if it is larger: being withheld makes nobody safe.

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
     'people': 4, 'unique_share': 0.0, 'max_sensitive_share': 0.5}
    >>> people = [(1, "30", "flu"), (1, "40", "cold"), (1, "50", "flu")]
    >>> data = Dataset.of("snapshots", people, ("age",), "ill")
    >>> result = sf.anonymize(data, sf.methods.Reposition(l=2, window=1), withhold_at_most=1)
    >>> found = attack(result.release, data, result.trace.rows)
    >>> found.max_sensitive_share, found.max_success
    (0.5, 1.0)
    >>> found.fates["missing"]
    {'people': 1, 'right': 0.5, 'right_knowing_frequencies': 1.0}
    """
    found = disclose(release, original)
    if rows is None:
        return _sum_up(found.candidates, found.share, found.candidates)
    published = np.zeros(len(original), dtype=bool)
    published[rows] = True
    guesses = guess_values(release, original, rows)
    plain = _sum_up(found.candidates * published, found.share * published, found.candidates)
    chance = np.maximum(found.share * published, _chance_by_fate(guesses))
    return dataclasses.replace(
        plain,
        mean_success=float(chance.mean()) if len(chance) else 0.0,
        max_success=float(chance.max(initial=0.0)),
        fates=guesses.rates(),
    )


def _chance_by_fate(guesses: Guesses) -> Floats:
    """Return, for late and missing people, the share of their like whose value is guessed right; 0 for the others."""
    rates = guesses.rates()
    best = [
        max(rates[name]["right"], rates[name]["right_knowing_frequencies"]) if name in rates else 0.0 for name in FATES
    ]
    return np.array([0.0, *best[1:]])[guesses.fate]


def attack_original(dataset: Dataset, m: int) -> list[Risk]:  # noqa: ARG001
    """Attack the data as they stand; the attacker knows all attributes and the time, whatever m is.

    Examples
    --------
    >>> people = [(1, "30", "flu"), (1, "30", "cold"), (2, "30", "flu")]
    >>> data = Dataset.of("snapshots", people, ("age",), "ill")
    >>> [(risk.smallest_anonymity_set, risk.max_sensitive_share) for risk in attack_original(data, 2)]
    [(1, 1.0)]
    """
    key = np.asarray(dataset.table.column(dataset.schema.time).to_numpy(), dtype=np.int64)
    key = np.unique(key, return_inverse=True)[1].astype(np.int64)
    for column in dataset.schema.columns:
        if column.role == "quasi-identifier":
            codes, labels = read_codes(dataset.table.column(column.name))
            key = np.unique(key * max(len(labels), 1) + codes, return_inverse=True)[1].astype(np.int64)
    sensitive = next(column.name for column in dataset.schema.columns if column.role == "sensitive")
    values, labels = read_codes(dataset.table.column(sensitive))
    sizes = np.bincount(key)
    cells, counts = np.unique(key * max(len(labels), 1) + values, return_counts=True)
    best = np.zeros(len(sizes))
    np.maximum.at(best, cells // max(len(labels), 1), counts)
    return [_sum_up(sizes[key], (best / np.maximum(sizes, 1))[key], sizes[key])]


def _sum_up(sizes: Ints, share: Floats, reached: Ints) -> SnapshotRisk:
    some = reached[reached > 0]
    return SnapshotRisk(
        smallest_anonymity_set=int(some.min()) if len(some) else 0,
        mean_success=float(share.mean()) if len(share) else 0.0,
        max_success=float(share.max(initial=0.0)),
        knowledge=KNOWLEDGE,
        people=len(sizes),
        unique_share=float((sizes == 1).mean()) if len(sizes) else 0.0,
        set_sizes=sizes,
        max_sensitive_share=float(share.max(initial=0.0)),
    )
