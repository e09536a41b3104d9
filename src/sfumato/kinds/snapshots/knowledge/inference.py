"""What published snapshots say of sensitive values to someone who knows all attributes and the time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.attacks.inference import describe_confidence
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.kinds.snapshots.decode import PublishedSnapshots, read_codes
from sfumato.release.release import Release

__all__ = ["BACKGROUND", "find_inferences"]

Ints = npt.NDArray[np.int64]

BACKGROUND = "all attributes and the time"


def find_inferences(release: Release, measured: Any = None) -> Remaining:  # noqa: ARG001
    """Return how sure a reader of the published files can be of a sensitive value.

    Records of one group share its values. Where values stand beside the records, those with the same attributes in the
    same snapshot are a group.

    Parameters
    ----------
    release
        A release whose structure was checked.
    measured
        What its verifier counted; not needed here.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold")], ("age",), "ill")
    >>> find_inferences(sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32)).release)
    Remaining(Someone who knows all attributes and the time can infer a sensitive value with up to 50 % confidence.)
    """
    published = PublishedSnapshots.of(release)
    if not len(published.times):
        return NOTHING
    group, count = published.pair_group, published.pair_count
    if "sensitive" not in release.extra_tables:
        width = max(len(published.labels), 1)
        groups = _number_groups(release, published.times) * width + published.pair_value
        cells, count = np.unique(groups, return_counts=True)
        group = cells // width
    sizes = np.bincount(group, count).astype(np.int64)
    share = count / sizes[group]
    certain = int(count[share == 1].sum())
    possibility = describe_confidence(
        float(share.max()), BACKGROUND, certain=certain, people=int(sizes.sum()), unit=release.unit
    )
    return Remaining((possibility,))


def _number_groups(release: Release, times: Ints) -> Ints:
    """Number records so that those with the same attributes in the same snapshot have the same number."""
    code = np.unique(times, return_inverse=True)[1].astype(np.int64)
    for column in release.columns:
        if column.role == "quasi-identifier":
            codes, labels = read_codes(release.table.column(column.name))
            code = np.unique(code * max(len(labels), 1) + codes, return_inverse=True)[1].astype(np.int64)
    return code
