"""Randomness that a stopped stream finds again: drawn from a secret of the owner, not from what went before."""

from __future__ import annotations

import dataclasses
import hashlib
import os

import numpy as np
import numpy.typing as npt

__all__ = ["StreamSecret"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, repr=False)
class StreamSecret:
    """A key from which every random order of a stream follows; it stays with the owner.

    Orders depend on the key, a purpose and a snapshot only. So a resumed stream draws what the stopped one drew or
    would have drawn, and nobody without the key can draw it.

    Examples
    --------
    >>> secret = StreamSecret.of(7)
    >>> sorted(secret.order(4, "records", 12).tolist())
    [0, 1, 2, 3]
    >>> bool((secret.order(50, "records", 12) == StreamSecret.of(7).order(50, "records", 12)).all())
    True
    """

    key: bytes

    @classmethod
    def of(cls, seed: int | None) -> StreamSecret:
        """Make a secret of a seed, or of the operating system's randomness."""
        return cls(os.urandom(32) if seed is None else hashlib.sha256(b"sfumato stream %d" % seed).digest())

    def numbers(self, n: int, purpose: str, snapshot: int) -> npt.NDArray[np.uint64]:
        """Return n random numbers of 64 bits."""
        drawn = hashlib.shake_256(self.key + f"/{purpose}/{snapshot}".encode()).digest(8 * n)
        return np.frombuffer(drawn, dtype="<u8").astype(np.uint64)

    def order(self, n: int, purpose: str, snapshot: int) -> Ints:
        """Return a random order of n things."""
        return np.argsort(self.numbers(n, purpose, snapshot), kind="stable")
