"""Gray order with whole numbers, one bit at a time."""

from collections.abc import Sequence


def rank_gray(key: Sequence[int]) -> int:
    """Number that a key stands for when read as a Gray code, most significant bit first."""
    rank, parity = 0, 0
    for bit in key:
        parity ^= bit
        rank = 2 * rank + parity
    return rank


def gray_order(keys: Sequence[Sequence[int]]) -> list[int]:
    """Order rows by the Gray ranks of their keys, equal ones by position."""
    return sorted(range(len(keys)), key=lambda row: (rank_gray(keys[row]), row))
