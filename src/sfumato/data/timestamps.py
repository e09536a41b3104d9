"""Points in time as text, fast for many times on few days."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["encode_timestamps"]

_DAY = 86_400
_THOUSANDTHS = pa.array([f"{number:03}" for number in range(1000)])
_GROUPS = {"s": 0, "ms": 1, "us": 2, "ns": 3}
"""Groups of three decimal places that a resolution has."""


def encode_timestamps(values: pa.Array) -> pa.Array:
    """Format points in time as text in UTC; if a second is not whole, all have the decimals of the resolution.

    Each distinct day is formatted once. Times of day and decimals are looked up in tables.

    Examples
    --------
    >>> encode_timestamps(pa.array([0, 90_061], pa.timestamp("s", tz="UTC"))).to_pylist()
    ['1970-01-01T00:00:00Z', '1970-01-02T01:01:01Z']
    >>> encode_timestamps(pa.array([-1, None], pa.timestamp("ms", tz="UTC"))).to_pylist()
    ['1969-12-31T23:59:59.999Z', None]
    """
    groups = _GROUPS[values.type.unit]
    steps = pc.fill_null(values.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    seconds = steps // 1000**groups
    days = seconds // _DAY
    parts = [_encode_days(days, values), _list_times().take(pa.array(seconds - days * _DAY))]
    decimals = steps - seconds * 1000**groups
    if decimals.any():
        places = [_THOUSANDTHS.take(pa.array(decimals // 1000**below % 1000)) for below in reversed(range(groups))]
        parts += [".", *places]
    return pc.binary_join_element_wise(*parts, "Z", "")


def _encode_days(days: npt.NDArray[np.int64], values: pa.Array) -> pa.Array:
    """Format the days of points in time, each distinct day once; null where a time is null."""
    coded = pa.array(days * _DAY, mask=values.is_null().to_numpy(zero_copy_only=False)).dictionary_encode()
    return pc.strftime(coded.dictionary.cast(pa.timestamp("s")), format="%Y-%m-%dT").take(coded.indices)


@functools.cache
def _list_times() -> pa.Array:
    """Return the time of day of every second of a day."""
    seconds = pa.array(np.arange(_DAY)).cast(pa.timestamp("s"))
    return pc.strftime(seconds, format="%H:%M:%S")
