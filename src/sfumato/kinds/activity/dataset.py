"""Activities as arrays: what was, without counting anything."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.schema import Schema
from sfumato.data.time_units import UNITS, TimeUnit
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.kinds.activity import KIND
from sfumato.messages import Message, MethodName, parameter
from sfumato.release.release import PublishedColumn
from sfumato.release.text import ValueFormat

__all__ = ["CLASS_COLUMNS", "SECONDS", "SLOT", "UNKNOWN", "Slots", "check_span", "list_columns", "make_dataset"]


UNKNOWN = "(gap)"
"""What time is called that nothing is known about, unless the owner gives it another name."""

CLASS_COLUMNS = (
    PublishedColumn("class", "class", ValueFormat("exact")),
    PublishedColumn("size", "size", ValueFormat("exact", "int64")),
)


def list_columns(time: str) -> tuple[PublishedColumn, ...]:
    """Return the columns of published classes; intervals are numbered from 0 or named by the time they begin.

    Examples
    --------
    >>> [column.name for column in list_columns("int64")]
    ['class', 'interval', 'activity', 'share']
    """
    return (
        PublishedColumn("class", "class", ValueFormat("exact")),
        PublishedColumn("interval", "interval", ValueFormat("exact", time)),
        PublishedColumn("activity", "activity", ValueFormat("category")),
        PublishedColumn("share", "share", ValueFormat("exact", "float64")),
    )


def make_dataset(
    rows: Sequence[Sequence[str]],
    *,
    sensitive: tuple[str, ...] = (),
    time_unit: TimeUnit | None = None,
    start: int = 0,
) -> Dataset:
    """Make a dataset of daily activities from lists of what each person did in every slot, equally long lists.

    A slot is a minute unless the clock says otherwise; ``start`` is the time at which the first slot begins, in
    slots since 1970.

    Examples
    --------
    >>> data = Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]], sensitive=("eat",))
    >>> data, data.time_unit
    (Dataset(activity: 2 people, 4 entries, 2 distinct values), TimeUnit(unit='minute', origin=0))
    """
    if len({len(row) for row in rows}) > 1:
        raise SchemaError("All people must have the same number of slots.")
    table = pa.table(
        {
            "person": pa.array([f"p{i}" for i in range(len(rows))], pa.string()),
            "activities": ListColumn.from_lists([list(row) for row in rows]).to_arrow(),
        }
    )
    time_unit = (
        dataclasses.replace(time_unit, origin=time_unit.origin + start) if time_unit else TimeUnit("minute", start)
    )
    return Dataset(Schema("activity", KIND.columns, sensitive), table, time_unit=time_unit)


class Slots(NamedTuple):
    """What everybody did in every slot.

    Attributes
    ----------
    codes
        By person and slot: the activity.
    labels
        Names of the activities, by code.
    """

    codes: npt.NDArray[np.int32]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, dataset: Dataset) -> Slots:
        """Read activity data. Raise :class:`SchemaError` where people have different numbers of slots.

        Examples
        --------
        >>> Slots.of(Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]])).codes.tolist()
        [[0, 1], [0, 0]]
        """
        return cls.of_history(dataset.history())

    @classmethod
    def of_history(cls, history: ListColumn) -> Slots:
        """Take histories that are all equally long for slots.

        Examples
        --------
        >>> data = Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]])
        >>> Slots.of_history(data.view_history()).labels
        ('sleep', 'eat')
        """
        slots = int(history.lengths[0]) if len(history) else 0
        if (history.lengths != slots).any():
            raise SchemaError("All people must have the same number of slots.")
        return cls(history.codes.reshape(len(history), slots), history.labels)

    def find(self, labels: tuple[str, ...]) -> list[int]:
        """Return the codes of activities, -1 for those that nobody does."""
        code = {label: at for at, label in enumerate(self.labels)}
        return [code.get(label, -1) for label in labels]


SLOT = "slot"
"""The unit of a length of time that is given by the number of its slots."""
SECONDS = {**UNITS, "week": 7 * UNITS["day"]}
"""How long every other unit is."""

_UNIT_ALIASES = {
    SLOT: ("", "slot", "slots"),
    "second": ("s", "sec", "second", "seconds"),
    "minute": ("min", "minute", "minutes"),
    "hour": ("h", "hour", "hours"),
    "day": ("d", "day", "days"),
    "week": ("w", "week", "weeks"),
    "month": ("month", "months"),
    "quarter": ("q", "quarter", "quarters"),
}
_UNIT = {alias: name for name, aliases in _UNIT_ALIASES.items() for alias in aliases}
_SPAN = re.compile(r"(\d{0,9})\s*([a-z]*)")


def check_span(owner: str | MethodName, name: str, text: str) -> tuple[int, str]:
    """Return how many of which unit a text says, or raise :class:`ParameterError`.

    Examples
    --------
    >>> check_span("Mc", "delta", "48h"), check_span("Mc", "delta", "week"), check_span("Mc", "delta", "6")
    ((48, 'hour'), (1, 'week'), (6, 'slot'))
    >>> check_span("Mc", "delta", "soon")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Mc: delta must be a length of time such as 90min, 48h, 3d or week, or a number \
of slots, got 'soon'.
    """
    match = _SPAN.fullmatch(text.strip().lower())
    unit = _UNIT.get(match[2]) if match else None
    nothing = match is not None and (not match[0] or (match[1] != "" and int(match[1]) == 0))
    if match is None or unit is None or nothing:
        raise ParameterError(
            Message(
                owner,
                ": ",
                parameter(name),
                f" must be a length of time such as 90min, 48h, 3d or week, or a number of slots, got {text!r}.",
            )
        )
    return int(match[1] or 1), unit
