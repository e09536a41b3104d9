"""What a time number means: seconds since 1970, minutes, days, or just numbers."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.errors import ParameterError

__all__ = ["UNITS", "Clock"]

UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


@dataclasses.dataclass(frozen=True)
class Clock:
    """The resolution of the times of a dataset.

    Times are whole numbers. With a unit they count that unit since 1970-01-01 UTC; without one they are the
    numbers of the file.

    Parameters
    ----------
    unit
        ``second``, ``minute``, ``hour`` or ``day``; None for plain numbers.
    origin
        For activity data, which have no times but slots: the time at which the first slot begins.

    Examples
    --------
    >>> Clock("minute").to_arrow(np.array([60])).to_pylist()[0].isoformat()
    '1970-01-01T01:00:00+00:00'
    >>> Clock().form_type
    'int64'
    """

    unit: str | None = None
    origin: int = 0

    def __post_init__(self) -> None:
        if self.unit is not None and self.unit not in UNITS:
            raise ParameterError(f"clock: unit must be one of {', '.join(UNITS)}, got {self.unit!r}.")

    @property
    def form_type(self) -> str:
        """Type of published times: a point in time, or a number."""
        return "int64" if self.unit is None else "timestamp"

    def to_arrow(self, times: npt.NDArray[np.int64]) -> pa.Array:
        """Return times as they are published."""
        if self.unit is None:
            return pa.array(times, pa.int64())
        return pa.array(times * (UNITS[self.unit] * 1_000_000), pa.int64()).cast(pa.timestamp("us", tz="UTC"))

    def from_arrow(self, times: pa.Array) -> npt.NDArray[np.int64]:
        """Read times as they were published.

        Examples
        --------
        >>> Clock("day").from_arrow(Clock("day").to_arrow(np.array([3]))).tolist()
        [3]
        """
        if self.unit is None:
            return np.asarray(times.to_numpy(zero_copy_only=False), dtype=np.int64)
        micros = np.asarray(times.cast(pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)
        return micros // (UNITS[self.unit] * 1_000_000)
