"""k^m-anonymity of sets, of both published forms: generalised items, and disassociated records."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import SHOWN_ROWS, Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.sets.decode import is_disassociated
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.kinds.sets.knowledge.chunks import ChunkRecords
from sfumato.kinds.sets.knowledge.items import ItemRecords
from sfumato.kinds.sets.knowledge.search import ItemSets, best_knowledge
from sfumato.kinds.sets.verify.disassociation import verify_disassociation
from sfumato.kinds.sets.verify.generalisation import verify_generalisation
from sfumato.release.release import Release
from sfumato.verification.claimed import read_claimed
from sfumato.verification.faithful import check_rows

__all__ = ["verify", "verify_against"]


Ints = npt.NDArray[np.int64]

SAME_PEOPLE = "the original has as many records as the release says"


def verify(release: Release) -> Verdict:
    """Check a release on its own.

    Generalised items are counted: see :mod:`sfumato.kinds.sets.verify.generalisation`. Of chunks the conditions are
    checked: see :mod:`sfumato.kinds.sets.verify.disassociation`.

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
    >>> people = pa.table({"person": ["x", "y"], "items": ListColumn.from_lists([["P", "c"], ["P"]]).to_arrow()})
    >>> values = pa.table({"column": ["items"] * 2, "value": ["P"] * 2, "member": ["a", "b"]})
    >>> verify(Release("sets", "by-hand", KmItems(k=2, m=2), columns, people, values, records_in=2)).counterexample
    {'values': ['c'], 'support': 1, 'size': 1}
    """
    claimed, structure, unreadable = read_claimed(release, KmItems, whole=is_disassociated(release))
    if unreadable is not None:
        return unreadable
    return structure & (verify_disassociation if is_disassociated(release) else verify_generalisation)(release, claimed)


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Check a release against the original: whatever up to m items are known, are there 0 or k candidates?

    Where records are disassociated, candidates are the records that may have all known items at once in one possible
    original, counted from below (:mod:`sfumato.kinds.sets.knowledge.chunks`). With ``rows``, k of them must be in the
    person's own cluster, and ``matches`` says how many are. Without, only what whole clusters show is judged.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row of every published person; cluster by cluster where records are disassociated. Where it is known,
        published people must have k candidates whatever is known about them; 0 is for people who were suppressed. Where
        items are published in several ways and sets are very many, ``matches`` is then a number that is not too large:
        see :meth:`sfumato.kinds.sets.knowledge.items.ItemRecords.least_knowledge`.
    """
    claimed, _, unreadable = read_claimed(release, KmItems, whole=is_disassociated(release))
    if unreadable is not None:
        return unreadable
    if rows is not None:
        rows = np.asarray(rows)
        wrong = check_rows(release, original, rows)
        if wrong is not None:
            checks = {"every record is published at most once": False}
            return Verdict(False, claimed.parameters(), {}, wrong, checks)
        rows = rows.astype(np.int64)
    if is_disassociated(release):
        return _judge_disassociation(release, original, rows, claimed)
    records = ItemRecords.of(release, original)
    knowledge = records.least_knowledge(claimed.m, rows, claimed.k)
    shown = (records.matching_rows(knowledge.rarest)[:SHOWN_ROWS] + 1).tolist() if knowledge.rarest else []
    return _judge(release, knowledge, rows, claimed, {"rows": shown})


def _judge_disassociation(release: Release, original: Dataset, rows: Ints | None, claimed: KmItems) -> Verdict:
    """Judge published people by their own cluster, where it is known, and everybody else by all clusters."""
    records = ChunkRecords.of(release, original, rows)
    if rows is None:
        knowledge = best_knowledge(records, claimed.m)
        return _judge(release, knowledge, None, claimed, {"chunks": records.places(knowledge.rarest)})
    own = records.own_knowledge(claimed.m)
    is_suppressed = np.ones(len(original), dtype=bool)
    is_suppressed[rows] = False
    others = np.flatnonzero(is_suppressed)
    if len(others):
        people = ChunkRecords(records.chunks, original.history().take(others), sources=records.sources)
        suppressed_records = best_knowledge(people, claimed.m)
        own.smallest[others] = suppressed_records.smallest
    return _judge(release, own, rows, claimed, {"chunks": records.places(own.rarest)})


def _judge(
    release: Release, knowledge: ItemSets, rows: Ints | None, claimed: KmItems, where: dict[str, Any]
) -> Verdict:
    """Judge whether there are 0 or at least k candidates whatever is known, and 0 for suppressed people only."""
    people = len(knowledge.smallest)
    smallest = int(knowledge.smallest[knowledge.smallest > 0].min(initial=len(release)))
    missing, allowed = int(knowledge.unmatched.sum()), people - len(release)
    if rows is not None:
        missing, allowed = int(knowledge.unmatched[rows].sum()), 0
    checks = {
        SAME_PEOPLE: people == release.records_in,
        "whatever is known, 0 or at least k records match": smallest >= claimed.k,
    }
    if rows is not None or not is_disassociated(release):
        checks["published records match"] = missing <= allowed
    counterexample: dict[str, Any] | None = None
    if smallest < claimed.k:
        counterexample = {"size": len(knowledge.rarest), "matches": smallest, **where}
    elif not all(checks.values()):
        counterexample = {"people": people, "records_in": release.records_in, "unmatched": missing}
    measured = {"matches": smallest, "knowledges": knowledge.tried}
    return Verdict(all(checks.values()), claimed.parameters(), measured, counterexample, checks)
