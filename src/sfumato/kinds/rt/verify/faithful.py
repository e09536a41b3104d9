"""Nothing invented, nothing swapped: attributes as in tables, and values that stand for the items people have."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.rt.dataset import ITEMS
from sfumato.kinds.table.verify.faithful import check_table
from sfumato.release.decode import decode
from sfumato.release.release import Release
from sfumato.verification.faithful import check_people, check_rows
from sfumato.verification.structure import COUNTS, verify_structure

__all__ = ["verify_faithful"]

Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None

_NO_DUPLICATES = "every record is published at most once"


def verify_faithful(release: Release, original: Dataset, rows: Ints) -> Verdict:
    """Check with the owner's row map that every published record is the original one.

    Attributes are checked as those of a table. Of the sets: every item of a person is in a value of the record, every
    value stands for an item of the person, and the members of values are items of the original or its hierarchy.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row (from 0) of every published record.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("rt", [(20,), (29,)], ("age",), [["a"], ["a", "b"]])
    >>> result = sf.anonymize(data, sf.methods.RFirst(k=2, m=1, transaction="coat"), secret=bytes(32))
    >>> verify_faithful(result.release, data, result.owner_record.rows).holds
    True
    """
    structure = verify_structure(release)
    if not structure.holds:
        return Verdict(False, {}, {}, structure.counterexample, structure.checks)
    rows = np.asarray(rows)
    counterexamples: dict[str, Counterexample] = {_NO_DUPLICATES: check_rows(release, original, rows)}
    if counterexamples[_NO_DUPLICATES] is None:
        counterexamples |= check_table(release, original, rows.astype(np.int64))
        counterexamples |= _check_items(release, original, rows.astype(np.int64))
    counterexamples["withheld records are counted"] = check_people(release, original, structure.checks[COUNTS])
    counterexample = next(({"check": name, **seen} for name, seen in counterexamples.items() if seen is not None), None)
    return Verdict(
        counterexample is None, {}, {}, counterexample, {name: seen is None for name, seen in counterexamples.items()}
    )


def _check_items(release: Release, original: Dataset, rows: Ints) -> dict[str, Counterexample]:
    people, column = original.history().take(rows), decode(release).column(ITEMS)
    published, values = column.lists, column.values
    code = {label: at for at, label in enumerate(people.labels)}
    items = np.array([code.get(label, -1) for label in values.labels], dtype=np.int64)[values.members]
    base = max(len(values), 1)
    order = np.argsort(items, kind="stable")
    ends = np.searchsorted(items[order], np.arange(len(people.labels) + 1))
    # Every item of every person with every value that may stand for it: is one of these in the record?
    lengths = np.diff(ends)[people.codes]
    token = np.repeat(np.arange(len(people.codes)), lengths)
    step = np.arange(len(token)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    pairs = people.row_of_token[token] * base + values.entry_of_member[order[ends[people.codes[token]] + step]]
    there = published.row_of_token * base + published.codes
    is_covered = np.zeros(len(people.codes), dtype=bool)
    is_covered[token[np.isin(pairs, there)]] = True
    missing, invented = np.flatnonzero(~is_covered), np.flatnonzero(~np.isin(there, pairs))
    return {
        "no item is missing": {"rows": [int(people.row_of_token[missing[0]]) + 1]} if len(missing) else None,
        "no item is invented": {"rows": [int(published.row_of_token[invented[0]]) + 1]} if len(invented) else None,
    }
