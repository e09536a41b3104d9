"""Event sequences as they are read: the events of a person and when they happened, as arrays."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.schema import Schema
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import ParameterError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sequences import KIND
from sfumato.messages import Message, option

__all__ = ["Sequences", "locate_entries", "make_dataset"]

Ints = npt.NDArray[np.int64]


def make_dataset(
    rows: list[list[tuple[str, int]]],
    *,
    monitored: tuple[str, ...] = (),
    hierarchy: Hierarchy | None = None,
    time_unit: TimeUnit | None = None,
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
    list_column = ListColumn.from_lists([[event for event, _ in row] for row in ordered])
    table = pa.table(
        {
            "person": pa.array([f"p{i}" for i in range(len(rows))], pa.string()),
            "events": list_column.to_arrow(),
            "times": pa.array([[time for _, time in row] for row in ordered], pa.list_(pa.int64())),
        }
    )
    return Dataset(
        Schema("sequences", KIND.columns, monitored=monitored),
        table,
        hierarchies={"event": hierarchy} if hierarchy else {},
        time_unit=time_unit or TimeUnit(),
    )


def locate_entries(offsets: Ints, rows: Ints) -> Ints:
    """Return where the entries of some rows stand in flat arrays, row after row.

    Examples
    --------
    >>> locate_entries(np.array([0, 2, 3, 5]), np.array([2, 0])).tolist()
    [3, 4, 0, 1]
    """
    lengths = np.diff(offsets)[rows]
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(offsets[rows] - before, lengths), dtype=np.int64)


@dataclasses.dataclass(frozen=True, eq=False)
class Sequences:
    """Some rows of a dataset of sequences, monitored and other events apart.

    Examples
    --------
    >>> data = Dataset.of("sequences", [[("mail", 3), ("news", 7)], [("mail", 4)]], monitored=("mail",))
    >>> s = Sequences.of(data)
    >>> s.times[s.is_monitored].tolist(), s.people_with_monitored.tolist()
    ([3, 4], [True, True])
    """

    dataset: Dataset
    rows: Ints
    events: ListColumn
    times: Ints
    is_monitored: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, dataset: Dataset) -> Sequences:
        """Take all rows of a dataset."""
        events = dataset.history()
        wanted = set(dataset.schema.monitored)
        if not wanted:
            raise ParameterError(
                "No event is monitored.",
                option="monitored",
                hint=Message("Name the events that the receiver monitors: ", option("monitored", ["EVENT"]), "."),
            )
        of_label = np.array([label in wanted for label in events.labels], dtype=bool)
        return cls(dataset, np.arange(len(dataset)), events, dataset.times(), of_label[events.codes])

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def people_with_monitored(self) -> npt.NDArray[np.bool_]:
        """Mark the rows that hold a monitored event."""
        marked = np.zeros(len(self), dtype=bool)
        marked[self.events.row_of_token[self.is_monitored]] = True
        return marked

    @property
    def span(self) -> int:
        """Length of the time that all data cover, these rows or not."""
        times = self.dataset.times()
        return int(times.max() - times.min()) if len(times) else 0

    def take(self, positions: Ints) -> Sequences:
        """Return some of these rows."""
        tokens = locate_entries(self.events.offsets, positions)
        return dataclasses.replace(
            self,
            rows=self.rows[positions],
            events=self.events.take(positions),
            times=self.times[tokens],
            is_monitored=self.is_monitored[tokens],
        )

    def keep(self, marked: npt.NDArray[np.bool_]) -> Sequences:
        """Return the same rows with only the marked entries left in them."""
        return dataclasses.replace(
            self,
            events=self.events.keep(marked),
            times=self.times[marked],
            is_monitored=self.is_monitored[marked],
        )

    def part(self, *, monitored: bool) -> tuple[Ints, npt.NDArray[np.int32], Ints]:
        """Return offsets, event codes and times of the monitored entries only, or of the others."""
        wanted = self.is_monitored if monitored else ~self.is_monitored
        events = self.events.keep(wanted)
        return events.offsets, events.codes, self.times[wanted]
