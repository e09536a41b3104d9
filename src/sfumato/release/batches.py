"""The batches already published with one recoding, as keyed hashes: two that are nearly the same give people away.

Whoever has two releases with the same recoding can subtract one from the other: what is left are the records of those
who came or went. So a batch that differs from one already published by a few people only is refused. What is compared
is what a reader compares, the published records; hashes of people tell whose the differing records are. The hashes are
made with a key that follows from the first release's secret, and stay in ``owner/``.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.record_unit import plural
from sfumato.data.secret import Secret
from sfumato.exceptions import InfeasibleError, SchemaError
from sfumato.formats.json_files import read_json
from sfumato.release.release import PublishedColumn, Release, Result
from sfumato.release.text import encode

__all__ = ["BATCHES_FILE", "Batch", "PublishedBatches", "people_of", "read_batches"]

Ints = npt.NDArray[np.int64]

BATCHES_FILE = "batches.json"
_BYTES = 16
_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
"""Made once: records are many."""

Mark = tuple[str, str]
"""Keyed hashes of a published record and of the person it is of."""


@dataclasses.dataclass(frozen=True)
class Batch:
    """One published batch: what its records are and whose, as hashes that only the key explains.

    Examples
    --------
    >>> Batch((("r1", "p1"), ("r2", "p2"))).new_to(Batch((("r2", "p7"),)))
    (('r1', 'p1'),)
    """

    marks: tuple[Mark, ...]

    def new_to(self, other: Batch) -> tuple[Mark, ...]:
        """Return what is left of this batch when the other one is subtracted, record by record."""
        left = Counter(record for record, _ in other.marks)
        other_marks = Counter(other.marks)
        rest = []
        # The same record of the same person first, so that what is left is of those who are new.
        for mark in self.marks:
            if other_marks[mark]:
                other_marks[mark] -= 1
                left[mark[0]] -= 1
            else:
                rest.append(mark)
        new = []
        for mark in rest:
            if left[mark[0]] > 0:
                left[mark[0]] -= 1
            else:
                new.append(mark)
        return tuple(new)


@dataclasses.dataclass(frozen=True)
class PublishedBatches:
    """All batches published with one recoding, the key of their hashes, and the folders that keep them.

    Examples
    --------
    >>> PublishedBatches(bytes(32)).batches
    ()
    """

    key: bytes
    batches: tuple[Batch, ...] = ()
    folders: tuple[str, ...] = ()

    @classmethod
    def begin(cls, secret: Secret) -> PublishedBatches:
        """Begin a ledger whose key follows from the secret of the first release."""
        return cls(secret.derive("batches").key)

    def mark(self, release: Release, people: Sequence[str]) -> Batch:
        """Hash the published records, with the person each one is of."""
        shown = [column for column in release.columns if column.role != "identifier"]
        first, which = _number_records(release.table, shown)
        distinct = release.table.select([column.name for column in shown]).take(pa.array(first))
        # Records of a class are often the same: each different one is hashed once.
        rows = zip(*map(_list_cells, distinct.columns), strict=True) if shown else [()] * len(first)
        records = self._hash("record", map(_ENCODER.encode, map(list, rows)))
        person_digests = self._hash("person", map(encode_basestring, people))
        return Batch(tuple(zip([records[at] for at in which.tolist()], person_digests, strict=True)))

    def _hash(self, what: str, texts: Iterable[str]) -> list[str]:
        """Hash values spelled as JSON, with what they are; the key is worked in once, since records are many."""
        begun = hashlib.blake2b(f'["{what}", '.encode(), key=self.key, digest_size=_BYTES)
        hashes = []
        for text in texts:
            state = begun.copy()
            state.update(f"{text}]".encode())
            hashes.append(state.hexdigest())
        return hashes

    def refuse_near(self, batch: Batch, release: Release) -> None:
        """Raise where a batch differs by some but fewer than k people from one that is published."""
        k, unit = release.guarantee.smallest_group or 1, release.unit
        nouns = plural(unit.owner or unit.one)
        for number, earlier in enumerate(self.batches, start=1):
            for new, what, remedy in (
                (batch.new_to(earlier), "new", "without the newcomers, or with more of them"),
                (earlier.new_to(batch), "missing", "with those who left, or without more of them"),
            ):
                people = len({who for _, who in new})
                if new and people < k:
                    raise InfeasibleError(
                        f"apply: the batch differs from published batch {number} of {len(self.batches)} "
                        f"by {len(new):,} {what} {'record' if len(new) == 1 else 'records'} of "
                        f"{unit.owners(people)}, and k={k}. Someone who has both releases can subtract one from the "
                        f"other. Publish a batch that differs by none or by at least {k} {nouns} "
                        f"({remedy}), or anonymise the data anew (anonymize)."
                    )

    def add(self, batch: Batch) -> PublishedBatches:
        """Return the ledger with one more batch; one that is there already is not listed twice."""
        if any(sorted(batch.marks) == sorted(earlier.marks) for earlier in self.batches):
            return self
        return dataclasses.replace(self, batches=(*self.batches, batch))

    def join(self, other: PublishedBatches) -> PublishedBatches:
        """Return the batches and folders of two ledgers of the same recoding."""
        joined = self
        for batch in other.batches:
            joined = joined.add(batch)
        return dataclasses.replace(joined, folders=tuple(dict.fromkeys((*self.folders, *other.folders))))

    def write(self, folder: Path) -> None:
        """Write the ledger into an owner's folder, whole or not at all, for nobody but the owner."""
        plain = {"key": self.key.hex(), "folders": self.folders, "batches": [batch.marks for batch in self.batches]}
        temporary = folder / f".{BATCHES_FILE}.{os.getpid()}"
        temporary.touch(mode=0o600)
        temporary.write_text(json.dumps(plain) + "\n", encoding="utf-8")
        temporary.replace(folder / BATCHES_FILE)

    def write_everywhere(self) -> None:
        """Write the ledger into all folders that keep it, where they are still there."""
        for folder in map(Path, self.folders):
            file = folder / BATCHES_FILE
            if file.is_file():
                published = _read(file)
                # Another release may have been written there since, with a recoding of its own.
                if published.key == self.key:
                    published.join(self).write(folder)
            elif (folder / "recoding.json").is_file():
                self.write(folder)


