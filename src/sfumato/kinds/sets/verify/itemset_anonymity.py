"""Anonymity of named itemsets, counted anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.sets.decode import is_disassociated
from sfumato.kinds.sets.guarantees import ItemsetAnonymity
from sfumato.kinds.sets.knowledge.named import NamedItems
from sfumato.release.release import Release
from sfumato.verification.claimed import read_claimed
from sfumato.verification.faithful import check_rows

__all__ = ["verify", "verify_against"]


Ints = npt.NDArray[np.int64]

RECORDS = "records are published whole"
COUNTED = "items of a named itemset are in 0 or at least k records"


def verify(release: Release) -> Verdict:
    """Check a release on its own: does any part of a named itemset lead to fewer than k records, but to some?

    Each item is looked for in all values that stand for it; items that are published nowhere say nothing. The
    witness is the rarest set of published values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.release.text import ValueFormat
    >>> from sfumato.data.lists import ListColumn
    >>> from sfumato.release.release import PublishedColumn
    >>> columns = (
    ...     PublishedColumn("person", "identifier", ValueFormat("exact")),
    ...     PublishedColumn("items", "history", ValueFormat("category", history=True, meaning="at least one of")),
    ... )
    >>> rows = ListColumn.from_lists([["P", "c"], ["P", "c"], ["P"]]).to_arrow()
    >>> people = pa.table({"person": ["x", "y", "z"], "items": rows})
    >>> values = pa.table({"column": ["items"] * 2, "value": ["P"] * 2, "member": ["a", "b"]})
    >>> claimed = ItemsetAnonymity(k=2, itemsets=(("a", "c"), ("b",)))
    >>> verify(Release("sets", "by-hand", claimed, columns, people, values, records_in=3)).measured
    {'k': 2, 'itemsets': 2}
    """
    claimed, structure, unreadable = _read(release)
    if unreadable is not None:
        return unreadable
    records = NamedItems.of(release)
    smallest = len(release)
    values: tuple[str, ...] = ()
    for itemset in claimed.itemsets:
        support, shared = records.smallest(itemset)
        if support < smallest:
            smallest, values = support, shared
    holds = smallest >= claimed.k
    return structure & Verdict(
        holds,
        claimed.parameters(),
        {"k": smallest, "itemsets": len(claimed.itemsets)},
        None if holds else {"values": list(values), "support": smallest},
        {COUNTED: holds, RECORDS: True},
    )


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Check a release against the original: what is named of each person leads to 0 or k records.

    With ``rows``, published people must be among them; 0 is for people who were suppressed.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row of every published row, where the owner kept it.
    """
    claimed, _, unreadable = _read(release)
    if unreadable is not None:
        return unreadable
    if rows is not None:
        rows = np.asarray(rows)
        wrong = check_rows(release, original, rows)
        if wrong is not None:
            return Verdict(False, claimed.parameters(), {}, wrong, {"every record is published at most once": False})
        rows = rows.astype(np.int64)
    knowledge = NamedItems.of(release).attack(original, claimed.itemsets)
    smallest = int(knowledge.smallest.min(initial=len(release)))
    missing = int(knowledge.unmatched.sum() if rows is None else knowledge.unmatched[rows].sum())
    allowed = len(original) - len(release) if rows is None else 0
    checks = {
        "the original has as many records as the release says": len(original) == release.records_in,
        "whatever is named, 0 or at least k records match": smallest >= claimed.k,
        "published records match": missing <= allowed,
    }
    counterexample: dict[str, Any] | None = None
    if not all(checks.values()):
        counterexample = {
            "matches": smallest,
            "unmatched": missing,
            "people": len(original),
            "records_in": release.records_in,
        }
    measured = {"matches": smallest, "knowledges": knowledge.tried}
    return Verdict(all(checks.values()), claimed.parameters(), measured, counterexample, checks)


def _read(release: Release) -> tuple[ItemsetAnonymity, Verdict, Verdict | None]:
    """Return the claim, what the structure is worth, and a verdict where nothing can be counted."""
    claimed, structure, unreadable = read_claimed(release, ItemsetAnonymity)
    if unreadable is None and is_disassociated(release):
        checks = {**structure.checks, RECORDS: False}
        unreadable = Verdict(False, claimed.parameters(), {}, {"check": RECORDS}, checks)
    return claimed, structure, unreadable
