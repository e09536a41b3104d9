"""Things that partitions of a release have in common, such as classes of records, known by what they look like."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["GroupedAmounts", "digest_values", "merge_grouped", "mix_digests"]

Digests = npt.NDArray[np.uint64]
_STEP = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], dtype=np.uint64)
_MULTIPLIERS = np.array([0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)


@dataclasses.dataclass(frozen=True, eq=False)
class GroupedAmounts:
    """Things of one partition: what each looks like as 128 bits, and amounts of each that add up over partitions.

    Parameters
    ----------
    digests
        A row of two numbers for every thing; None where there is only one partition.
    amounts
        By name, a number for every thing.

    Examples
    --------
    >>> GroupedAmounts(None, {"records": np.array([3, 2])}).amounts["records"].tolist()
    [3, 2]
    """

    digests: Digests | None
    amounts: Mapping[str, npt.NDArray[Any]]


def digest_values(things: Iterable[object]) -> Digests:
    """Return 128 bits for every thing that depend on all of how it is written.

    Examples
    --------
    >>> same, other, again = digest_values([("a", 1), ("a", 2), ("a", 1)]).tolist()
    >>> same == again, same == other
    (True, False)
    """
    digests = [
        hashlib.blake2b(repr(thing).encode("utf-8", "surrogatepass"), digest_size=16).digest() for thing in things
    ]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64).reshape(-1, 2)


def mix_digests(digests: Sequence[Digests]) -> Digests:
    """Return one digest for things that have several features, from those of the features in their order.

    Examples
    --------
    >>> ab, ba = digest_values("ab"), digest_values("ba")
    >>> (mix_digests([ab, ba]) == mix_digests([ba, ab])).any()
    np.False_
    """
    mixed = np.zeros_like(digests[0]) if len(digests) else np.zeros((0, 2), dtype=np.uint64)
    for digest in digests:
        mixed = (mixed ^ digest) * _MULTIPLIERS + _STEP
        mixed ^= mixed >> np.uint64(31)
    return mixed


def merge_grouped(partitions: Sequence[GroupedAmounts]) -> dict[str, npt.NDArray[Any]]:
    """Return the amounts of all partitions, those of things that look the same added up.

    Examples
    --------
    >>> one = GroupedAmounts(digest_values(["a", "b"]), {"records": np.array([3, 2])})
    >>> other = GroupedAmounts(digest_values(["b"]), {"records": np.array([5])})
    >>> sorted(merge_grouped([one, other])["records"].tolist())
    [3, 7]
    """
    if len(partitions) == 1:
        return dict(partitions[0].amounts)
    digests = np.concatenate([partition.digests for partition in partitions if partition.digests is not None])
    number = np.unique(digests, axis=0, return_inverse=True)[1].reshape(-1)
    count = int(number.max(initial=-1)) + 1
    merged = {}
    for name in partitions[0].amounts:
        amounts = np.concatenate([partition.amounts[name] for partition in partitions])
        summed = np.zeros(count, dtype=amounts.dtype)
        np.add.at(summed, number, amounts)
        merged[name] = summed
    return merged