def _number_records(table: pa.Table, columns: Sequence[PublishedColumn]) -> tuple[Ints, Ints]:
    """Return a row of every different record, and which of them every row has."""
    key = np.zeros(table.num_rows, np.int64)
    for column in columns:
        texts = encode(table.column(column.name), column.form).dictionary_encode()
        key = key * len(texts.dictionary) + texts.indices.to_numpy(zero_copy_only=False)
        key = np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return first.astype(np.int64), which.reshape(-1).astype(np.int64)


def _list_cells(column: pa.ChunkedArray) -> list[Any]:
    """Return the cells of a column; histories of labels as texts first, which are listed ten times as fast."""
    if pa.types.is_list(column.type) and pa.types.is_dictionary(column.type.value_type):
        column = column.cast(pa.list_(column.type.value_type.value_type))
    cells: list[Any] = column.to_pylist()
    return cells


def people_of(result: Result) -> list[str]:
    """Name the person of every published record, as the original has it.

    Where records have no name they are known by their values in all columns, and those with the same values by their
    number: batches then differ by as many people as they have records that the other has not.
    """
    original, rows = result.owner_record.original, pa.array(result.owner_record.rows)
    if original is None:
        return [str(row) for row in result.owner_record.rows.tolist()]
    if original.people is not None:
        return [str(name) for name in original.people.take(rows).to_pylist()]
    if any(column.role == "identifier" for column in original.schema.columns):
        return [str(name) for name in original.table.column(original.schema.identifier).take(rows).to_pylist()]
    seen: Counter[str] = Counter()
    names = []
    for values in _join_cells(original.table.take(rows)):
        seen[values] += 1
        names.append(f"{seen[values]} {values}")
    return names


def _join_cells(table: pa.Table) -> list[str]:
    """Return a text for every row that is the same for rows with the same cells, and for no others."""
    columns = []
    for column in table.columns:
        cells = column.unify_dictionaries().combine_chunks()
        if isinstance(cells, pa.ChunkedArray):
            cells = pa.concat_arrays(cells.chunks)
        if pa.types.is_dictionary(cells.type):
            texts = [json.dumps(cell, default=str) for cell in cells.dictionary.to_pylist()]
            columns.append([texts[at] for at in cells.indices.to_pylist()])
        else:
            columns.append([json.dumps(cell, default=str) for cell in cells.to_pylist()])
    return [f"[{', '.join(cells)}]" for cells in zip(*columns, strict=True)]


def read_batches(path: Path) -> PublishedBatches | None:
    """Read what was published with the recoding of a release, from all folders that keep it; None where none does."""
    file = path / "owner" / BATCHES_FILE
    if not file.is_file():
        return None
    published = _read(file)
    for folder in published.folders:
        other = Path(folder) / BATCHES_FILE
        if other.is_file() and other != file:
            other_published = _read(other)
            if other_published.key == published.key:
                published = published.join(other_published)
    return published


def _read(file: Path) -> PublishedBatches:
    try:
        plain = read_json(file)
        batches = tuple(Batch(tuple((str(record), str(who)) for record, who in marks)) for marks in plain["batches"])
        return PublishedBatches(bytes.fromhex(plain["key"]), batches, tuple(map(str, plain["folders"])))
    except (ValueError, KeyError, TypeError, OSError):
        raise SchemaError(f"{file}: not a list of published batches; it is damaged. Bring back the file.") from None
