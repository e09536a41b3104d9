"""Sets of items as they are read."""

from __future__ import annotations

import pyarrow as pa

from sfumato.core.dataset import Dataset
from sfumato.core.hierarchy import Hierarchy
from sfumato.core.ragged import Ragged
from sfumato.core.schema import Schema
from sfumato.kinds.sets import KIND

__all__ = ["make_dataset"]


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
    ragged = Ragged.from_lists(rows)
    table = pa.table(
        {
            "person": pa.array([f"p{i}" for i in range(len(rows))], pa.string()),
            "items": ragged.distinct().to_arrow(),
        }
    )
    constraints = {name: given for name, given in (("privacy", privacy), ("utility", utility)) if given}
    return Dataset(
        Schema("sets", KIND.columns, sensitive),
        table,
        hierarchies={"item": hierarchy} if hierarchy else {},
        constraints=constraints,
    )
