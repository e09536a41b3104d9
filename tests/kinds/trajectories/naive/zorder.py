"""Z-order with whole numbers, one bit at a time."""

from collections.abc import Sequence


def z_order(x: Sequence[float], y: Sequence[float]) -> list[int]:
    """Order places by the Z-value of their cell, equal ones by position."""
    columns, rows = _cells(x), _cells(y)
    codes = [
        sum(((column >> i & 1) << 2 * i) + ((row >> i & 1) << 2 * i + 1) for i in range(16))
        for column, row in zip(columns, rows, strict=True)
    ]
    return sorted(range(len(codes)), key=lambda place: (codes[place], place))


def _cells(coordinates: Sequence[float]) -> list[int]:
    low, high = min(coordinates, default=0.0), max(coordinates, default=0.0)
    if low == high:
        return [0] * len(coordinates)
    return [min(int((value - low) / (high - low) * 65536), 65535) for value in coordinates]
