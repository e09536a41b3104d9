"""Delays that say nothing, checked with the owner's row map: does being late or missing depend on the value?"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.snapshots.knowledge.record_delays import RecordDelays
from sfumato.release.release import Release
from sfumato.verification.faithful import check_rows

__all__ = ["leave_delays_open", "verify_delays"]

Ints = npt.NDArray[np.int64]

_CHECK = "being late or missing tells no value"
_OPEN = (
    "Whether delays depend on values can be checked only with the original and the owner's row map. Verify "
    "with the original."
)
_WHOLE = 2
"""Records by which whole numbers may differ from fractions, at the two ends of a stretch."""


def leave_delays_open(claimed: Guarantee) -> Verdict:
    """Say that published files cannot show that delays say nothing, where that is claimed.

    Examples
    --------
    >>> from sfumato.kinds.snapshots.guarantees import LDiversity
    >>> leave_delays_open(LDiversity(l=2, window=3, delays="hidden")).outcome
    'unsettled'
    """
    return Verdict(True, {}, {}, unsettled=(_OPEN,) if claimed.parameters().get("delays") == "hidden" else ())


def verify_delays(release: Release, original: Dataset, rows: Ints | None) -> Verdict:
    """Check every cohort: the records of one snapshot that are published in the same one, or never.

    In a cohort C of a snapshot in which a value has the share p, at most ``max(1/l, p) |C| + 2`` records may have the
    value. A claim that does not speak of delays has nothing to check. Without the row map it is left open.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = [(1, "30", "flu"), (1, "40", "flu"), (2, "50", "cold"), (2, "60", "cold")]
    >>> data = Dataset.of("snapshots", people, ("age",), "ill")
    >>> result = sf.anonymize(data, sf.methods.Reposition(l=2, window=2, delays="hidden"))
    >>> verify_delays(result.release, data, result.owner_record.rows).checks
    {'being late or missing tells no value': True}
    """
    claimed: dict[str, Any] = release.guarantee.parameters()
    if claimed.get("delays") != "hidden":
        return Verdict(True, {}, {})
    if rows is None:
        return Verdict(True, claimed, {}, unsettled=(_OPEN,))
    wrong = check_rows(release, original, np.asarray(rows))
    if wrong is not None:
        return Verdict(False, claimed, {}, {"check": _CHECK, **wrong}, {_CHECK: False})
    record_delays, l = RecordDelays.of(release, original, np.asarray(rows, dtype=np.int64)), int(claimed["l"])
    values = max(len(record_delays.labels), 1)
    day, counts = record_delays.count_values()
    width = int(record_delays.delay.max(initial=0)) + 2
    cohort = record_delays.origin * width + record_delays.delay + 1
    sizes = np.bincount(cohort, minlength=len(record_delays.times) * width)
    cells, of_cohort = np.unique(cohort * values + record_delays.value, return_counts=True)
    at = cells // values
    n = record_delays.sizes[at // width]
    of_day = counts[np.searchsorted(day, at // width * values + cells % values)]
    # In whole numbers: of_cohort <= size * of_day / n + 2, or of_cohort <= size / l + 2.
    by_day, by_l = n * (of_cohort - _WHOLE) <= sizes[at] * of_day, l * (of_cohort - _WHOLE) <= sizes[at]
    holds = bool((by_day | by_l).all())
    counterexample = None
    if not holds:
        worst = int(np.argmin(by_day | by_l))
        counterexample = {
            "check": _CHECK,
            "snapshots_late": int(at[worst] % width) - 1 if at[worst] % width else "missing",
            "records": int(sizes[at[worst]]),
            "of_one_value": int(of_cohort[worst]),
            "original_rows": (np.flatnonzero(cohort == at[worst])[:2] + 1).tolist(),
        }
    return Verdict(holds, claimed, {"cohorts": int((sizes > 0).sum())}, counterexample, {_CHECK: holds})
