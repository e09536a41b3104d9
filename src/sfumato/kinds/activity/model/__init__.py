"""Activities as arrays: what was, without counting anything."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pyarrow as pa

from sfumato.core.clock import Clock
from sfumato.core.dataset import Dataset
from sfumato.core.errors import SchemaError
from sfumato.core.ragged import Ragged
from sfumato.core.schema import Schema
from sfumato.kinds.activity import KIND

__all__ = ["make_dataset"]


def make_dataset(
    rows: Sequence[Sequence[str]],
    *,
    sensitive: tuple[str, ...] = (),
    clock: Clock | None = None,
    start: int = 0,
) -> Dataset:
    """Make a dataset of daily activities from lists of what each person did in every slot, equally long lists.

    A slot is a minute unless the clock says otherwise; ``start`` is the time at which the first slot begins, in
    slots since 1970.

    Examples
    --------
    >>> data = Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]], sensitive=("eat",))
    >>> data, data.clock
    (Dataset(activity: 2 people, 4 entries, 2 distinct values), Clock(unit='minute', origin=0))
    """
    if len({len(row) for row in rows}) > 1:
        raise SchemaError("activity: everybody must have the same number of slots.")
    table = pa.table(
        {
            "person": pa.array([f"p{i}" for i in range(len(rows))], pa.string()),
            "activities": Ragged.from_lists([list(row) for row in rows]).to_arrow(),
        }
    )
    clock = dataclasses.replace(clock, origin=clock.origin + start) if clock else Clock("minute", start)
    return Dataset(Schema("activity", KIND.columns, sensitive), table, clock=clock)
