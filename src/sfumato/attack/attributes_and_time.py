"""An attacker who knows attributes and time of everybody, and wants the sensitive value."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.published_snapshots import disclose, read_codes
from sfumato.core.release import Release
from sfumato.core.risk import Risk

__all__ = ["KINDS", "KNOWLEDGE", "attack", "attack_original"]

KNOWLEDGE = "attributes-and-time"
KINDS = ("snapshots",)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def attack(release: Release, original: Dataset, rows: Ints | None = None) -> Risk:
    """Attack every person of the original: how likely is the sensitive value that is likeliest for them?

    The attacker looks for the attributes in every snapshot in which the person's record may be. A person's set is the
    records of the groups found, one of which has the value; success is the largest share of a value in them.

    Parameters
    ----------
    release, original
        What was published, and what the attacker's knowledge is drawn from.
    rows
        Original row of every published row, where the owner kept it: withheld people then count as safe.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = [(1, "30", "flu"), (1, "40", "cold"), (1, "50", "flu"), (1, "60", "cough")]
    >>> data = Dataset.from_snapshots(people, ("age",), "ill")
    >>> attack(sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32)).release, data).to_dict()
    {'smallest_anonymity_set': 2, 'mean_success': 0.5, 'max_success': 0.5, 'knowledge': 'attributes-and-time',
     'people': 4, 'unique_share': 0.0, 'max_sensitive_share': 0.5}
    """
    found = disclose(release, original)
    published = np.ones(len(original), dtype=bool)
    if rows is not None:
        published = np.zeros(len(original), dtype=bool)
        published[rows] = True
    return _sum_up(found.candidates * published, found.share * published, found.candidates)


def attack_original(dataset: Dataset, m: int) -> list[Risk]:  # noqa: ARG001
    """Attack the data as they stand; the attacker knows all attributes and the time, whatever m is.

    Examples
    --------
    >>> people = [(1, "30", "flu"), (1, "30", "cold"), (2, "30", "flu")]
    >>> data = Dataset.from_snapshots(people, ("age",), "ill")
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


def _sum_up(sizes: Ints, share: Floats, reached: Ints) -> Risk:
    some = reached[reached > 0]
    return Risk(
        smallest_anonymity_set=int(some.min()) if len(some) else 0,
        mean_success=float(share.mean()) if len(share) else 0.0,
        max_success=float(share.max(initial=0.0)),
        knowledge=KNOWLEDGE,
        people=len(sizes),
        unique_share=float((sizes == 1).mean()) if len(sizes) else 0.0,
        set_sizes=sizes,
        max_sensitive_share=float(share.max(initial=0.0)),
    )
