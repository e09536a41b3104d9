"""Stored positions of visits by place, from which those of some places are loaded."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.data.fingerprint import digest_texts
from sfumato.data.places import Observations
from sfumato.data.secret import Secret
from sfumato.data.select import choose_visits

__all__ = [
    "SHARES",
    "encode_array",
    "encode_requests",
    "encode_shares",
    "load_observations",
    "name_observations",
    "save_observations",
    "share_out",
    "thin_share",
]

Numbers = npt.NDArray[np.uint64]

SHARES = 64
"""Number of shares of places; visits of one share are in memory at a time."""
_ENTRY = np.dtype([("place", "<u8"), ("person", "<i8"), ("x", "<f8"), ("y", "<f8")])
_WANT = np.dtype([("who", "<i4"), ("place", "<u8")])
_BITS = np.uint64(58)
_PERSON = 40


def save_observations(folder: Path, number: int, labels: Sequence[str], observations: Observations) -> None:
    """Write the visits of a bucket, by the names of their places."""
    entries = np.empty(len(observations.place), _ENTRY)
    entries["place"] = digest_texts(list(labels))[observations.place]
    # People of other buckets are other people.
    entries["person"] = observations.person + (number << _PERSON)
    entries["x"], entries["y"] = observations.x, observations.y
    np.save(folder / _name(number), entries[np.argsort(entries["place"], kind="stable")])


def _name(number: int) -> str:
    return f"visits-{number:05}.npy"


def _find_share(folder: Path, share: int, number: int) -> Any:
    """Return the observations of a bucket in a share."""
    entries: Any = np.load(folder / _name(number), mmap_mode="r")
    begin, end = np.searchsorted(entries["place"] >> _BITS, [share, share + 1])
    return np.array(entries[begin:end])


def encode_shares(folder: Path, number: int) -> Iterator[tuple[int, str, bytes]]:
    """Yield the observations of a bucket in every share: the share, and the name and content of a file."""
    for share in range(SHARES):
        yield share, _name(number), encode_array(_find_share(folder, share, number))


def thin_share(folder: Path, share: int, numbers: Sequence[int], secret: Secret, most: int) -> None:
    """Sample the observations of all buckets at the places of a share."""
    pieces = [_find_share(folder, share, number) for number in numbers]
    all_of_them = np.concatenate(pieces)
    observations = Observations(*(np.ascontiguousarray(all_of_them[name]) for name in _ENTRY.names or ()))
    selected = choose_visits(np.ascontiguousarray(all_of_them["place"]), observations, secret, most)
    chosen = all_of_them[selected]
    np.save(folder / name_observations(share), chosen[np.argsort(chosen["place"], kind="stable")])


def name_observations(share: int) -> str:
    """Return the name of the file with the sample of a share."""
    return f"known-{share:02}.npy"


def load_observations(folder: Path, labels: Sequence[str]) -> Observations:
    """Return the observations of some places, numbered in the order of their names."""
    digests = digest_texts(list(labels))
    places, pieces = [], []
    for share in np.unique(digests >> _BITS).tolist():
        entries: Any = np.load(folder / name_observations(share), mmap_mode="r")
        wanted = np.flatnonzero(digests >> _BITS == np.uint64(share))
        piece, counts = _take_places(entries, digests[wanted])
        pieces.append(piece)
        places.append(np.repeat(wanted, counts))
    entries = np.concatenate(pieces) if pieces else np.empty(0, _ENTRY)
    place = np.concatenate(places) if places else np.zeros(0, np.int64)
    return Observations(place.astype(np.int64), *(np.ascontiguousarray(entries[name]) for name in ("person", "x", "y")))


def _take_places(entries: Any, digests: Numbers) -> tuple[Any, npt.NDArray[np.int64]]:
    """Return the entries of some places, place by place, and their numbers."""
    begin = np.searchsorted(entries["place"], digests)
    end = np.searchsorted(entries["place"], digests, side="right")
    rows = [np.arange(first, last) for first, last in zip(begin, end, strict=True)]
    return np.array(entries[np.concatenate([np.zeros(0, np.int64), *rows])]), end - begin


def encode_requests(wanted: Iterable[tuple[int, Sequence[str]]]) -> Iterator[tuple[int, bytes]]:
    """Yield, share by share, which places partitions request: given their numbers and the names of places."""
    pieces = [np.empty(0, _WANT)]
    for who, labels in wanted:
        piece = np.empty(len(labels), _WANT)
        piece["who"], piece["place"] = who, digest_texts(list(labels))
        pieces.append(piece)
    every = np.concatenate(pieces)
    shares = every["place"] >> _BITS
    for share in np.unique(shares).tolist():
        yield share, encode_array(every[shares == share])


def share_out(observations: Any, wanted: Iterable[Any]) -> Iterator[tuple[int, bytes]]:
    """Yield, for every partition that requests places of a share, a file with their observations.

    Examples
    --------
    >>> known = np.array([(1, 7, 0.5, 0.5), (2, 8, 0.5, 0.5)], _ENTRY)
    >>> files = dict(share_out(io.BytesIO(encode_array(known)), [io.BytesIO(encode_array(np.array([(3, 2)], _WANT)))]))
    >>> np.load(io.BytesIO(files[3]))["person"].tolist()
    [8]
    """
    entries, every = np.load(observations), np.concatenate([np.load(file) for file in wanted])
    every = every[np.lexsort((every["place"], every["who"]))]
    people, begins = np.unique(every["who"], return_index=True)
    for who, places in zip(people.tolist(), np.split(every["place"], begins[1:]), strict=True):
        yield who, encode_array(_take_places(entries, np.unique(places))[0])


def encode_array(array: Any) -> bytes:
    """Return an array as the content of a file."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()
