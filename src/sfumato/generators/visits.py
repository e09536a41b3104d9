"""Visits of generated people as plain arrays."""

from datetime import UTC, date, datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

__all__ = ["Visits", "rank_in_run", "tabulate"]


class Visits(NamedTuple):
    """Visits of all people, person after person, each person's in time order.

    Examples
    --------
    >>> import numpy as np
    >>> visits = Visits(
    ...     lengths=np.array([2, 1]), seconds=np.array([0, 60, 30]), place=np.array([0, 1, 1]),
    ...     labels=["north", "south"], x=np.array([0.0, 0.0]), y=np.array([1.0, -1.0]),
    ... )
    >>> tabulate(visits, date(2024, 1, 1)).column("place").to_pylist()
    ['north', 'south', 'south']
    """

    lengths: npt.NDArray[np.int64]
    """Visits per person."""
    seconds: npt.NDArray[np.int64]
    """Time of each visit, since the first midnight."""
    place: npt.NDArray[np.int32]
    """Place of each visit, an index into the labels."""
    labels: list[str]
    x: npt.NDArray[np.float64]
    """Coordinate of each place."""
    y: npt.NDArray[np.float64]


def rank_in_run(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Number the elements of consecutive runs, starting from 0 in each.

    Examples
    --------
    >>> rank_in_run(np.array([3, 1, 2])).tolist()
    [0, 1, 2, 0, 0, 1]
    """
    before = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum()), dtype=np.int64) - np.repeat(before, lengths)


def tabulate(visits: Visits, start: date, axes: tuple[str, str] = ("x", "y")) -> pa.Table:
    """Return visits as a table: person, time, place and the two coordinates, named by ``axes``.

    Examples
    --------
    >>> one = Visits(np.array([1]), np.array([3600]), np.array([0]), ["a"], np.array([2.0]), np.array([3.0]))
    >>> tabulate(one, date(2024, 1, 1)).column("time").to_pylist()[0].isoformat()
    '2024-01-01T01:00:00+00:00'
    """
    people = visits.lengths.size
    width = max(7, len(str(people)))
    names = pa.array([f"p{number:0{width}d}" for number in range(1, people + 1)], type=pa.string())
    person = np.repeat(np.arange(people, dtype=np.int64), visits.lengths)
    midnight = int(datetime(start.year, start.month, start.day, tzinfo=UTC).timestamp())
    return pa.table(
        {
            "person": names.take(person),
            "time": pa.array(visits.seconds + midnight).cast(pa.timestamp("s", tz="UTC")),
            "place": pa.array(visits.labels, type=pa.string()).take(visits.place),
            axes[0]: pa.array(visits.x[visits.place]),
            axes[1]: pa.array(visits.y[visits.place]),
        }
    )
