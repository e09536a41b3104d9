"""What the published classes of a table with a set say of sensitive columns and items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sfumato.base.remaining import Possibility, Remaining
from sfumato.kinds.rt.decode import PublishedRecords
from sfumato.kinds.table import knowledge
from sfumato.messages import Message, parameter
from sfumato.release.release import Release

__all__ = ["find_inferences"]


def find_inferences(release: Release, measured: Mapping[str, Any]) -> Remaining:
    """Return how sure a reader of the published files can be of sensitive columns and of sensitive items.

    Nothing here bounds what can be inferred of a column. Of items, the verifier counted what those learn who know items
    as well, where that is promised; otherwise classes are counted.

    Parameters
    ----------
    release
        A release whose structure was checked.
    measured
        What its verifier counted.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("rt", [(20,), (20,)], ("age",), [["a", "s"], ["a"]], sensitive_items=("s",))
    >>> release = sf.anonymize(data, sf.methods.RFirst(k=2, m=1, transaction="coat"), secret=bytes(32)).release
    >>> print(*find_inferences(release, {}).warnings)
    Someone who knows all quasi-identifiers can infer a sensitive item with up to 50 % confidence. The guarantee does
    not cover it. What helps: l-diversity of items (l=2 or more).
    """
    return Remaining((*knowledge.find_inferences(release), *_judge_items(release, measured)))


def _judge_items(release: Release, measured: Mapping[str, Any]) -> tuple[Possibility, ...]:
    records = PublishedRecords.of(release)
    if not records.sensitive_items or not len(release):
        return ()
    guaranteed = getattr(release.guarantee, "l", 1) > 1
    sizes = records.table.sizes
    counts = np.stack([np.bincount(records.table.group, having, len(sizes)) for having in records.having.T])
    most = counts.max(axis=0)
    share = float(measured.get("largest_share", (most / sizes).max()))
    certain = int(sizes[most == sizes].sum())
    background = "all quasi-identifiers" + " and some items" * guaranteed
    wording = f"Someone who knows {background} can infer a sensitive item with up to {{confidence}} confidence."
    if certain:
        wording = (
            f"{{people}} of {{of}} {release.unit.many} ({{share}}) match only records with the same sensitive item."
        )
    return (
        Possibility(
            "inference",
            "items",
            "warning" if certain or not guaranteed else "note",
            wording + ("" if guaranteed else " The guarantee does not cover it."),
            "" if guaranteed else Message("What helps: l-diversity of items (", parameter("l", 2), " or more)."),
            {"people": certain, "of": len(release)},
            {"confidence": share},
        ),
    )
