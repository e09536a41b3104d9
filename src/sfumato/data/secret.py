"""The owner's secret, from which all random orders and names of a release are derived."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option

__all__ = ["SECRET_BYTES", "Secret", "digest"]

SECRET_BYTES = 32
_BLOCK = 64
_PERSON = b"sfumato"


@dataclasses.dataclass(frozen=True, repr=False)
class Secret:
    """A key of 256 bits, from which every random order is derived with keyed BLAKE2b.

    The key comes from the operating system; chosen numbers are refused, as they could be guessed. The key reveals the
    original order of the records, so it stays in ``owner/``.

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
            raise ParameterError(Message(option("secret"), f" must be {SECRET_BYTES} bytes, got {len(self.key)}."))

    def __repr__(self) -> str:
        return "Secret(...)"

    @classmethod
    def fresh(cls) -> Secret:
        """Draw a secret from the operating system."""
        return cls(os.urandom(SECRET_BYTES))

    @classmethod
    def of(cls, given: Secret | bytes) -> Secret:
        """Return a secret or one of bytes; numbers are refused, as they could be guessed."""
        if not isinstance(given, Secret | bytes):
            rule = f" must be {SECRET_BYTES} bytes from the operating system, got {type(given).__name__}."
            raise ParameterError(
                Message(option("secret"), rule), hint="Use the secret of an earlier release, or leave it out."
            )
        return cls(given) if isinstance(given, bytes) else given

    def derive(self, *context: str | int | bytes) -> Secret:
        """Return a secret for one purpose, from which neither this one nor others can be derived."""
        state = hashlib.blake2b(key=self.key, digest_size=SECRET_BYTES, person=_PERSON)
        for part in context:
            text = part if isinstance(part, bytes) else str(part).encode()
            state.update(len(text).to_bytes(8, "big") + text)
        return Secret(state.digest())

    def for_data(self, table: pa.Table, *context: str) -> Secret:
        """Return the secret that orders these data and no others.

        Otherwise the same secret would give people of another month of data the same positions.
        """
        return self.derive(digest(table), *context)

    def numbers(self, n: int, purpose: str) -> npt.NDArray[np.uint64]:
        """Return n random numbers of 64 bits."""
        key = self.derive(purpose).key
        blocks = range(-(-8 * n // _BLOCK))
        drawn = b"".join(hashlib.blake2b(block.to_bytes(8, "big"), key=key).digest() for block in blocks)
        return np.frombuffer(drawn, dtype="<u8")[:n].astype(np.uint64)

    def number_names(self, names: Iterable[str], purpose: str) -> npt.NDArray[np.uint64]:
        """Return a random number of 64 bits for every name, the same at every position.

        Examples
        --------
        >>> secret = Secret(bytes(32))
        >>> secret.number_names(["ann", "bob"], "people")[::-1].tolist() == secret.number_names(
        ...     ["bob", "ann"], "people"
        ... ).tolist()
        True
        """
        begun = hashlib.blake2b(key=self.derive(purpose).key, digest_size=8)

        def draw(name: str) -> bytes:
            state = begun.copy()
            state.update(name.encode("utf-8", "surrogatepass"))
            return state.digest()

        return np.frombuffer(b"".join(map(draw, names)), dtype="<u8").astype(np.uint64)

    def order(self, n: int, purpose: str) -> npt.NDArray[np.int64]:
        """Return a random order of n elements."""
        return np.argsort(self.numbers(n, purpose), kind="stable")


def digest(table: pa.Table) -> bytes:
    """Return a hash of the content of a table, independent of its chunks and layout in memory.

    Examples
    --------
    >>> whole, halves = pa.table({"a": [1, 2]}), pa.table({"a": pa.chunked_array([[1], [2]])})
    >>> digest(whole) == digest(halves), digest(whole) == digest(pa.table({"a": [2, 1]}))
    (True, False)
    """
    state = hashlib.blake2b(digest_size=SECRET_BYTES, person=_PERSON)
    for name in table.column_names:
        array = table.column(name).combine_chunks()
        if isinstance(array, pa.ChunkedArray):
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
        _add_text(state, name)
        _add_array(state, array)
    return state.digest()


def _add_text(state: hashlib.blake2b, text: str) -> None:
    encoded = text.encode()
    state.update(len(encoded).to_bytes(8, "big") + encoded)


def _add_array(state: hashlib.blake2b, array: Any) -> None:
    """Add type, length and cells, but not the memory around them."""
    _add_text(state, f"{array.type} {len(array)} {array.null_count}")
    if array.null_count:
        state.update(np.packbits(array.is_null().to_numpy(zero_copy_only=False)).tobytes())
        array = array.drop_null()
    if pa.types.is_dictionary(array.type):
        _add_array(state, array.indices)
        _add_array(state, array.dictionary)
    elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        state.update(np.diff(array.offsets.to_numpy()).astype("<i8").tobytes())
        _add_array(state, array.flatten())
    elif pa.types.is_struct(array.type):
        for field in array.flatten():
            _add_array(state, field)
    elif pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        wide = array.cast(pa.large_string())
        _, offsets, text = wide.buffers()
        at = np.frombuffer(offsets, "<i8")[wide.offset : wide.offset + len(wide) + 1] if len(wide) else np.zeros(1, int)
        state.update(np.diff(at).astype("<i8").tobytes())
        state.update(memoryview(text)[at[0] : at[-1]] if text else b"")
    else:
        state.update(np.ascontiguousarray(array.to_numpy(zero_copy_only=False)).tobytes())
