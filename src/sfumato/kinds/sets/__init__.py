"""Sets of items: baskets, queries, diagnoses."""

from __future__ import annotations

from sfumato.core.kind import TABLES, Kind
from sfumato.core.schema import Column

__all__ = ["KIND"]

KIND = Kind(
    "the items of a person",
    (Column("person", "identifier"), Column("items", "history")),
    options=("sensitive", "hierarchies", "hierarchy_root", "constraints", "separator", "unit"),
    formats=(*TABLES, "spmf", "transactions", "amnesia"),
    told={
        "row": "the items of one record; their order says nothing",
        "row with clusters": "a piece of a record: the items that it has of one chunk of its cluster. Which pieces "
        "of a cluster belong to the same record is not published",
        "history": "the items, each as itself or as a value that stands for several items",
        "cluster": "the cluster of records, by its number",
        "chunk": "which chunk of the cluster the piece is of; 0 is the items whose records are not told",
        "parent": "the cluster that this one is part of, if it is part of one",
        "size": "how many records the cluster has",
        "clusters table": "the clusters of records and their sizes",
    },
    entries={"items": "item"},
    ordered=False,
    exports=("spmf",),
    reasons=("nothing left to publish", "no item"),
    advised=("disassociation", "local-km"),
    headline=("item-queries",),
    usual={"k": (3, 5, 10), "m": (2,)},
)
