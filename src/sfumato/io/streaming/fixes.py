"""Where people were, laid aside by place: so many people of each as its crowds need are found without the others."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.core.places import Fixes
from sfumato.core.publishing.contents import digest_texts
from sfumato.core.publishing.secret import Secret
from sfumato.core.selection import choose_visits

__all__ = ["SHARES", "find_fixes", "save_fixes", "spell_share", "thin_share"]

Numbers = npt.NDArray[np.uint64]

SHARES = 64
"""How many shares places are dealt out to; visits of one are in memory at a time."""
_ENTRY = np.dtype([("place", "<u8"), ("person", "<i8"), ("x", "<f8"), ("y", "<f8")])
_BITS = np.uint64(58)
_PERSON = 40


def save_fixes(folder: Path, number: int, labels: Sequence[str], fixes: Fixes) -> None:
    """Write the visits of a bucket, by the names of their places."""
    entries = np.empty(len(fixes.place), _ENTRY)
    entries["place"] = digest_texts(list(labels))[fixes.place]
    # People of other buckets are other people.
    entries["person"] = fixes.person + (number << _PERSON)
    entries["x"], entries["y"] = fixes.x, fixes.y
    np.save(folder / _name(number), entries[np.argsort(entries["place"], kind="stable")])


def _name(number: int) -> str:
    return f"visits-{number:05}.npy"


def _find_share(folder: Path, share: int, number: int) -> Any:
    """Return what a bucket has of a share."""
    entries: Any = np.load(folder / _name(number), mmap_mode="r")
    begin, end = np.searchsorted(entries["place"] >> _BITS, [share, share + 1])
    return np.array(entries[begin:end])


def spell_share(folder: Path, share: int, numbers: Sequence[int]) -> dict[str, bytes]:
    """Return what all buckets have of a share, as files that have nothing else."""
    found = {}
    for number in numbers:
        file = io.BytesIO()
        np.save(file, _find_share(folder, share, number))
        found[_name(number)] = file.getvalue()
    return found


def thin_share(folder: Path, share: int, numbers: Sequence[int], secret: Secret, most: int) -> None:
    """Keep of all buckets what is known of the places of a share."""
    pieces = [_find_share(folder, share, number) for number in numbers]
    all_of_them = np.concatenate(pieces)
    fixes = Fixes(*(np.ascontiguousarray(all_of_them[name]) for name in _ENTRY.names or ()))
    kept = choose_visits(np.ascontiguousarray(all_of_them["place"]), fixes, secret, most)
    chosen = all_of_them[kept]
    np.save(folder / f"known-{share:02}.npy", chosen[np.argsort(chosen["place"], kind="stable")])


def find_fixes(folder: Path, labels: Sequence[str]) -> Fixes:
    """Return what is known of some places, which are numbered as their names are given."""
    digests = digest_texts(list(labels))
    places, found = [], []
    for share in np.unique(digests >> _BITS).tolist():
        entries: Any = np.load(folder / f"known-{share:02}.npy", mmap_mode="r")
        wanted = np.flatnonzero(digests >> _BITS == np.uint64(share))
        begin = np.searchsorted(entries["place"], digests[wanted])
        end = np.searchsorted(entries["place"], digests[wanted], side="right")
        rows = np.concatenate([np.arange(first, last) for first, last in zip(begin, end, strict=True)])
        found.append(np.array(entries[rows.astype(np.int64)]))
        places.append(np.repeat(wanted, end - begin))
    entries = np.concatenate(found) if found else np.empty(0, _ENTRY)
    place = np.concatenate(places) if places else np.zeros(0, np.int64)
    return Fixes(place.astype(np.int64), *(np.ascontiguousarray(entries[name]) for name in ("person", "x", "y")))
