"""k^m-anonymity of sets of generalised items, counted anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.base.verdict import Verdict
from sfumato.checks.subsequences import countable_sizes, decode_key, support
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.release.release import Release

__all__ = ["verify_generalisation"]


def verify_generalisation(release: Release, claimed: KmItems) -> Verdict:
    """Check that every set of up to m published values of a record occurs in k records.

    Sets are counted one size after the other, exactly and in portions; after a size that breaks the claim no larger
    one is looked at. A row of n values has n!/(m!(n-m)!) sets of m values: m of 4 and more is for short rows.

    Two records whose values overlap without being equal count as different, so that the count is never too high:
    someone who knows original items is faced with at least the records counted here.

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
    >>> people = pa.table({"person": ["x", "y"], "items": ListColumn.from_lists([["P", "c"], ["P", "c"]]).to_arrow()})
    >>> values = pa.table({"column": ["items"] * 2, "value": ["P"] * 2, "member": ["a", "b"]})
    >>> claimed = KmItems(k=2, m=2)
    >>> verify_generalisation(Release("sets", "by-hand", claimed, columns, people, values, records_in=2), claimed)
    Verified: the guarantee holds and every file is declared.
      parameter  claimed  measured
      k          2        2
      m          2        2
      l          1
      size                1
      itemsets            3
    """
    records = release.history().distinct()
    # Without any item the records can only be distinguished by their number.
    k, size_of_rarest, itemsets = len(release), 0, 0
    rarest: tuple[str, ...] = ()
    for size in countable_sizes(records, claimed.m):
        keys, supports = support(records, size)
        itemsets += len(keys)
        at = int(np.argmin(supports))
        if supports[at] < k or not rarest:
            k, size_of_rarest = int(supports[at]), size
            rarest = decode_key(int(keys[at]), size, records.labels)
        if k < claimed.k:
            break
    checks = {
        "every set of values occurs k times": k >= claimed.k,
        # Generalised or not, they stand in a record with others.
        "sensitive items are published apart": not claimed.sensitive,
    }
    counterexample: dict[str, Any] | None = None
    if k < claimed.k:
        counterexample = {"values": list(rarest), "support": k, "size": size_of_rarest}
    elif claimed.sensitive:
        counterexample = {"check": "sensitive items are published apart", "sensitive": len(claimed.sensitive)}
    measured = {"k": k, "m": claimed.m, "size": size_of_rarest, "itemsets": itemsets}
    return Verdict(counterexample is None, claimed.parameters(), measured, counterexample, checks)
