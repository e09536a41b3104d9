"""Nothing invented, nothing swapped: every published record is one original record, generalised."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.checks.records import membership
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.trajectories.decode import leave_out
from sfumato.release.release import Release
from sfumato.verification.faithful import check_names, check_people, check_rows
from sfumato.verification.structure import COUNTS, READABLE, verify_structure

__all__ = ["verify_faithful"]

Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None


def verify_faithful(release: Release, original: Dataset, rows: Ints) -> Verdict:
    """Check with the owner's row map that every published record is the true generalisation of its original.

    The same places in the same order, each published as itself or as a value that contains it; exactly the
    suppressed places missing; nobody published twice; nobody's original name among the pseudonyms.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row (from 0) of every published row.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
    >>> where = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"]], where)
    >>> result = SeqAnon(k=2, m=2).anonymize(data, Run(bytes(32)))
    >>> verify_faithful(result.release, data, result.owner_record.rows).holds
    True
    """
    structure = verify_structure(release)
    if not structure.checks[READABLE]:
        return Verdict(False, {}, {}, structure.counterexample, structure.checks)
    rows = np.asarray(rows)
    counterexamples: dict[str, Counterexample] = {
        "every record is published at most once": check_rows(release, original, rows)
    }
    if counterexamples["every record is published at most once"] is None:
        published = release.history()
        expected = leave_out(original.history().take(rows.astype(np.int64)), release.suppressed())
        counterexamples["nothing is added or missing"] = _check_lengths(published, expected)
        if counterexamples["nothing is added or missing"] is None:
            counterexamples["every value contains the original place"] = _check_values(release, published, expected)
    counterexamples["withheld records are counted"] = check_people(release, original, structure.checks[COUNTS])
    counterexamples["no original name is a pseudonym"] = check_names(release, original)
    counterexample = next(({"check": name, **seen} for name, seen in counterexamples.items() if seen is not None), None)
    return Verdict(
        counterexample is None, {}, {}, counterexample, {name: seen is None for name, seen in counterexamples.items()}
    )


def _check_lengths(published: ListColumn, expected: ListColumn) -> Counterexample:
    wrong = published.lengths != expected.lengths
    if not wrong.any():
        return None
    row = int(np.argmax(wrong))
    return {
        "rows": [row + 1],
        "published_visits": int(published.lengths[row]),
        "original_visits": int(expected.lengths[row]),
    }


def _check_values(release: Release, published: ListColumn, expected: ListColumn) -> Counterexample:
    values, places = membership(release, expected.labels)
    base = max(len(expected.labels), 1)
    wrong = ~np.isin(published.codes.astype(np.int64) * base + expected.codes, values * base + places)
    if not wrong.any():
        return None
    at = int(np.argmax(wrong))
    row = int(np.searchsorted(published.offsets, at, side="right")) - 1
    position = at - int(published.offsets[row])
    return {"rows": [row + 1], "position": position + 1, "value": published.labels[published.codes[at]]}
