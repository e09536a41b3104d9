"""Fingerprints of originals: digests of records, to recognise them in any order."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.kind import find_kind
from sfumato.data.time_units import TimeUnit

__all__ = ["Fingerprint", "describe_original", "digest_records", "digest_texts", "match_records", "mix"]

Digests = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

_OTHER = np.uint64(0x9E3779B97F4A7C15)
_HELD = 1 << 20
"""Entries of lists that are digested together."""


class Fingerprint(NamedTuple):
    """The digest of a set of records, independent of their order and partition.

    Examples
    --------
    >>> one, two = np.array([1], np.uint64), np.array([2, 3], np.uint64)
    >>> Fingerprint.of(one) + Fingerprint.of(two) == Fingerprint.of(np.array([3, 1, 2], np.uint64))
    True
    """

    records: int
    total: int
    spread: int

    @classmethod
    def of(cls, digests: Digests) -> Fingerprint:
        """Return the fingerprint of records with these digests."""
        sums = (int(np.sum(numbers, dtype=np.uint64)) for numbers in (digests, mix(digests ^ _OTHER)))
        return cls(len(digests), *sums)

    def __add__(self, other: tuple[Any, ...]) -> Fingerprint:
        return Fingerprint(
            self.records + other[0], *((mine + its) % 2**64 for mine, its in zip(self[1:], other[1:], strict=True))
        )

    def to_bytes(self) -> bytes:
        """Return it as bytes, for a secret that belongs to these data."""
        return b"".join(number.to_bytes(8, "big") for number in self)


def digest_records(dataset: Dataset) -> Digests:
    """Return a number for every record that depends on its values and its person, but not on names and rows.

    Examples
    --------
    >>> one, other = Dataset.of("sets", [["a", "b"], ["c"]]), Dataset.of("sets", [["c"], ["a", "b"]])
    >>> digest_records(one).tolist() == digest_records(other)[::-1].tolist()
    True
    """
    digests = np.zeros(len(dataset), np.uint64)
    for column in dataset.schema.columns:
        if column.role != "identifier":
            cells = _combine_chunks(dataset.table.column(column.name))
            in_order = column.role != "history" or find_kind(dataset.kind).ordered
            digests += mix(_digest_cells(cells, in_order=in_order) ^ digest_texts([column.name])[0])
    if dataset.people is not None:
        digests += mix(_digest_cells(dataset.people) ^ np.uint64(1))
    return digests


def describe_original(digests: Digests, time_unit: TimeUnit) -> dict[str, Any]:
    """Describe an original: its number of records, their digests in order and in any order, and its time unit.

    Examples
    --------
    >>> one, other = (describe_original(np.array(rows, np.uint64), TimeUnit()) for rows in ([1, 2], [2, 1]))
    >>> one["in_order"] == other["in_order"], one["in_any_order"] == other["in_any_order"]
    (False, True)
    """
    encoded = [np.ascontiguousarray(rows, dtype="<u8").tobytes() for rows in (digests, np.sort(digests))]
    in_order, in_any_order = (hashlib.sha256(text).hexdigest() for text in encoded)
    description = {"records": len(digests), "in_order": in_order, "in_any_order": in_any_order}
    return {**description, "clock": dataclasses.asdict(time_unit)}


def match_records(wanted: Digests, digests: Digests) -> Ints:
    """Return a row for every wanted record; records with the same content are interchangeable.

    Examples
    --------
    >>> match_records(np.array([7, 5, 7], np.uint64), np.array([5, 7, 9, 7], np.uint64)).tolist()
    [1, 0, 3]
    """
    order, wanted_order = np.argsort(digests, kind="stable"), np.argsort(wanted, kind="stable")
    sorted_digests = digests[order]
    first = np.searchsorted(wanted[wanted_order], wanted[wanted_order])
    rows = np.empty(len(wanted), np.int64)
    rows[wanted_order] = order[
        np.searchsorted(sorted_digests, wanted[wanted_order]) + np.arange(len(wanted_order)) - first
    ]
    return rows


def _combine_chunks(column: pa.ChunkedArray) -> Any:
    array = column.combine_chunks()
    return pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array


def _digest_cells(cells: Any, *, in_order: bool = True) -> Digests:
    """Return a number for every cell: a label, a number, a time, or a list of them, by order if that counts."""
    kind = cells.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        ends = cells.offsets.to_numpy().astype(np.int64)
        return _digest_lists(_digest_cells(cells.flatten()), ends - ends[0], in_order)
    if pa.types.is_struct(kind):
        sides = [mix(_digest_cells(cells.field(at)) ^ np.uint64(at)) for at in range(kind.num_fields)]
        return np.asarray(np.sum(sides, axis=0, dtype=np.uint64))
    if not (pa.types.is_dictionary(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        cells = cells.cast(pa.string())
    if pa.types.is_integer(kind):
        return mix(cells.fill_null(0).cast(pa.int64(), safe=False).to_numpy(zero_copy_only=False).view(np.uint64))
    coded = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
    texts = digest_texts([str(label) for label in coded.dictionary.to_pylist()])
    indices = coded.indices if not coded.null_count else coded.indices.fill_null(len(texts))
    return np.asarray(np.append(texts, np.uint64(0))[indices.to_numpy(zero_copy_only=False)])


def _digest_lists(inside: Digests, ends: Ints, in_order: bool) -> Digests:
    """Return a number for every list, some lists at a time to bound the memory."""
    digests, begin = np.empty(len(ends) - 1, np.uint64), 0
    while begin < len(digests):
        end = max(int(np.searchsorted(ends, ends[begin] + _HELD, side="right")) - 1, begin + 1)
        bounds = ends[begin : end + 1] - ends[begin]
        lengths = np.diff(bounds)
        place = (np.arange(bounds[-1]) - np.repeat(bounds[:-1], lengths)) * int(in_order)
        terms = mix(inside[ends[begin] : ends[end]] ^ mix(place.astype(np.uint64) + np.uint64(1)))
        sums = np.append(np.zeros(1, np.uint64), np.cumsum(terms))
        digests[begin:end] = sums[bounds[1:]] - sums[bounds[:-1]] + mix(lengths.astype(np.uint64))
        begin = end
    return digests


def digest_texts(texts: list[str]) -> Digests:
    """Return a number for every text.

    Examples
    --------
    >>> digest_texts(["a", "b", "a"])[[0, 2]].tolist() == [int(digest_texts(["a"])[0])] * 2
    True
    """
    digest_bytes = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts
    )
    return np.frombuffer(digest_bytes, "<u8").astype(np.uint64)


def mix(numbers: Any) -> Digests:
    """Spread numbers over all 64 bits (the finaliser of SplitMix64): sums of them then differ."""
    mixed = np.asarray(numbers, np.uint64)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
