"""Units of times: seconds since 1970, minutes, days, or plain numbers."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.exceptions import ParameterError

__all__ = ["MONTHS", "UNITS", "TimeUnit", "count_units", "find_moments", "place_moment"]

UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "month": 2_629_746, "quarter": 7_889_238}
"""Seconds of every unit; months and quarters are not equally long, and these are their means."""
MONTHS = {"month": 1, "quarter": 3}
"""Months of the units that are not equally long."""

Longs = npt.NDArray[np.int64]


def count_units(unit: str, micros: Longs) -> Longs:
    """Return the number of units since 1970 of times in microseconds since 1970.

    Examples
    --------
    >>> count_units("month", np.array([-1, 0, 31 * 86_400_000_000])).tolist()
    [-1, 0, 1]
    """
    if unit not in MONTHS:
        return micros // (UNITS[unit] * 1_000_000)
    months = micros.astype("datetime64[us]").astype("datetime64[M]").astype(np.int64)
    return np.asarray(months // MONTHS[unit], dtype=np.int64)


def find_moments(unit: str, numbers: Longs) -> Longs:
    """Return the begin of units in microseconds since 1970.

    Examples
    --------
    >>> (find_moments("quarter", np.array([0, 1])) // 86_400_000_000).tolist()
    [0, 90]
    """
    if unit not in MONTHS:
        return numbers * (UNITS[unit] * 1_000_000)
    months = (numbers * MONTHS[unit]).astype("datetime64[M]")
    return np.asarray(months.astype("datetime64[us]").astype(np.int64), dtype=np.int64)


def place_moment(unit: str, number: float) -> float:
    """Return the time of a number of units, whole or not, in microseconds since 1970.

    Examples
    --------
    >>> place_moment("month", 1) // 86_400_000_000, place_moment("month", 1.5) // 86_400_000_000
    (31.0, 45.0)
    """
    whole = int(number // 1)
    begin, end = find_moments(unit, np.array([whole, whole + 1])).tolist()
    return float(begin + (number - whole) * (end - begin))


@dataclasses.dataclass(frozen=True)
class TimeUnit:
    """The resolution of the times of a dataset.

    Times are whole numbers. With a unit they are numbers of units since 1970-01-01 UTC; without one they are the
    numbers of the file.

    Parameters
    ----------
    unit
        ``second``, ``minute``, ``hour``, ``day``, ``month`` or ``quarter``; None for plain numbers.
    origin
        For activity data, which have slots: the time at which the first slot begins.

    Examples
    --------
    >>> TimeUnit("minute").to_arrow(np.array([60])).to_pylist()[0].isoformat()
    '1970-01-01T01:00:00+00:00'
    >>> TimeUnit().published_type
    'int64'
    """

    unit: str | None = None
    origin: int = 0

    def __post_init__(self) -> None:
        if self.unit is not None and self.unit not in UNITS:
            raise ParameterError(f"Time unit must be one of {', '.join(UNITS)}, got {self.unit!r}.", option="unit")

    @property
    def published_type(self) -> str:
        """Type of published times: a point in time, or a number."""
        return "int64" if self.unit is None else "timestamp"

    def to_arrow(self, times: npt.NDArray[np.int64]) -> pa.Array:
        """Return times as published."""
        if self.unit is None:
            return pa.array(times, pa.int64())
        return pa.array(find_moments(self.unit, times), pa.int64()).cast(pa.timestamp("us", tz="UTC"))

    def from_arrow(self, times: pa.Array) -> npt.NDArray[np.int64]:
        """Parse published times.

        Examples
        --------
        >>> TimeUnit("day").from_arrow(TimeUnit("day").to_arrow(np.array([3]))).tolist()
        [3]
        """
        if self.unit is None:
            return np.asarray(times.to_numpy(zero_copy_only=False), dtype=np.int64)
        micros = np.asarray(times.cast(pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)
        return count_units(self.unit, micros)
