"""Things that parts of a release have in common, such as classes of records, known again by what they look like."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Alike", "digest_looks", "mix_digests", "unite_alike"]

Digests = npt.NDArray[np.uint64]
_STEP = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], dtype=np.uint64)
_STIR = np.array([0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)


@dataclasses.dataclass(frozen=True, eq=False)
class Alike:
    """Things of one part: what each looks like as 128 bits, and amounts of each that add up over parts.

    Parameters
    ----------
    looks
        A row of two numbers for every thing; None where there is only one part.
    amounts
        By name, a number for every thing.

    Examples
    --------
    >>> Alike(None, {"records": np.array([3, 2])}).amounts["records"].tolist()
    [3, 2]
    """

    looks: Digests | None
    amounts: Mapping[str, npt.NDArray[Any]]


def digest_looks(things: Iterable[object]) -> Digests:
    """Return 128 bits for every thing that depend on all of how it is written.

    Examples
    --------
    >>> same, other, again = digest_looks([("a", 1), ("a", 2), ("a", 1)]).tolist()
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
    >>> ab, ba = digest_looks("ab"), digest_looks("ba")
    >>> (mix_digests([ab, ba]) == mix_digests([ba, ab])).any()
    np.False_
    """
    mixed = np.zeros_like(digests[0]) if len(digests) else np.zeros((0, 2), dtype=np.uint64)
    for digest in digests:
        mixed = (mixed ^ digest) * _STIR + _STEP
        mixed ^= mixed >> np.uint64(31)
    return mixed


def unite_alike(parts: Sequence[Alike]) -> dict[str, npt.NDArray[Any]]:
    """Return the amounts of all parts, those of things that look the same added up.

    Examples
    --------
    >>> one = Alike(digest_looks(["a", "b"]), {"records": np.array([3, 2])})
    >>> other = Alike(digest_looks(["b"]), {"records": np.array([5])})
    >>> sorted(unite_alike([one, other])["records"].tolist())
    [3, 7]
    """
    if len(parts) == 1:
        return dict(parts[0].amounts)
    digests = np.concatenate([part.looks for part in parts if part.looks is not None])
    number = np.unique(digests, axis=0, return_inverse=True)[1].reshape(-1)
    count = int(number.max(initial=-1)) + 1
    united = {}
    for name in parts[0].amounts:
        amounts = np.concatenate([part.amounts[name] for part in parts])
        summed = np.zeros(count, dtype=amounts.dtype)
        np.add.at(summed, number, amounts)
        united[name] = summed
    return united
