"""Event sequences as they are read: the events of a person and when they happened."""

from __future__ import annotations

import pyarrow as pa

from sfumato.core.clock import Clock
from sfumato.core.dataset import Dataset
from sfumato.core.hierarchy import Hierarchy
from sfumato.core.ragged import Ragged
from sfumato.core.schema import Schema
from sfumato.kinds.sequences import KIND

__all__ = ["make_dataset"]


def make_dataset(
    rows: list[list[tuple[str, int]]],
    *,
    monitored: tuple[str, ...] = (),
    hierarchy: Hierarchy | None = None,
    clock: Clock | None = None,
) -> Dataset:
    """Make a dataset of timed event sequences from lists of (event, time), one list per person.

    Entries are put in time order.

    Examples
    --------
    >>> data = Dataset.of("sequences", [[("news", 7), ("mail", 3)]], monitored=("mail",))
    >>> data.history().lists(), data.times().tolist()
    ([['mail', 'news']], [3, 7])
    """
    ordered = [sorted(row, key=lambda entry: entry[1]) for row in rows]
    ragged = Ragged.from_lists([[event for event, _ in row] for row in ordered])
    table = pa.table(
        {
            "person": pa.array([f"p{i}" for i in range(len(rows))], pa.string()),
            "events": ragged.to_arrow(),
            "times": pa.array([[time for _, time in row] for row in ordered], pa.list_(pa.int64())),
        }
    )
    return Dataset(
        Schema("sequences", KIND.columns, monitored=monitored),
        table,
        hierarchies={"event": hierarchy} if hierarchy else {},
        clock=clock or Clock(),
    )
