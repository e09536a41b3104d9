"""Sets of items as they are read, and the columns in which their clusters and chunks are published."""

from __future__ import annotations

import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.schema import Schema
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets import KIND
from sfumato.release.release import PublishedColumn
from sfumato.release.text import ValueFormat

__all__ = ["CHUNK_COLUMNS", "CLUSTER_COLUMNS", "TERM_CHUNK", "make_dataset"]

TERM_CHUNK = 0
"""Number of a leaf's term chunk; record and shared chunks count from 1."""

CHUNK_COLUMNS = (
    PublishedColumn("cluster", "cluster", ValueFormat("exact")),
    PublishedColumn("chunk", "chunk", ValueFormat("exact", "int64")),
    PublishedColumn("items", "history", ValueFormat("category", history=True)),
)
"""Columns of the rows of all chunks, the data of a disassociated release."""

CLUSTER_COLUMNS = (
    PublishedColumn("cluster", "cluster", ValueFormat("exact")),
    PublishedColumn("parent", "parent", ValueFormat("exact")),
    PublishedColumn("size", "size", ValueFormat("exact", "int64")),
)
"""Columns of its part ``clusters``."""


def make_dataset(
    rows: list[list[str]],
    *,
    sensitive: tuple[str, ...] = (),
    hierarchy: Hierarchy | None = None,
    privacy: tuple[tuple[str, ...], ...] = (),
    utility: tuple[tuple[str, ...], ...] = (),
) -> Dataset:
    """Make a dataset of sets of items from plain lists, one list per person; repeated items count once.

    Examples
    --------
    >>> Dataset.of("sets", [["wine", "bread", "wine"], ["bread"]]).history().lists()
    [['wine', 'bread'], ['bread']]
    """
    list_column = ListColumn.from_lists(rows)
    table = pa.table(
        {
            "person": pa.array([f"p{i}" for i in range(len(rows))], pa.string()),
            "items": list_column.distinct().to_arrow(),
        }
    )
    constraints = {name: given for name, given in (("privacy", privacy), ("utility", utility)) if given}
    return Dataset(
        Schema("sets", KIND.columns, sensitive),
        table,
        hierarchies={"item": hierarchy} if hierarchy else {},
        constraints=constraints,
    )
