"""The owner's secret: everything that orders or names what is published follows from it and from nothing else."""

from __future__ import annotations

import dataclasses
import hashlib
import os

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.errors import ParameterError

__all__ = ["SECRET_BYTES", "Secret", "digest"]

SECRET_BYTES = 32
_BLOCK = 64
_PERSON = b"sfumato"


@dataclasses.dataclass(frozen=True, repr=False)
class Secret:
    """A key of 256 bits from which every random order follows through keyed BLAKE2b.

    The key comes from the operating system. A number that somebody chose could be guessed, and would undo the release:
    there is no way to make a secret of one. Whoever knows the key can put the records back in their order, so it stays
    in ``owner/``.

    Examples
    --------
    >>> secret = Secret(bytes(32))
    >>> sorted(secret.order(4, "records").tolist())
    [0, 1, 2, 3]
    >>> bool((secret.order(50, "records") == secret.order(50, "groups")).all())
    False
    >>> secret
    Secret(...)
    """

    key: bytes

    def __post_init__(self) -> None:
        if len(self.key) != SECRET_BYTES:
            raise ParameterError(f"secret: must be {SECRET_BYTES} bytes, got {len(self.key)}.")

    def __repr__(self) -> str:
        return "Secret(...)"

    @classmethod
    def fresh(cls) -> Secret:
        """Draw a secret from the operating system."""
        return cls(os.urandom(SECRET_BYTES))

    def derive(self, *context: str | int | bytes) -> Secret:
        """Return a secret for one purpose; it tells nothing about this one or about those for other purposes."""
        state = hashlib.blake2b(key=self.key, digest_size=SECRET_BYTES, person=_PERSON)
        for part in context:
            text = part if isinstance(part, bytes) else str(part).encode()
            state.update(len(text).to_bytes(8, "big") + text)
        return Secret(state.digest())

    def for_data(self, table: pa.Table, *context: str) -> Secret:
        """Return the secret that orders these data and no others.

        The same secret used for another month of data would otherwise put the same person in the same place.
        """
        return self.derive(digest(table), *context)

    def numbers(self, n: int, purpose: str) -> npt.NDArray[np.uint64]:
        """Return n random numbers of 64 bits."""
        key = self.derive(purpose).key
        blocks = range(-(-8 * n // _BLOCK))
        drawn = b"".join(hashlib.blake2b(block.to_bytes(8, "big"), key=key).digest() for block in blocks)
        return np.frombuffer(drawn, dtype="<u8")[:n].astype(np.uint64)

    def order(self, n: int, purpose: str) -> npt.NDArray[np.int64]:
        """Return a random order of n things."""
        return np.argsort(self.numbers(n, purpose), kind="stable")


class _Hashing:
    """A file that only hashes what is written to it."""

    closed = False

    def __init__(self) -> None:
        self.state = hashlib.blake2b(digest_size=SECRET_BYTES, person=_PERSON)

    def write(self, data: bytes) -> int:
        self.state.update(data)
        return memoryview(data).nbytes

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        self.closed = True


def digest(table: pa.Table) -> bytes:
    """Return a hash of the content of a table, however it is cut into chunks.

    Examples
    --------
    >>> whole, halves = pa.table({"a": [1, 2]}), pa.table({"a": pa.chunked_array([[1], [2]])})
    >>> digest(whole) == digest(halves), digest(whole) == digest(pa.table({"a": [2, 1]}))
    (True, False)
    """
    plain = table.replace_schema_metadata(None).combine_chunks()
    sink = _Hashing()
    with pa.ipc.new_stream(pa.PythonFile(sink, mode="w"), plain.schema) as writer:
        writer.write_table(plain)
    return sink.state.digest()
